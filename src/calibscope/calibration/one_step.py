r"""One-step corrections: how far a single Newton or Gauss-Newton step moves an end point.

From a point near the optimum one step already has the properties of the optimum to first order
(van der Vaart, "Asymptotic Statistics", section 5.7; paper, remark on one-step corrections). So
the distance between a solver's end and its correction says how much that end is worth, and the
distance between the two corrections what Gauss-Newton leaves out. Steps are made once, in full, in
q = (log a, log sigma, rho), by the parameters that no bound holds:

.. math:: s_{GN} = -A^+ r, \qquad s_N = -\bigl(A^T A + \sum_k r_k \nabla^2 r_k\bigr)^{-1} A^T r,

and are projected into the bounds. They are for comparison: nothing makes sure that they go down.
"""

import numpy as np

from calibscope.base.arrays import Array
from calibscope.calibration.g2.coordinates import scale
from calibscope.calibration.problem import Problem
from calibscope.calibration.solution import Fit
from calibscope.calibration.solvers.gauss_newton import gauss_newton_direction, movable, moved
from calibscope.models.g2.model import G2


def gauss_newton_step(fit: Fit) -> G2:
    """The parameters after one Gauss-Newton step from the end of a fit."""
    problem, point = fit.problem, fit.parameters.values
    residuals, A = problem.tangent(point)
    step = gauss_newton_direction(A, residuals, movable(problem, point, A.T @ residuals))
    return G2(*moved(problem, point, step))


def newton_step(fit: Fit) -> G2:
    """The parameters after one Newton step, with the exact Hessian, from the end of a fit."""
    problem, point = fit.problem, fit.parameters.values
    residuals, A = problem.tangent(point)
    gradient = A.T @ residuals
    is_free = movable(problem, point, gradient)
    step = np.zeros(len(point))
    if is_free.any():
        half_hessian = (A.T @ A + curvature(problem, point))[np.ix_(is_free, is_free)]
        step[is_free] = -np.linalg.lstsq(half_hessian, gradient[is_free])[0]
    return G2(*moved(problem, point, step))


def curvature(problem: Problem, point: Array) -> Array:
    r"""(5, 5) :math:`\sum_k r_k \nabla^2 r_k` by q: what Gauss-Newton leaves out."""
    task, values = problem.task, problem.values(point, order=2)
    errors = task.root_weights**2 * (values.prices - task.quotes)
    slope, second_order = errors @ values.jacobian, np.einsum("k,kpq->pq", errors, values.hessian)
    # d2/dlog p dlog q = p q d2/dp dq, and p d/dp once more on the diagonal.
    once_more = np.append((slope * scale(point))[:4], 0.0)
    return np.asarray(np.outer(scale(point), scale(point)) * second_order + np.diag(once_more))
