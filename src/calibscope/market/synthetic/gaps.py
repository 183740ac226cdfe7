"""Incomplete days, as data vendors deliver them: planted so that 2,157 complete days remain."""

from enum import Enum

import numpy as np

from calibscope.base.arrays import Array, BoolArray
from calibscope.market.synthetic.anchors import anchor_dates
from calibscope.market.synthetic.chance import sampled, uniforms
from calibscope.market.synthetic.curves import NODES
from calibscope.market.synthetic.timeline import market_dates, places
from calibscope.market.synthetic.vols import MATURITIES

COMPLETE_DAYS = 2157


class Gap(Enum):
    """What a day lacks."""

    PRICE = "one cap price is missing"
    LONG_PRICES = "the prices of the longest caps are missing"
    ALL_PRICES = "no cap is quoted"
    STRIKE = "one strike is missing"
    CURVE = "there is no curve"
    LONG_CURVE = "the curve ends before the longest cap"


# How many of ten incomplete days are of which kind, roughly.
SHARES = {
    Gap.PRICE: 4.0, Gap.LONG_PRICES: 1.5, Gap.ALL_PRICES: 1.5,
    Gap.STRIKE: 1.0, Gap.CURVE: 1.0, Gap.LONG_CURVE: 1.0,
}  # fmt: skip


def planted_gaps() -> dict[int, Gap]:
    """Which days are incomplete, and why."""
    dates = market_dates()
    weights = np.ones(len(dates))
    weights[[0, -1]] = 0.0  # the first and the last day are there,
    weights[places(anchor_dates())] = 0.0  # and those that can be held against facts
    days = sampled("incomplete days", weights, len(dates) - COMPLETE_DAYS)
    shares = np.cumsum(list(SHARES.values()))
    kinds = np.searchsorted(shares / shares[-1], uniforms("kinds of gaps", len(days)))
    return dict(zip(days, [list(Gap)[kind] for kind in kinds], strict=True))


def complete_days(gaps: dict[int, Gap]) -> BoolArray:
    """(n,) which days lack nothing."""
    marks = np.ones(len(market_dates()), bool)
    marks[list(gaps)] = False
    return marks


def with_gaps(
    prices: Array, strikes: Array, factors: Array, gaps: dict[int, Gap]
) -> tuple[Array, Array, Array]:
    """Copies of the tables with NaN where something is missing."""
    prices, strikes, factors = prices.copy(), strikes.copy(), factors.copy()
    draws = uniforms("places of gaps", len(gaps))
    for (day, gap), place in zip(gaps.items(), draws, strict=True):
        cap = int(place * len(MATURITIES))
        if gap is Gap.PRICE:
            prices[day, cap] = np.nan
        elif gap is Gap.LONG_PRICES:
            prices[day, -(1 + cap // 3) :] = np.nan
        elif gap is Gap.ALL_PRICES:
            prices[day] = strikes[day] = np.nan
        elif gap is Gap.STRIKE:
            strikes[day, cap] = np.nan
        elif gap is Gap.CURVE:
            factors[day] = np.nan
        else:
            factors[day, (20.0 if place < 0.5 else 25.0) < NODES] = np.nan
    return prices, strikes, factors
