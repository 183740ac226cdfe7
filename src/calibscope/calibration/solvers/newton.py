"""`newton`: the local optimum by Newton's method with the exact Hessian, inside the bounds.

Of the local solvers the fastest and the most exact: near an optimum it converges quadratically even
where the objective is flat and Gauss-Newton crawls. It still ends in the optimum its start leads
to.

Source: `newton.py`, compiled for G2++ in `g2/polish.py`; paper, eq. hessian_caplet_factorized.
"""

import numpy as np

from calibscope.base.arrays import Array
from calibscope.calibration.candidates import Candidates
from calibscope.calibration.problem import Problem
from calibscope.calibration.search import search_for


def solve(problem: Problem, start: Array) -> Candidates:
    """The end of Newton's method from `start`."""
    return search_for(problem.model).polished(problem, np.atleast_2d(start))
