"""Along a strip of nearly perfect fits: every other optimum in it, however shallow.

Quotes without noise, or fewer than there are parameters, can be met almost exactly along a line
through the parameters, and on that line optima with relative errors of 1e-5 to 1e-9 lie between
the exact ones. The grid of the search does not tell them apart. So exact fits are tried from the
lowest places of a finer grid (`exact_match.py`). Where none is reached, the strip is walked
along: the faster speed is held at each value of the grid, all else fitted; from every minimum of
these fits the speed is set free. Then the same with the slower speed, since a weak slow factor
beside a strong one leaves the faster speed less room than a step of the grid. At last the grid is
refined around the best.
"""

import math

import numpy as np

from calibscope.base.arrays import Array, BoolArray, Indices
from calibscope.base.compiled import compiled
from calibscope.calibration.g2.case import COUNT, Case, case_for, on_day, with_held
from calibscope.calibration.g2.descent import MOST_STEPS, descend, inner_fit
from calibscope.calibration.g2.equal_speeds import is_near_equal_speeds, walk_equal_speeds
from calibscope.calibration.g2.exact_match import exact_match
from calibscope.calibration.g2.pairs import (
    Pairs,
    collect_minima,
    pairs_for,
    scan,
    set_schedule,
    start_at,
)
from calibscope.calibration.g2.polish import FAR_AWAY, NEAR, approach, polish
from calibscope.calibration.g2.resolution import (
    NEARLY_PERFECT,
    PERFECT_FIT,
    UNRESOLVED,
    unresolved_squares,
)
from calibscope.calibration.g2.surrogate import linear_fit, set_basis
from calibscope.calibration.problem import Task
from calibscope.models.g2.book import CapBook
from calibscope.models.g2.parameters import SLOW, SWAP

SPEEDS = 96
STARTS = 32  # places of the grid from which an exact fit is tried
SATURATED = (
    0.5  # of the squares that the grid does not resolve, with no more quotes than parameters
)
NEAR_ENOUGH = 1e-10  # relative change of the sum of squares
PLACES, REFINEMENTS = 17, 5  # of the grid around the best
NEIGHBOURHOOD = 1.2  # times the faster speed, to either side


def are_nearly_perfect(
    book: CapBook, quotes: Array, root_weights: Array, begin: int, values: Array
) -> BoolArray:
    """Which of the days begin, begin + 1, ... have a fit that is nearly perfect, but not quite.

    With as many parameters as quotes a perfect one may well exist.
    """
    squares = (UNRESOLVED * root_weights * quotes) ** 2
    firsts = book.caps_of_day[begin : begin + len(values)]
    unresolved = np.add.reduceat(squares[: book.caps_of_day[begin + len(values)]], firsts)
    is_perfect = values <= PERFECT_FIT * unresolved
    counts = np.diff(book.caps_of_day[begin : begin + len(values) + 1])
    share = np.where(counts <= COUNT, SATURATED, NEARLY_PERFECT)
    return np.asarray(~is_perfect & (values < share * unresolved))


@compiled
def trace_days(
    book: CapBook,
    quotes: Array,
    root_weights: Array,
    lower: Array,
    upper: Array,
    begin: int,
    end: int,
    ends: Array,
    end_values: Array,
    evaluations: Indices,
) -> None:
    """Trace the strip of the first candidate of days begin, ..., end - 1."""
    none = np.zeros(COUNT)
    every = Task(quotes, root_weights, lower, upper, none, none)
    first = case_for(book, begin, end, every)
    for day in range(begin, end):
        own = slice(book.caps_of_day[day], book.caps_of_day[day + 1])
        task = Task(quotes[own], root_weights[own], lower, upper, none, none)
        unresolved, case = unresolved_squares(task), on_day(day, task, first)
        end_values[day, 0], used = trace_flat_direction(
            unresolved, PERFECT_FIT * unresolved, case, end_values[day, 0], ends[day, 0]
        )
        evaluations[day] += used


@compiled
def trace_flat_direction(
    unresolved: float, perfect: float, case: Case, best: float, parameters: Array
) -> tuple[float, int]:
    """Move `parameters` to the best optimum of their flat direction; objective and evaluations."""
    pairs, start = fine_pairs(case), parameters.copy()
    # Leaves prices linearised at these parameters, where the linear problem is nearly exact.
    inner_fit(NEAR_ENOUGH, case, start)
    scan(case, pairs)
    best, evaluations = met_exactly(unresolved, perfect, case, pairs, best, parameters)
    for is_slower in (False, True):
        if best > perfect:
            best, used = walk_along(is_slower, perfect, case, pairs, best, parameters)
            evaluations += used
    if best > perfect:
        best, used = refine(perfect, case, best, parameters)
        evaluations += used
    return best, evaluations


@compiled
def met_exactly(
    unresolved: float, perfect: float, case: Case, pairs: Pairs, best: float, parameters: Array
) -> tuple[float, int]:
    """Towards exact fits from the lowest places of the grid, until there is one."""
    places, start, evaluations = np.empty((STARTS, 2), np.int64), np.empty(COUNT), 0
    for c in range(collect_minima(unresolved, pairs, places)):
        start_at(places[c, 0], places[c, 1], pairs, case, start)
        value, used = exact_or_better(perfect, case, best, start)
        evaluations += used
        if value < best:
            best = value
            parameters[:] = start
        if best <= perfect:
            break
    return best, evaluations


@compiled
def exact_or_better(
    perfect: float, case: Case, best: float, parameters: Array
) -> tuple[float, int]:
    """Towards an exact fit, in place; where it is not exact, yet the best, to the optimum."""
    value, evaluations = exact_match(perfect, case, parameters)
    if perfect < value < best:
        value, used = polish(2, NEAR, MOST_STEPS, case, parameters)
        evaluations += used
    return value, evaluations


@compiled
def walk_along(
    is_slower: bool, perfect: float, case: Case, pairs: Pairs, best: float, parameters: Array
) -> tuple[float, int]:
    """Hold the faster (or slower) speed at each of the grid; set it free where fits are best."""
    n, values, start, evaluations = SPEEDS, pairs.values, np.empty(COUNT), 0
    heights, points = np.full(n, np.inf), np.empty((n, COUNT))
    for held in range(n):
        line = values[held + 1 :, held] if is_slower else values[held, :held]
        for k in range(line.size):
            if (k > 0 and line[k] > line[k - 1]) or (k < line.size - 1 and line[k] > line[k + 1]):
                continue
            if is_slower:
                start_at(held + 1 + k, held, pairs, case, start)
                start[:] = start[SWAP]
            else:
                start_at(held, k, pairs, case, start)
            value, used = conditional_fit(case, start)
            evaluations += used
            if value < heights[held]:
                heights[held] = value
                points[held] = start
    best, used = released(perfect, heights, points, case, best, parameters)
    return best, evaluations + used


@compiled
def refine(perfect: float, case: Case, best: float, parameters: Array) -> tuple[float, int]:
    """The same on finer and finer grids of the faster speed around the best."""
    start, points, evaluations = np.empty(COUNT), np.empty((PLACES, COUNT)), 0
    if parameters[0] < parameters[1]:
        parameters[:] = parameters[SWAP]
    low, high = parameters[0] / NEIGHBOURHOOD, parameters[0] * NEIGHBOURHOOD
    for _ in range(REFINEMENTS):
        if best <= perfect:
            break
        fine = np.full(PLACES, np.inf)
        for i in range(PLACES):
            start[:] = parameters
            inner_fit(NEAR_ENOUGH, case, start)
            start[0] = low * (high / low) ** (i / (PLACES - 1.0))
            set_basis(start, case)
            linear_fit(case, start)
            fine[i], used = conditional_fit(case, start)
            evaluations += used
            points[i] = start
        lowest = points[np.argmin(fine), 0]
        best, used = released(perfect, fine, points, case, best, parameters)
        evaluations += used
        width = (high / low) ** (1.0 / PLACES)
        low, high = lowest / width, lowest * width
    return best, evaluations


@compiled
def fine_pairs(case: Case) -> Pairs:
    """A finer grid of speeds than that of the search."""
    book, day, lower, upper = case.book, case.day, case.task.lower[0], case.task.upper[0]
    periods = slice(book.periods_of_day[day], book.periods_of_day[day + 1])
    speeds = np.exp(np.linspace(math.log(lower + SLOW), math.log(upper + SLOW), SPEEDS)) - SLOW
    speeds[0], speeds[-1] = lower, upper
    pairs = pairs_for(speeds, book.reset[periods].size, case.task.quotes.size)
    set_schedule(book.reset[periods], book.span[periods], pairs)
    return pairs


@compiled
def conditional_fit(case: Case, parameters: Array) -> tuple[float, int]:
    """The best fit with the first speed held, in place."""
    task = case.task
    for p in range(COUNT):
        parameters[p] = min(max(parameters[p], task.lower[p]), task.upper[p])
    held = with_held(0, parameters, case)
    _, used = descend(MOST_STEPS, NEAR_ENOUGH, held, parameters)
    value, more = approach(2, FAR_AWAY, MOST_STEPS, np.inf, held, parameters)
    return value, used + more


@compiled
def released(
    perfect: float,
    heights: Array,
    points: Array,
    case: Case,
    best: float,
    parameters: Array,
) -> tuple[float, int]:
    """Newton's method in all parameters from every minimum of the heights, the lowest first."""
    evaluations, n = 0, heights.size
    for i in np.argsort(heights):
        if best <= perfect or not heights[i] < np.inf:
            break
        if (i > 0 and heights[i - 1] < heights[i]) or (i < n - 1 and heights[i + 1] < heights[i]):
            continue
        start = points[i].copy()
        if is_near_equal_speeds(start):
            evaluations += walk_equal_speeds(case, start)[1]
        _, used = descend(MOST_STEPS, NEAR_ENOUGH, case, start)
        value, more = polish(2, NEAR, MOST_STEPS, case, start)
        evaluations += used + more
        if value < best:
            best = value
            parameters[:] = start
        value, used = exact_or_better(perfect, case, best, start)
        evaluations += used
        if value < best:
            best = value
            parameters[:] = start
    return best, evaluations
