r"""The best fit with parameters held at given values, over the whole box: a point of a profile.

The structure of the search (`search.py`) survives when a parameter is held (`conditional_scan.py`).
From the lowest points of that grid, from a start that is known to be near, and
from points of the same degenerate direction beside equal speeds, Newton's method solves the problem
as posed.

The factors can be swapped, so the one with the held parameter must not become the slower one: the
answer belongs to the half of the box in which a_x >= a_y.
"""

import math

import numpy as np

from calibscope.base.arrays import Array
from calibscope.base.compiled import compiled
from calibscope.calibration.g2.case import COUNT, Case, case_for, with_task
from calibscope.calibration.g2.conditional_scan import RHO, SIGMA_X, SIGMA_Y, collect_places
from calibscope.calibration.g2.equal_speeds import (
    conditional_fit,
    is_near_equal_speeds,
    walk_equal_speeds,
)
from calibscope.calibration.g2.objective import coordinate, residuals_at
from calibscope.calibration.g2.pairs import Pairs, pairs_for, set_schedule, start_at
from calibscope.calibration.g2.persist import persist
from calibscope.calibration.g2.polish import FAR_AWAY, NEAR, approach, polish, put_on_bounds
from calibscope.calibration.g2.refine import refine
from calibscope.calibration.g2.resolution import PERFECT_FIT, unresolved_squares
from calibscope.calibration.g2.surrogate import linearise, set_basis, set_variance
from calibscope.calibration.problem import Task
from calibscope.models.g2.book import CapBook
from calibscope.models.g2.parameters import SLOW, SWAP

SPEEDS = 24  # of the grid
PLACES = 4  # low points from which Newton's method starts
HOPELESS = 10.0  # times the best fit so far: not descended
OUT_OF_REACH = 200.0  # times a limit, on the grid
FAR_ABOVE = 4.0  # times a limit: not followed if steps promise little
FIRST_STEPS, PROMISING = 8, 1.5  # after so many steps, no more than so many times the best fit
ROUNDS, NEARER = 8, 0.05  # of these steps, and how much of the way to the best fit each has to go
SAME = 0.01  # in all coordinates: points of one basin
WIDEST_GAP, TINY = (
    0.9,
    1e-12,
)  # between the speeds, over their sum, in a degenerate direction beside equal speeds
STEPS, PATIENT_STEPS = 60, 400
MOVED = 1.1  # times its sum of squares: an optimum that other quotes have moved


@compiled
def solve_conditional(
    book: CapBook,
    quotes: Array,
    root_weights: Array,
    lower: Array,
    upper: Array,
    held: Array,
    starts: Array,
    homes: Array,
    minima: Array,
    speeds: Array,
    is_near: bool,
    limit: float,
    begin: int,
    end: int,
    found: Array,
) -> None:
    """The best parameters for rows begin, ..., end - 1, all of them problems of one day.

    Parameters
    ----------
    quotes, root_weights : (n, m)
    held : (n, 5) not a number where parameters are free
    starts : (n, 5) near enough to linearise prices there
    homes : (n, 5) the best fits with nothing held
    minima : (k, 5) local minima of the day, from which rows with nothing held start
    speeds : the grid
    is_near : whether the optimum next to each start is enough
    limit : fits whose objective is above it are of no interest
    found : (n, 5) to be filled
    """
    none = np.zeros(COUNT)
    every = Task(quotes[0], root_weights[0], lower, upper, none, none)
    first = case_for(book, 0, 1, every)
    pairs = pairs_for(speeds, book.reset.size, quotes.shape[1])
    set_schedule(book.reset, book.span, pairs)
    for row in range(begin, end):
        low, high, which = lower.copy(), upper.copy(), -1
        for p in range(COUNT):
            if not np.isnan(held[row, p]):
                low[p] = high[p] = held[row, p]
                which = p
        if low[0] == high[0]:
            high[1] = min(high[1], high[0])
        if low[1] == high[1]:
            low[0] = max(low[0], low[1])
        task = Task(quotes[row], root_weights[row], low, high, none, none)
        case = with_task(task, first)
        if which < 0:
            solve_free(minima, is_near, case, pairs, found[row])
        elif is_near:
            solve_nearby(starts[row], case, found[row])
        else:
            solve_row(which, starts[row], homes[row], limit, case, pairs, found[row])


@compiled
def solve_nearby(start: Array, case: Case, found: Array) -> None:
    """The optimum next to a start, by Newton's method."""
    task = case.task
    found[:] = np.minimum(np.maximum(start, task.lower), task.upper)
    descended(NEAR, STEPS, np.inf, case, found)


@compiled
def solve_free(minima: Array, is_near: bool, case: Case, pairs: Pairs, found: Array) -> None:
    """The best parameters with nothing held, from the minima for nearly the same quotes."""
    point, task = np.empty(COUNT), case.task
    found[:] = np.minimum(np.maximum(minima[0], task.lower), task.upper)
    before = residuals_at(0, found, case, case.work.trial_residuals)
    best = descended(NEAR, STEPS, np.inf, case, found)
    if not is_near or before > MOVED * best:
        point[:] = found
        solve_row(-1, point, point, np.inf, case, pairs, found)
        best = residuals_at(0, found, case, case.work.trial_residuals)
    for c in range(1, len(minima)):
        point[:] = minima[c]
        best = compared(PROMISING, best, case, point, found)
    if is_near_equal_speeds(found):
        point[:] = found
        walk_equal_speeds(case, point)
        value, _ = polish(2, NEAR, STEPS, case, point)
        best = keep_better(value, point, best, found)
    best, _ = persist(PERFECT_FIT * unresolved_squares(case.task), case, best, found)
    put_on_bounds(case, best, found)


@compiled
def solve_row(
    which: int, start: Array, home: Array, limit: float, case: Case, pairs: Pairs, found: Array
) -> None:
    """The best parameters of one problem, of which `which` is held.

    With a limit, those of a local minimum below it, or any if there is none.
    """
    task, point = case.task, np.empty(COUNT)
    if start[0] < start[1] and which >= SIGMA_X:  # the walk has crossed equal speeds: step back
        start = start[SWAP]
    found[:] = np.minimum(np.maximum(start, task.lower), task.upper)
    is_on_grid = which < SIGMA_X or which == RHO  # not where large volatilities nearly cancel
    if limit < np.inf and is_on_grid and is_out_of_reach(which, home, limit, case, pairs):
        return
    target = FAR_ABOVE * limit if is_on_grid else np.inf
    best = descended(FAR_AWAY, STEPS, target, case, found)
    if best < limit < np.inf:
        return
    for origin in (start, home):
        if slide_along_equal_speeds(which, origin, task, point):
            best = compared(np.inf, best, case, point, found)
    best = min(best, limit)
    if linearised(start, case) > HOPELESS * best:
        linearised(found, case)
    places = np.empty((PLACES, 2), np.int64)
    for c in range(collect_places(which, case, pairs, places)):
        i, j = places[c, 0], places[c, 1]
        if pairs.values[i, j] <= HOPELESS * best:
            start_at(i, j, pairs, case, point)
            best = compared(PROMISING, best, case, point, found)
    if best == limit:
        return
    # Once more, with patience: flat directions beside equal speeds are long and crooked.
    if is_near_equal_speeds(found):
        if which != RHO:
            point[:] = found
            best = keep_better(straightened(which, case, point), point, best, found)
        point[:] = found
        keep_better(descended(NEAR, PATIENT_STEPS, np.inf, case, point), point, best, found)
    point[:] = found
    refine(case, point)
    if point[0] >= point[1]:
        found[:] = point


@compiled
def is_out_of_reach(which: int, home: Array, limit: float, case: Case, pairs: Pairs) -> bool:
    """Whether the linear problem is far above a limit at all pairs of speeds."""
    linearised(home, case)
    place = np.empty((1, 2), np.int64)
    if collect_places(which, case, pairs, place) == 0:
        return True
    return bool(pairs.values[place[0, 0], place[0, 1]] > OUT_OF_REACH * limit)


@compiled
def straightened(which: int, case: Case, point: Array) -> float:
    """Newton's method in the coordinates of equal speeds; the objective, infinite out of order."""
    task, is_s_held = case.task, which >= SIGMA_X
    if which == SIGMA_Y or (not is_s_held and point[2] < point[3]):
        task = Task(
            task.quotes, task.root_weights, task.lower[SWAP], task.upper[SWAP], task.anchor,
            task.strength,
        )  # fmt: skip
        point[:] = point[SWAP]
        value, _, _ = conditional_fit(is_s_held, with_task(task, case), point)
        point[:] = point[SWAP]
    else:
        value, _, _ = conditional_fit(is_s_held, case, point)
    return value if point[0] >= point[1] else np.inf


@compiled
def linearised(point: Array, case: Case) -> float:
    """Linearise prices at a point; the objective there."""
    set_basis(point, case)
    set_variance(point, case)
    return linearise(case)


@compiled
def compared(promising: float, best: float, case: Case, point: Array, found: Array) -> float:
    """Descend from another point while that may lead below the best; the better one into `found`.

    A round that leaves it far above, or comes hardly nearer, is the last one; so is one that ends
    where we have been.
    """
    value = np.inf
    for _ in range(ROUNDS):
        before = value
        value = descended(FAR_AWAY, FIRST_STEPS, best, case, point)
        if value < best:
            best = keep_better(value, point, best, found)
            return keep_better(descended(FAR_AWAY, STEPS, np.inf, case, point), point, best, found)
        is_slow = before - value < NEARER * (value - best)
        if is_slow or value > promising * best or is_same(point, found):
            break
    return best


@compiled
def keep_better(value: float, point: Array, best: float, found: Array) -> float:
    """The better of two points into `found`; its objective."""
    if value < best:
        found[:] = point
    return min(value, best)


@compiled
def is_same(point: Array, other: Array) -> bool:
    """Whether two points are so near that one descent leads from both to one optimum."""
    furthest = 0.0
    for p in range(COUNT):
        furthest = max(furthest, abs(coordinate(point, p) - coordinate(other, p)))
    return furthest <= SAME


@compiled
def descended(damping: float, steps: int, target: float, case: Case, point: Array) -> float:
    """Newton's method from a point, with a_x >= a_y, while it may get below; the objective."""
    if point[0] < point[1]:
        return np.inf
    between = math.sqrt(point[0] * point[1])
    value, _ = approach(2, damping, steps, target, case, point)
    if point[0] >= point[1]:
        return value
    # The factors have changed places: keep them on either side of a speed between them.
    task = case.task
    lower, upper = task.lower.copy(), task.upper.copy()
    lower[0] = max(lower[0], min(between, upper[0]))
    upper[1] = min(upper[1], max(between, lower[1]))
    apart = Task(task.quotes, task.root_weights, lower, upper, task.anchor, task.strength)
    for p in range(COUNT):
        point[p] = min(max(point[p], lower[p]), upper[p])
    value, _ = approach(2, damping, steps, target, with_task(apart, case), point)
    return value


@compiled
def slide_along_equal_speeds(which: int, start: Array, task: Task, point: Array) -> bool:
    """A point of the same flat direction with `which` at its fixed value; False if none is near.

    Where a_x is near a_y, three functions of the other parameters set all prices: the difference
    of the volatilities, their product times the gap between the speeds, and times 1 + rho. Large
    volatilities that nearly cancel price like smaller ones whose speeds lie further apart, on both
    sides of where they were, or above a bound that holds the slower one.
    """
    a_x, a_y, sigma_x, sigma_y, rho = start[0], start[1], start[2], start[3], start[4]
    value, gap, size, both = task.lower[which], a_x - a_y, sigma_x * sigma_y, sigma_x - sigma_y
    if which < SIGMA_X or gap > WIDEST_GAP * (a_x + a_y + 2.0 * SLOW) or rho >= 0.0:
        return False
    if which == SIGMA_X:
        x, y = value, value - both
    elif which == SIGMA_Y:
        x, y = value + both, value
    else:
        wanted = size * (1.0 + rho) / max(1.0 + value, TINY)
        y = 0.5 * (math.sqrt(both * both + 4.0 * wanted) - both)
        x = y + both
    if not (x > 0.0 and y > 0.0):
        return False
    gap *= math.sqrt(size / (x * y))
    slow = a_y if a_y <= task.lower[1] else max(0.5 * (a_x + a_y - gap), task.lower[1])
    point[0], point[1] = slow + gap, slow
    point[2], point[3] = x, y
    point[4] = value if which == RHO else min(-1.0 + (1.0 + rho) * size / (x * y), 1.0)
    point[:] = np.minimum(np.maximum(point, task.lower), task.upper)
    return True
