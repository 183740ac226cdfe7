"""Days of the synthetic market: its dates, calm and turbulent spells, and ways between points."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from calibscope.base.arrays import Array, BoolArray, Indices
from calibscope.market.calendar import business_days
from calibscope.market.panel import Dates
from calibscope.market.synthetic import waypoints
from calibscope.market.synthetic.chance import cached_by_seed, mean_reverting, uniforms

FIRST_DAY, LAST_DAY = "2016-09-01", "2025-06-02"


@cache
def market_dates() -> Dates:
    """All TARGET business days of the market."""
    return business_days(FIRST_DAY, LAST_DAY)


def places(days: Sequence[str]) -> Indices:
    """Where these days, or the next business days, are among the dates."""
    return np.searchsorted(market_dates(), np.array(days, "datetime64[D]"))


def straight_path(points: Sequence[tuple[str, float]]) -> Array:
    """(n,) straight lines through the points."""
    place = places([date for date, _ in points])
    return np.interp(np.arange(len(market_dates())), place, [value for _, value in points])


def smooth_path(place: Indices, values: Array) -> Array:
    """(n, k) smooth curves through (place, values) that never overshoot."""
    from scipy.interpolate import PchipInterpolator

    return np.asarray(PchipInterpolator(place, values, axis=0)(np.arange(len(market_dates()))))


def pinned(path: Array, place: Indices) -> Array:
    """The path, lowered along straight lines so that it is zero at these places (a bridge)."""
    return path - np.interp(np.arange(len(path)), place, path[place])


@cached_by_seed
def turbulent() -> BoolArray:
    """(n,) which days are turbulent: a chain of two states, and the spells that are certain."""
    dates = market_dates()
    starts = places([date for date, _, _ in waypoints.REGIME_CHANCES])
    era = np.searchsorted(starts, np.arange(len(dates)), side="right") - 1
    chances = np.array([pair for _, *pair in waypoints.REGIME_CHANCES])[era]
    forced = np.zeros(len(dates), bool)
    for first, last in waypoints.TURBULENT_SPELLS:
        forced |= (dates >= np.datetime64(first)) & (dates <= np.datetime64(last))
    state, marks = False, np.zeros(len(dates), bool)
    for day, draw in enumerate(uniforms("regime", len(dates))):
        entering, leaving = chances[day]
        state = bool(forced[day] or (draw >= leaving if state else draw < entering))
        marks[day] = state
    return marks


def by_regime(calm: float, wild: float) -> Array:
    """(n,) one number on calm days, the other on turbulent ones, eased over about a week."""
    return calm + (wild - calm) * mean_reverting(0.3 * turbulent().astype(float), 0.3)
