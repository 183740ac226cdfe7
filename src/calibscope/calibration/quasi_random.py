"""Well spread points between bounds, the same ones every time.

Source: Sobol (1967), by `scipy.stats.qmc`.
"""

import numpy as np

from calibscope.base.arrays import Array
from calibscope.base.parameters import Specs


def spread_points(specs: Specs, lower: Array, upper: Array, count: int) -> Array:
    """(count, p) points between bounds (p,), where parameters are plausible if any there are."""
    low, high = specs.plausible
    is_plausible = (low < upper) & (high > lower)
    low = np.where(is_plausible, np.clip(low, lower, upper), lower)
    high = np.where(is_plausible, np.clip(high, lower, upper), upper)
    return np.clip(spread_between(specs, *finite_corners(specs, low, high), count), lower, upper)


def spread_between(specs: Specs, low: Array, high: Array, count: int) -> Array:
    """(count, p) Sobol points between two corners (p,), evenly in scaled coordinates."""
    from scipy.stats import qmc  # takes longer to import than a day to calibrate

    scale = specs.coordinates
    first, last = scale.of(low), scale.of(high)
    # The first point is the corner; the sequence is balanced in powers of two.
    sequence = qmc.Sobol(len(specs), scramble=False)
    shares = sequence.random(1 << count.bit_length())[1 : count + 1]
    return scale.values(first + shares * (last - first))


def finite_corners(specs: Specs, low: Array, high: Array) -> tuple[Array, Array]:
    """Corners with finite coordinates: around an ordinary value, where there is no bound."""
    is_log, start = specs.coordinates.is_log, specs.start
    least = np.where(is_log, 1e-3 * start, start - 10.0 * (1.0 + np.abs(start)))
    most = np.where(is_log, 1e3 * start, start + 10.0 * (1.0 + np.abs(start)))
    is_open = ~np.isfinite(low) | (is_log & (low <= 0.0))
    return np.where(is_open, np.minimum(least, high), low), np.where(np.isfinite(high), high, most)
