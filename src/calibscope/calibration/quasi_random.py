"""Well spread points between bounds, the same ones every time.

Source: Sobol (1967), by `scipy.stats.qmc`.
"""

import numpy as np

from calibscope.base.arrays import Array
from calibscope.base.parameters import Specs


def spread_points(specs: Specs, lower: Array, upper: Array, count: int) -> Array:
    """(count, p) Sobol points, where parameters are plausible; logarithmic where they are.

    Parameters
    ----------
    lower, upper : (p,) bounds
    """
    from scipy.stats import qmc  # takes longer to import than a day to calibrate

    scale, (low, high) = specs.coordinates, specs.plausible
    first, last = _finite(specs, np.clip(low, lower, upper)), np.clip(high, lower, upper)
    first, last = scale.of(first), scale.of(_finite(specs, last))
    # The first point is the corner; the sequence is balanced in powers of two.
    sequence = qmc.Sobol(len(specs), scramble=False)
    shares = sequence.random(1 << count.bit_length())[1 : count + 1]
    return np.clip(scale.values(first + shares * (last - first)), lower, upper)


def _finite(specs: Specs, bound: Array) -> Array:
    """Bounds at which coordinates are finite: around an ordinary value, where there are none."""
    is_log = specs.coordinates.is_log
    bound = np.where(is_log & (bound <= 0.0), 1e-3 * specs.start, bound)
    far = np.where(is_log, 1e3 * specs.start, specs.start + 10.0 * (1.0 + np.abs(specs.start)))
    near = 2.0 * specs.start - far
    return np.where(
        np.isfinite(bound),
        bound,
        np.where(bound > 0, far, np.where(is_log, 1e-3 * specs.start, near)),
    )
