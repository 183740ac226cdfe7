"""Long: one row per quote, with the columns date, maturity, quantity, value in any order."""

from collections.abc import Sequence

import numpy as np

from calibscope.base.spelling import choose_from
from calibscope.market.panel import Quantity
from calibscope.market.readers.dates import dates
from calibscope.market.readers.join import Quotes
from calibscope.market.readers.maturities import maturities
from calibscope.market.readers.names import COLUMNS, quantity_of, unused_columns
from calibscope.market.readers.numerals import numbers
from calibscope.market.readers.reading import Reading
from calibscope.market.readers.table import Table, shown
from calibscope.market.settings import ALL_QUANTITIES

NEEDS = "date, maturity, quantity, value"


def fits(names: Sequence[str], reading: Reading) -> bool:
    """Whether the header is that of a long table."""
    return set(names).issuperset(COLUMNS)


def quotes(
    table: Table, names: Sequence[str], quantity: Quantity | None, reading: Reading
) -> list[Quotes]:
    """The quotes, by quantity."""
    date, years, word, value = (names.index(name) for name in COLUMNS)
    meanings = _meanings(table, word, reading)
    codes = np.array(list(map(meanings.__getitem__, table.columns[word])))
    part = table.where(codes >= 0)
    whose = codes[codes >= 0]
    (values,) = numbers(part, [value], reading)
    (days,) = dates(part, [date], [np.full(len(part.rows), True)], reading)
    lengths = maturities(part, years, reading)
    unused = unused_columns(table, names, COLUMNS)
    return [
        Quotes(one, days[rows], lengths[rows], values[rows], part, rows, value, unused)
        for code, one in enumerate(ALL_QUANTITIES)
        if len(rows := np.flatnonzero(whose == code))
    ]


def _meanings(table: Table, column: int, reading: Reading) -> dict[object, int]:
    """The quantity of each word in the column, by number; -1 if unknown or not asked for."""
    cells = table.columns[column]
    meanings: dict[object, int] = {}
    for word in dict.fromkeys(cells):
        known = quantity_of(str(word), reading.settings)
        meanings[word] = -1
        if known is not None and reading.takes(known):
            meanings[word] = ALL_QUANTITIES.index(known)
        elif known is None:
            text = (
                "the quantity is blank; fill it in"
                if word == ""
                else f"{shown(word)} is not a quantity; {choose_from(ALL_QUANTITIES, str(word))}, "
                f"or map the word in [{reading.role}.quantities]"
            )
            reading.problems.add_cell("quantity", table, cells.index(word), column, text)
    return meanings
