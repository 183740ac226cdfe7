"""`global`: the optimum of the whole box, by the model's own search, or by many starts."""

from calibscope.base.arrays import Array
from calibscope.calibration.candidates import Candidates
from calibscope.calibration.problem import Problem
from calibscope.calibration.search import search_for


def solve(problem: Problem, start: Array) -> Candidates:
    """The best optimum, and the others that were found; `start` is not needed."""
    return search_for(problem.model).solve(problem)
