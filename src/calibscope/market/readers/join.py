"""Single quotes from any layout, joined by date and maturity into panels.

Every layout hands on the same thing, (date, maturity, value) with its place in the file and, where
the file says so, kind and strike. Joining never looks at positions: order, gaps and blocks of
different length do not matter.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibscope.base.arrays import Array, BoolArray, Indices, offsets
from calibscope.market.instruments.cap import cap_label
from calibscope.market.limits import MOST_CELLS
from calibscope.market.panel import QUOTES, Dates, Panel, Quantity
from calibscope.market.quotes import Kind
from calibscope.market.readers.details import KINDS, NONE, Details
from calibscope.market.readers.reading import QUANTITIES, Reading
from calibscope.market.readers.table import Table, listed

NO_STRIKE = -np.inf  # sorts before all others


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
    apart = {one for group in groups for one in group.of_several_strikes()}
    if apart:  # then an only strike that never changes is not at the money either
        apart |= {one for group in groups for one in group.of_one_strike()}
    panels = [_panel(group, apart, reading) for group in groups]
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

    def of_several_strikes(self) -> list[tuple[float, int]]:
        """The maturities and kinds that are quoted at several strikes.

        Strikes at the money change daily. Where hardly any comes again and few days have two
        quotes, these are not of several strikes: a date is wrong, or a row stands twice.
        """
        if not self.has_strikes:
            return []
        pairs, which = self._pairs()
        order = np.lexsort((self.dates, which))
        dates, group = self.dates[order], which[order]
        again = np.append(False, (dates[1:] == dates[:-1]) & (group[1:] == group[:-1]))
        size = len(pairs)
        rows = np.bincount(which, minlength=size)
        days = rows - np.bincount(group[again], minlength=size)
        with_several = _distinct(group[again], dates[again].astype(np.int64), size)
        strikes = _distinct(which, self.strikes, size)
        by_accident = (2 * with_several < days) & (2 * strikes > rows)
        chosen = np.flatnonzero((rows > days) & ~by_accident)
        return [pairs[k] for k in chosen.tolist()]

    def of_one_strike(self) -> list[tuple[float, int]]:
        """The maturities and kinds whose strike is the same number on all days."""
        pairs, which = self._pairs()
        given = self.strikes != NO_STRIKE
        counts = _distinct(which[given], self.strikes[given], len(pairs))
        return [pairs[k] for k in np.flatnonzero(counts == 1).tolist()]

    def columns(self, apart: Collection[tuple[float, int]]) -> tuple["_Columns", Indices]:
        """The columns of the panel, and which of them each quote belongs to."""
        if not self.has_kinds and not apart:
            years, place = np.unique(self.years, return_inverse=True)
            return _Columns(years, None, np.full(len(years), np.nan)), place
        pairs, which = self._pairs()
        is_apart = np.array([pair in apart for pair in pairs])
        strikes = np.where(is_apart[which], self.strikes, NO_STRIKE)
        keys = np.column_stack((self.years, self.kinds, strikes))
        found, place = np.unique(keys, axis=0, return_inverse=True)
        kinds = tuple(KINDS[code] for code in found[:, 1].astype(int))
        own = np.where(found[:, 2] == NO_STRIKE, np.nan, found[:, 2])
        return _Columns(found[:, 0], kinds, own), place

    def _pairs(self) -> tuple[list[tuple[float, int]], Indices]:
        """All maturities with both kinds, and which of these pairs each quote has."""
        years, place = np.unique(self.years, return_inverse=True)
        pairs = [(year, kind) for year in years.tolist() for kind in range(len(KINDS))]
        return pairs, len(KINDS) * place + self.kinds

    def is_at_the_money(self, has_several_strikes: bool) -> BoolArray:
        """(n,) whose strike is to be the curve's: a word says so, or a blank among strikes."""
        if has_several_strikes:
            return np.asarray(self.strikes == NO_STRIKE)
        return self._marks([some.details.is_atm for some in self.quotes])

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


def _distinct(group: Indices, values: npt.NDArray[np.generic], size: int) -> Indices:
    """(size,) how many different values each group has."""
    order = np.lexsort((values, group))
    values, group = values[order], group[order]
    is_new = np.append(True, (values[1:] != values[:-1]) | (group[1:] != group[:-1]))
    return np.bincount(group[is_new[: len(group)]], minlength=size)


def _panel(group: _Group, apart: Collection[tuple[float, int]], reading: Reading) -> Panel | None:
    quantity = group.quotes[0].quantity
    dates, row = np.unique(group.dates, return_inverse=True)
    columns, column = group.columns(apart)
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
        strikes=columns.strikes if apart else None,
        is_atm=spread(group.is_at_the_money(bool(apart))) if quantity == "strike" else None,
        is_interpolated=spread(group.is_interpolated) if quantity in QUOTES else None,
    )


def _too_large(quantity: Quantity, shape: tuple[int, int], columns: _Columns) -> str:
    what, remedy = "maturities", "are the maturities right?"
    if not np.isnan(columns.strikes).all():
        what = "maturities and strikes"
        remedy = "write ATM for strikes that are at the money and change daily"
    return (
        f"{quantity} has {shape[0]:,} dates by {shape[1]:,} {what}, and up to {MOST_CELLS:,} cells "
        f"are read; {remedy}"
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
