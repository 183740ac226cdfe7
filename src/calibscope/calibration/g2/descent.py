"""Down a flat direction: Newton's method in the two speeds, everything else at its best.

At given speeds the best volatilities and correlation follow from the surrogate, renewed until
nothing moves (`inner_fit`). The speeds then take Newton steps on what is left, whose Hessian is the
Schur complement of the exact one. In these two coordinates the long, curved flat directions of the
five parameters are short.

With f of speeds a and the rest b, the Hessian is :math:`f_{aa} - f_{ab} f_{bb}^{-1} f_{ba}`:
variable projection (Golub and Pereyra, 1973).
"""

import math

import numpy as np

from calibscope.base.arrays import Array
from calibscope.base.compiled import compiled
from calibscope.calibration.g2.case import COUNT, Case
from calibscope.calibration.g2.equal_speeds import ALMOST_OPPOSITE
from calibscope.calibration.g2.objective import (
    SPEEDS,
    mark_free,
    normal_equations,
    rate,
    residuals_at,
)
from calibscope.calibration.g2.polish import FAR_AWAY, approach
from calibscope.calibration.g2.surrogate import linear_fit, linearise, set_basis, set_variance

MOST_STEPS = 100
INNER_STEPS = 12
MOST_MISSES = 5  # in a row: a bound makes a kink here, which the polish will turn around
PROBES = (-0.05, 0.05, -0.1, 0.1, -0.17, 0.17)  # of the log of the faster speed
MOST_PROBES = 4
NEAR_ENOUGH = 1e-7  # relative change of the sum of squares at which the next stage takes over
ROUGH = 1e-3  # the same for low points that are only compared


@compiled
def inner_fit(tolerance: float, case: Case, parameters: Array) -> float:
    """Best volatilities and correlation at the speeds in `parameters`; the true sum of squares.

    Starts from the volatilities in `parameters`: linearise, solve in the cone, until nothing moves.
    Where it goes on moving, as between two fits whose linear models point at each other, the best
    of all that were measured is taken.
    """
    set_basis(parameters, case)
    last = lowest = np.inf
    sigma_x, sigma_y, rho = parameters[2], parameters[3], parameters[4]
    for _ in range(INNER_STEPS):
        set_variance(parameters, case)
        value = linearise(case)
        if not abs(last - value) > tolerance * value:
            return value
        if value < lowest:
            lowest, sigma_x, sigma_y, rho = value, parameters[2], parameters[3], parameters[4]
        last = value
        linear_fit(case, parameters)
    parameters[2], parameters[3], parameters[4] = sigma_x, sigma_y, rho
    return lowest


@compiled
def reduced_step(parameters: Array, damping: float, case: Case) -> float:
    """Newton step of the speeds with the inner parameters eliminated; what it promises.

    The Schur complement of half the Hessian, on the inner parameters that are free; not a number
    where it is not positive definite.
    """
    mark_free(parameters, case)
    work = case.work
    H, step, system = work.curvature, work.step, work.system
    system[:] = H
    for p in range(COUNT):
        step[p] = -work.gradient[p]
    for p in range(COUNT - 1, SPEEDS - 1, -1):
        pivot = system[p, p]
        if not work.is_free[p] or not pivot > 1e-12 * abs(H[p, p]):
            continue
        for i in range(p):
            if i >= SPEEDS and not work.is_free[i]:
                continue
            factor = system[p, i] / pivot
            step[i] -= factor * step[p]
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
        return np.nan
    first, second = step[0], step[1]
    step[0] = (yy * first - xy * second) / determinant
    step[1] = (xx * second - xy * first) / determinant
    return float(first * step[0] + second * step[1])


@compiled
def descend(most_steps: int, tolerance: float, case: Case, parameters: Array) -> tuple[float, int]:
    """Newton's method in the two speeds, everything else at its best; the sum of squares."""
    work, lower, upper = case.work, case.task.lower, case.task.upper
    trial = work.trial
    best = inner_fit(tolerance, case, parameters)
    damping, evaluations, misses = 1e-3, 1, 0
    for _ in range(most_steps):
        if misses == 0:
            residuals_at(2, parameters, case, work.residuals)
            normal_equations(2, parameters, case)
        promised = reduced_step(parameters, damping, case)
        while not promised >= 0.0:
            damping = max(4.0 * damping, 1e-3)
            if damping > 1e12:
                return best, evaluations
            promised = reduced_step(parameters, damping, case)
        if promised < 10.0 * tolerance * best:
            break
        shrink = min(1.0, 1.0 / max(abs(work.step[0]), abs(work.step[1])))
        trial[:] = parameters
        for p in range(SPEEDS):
            moved_to = parameters[p] + rate(parameters, p) * math.expm1(shrink * work.step[p])
            trial[p] = min(max(moved_to, lower[p]), upper[p])
        value = inner_fit(tolerance, case, trial)
        evaluations += 1
        if value < best:
            is_done = best - value < 10.0 * tolerance * best
            best = value
            parameters[:] = trial
            damping = max(damping / 8.0, 1e-12)
            misses = 0
            if is_done:
                break
        else:
            damping = max(8.0 * damping, 1e-6)
            misses += 1
            if misses == MOST_MISSES:
                break
    return best, evaluations


@compiled
def look_around(case: Case, best: float, parameters: Array) -> tuple[float, int]:
    """Leave a small basin beside a deeper one, as they lie where a caplet's variance nearly
    vanishes: the faster speed is moved a little to either side, and a lower point is followed.
    """
    task, probe, evaluations = case.task, case.work.probe, 0
    for _ in range(MOST_PROBES):
        found = False
        for distance in PROBES:
            probe[:] = parameters
            probe[0] = min(max(parameters[0] * math.exp(distance), task.lower[0]), task.upper[0])
            value = inner_fit(ROUGH, case, probe)
            evaluations += 1
            if value < best * (1.0 - 1e-6):
                best, used = descend(MOST_STEPS, NEAR_ENOUGH, case, probe)
                evaluations += used
                parameters[:] = probe
                found = True
                break
        if not found:
            break
    if task.lower[4] < parameters[4] < ALMOST_OPPOSITE:
        # Beside rho = -1, where early caplets have almost no variance, steps are small: jump.
        probe[:] = parameters
        probe[4] = task.lower[4]
        value, used = approach(2, FAR_AWAY, MOST_STEPS, np.inf, case, probe)
        evaluations += used
        if value < best:
            best = value
            parameters[:] = probe
    return best, evaluations
