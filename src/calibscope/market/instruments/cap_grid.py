"""Caps and floors of one day or of many: their dates, at-the-money strikes and prices.

Files have a leading axis of days, arrays and quotes of a single day have none; both come here.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from calibscope.base.arrays import Array, BoolArray, Indices
from calibscope.market.calendar import calendar_times
from calibscope.market.checks import SAME_STRIKE
from calibscope.market.quotes import Caplets, Kind, Kinds, VolType, swap_rates
from calibscope.market.schedule import Schedule

AtTheMoney = Literal["forward", "spot"]
Calendar = Literal["TARGET"]
Meaning = tuple[VolType, float] | None  # of a quoted number: vol type and shift; None: a price

# Strikes at the money on another curve are that far off: Euribor's are 31 bp above those of OIS.
NEAR_THE_MONEY = 0.004
MARKET_HAS_MOVED = 5e-4  # a strike at the money would have moved along, rounded as it may be
UNUSED_VOL = 1e-4  # stands in for quotes of another meaning


def usual_strike(first_caplet: bool) -> AtTheMoney:
    """The at-the-money strike that goes with the first caplet: spot if included, else forward."""
    return "spot" if first_caplet else "forward"


@dataclass(frozen=True, slots=True, eq=False)
class CapGrid:
    """The dates of all caps; on the idealised grid all days share them."""

    counts: Indices  # (m,) how many periods each cap covers
    times: Array  # (N + 1,) or (n, N + 1) years
    accruals: Array  # (N,) or (n, N)
    first: int  # the first period that pays

    @classmethod
    def of(
        cls,
        maturities: Array,
        tenor: float,
        first: int,
        calendar: Calendar | None,
        dates: npt.ArrayLike,
    ) -> "CapGrid":
        """Every tenor from today on, or the business days of a calendar, counted from `dates`."""
        counts = np.rint(maturities / tenor).astype(np.int64)
        periods = int(counts.max())
        if calendar is not None:
            times, accruals = calendar_times(dates, round(12 * tenor), periods)
        else:
            times = tenor * np.arange(periods + 1, dtype=np.float64)
            accruals = np.diff(times)
        return cls(counts, times, accruals, first)

    def at_the_money(self, discounts: Array, which: AtTheMoney) -> Array:
        """(..., m) strikes on the curve whose discount factors at the dates are (..., N + 1)."""
        start = 1 if which == "forward" else 0
        return swap_rates(discounts, self.accruals, start, self.counts)

    def caplets(self, discounts: Array, strikes: Array) -> Caplets:
        """The caplets of all caps at (..., m) strikes."""
        return Caplets.of_caps(
            discounts, self.times, self.accruals, strikes, self.counts, self.first
        )

    def ends(self, quoted: BoolArray) -> Array:
        """The last payment of each day's longest cap, (n,) years; `quoted` is (n, m)."""
        last = np.where(quoted, self.counts, 0).max(axis=1)
        rows = 0 if self.times.ndim == 1 else np.arange(len(last))
        return np.asarray(np.atleast_2d(self.times)[rows, last])

    def schedule(self, day: int) -> Schedule:
        """The schedule of one day."""
        if self.times.ndim == 1:
            return Schedule(self.times, self.accruals)
        return Schedule(self.times[day], self.accruals[day])

    def only(self, kept: BoolArray) -> "CapGrid":
        """The same for some of the days."""
        if self.times.ndim == 1:
            return self
        return replace(self, times=self.times[kept], accruals=self.accruals[kept])


def is_repeated(counts: Indices, kinds: Sequence[Kind]) -> BoolArray:
    """(m,) which caps and floors share their maturity and kind with another."""
    quoted = Counter(zip(counts.tolist(), kinds, strict=True))
    return np.array([quoted[one] > 1 for one in zip(counts.tolist(), kinds, strict=True)])


def is_struck(
    strikes: Array, usual: Array, other: Array, counts: Indices, kinds: Sequence[Kind]
) -> BoolArray:
    """(m,) whose label names the strike, on every day alike; at the money none does.

    Strikes that change from day to day are those of the market, and never named. Of a maturity and
    kind with several strikes the others are, but for those exactly at the money. One that is
    quoted once names its strike if it is away from both conventions, or the market has moved and
    the strike has not.

    Parameters
    ----------
    strikes : (m,) of a day, or (n, m) of many; NaN where nothing is quoted
    usual, other : the strikes at the money, by the convention of the quotes and by the other one
    counts, kinds : (m,) periods, and cap or floor

    Returns
    -------
    BoolArray
        (m,)
    """
    K, at_the_money, beside = (np.atleast_2d(values) for values in (strikes, usual, other))
    is_quoted = ~np.isnan(K)
    gaps = np.abs(K - at_the_money)
    is_off = (is_quoted & ~(gaps <= SAME_STRIKE)).any(axis=0)
    repeated = is_repeated(counts, kinds)
    named = np.zeros(K.shape[1], np.bool_)
    for k in np.flatnonzero(is_off).tolist():
        days = is_quoted[:, k]
        own = K[days, k]
        distance = np.fmin(gaps[days, k], np.abs(own - beside[days, k]))
        is_away = float(np.median(distance)) > NEAR_THE_MONEY
        has_moved = float(np.ptp(at_the_money[days, k])) > MARKET_HAS_MOVED
        named[k] = np.ptp(own) <= SAME_STRIKE and (repeated[k] or is_away or has_moved)
    return named


def prices_of(caplets: Caplets, quoted: Array, meanings: Sequence[Meaning], kinds: Kinds) -> Array:
    """(..., m) prices of vols, unit notional; what is quoted as a price stays as it is."""
    prices = np.array(quoted)
    for meaning in dict.fromkeys(meanings):
        if meaning is not None:
            mine = np.array([one == meaning for one in meanings])
            vols = np.where(mine, quoted, UNUSED_VOL)
            found = caplets.cap_prices(vols, meaning[0], kinds, meaning[1])
            prices[..., mine] = found[..., mine]
    return prices
