"""Long: one row per number, with the columns date, maturity, quantity, value in any order.

Further columns, kind and strike, tell quotes of the same maturity apart.
"""

from collections.abc import Sequence

import numpy as np

from calibscope.base.arrays import Array, Indices
from calibscope.base.spelling import choose_from
from calibscope.market.panel import Quantity
from calibscope.market.readers.dates import dates
from calibscope.market.readers.details import details, without_atm
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
    strike = names.index("strike") if "strike" in names and reading.takes("strike") else None
    strikes = is_atm = None
    if strike is None:
        (values,) = numbers(part, [value], reading)
    else:
        part, is_atm = without_atm(part, strike, reading)
        values, strikes = numbers(part, [value, strike], reading)
    (days,) = dates(part, [date], [np.full(len(part.rows), True)], reading)
    lengths = maturities(part, years, reading)
    further = details(part, names, strikes, is_atm, reading)
    unused = unused_columns(table, names, (*COLUMNS, "strike"), reading)

    def some(one: Quantity, given: Array, rows: Indices, column: int) -> Quotes:
        own = further.at(rows)
        return Quotes(one, days[rows], lengths[rows], given[rows], part, rows, column, unused, own)

    found = [
        some(one, values, rows, value)
        for code, one in enumerate(ALL_QUANTITIES)
        if len(rows := np.flatnonzero(whose == code))
    ]
    if strike is not None and strikes is not None:
        # The rows of price, bid and ask of a quote repeat its strike.
        kinds = np.zeros(len(strikes)) if further.kinds is None else further.kinds
        keys = np.column_stack(
            (days.astype(np.int64), lengths, kinds, np.nan_to_num(strikes, nan=-np.inf))
        )
        _, rows = np.unique(keys, axis=0, return_index=True)
        found.append(some("strike", strikes, rows, strike))
    return found


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
