"""Many days of one market, checked."""

import datetime
import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from calibscope.base.arrays import Array
from calibscope.base.numbers import counted
from calibscope.market.day import MarketDay
from calibscope.market.errors import MarketDataError, raise_problems
from calibscope.market.findings import INCOMPLETE, Finding
from calibscope.market.inputs import parsed_date
from calibscope.market.quotes import Caplets
from calibscope.market.strikes import StrikeGaps

if TYPE_CHECKING:
    from calibscope.market.settings import MarketSettings


@dataclass(frozen=True, eq=False, repr=False)
class Market:
    """A history of market days, oldest first, and what was left out and why."""

    days: tuple[MarketDay, ...]
    dropped: tuple[Finding, ...] = ()  # one per reason and day
    warnings: tuple[Finding, ...] = ()
    name: str = "market"
    is_synthetic: bool = False
    strike_gaps: StrikeGaps | None = None  # where strikes were given
    quoted_in: str = ""  # what the quotes were given as, such as "normal_vol in bp"
    curves_in: str = ""  # the same for the curves
    overlap: str = ""  # how quotes and curves overlap in time, unless they are of the same days
    unused_columns: tuple[str, ...] = ()  # of the files, that do not count
    settings: "MarketSettings | None" = None  # how the files were read; None: days made in Python

    def __post_init__(self) -> None:
        object.__setattr__(self, "days", tuple(self.days))
        raise_problems(self.name, self._problems())

    def __repr__(self) -> str:
        label = "synthetic, " if self.is_synthetic else ""
        span = f"{self.dates[0]} to {self.dates[-1]}" if self.days else "no days"
        return f"Market({self.name}: {label}{counted(len(self.days), 'day')}, {span})"

    def __len__(self) -> int:
        return len(self.days)

    def __iter__(self) -> Iterator[MarketDay]:
        return iter(self.days)

    @cached_property
    def dates(self) -> tuple[datetime.date, ...]:
        """The dates of the days, increasing."""
        return tuple(day.date for day in self.days if day.date is not None)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all quotes, curves and conventions: equal markets have equal ones."""
        digest = hashlib.sha256()
        for day in self.days:
            digest.update(day.fingerprint.encode())
        return digest.hexdigest()

    @cached_property
    def incomplete(self) -> tuple[Finding, ...]:
        """What the days lack that are kept without some of their quotes."""
        return tuple(finding for finding in self.warnings if finding.check == INCOMPLETE)

    @cached_property
    def maturities(self) -> Array:
        """All that are quoted on some day, years, increasing."""
        return np.unique(np.concatenate([day.maturities for day in self.days] or [np.empty(0)]))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """All quotes of some day: by maturity, caps before floors, then strike; others last."""
        places: dict[str, tuple[float, ...]] = {}
        for day in self.days:
            if places.keys() >= set(day.labels):
                continue
            struck = np.zeros(day.cap_count) if day.is_struck is None else day.is_struck
            strikes = np.where(struck, day.strikes[: day.cap_count], -np.inf).tolist()
            signs = (-day.payoff_signs).tolist()
            keys = zip(day.cap_maturities.tolist(), signs, strikes, strict=True)
            for label, key in zip(day.labels, keys, strict=False):
                places.setdefault(label, key)
            for label in day.labels[day.cap_count :]:
                places.setdefault(label, (np.inf, len(places)))
        return tuple(sorted(places, key=lambda label: places[label]))

    @cached_property
    def interpolated(self) -> dict[str, int]:
        """The quotes that a file marks as interpolated, by label: on how many days."""
        found = Counter(
            name
            for day in self.days
            if day.is_interpolated is not None
            for name, marked in zip(day.labels, day.is_interpolated, strict=True)
            if marked
        )
        return {name: found[name] for name in self.labels if found[name]}

    @cached_property
    def normal_vols(self) -> Array:
        """Implied flat normal vols (n, m), decimal, by `labels`; NaN where nothing is quoted.

        Those of `MarketDay.normal_vols`: y(vol) = y with the formula of Bachelier (1900).
        """
        vols = np.full((len(self.days), len(self.labels)), np.nan)
        place = {label: k for k, label in enumerate(self.labels)}
        # Days with the same caps in the same order are solved together.
        alike: dict[object, list[int]] = {}
        for i, day in enumerate(self.days):
            caps = (tuple(day.period_counts), day.first_period, day.kind, day.labels)
            alike.setdefault((*caps, i) if day.others else caps, []).append(i)
        for rows in alike.values():
            days = [self.days[i] for i in rows]
            columns = [place[label] for label in days[0].labels]
            vols[np.ix_(rows, columns)] = _normal_vols(days)
        return vols

    def day(self, date: str | datetime.date) -> MarketDay:
        """The day of this date, or an error that says why there is none.

        Parameters
        ----------
        date : "2022-07-21" or a date

        Returns
        -------
        MarketDay
            quotes and curve of that date
        """
        wanted = self._parsed(date)
        if wanted in self._places:
            return self.days[self._places[wanted]]
        reasons = [finding.message for finding in self.dropped if finding.date == wanted]
        if reasons:
            raise MarketDataError(self.name, [f"{wanted} was dropped: {'; '.join(reasons)}"])
        near = [str(day) for day in self.dates if day < wanted][-1:]
        near += [str(day) for day in self.dates if day > wanted][:1]
        hint = f"; near it: {' and '.join(near)}" if near else ""
        raise MarketDataError(self.name, [f"there is no day {wanted}{hint}"])

    def between(self, first: str | datetime.date, last: str | datetime.date) -> "Market":
        """The days from `first` to `last`, both included, with their findings.

        Parameters
        ----------
        first, last : "2022-07-21" or dates

        Returns
        -------
        Market
            a shorter market
        """
        start, end = self._parsed(first), self._parsed(last)
        if start > end:
            raise MarketDataError(
                self.name, [f"{start} is after {end}; give the earlier date first"]
            )

        def inside(date: datetime.date | None) -> bool:
            return date is None or start <= date <= end

        return replace(
            self,
            days=tuple(day for day in self.days if inside(day.date)),
            dropped=tuple(finding for finding in self.dropped if inside(finding.date)),
            warnings=tuple(finding for finding in self.warnings if inside(finding.date)),
            strike_gaps=None,
        )

    def _parsed(self, date: str | datetime.date) -> datetime.date:
        wanted, problems = parsed_date(date)
        if wanted is None:
            problems = problems or ["the date is missing; give one like 2022-07-21"]
            raise MarketDataError(self.name, problems)
        return wanted

    @cached_property
    def _places(self) -> dict[datetime.date, int]:
        return {date: place for place, date in enumerate(self.dates)}

    def _problems(self) -> list[str]:
        problems = [f"day {i + 1} has no date" for i, day in enumerate(self.days) if not day.date]
        problems += [
            f"{after} follows {before}; dates must increase"
            for before, after in zip(self.dates, self.dates[1:], strict=False)
            if after <= before
        ]
        return problems


def _normal_vols(days: Sequence[MarketDay]) -> Array:
    """Of days that quote the same, (n, m)."""
    first = days[0]
    if first.others:
        return np.array([day.normal_vols for day in days])
    caplets = Caplets.of_caps(
        np.array([day.discounts for day in days]),
        np.array([day.schedule.times for day in days]),
        np.array([day.schedule.accruals for day in days]),
        np.array([day.strikes for day in days]),
        first.period_counts,
        first.first_period,
    )
    prices = np.array([day.prices / day.notional for day in days])
    return caplets.implied_normal_vols(prices, first.kind)
