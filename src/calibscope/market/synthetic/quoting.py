"""From true vols to published quotes: noise, rounding to the quoting grid, mistakes, stale days.

What a quote adds to the truth is written down (`Quotes.outliers`, `Quotes.stale`), so that tests
can ask whether a diagnostic finds what was planted.
"""

import math
from dataclasses import dataclass

import numpy as np

from calibscope.base.arrays import Array, BoolArray, Indices
from calibscope.market.quotes import Caplets
from calibscope.market.synthetic.anchors import anchor_dates
from calibscope.market.synthetic.chance import mean_reverting, normals, sampled, uniforms
from calibscope.market.synthetic.curves import BP
from calibscope.market.synthetic.timeline import by_regime, places, turbulent
from calibscope.market.synthetic.vols import MATURITIES

# Size of the noise of a quote relative to its vol, on calm and on turbulent days.
NOISE = (0.003, 0.010)
# Vols are quoted in steps of so many bp: mid of bid and ask, which widen in turbulent times.
GRID_CALM, GRID_TURBULENT = 0.1, 0.2

OUTLIERS, SMALLEST, LARGEST = 34, 0.03, 0.15  # 1.5 % of days; relative to the price
STALE_DAYS = 5


@dataclass(frozen=True, slots=True, eq=False)
class Quotes:
    """Published prices and strikes of all days, without gaps, and what was planted in them."""

    prices: Array  # (n, 13)
    strikes: Array  # (n, 13)
    outliers: tuple[tuple[int, int, float], ...]  # day, cap, relative size
    stale: tuple[int, ...]  # days that repeat the caps of the day before


def quoted(true_vols: Array, strikes: Array, caplets: Caplets, complete: BoolArray) -> Quotes:
    """Quote all days; outliers and stale days are planted among complete ones without a fact."""
    prices = caplets.cap_prices(on_grid(noisy_vols(true_vols)))
    usable = complete.copy()
    usable[places(anchor_dates())] = False
    stale = _stale_days(usable)
    usable[stale] = False
    usable[np.array(stale) - 1] = False
    outliers = _outliers(prices, usable)
    for day, cap, size in outliers:
        prices[day, cap] *= 1 + size
    strikes = strikes.copy()
    for day in stale:
        prices[day], strikes[day] = prices[day - 1], strikes[day - 1]
    return Quotes(np.round(prices, 8), strikes, tuple(outliers), tuple(stale))


def noisy_vols(true_vols: Array) -> Array:
    """Vols with the noise of quoting, part of it shared by neighbouring maturities."""
    days, caps = true_vols.shape
    place = np.log(MATURITIES / MATURITIES[0]) / np.log(MATURITIES[-1] / MATURITIES[0])
    waves = np.cos(np.pi * np.outer(np.arange(1, 4), place))
    shared = _persistent("shared noise", days, 3) @ waves / np.sqrt(1.5)
    alone = _persistent("noise of single quotes", days, caps)
    size = by_regime(*NOISE)[:, None]
    return np.asarray(true_vols * np.exp(size * (0.6 * shared + 0.8 * alone)))


def on_grid(vols: Array) -> Array:
    """Vols as they are quoted, in steps."""
    grid = BP * np.where(turbulent(), GRID_TURBULENT, GRID_CALM)[:, None]
    return np.asarray(np.round(vols / grid) * grid)


def _persistent(topic: str, days: int, columns: int) -> Array:
    """Noise with standard deviation 1, of which about half is still there the next day."""
    return mean_reverting(math.sqrt(1 - 0.5**2) * normals(topic, days, columns), 0.5)


def _stale_days(usable: BoolArray) -> list[int]:
    possible = usable & np.roll(usable, 1)
    possible[0] = False
    return sampled("stale days", possible.astype(float), STALE_DAYS)


def _outliers(prices: Array, usable: BoolArray) -> list[tuple[int, int, float]]:
    """One cap on each chosen day, short ones more often; prices still increase in maturity."""
    chosen = sampled("days with outliers", usable.astype(float), OUTLIERS)
    caps = _short_ones_more_often(uniforms("caps with outliers", OUTLIERS))
    draws = uniforms("sizes of outliers", OUTLIERS, 2)
    outliers = []
    for day, cap, (amount, side) in zip(chosen, caps, draws, strict=True):
        sign = 1 if side < 0.5 else -1
        size = sign * min(SMALLEST + (LARGEST - SMALLEST) * amount, _room(prices[day], cap, sign))
        outliers.append((day, int(cap), float(np.round(size, 4))))
    return outliers


def _short_ones_more_often(draws: Array) -> Indices:
    share = MATURITIES**-0.7
    return np.searchsorted(np.cumsum(share) / np.sum(share), draws)


def _room(prices: Array, cap: int, sign: int) -> float:
    """How far a price can move, relatively, and stay well clear of its neighbour's."""
    neighbour = cap + sign
    if not 0 <= neighbour < len(prices):
        return np.inf
    return 0.8 * abs(float(prices[neighbour] / prices[cap]) - 1)
