r"""Is there a better optimum beyond the next rise? A walk away from the best fit.

Along a flat direction a second optimum may be hidden from the grid of the search: where a
correlation meets its bound between two of its points, or where an early caplet's variance nearly
vanishes, so that the linear model holds on one side only. From the best fit one of the speeds is
moved away in even steps of log(a + 0.01), the other parameters fitted at each. Where that profile
goes down again (the slope of the held coordinate, or the cubic through two values and their slopes,
says so), the speed is released.
"""

import math

import numpy as np

from calibscope.base.arrays import Array
from calibscope.base.compiled import compiled
from calibscope.calibration.g2.case import Case, with_held
from calibscope.calibration.g2.descent import MOST_STEPS, NEAR_ENOUGH, descend
from calibscope.calibration.g2.objective import SPEEDS, normal_equations, rate, residuals_at
from calibscope.calibration.g2.persist import persist
from calibscope.calibration.g2.polish import NEAR, polish
from calibscope.models.g2.parameters import SLOW

STRIDE, MOST_STRIDES = 0.3, 6  # of log(a + 0.01), in either direction
GOOD_FIT = 0.4  # of the squares that the grid does not resolve: worth a walk
OFF_THE_MONEY = 0.5  # of its quote: what a cap is worth without volatility, up or down
HOPELESS = 4.0  # times these, or the best fit's: nothing better beyond
ROUGH = 1e-5  # relative change of the sum of squares, on the way
MOST_WALKED = 6  # Newton steps at one stride
NEARLY_BEST, SAME = 1.02, 0.05  # of the sum of squares; of log(a + 0.01)
SMALLEST_GAIN = 1e-7  # of the sum of squares


@compiled
def look_beyond(
    perfect: float, unresolved: float, case: Case, best: float, parameters: Array
) -> tuple[float, int]:
    """Move `parameters` to a better optimum beside theirs, if there is one; objective, evaluations.

    The walk takes as long as half a search: it is for fits so good that the grid does not tell
    minima apart, and for quotes off the money, where its linear model is rough.

    Parameters
    ----------
    unresolved : sum of squares below which the grid does not tell minima apart
    """
    evaluations = 0
    if not (best < GOOD_FIT * unresolved or is_off_the_money(case)):
        return best, evaluations
    limit = HOPELESS * max(unresolved, best)
    for held in range(SPEEDS):
        for direction in (1.0, -1.0):
            if best > perfect:
                best, used = beyond(held, direction, perfect, limit, case, best, parameters)
                evaluations += used
    return best, evaluations


@compiled
def is_off_the_money(case: Case) -> bool:
    """Whether the forward value of a cap (cap minus floor) is large beside its quote."""
    book, first_cap = case.book, case.book.caps_of_day[case.day]
    for cap in range(first_cap, book.caps_of_day[case.day + 1]):
        both = 0.0  # the legs' differences, whichever is larger
        for j in range(book.caplets_of_cap[cap], book.caplets_of_cap[cap + 1]):
            both += book.density_scale[j] * math.sinh(0.5 * book.log_moneyness[j])
        forward_value = 2.0 * book.intrinsic[cap] - 2.0 * math.sqrt(2.0 * math.pi) * both
        if abs(forward_value) > OFF_THE_MONEY * case.task.quotes[cap - first_cap]:
            return True
    return False


@compiled
def beyond(
    held: int,
    direction: float,
    perfect: float,
    limit: float,
    case: Case,
    best: float,
    parameters: Array,
) -> tuple[float, int]:
    """The same for one speed in one direction."""
    work, here, found = case.work, parameters.copy(), np.empty(parameters.size)
    value, slope, evaluations = best, 0.0, 0
    for _ in range(MOST_STRIDES):
        before = here[held]
        away = here[held] + rate(here, held) * math.expm1(direction * STRIDE)
        here[held] = min(max(away, case.task.lower[held]), case.task.upper[held])
        if here[held] == before:
            break
        step = abs(math.log((here[held] + SLOW) / (before + SLOW)))
        low, used = descend(MOST_WALKED, ROUGH, with_held(held, here, case), here)
        residuals_at(1, here, case, work.residuals)
        normal_equations(1, here, case)
        slope_here = direction * work.gradient[held]
        evaluations += used + 1
        if goes_down(step, value, slope, low, slope_here):
            found[:] = here
            deeper, used = descend(MOST_STEPS, NEAR_ENOUGH, case, found)
            evaluations += used
            is_back = is_same(found, parameters)
            if deeper < NEARLY_BEST * best and not is_back:
                deeper, used = polish(2, NEAR, MOST_STEPS, case, found)
                deeper, more = persist(perfect, case, deeper, found)
                evaluations += used + more
            if deeper < best * (1.0 - SMALLEST_GAIN):
                parameters[:] = found
                return deeper, evaluations
        value, slope = low, slope_here
        if not value < limit:
            break
    return best, evaluations


@compiled
def is_same(one: Array, other: Array) -> bool:
    """Whether both speeds are nearly the same."""
    furthest = 0.0
    for p in range(SPEEDS):
        furthest = max(furthest, abs(math.log((one[p] + SLOW) / (other[p] + SLOW))))
    return furthest <= SAME


@compiled
def goes_down(
    step: float, left: float, left_slope: float, right: float, right_slope: float
) -> bool:
    """Whether a profile falls somewhere between two points, or after the second.

    `objective.py` has half the gradient. The cubic that meets values and slopes has a minimum
    inside where its derivative has two roots in the interval.
    """
    if right_slope < 0.0 or right < left:
        return True
    first, last, chord = 2.0 * left_slope, 2.0 * right_slope, (right - left) / step
    # Derivative first + b t + c t^2 on 0 <= t <= 1
    c = 3.0 * (first + last - 2.0 * chord)
    b = 2.0 * (3.0 * chord - 2.0 * first - last)
    if not c > 0.0:
        return False
    lowest = -0.5 * b / c
    return 0.0 < lowest < 1.0 and first + 0.5 * b * lowest < 0.0
