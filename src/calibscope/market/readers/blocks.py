"""Blocks: several wide tables side by side, each with its own date column, as terminals export.

The blocks may differ in length and dates, so a row as a whole means nothing; they are joined on
their dates.
"""

from collections.abc import Sequence

from calibscope.market.panel import Quantity
from calibscope.market.readers.join import Quotes
from calibscope.market.readers.reading import Reading
from calibscope.market.readers.table import Table
from calibscope.market.readers.wide import Block, block_quotes, has_maturities

NEEDS = "blocks of columns, each date and maturities such as 3Y"


def fits(names: Sequence[str], reading: Reading) -> bool:
    """Whether there are several date columns with maturities after them."""
    return names.count("date") > 1 and has_maturities(names)


def quotes(
    table: Table, names: Sequence[str], quantity: Quantity | None, reading: Reading
) -> list[Quotes]:
    """The quotes, by maturity."""
    blocks: list[Block] = []
    before_any_date = []
    for k, name in enumerate(names):
        if name == "date":
            blocks.append((k, []))
        elif blocks:
            blocks[-1][1].append(k)
        elif name:
            before_any_date.append(k)
    for k in before_any_date:
        reading.problems.add(
            "header", table.fault(k, "is before any date column; put its dates to its left")
        )
    return block_quotes(table, names, blocks, quantity, reading)
