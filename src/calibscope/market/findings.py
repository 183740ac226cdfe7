"""What the checks of a market find: where, what, and what to do about it.

A finding is one line for a person. Errors make the data unusable, a dropped day is left out and
the others go on, a warning is to be reviewed.
"""

import datetime
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from calibscope.market.maturity import label

FEWEST_QUOTES = 6  # leave five parameters a degree of freedom
INCOMPLETE = "incomplete"  # the check that finds days without some of their quotes


class Severity(Enum):
    """How bad it is; the value is how a report names it."""

    ERROR = "error"
    DROPPED = "day dropped"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of a report: file, date, quote, what is wrong and the remedy."""

    severity: Severity
    source: str  # the file, and the sheet where there are several
    message: str
    date: datetime.date | None = None
    maturity: float | None = None  # years
    check: str = ""  # which check found it, such as "stale day": findings are counted by it
    lacking: tuple[float, ...] = ()  # maturities in years whose quote or strike the day lacks
    quote: str = ""  # its label, such as "10Y floor @2%", if it is about one

    def __str__(self) -> str:
        return ": ".join(part for part in (self.source, self.place, self.message) if part)

    @property
    def place(self) -> str:
        """Date and quote, or maturity, as far as there are any."""
        year = "" if self.maturity is None else label(self.maturity)
        return ", ".join(part for part in (str(self.date or ""), self.quote or year) if part)


def dropped(
    source: str,
    message: str,
    date: np.datetime64,
    maturity: float | None,
    check: str,
    lacking: Iterable[float] = (),
    quote: str = "",
) -> Finding:
    """A finding that drops its day."""
    found = _dated(Severity.DROPPED, source, message, date, maturity, check, quote)
    return replace(found, lacking=tuple(map(float, lacking)))


def warning(
    source: str,
    message: str,
    date: np.datetime64,
    maturity: float | None,
    check: str,
    quote: str = "",
) -> Finding:
    """A finding to be reviewed."""
    return _dated(Severity.WARNING, source, message, date, maturity, check, quote)


def _dated(
    severity: Severity,
    source: str,
    message: str,
    date: np.datetime64,
    maturity: float | None,
    check: str,
    quote: str,
) -> Finding:
    year = None if maturity is None else float(maturity)
    day: datetime.date = date.astype("datetime64[D]").astype(object)
    return Finding(severity, source, message, day, year, check, quote=quote)


@dataclass(frozen=True, slots=True)
class PartlyQuoted:
    """Days that were dropped only because they lack some of their quotes or strikes.

    Days without any quote, and those that have another problem too, are left out: fewer maturities
    would not bring them back.
    """

    days: int
    common: tuple[float, ...]  # maturities that all of them quote, years

    @classmethod
    def among(cls, drops: Iterable[Finding], maturities: Iterable[float]) -> "PartlyQuoted":
        """Those among the dropped days of a market with these maturities."""
        years = tuple(dict.fromkeys(map(float, maturities)))  # of several strikes: once
        lacking: dict[datetime.date | None, set[float]] = {}
        hopeless = set()
        for finding in drops:
            lacking.setdefault(finding.date, set()).update(finding.lacking)
            if not finding.lacking or lacking[finding.date] >= set(years):
                hopeless.add(finding.date)
        partly = [lacked for date, lacked in lacking.items() if date not in hopeless]
        lacked = set[float]().union(*partly)
        return cls(len(partly), tuple(year for year in years if year not in lacked))

    @property
    def remedy(self) -> str:
        """The setting that brings these days back; empty if too few maturities would be left."""
        if not self.days or len(self.common) < FEWEST_QUOTES:
            return ""
        return f"checks.maturities = [{', '.join(f'{year:g}' for year in self.common)}]"
