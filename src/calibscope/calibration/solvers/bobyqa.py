"""`bobyqa`: the paper's baseline, a local search without derivatives.

A quadratic model of the objective is interpolated through the points visited so far and minimised
in a trust region, in the natural parameters and inside the bounds. It finds the optimum its start
leads to, or stops in a flat valley before it; take it to compare with published results.

Source: Powell (2009), "The BOBYQA algorithm for bound constrained optimization without
derivatives", in nlopt's implementation.
"""

from contextlib import suppress

import nlopt
import numpy as np

from calibscope.base.arrays import Array
from calibscope.calibration.ends import Ends
from calibscope.calibration.problem import Problem

TOLERANCE = 1e-8  # relative, of the objective
MOST_EVALUATIONS = 20_000


def solve(problem: Problem, start: Array) -> Ends:
    """The end of BOBYQA from `start`."""
    return lowest_visited(nlopt.LN_BOBYQA, problem, start)


def lowest_visited(algorithm: int, problem: Problem, start: Array) -> Ends:
    """The lowest point that an algorithm of nlopt visits before it stops, with the paper's stops.

    Parameters
    ----------
    algorithm : one of nlopt's local ones without derivatives, such as ``nlopt.LN_BOBYQA``
    start : (5,) inside the bounds; parameters whose bounds coincide stay
    """
    is_free = problem.lower < problem.upper
    best, point = np.array(start, float), np.array(start, float)
    lowest, evaluations = problem.objective(best), 1

    def objective(free: Array, _: Array) -> float:
        nonlocal lowest, evaluations
        point[is_free] = free
        value = problem.objective(np.clip(point, problem.lower, problem.upper, out=point))
        evaluations += 1
        if value < lowest:
            lowest, best[:] = value, point
        return value

    if is_free.any():
        optimiser = nlopt.opt(algorithm, int(is_free.sum()))
        optimiser.set_lower_bounds(problem.lower[is_free])
        optimiser.set_upper_bounds(problem.upper[is_free])
        optimiser.set_min_objective(objective)
        optimiser.set_ftol_rel(TOLERANCE)
        optimiser.set_maxeval(MOST_EVALUATIONS - 1)
        # Where double precision allows no further progress, what was visited counts.
        with suppress(nlopt.RoundoffLimited, nlopt.runtime_error):
            optimiser.optimize(best[is_free])
    return Ends.sorted_by(best, lowest, evaluations)
