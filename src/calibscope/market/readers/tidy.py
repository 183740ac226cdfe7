"""Tidy: one row per date and maturity, with a column for each quantity.

Caps beside floors, and several strikes of a maturity, have a row each.
"""

from collections.abc import Sequence
from typing import cast

import numpy as np

from calibscope.market.panel import Quantity
from calibscope.market.readers.dates import dates
from calibscope.market.readers.details import details, without_atm
from calibscope.market.readers.join import Quotes
from calibscope.market.readers.maturities import maturities
from calibscope.market.readers.names import (
    COLUMNS,
    DETAILS,
    IGNORE,
    resembled,
    unused_columns,
)
from calibscope.market.readers.numerals import numbers
from calibscope.market.readers.reading import QUANTITIES, Reading
from calibscope.market.readers.table import Table
from calibscope.market.settings import ALL_QUANTITIES

NEEDS = "date, maturity and a column per quantity such as price"


def fits(names: Sequence[str], reading: Reading) -> bool:
    """Whether the header is that of a tidy table; a column `value` needs a declared quantity."""
    declared = reading.wanted or reading.settings.quantity
    has_values = not set(names).isdisjoint(ALL_QUANTITIES) or (
        "value" in names and declared is not None
    )
    return {"date", "maturity"} <= set(names) and has_values


def quotes(
    table: Table, names: Sequence[str], quantity: Quantity | None, reading: Reading
) -> list[Quotes]:
    """The quotes, by quantity."""
    meanings = [
        quantity if name == "value" and quantity else cast(Quantity, name) for name in names
    ]
    columns = [k for k, one in enumerate(meanings) if one in ALL_QUANTITIES and reading.takes(one)]
    _report_near_misses(table, names, reading)
    if not columns:
        return []
    strike = next((k for k in columns if meanings[k] == "strike"), None)
    is_atm = None
    if strike is not None:
        table, is_atm = without_atm(table, strike, reading)
    values = dict(zip(columns, numbers(table, columns, reading), strict=True))
    further = details(table, names, None if strike is None else values[strike], is_atm, reading)
    rows = np.arange(len(table.rows))
    (days,) = dates(table, [names.index("date")], [np.full(len(rows), True)], reading)
    years = maturities(table, names.index("maturity"), reading)
    unused = unused_columns(table, names, (*COLUMNS, *ALL_QUANTITIES), reading)
    return [
        Quotes(meanings[k], days, years, column, table, rows, k, unused, further)
        for k, column in values.items()
    ]


def _report_near_misses(table: Table, names: Sequence[str], reading: Reading) -> None:
    """Other columns are nobody's business, unless a quantity would be lost by its spelling."""
    absent = [one for one in QUANTITIES[reading.role] if one not in names]
    for k, name in enumerate(names):
        if name in (*COLUMNS, *DETAILS, *ALL_QUANTITIES, IGNORE):
            continue
        if near := resembled(name, absent):
            reading.problems.add(
                "header",
                table.fault(
                    k,
                    f"may mean {near!r}; map it in [{reading.role}.columns], its unit in "
                    f'[{reading.role}.units], or map it to "{IGNORE}"',
                ),
            )
