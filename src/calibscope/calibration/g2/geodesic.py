r"""Along a narrow curved flat direction: Levenberg-Marquardt steps that follow its curve.

Where fits hardly change along some curve of the parameters, Newton's method creeps: its straight
steps leave it, so that they have to be short. With the velocity v of
Levenberg-Marquardt the acceleration a along a geodesic of the model is known from the second
derivatives of the residuals, and the step bends with it,

.. math:: (A^T A + \mu D)\,v = -A^T r, \qquad (A^T A + \mu D)\,a = -A^T r_{vv}, \qquad
    s = v + \tfrac12 a,

where r_vv are the residuals' second derivatives along v. A step whose acceleration is not small
against its velocity is not trusted.

Source: Transtrum and Sethna (2012), "Improvements to the Levenberg-Marquardt algorithm for
nonlinear least-squares minimization", section 4.
"""

import math

import numpy as np

from calibscope.base.arrays import Array
from calibscope.base.compiled import compiled
from calibscope.calibration.g2.case import COUNT, Case
from calibscope.calibration.g2.objective import (
    LOGARITHMIC,
    mark_free,
    measure_rooms,
    moved,
    normal_equations,
    rate,
    residuals_at,
)
from calibscope.calibration.g2.polish import solved_step, solved_system

MOST_ACCELERATION = 0.75  # twice its length over that of the velocity
FIRST_DAMPING, SMALLEST_DAMPING, LARGEST_DAMPING = 1e-6, 1e-15, 1e8
SMALLEST_GAIN = 1e-10  # of the sum of squares, in STEPS_TO_GAIN steps
STEPS_TO_GAIN = 10


@compiled
def follow_flat_direction(most_steps: int, case: Case, parameters: Array) -> tuple[float, int]:
    """Move `parameters` down along a flat direction; the objective and the evaluations used."""
    m, work = case.task.quotes.size, case.work
    best = residuals_at(2, parameters, case, work.residuals)
    velocity, acceleration = np.empty(COUNT), np.empty(COUNT)
    damping, evaluations, then = FIRST_DAMPING, 1, best
    normal_equations(2, parameters, case)
    for step in range(most_steps):
        mark_free(parameters, case)
        measure_rooms(parameters, case)
        if not solved_step(work.normal, damping, work):
            damping *= 10.0
            if damping > LARGEST_DAMPING:
                break
            continue
        velocity[:] = work.step
        is_trusted = accelerate(velocity, damping, parameters, case, acceleration)
        value = np.inf
        if is_trusted:
            for p in range(COUNT):
                bent = velocity[p] + 0.5 * acceleration[p]
                work.step[p] = min(max(bent, -work.room_down[p]), work.room_up[p])
            moved(parameters, case)
            value = residuals_at(2, work.trial, case, work.trial_residuals)
            evaluations += 1
        if value < best:
            best = value
            parameters[:] = work.trial
            work.residuals[:m] = work.trial_residuals[:m]
            normal_equations(2, parameters, case)
            damping = max(0.2 * damping, SMALLEST_DAMPING)
        else:
            damping *= 3.0
            if value < np.inf:  # derivatives are those of the trial
                residuals_at(2, parameters, case, work.residuals)
                normal_equations(2, parameters, case)
            if damping > LARGEST_DAMPING:
                break
        if (step + 1) % STEPS_TO_GAIN == 0:
            if then - best <= SMALLEST_GAIN * best:
                break
            then = best
    return best, evaluations


@compiled
def accelerate(
    velocity: Array, damping: float, parameters: Array, case: Case, acceleration: Array
) -> bool:
    """The acceleration that goes with a velocity; whether it is small against that."""
    task, work = case.task, case.work
    keep = work.gradient.copy()
    work.gradient[:] = 0.0
    for k in range(task.quotes.size):
        second = 0.0
        for p in range(COUNT):
            for q in range(COUNT):
                bent = work.hessian[k, p, q] * rate(parameters, p) * rate(parameters, q)
                second += bent * velocity[p] * velocity[q]
        second *= task.root_weights[k]
        for p in range(LOGARITHMIC):  # d2p/dq2 = dp/dq
            second += work.jacobian[k, p] * velocity[p] ** 2
        for p in range(COUNT):
            work.gradient[p] += work.jacobian[k, p] * second
    # Parameters that the velocity put on a bound stay there.
    for p in range(COUNT):
        work.shift[p] = 0.0
    is_solved = solved_system(work.normal, damping, work)
    acceleration[:] = work.step
    work.gradient[:] = keep
    fast = slow = 0.0
    for p in range(COUNT):
        size = work.normal[p, p]
        fast += size * velocity[p] ** 2
        slow += size * acceleration[p] ** 2
    return bool(is_solved and 2.0 * math.sqrt(slow) <= MOST_ACCELERATION * math.sqrt(fast))
