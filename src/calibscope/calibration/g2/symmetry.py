"""Which problems of G2++ the search over the speeds alone applies to, and their packed caps."""

from typing import cast

from calibscope.calibration.problem import Problem
from calibscope.models.g2.book import CapBook
from calibscope.models.g2.pricer import CapPricer


def book_of(problem: Problem) -> CapBook:
    """The caps, packed for the kernel."""
    return cast(CapPricer, problem.pricer).book


def is_symmetric(problem: Problem) -> bool:
    """Whether the factors can be swapped: same bounds for both, none fixed, no anchor."""
    lower, upper = problem.lower, problem.upper
    same = lower[0] == lower[1] and lower[2] == lower[3]
    same &= upper[0] == upper[1] and upper[2] == upper[3]
    return bool(same and (lower < upper)[:4].all() and not problem.has_anchor)


def is_plain(problem: Problem) -> bool:
    """Whether the search over the speeds alone applies: symmetric, all correlations allowed."""
    return is_symmetric(problem) and bool(problem.lower[4] == -1.0 and problem.upper[4] == 1.0)
