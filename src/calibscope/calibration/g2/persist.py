"""What to do where Newton's method stopped before an optimum: other ways down, until none helps.

Beside a degenerate direction fits hardly change along a curve, and what Newton's method gains in a
step is rounding long before the gradient vanishes. Three others take turns: steps that bend with
the curve (`geodesic.py`), the coordinates of equal speeds (`equal_speeds.py`), and fits
with the flattest parameter held (`flat_walk.py`).
"""

import math

import numpy as np

from calibscope.base.arrays import Array
from calibscope.base.compiled import compiled
from calibscope.calibration.g2.case import Case
from calibscope.calibration.g2.equal_speeds import is_near_equal_speeds, walk_equal_speeds
from calibscope.calibration.g2.flat_walk import walk_flat_direction
from calibscope.calibration.g2.geodesic import follow_flat_direction
from calibscope.calibration.g2.objective import mark_free, normal_equations, residuals_at
from calibscope.calibration.g2.polish import NEAR, polish

CONVERGED = 1e-7  # relative offset: a tenth of what a status asks for
RANK_TOLERANCE = 1e-8  # of the columns' singular values, at length 1
MOST_ROUNDS = 8
GEODESIC_STEPS, NEWTON_STEPS = 200, 60
SMALLEST_GAIN = 1e-9  # of the sum of squares, in a round


@compiled
def persist(perfect: float, case: Case, best: float, parameters: Array) -> tuple[float, int]:
    """Move `parameters` on to the optimum, if they are not there; objective and evaluations."""
    evaluations, trial = 0, parameters.copy()
    for turn in range(MOST_ROUNDS):
        if best <= perfect or offset_at(case, parameters) <= CONVERGED:
            break
        before = best
        for way in range(3):
            trial[:] = parameters
            if way == 0:
                _, used = follow_flat_direction(GEODESIC_STEPS, case, trial)
            elif way == 1:
                if not is_near_equal_speeds(trial):
                    continue
                _, used = walk_equal_speeds(case, trial)
            elif turn == 0 or best > before * (1.0 - SMALLEST_GAIN):
                _, used = walk_flat_direction(case, trial)
            else:
                continue
            value, more = polish(2, NEAR, NEWTON_STEPS, case, trial)
            evaluations += used + more
            if value < best:
                best = value
                parameters[:] = trial
        if best > before * (1.0 - SMALLEST_GAIN):
            break
    return best, evaluations


@compiled
def offset_at(case: Case, parameters: Array) -> float:
    """The share of the residuals that parameters could still explain (`Fit.relative_offset`)."""
    work, m = case.work, case.task.quotes.size
    residuals_at(1, parameters, case, work.residuals)
    normal_equations(1, parameters, case)
    mark_free(parameters, case)
    free = np.flatnonzero(work.is_free)
    columns, squares, count = np.zeros((m, free.size)), np.sum(work.residuals[:m] ** 2), 0
    for p in free:
        length = math.sqrt(np.sum(work.jacobian[:m, p] ** 2))
        if length > 0.0:
            columns[:, count] = work.jacobian[:m, p] / length
            count += 1
    if count == 0 or squares == 0.0 or not np.isfinite(np.sum(columns)):
        return 0.0
    U, S, _ = np.linalg.svd(columns[:, :count].copy(), False)
    explained = 0.0
    for i in range(S.size):
        if S[i] > RANK_TOLERANCE * S[0]:
            explained += np.sum(U[:, i] * work.residuals[:m]) ** 2
    return math.sqrt(explained / squares)
