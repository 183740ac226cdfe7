"""Maturities as people write them, in years: 3Y, 18M, 10J, 1W, ON, 1Y6M, 3 years, 0.5.

A month is a twelfth of a year, a week 7/365, a day 1/365; a bare number is years. 36M and 3Y are
the same maturity to the last bit, which is why the sum is made of fractions.
"""

import re
from fractions import Fraction
from functools import lru_cache

import numpy as np

from calibscope.base.arrays import Array
from calibscope.market.readers.reading import Reading
from calibscope.market.readers.table import Table, shown

DAY, WEEK, MONTH, YEAR = Fraction(1, 365), Fraction(7, 365), Fraction(1, 12), Fraction(1)

UNITS = {
    word: unit
    for unit, words in {
        DAY: "d day days t tag tage",
        WEEK: "w wk week weeks woche wochen",
        MONTH: "m mo mon mth month months monat monate",
        YEAR: "y yr yrs year years j jahr jahre",
    }.items()
    for word in words.split()
}
OVERNIGHT = ("on", "o/n")
LONGEST = 150  # years; beyond, someone wrote months or a calendar year

_PART = re.compile(r"(\d+(?:[.,]\d+)?) ?([a-z]+)", re.ASCII)
_MATURITY = re.compile(rf"(?:{_PART.pattern} ?)+", re.ASCII)
_NUMBER = re.compile(r"\d+(?:[.,]\d*)?|[.,]\d+", re.ASCII)


@lru_cache(maxsize=4096)
def maturity(text: str) -> float | None:
    """Years, or None if the text is no maturity.

    >>> maturity("18M"), maturity("1Y6M"), maturity("0,5"), maturity("ON") == 1 / 365
    (1.5, 1.5, 0.5, True)
    """
    word = " ".join(text.casefold().split())
    if word in OVERNIGHT:
        return float(DAY)
    if _NUMBER.fullmatch(word):
        years = Fraction(word.replace(",", "."))
    elif _MATURITY.fullmatch(word):
        parts = _PART.findall(word)
        if any(unit not in UNITS for _, unit in parts):
            return None
        years = sum(
            (Fraction(number.replace(",", ".")) * UNITS[unit] for number, unit in parts),
            Fraction(0),
        )
    else:
        return None
    return float(years) if years <= LONGEST else None


def maturities(table: Table, column: int, reading: Reading) -> Array:
    """A column of maturities in years; cells that are none become problems."""
    cells = table.columns[column]
    texts = list(map(str, cells))
    known = {text: maturity(text) for text in set(texts)}
    years = np.array(list(map(known.__getitem__, texts)), dtype=float)
    for i in np.flatnonzero(np.isnan(years)).tolist():
        text = (
            f"{shown(cells[i])} is no maturity of 0 to {LONGEST} years; write 3Y, 18M, 1W, ON or a "
            "number of years"
        )
        reading.problems.add_cell("maturity", table, i, column, text)
    return years
