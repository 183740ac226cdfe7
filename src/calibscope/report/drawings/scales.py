"""Axes: from a value to a place in the picture, with ticks that a reader would choose."""

import datetime
import math
from dataclasses import dataclass

from calibscope.base.numbers import number

STEPS = (1.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Axis:
    """From `low` at `start` to `high` at `end`, by values or by their logarithms."""

    low: float
    high: float
    start: float
    end: float
    is_log: bool = False
    most: int = 6  # ticks, about

    def __call__(self, value: float) -> float:
        """The place of a value; what is outside is at the edge."""
        low, high, value = (
            (math.log(one) for one in (self.low, self.high, max(value, self.low)))
            if self.is_log
            else (self.low, self.high, value)
        )
        share = (value - low) / (high - low) if high > low else 0.5
        return self.start + min(max(share, 0.0), 1.0) * (self.end - self.start)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Round values with their words."""
        return [(value, number(value, "g")) for value in self._values()]

    def _values(self) -> list[float]:
        if self.is_log:
            return _decades(self.low, self.high, self.most)
        step = _step((self.high - self.low) / max(self.most - 1, 1))
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [round(k * step, 12) for k in range(first, last + 1)]


def _step(rough: float) -> float:
    """The next of 1, 2, 5, 10, ... times a power of ten."""
    power = 10.0 ** math.floor(math.log10(rough)) if rough > 0 else 1.0
    return next(power * step for step in STEPS if power * step >= rough * (1 - 1e-9))


def _decades(low: float, high: float, most: int) -> list[float]:
    """Powers of ten, every second or third if there are many, and 2 and 5 if there are few."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    inside = [k for k in range(first, last + 1) if low <= 10.0**k * (1 + 1e-9) <= high * (1 + 2e-9)]
    if len(inside) > 2:
        step = -(-len(inside) // most)
        return [10.0**k for k in inside[::step]]
    fine = [m * 10.0**k for k in range(first, last + 1) for m in (1, 2, 5)]
    return [value for value in fine if low * (1 - 1e-9) <= value <= high * (1 + 1e-9)]


def years(first: datetime.date, last: datetime.date, most: int = 12) -> list[datetime.date]:
    """The first days of years in between; none for a shorter time."""
    found = [datetime.date(year, 1, 1) for year in range(first.year + 1, last.year + 1)]
    return found[:: max(1, -(-len(found) // most))]


def months(first: datetime.date, last: datetime.date, most: int = 8) -> list[datetime.date]:
    """The first days of months in between."""
    found = []
    year, month = first.year, first.month
    while (year, month) < (last.year, last.month):
        year, month = (year, month + 1) if month < 12 else (year + 1, 1)
        found.append(datetime.date(year, month, 1))
    return found[:: max(1, -(-len(found) // most))]
