r"""Equal-speed degeneracy: Newton's method in coordinates in which the flat direction is straight.

As the two speeds approach each other and the volatilities grow, rho near -1, prices hardly change:
the mean speed, kappa = sigma_x (a_x - a_y), eta = sigma_x - sigma_y and nu = sigma_x sigma_y
(1 + rho) stay where they are, and only sigma_x = exp(s) moves. With b the slower speed, or one that
is held, say a_y,

.. math::

    a_x = b + \kappa e^{-s}, \quad a_y = b, \quad
    \sigma_x = e^s, \quad \sigma_y = e^s - \eta, \quad
    \rho = \frac{\nu}{e^s (e^s - \eta)} - 1 .

In the model's own parameters this is a curved degenerate direction, along which Newton's method
creeps for hundreds of steps. In c = (s, b, kappa, eta, nu) it is a straight line: the near-optimal
set is walked from one sigma to the next, all else refitted in a few steps, and every minimum on the
way is found.

The coordinates are ours; the prices are the paper's (eq. analytical_cap_price).
"""

import math

import numpy as np

from calibscope.base.arrays import Array
from calibscope.base.compiled import compiled
from calibscope.calibration.g2.case import COUNT, Case
from calibscope.calibration.g2.cone import ROUNDING
from calibscope.calibration.g2.objective import LOGARITHMIC, normal_equations, rate, residuals_at
from calibscope.calibration.g2.polish import solved_step
from calibscope.calibration.problem import Task
from calibscope.models.g2.parameters import SLOW, SWAP

DEGENERATE_RATIO = 2.0  # speeds nearer than that may be degenerate
ALMOST_OPPOSITE = -0.9
STRIDE, MOST_STAGES = 0.7, 12  # of s, from one stage of the walk to the next
MOST_STEPS, MOST_SECANTS = 30, 10
FIRST_DAMPING, LARGEST_DAMPING = 1e-8, 1e8
ROUGH, NEAR_ENOUGH = 1e-9, 1e-10  # of the sum of squares, that a step promises
CLOSE = 1e-3  # relative: minima of the walk that are followed


@compiled
def is_near_equal_speeds(parameters: Array) -> bool:
    """Whether the speeds are so near to each other that the coordinates of this file serve."""
    fast = max(parameters[0], parameters[1]) + SLOW
    slow = min(parameters[0], parameters[1]) + SLOW
    return bool(parameters[4] < ALMOST_OPPOSITE and fast < DEGENERATE_RATIO * slow)


@compiled
def walk_equal_speeds(case: Case, parameters: Array) -> tuple[float, int]:
    """Move `parameters` to the best optimum along equal speeds; the objective and the evaluations.

    The flat direction is walked up to the bound of sigma_x, and down while that helps. Between
    stages where the slope changes its sign, and at the bound, lies a minimum.
    """
    points, values = np.empty((2 * MOST_STAGES, COUNT)), np.empty(2 * MOST_STAGES)
    slopes, evaluations = np.empty(2 * MOST_STAGES), 0
    here = parameters.copy()
    if here[2] < here[3] and can_be_swapped(here, case.task):  # sigma_x is to reach the bound first
        here[:] = here[SWAP]
    begin, end = math.log(here[2]), math.log(case.task.upper[2])
    ups = max(1, min(1 + math.ceil((end - begin) / STRIDE), MOST_STAGES))
    first, count = MOST_STAGES, ups
    for stage in range(ups):
        if stage > 0:
            move_along(begin + (end - begin) * stage / (ups - 1), case, here)
        place = first + stage
        values[place], slopes[place], used = conditional_fit(True, case, here)
        points[place] = here
        evaluations += used
    while slopes[first] > 0.0 and first > 0 and is_near_equal_speeds(points[first]):
        here[:] = points[first]
        first, count = first - 1, count + 1
        move_along(math.log(here[2]) - STRIDE, case, here)
        values[first], slopes[first], used = conditional_fit(True, case, here)
        points[first] = here
        evaluations += used
    lowest = first + np.argmin(values[first : first + count])
    best = values[lowest]
    parameters[:] = points[lowest]
    for place in range(first, first + count - 1):
        is_low = min(values[place], values[place + 1]) <= (1.0 + CLOSE) * values[lowest]
        if is_low and slopes[place] < 0.0 <= slopes[place + 1]:
            value, used = between(
                points[place], slopes[place], points[place + 1], slopes[place + 1], case, here
            )
            evaluations += used
            if value < best:
                best = value
                parameters[:] = here
    return best, evaluations


@compiled
def can_be_swapped(parameters: Array, task: Task) -> bool:
    """Whether the bounds allow the factors in the other order, too."""
    is_inside = True
    for p in range(COUNT):
        is_inside &= task.lower[p] <= parameters[SWAP[p]] <= task.upper[p]
    return is_inside


@compiled
def between(
    left: Array, left_slope: float, right: Array, right_slope: float, case: Case, here: Array
) -> tuple[float, int]:
    """The minimum between two points, by the secant of the slope, into `here`."""
    low, high = math.log(left[2]), math.log(right[2])
    value, evaluations = np.inf, 0
    for _ in range(MOST_SECANTS):
        share = min(max(-left_slope / (right_slope - left_slope), 0.05), 0.95)
        s = low + share * (high - low)
        here[:] = left if share < 0.5 else right
        move_along(s, case, here)
        value, slope, used = conditional_fit(True, case, here)
        evaluations += used
        if abs(slope) * (high - low) <= NEAR_ENOUGH * value:
            break
        # Halving the slope of an end that stays keeps the secant from creeping (Illinois).
        if slope < 0.0:
            low, left_slope, right_slope = s, slope, 0.5 * right_slope
            left = here.copy()
        else:
            high, right_slope, left_slope = s, slope, 0.5 * left_slope
            right = here.copy()
    return value, evaluations


@compiled
def move_along(s: float, case: Case, parameters: Array) -> None:
    """Along the flat direction to another sigma_x, the mean speed where it is."""
    place = coordinates(parameters, case)
    place[1] += 0.5 * abs(place[2]) * (math.exp(-place[0]) - math.exp(-s))
    place[0] = s
    set_parameters(place, case, parameters)


@compiled
def conditional_fit(is_s_held: bool, case: Case, parameters: Array) -> tuple[float, float, int]:
    """Newton's method in c, in place; the objective, its slope by s, and the evaluations.

    Either sigma_x is held, or a speed whose bounds are equal. The slope is that of the refitted
    objective: with all else fixed, after one more step.
    """
    work, trial = case.work, case.work.trial
    best = residuals_at(2, parameters, case, work.residuals)
    damping, evaluations, slope, is_fresh = FIRST_DAMPING, 1, 0.0, True
    own = np.empty(COUNT)
    for _ in range(MOST_STEPS):
        if is_fresh:
            normal_equations(2, parameters, case)
            own[:] = coordinates(parameters, case)
            change_coordinates(own, case, parameters)
            work.is_free[0] &= not is_s_held
            is_fresh = False
        while not solved_step(work.curvature, damping, work):
            damping = max(10.0 * damping, FIRST_DAMPING)
            if damping > LARGEST_DAMPING:
                return best, slope, evaluations
        promised, slope = -work.step[0] * work.gradient[0], work.gradient[0]
        for p in range(1, COUNT):
            promised -= work.step[p] * work.gradient[p]
            slope += work.step[p] * work.curvature[0, p]
        if promised <= ROUGH * best:
            break
        set_parameters(own + work.step, case, trial)
        value = residuals_at(2, trial, case, work.trial_residuals)
        evaluations += 1
        if value < best:
            best, is_fresh = value, True
            parameters[:] = trial
            work.residuals[:] = work.trial_residuals
            damping = max(0.1 * damping, FIRST_DAMPING)
        else:
            damping = max(20.0 * damping, 1e-4)
            if damping > LARGEST_DAMPING:
                break
    return best, slope, evaluations


@compiled
def base_speed(gap: float, case: Case) -> int:
    """Which speed is b: one that is held, else the slower one."""
    lower, upper = case.task.lower, case.task.upper
    if lower[0] == upper[0] or lower[1] == upper[1]:
        return 0 if lower[0] == upper[0] else 1
    return 1 if gap >= 0.0 else 0


@compiled
def coordinates(parameters: Array, case: Case) -> Array:
    """The coordinates c of the parameters."""
    sigma_x, sigma_y = parameters[2], parameters[3]
    gap = parameters[0] - parameters[1]
    return np.array(
        [
            math.log(sigma_x),
            parameters[base_speed(gap, case)],
            sigma_x * gap,
            sigma_x - sigma_y,
            sigma_x * sigma_y * (1.0 + parameters[4]),
        ]
    )


@compiled
def set_parameters(place: Array, case: Case, parameters: Array) -> None:
    """The parameters at c, inside the bounds."""
    lower, upper, sigma_x = case.task.lower, case.task.upper, math.exp(place[0])
    base = base_speed(place[2], case)
    sign = 1.0 if base == 1 else -1.0
    parameters[base] = max(place[1], lower[base])
    parameters[1 - base] = parameters[base] + sign * place[2] / sigma_x
    parameters[2], parameters[3] = sigma_x, sigma_x - place[3]
    for p in range(LOGARITHMIC):
        parameters[p] = min(max(parameters[p], lower[p]), upper[p])
        if parameters[p] > (1.0 - ROUNDING) * upper[p]:
            parameters[p] = upper[p]
    rho = place[4] / (parameters[2] * parameters[3]) - 1.0
    parameters[4] = min(max(rho, lower[4]), upper[4])


@compiled
def change_coordinates(place: Array, case: Case, parameters: Array) -> None:
    """Gradient, A'A and half the Hessian by c instead of q, and which coordinates may move."""
    work, lower, upper = case.work, case.task.lower, case.task.upper
    gradient, slope, T = work.gradient, np.empty(COUNT), np.zeros((COUNT, COUNT))
    # By the parameters themselves first.
    for p in range(COUNT):
        slope[p] = gradient[p] / rate(parameters, p)
    for p in range(COUNT):
        if p < LOGARITHMIC:
            work.curvature[p, p] -= gradient[p]
        for q in range(COUNT):
            scale = 1.0 / (rate(parameters, p) * rate(parameters, q))
            work.curvature[p, q] *= scale
            work.normal[p, q] *= scale
    sigma_x, eta, nu = parameters[2], place[3], place[4]
    base = base_speed(place[2], case)
    fast = 1 - base
    per = (1.0 if base == 1 else -1.0) / sigma_x
    distance = per * place[2]
    D = sigma_x * (sigma_x - eta)
    D_s, D_eta = 2.0 * sigma_x * sigma_x - eta * sigma_x, -sigma_x
    D_ss = 2.0 * D_s + eta * sigma_x
    T[fast, 0], T[fast, 1], T[fast, 2], T[1 - fast, 1] = -distance, 1.0, per, 1.0
    T[2, 0], T[3, 0], T[3, 3] = sigma_x, sigma_x, -1.0
    T[4, 0], T[4, 3], T[4, 4] = -nu * D_s / D**2, -nu * D_eta / D**2, 1.0 / D
    work.curvature[:] = product(T, work.curvature)
    work.normal[:] = product(T, work.normal)
    # The second derivatives of the parameters by c.
    B = work.curvature
    B[0, 0] += distance * slope[fast] + sigma_x * (slope[2] + slope[3])
    B[0, 0] += slope[4] * nu * (2.0 * D_s * D_s / D - D_ss) / D**2
    add(B, 0, 2, -per * slope[fast])
    add(B, 0, 3, slope[4] * nu * (2.0 * D_s * D_eta / D - D_eta) / D**2)
    add(B, 0, 4, -slope[4] * D_s / D**2)
    add(B, 3, 4, -slope[4] * D_eta / D**2)
    B[3, 3] += slope[4] * 2.0 * nu * D_eta * D_eta / D**3
    for c in range(COUNT):
        total = 0.0
        for p in range(COUNT):
            total += T[p, c] * slope[p]
        gradient[c] = total
    work.room_down[:], work.room_up[:] = np.inf, np.inf
    work.room_up[0] = math.log(upper[2]) - place[0]
    work.room_down[1] = place[1] - lower[base]
    work.room_down[4] = nu
    work.is_free[0] = not (work.room_up[0] <= 0.0 and gradient[0] <= 0.0)
    work.is_free[1] = lower[base] < upper[base] and not (
        work.room_down[1] <= 0.0 and gradient[1] >= 0.0
    )
    work.is_free[2] = work.is_free[3] = True
    work.is_free[4] = not (nu <= 0.0 and gradient[4] >= 0.0)


@compiled
def product(T: Array, matrix: Array) -> Array:
    """T' M T."""
    half, whole = np.zeros((COUNT, COUNT)), np.zeros((COUNT, COUNT))
    for p in range(COUNT):
        for c in range(COUNT):
            for q in range(COUNT):
                half[p, c] += matrix[p, q] * T[q, c]
    for p in range(COUNT):
        for c in range(COUNT):
            for q in range(COUNT):
                whole[p, c] += T[q, p] * half[q, c]
    return whole


@compiled
def add(matrix: Array, p: int, q: int, value: float) -> None:
    """Add to an entry and its mirror image."""
    matrix[p, q] += value
    matrix[q, p] += value
