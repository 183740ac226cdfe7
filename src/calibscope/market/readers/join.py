"""Single quotes from any layout, joined by date and maturity into panels.

Every layout hands on the same thing, (date, maturity, value) with its place in the file and, where
the file says so, kind and strike. Joining never looks at positions: order, gaps and blocks of
different length do not matter.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibscope.base.arrays import Array, BoolArray, Indices, offsets
from calibscope.base.numbers import counted
from calibscope.market.instruments.cap import cap_label
from calibscope.market.limits import MOST_CELLS
from calibscope.market.panel import QUOTES, Dates, Panel, Quantity
from calibscope.market.quotes import Kind
from calibscope.market.readers.details import KINDS, NONE, Details
from calibscope.market.readers.reading import QUANTITIES, Reading
from calibscope.market.readers.strikes import NO_STRIKE, Keys, ToldApart, told_apart
from calibscope.market.readers.table import Table, listed


@dataclass(frozen=True, slots=True, eq=False)
class Quotes:
    """Values of one quantity from one column of a table."""

    quantity: Quantity
    dates: Dates  # (n,)
    years: Array  # (n,)
    values: Array  # (n,)
    table: Table
    rows: Indices  # (n,) which rows of the table
    column: int
    unused: tuple[str, ...] = ()  # columns of the table that nobody has read
    details: Details = NONE

    @property
    def is_complete(self) -> bool:
        """Whether it is known of every quote which one it is: date, maturity, kind and strike."""
        is_placed = not (np.isnat(self.dates).any() or np.isnan(self.years).any())
        return is_placed and self.details.is_clear


def joined(quotes: Sequence[Quotes], reading: Reading) -> list[Panel]:
    """One panel per quantity; a value given twice is a problem.

    A curve may give a node twice with the same value (12M and 1Y), a cap has one quote for each
    kind and strike.
    """
    groups = []
    for quantity in QUANTITIES[reading.role]:
        group = [some for some in quotes if some.quantity == quantity]
        if group and all(some.is_complete for some in group):
            groups.append(_Group.of(group, reading.kind))
    if not groups:
        return []
    told = told_apart(Keys.together([group.keys for group in groups]))
    panels = [_panel(group, told, reading) for group in groups]
    return [panel for panel in panels if panel is not None]


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """The quotes of one quantity, one after the other."""

    quotes: Sequence[Quotes]
    dates: Dates  # (n,)
    years: Array  # (n,)
    kinds: npt.NDArray[np.int8]  # (n,) places in `KINDS`
    strikes: Array  # (n,)
    has_kinds: bool  # whether the file says which are caps and which floors
    has_strikes: bool  # whether it says their strikes

    @classmethod
    def of(cls, quotes: Sequence[Quotes], default: Kind) -> "_Group":
        """Quotes without a kind are of the default one."""
        kinds, strikes = [], []
        for some in quotes:
            own, count = some.details, len(some.rows)
            usual = np.full(count, KINDS.index(default), np.int8)
            kinds.append(usual if own.kinds is None else own.kinds)
            given = np.full(count, np.nan) if own.strikes is None else own.strikes
            strikes.append(np.where(np.isnan(given), NO_STRIKE, given))
        return cls(
            quotes,
            np.concatenate([some.dates for some in quotes]),
            np.concatenate([some.years for some in quotes]),
            np.concatenate(kinds),
            np.concatenate(strikes),
            any(some.details.kinds is not None for some in quotes),
            any(some.details.strikes is not None for some in quotes),
        )

    @property
    def keys(self) -> Keys:
        """Which quote each one is: date, maturity, kind and strike."""
        return Keys(self.dates, self.years, self.kinds, self.strikes)

    def columns(self, told: ToldApart) -> tuple["_Columns", Indices]:
        """The columns of the panel, and which of them each quote belongs to."""
        if not self.has_kinds and not told:
            years, place = np.unique(self.years, return_inverse=True)
            return _Columns(years, None, np.full(len(years), np.nan)), place
        strikes = np.where(told.by_strike(self.keys), self.strikes, NO_STRIKE)
        keys = np.column_stack((self.years, self.kinds, strikes))
        found, place = np.unique(keys, axis=0, return_inverse=True)
        kinds = tuple(KINDS[code] for code in found[:, 1].astype(int))
        own = np.where(found[:, 2] == NO_STRIKE, np.nan, found[:, 2])
        return _Columns(found[:, 0], kinds, own), place

    def is_at_the_money(self, told: ToldApart) -> BoolArray:
        """(n,) whose strike is to be the curve's: a word says so, or a blank that is no gap.

        A blank is a gap where the same quote, on other days, has a strike that changes daily.
        """
        words = self._marks([some.details.is_atm for some in self.quotes])
        if not self.has_strikes:
            return words
        blank = self.strikes == NO_STRIKE
        if told or len(set(self.kinds.tolist())) > 1:
            return np.asarray(words | blank)
        return np.asarray(words | (blank & told.is_never_struck(self.keys)))

    @property
    def is_interpolated(self) -> BoolArray:
        """(n,) which the file marks as such."""
        return self._marks([some.details.is_interpolated for some in self.quotes])

    def _marks(self, given: Sequence[BoolArray | None]) -> BoolArray:
        none = [np.zeros(len(some.rows), np.bool_) for some in self.quotes]
        return np.concatenate(
            [zeros if marks is None else marks for zeros, marks in zip(none, given, strict=True)]
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Columns:
    """What the columns of a panel are."""

    years: Array  # (m,)
    kinds: tuple[Kind, ...] | None  # (m,)
    strikes: Array  # (m,) NaN: not told apart by strike

    def name(self, k: int) -> str:
        """How a message names the quotes of a column."""
        kind = "cap" if self.kinds is None else self.kinds[k]
        struck = "" if np.isnan(self.strikes[k]) else f" with strike {self.strikes[k]:.12g}"
        return f"{cap_label(self.years[k], kind)}{struck}"


def _panel(group: _Group, told: ToldApart, reading: Reading) -> Panel | None:
    quantity = group.quotes[0].quantity
    dates, row = np.unique(group.dates, return_inverse=True)
    columns, column = group.columns(told)
    shape = (len(dates), len(columns.years))
    if shape[0] * shape[1] > MOST_CELLS:
        reading.problems.add("size", _too_large(quantity, shape, columns))
        return None
    given = np.concatenate([some.values for some in group.quotes])
    cells = row * shape[1] + column
    values = np.full(shape[0] * shape[1], np.nan)
    values[cells] = given
    if len(given) > 1:
        _report_duplicates(cells, given, dates, columns, group.quotes, reading)

    def spread(marks: BoolArray) -> BoolArray | None:
        table = np.zeros(shape, np.bool_)
        table[row[marks], column[marks]] = True
        return table if marks.any() else None

    return Panel(
        quantity=quantity,
        dates=dates,
        maturities=columns.years,
        values=values.reshape(shape),
        source=", ".join(dict.fromkeys(some.table.source for some in group.quotes)),
        unused=tuple(dict.fromkeys(name for some in group.quotes for name in some.unused)),
        kinds=columns.kinds if group.has_kinds else None,
        strikes=columns.strikes if told else None,
        is_atm=spread(group.is_at_the_money(told)) if quantity == "strike" else None,
        is_interpolated=spread(group.is_interpolated) if quantity in QUOTES else None,
    )


def _too_large(quantity: Quantity, shape: tuple[int, int], columns: _Columns) -> str:
    what, remedy = "maturities", "are the maturities right?"
    if not np.isnan(columns.strikes).all():
        what = "maturities and strikes"
        remedy = "write ATM for strikes that are at the money and change daily"
    return (
        f"{quantity} has {counted(shape[0], 'date')} by {shape[1]:,} {what}, and up to "
        f"{MOST_CELLS:,} cells are read; {remedy}"
    )


def _report_duplicates(
    cells: Indices,
    given: Array,
    dates: Dates,
    columns: _Columns,
    group: Sequence[Quotes],
    reading: Reading,
) -> None:
    order = np.argsort(cells, kind="stable")
    earlier, later = order[:-1], order[1:]
    same_value = given[earlier] == given[later]
    is_allowed = np.isnan(given[earlier]) & np.isnan(given[later])
    if reading.role == "curve":
        is_allowed |= same_value
    starts = offsets(len(some.rows) for some in group)
    unread = list(dict.fromkeys(name for some in group for name in some.unused))
    remedy = "keep one"
    if unread and reading.role == "caps" and not same_value.all():
        remedy += f", or map what tells them apart in [caps.columns] (unread: {listed(unread)})"
    for k in np.flatnonzero((cells[earlier] == cells[later]) & ~is_allowed):
        first, second = earlier[k], later[k]
        date, place = divmod(int(cells[first]), len(columns.years))
        places = []
        for entry in (first, second):
            which = int(np.searchsorted(starts, entry, side="right")) - 1
            some = group[which]
            where = some.table.place(int(some.rows[entry - starts[which]]), some.column)
            value = given[entry]
            places.append(f"{'blank' if np.isnan(value) else f'{value:.12g}'} in {where}")
        between = " and again " if same_value[k] else " but "
        reading.problems.add(
            "twice",
            f"{dates[date]}, {columns.name(place)}: {group[0].quantity} is "
            f"{between.join(places)}; {remedy}",
        )
