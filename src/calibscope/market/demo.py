"""The built-in market to try things on: daily Euro caps and curves, synthetic from end to end.

Nothing here was observed on the day it is dated. The ECB's policy rate is fact, a few levels of
rates and volatilities are met within stated bounds, and the rest is invented (`synthetic/`,
docs/demo-market.md). No short-rate model made it: caplet volatilities follow a humped formula, with
noise, rounding, outliers, stale days and gaps on top. It passes through the same checks as a user's
files.
"""

import datetime
from functools import cache
from typing import Literal, NamedTuple

from calibscope.base.presets import section_of
from calibscope.market.day import MarketDay
from calibscope.market.market import Market
from calibscope.market.panel import Panel
from calibscope.market.synthetic.chance import SEED, seeded
from calibscope.market.synthetic.curves import NODES
from calibscope.market.synthetic.tables import Tables, published_tables
from calibscope.market.synthetic.vols import MATURITIES


class PlantedOutlier(NamedTuple):
    """A quote that was made wrong on purpose."""

    date: datetime.date
    maturity: float  # years
    relative_size: float  # of the price: 0.05 is 5 % too high


@cache
def demo_market(
    incomplete: Literal["drop", "keep"] = "drop", seed: int = SEED, preset: str | None = None
) -> Market:
    """The synthetic Euro market: 2,157 complete days from 2016-09-01 to 2025-06-02.

    13 at-the-money caps a day (3 to 30 years, 6-month tenor, first caplet excluded) on 55-point
    OIS curves. The same on every machine.

    Parameters
    ----------
    incomplete : days that lack some quotes: "drop" them as the paper does, or "keep" them too
    seed : of chance; another one gives another history that is tied to the same facts
    preset : "paper" interpolates the curves as the paper does

    Returns
    -------
    Market
        synthetic days, checked like those of a file
    """
    from calibscope.market.assembly import assemble
    from calibscope.market.settings import CheckSettings, Conventions, MarketSettings

    settings = MarketSettings(
        conventions=Conventions(**section_of(preset, "conventions")),
        checks=CheckSettings(**section_of(preset, "checks", incomplete=incomplete)),
    )
    name = "built-in Euro market" if seed == SEED else f"built-in Euro market, seed {seed}"
    return assemble(demo_panels(seed), settings, name=name, is_synthetic=True)


def demo_panels(seed: int = SEED) -> list[Panel]:
    """The published tables of the synthetic market before any filter: all TARGET days, with gaps.

    Prices per unit notional and strikes (8 decimals), discount factors (10 decimals).
    """
    tables = _tables(seed)
    return [
        Panel("price", tables.dates, MATURITIES, tables.prices, "demo caps"),
        Panel("strike", tables.dates, MATURITIES, tables.strikes, "demo caps"),
        Panel("discount_factor", tables.dates, NODES, tables.factors, "demo curve"),
    ]


def planted_outliers(seed: int = SEED) -> list[PlantedOutlier]:
    """The wrong quotes among the complete days: what a diagnostic may find."""
    tables = _tables(seed)
    return [
        PlantedOutlier(tables.dates[day].item(), float(MATURITIES[cap]), size)
        for day, cap, size in tables.outliers
    ]


def planted_stale_days(seed: int = SEED) -> list[datetime.date]:
    """The days on which all caps, prices and strikes, are those of the day before."""
    tables = _tables(seed)
    return [tables.dates[day].item() for day in tables.stale]


def planted_gaps(seed: int = SEED) -> dict[datetime.date, str]:
    """The incomplete days, and what they lack."""
    tables = _tables(seed)
    return {tables.dates[day].item(): gap.value for day, gap in tables.gaps.items()}


def _tables(seed: int) -> Tables:
    with seeded(seed):
        return published_tables()


def demo_day() -> MarketDay:
    """One day of the market: short rates near 3.9 %, normal volatilities of 78 to 87 bp."""
    return demo_market().day("2024-06-03")
