r"""From a point near an optimum to the optimum: Newton's method inside bounds.

The objective is the weighted sum of squares f(p) = sum_k w_k (g_k(p) - y_k)^2. Steps are made in
q = (log a_x, log a_y, log sigma_x, log sigma_y, rho_xy), where the valleys of the problem are
straighter and parameters of different size have comparable steps. With A = W^(1/2) dg/dq and the
weighted residuals r,

.. math:: \tfrac12 \nabla f = A^T r, \qquad \tfrac12 \nabla^2 f = A^T A + \sum_k r_k \nabla^2 r_k.

The second term is what Gauss-Newton leaves out and what flat directions need. Each step solves
(H + mu D) s = -A^T r with Marquardt's scaling D = diag(A^T A), mu raised until H + mu D is
positive definite and the step goes down. A parameter that is pushed against its bound stays there;
the others move alone. A pull towards an anchor adds sum_p strength_p (q_p - anchor_p)^2 to f.
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

FAR_AWAY, NEAR = 1e-4, 1e-13  # first damping
SMALLEST_GAIN = 1e-15  # of the sum of squares: less is rounding
CONVERGED = 1e-16  # of the sum of squares, that a step promises: a relative offset of 1e-8
LARGEST_DAMPING = 1e14
SMALL_STEP = 1e-6  # of the sum of squares, that the last steps promise
ROUNDING = 1e-8  # of the sum of squares, where large volatilities nearly cancel
MOST_LAST_STEPS = 4


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
    curvature: Array  # (5, 5) half the Hessian of f by q
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
    gradient, normal, curvature = work.gradient, work.normal, work.curvature
    gradient[:] = 0.0
    normal[:] = 0.0
    curvature[:] = 0.0
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
                    curvature[p, q] += weight * work.hessian[k, p, q]
    for p in range(COUNT):
        for q in range(p + 1):
            # d2/dlog p dlog q = p q d2/dp dq, and p d/dp once more on the diagonal.
            scale = (parameters[p] if p < LOGARITHMIC else 1.0) * (
                parameters[q] if q < LOGARITHMIC else 1.0
            )
            curvature[p, q] = normal[p, q] + scale * curvature[p, q]
        if order >= 2 and p < LOGARITHMIC:
            curvature[p, p] += gradient[p]
        gradient[p] += task.strength[p] * (coordinate(parameters, p) - task.anchor[p])
        normal[p, p] += task.strength[p]
        curvature[p, p] += task.strength[p]
        for q in range(p):
            normal[q, p] = normal[p, q]
            curvature[q, p] = curvature[p, q]


@compiled
def solved_step(matrix: Array, damping: float, parameters: Array, task: Task, work: Work) -> bool:
    """Step of the free parameters from (matrix + damping D) s = -gradient; False if indefinite.

    A parameter that the step would carry beyond a bound is put on it, and the others are solved for
    again: cut off afterwards, the step would not fit together any more.
    """
    is_held, step = work.is_held, work.step
    is_held[:] = False
    for _ in range(COUNT + 1):
        if not solved_system(matrix, damping, work):
            return False
        worst, which = 0.0, -1
        for p in range(COUNT):
            if not work.is_free[p] or is_held[p]:
                continue
            here = coordinate(parameters, p)
            room_down = here - coordinate(task.lower, p)
            room_up = coordinate(task.upper, p) - here
            beyond = max(step[p] - room_up, -step[p] - room_down)
            if beyond > worst:
                worst, which = beyond, p
                work.shift[p] = room_up if step[p] > 0.0 else -room_down
        if which < 0:
            break
        is_held[which] = True
    return True


@compiled
def solved_system(matrix: Array, damping: float, work: Work) -> bool:
    """The same without bounds, by Cholesky; held parameters move by their shift."""
    system, step = work.system, work.step
    for p in range(COUNT):
        moves = work.is_free[p] and not work.is_held[p]
        step[p] = -work.gradient[p] if moves else 0.0
        for q in range(COUNT):
            if q <= p:
                other = work.is_free[q] and not work.is_held[q]
                system[p, q] = matrix[p, q] if moves and other else 0.0
            if moves and work.is_held[q]:
                step[p] -= matrix[p, q] * work.shift[q]
        if moves:
            system[p, p] += damping * work.normal[p, p] + 1e-300
        else:
            system[p, p] = 1.0
    for p in range(COUNT):
        for q in range(p):
            value = system[p, q]
            for j in range(q):
                value -= system[p, j] * system[q, j]
            system[p, q] = value / system[q, q]
        value, before = system[p, p], system[p, p]
        for j in range(p):
            value -= system[p, j] * system[p, j]
        # Less than its rounding is not positive.
        if not value > 1e-15 * abs(before):
            return False
        system[p, p] = math.sqrt(value)
    for p in range(COUNT):
        for j in range(p):
            step[p] -= system[p, j] * step[j]
        step[p] /= system[p, p]
    for p in range(COUNT - 1, -1, -1):
        for j in range(p + 1, COUNT):
            step[p] -= system[j, p] * step[j]
        step[p] /= system[p, p]
    for p in range(COUNT):
        if work.is_held[p]:
            step[p] = work.shift[p]
    return True


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


@compiled
def polish(
    order: int,
    damping: float,
    most_steps: int,
    book: CapBook,
    day: int,
    task: Task,
    scratch: Scratch,
    work: Work,
    parameters: Array,
) -> tuple[float, int]:
    """Move `parameters` to the optimum; the objective there and the evaluations used.

    order 2 uses the exact Hessian, order 1 Gauss-Newton's. `damping` is the first mu: FAR_AWAY, or
    NEAR where an optimum is near and flat directions matter.
    """
    m, lower, upper = task.quotes.size, task.lower, task.upper
    best = residuals_at(order, parameters, book, day, task, scratch, work, work.residuals)
    normal_equations(order, parameters, task, work)
    growth, evaluations = 4.0, 1
    for _ in range(most_steps):
        mark_free(parameters, lower, upper, work)
        while not solved_step(work.curvature, damping, parameters, task, work):
            damping = max(10.0 * damping, 1e-12)
            if damping > LARGEST_DAMPING:
                return best, evaluations
        predicted = 0.0
        for p in range(COUNT):
            predicted -= work.step[p] * work.gradient[p]
        moved(parameters, task, work)
        if predicted <= CONVERGED * best:
            break
        value = residuals_at(
            order, work.trial, book, day, task, scratch, work, work.trial_residuals
        )
        evaluations += 1
        if value < best:
            gain = (best - value) / max(predicted, 1e-300)
            done = best - value <= SMALLEST_GAIN * best
            best = value
            parameters[:] = work.trial
            work.residuals[:m] = work.trial_residuals[:m]
            normal_equations(order, parameters, task, work)
            damping *= max(1.0 / 9.0, 1.0 - (2.0 * gain - 1.0) ** 3) if gain < 2.0 else 1.0 / 9.0
            damping = max(damping, 1e-16)
            growth = 4.0
            if done:
                break
        else:
            damping = max(damping * growth, 1e-12)
            growth *= 2.0
            if damping > LARGEST_DAMPING:
                break
    if order >= 2:
        best = settle(book, day, task, scratch, work, best, parameters)
        evaluations += 1
    return best, evaluations


@compiled
def settle(
    book: CapBook,
    day: int,
    task: Task,
    scratch: Scratch,
    work: Work,
    total: float,
    parameters: Array,
) -> float:
    """Last, undamped steps next to an optimum, where the objective sees only rounding.

    Its relative rounding is about 1e-12, which leaves a parameter's last six digits open; the
    gradient does not. Returns the objective at the end.
    """
    promised = np.inf
    for _ in range(MOST_LAST_STEPS):
        total = residuals_at(2, parameters, book, day, task, scratch, work, work.residuals)
        normal_equations(2, parameters, task, work)
        mark_free(parameters, task.lower, task.upper, work)
        if not solved_step(work.curvature, 0.0, parameters, task, work):
            break
        before, promised = promised, 0.0
        for p in range(COUNT):
            promised -= work.step[p] * work.gradient[p]
        if not 0.0 <= promised < min(SMALL_STEP * total, 0.25 * before):
            break
        moved(parameters, task, work)
        value = residuals_at(2, work.trial, book, day, task, scratch, work, work.trial_residuals)
        if not value <= total * (1.0 + ROUNDING):
            break
        total = value
        parameters[:] = work.trial
    return total
