"""`nelder-mead`: a simplex that crawls downhill, without derivatives.

Robust against noise in the objective, of which there is none here, and slow; it is what many
spreadsheets use. Same stops as `bobyqa`.

Source: Nelder and Mead (1965), "A simplex method for function minimization", with Box's treatment
of bounds, in nlopt's implementation.
"""

import nlopt

from calibscope.base.arrays import Array
from calibscope.calibration.candidates import Candidates
from calibscope.calibration.problem import Problem
from calibscope.calibration.solvers.bobyqa import lowest_visited


def solve(problem: Problem, start: Array) -> Candidates:
    """The end of the simplex from `start`."""
    return lowest_visited(nlopt.LN_NELDERMEAD, problem, start)
