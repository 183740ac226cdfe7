r"""`gauss-newton`: full linear least-squares steps, halved until they go down.

At each point the residuals are replaced by their tangent and the linear problem is solved on the
SVD of the weighted Jacobian A, in the scaled coordinates q:

.. math:: s = -V_r S_r^{-1} U_r^T r, \qquad A = U S V^T,

with the r directions whose singular values count. There is no damping: it is the textbook method,
whose linear algebra the diagnostics share, and it stops where the tangent leads nowhere. Parameters
pushed against a bound stay there; steps are projected into the bounds.

Source: Bates and Watts (1988), "Nonlinear Regression Analysis", section 2.2.
"""

import numpy as np

from calibscope.base.arrays import Array, BoolArray
from calibscope.calibration.candidates import Candidates
from calibscope.calibration.problem import Problem

MOST_STEPS = 200
MOST_HALVINGS = 30
RANK_TOLERANCE = 1e-10  # of the largest singular value
CONVERGED = 1e-16  # of the sum of squares, that a step promises
SMALLEST_GAIN = 1e-15  # of the sum of squares: less is rounding


def solve(problem: Problem, start: Array) -> Candidates:
    """The end of Gauss-Newton's method from `start`."""
    point = np.array(start, float)
    best, evaluations = problem.objective(point), 1
    for _ in range(MOST_STEPS):
        residuals, A = problem.tangent(point)
        step = gauss_newton_direction(A, residuals, movable(problem, point, A.T @ residuals))
        evaluations += 1
        if -step @ (A.T @ residuals) <= CONVERGED * best:
            break
        before = best
        for _ in range(MOST_HALVINGS):
            trial = moved(problem, point, step)
            value = problem.objective(trial)
            evaluations += 1
            if value < best:
                point, best = trial, value
                break
            step = 0.5 * step
        if before - best <= SMALLEST_GAIN * before:
            break
    return Candidates.sorted_by(point, best, evaluations)


def gauss_newton_direction(A: Array, residuals: Array, is_free: BoolArray) -> Array:
    """The shortest step (p,) of the free parameters to the optimum of the tangent."""
    step = np.zeros(A.shape[1])
    if is_free.any():
        step[is_free] = np.linalg.lstsq(A[:, is_free], -residuals, rcond=RANK_TOLERANCE)[0]
    return step


def movable(problem: Problem, point: Array, gradient: Array) -> BoolArray:
    """(p,) parameters that are neither fixed nor pushed against a bound."""
    is_held = (point <= problem.lower) & (gradient >= 0) | (point >= problem.upper) & (
        gradient <= 0
    )
    return np.asarray(~is_held & (problem.lower < problem.upper))


def moved(problem: Problem, point: Array, step: Array) -> Array:
    """The parameters after a step in q, projected into the bounds."""
    scale = problem.specs.coordinates
    q = np.clip(scale.of(point) + step, scale.of(problem.lower), scale.of(problem.upper))
    return np.asarray(np.clip(scale.values(q), problem.lower, problem.upper))
