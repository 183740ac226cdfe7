"""What the checks of a market find: where, what, and what to do about it.

A finding is one line for a person. Errors make the data unusable, a dropped day is left out and
the others go on, a warning is for a second look.
"""

import datetime
from dataclasses import dataclass
from enum import Enum

import numpy as np

from calibscope.market.maturity import label


class Severity(Enum):
    """How bad it is; the value is how a report names it."""

    ERROR = "error"
    DROPPED = "day dropped"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of a report: file, date, maturity, what is wrong and the remedy."""

    severity: Severity
    source: str  # the file, and the sheet where there are several
    message: str
    date: datetime.date | None = None
    maturity: float | None = None  # years
    check: str = ""  # which check found it, such as "stale day": findings are counted by it

    def __str__(self) -> str:
        return ": ".join(part for part in (self.source, self.place, self.message) if part)

    @property
    def place(self) -> str:
        """Date and maturity, as far as there are any."""
        year = "" if self.maturity is None else label(self.maturity)
        return ", ".join(part for part in (str(self.date or ""), year) if part)


def dropped(
    source: str, message: str, date: np.datetime64, maturity: float | None, check: str
) -> Finding:
    """A finding that drops its day."""
    return _dated(Severity.DROPPED, source, message, date, maturity, check)


def warning(
    source: str, message: str, date: np.datetime64, maturity: float | None, check: str
) -> Finding:
    """A finding that asks for a second look."""
    return _dated(Severity.WARNING, source, message, date, maturity, check)


def _dated(
    severity: Severity,
    source: str,
    message: str,
    date: np.datetime64,
    maturity: float | None,
    check: str,
) -> Finding:
    year = None if maturity is None else float(maturity)
    day: datetime.date = date.astype("datetime64[D]").astype(object)
    return Finding(severity, source, message, day, year, check)
