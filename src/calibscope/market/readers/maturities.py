"""A column of maturities."""

import numpy as np

from calibscope.base.arrays import Array
from calibscope.market.maturity import LONGEST, maturity
from calibscope.market.readers.reading import Reading
from calibscope.market.readers.table import Table, shown


def maturities(table: Table, column: int, reading: Reading) -> Array:
    """A column of maturities in years; cells that are none become problems."""
    cells = table.columns[column]
    texts = list(map(str, cells))
    known = {text: maturity(text) for text in set(texts)}
    years = np.array(list(map(known.__getitem__, texts)), dtype=float)
    for i in np.flatnonzero(np.isnan(years)).tolist():
        text = (
            f"{shown(cells[i])} is not a maturity of 0 to {LONGEST} years; write 3Y, 18M, 1W, ON "
            "or a number of years"
        )
        reading.problems.add_cell("maturity", table, i, column, text)
    return years
