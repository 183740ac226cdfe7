"""How small errors have to be for the grid of the search to lose sight of them."""

from calibscope.base.compiled import compiled
from calibscope.calibration.problem import Task

UNRESOLVED = 0.004  # relative errors up to which the grid does not tell minima apart
PERFECT_FIT = 1e-20  # of their squares: nothing is left to find
NEARLY_PERFECT = 1e-2  # of their squares: a better optimum may be in the same strip


@compiled
def unresolved_squares(task: Task) -> float:
    """The objective of a fit whose relative errors the grid does not resolve."""
    total = 0.0
    for k in range(task.quotes.size):
        total += (UNRESOLVED * task.root_weights[k] * task.quotes[k]) ** 2
    return total
