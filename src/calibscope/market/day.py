"""One day's market: a discount curve and the caps (or floors) quoted on it.

`MarketDay.from_arrays` is the door for users: it fills in what they leave out (the regular
grid, at-the-money strikes, prices from volatilities) and checks everything. What comes out is
frozen and complete, so nothing downstream has to ask again.
"""

import datetime
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from calibscope.market.arrays import Array, ArrayLike, Indices, frozen
from calibscope.market.curve import SAME_TIME, DiscountCurve
from calibscope.market.errors import MarketDataError, raise_problems
from calibscope.market.quotes import Kind, bachelier_price, swap_rate
from calibscope.market.schedule import Schedule

AtTheMoney = Literal["forward", "spot"]
VolType = Literal["normal"]

# A maturity is a multiple of the tenor up to this fraction of a period (3.0000001 is 3).
SAME_PERIOD = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class MarketDay:
    """Caps (or floors) quoted on one day, with their curve and schedule.

    All caps start together and share `schedule`; cap k covers its first `period_counts[k]`
    periods, without the first one unless `has_first_caplet`.
    """

    curve: DiscountCurve
    schedule: Schedule
    maturities: Array  # (m,) years, as quoted
    period_counts: Indices  # (m,)
    strikes: Array  # (m,) decimal
    prices: Array  # (m,) for `notional`
    notional: float = 1.0
    kind: Kind = "cap"
    has_first_caplet: bool = False
    bid_ask: Array | None = None  # (m, 2) bid and ask price
    date: datetime.date | None = None

    def __post_init__(self) -> None:
        for name in ("maturities", "strikes", "prices"):
            object.__setattr__(self, name, frozen(getattr(self, name)))
        if self.bid_ask is not None:
            object.__setattr__(self, "bid_ask", frozen(self.bid_ask))
        counts = np.array(self.period_counts, dtype=np.int64)
        counts.flags.writeable = False
        object.__setattr__(self, "period_counts", counts)
        raise_problems(self.label, self._problems())

    @property
    def label(self) -> str:
        """How messages name this day."""
        return _label(self.date)

    @property
    def first_period(self) -> int:
        """Index of the first period that pays: 0 with, 1 without the first caplet."""
        return 0 if self.has_first_caplet else 1

    @property
    def discounts(self) -> Array:
        """P(0, t) at the times of the schedule."""
        return self.curve.discount(self.schedule.times)

    @classmethod
    def from_arrays(
        cls,
        *,
        curve: DiscountCurve,
        maturities: ArrayLike,
        prices: ArrayLike | None = None,
        vols: ArrayLike | None = None,
        vol_type: VolType = "normal",
        strikes: ArrayLike | None = None,
        tenor: float = 0.5,
        times: ArrayLike | None = None,
        accruals: ArrayLike | None = None,
        kind: Kind = "cap",
        notional: float = 1.0,
        bid_ask: ArrayLike | None = None,
        first_caplet: bool = False,
        atm: AtTheMoney = "forward",
        date: str | datetime.date | None = None,
    ) -> "MarketDay":
        """Build and check a day from plain arrays, one entry per quoted maturity.

        Parameters
        ----------
        curve : the discount curve, up to the longest maturity at least
        maturities : (m,) years, multiples of `tenor`
        prices : (m,) premium for `notional`; or give `vols`
        vols : (m,) flat volatility per cap, decimal (0.0085 is 85 bp), of type `vol_type`
        strikes : (m,) decimal; None means at the money on the curve
        tenor : length of an interest period in years (0.5 or 0.25)
        times, accruals : dates in years and accruals of all periods up to the longest maturity,
            where they are not the regular grid 0, tenor, 2 tenor, ...
        first_caplet : include the caplet that is fixed today, at its intrinsic value
        atm : at-the-money strike, if `strikes` is None: "forward" is the swap rate from the
            first reset t_1 on, the convention of quoted caps; "spot" is today's swap rate
        bid_ask : (m, 2) bid and ask price, optional
        date : "2022-07-21" or a date, optional

        Examples
        --------
        >>> curve = DiscountCurve.from_zero_rates([1, 10], [0.02, 0.025])
        >>> day = MarketDay.from_arrays(curve=curve, maturities=[3, 5, 10],
        ...                             vols=[0.0085, 0.0086, 0.0083], date="2022-07-21")
        >>> day.strikes.round(5)
        array([0.02457, 0.02506, 0.02539])
        >>> day.prices.round(5)
        array([0.00992, 0.02201, 0.05778])
        """
        day = _parsed_date(date)
        label = _label(day)
        years = np.atleast_1d(np.asarray(maturities, float))
        start = 0 if first_caplet else 1
        quotes = prices if vols is None else vols
        problems = [
            *_choice_problems("kind", kind, Kind),
            *_choice_problems("atm", atm, AtTheMoney),
            *_choice_problems("vol_type", vol_type, VolType),
            *_maturity_problems(years, tenor, start),
            *_column_problems(years, quotes, "price" if vols is None else "vol"),
        ]
        if prices is not None and vols is not None:
            problems.append("both prices and vols are given; choose one")
        if strikes is not None:
            problems += _column_problems(years, strikes, "strike", may_be_negative=True)
        raise_problems(label, problems)

        counts = np.rint(years / tenor).astype(np.int64)
        schedule = (
            Schedule.from_times(np.arange(counts.max() + 1) * tenor, accruals)
            if times is None
            else Schedule.from_times(times, accruals)
        )
        raise_problems(label, _coverage_problems(curve, schedule, years, counts))
        discounts = curve.discount(schedule.times)
        if strikes is None:
            first = 1 if atm == "forward" else 0
            strikes = [
                swap_rate(discounts[first : n + 1], schedule.accruals[first:n]) for n in counts
            ]
        if prices is None:
            prices = [
                notional
                * bachelier_price(
                    discounts[start : n + 1],
                    schedule.accruals[start:n],
                    schedule.times[start:n],
                    strike,
                    vol,
                    kind,
                )
                for n, strike, vol in zip(
                    counts, np.atleast_1d(strikes), np.atleast_1d(np.asarray(vols)), strict=True
                )
            ]
        return cls(
            curve=curve,
            schedule=schedule,
            maturities=years,
            period_counts=counts,
            strikes=np.atleast_1d(strikes),
            prices=np.atleast_1d(prices),
            notional=notional,
            kind=kind,
            has_first_caplet=first_caplet,
            bid_ask=None if bid_ask is None else np.atleast_2d(bid_ask),
            date=day,
        )

    def _problems(self) -> list[str]:
        years, counts = self.maturities, self.period_counts
        problems = [
            *_column_problems(years, self.prices, "price"),
            *_column_problems(years, self.strikes, "strike", may_be_negative=True),
            *_coverage_problems(self.curve, self.schedule, years, counts),
        ]
        if not 0 < self.notional < np.inf:
            problems.append(f"notional is {self.notional}; it must be a positive number")
        if problems:
            return problems
        longest = float(self.schedule.accruals.max())
        problems += [
            f"{years[k]:g}Y: strike is {self.strikes[k]:g}; it must be above {-1 / longest:g}, "
            "where one plus strike times accrual is zero (units? 2 percent is 0.02)"
            for k in np.flatnonzero(1 + self.strikes * longest <= 0)
        ]
        return problems + self._bid_ask_problems()

    def _bid_ask_problems(self) -> list[str]:
        if self.bid_ask is None:
            return []
        if self.bid_ask.shape != (len(self.maturities), 2):
            return [
                f"bid_ask has shape {self.bid_ask.shape}; give bid and ask for each of the "
                f"{len(self.maturities)} maturities"
            ]
        return [
            f"{self.maturities[k]:g}Y: bid {bid:g}, price {self.prices[k]:g}, ask {ask:g}; "
            "they must be in this order and positive"
            for k, (bid, ask) in enumerate(self.bid_ask)
            if not 0 < bid <= self.prices[k] <= ask < np.inf
        ]


def _label(date: datetime.date | None) -> str:
    return "market day" if date is None else f"market day {date}"


def _parsed_date(date: str | datetime.date | None) -> datetime.date | None:
    if not isinstance(date, str):
        return date
    try:
        return datetime.date.fromisoformat(date)
    except ValueError:
        raise MarketDataError(
            "market day", [f"date is {date!r}; write it as year-month-day, like 2022-07-21"]
        ) from None


def _choice_problems(name: str, value: str, choices: object) -> list[str]:
    allowed = get_args(choices)
    return [] if value in allowed else [f"{name} is {value!r}; choose from {', '.join(allowed)}"]


def _maturity_problems(years: Array, tenor: float, start: int) -> list[str]:
    if not 0 < tenor < np.inf:
        return [f"tenor is {tenor}; it must be a positive number of years (0.5 is six months)"]
    problems = [] if len(years) else ["there are no maturities; give at least one"]
    for year in years:
        periods = year / tenor
        if not 0 < year < np.inf:
            problems.append(f"maturity is {year}; it must be a positive number of years")
        elif abs(periods - round(periods)) > SAME_PERIOD:
            problems.append(f"{year:g}Y: the maturity is no multiple of the tenor, {tenor:g} years")
        elif round(periods) <= start:
            problems.append(
                f"{year:g}Y: the cap has no caplet left when the first one is excluded "
                "(first_caplet=True keeps it)"
            )
    return problems


def _column_problems(
    years: Array, column: ArrayLike | None, name: str, may_be_negative: bool = False
) -> list[str]:
    if column is None:
        return [f"there are no {name}s; give one per maturity"]
    values = np.atleast_1d(np.asarray(column, float))
    if values.shape != years.shape:
        return [f"{years.size} maturities but {values.size} {name}s; give one per maturity"]
    lowest = -np.inf if may_be_negative else 0.0
    return [
        f"{year:g}Y: {name} is {value:g}; it must be a "
        f"{'number' if may_be_negative else 'positive number'}"
        for year, value in zip(years, values, strict=True)
        if not lowest < value < np.inf
    ]


def _coverage_problems(
    curve: DiscountCurve, schedule: Schedule, years: Array, counts: Indices
) -> list[str]:
    if counts.shape != years.shape or not len(counts):
        return [f"{years.size} maturities but {counts.size} period counts"]
    last = int(counts.max())
    if last > schedule.periods:
        return [
            f"{years[counts.argmax()]:g}Y: the cap needs {last} periods, the schedule has "
            f"{schedule.periods}; give times up to the longest maturity"
        ]
    if schedule.times[-1] > curve.last_time + SAME_TIME:
        return [
            f"{years[counts.argmax()]:g}Y: the last payment is at {schedule.times[-1]:g} years, "
            f"but the curve ends at {curve.last_time:g}; extend the curve or leave out the cap"
        ]
    return []
