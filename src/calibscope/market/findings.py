"""What the checks of a market find: where, what, and what to do about it.

A finding is one line for a person. Errors make the data unusable, a dropped day is left out and
the others go on, a warning is for a second look.
"""

import datetime
from dataclasses import dataclass
from enum import Enum


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
        place = [str(self.date)] if self.date else []
        if self.maturity is not None:
            place.append(f"{self.maturity:g}Y")
        return ": ".join(part for part in (self.source, ", ".join(place), self.message) if part)
