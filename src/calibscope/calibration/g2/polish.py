"""From a point near an optimum to the optimum: Newton's method inside bounds.

Each step solves (H + mu D) s = -A^T r in the coordinates of `objective.py`, with H half the exact
Hessian (or Gauss-Newton's A^T A), Marquardt's scaling D = diag(A^T A), and mu raised until H + mu D
is positive definite and the step goes down. A parameter that is pushed against its bound stays
there; the others move alone.

Sources: Marquardt (1963) for the damping; Nocedal and Wright (2006), chapters 3 and 10.
"""

import math

import numpy as np

from calibscope.base.arrays import Array
from calibscope.base.compiled import compiled
from calibscope.calibration.g2.case import COUNT, Case, Work, with_held
from calibscope.calibration.g2.objective import (
    mark_free,
    measure_rooms,
    moved,
    normal_equations,
    residuals_at,
)
from calibscope.calibration.g2.refine import refine

FAR_AWAY, NEAR = 1e-4, 1e-13  # first damping
SMALLEST_GAIN = 1e-15  # of the sum of squares: less is rounding
CONVERGED = 1e-16  # of the sum of squares, that a step promises: a relative offset of 1e-8
LARGEST_DAMPING = 1e14
TOUCHING = 1e-8  # relative distance from a bound
ROUNDING = 1e-9  # of the sum of squares, where large volatilities nearly cancel
FEW_STEPS = 10
LIGHT, PROMISE = 1e-2, 10.0  # damping of steps whose promise counts, and how often it is kept


@compiled
def solved_step(matrix: Array, damping: float, work: Work) -> bool:
    """Step of the free parameters from (matrix + damping D) s = -gradient; False if indefinite.

    A parameter that the step would carry beyond its room is put at its end, and the others are
    solved for again: cut off afterwards, the step would not fit together any more.
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
            beyond = max(step[p] - work.room_up[p], -step[p] - work.room_down[p])
            if beyond > worst:
                worst, which = beyond, p
                work.shift[p] = work.room_up[p] if step[p] > 0.0 else -work.room_down[p]
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
def polish(
    order: int, damping: float, most_steps: int, case: Case, parameters: Array
) -> tuple[float, int]:
    """Move `parameters` to the optimum, to the last digit; the objective and the evaluations used.

    See `approach`; with order 2, `refine` adds the last digits.
    """
    best, evaluations = approach(order, damping, most_steps, np.inf, case, parameters)
    if order >= 2:
        best = refine(case, parameters)
        evaluations += 1
    return best, evaluations


@compiled
def approach(
    order: int, damping: float, most_steps: int, target: float, case: Case, parameters: Array
) -> tuple[float, int]:
    """Move `parameters` towards the optimum while the objective sees it; see `polish`.

    order 2 uses the exact Hessian, order 1 Gauss-Newton's. `damping` is the first mu: FAR_AWAY, or
    NEAR where an optimum is near and flat directions matter. The way ends early where steps that
    are hardly damped promise not even a tenth of what is missing to `target`.
    """
    m, work = case.task.quotes.size, case.work
    best = residuals_at(order, parameters, case, work.residuals)
    normal_equations(order, parameters, case)
    growth, evaluations = 4.0, 1
    for _ in range(most_steps):
        mark_free(parameters, case)
        measure_rooms(parameters, case)
        while not solved_step(work.curvature, damping, work):
            damping = max(10.0 * damping, 1e-12)
            if damping > LARGEST_DAMPING:
                return best, evaluations
        predicted = 0.0
        for p in range(COUNT):
            predicted -= work.step[p] * work.gradient[p]
        moved(parameters, case)
        if predicted <= CONVERGED * best:
            break
        if damping <= LIGHT and best - PROMISE * predicted > target:
            break
        value = residuals_at(order, work.trial, case, work.trial_residuals)
        evaluations += 1
        if value < best:
            gain = (best - value) / max(predicted, 1e-300)
            done = best - value <= SMALLEST_GAIN * best
            best = value
            parameters[:] = work.trial
            work.residuals[:m] = work.trial_residuals[:m]
            normal_equations(order, parameters, case)
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
    return best, evaluations


@compiled
def put_on_bounds(case: Case, value: float, parameters: Array) -> float:
    """Put parameters on bounds that they nearly touch, where that costs rounding; the objective.

    Along a flat direction steps may end a billionth before the bound, on one machine and not on
    another, and nothing would know the bound as active.
    """
    for p in range(COUNT):
        for bound in (case.task.lower[p], case.task.upper[p]):
            if 0.0 < abs(parameters[p] - bound) <= TOUCHING * abs(bound):
                there = parameters.copy()
                there[p] = bound
                found, _ = polish(2, NEAR, FEW_STEPS, with_held(p, there, case), there)
                if found <= value * (1.0 + ROUNDING):
                    value = found
                    parameters[:] = there
    return value
