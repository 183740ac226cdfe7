r"""How far a number can go while the fit stays nearly as good.

.. math:: \min_p\ \pm q(p) \quad\text{subject to}\quad f(p) \le \text{limit}, \quad
    lower \le p \le upper

in scaled coordinates, by SciPy's SLSQP with exact gradients, from the
known fit that has gone farthest. The ends of a near-optimal set show how far parameters go; on
2024-06-06 of the demo market they show a quarter of how far the slope's standard deviation can.
"""

import warnings
from typing import Protocol

import numpy as np

from calibscope.base.arrays import Array
from calibscope.calibration.problem import Problem

STEPS = 60
ACCURACY = 1e-5  # of the spread that is known already, and of the limit, from inside
SMALLEST_SPREAD = 1e-3  # of a quantity's own size, for the unit in which it is minimised


class Followed(Protocol):
    """Numbers that follow from the parameters."""

    def values(self, parameters: Array) -> Array:
        """(n, q) at parameters (n, p)."""

    def gradients(self, parameters: Array) -> Array:
        """(q, p) at parameters (p,)."""


def outermost(problem: Problem, limit: float, points: Array, followed: Followed) -> Array:
    """(k, p) fits at which a number is smallest or largest, two per number.

    Parameters
    ----------
    limit : of the objective
    points : (n, p) fits that keep it
    """
    values = followed.values(points)
    spreads = np.maximum(np.ptp(values, axis=0), SMALLEST_SPREAD * np.abs(values[0]))
    found = []
    for q in np.flatnonzero(spreads > 0):
        for side in (1.0, -1.0):
            start = points[(side * values[:, q]).argmin()]
            found.append(_farthest(problem, limit, start, followed, int(q), side / spreads[q]))
    return np.array(found).reshape(-1, points.shape[1])


def _farthest(
    problem: Problem, limit: float, start: Array, followed: Followed, q: int, factor: float
) -> Array:
    """Where factor times the number q is smallest; the start, if no step can be made."""
    from scipy.optimize import minimize  # takes longer to import than a day to calibrate

    scale = problem.specs.coordinates
    lower, upper = scale.of(problem.lower), scale.of(problem.upper)

    def point(x: Array) -> Array:
        inside = scale.values(np.clip(x, lower, upper))
        return np.clip(inside, problem.lower, problem.upper)

    def goal(x: Array) -> float:
        return float(factor * followed.values(point(x)[None, :])[0, q])

    def goal_gradient(x: Array) -> Array:
        place = point(x)
        return np.asarray(
            factor * np.nan_to_num(followed.gradients(place)[q] * scale.slopes(place))
        )

    def room(x: Array) -> float:
        return 1.0 - 2.0 * ACCURACY - problem.objective(point(x)) / limit

    def room_gradient(x: Array) -> Array:
        residuals, A = problem.tangent(point(x))
        return np.asarray(-2.0 * A.T @ residuals / limit)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a trial step beyond a bound is cut
        end = minimize(
            goal, scale.of(start), jac=goal_gradient, method="SLSQP",
            options={"maxiter": STEPS, "ftol": ACCURACY},
            bounds=np.column_stack((lower, upper)),
            constraints={"type": "ineq", "fun": room, "jac": room_gradient},
        )  # fmt: skip
    return point(end.x) if np.isfinite(end.x).all() else start
