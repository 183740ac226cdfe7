"""`annealing`: random jumps that cool down, with local searches, in the role of the paper's ASA.

It can leave an optimum that a local solver is caught in, at the price of ten thousand
evaluations and without any promise. Always with the same random numbers, so that a result can be
repeated.

Source: Xiang, Sun, Fan and Gong (1997), "Generalized simulated annealing algorithm and its
application to the Thomson model", as `scipy.optimize.dual_annealing`.
"""

import numpy as np
from scipy.optimize import dual_annealing

from calibscope.base.arrays import Array
from calibscope.calibration.candidates import Candidates
from calibscope.calibration.problem import Problem
from calibscope.calibration.solvers.gauss_newton import moved

SEED = 20160901
MOST_EVALUATIONS = 20_000


def solve(problem: Problem, start: Array) -> Candidates:
    """The best point of one annealing from `start`, in the scaled coordinates."""
    is_free = problem.lower < problem.upper
    scale = problem.specs.coordinates
    lower, upper = scale.of(problem.lower)[is_free], scale.of(problem.upper)[is_free]

    def parameters(free: Array) -> Array:
        step = np.zeros(len(start))
        step[is_free] = free - scale.of(start)[is_free]
        return moved(problem, start, step)

    if not is_free.any():
        return Candidates.sorted_by(start, problem.objective(start), 1)
    result = dual_annealing(
        lambda free: problem.objective(parameters(free)),
        list(zip(lower, upper, strict=True)),
        maxfun=MOST_EVALUATIONS,
        seed=SEED,
        x0=np.clip(scale.of(start)[is_free], lower, upper),
    )
    best = parameters(result.x)
    return Candidates.sorted_by(best, problem.objective(best), result.nfev + 1)
