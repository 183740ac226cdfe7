r"""Along a flat direction with one parameter held: every stage a well-posed fit.

Beside a degenerate direction even steps that bend with it (`geodesic.py`) creep.
Held at a value, the parameter that moves most along it leaves a fit of the others that converges in
a few steps. So that parameter is moved in growing strides, the others are predicted from the last
two stages and fitted again, and the minimum is found where the slope of the held coordinate changes
its sign: the method of continuation (Allgower and Georg, 1990, chapter 2) on a profile.
"""

import math

import numpy as np

from calibscope.base.arrays import Array
from calibscope.base.compiled import compiled
from calibscope.calibration.g2.case import COUNT, Case, with_held
from calibscope.calibration.g2.objective import (
    LOGARITHMIC,
    coordinate,
    mark_free,
    normal_equations,
    rate,
    residuals_at,
)
from calibscope.calibration.g2.polish import NEAR, approach

MOST_STAGES, MOST_SECANTS = 40, 12
FIRST_STRIDE, LARGEST_STRIDE, SMALLEST_STRIDE = 0.1, 1.0, 1e-4
CONDITIONAL_STEPS = 25
NEAR_ENOUGH = 1e-12  # of the sum of squares, between stages


@compiled
def walk_flat_direction(case: Case, parameters: Array) -> tuple[float, int]:
    """Move `parameters` to the lowest point of their flat direction; objective and evaluations."""
    held = flattest(case, parameters)
    best = residuals_at(0, parameters, case, case.work.trial_residuals)
    if held < 0:
        return best, 1
    here, before, trial = parameters.copy(), parameters.copy(), parameters.copy()
    value, slope, evaluations = conditional_fit(held, case, here)
    has_before, stride = False, FIRST_STRIDE
    for _ in range(MOST_STAGES):
        if value < best:
            best = value
            parameters[:] = here
        direction = -1.0 if slope > 0.0 else 1.0
        predict(held, direction * stride, has_before, before, here, case, trial)
        if trial[held] == here[held]:
            break
        trial_value, trial_slope, used = conditional_fit(held, case, trial)
        evaluations += used
        if not trial_value < value:
            stride *= 0.25
            if stride < SMALLEST_STRIDE:
                break
            if direction * trial_slope > 0.0:
                low, used = between(held, here, slope, trial, trial_slope, case, before)
                evaluations += used
                if low < best:
                    best = low
                    parameters[:] = before
                break
            continue
        before[:], has_before = here, True
        here[:] = trial
        gained, value = value - trial_value, trial_value
        if direction * trial_slope > 0.0:
            low, used = between(held, before, slope, trial, trial_slope, case, here)
            evaluations += used
            if low < best:
                best = low
                parameters[:] = here
            break
        slope = trial_slope
        stride = min(1.6 * stride, LARGEST_STRIDE)
        if gained <= NEAR_ENOUGH * value and stride == LARGEST_STRIDE:
            break
    if value < best:
        best = value
        parameters[:] = here
    return best, evaluations


@compiled
def flattest(case: Case, parameters: Array) -> int:
    """The speed or volatility that moves most along the flattest direction; -1 if none is free."""
    work = case.work
    residuals_at(1, parameters, case, work.residuals)
    normal_equations(1, parameters, case)
    mark_free(parameters, case)
    free = np.flatnonzero(work.is_free)
    if free.size == 0:
        return -1
    size = np.empty(free.size)
    for a in range(free.size):
        size[a] = math.sqrt(work.normal[free[a], free[a]]) + 1e-300
    scaled = np.empty((free.size, free.size))
    for a in range(free.size):
        for b in range(free.size):
            scaled[a, b] = work.normal[free[a], free[b]] / (size[a] * size[b])
    if not np.isfinite(np.sum(scaled)):
        return -1
    _, vectors = np.linalg.eigh(scaled)
    held, farthest = -1, 0.0
    for a in range(free.size):
        along = abs(vectors[a, 0]) / size[a]
        if free[a] < LOGARITHMIC and along > farthest:
            held, farthest = free[a], along
    return held


@compiled
def conditional_fit(held: int, case: Case, parameters: Array) -> tuple[float, float, int]:
    """The best fit with one parameter held, in place: the objective, its slope, the evaluations."""
    work, fixed = case.work, with_held(held, parameters, case)
    _, used = approach(1, 1e-6, CONDITIONAL_STEPS, np.inf, fixed, parameters)
    value, more = approach(2, NEAR, CONDITIONAL_STEPS, np.inf, fixed, parameters)
    residuals_at(1, parameters, case, work.residuals)
    normal_equations(1, parameters, case)
    return value, float(work.gradient[held]), used + more


@compiled
def predict(
    held: int, step: float, has_before: bool, before: Array, here: Array, case: Case, trial: Array
) -> None:
    """Where the next stage may be: on the line through the last two, the held one moved by step."""
    task = case.task
    trial[:] = here
    ratio = 0.0
    if has_before:
        last = coordinate(here, held) - coordinate(before, held)
        ratio = step / last if last != 0.0 else 0.0
    for p in range(COUNT):
        change = step if p == held else ratio * (coordinate(here, p) - coordinate(before, p))
        change = min(max(change, -LARGEST_STRIDE), LARGEST_STRIDE)
        if p < LOGARITHMIC:
            trial[p] = here[p] + rate(here, p) * math.expm1(change)
        else:
            trial[p] = here[p] + change
        trial[p] = min(max(trial[p], task.lower[p]), task.upper[p])


@compiled
def between(
    held: int, left: Array, left_slope: float, right: Array, right_slope: float, case: Case,
    here: Array,
) -> tuple[float, int]:  # fmt: skip
    """The minimum between two stages whose slopes differ in sign, by secants, into `here`."""
    low, high = left.copy(), right.copy()
    value, evaluations = np.inf, 0
    for _ in range(MOST_SECANTS):
        share = min(max(left_slope / (left_slope - right_slope), 0.05), 0.95)
        here[:] = low + share * (high - low)
        before = value
        value, slope, used = conditional_fit(held, case, here)
        evaluations += used
        if slope * left_slope > 0.0:
            low[:] = here
            left_slope = slope
        else:
            high[:] = here
            right_slope = slope
        if abs(before - value) <= NEAR_ENOUGH * value:
            break
    return value, evaluations
