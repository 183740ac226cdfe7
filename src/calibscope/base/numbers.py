"""How numbers are written, wherever they are shown: digits, units, counts, and what is missing.

Numbers inside the package are decimals; a `Unit` says what they are shown in. A percent sign
follows a space, as units do; what is missing is a dash; what rounds to zero has no sign.

>>> percent(0.00681), PERCENT.text(0.00681), BASIS_POINTS.text(float("nan"))
('0.68 %', '0.681 %', '-')
"""

import math
from dataclasses import dataclass

MISSING = "-"
MOST_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Unit:
    """What a decimal is shown in."""

    symbol: str
    factor: float = 1.0

    def number(self, value: float | None, form: str = ".3g") -> str:
        """A decimal in this unit, whose symbol is elsewhere: in the head of a column.

        >>> PERCENT.number(-0.01234, "+.2f"), PURE.number(2157, ",d")
        ('-1.23', '2,157')
        """
        if value is None:
            return MISSING
        return number(value if self.factor == 1 else self.factor * value, form)

    def text(self, value: float | None, form: str = ".3g") -> str:
        """A decimal in this unit, with its symbol.

        >>> BASIS_POINTS.text(0.00123)
        '12.3 bp'
        """
        text = self.number(value, form)
        return text if text == MISSING else f"{text} {self.symbol}".rstrip()


PERCENT = Unit("%", 100.0)
BASIS_POINTS = Unit("bp", 1e4)
PURE = Unit("")


def number(value: float | None, form: str = ".3g") -> str:
    """A number in Python's format; a dash if it is none; what rounds to zero has no sign.

    >>> number(1234.5, ",.1f"), number(-0.04, "+.1f"), number(None), number(math.inf)
    ('1,234.5', '0.0', '-', 'inf')
    """
    if value is None or math.isnan(value):
        return MISSING
    text = format(value, form)
    return text if text.strip("+-0.,%") else text.lstrip("+-")


class Shown(float):
    """A number that templates write as tables do; a share below one is never 100 %.

    >>> f"{Shown(0.0312):.1%}, {Shown(-0.2):+.0%}, {Shown(12.34):.3g}, {Shown(0.99999):.1%}"
    '3.1 %, -20 %, 12.3, 99.9 %'
    """

    def __format__(self, form: str) -> str:
        if form.endswith("%"):
            step = 10.0 ** -(2 + int(form[:-1].partition(".")[2] or 6))
            is_rounded_up = 1.0 - 0.5 * step <= self < 1.0  # to all, which it is not
            return PERCENT.text(1.0 - step if is_rounded_up else float(self), f"{form[:-1]}f")
        return number(float(self), form or ".3g")


def percent(share: float | None, digits: int = 2, sign: str = "") -> str:
    """A share in percent, to so many digits after the point.

    >>> percent(0.5, 0), percent(0.0123, 1, "+")
    ('50 %', '+1.2 %')
    """
    return PERCENT.text(share, f"{sign}.{digits}f")


def share(value: float) -> str:
    """An error as a share of what it is an error of: in percent, or how many times.

    >>> share(0.086), share(1.2)
    ('8.6 %', '1.2 times')
    """
    if value >= 1:
        return f"{value:{'.1f' if value < 10 else '.2g'}} times"
    return PERCENT.text(value, ".2g")


def interval(low: float, high: float) -> str:
    """Both ends with as many digits as tell them apart; a dash if there is none.

    >>> interval(0.1234, 0.5), interval(6.7761, 6.7832)
    ('0.123 to 0.5', '6.776 to 6.783')
    """
    if math.isnan(low):
        return MISSING
    pairs = ((number(low, f".{k}g"), number(high, f".{k}g")) for k in range(3, MOST_DIGITS))
    return " to ".join(next((pair for pair in pairs if pair[0] != pair[1]), (number(low),) * 2))


def estimate(value: float, digits: int = 5) -> str:
    """A parameter: more digits where a correlation near its bound would look as if at it.

    >>> estimate(0.534377), estimate(-0.9999997), estimate(-1.0)
    ('0.53438', '-0.9999997', '-1')
    """
    while abs(float(f"{value:.{digits}g}")) == 1 != abs(value) and digits < MOST_DIGITS:
        digits += 1
    return number(value, f".{digits}g")


def counted(count: int, word: str, words: str = "") -> str:
    """A count with its word, in the singular where there is one.

    >>> counted(1, "day"), counted(2157, "day"), counted(2, "day lacks", "days lack")
    ('1 day', '2,157 days', '2 days lack')
    """
    return f"{count:,} {word if count == 1 else words or word + 's'}"
