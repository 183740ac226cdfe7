"""Starts inside bounds of any shape: a scan over the speeds, each between its own bounds.

Where bounds differ between the factors, or leave out correlations, the cone of `search.py` is not
the set of what is allowed. Its solution at every pair of speeds, moved inside the bounds and
measured with true prices, still tells where good fits may be.
"""

import numpy as np

from calibscope.base.arrays import Array
from calibscope.base.compiled import compiled
from calibscope.calibration.g2.case import COUNT, Case
from calibscope.calibration.g2.objective import residuals_at
from calibscope.calibration.g2.polish import FAR_AWAY, approach
from calibscope.calibration.g2.surrogate import linear_fit, set_basis

FEW_STEPS = 6  # of Levenberg and Marquardt, from every pair whose neighbours are higher


@compiled
def box_scan(case: Case, speeds_x: Array, speeds_y: Array, starts: Array) -> int:
    """Starts (k, 5), best first, from the lowest places of the scan; how many.

    Prices are linearised beforehand, near a good fit.
    """
    n, m = speeds_x.size, speeds_y.size
    points, values = np.empty((n, m, COUNT)), np.empty((n, m))
    lower, upper = case.task.lower, case.task.upper
    for i in range(n):
        for j in range(m):
            point = points[i, j]
            point[0], point[1] = speeds_x[i], speeds_y[j]
            set_basis(point, case)
            linear_fit(case, point)
            for p in range(COUNT):
                point[p] = min(max(point[p], lower[p]), upper[p])
            values[i, j] = residuals_at(0, point, case, case.work.trial_residuals)
    found, heights = np.empty((n * m, COUNT)), np.full(n * m, np.inf)
    count = 0
    for i in range(n):
        for j in range(m):
            if not is_low(i, j, values):
                continue
            found[count] = points[i, j]
            heights[count], _ = approach(1, FAR_AWAY, FEW_STEPS, np.inf, case, found[count])
            count += 1
    chosen = min(count, len(starts))
    order = np.argsort(heights[:count])
    for c in range(chosen):
        starts[c] = found[order[c]]
    return chosen


@compiled
def is_low(i: int, j: int, values: Array) -> bool:
    """Whether a point is lowest in its row or its column of the grid, next to its neighbours."""
    n, m = values.shape
    here = values[i, j]
    in_column = (i == 0 or values[i - 1, j] >= here) and (i == n - 1 or values[i + 1, j] >= here)
    in_row = (j == 0 or values[i, j - 1] >= here) and (j == m - 1 or values[i, j + 1] >= here)
    return bool(here < np.inf and (in_row or in_column))
