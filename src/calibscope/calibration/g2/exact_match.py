"""To an exact fit, if there is one: Gauss-Newton's method on singular vectors, with patience.

Where quotes can be met exactly, the residuals vanish at the end, and with them the part of the
Hessian that Gauss-Newton leaves out. But directions that prices hardly see are bent: a step along
them moves prices by far more than the residuals, and only the next steps, across, bring these down.
So a step is not judged by itself; the best point of several in a row counts (the watchdog technique
of Chamberlain, Powell, Lemarechal and Pedersen, 1982). On singular vectors, directions whose
effects on prices differ by 1e10 do not disturb each other (`refine.py`).
"""

import math

import numpy as np

from calibscope.base.arrays import Array
from calibscope.base.compiled import compiled
from calibscope.calibration.g2.case import Case
from calibscope.calibration.g2.objective import mark_free, moved, normal_equations, residuals_at
from calibscope.calibration.g2.refine import projected_step

MOST_STEPS, PATIENCE = 40, 8  # steps, and how many in a row may fail to lower the best
LONGEST_STEP = 0.3  # in the coordinates of `objective.py`
LOWER = 1.0 - 1e-3  # times the best, to count as progress


@compiled
def exact_match(perfect: float, case: Case, parameters: Array) -> tuple[float, int]:
    """Move `parameters` towards an exact fit; the least objective on the way, the evaluations."""
    work, here = case.work, parameters.copy()
    best, evaluations, misses = np.inf, 0, 0
    while evaluations < MOST_STEPS and misses < PATIENCE and best > perfect:
        total = residuals_at(1, here, case, work.residuals)
        evaluations += 1
        misses = 0 if total < LOWER * best else misses + 1
        if total < best:
            best = total
            parameters[:] = here
        normal_equations(1, here, case)
        mark_free(here, case)
        projected_step(work.is_free, here, case)
        shorten(case)
        moved(here, case)
        here[:] = work.trial
    return best, evaluations


@compiled
def shorten(case: Case) -> None:
    """Cut the step in `case.work` to its longest; then it ends before the bounds that it met."""
    work = case.work
    length = math.sqrt(np.sum(work.step**2))
    if length > LONGEST_STEP:
        work.step[:] *= LONGEST_STEP / length
        work.is_held[:] = False
