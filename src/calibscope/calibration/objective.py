r"""The objective of one day and its derivatives, compiled, as all our solvers see them.

The objective is the weighted sum of squares f(p) = sum_k w_k (g_k(p) - y_k)^2. Steps are made in
q = (log a_x, log a_y, log sigma_x, log sigma_y, rho_xy), where the valleys of the problem are
straighter and parameters of different size have comparable steps. With A = W^(1/2) dg/dq and the
weighted residuals r,

.. math:: \tfrac12 \nabla f = A^T r, \qquad \tfrac12 \nabla^2 f = A^T A + \sum_k r_k \nabla^2 r_k.

The second term is what Gauss-Newton leaves out and what flat directions need. A pull towards an
anchor adds sum_p strength_p (q_p - anchor_p)^2 to f.
"""

import math
from typing import NamedTuple

import numpy as np

from calibscope.base.arrays import Array, Marks
from calibscope.base.compiled import compiled
from calibscope.models.g2.book import CapBook
from calibscope.models.g2.caps import Scratch, evaluate_day

COUNT = 5  # parameters
LOGARITHMIC = 4  # the first four are moved by their logarithms


class Task(NamedTuple):
    """What is to be minimised on one day, and where."""

    quotes: Array  # (m,)
    root_weights: Array  # (m,) square roots of the weights
    lower: Array  # (5,)
    upper: Array  # (5,)
    anchor: Array  # (5,) in q
    strength: Array  # (5,) zero: no pull


class Work(NamedTuple):
    """Working memory of a polish, for days with up to m caps."""

    prices: Array  # (m,)
    jacobian: Array  # (m, 5)
    hessian: Array  # (m, 5, 5)
    is_degenerate: Marks  # (m,)
    residuals: Array  # (m,)
    gradient: Array  # (5,) half the gradient of f by q
    normal: Array  # (5, 5) A'A
    bend: Array  # (5, 5) sum_k r_k times the Hessian of r_k
    curvature: Array  # (5, 5) half the Hessian of f by q: the sum of both
    system: Array  # (5, 5)
    step: Array  # (5,)
    trial: Array  # (5,) parameters
    probe: Array  # (5,) parameters
    trial_residuals: Array  # (m,)
    is_free: Marks  # (5,)
    is_held: Marks  # (5,) put on a bound by the step
    shift: Array  # (5,) how far those move


@compiled
def work_for(caps: int) -> Work:
    """Working memory for days of up to `caps` caps."""
    return Work(
        np.empty(caps),
        np.empty((caps, COUNT)),
        np.empty((caps, COUNT, COUNT)),
        np.empty(caps, np.bool_),
        np.empty(caps),
        np.empty(COUNT),
        np.empty((COUNT, COUNT)),
        np.empty((COUNT, COUNT)),
        np.empty((COUNT, COUNT)),
        np.empty((COUNT, COUNT)),
        np.empty(COUNT),
        np.empty(COUNT),
        np.empty(COUNT),
        np.empty(caps),
        np.empty(COUNT, np.bool_),
        np.empty(COUNT, np.bool_),
        np.empty(COUNT),
    )


@compiled
def residuals_at(
    order: int,
    parameters: Array,
    book: CapBook,
    day: int,
    task: Task,
    scratch: Scratch,
    work: Work,
    residuals: Array,
) -> float:
    """Weighted residuals at the parameters, and the objective; derivatives into `work`."""
    m = task.quotes.size
    evaluate_day(
        order, parameters, book, day, scratch, work.prices[:m], work.jacobian[:m],
        work.hessian[:m], work.is_degenerate[:m],
    )  # fmt: skip
    total = 0.0
    for k in range(m):
        residual = task.root_weights[k] * (work.prices[k] - task.quotes[k])
        residuals[k] = residual
        total += residual * residual
    for p in range(COUNT):
        total += task.strength[p] * (coordinate(parameters, p) - task.anchor[p]) ** 2
    return total


@compiled
def coordinate(parameters: Array, p: int) -> float:
    """The coordinate q_p in which steps are made."""
    return math.log(parameters[p]) if p < LOGARITHMIC else parameters[p]


@compiled
def normal_equations(order: int, parameters: Array, task: Task, work: Work) -> None:
    """Gradient, A'A and half the Hessian by q, from the derivatives in `work`."""
    m, root_weights = task.quotes.size, task.root_weights
    gradient, normal, bend = work.gradient, work.normal, work.bend
    gradient[:] = 0.0
    normal[:] = 0.0
    bend[:] = 0.0
    for k in range(m):
        row, root, residual = work.jacobian[k], root_weights[k], work.residuals[k]
        for p in range(COUNT):
            slope = root * row[p] * (parameters[p] if p < LOGARITHMIC else 1.0)
            row[p] = slope
            gradient[p] += slope * residual
            for q in range(p + 1):
                normal[p, q] += slope * row[q]
        if order >= 2:
            weight = root * residual
            for p in range(COUNT):
                for q in range(p + 1):
                    bend[p, q] += weight * work.hessian[k, p, q]
    for p in range(COUNT):
        for q in range(p + 1):
            # d2/dlog p dlog q = p q d2/dp dq, and p d/dp once more on the diagonal.
            scale = (parameters[p] if p < LOGARITHMIC else 1.0) * (
                parameters[q] if q < LOGARITHMIC else 1.0
            )
            bend[p, q] *= scale
        if order >= 2 and p < LOGARITHMIC:
            bend[p, p] += gradient[p]
        gradient[p] += task.strength[p] * (coordinate(parameters, p) - task.anchor[p])
        normal[p, p] += task.strength[p]
        for q in range(p):
            normal[q, p] = normal[p, q]
            bend[q, p] = bend[p, q]
    work.curvature[:] = normal + bend


@compiled
def moved(parameters: Array, task: Task, work: Work) -> None:
    """The parameters after the step in `work`, inside the bounds, into `work.trial`."""
    for p in range(COUNT):
        step = work.step[p]
        if work.is_held[p]:
            is_upper = step > 0.0 or (step == 0.0 and parameters[p] == task.upper[p])
            work.trial[p] = task.upper[p] if is_upper else task.lower[p]
        elif p < LOGARITHMIC:
            value = parameters[p] * math.exp(min(max(step, -3.0), 3.0))
            work.trial[p] = min(max(value, task.lower[p]), task.upper[p])
        else:
            work.trial[p] = min(max(parameters[p] + step, task.lower[p]), task.upper[p])


@compiled
def mark_free(parameters: Array, lower: Array, upper: Array, work: Work) -> None:
    """Which parameters may move: not those that are pushed against a bound, or fixed."""
    for p in range(COUNT):
        gradient = work.gradient[p]
        at_lower = parameters[p] <= lower[p] and gradient >= 0.0
        at_upper = parameters[p] >= upper[p] and gradient <= 0.0
        work.is_free[p] = not (at_lower or at_upper) and lower[p] < upper[p]
