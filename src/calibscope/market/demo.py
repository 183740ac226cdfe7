"""The built-in market to try things on: daily Euro caps and curves, synthetic from end to end.

Nothing here was observed on the day it is dated. The ECB's policy rate is fact, a few levels of
rates and volatilities are met within stated bounds, and the rest is invented (`synthetic/`,
docs/demo-market.md). No model of this package made it: caplet volatilities follow a hump that no
Gaussian model has, with noise, rounding, outliers, stale days and gaps on top. It passes through
the same checks as a user's files.
"""

import datetime
from functools import cache
from typing import NamedTuple

import numpy as np

from calibscope.market.curve import DiscountCurve
from calibscope.market.day import MarketDay
from calibscope.market.market import Market
from calibscope.market.panel import Panel

MATURITIES = (3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30)


class PlantedOutlier(NamedTuple):
    """A quote that was made wrong on purpose."""

    date: datetime.date
    maturity: float  # years
    relative_size: float  # of the price: 0.05 is 5 % too high


@cache
def demo_market() -> Market:
    """The synthetic Euro market: 2,157 complete days from 2016-09-01 to 2025-06-02.

    13 at-the-money caps a day (3 to 30 years, 6-month tenor, first caplet excluded) on 55-point
    OIS curves. The same on every machine.
    """
    from calibscope.market.assembly import assemble

    return assemble(demo_panels(), name="demo", is_synthetic=True)


def demo_panels() -> list[Panel]:
    """The published tables of the synthetic market before any filter: all TARGET days, with gaps.

    Prices per unit notional and strikes (8 decimals), discount factors (10 decimals).
    """
    from calibscope.market.synthetic.curves import NODES
    from calibscope.market.synthetic.tables import published_tables

    tables = published_tables()
    years = np.array(MATURITIES, float)
    return [
        Panel("price", tables.dates, years, tables.prices, "demo caps"),
        Panel("strike", tables.dates, years, tables.strikes, "demo caps"),
        Panel("discount_factor", tables.dates, NODES, tables.factors, "demo curve"),
    ]


def planted_outliers() -> list[PlantedOutlier]:
    """The wrong quotes among the complete days: what a diagnostic may find."""
    from calibscope.market.synthetic.tables import published_tables

    tables = published_tables()
    return [
        PlantedOutlier(tables.dates[day].item(), float(MATURITIES[cap]), size)
        for day, cap, size in tables.outliers
    ]


def planted_stale_days() -> list[datetime.date]:
    """The days on which all caps, prices and strikes, are those of the day before."""
    from calibscope.market.synthetic.tables import published_tables

    tables = published_tables()
    return [tables.dates[day].item() for day in tables.stale]


def planted_gaps() -> dict[datetime.date, str]:
    """The incomplete days, and what they lack."""
    from calibscope.market.synthetic.tables import published_tables

    tables = published_tables()
    return {tables.dates[day].item(): gap.value for day, gap in tables.gaps.items()}


def demo_day() -> MarketDay:
    """One synthetic day: 13 at-the-money caps from 3 to 30 years, 6-month tenor.

    Smooth formulas, shaped like a Euro day with inverted curve: short rates near 3.7 %, long rates
    near 2.6 %, normal volatilities of 75 to 87 bp with a slight hump.
    """
    nodes = np.concatenate(([1 / 12, 0.25], np.arange(0.5, 30.5, 0.5)))
    zero_rates = 0.0255 + 0.0125 * np.exp(-nodes / 2.2) + 0.002 * np.exp(-(((nodes - 14) / 7) ** 2))
    years = np.array(MATURITIES, float)
    normal_vols = 0.0070 + 0.0030 * np.exp(-years / 18) - 0.0022 * np.exp(-years / 2.5)
    return MarketDay.from_arrays(
        curve=DiscountCurve.from_zero_rates(nodes, zero_rates),
        maturities=years,
        vols=normal_vols,
        date="2024-06-03",
    )
