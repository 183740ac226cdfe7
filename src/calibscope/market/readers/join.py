"""Single quotes from any layout, joined by date and maturity into panels.

Every layout hands on the same thing, (date, maturity, value) with its place in the file. Joining
never looks at positions: order, gaps and blocks of different length do not matter.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibscope.base.arrays import Array, Indices, offsets
from calibscope.market.limits import MOST_CELLS
from calibscope.market.panel import Dates, Panel, Quantity
from calibscope.market.readers.reading import QUANTITIES, Reading
from calibscope.market.readers.table import Table


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

    @property
    def is_complete(self) -> bool:
        """Whether every quote has its date and maturity."""
        return not (np.isnat(self.dates).any() or np.isnan(self.years).any())


def joined(quotes: Sequence[Quotes], reading: Reading) -> list[Panel]:
    """One panel per quantity; a value given twice is a problem.

    A curve may give a node twice with the same value (12M and 1Y), a cap has one quote.
    """
    panels = []
    for quantity in QUANTITIES[reading.role]:
        group = [some for some in quotes if some.quantity == quantity]
        if group and all(some.is_complete for some in group):
            panels.append(_panel(quantity, group, reading))
    return [panel for panel in panels if panel is not None]


def _panel(quantity: Quantity, group: Sequence[Quotes], reading: Reading) -> Panel | None:
    dates, row = np.unique(np.concatenate([some.dates for some in group]), return_inverse=True)
    years, column = np.unique(np.concatenate([some.years for some in group]), return_inverse=True)
    given = np.concatenate([some.values for some in group])
    if len(dates) * len(years) > MOST_CELLS:
        reading.problems.add(
            "size",
            f"{quantity} has {len(dates):,} dates by {len(years):,} maturities, and up to "
            f"{MOST_CELLS:,} cells are read; are the maturities right?",
        )
        return None
    cells = row * len(years) + column
    values = np.full(len(dates) * len(years), np.nan)
    values[cells] = given
    if len(given) > 1:
        _report_duplicates(cells, given, dates, years, group, reading)
    return Panel(
        quantity=quantity,
        dates=dates,
        maturities=years,
        values=values.reshape(len(dates), len(years)),
        source=", ".join(dict.fromkeys(some.table.source for some in group)),
        unused=tuple(dict.fromkeys(name for some in group for name in some.unused)),
    )


def _report_duplicates(
    cells: Indices,
    given: Array,
    dates: Dates,
    years: Array,
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
    for k in np.flatnonzero((cells[earlier] == cells[later]) & ~is_allowed):
        first, second = earlier[k], later[k]
        date, year = divmod(int(cells[first]), len(years))
        places = []
        for entry in (first, second):
            which = int(np.searchsorted(starts, entry, side="right")) - 1
            some = group[which]
            place = some.table.place(int(some.rows[entry - starts[which]]), some.column)
            value = given[entry]
            places.append(f"{'blank' if np.isnan(value) else f'{value:.12g}'} in {place}")
        between = " and again " if same_value[k] else " but "
        reading.problems.add(
            "twice",
            f"{dates[date]}, {years[year]:g}Y: {group[0].quantity} is {between.join(places)}; "
            "keep one",
        )
