"""Wide: one row per date, one column per maturity; what the numbers are is said elsewhere."""

from collections.abc import Sequence

import numpy as np

from calibscope.market.maturity import maturity
from calibscope.market.panel import Quantity
from calibscope.market.readers.dates import dates
from calibscope.market.readers.join import Quotes
from calibscope.market.readers.names import IGNORE
from calibscope.market.readers.numerals import numbers
from calibscope.market.readers.reading import Reading
from calibscope.market.readers.table import Table

NEEDS = "date and a column per maturity such as 3Y"

Block = tuple[int, list[int]]  # the date column, and the columns of values that go with it


def fits(names: Sequence[str], reading: Reading) -> bool:
    """Whether the header is that of a wide table."""
    return names.count("date") == 1 and has_maturities(names)


def has_maturities(names: Sequence[str]) -> bool:
    """Whether maturities are columns, not cells."""
    return "maturity" not in names and any(maturity(name) is not None for name in names)


def quotes(
    table: Table, names: Sequence[str], quantity: Quantity | None, reading: Reading
) -> list[Quotes]:
    """The quotes, by maturity."""
    date = names.index("date")
    others = [k for k in range(len(names)) if k != date]
    return block_quotes(table, names, [(date, others)], quantity, reading)


def block_quotes(
    table: Table,
    names: Sequence[str],
    blocks: Sequence[Block],
    quantity: Quantity | None,
    reading: Reading,
) -> list[Quotes]:
    """The quotes of blocks with their own date columns; a row without any values needs no date."""
    if quantity is None or not reading.takes(quantity):
        return []
    blocks = [(date, _value_columns(table, names, columns, reading)) for date, columns in blocks]
    every = [k for _, columns in blocks for k in columns]
    values = dict(zip(every, numbers(table, every, reading), strict=True))
    needed = []
    for date, columns in blocks:
        has_date = np.array([not reading.is_gap(cell) for cell in table.columns[date]])
        has_value = np.array([~np.isnan(values[k]) for k in columns]).any(axis=0)
        needed.append(has_date | has_value)
    days = dates(table, [date for date, _ in blocks], needed, reading)
    found = []
    for (_, columns), block_days, marks in zip(blocks, days, needed, strict=True):
        rows = np.flatnonzero(marks)
        for k in columns:
            years = np.full(len(rows), maturity(names[k]))
            found.append(Quotes(quantity, block_days[rows], years, values[k][rows], table, rows, k))
    return found


def _value_columns(
    table: Table, names: Sequence[str], columns: Sequence[int], reading: Reading
) -> list[int]:
    """The columns that are maturities; another one is a problem unless blank or ignored."""
    for k in columns:
        if maturity(names[k]) is None and names[k] != IGNORE and (names[k] or _is_used(table, k)):
            reading.problems.add(
                "header",
                table.fault(
                    k,
                    "is not a maturity; name it 3Y, 18M, 0.5, ... or map it to a maturity or to "
                    f'"{IGNORE}", in [{reading.role}.columns]',
                ),
            )
    return [k for k in columns if maturity(names[k]) is not None]


def _is_used(table: Table, column: int) -> bool:
    return any(cell != "" for cell in table.columns[column])
