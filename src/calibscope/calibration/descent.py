"""Down a valley: Newton's method in the two speeds, everything else at its best.

At given speeds the best volatilities and correlation follow from the surrogate, renewed until
nothing moves (`inner_fit`). The speeds then take Newton steps on what is left, whose Hessian is the
Schur complement of the exact one. In these two coordinates the long, curved valleys of the five
parameters are short.
"""

import math

import numpy as np

from calibscope.base.arrays import Array
from calibscope.base.compiled import compiled
from calibscope.calibration.cone import cone_fit
from calibscope.calibration.objective import (
    COUNT,
    Task,
    Work,
    mark_free,
    normal_equations,
    residuals_at,
)
from calibscope.calibration.polish import FAR_AWAY, approach
from calibscope.calibration.surrogate import SLOW, Surrogate, fill_column, linearise
from calibscope.models.g2.book import CapBook
from calibscope.models.g2.caps import Scratch
from calibscope.models.g2.variance import basis_rows

MOST_STEPS = 100
PROBES = (-0.05, 0.05, -0.1, 0.1, -0.17, 0.17)  # of the log of the faster speed
MOST_PROBES = 4
ALMOST_OPPOSITE = -0.99
RIDGE_RATIO = 2.0  # speeds nearer than that may lie on the ridge of equal speeds
FINE = 18  # refinements of the angle on the boundary, where factors may nearly cancel
NEAR_ENOUGH = 1e-10  # relative change of the sum of squares at which the next stage takes over
ROUGH = 1e-3  # the same for valley points that are only compared


@compiled
def inner_fit(
    book: CapBook,
    day: int,
    task: Task,
    scratch: Scratch,
    surrogate: Surrogate,
    tolerance: float,
    parameters: Array,
) -> float:
    """Best volatilities and correlation at the speeds in `parameters`; the true sum of squares.

    Starts from the volatilities in `parameters`: linearise, solve in the cone, until nothing moves.
    """
    m, lower, upper = task.quotes.size, task.lower, task.upper
    periods = slice(book.periods_of_day[day], book.periods_of_day[day + 1])
    resets, spans = book.reset[periods], book.span[periods]
    basis = scratch.basis
    basis_rows(parameters[0], parameters[1], resets, spans, 1, scratch.decays, basis)
    solution, last = parameters[2:], np.inf
    largest = min(upper[2], upper[3]) ** 2
    value = np.inf
    for _ in range(12):
        u, v = solution[0] ** 2, solution[1] ** 2
        w = 2.0 * solution[2] * solution[0] * solution[1]
        for i in range(resets.size):
            x, y = u * basis[0, i], v * basis[1, i]
            surrogate.variance[i] = max(x + y + w * basis[2, i], 1e-13 * (x + y))
        value = linearise(book, day, task, scratch, surrogate)
        if not abs(last - value) > tolerance * value:
            break
        last = value
        for p in range(3):
            fill_column(book, day, basis[p], surrogate.slopes, surrogate.design[p])
        cone_fit(surrogate.design, surrogate.target, m, largest, FINE, surrogate.angles, solution)
        for p in range(3):
            solution[p] = min(max(solution[p], lower[2 + p]), upper[2 + p])
    return value


@compiled
def reduced_step(parameters: Array, lower: Array, upper: Array, damping: float, work: Work) -> bool:
    """Newton step of the log speeds with the inner parameters eliminated; False if indefinite.

    The Schur complement of half the Hessian, on the inner parameters that are free.
    """
    mark_free(parameters, lower, upper, work)
    H, step = work.curvature, work.step
    system = work.system
    system[:] = H
    for p in range(2):
        step[p] = -work.gradient[p]
    step[2:] = 0.0
    for p in range(COUNT - 1, 1, -1):
        if not work.is_free[p]:
            continue
        pivot = system[p, p]
        if not pivot > 1e-12 * abs(H[p, p]):
            continue
        for i in range(p):
            if i >= 2 and not work.is_free[i]:
                continue
            factor = system[p, i] / pivot
            for j in range(p):
                system[i, j] -= factor * system[p, j]
    xx = system[0, 0] + damping * (abs(system[0, 0]) + 1e-12 * H[0, 0])
    yy = system[1, 1] + damping * (abs(system[1, 1]) + 1e-12 * H[1, 1])
    xy = system[0, 1]
    if not work.is_free[0]:
        xx, xy, step[0] = 1.0, 0.0, 0.0
    if not work.is_free[1]:
        yy, xy, step[1] = 1.0, 0.0, 0.0
    determinant = xx * yy - xy * xy
    if not (xx > 0.0 and yy > 0.0 and determinant > 1e-14 * xx * yy):
        return False
    first, second = step[0], step[1]
    step[0] = (yy * first - xy * second) / determinant
    step[1] = (xx * second - xy * first) / determinant
    return True


@compiled
def descend(
    most_steps: int,
    tolerance: float,
    book: CapBook,
    day: int,
    task: Task,
    scratch: Scratch,
    surrogate: Surrogate,
    work: Work,
    parameters: Array,
) -> tuple[float, int]:
    """Newton's method in the two speeds, everything else at its best; the sum of squares."""
    lower, upper, trial = task.lower, task.upper, work.trial
    best = inner_fit(book, day, task, scratch, surrogate, tolerance, parameters)
    damping, evaluations, fresh = 1e-3, 1, True
    for _ in range(most_steps):
        if fresh:
            residuals_at(2, parameters, book, day, task, scratch, work, work.residuals)
            normal_equations(2, parameters, task, work)
            fresh = False
        while not reduced_step(parameters, lower, upper, damping, work):
            damping = max(4.0 * damping, 1e-3)
            if damping > 1e12:
                return best, evaluations
        longest = max(abs(work.step[0]), abs(work.step[1]))
        promised = -work.step[0] * work.gradient[0] - work.step[1] * work.gradient[1]
        if promised < 10.0 * tolerance * best:
            break
        shrink = min(1.0, 1.0 / longest)
        trial[:] = parameters
        for p in range(2):
            moved_to = parameters[p] * math.exp(shrink * work.step[p])
            trial[p] = min(max(moved_to, lower[p]), upper[p])
        value = inner_fit(book, day, task, scratch, surrogate, tolerance, trial)
        evaluations += 1
        if value < best:
            done = best - value < 10.0 * tolerance * best
            best = value
            parameters[:] = trial
            damping = max(damping / 8.0, 1e-12)
            fresh = True
            if done:
                break
        else:
            damping = max(8.0 * damping, 1e-6)
            if damping > 1e12:
                break
    return best, evaluations


@compiled
def look_around(
    book: CapBook,
    day: int,
    task: Task,
    scratch: Scratch,
    surrogate: Surrogate,
    work: Work,
    best: float,
    parameters: Array,
) -> tuple[float, int]:
    """Leave a small basin beside a deeper one, as they lie where a caplet's variance nearly
    vanishes: the faster speed is moved a little to either side, and a lower point is followed.
    """
    evaluations, probe = 0, work.probe
    for _ in range(MOST_PROBES):
        found = False
        for distance in PROBES:
            probe[:] = parameters
            probe[0] = min(max(parameters[0] * math.exp(distance), task.lower[0]), task.upper[0])
            value = inner_fit(book, day, task, scratch, surrogate, ROUGH, probe)
            evaluations += 1
            if value < best * (1.0 - 1e-6):
                value, used = descend(
                    MOST_STEPS, NEAR_ENOUGH, book, day, task, scratch, surrogate, work, probe
                )
                evaluations += used
                best = value
                parameters[:] = probe
                found = True
                break
        if not found:
            break
    if parameters[4] >= ALMOST_OPPOSITE:
        return best, evaluations
    if parameters[0] + SLOW < RIDGE_RATIO * (parameters[1] + SLOW):
        # Near the ridge a_x = a_y the mean speed, sigma_x - sigma_y and sigma (a_x - a_y) hardly
        # change, and the valley falls slightly towards the bound of sigma: jump to its end. With
        # the factors the other way round this is a long shot, but it pays on one day in a thousand.
        probe[:] = parameters
        rise = min(task.upper[2] - parameters[2], task.upper[3] - parameters[3])
        probe[2], probe[3] = parameters[2] + rise, parameters[3] + rise
        probe[4] = task.lower[4]
        middle = 0.5 * (parameters[0] + parameters[1])
        half = 0.5 * (parameters[0] - parameters[1]) * parameters[2] / probe[2]
        probe[0], probe[1] = middle + half, max(middle - half, task.lower[1])
        value, used = approach(2, FAR_AWAY, MOST_STEPS, book, day, task, scratch, work, probe)
        evaluations += used
        if value < best:
            best = value
            parameters[:] = probe
    elif task.lower[4] < parameters[4]:
        # Beside rho = -1, where early caplets have almost no variance, steps are small: jump.
        probe[:] = parameters
        probe[4] = task.lower[4]
        value, used = approach(2, FAR_AWAY, MOST_STEPS, book, day, task, scratch, work, probe)
        evaluations += used
        if value < best:
            best = value
            parameters[:] = probe
    return best, evaluations
