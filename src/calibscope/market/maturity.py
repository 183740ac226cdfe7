"""Maturities as people write them, and in years: 3Y, 18M, 10J, 1W, ON, 1Y6M, 3 years, 0.5.

A month is a twelfth of a year, a week 7/365, a day 1/365; a bare number is years. 36M and 3Y are
the same maturity to the last bit, which is why the sum is made of fractions.
"""

import re
from fractions import Fraction
from functools import lru_cache

# Years that agree to this are the same maturity.
SAME_MATURITY = 1e-9

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
LONGEST_WORD = 60  # signs: no maturity takes more, and a file may have a cell of a megabyte

_PART = re.compile(r"(\d+(?:[.,]\d+)?) ?([a-z]+)", re.ASCII)
_MATURITY = re.compile(rf"(?:{_PART.pattern} ?)+", re.ASCII)
_NUMBER = re.compile(r"\d+(?:[.,]\d*)?|[.,]\d+", re.ASCII)


@lru_cache(maxsize=4096)
def maturity(text: str) -> float | None:
    """Years, or None if the text is no maturity.

    >>> maturity("18M"), maturity("1Y6M"), maturity("0,5"), maturity("ON") == 1 / 365
    (1.5, 1.5, 0.5, True)
    """
    if len(text) > LONGEST_WORD:
        return None
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


def label(years: float) -> str:
    """A maturity as people write it: 3Y, 18M, 2W, 1D.

    >>> label(3.0), label(1.5), label(0.00274), label(0.038356)
    ('3Y', '18M', '1D', '2W')
    """
    months = 12 * years
    if abs(years - round(years)) < SAME_MATURITY:
        return f"{round(years)}Y"
    if abs(months - round(months)) < 1e-6:
        return f"{round(months)}M"
    days = 365 * years
    if abs(days - round(days)) < 1e-3:  # files round
        return f"{round(days / 7)}W" if round(days) % 7 == 0 else f"{round(days)}D"
    return f"{years:g}Y"
