"""`multistart`: one local solver from many well spread starts, keeping every end point.

The honest way to use a local solver, and a picture of how rugged the problem is: the ends, best
first, are the waterfall plot of the optimisation literature. Even hundreds of starts can miss the
best optimum; `global` does not rely on luck.

Source: Sobol (1967), starts on a low-discrepancy sequence in scaled coordinates.
"""

import numpy as np

from calibscope.base.arrays import Array
from calibscope.calibration.candidates import Candidates
from calibscope.calibration.problem import Problem
from calibscope.calibration.search import search_for
from calibscope.calibration.solvers import solver

STARTS = 64


def solve(
    problem: Problem, start: Array, local: str = "newton", starts: int = STARTS
) -> Candidates:
    """The ends of a local solver from `start` and from Sobol points, best first.

    Parameters
    ----------
    local : name of the local solver
    starts : how many, `start` included
    """
    descend = solver(local)
    points = (
        [start, *search_for(problem.model).spread(problem, starts - 1)] if starts > 1 else [start]
    )
    ends = [descend(problem, point) for point in points]
    return Candidates.sorted_by(
        np.concatenate([end.parameters for end in ends]),
        np.concatenate([end.objectives for end in ends]),
        sum(end.evaluations for end in ends),
    )
