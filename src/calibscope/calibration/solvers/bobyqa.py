"""`bobyqa`: the paper's baseline, a local search without derivatives.

A quadratic model of RMSRE is interpolated through the points visited so far and minimised in a
trust region, in the natural parameters and inside the bounds. It finds the optimum its start leads
to, or stops on flat ground before it; take it to compare with published results.

Source: Powell (2009), "The BOBYQA algorithm for bound constrained optimization without
derivatives", in nlopt's implementation.
"""

import math
from contextlib import suppress

import nlopt
import numpy as np

from calibscope.base.arrays import Array
from calibscope.calibration.candidates import Candidates
from calibscope.calibration.problem import Problem

TOLERANCE = 1e-8  # relative, of the parameters
MOST_EVALUATIONS = 20_000
ROUNDING = 1e-11  # of the objective


def solve(problem: Problem, start: Array) -> Candidates:
    """The end of BOBYQA from `start`."""
    return lowest_visited(nlopt.LN_BOBYQA, problem, start)


def lowest_visited(algorithm: int, problem: Problem, start: Array) -> Candidates:
    r"""The lowest point that an algorithm of nlopt visits before it stops, with the paper's stops.

    It minimises :math:`\sqrt{f}`, with the usual weights :math:`\sqrt{m}` RMSRE, and stops where a
    step changes the parameters by less than 1e-8 of their size, or after 20,000 evaluations. The
    paper's "relative tolerance of 1e-8" does not say of what. The parameters are the likely answer:
    a tolerance on the objective stops after a few hundred evaluations. A parameter that ends within
    the tolerance of a bound is put on it: nlopt scales parameters, and its rounding often leaves
    them one unit in the last place inside, where nothing would know the bound as active.

    Parameters
    ----------
    algorithm : one of nlopt's local ones without derivatives, such as ``nlopt.LN_BOBYQA``
    start : (p,) inside the bounds; parameters whose bounds coincide stay
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
        return math.sqrt(value)

    if is_free.any():
        optimiser = nlopt.opt(algorithm, int(is_free.sum()))
        optimiser.set_lower_bounds(problem.lower[is_free])
        optimiser.set_upper_bounds(problem.upper[is_free])
        optimiser.set_min_objective(objective)
        optimiser.set_xtol_rel(TOLERANCE)
        optimiser.set_maxeval(MOST_EVALUATIONS - 2)  # besides the start and the bounds below
        # Where double precision allows no further progress, what was visited counts.
        with suppress(nlopt.RoundoffLimited, nlopt.runtime_error):
            optimiser.optimize(best[is_free])
        at_bounds = on_near_bounds(best, problem.lower, problem.upper)
        value, evaluations = problem.objective(at_bounds), evaluations + 1
        if value <= lowest * (1 + ROUNDING):
            lowest, best = value, at_bounds
    return Candidates.sorted_by(best, lowest, evaluations)


def on_near_bounds(point: Array, lower: Array, upper: Array) -> Array:
    """The point with parameters on the bounds that they are nearer to than the tolerance."""
    point = np.where(point - lower <= TOLERANCE * np.abs(lower), lower, point)
    return np.where(upper - point <= TOLERANCE * np.abs(upper), upper, point)
