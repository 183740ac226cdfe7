r"""The objective of one day and its derivatives, compiled, as all our solvers see them.

The objective is the weighted sum of squares f(p) = sum_k w_k (g_k(p) - y_k)^2. Steps are made in
q = (log(a_x + s), log(a_y + s), log sigma_x, log sigma_y, rho_xy), where the flat directions of the
problem are straighter and parameters of different size have comparable steps; s = 0.01, because
slower speeds are nearly alike: on log a itself, Newton's method would approach the bound at 1e-5 in
steps of one. With A = W^(1/2) dg/dq and the weighted residuals r,

.. math:: \tfrac12 \nabla f = A^T r, \qquad \tfrac12 \nabla^2 f = A^T A + \sum_k r_k \nabla^2 r_k.

The second term is what Gauss-Newton leaves out and what flat directions need. A pull towards an
anchor adds the sum of strength_p (log p - anchor_p)^2 to f, with rho_xy itself for its logarithm.

Sources: paper, eq. wls_form, and its appendix on Gauss-Newton.
"""

import math

from calibscope.base.arrays import Array
from calibscope.base.compiled import compiled
from calibscope.calibration.g2.case import COUNT, Case
from calibscope.calibration.problem import Task
from calibscope.models.g2.caps import evaluate_day
from calibscope.models.g2.parameters import SLOW

SPEEDS, LOGARITHMIC = 2, 4  # the first two are speeds, the first four are moved by logarithms


@compiled
def residuals_at(order: int, parameters: Array, case: Case, residuals: Array) -> float:
    """Weighted residuals at the parameters, and the objective; derivatives into `case.work`."""
    task, work, m = case.task, case.work, case.task.quotes.size
    evaluate_day(
        order, parameters, case.book, case.day, case.scratch, work.prices[:m], work.jacobian[:m],
        work.hessian[:m], work.is_degenerate[:m],
    )  # fmt: skip
    total = 0.0
    for k in range(m):
        residual = task.root_weights[k] * (work.prices[k] - task.quotes[k])
        residuals[k] = residual
        total += residual * residual
    for p in range(COUNT):
        if task.strength[p] > 0.0:
            total += task.strength[p] * from_anchor(parameters, p, task)[0] ** 2
    return total


@compiled
def shifted(parameters: Array, p: int) -> float:
    """What coordinate q_p is the logarithm of."""
    return float(parameters[p] + (SLOW if p < SPEEDS else 0.0))


@compiled
def coordinate(parameters: Array, p: int) -> float:
    """The coordinate q_p in which steps are made."""
    return math.log(shifted(parameters, p)) if p < LOGARITHMIC else parameters[p]


@compiled
def rate(parameters: Array, p: int) -> float:
    """Derivative of a parameter by its coordinate, and the second one unless it is rho_xy."""
    return shifted(parameters, p) if p < LOGARITHMIC else 1.0


@compiled
def from_anchor(parameters: Array, p: int, task: Task) -> tuple[float, float, float]:
    """How far a parameter is from its anchor, with two derivatives by q_p."""
    if p >= LOGARITHMIC:
        return parameters[p] - task.anchor[p], 1.0, 0.0
    slope = shifted(parameters, p) / parameters[p]
    return math.log(parameters[p]) - task.anchor[p], slope, slope * (1.0 - slope)


@compiled
def normal_equations(order: int, parameters: Array, case: Case) -> None:
    """Gradient, A'A and half the Hessian by q, from the derivatives in `case.work`."""
    task, work = case.task, case.work
    m, root_weights = task.quotes.size, task.root_weights
    gradient, normal, second_order = work.gradient, work.normal, work.second_order
    gradient[:] = 0.0
    normal[:] = 0.0
    second_order[:] = 0.0
    for k in range(m):
        row, root, residual = work.jacobian[k], root_weights[k], work.residuals[k]
        for p in range(COUNT):
            slope = root * row[p] * rate(parameters, p)
            row[p] = slope
            gradient[p] += slope * residual
            for q in range(p + 1):
                normal[p, q] += slope * row[q]
        if order >= 2:
            weight = root * residual
            for p in range(COUNT):
                for q in range(p + 1):
                    second_order[p, q] += weight * work.hessian[k, p, q]
    for p in range(COUNT):
        for q in range(p + 1):
            second_order[p, q] *= rate(parameters, p) * rate(parameters, q)
        if order >= 2 and p < LOGARITHMIC:
            second_order[p, p] += gradient[p]  # d2p/dq2 = dp/dq
        if task.strength[p] > 0.0:
            away, slope, bent = from_anchor(parameters, p, task)
            gradient[p] += task.strength[p] * away * slope
            normal[p, p] += task.strength[p] * slope * slope
            if order >= 2:
                second_order[p, p] += task.strength[p] * away * bent
        for q in range(p):
            normal[q, p] = normal[p, q]
            second_order[q, p] = second_order[p, q]
    work.curvature[:] = normal + second_order


@compiled
def moved(parameters: Array, case: Case) -> None:
    """The parameters after the step in `case.work`, inside the bounds, into its `trial`."""
    task, work = case.task, case.work
    for p in range(COUNT):
        step = work.step[p]
        if work.is_held[p]:
            is_upper = step > 0.0 or (step == 0.0 and parameters[p] == task.upper[p])
            work.trial[p] = task.upper[p] if is_upper else task.lower[p]
        elif p < LOGARITHMIC:
            grown = rate(parameters, p) * math.expm1(min(max(step, -3.0), 3.0))
            work.trial[p] = min(max(parameters[p] + grown, task.lower[p]), task.upper[p])
        else:
            work.trial[p] = min(max(parameters[p] + step, task.lower[p]), task.upper[p])


@compiled
def mark_free(parameters: Array, case: Case) -> None:
    """Which parameters may move: not those that are pushed against a bound, or fixed."""
    lower, upper, work = case.task.lower, case.task.upper, case.work
    for p in range(COUNT):
        gradient = work.gradient[p]
        at_lower = parameters[p] <= lower[p] and gradient >= 0.0
        at_upper = parameters[p] >= upper[p] and gradient <= 0.0
        work.is_free[p] = not (at_lower or at_upper) and lower[p] < upper[p]


@compiled
def measure_rooms(parameters: Array, case: Case) -> None:
    """How far each coordinate is from its bounds."""
    task, work = case.task, case.work
    for p in range(COUNT):
        here = coordinate(parameters, p)
        work.room_down[p] = here - coordinate(task.lower, p)
        work.room_up[p] = coordinate(task.upper, p) - here
