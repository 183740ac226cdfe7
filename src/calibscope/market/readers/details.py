"""What a row of caps says besides its numbers: cap or floor, at which strike, interpolated or not.

A file with several strikes of a maturity, or with caps beside floors, has a row for each; in the
layouts tidy and long these columns tell them apart.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from calibscope.base.arrays import Array, BoolArray, Indices
from calibscope.base.spelling import choose_from, plain
from calibscope.market.quotes import Kind
from calibscope.market.readers.names import COLUMNS, DETAILS, IGNORE, setting
from calibscope.market.readers.reading import Reading
from calibscope.market.readers.table import Cell, Table, shown
from calibscope.market.settings import ALL_QUANTITIES

KINDS: tuple[Kind, ...] = ("cap", "floor")  # a quote's kind is kept as its place here
KIND_WORDS: dict[str, int] = {kind: code for code, kind in enumerate(KINDS)}
# Whether somebody has filled in a quote that the market did not give.
STATUS_WORDS = {
    **dict.fromkeys(("quoted", "traded"), 0),
    **dict.fromkeys(("interpolated", "estimated", "indicative", "derived"), 1),
}
YES_OR_NO = {
    **dict.fromkeys(("yes", "true", "1", "ja", "y", "wahr", "1.0"), 1),
    **dict.fromkeys(("no", "false", "0", "nein", "n", "falsch", "0.0"), 0),
}
AT_THE_MONEY = ("atm", "at_the_money")


@dataclass(frozen=True, slots=True, eq=False)
class Details:
    """Of n rows; None where the table has no such column."""

    kinds: npt.NDArray[np.int8] | None = None  # (n,) places in `KINDS`
    strikes: Array | None = None  # (n,) as written; NaN where blank or at the money
    is_atm: BoolArray | None = None  # (n,) where the strike is a word for at the money
    is_interpolated: BoolArray | None = None  # (n,)
    is_clear: bool = True  # whether every kind and strike could be read

    def at(self, rows: Indices) -> "Details":
        """Those of some of the rows."""
        return Details(
            None if self.kinds is None else self.kinds[rows],
            None if self.strikes is None else self.strikes[rows],
            None if self.is_atm is None else self.is_atm[rows],
            None if self.is_interpolated is None else self.is_interpolated[rows],
            self.is_clear,
        )


NONE = Details()


def details(
    table: Table,
    names: Sequence[str],
    strikes: Array | None,
    is_atm: BoolArray | None,
    reading: Reading,
) -> Details:
    """The details of all rows; a word that we do not know becomes a problem."""
    if reading.role != "caps":
        return NONE
    usual = KINDS.index(reading.kind)
    kinds = [
        _codes(table, k, "kind", KIND_WORDS, usual, reading)
        for k, name in enumerate(names)
        if name == "kind"
    ]
    statuses = [
        _codes(table, k, "status", STATUS_WORDS, 0, reading)
        for k, name in enumerate(names)
        if name == "status"
    ]
    statuses += [
        _codes(table, k, "yes or no", YES_OR_NO, 0, reading)
        for k, name in enumerate(names)
        if name == "interpolated"
    ]
    if not kinds:
        _report_unread_kinds(table, names, usual, reading)
    return Details(
        kinds[0] if kinds else None,
        strikes,
        is_atm,
        np.any(statuses, axis=0) if statuses else None,
        not reading.problems.has("kind") and _are_read(table, names, strikes, reading),
    )


def _are_read(table: Table, names: Sequence[str], strikes: Array | None, reading: Reading) -> bool:
    """Whether only gaps have no strike."""
    if strikes is None or "strike" not in names:
        return True
    cells = table.columns[names.index("strike")]
    return all(reading.is_gap(cells[row]) for row in np.flatnonzero(np.isnan(strikes)).tolist())


def _report_unread_kinds(table: Table, names: Sequence[str], usual: int, reading: Reading) -> None:
    """A column of another name that says cap or floor: unread, it would make caps of floors."""
    for k, name in enumerate(names):
        if not name or name in (*COLUMNS, *DETAILS, *ALL_QUANTITIES, IGNORE):
            continue
        words = {cell for cell in set(table.columns[k]) if not reading.is_gap(cell)}
        codes = {KIND_WORDS.get(_singular(word)) for word in words}
        if None not in codes and codes - {usual}:
            reading.problems.add(
                "header",
                table.fault(
                    k,
                    "says which quotes are caps and which floors; map it: "
                    f"{setting(f'{reading.role}.columns', table.header[k], 'kind')}, "
                    f'or to "{IGNORE}"',
                ),
            )


def _singular(cell: Cell) -> str:
    return plain(str(cell)).removesuffix("s")


def without_atm(table: Table, column: int, reading: Reading) -> tuple[Table, BoolArray]:
    """The table with words for at the money as blanks, and in which rows they were."""
    cells = table.columns[column]
    words = {cell for cell in cells if isinstance(cell, str) and plain(cell) in AT_THE_MONEY}
    words = {word for word in words if not reading.is_gap(word)}
    marks = np.array([cell in words for cell in cells], dtype=np.bool_)
    if not words:
        return table, marks
    columns = list(table.columns)
    columns[column] = ["" if mark else cell for cell, mark in zip(cells, marks, strict=True)]
    return replace(table, columns=columns), marks


def _codes(
    table: Table,
    column: int,
    what: str,
    words: Mapping[str, int],
    default: int,
    reading: Reading,
) -> npt.NDArray[np.int8]:
    """What the words of a column mean, also in the plural; blanks mean the default."""
    cells = table.columns[column]
    meanings: dict[Cell, int] = {}
    for cell in dict.fromkeys(cells):
        known = words.get(plain(str(cell)), words.get(_singular(cell), -1))
        meanings[cell] = default if reading.is_gap(cell) else known
    for row, cell in enumerate(cells):
        if meanings[cell] < 0:
            ignored = setting(f"{reading.role}.columns", table.header[column], IGNORE)
            text = (
                f"{shown(cell)} is not a {what}; {choose_from(words, str(cell))}, or leave the "
                f"column unread: {ignored}"
            )
            reading.problems.add_cell(what, table, row, column, text)
    return np.array([max(meanings[cell], 0) for cell in cells], dtype=np.int8)
