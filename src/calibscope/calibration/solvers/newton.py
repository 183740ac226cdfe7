"""`newton`: the local optimum by Newton's method with the exact Hessian, inside the bounds.

Of the local solvers the fastest and the most exact: near an optimum it converges quadratically even
where the near-optimal set is flat and Gauss-Newton crawls. It still ends in the near-optimal set
its start leads to.

Source: `polish.py`; paper, eq. hessian_caplet_factorized.
"""

import numpy as np

from calibscope.base.arrays import Array
from calibscope.calibration.candidates import Candidates
from calibscope.calibration.problem import Problem
from calibscope.calibration.solvers.global_search import polished


def solve(problem: Problem, start: Array) -> Candidates:
    """The end of Newton's method from `start`."""
    return polished(problem, np.atleast_2d(start), evaluations=0)
