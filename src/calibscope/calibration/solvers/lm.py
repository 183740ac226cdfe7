r"""`lm`: Levenberg-Marquardt, what most libraries use for least squares.

Steps solve :math:`(A^T A + \mu D) s = -A^T r` with the exact Jacobian, D the diagonal of A'A, mu
raised until the step goes down. Without the second derivatives of the prices it takes many small
steps along flat directions, hence the many rounds.

Source: Marquardt (1963), "An algorithm for least-squares estimation of nonlinear parameters";
`newton.py` with order 1.
"""

import numpy as np

from calibscope.base.arrays import Array
from calibscope.calibration.candidates import Candidates
from calibscope.calibration.problem import Problem
from calibscope.calibration.search import search_for

MOST_ROUNDS = 10
SMALLEST_GAIN = 1e-12  # of the sum of squares: a round that gains less was the last


def solve(problem: Problem, start: Array) -> Candidates:
    """The end of Levenberg-Marquardt from `start`."""
    search = search_for(problem.model)
    ends = search.polished(problem, np.atleast_2d(start), order=1)
    for _ in range(MOST_ROUNDS - 1):
        before = ends
        ends = search.polished(problem, before.parameters, before.evaluations, order=1)
        if before.objectives[0] - ends.objectives[0] <= SMALLEST_GAIN * before.objectives[0]:
            break
    return ends
