r"""Cap volatilities: a humped term structure of caplet vols that changes from day to day.

The normal vol of the caplet that resets at time T is

.. math:: \sigma(T) = \tfrac12\left(h + \sqrt{h^2 + 4 f^2}\right) e^{\,level + slope\,e^{-T/3}},
    \qquad h = (a + bT) e^{-cT} + d,

which is the hump h, kept positive where it is steep (f is small). a, b, d are found on each day of
known (or invented) levels so that flat cap vols meet them, and led smoothly from one such day to
the next; level and slope are chance, larger in turbulent times.
"""

import math
from collections.abc import Sequence

import numpy as np

from calibscope.base.arrays import Array, Indices, frozen
from calibscope.market.interpolation import interpolated
from calibscope.market.quotes import Caplets, normal_option, swap_rates
from calibscope.market.synthetic import waypoints
from calibscope.market.synthetic.anchors import CAP_VOLS
from calibscope.market.synthetic.chance import mean_reverting, normals
from calibscope.market.synthetic.curves import BP, NODES
from calibscope.market.synthetic.timeline import by_regime, pinned, places, smooth_path

MATURITIES = frozen([3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30])
TENOR = 0.5
DECAY = 0.28  # c
FLOOR = 10 * BP  # f
SQRT_TWO_PI = math.sqrt(2 * math.pi)
TIMES = np.arange(61.0) * TENOR

# Shocks a day in calm and turbulent times, and the pull back to zero.
LEVEL_SHOCKS, SLOPE_SHOCKS, REVERSION = (0.011, 0.018), (0.009, 0.014), 1 / 20


def caplets_of(discount_factors: Array, maturities: Array = MATURITIES) -> tuple[Array, Caplets]:
    """At-the-money strikes (n, m) and caplets of all days, on published discount factors."""
    logs = np.log(discount_factors)
    logs = np.concatenate((np.zeros((len(logs), 1)), logs), axis=1)
    curve = interpolated("log-cubic", np.concatenate(([0.0], NODES)), logs)
    discounts = np.exp(curve.log_discount(TIMES))
    accruals = np.full(len(TIMES) - 1, TENOR)
    counts = np.round(maturities / TENOR).astype(int)
    strikes = np.round(swap_rates(discounts, accruals, 1, counts), 8)
    return strikes, Caplets.of_caps(discounts, TIMES, accruals, strikes, counts, 1)


def flat_vols(caplets: Caplets, caplet_vols: Array) -> Array:
    """(n, m) the flat vol of each cap, from the vols of its caplets, to 0.3 bp at worst.

    The mean of the caplet vols, weighted by their vegas, is a good guess; one step of Newton's
    method with these same vegas makes it better. All days cost as little as a few prices.
    """
    moneyness, root = caplets.forwards - caplets.strikes, np.sqrt(caplets.resets)
    spread = caplet_vols * root
    vegas = caplets.annuities * root * np.exp(-0.5 * (moneyness / spread) ** 2) / SQRT_TWO_PI
    vega = np.add.reduceat(vegas, caplets.starts, axis=-1)
    guess = np.add.reduceat(vegas * caplet_vols, caplets.starts, axis=-1) / vega
    values = caplets.annuities * normal_option(moneyness, spread)
    prices = np.add.reduceat(values, caplets.starts, axis=-1)
    return np.asarray(guess + (prices - caplets.cap_prices(guess)) / vega)


def humped(coefficients: Array, resets: Array) -> Array:
    """(k, C) vols of caplets from (k, 3) coefficients a, b, d."""
    decay = np.exp(-DECAY * resets)
    hump = coefficients @ np.stack((decay, resets * decay, np.ones_like(resets)))
    return np.asarray(0.5 * (hump + np.sqrt(hump**2 + 4 * FLOOR**2)))


def hump_coefficients(discount_factors: Array, wanted: Array) -> Array:
    """(k, 3) a, b, d with which flat vols meet the wanted ones (k, 5), in least squares.

    Gauss-Newton: a flat vol is nearly a weighted mean of caplet vols, so a few steps do.
    """
    _, caplets = caplets_of(discount_factors, np.array(waypoints.VOL_YEARS, float))
    coefficients = np.column_stack((wanted[:, 0] - wanted[:, -1], 0 * wanted[:, 0], wanted[:, -1]))
    for _ in range(6):
        vols = flat_vols(caplets, humped(coefficients, caplets.resets))
        moved = [
            flat_vols(caplets, humped(coefficients + step, caplets.resets))
            for step in BP * np.eye(3)
        ]
        jacobian = np.stack([(other - vols) / BP for other in moved], axis=-1)
        coefficients = coefficients + np.einsum(
            "kpm,km->kp", np.linalg.pinv(jacobian), wanted - vols
        )
    return coefficients


def wanted_levels() -> tuple[Indices, Array]:
    """Where, and which, flat vols are to be met: facts and way-points by date, decimal."""
    rows: dict[str, Sequence[float]] = dict(waypoints.CAP_VOLS)
    for fact in CAP_VOLS:
        known = {30: waypoints.FIRST_THIRTY_YEAR_VOL, **fact.bp}
        rows[fact.date] = [known[year] for year in waypoints.VOL_YEARS]
    dates = sorted(rows)
    return places(dates), BP * np.array([rows[date] for date in dates], float)


def true_vols(discount_factors: Array, caplets: Caplets) -> Array:
    """(n, 13) flat vols before any noise of quoting."""
    place, wanted = wanted_levels()
    coefficients = smooth_path(place, hump_coefficients(discount_factors[place], wanted))
    days = len(discount_factors)
    known = places([fact.date for fact in CAP_VOLS])
    shocks = normals("level and slope of vols", days, 2)
    level = pinned(mean_reverting(by_regime(*LEVEL_SHOCKS) * shocks[:, 0], REVERSION), known)
    slope = pinned(mean_reverting(by_regime(*SLOPE_SHOCKS) * shocks[:, 1], REVERSION), known)
    chance = np.exp(level[:, None] + slope[:, None] * np.exp(-caplets.resets / 3))
    return flat_vols(caplets, humped(coefficients, caplets.resets) * chance)
