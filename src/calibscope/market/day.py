"""One day's market: a discount curve and the caps (or floors) quoted on it.

`MarketDay.from_arrays` is the entry point for users: it fills in what they leave out (the regular
grid, at-the-money strikes, prices from volatilities) and checks everything. What comes out is
frozen and complete, so nothing downstream has to ask again.
"""

import datetime
import hashlib
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from calibscope.base.arrays import Array, ArrayLike, Indices, frozen
from calibscope.market.calendar import LONGEST_CAP, calendar_times
from calibscope.market.checks import (
    beyond_the_curve,
    bid_ask_pairs,
    bid_ask_problems,
    coverage_problems,
    date_problems,
    duplicate_problems,
    maturity_problems,
    size_problems,
    vol_problems,
)
from calibscope.market.curve import DiscountCurve
from calibscope.market.errors import MarketDataError, raise_problems
from calibscope.market.inputs import choice, column, flag, numbers, positive_number
from calibscope.market.quotes import Caplets, Kind, VolType, largest_payoffs, swap_rates
from calibscope.market.schedule import Schedule

AtTheMoney = Literal["forward", "spot"]
Calendar = Literal["TARGET"]

LARGEST_SHIFT = 0.5


@dataclass(frozen=True, slots=True, eq=False, repr=False)
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
        object.__setattr__(self, "schedule", self.schedule.first(int(counts.max())))

    def __repr__(self) -> str:
        quotes = ", ".join(f"{year:g}Y" for year in self.maturities)
        return f"MarketDay({self.date or 'no date'}: {self.kind}s {quotes})"

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
        """(N + 1,) discount factors at the times of the schedule.

        :math:`P(0, t_i)` of `DiscountCurve.discount` (Brigo and Mercurio, 2006, section 1.2).
        """
        return self.curve.discount(self.schedule.times)

    @property
    def caplets(self) -> Caplets:
        """The caplets of all caps, cap after cap."""
        return Caplets.of_caps(
            self.discounts,
            self.schedule.times,
            self.schedule.accruals,
            self.strikes,
            self.period_counts,
            self.first_period,
        )

    @property
    def normal_vols(self) -> Array:
        """Flat normal vol implied by each price, decimal; NaN below the intrinsic value.

        The vol at which the formula of Bachelier (1900), summed over the caplets, gives the price:
        y(vol) = y; `Caplets.implied_normal_vols` solves it.
        """
        return self.caplets.implied_normal_vols(self.prices / self.notional, self.kind)

    def without(self, maturities: ArrayLike) -> "MarketDay":
        """The same day without the quotes of these maturities (years); others are no error.

        Parameters
        ----------
        maturities : to leave out, years

        Returns
        -------
        MarketDay
            a day with fewer quotes
        """
        kept = ~np.isin(self.maturities, maturities)
        if not kept.any():
            raise MarketDataError(self.label, ["no quote would be left; leave out fewer"])
        return replace(
            self,
            maturities=self.maturities[kept],
            period_counts=self.period_counts[kept],
            strikes=self.strikes[kept],
            prices=self.prices[kept],
            bid_ask=None if self.bid_ask is None else self.bid_ask[kept],
        )

    @property
    def fingerprint(self) -> str:
        """A hash of everything that defines this day, down to the last bit."""
        digest = hashlib.sha256(
            f"{self.date} {self.kind} {self.has_first_caplet} {float(self.notional)!r} "
            f"{self.curve.interpolation} {self.period_counts.tolist()}".encode()
        )
        arrays = (
            self.curve.times, self.curve.log_discounts, self.schedule.times,
            self.schedule.accruals, self.maturities, self.strikes, self.prices,
            np.empty(0) if self.bid_ask is None else self.bid_ask,
        )  # fmt: skip
        for array in arrays:
            digest.update(array.size.to_bytes(8, "little") + array.tobytes())
        return digest.hexdigest()

    @classmethod
    def from_arrays(
        cls,
        *,
        curve: DiscountCurve,
        maturities: ArrayLike,
        prices: ArrayLike | None = None,
        vols: ArrayLike | None = None,
        vol_type: VolType = "normal",
        vol_shift: float = 0.0,
        strikes: ArrayLike | None = None,
        tenor: float = 0.5,
        calendar: Calendar | None = None,
        times: ArrayLike | None = None,
        accruals: ArrayLike | None = None,
        kind: Kind = "cap",
        notional: float = 1.0,
        bid_ask: ArrayLike | None = None,
        first_caplet: bool = False,
        atm: AtTheMoney | None = None,
        date: str | datetime.date | None = None,
    ) -> "MarketDay":
        """Build and check a day from plain arrays, one entry per quoted maturity.

        Parameters
        ----------
        curve : the discount curve, up to the longest maturity at least
        maturities : (m,) years, multiples of `tenor`; the same one again needs another strike
        prices : (m,) premium for `notional`; or give `vols`
        vols : (m,) flat volatility per cap, decimal: a normal vol of 0.0085 is 85 bp, a
            lognormal vol of 0.35 is 35 %
        vol_type : "normal" (Bachelier), "lognormal" (Black) or "shifted_lognormal"
        vol_shift : what shifted lognormal vols add to rate and strike, decimal
        strikes : (m,) decimal; None means at the money on the curve
        tenor : length of an interest period in years (0.5 or 0.25)
        calendar : "TARGET" puts the caps on business days (modified following, accruals Act/360),
            counted from `date`; None is the idealised grid 0, tenor, 2 tenor, ...
        times, accruals : dates in years and accruals of all periods up to the longest maturity,
            for any other grid
        kind : "cap" or "floor"
        notional : to which the prices refer
        bid_ask : (m, 2) bid and ask price, optional
        first_caplet : include the caplet that is fixed today, at its intrinsic value
        atm : at-the-money strike, if `strikes` is None: "forward" is the swap rate from the
            first reset t_1 on, the convention of quoted caps; "spot" is today's swap rate; None
            means the one that goes with `first_caplet`: spot if included, else forward
        date : "2022-07-21" or a date, optional

        Returns
        -------
        MarketDay
            a checked day

        Examples
        --------
        >>> curve = DiscountCurve.from_zero_rates([1, 10], [0.02, 0.025])
        >>> day = MarketDay.from_arrays(curve=curve, maturities=[3, 5, 10],
        ...                             vols=[0.0085, 0.0086, 0.0083], date="2022-07-21")
        >>> day
        MarketDay(2022-07-21: caps 3Y, 5Y, 10Y)
        >>> day.strikes.round(5)
        array([0.02457, 0.02506, 0.02539])
        >>> day.prices.round(5)
        array([0.00992, 0.02201, 0.05778])
        """
        day, problems = parsed_date(date)
        years, found = numbers(maturities, "maturities")
        if found:
            raise MarketDataError(_label(day), problems + found)
        problems += choice(kind, "kind", Kind)
        if atm is None:
            atm = usual_strike(first_caplet)
        problems += choice(atm, "atm", AtTheMoney)
        problems += choice(vol_type, "vol_type", VolType)
        if vol_type == "shifted_lognormal":
            problems += positive_number(vol_shift, "vol_shift", "0.03 is three percent")
            if not problems and vol_shift > LARGEST_SHIFT:
                problems.append(
                    f"vol_shift is {vol_shift:g}, that is {100 * vol_shift:g} percent; 0.03 is "
                    "three percent"
                )
        elif vol_shift != 0:
            problems.append(f"vol_shift is {vol_shift!r}, but {vol_type} vols have no shift")
        problems += positive_number(notional, "notional", "1 means prices per unit")
        problems += flag(first_caplet, "first_caplet")
        start = 0 if first_caplet else 1
        quotes, found = _quotes(years, prices, vols)
        problems += found
        if strikes is not None:
            strikes, found = column(years, strikes, "strike", may_be_negative=True)
            problems += found
        if bid_ask is not None:
            bid_ask, found = bid_ask_pairs(years, bid_ask)
            problems += found
        if calendar is not None:
            times, accruals, found = _calendar_grid(years, tenor, calendar, day, times, accruals)
            problems += found
        schedule, counts, found = _schedule(curve, years, tenor, start, times, accruals)
        problems += found
        first = 1 if atm == "forward" else 0
        if strikes is None and np.any(counts <= first):
            problems.append("a cap of one period has no forward strike; give strikes or atm='spot'")
        if schedule is None or problems:
            raise MarketDataError(_label(day), problems)

        P, grid, delta = curve.discount(schedule.times), schedule.times, schedule.accruals
        if strikes is None:
            strikes = swap_rates(P, delta, first, counts)
        if prices is None:
            caplets = Caplets.of_caps(P, grid, delta, strikes, counts, start)
            vols, shift = quotes, vol_shift if vol_type == "shifted_lognormal" else 0.0
            quotes = notional * caplets.cap_prices(vols, vol_type, kind, shift)
            problems = vol_problems(years, vols, vol_type, strikes, quotes)
        most = largest_payoffs(P, delta, strikes, counts, start, kind)
        problems = problems or size_problems(years, strikes, quotes / notional, most)
        raise_problems(_label(day), problems)
        return cls(
            curve=curve,
            schedule=schedule,
            maturities=years,
            period_counts=counts,
            strikes=strikes,
            prices=quotes,
            notional=notional,
            kind=kind,
            has_first_caplet=bool(first_caplet),
            bid_ask=bid_ask,
            date=day,
        )

    def _problems(self) -> list[str]:
        years = self.maturities
        problems = [
            *choice(self.kind, "kind", Kind),
            *flag(self.has_first_caplet, "has_first_caplet"),
            *column(years, self.prices, "price")[1],
            *column(years, self.strikes, "strike", may_be_negative=True)[1],
            *coverage_problems(self.curve, self.schedule, years, self.period_counts),
            *positive_number(self.notional, "notional", "1 means prices per unit"),
        ]
        problems += [
            f"maturity is {year}; it must be a positive number of years"
            for year in years[~((years > 0) & (years < np.inf))]
        ]
        if len(self.period_counts) == len(years):
            problems += [
                f"{years[k]:g}Y: the cap covers {self.period_counts[k]} periods; it needs more "
                f"than {self.first_period}"
                for k in np.flatnonzero(self.period_counts <= self.first_period)
            ]
        if problems:
            return problems
        longest = float(self.schedule.accruals.max())
        problems += duplicate_problems(
            self.kind, years, self.period_counts, self.strikes, self.prices
        )
        problems += [
            f"{years[k]:g}Y: strike is {self.strikes[k]:g}; it must be above {-1 / longest:g}, "
            "where one plus strike times accrual is zero (units? 2 percent is 0.02)"
            for k in np.flatnonzero(1 + self.strikes * longest <= 0)
        ]
        if self.bid_ask is not None:
            _, found = bid_ask_pairs(years, self.bid_ask)
            problems += found or bid_ask_problems(years, self.prices, self.bid_ask)
        return problems


def usual_strike(first_caplet: bool) -> AtTheMoney:
    """The at-the-money strike that goes with the first caplet: spot if included, else forward."""
    return "spot" if first_caplet else "forward"


def _label(date: datetime.date | None) -> str:
    return "market day" if date is None else f"market day {date}"


def parsed_date(date: object) -> tuple[datetime.date | None, list[str]]:
    """A date as users write it, and what is wrong with it."""
    if isinstance(date, np.datetime64):
        date = date.astype("datetime64[D]").item()
    if isinstance(date, datetime.datetime):
        return date.date(), []
    if date is None or isinstance(date, datetime.date):
        return date, []
    try:
        return datetime.date.fromisoformat(date), []  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None, [f"date is {date!r}; write it as year-month-day, like 2022-07-21"]


def _quotes(
    years: Array, prices: ArrayLike | None, vols: ArrayLike | None
) -> tuple[Array, list[str]]:
    if prices is not None and vols is not None:
        return np.empty(0), ["both prices and vols are given; choose one"]
    if prices is not None:
        return column(years, prices, "price")
    if vols is not None:
        return column(years, vols, "vol")
    return np.empty(0), ["there are no quotes; give prices or vols, one per maturity"]


def _calendar_grid(
    years: Array,
    tenor: float,
    calendar: object,
    date: datetime.date | None,
    times: ArrayLike | None,
    accruals: ArrayLike | None,
) -> tuple[ArrayLike | None, ArrayLike | None, list[str]]:
    """Times and accruals of caps on business days."""
    problems = choice(calendar, "calendar", Calendar)
    if date is None:
        problems.append("caps on calendar dates need the date of the quotes; give date=...")
    if times is not None or accruals is not None:
        problems.append("calendar and times are both given; choose one")
    months = 12 * tenor if isinstance(tenor, int | float) else 0
    if months not in (1, 3, 6, 12):
        problems.append(f"tenor is {tenor!r}; calendar dates need 1, 3, 6 or 12 months (0.5 is 6M)")
    longest = years[np.isfinite(years)].max(initial=0)
    if longest > LONGEST_CAP:
        problems.append(f"{longest:g}Y: no calendar reaches that far; the maturity is in years")
    if problems or longest <= 0:
        return None, None, problems
    grid, delta = calendar_times(np.datetime64(date, "D"), int(months), round(longest / tenor))
    return grid, delta, []


def _schedule(
    curve: DiscountCurve,
    years: Array,
    tenor: float,
    start: int,
    times: ArrayLike | None,
    accruals: ArrayLike | None,
) -> tuple[Schedule | None, Indices, list[str]]:
    """The periods that the caps share, and how many of them each cap covers."""
    none = np.empty(0, np.int64)
    if not isinstance(curve, DiscountCurve):
        return None, none, [
            f"curve is a {type(curve).__name__}; make one with DiscountCurve.from_zero_rates or "
            "DiscountCurve.from_discount_factors"
        ]  # fmt: skip
    problems = positive_number(tenor, "tenor", "0.5 is six months")
    problems = problems or maturity_problems(years, tenor, start)
    if times is None:  # before the grid is built: a maturity of 1e9 years would fill the memory
        problems += beyond_the_curve(curve, years, years)
    if problems:
        return None, none, problems
    counts = np.rint(years / tenor).astype(np.int64)
    grid = np.arange(counts.max() + 1) * tenor if times is None else times
    try:
        schedule = Schedule.from_times(grid, accruals)
    except MarketDataError as error:
        return None, none, [f"schedule: {problem}" for problem in error.problems]
    problems = coverage_problems(curve, schedule, years, counts)
    problems = problems or date_problems(schedule, years, counts, tenor, start)
    return schedule.first(int(counts.max())), counts, problems
