r"""The best fit with parameters held at given values, over the whole box: a point of a profile.

The structure of the search (`search.py`) survives when a volatility or the correlation is held.
Prices linearised in the variances are a quadratic function of (u, v, w) at every pair of speeds,
and with one of the three numbers sigma_x, sigma_y, rho held there is a line left to look at: along
the other volatility w is best in closed form, along the ratio of the two volatilities their level
is. With a speed held, pairs next to it are looked at. From the deepest valley points of the grid,
and from a start that is known to be near, Newton's method then solves the problem as posed.

Where the factors can be swapped, the one with the held parameter must not become the slower one:
the answer belongs to the half of the box in which a_x >= a_y.
"""

import math

import numpy as np

from calibscope.base.arrays import Array, Indices
from calibscope.base.compiled import compiled
from calibscope.calibration.case import COUNT, Case, Task, case_of, memory_for, with_task
from calibscope.calibration.objective import SLOW
from calibscope.calibration.pairs import (
    Pairs,
    collect_valleys,
    fill_products,
    pairs_for,
    scan,
    set_schedule,
)
from calibscope.calibration.polish import FAR_AWAY, NEAR, approach, polish
from calibscope.calibration.ridge import is_beside_ridge
from calibscope.calibration.surrogate import linearise, set_basis, set_variance
from calibscope.models.g2.book import CapBook

SPEEDS = 24  # of the grid
LINE = 32  # points along the line that is left
PLACES = 4  # valley points from which Newton's method starts
HOPELESS = 10.0  # times the best fit so far: not descended
FIRST_STEPS, PROMISING = 8, 1.5  # after so many steps, no more than so many times the best fit
WORTH_A_LOOK = 3.0  # times the lowest sum of squares on the grid
WIDEST_GAP, TINY = 0.9, 1e-12  # between the speeds, over their sum, in a canyon beside the ridge
STEPS, PATIENT_STEPS = 60, 400
SIGMA_X, SIGMA_Y, RHO = 2, 3, 4


@compiled
def solve_held(
    book: CapBook,
    quotes: Array,
    root_weights: Array,
    lower: Array,
    upper: Array,
    held: Array,
    starts: Array,
    homes: Array,
    is_ordered: bool,
    speeds: Array,
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
    is_ordered : whether a_x >= a_y is to hold
    speeds : the grid
    found : (n, 5) to be filled
    """
    memory = memory_for(book, 0, 1)
    pairs = pairs_for(speeds, book.reset.size, quotes.shape[1])
    set_schedule(book.reset, book.span, pairs)
    none, places = np.zeros(COUNT), np.empty((PLACES, 2), np.int64)
    for row in range(begin, end):
        low, high = lower.copy(), upper.copy()
        which = -1
        for p in range(COUNT):
            if not np.isnan(held[row, p]):
                low[p] = high[p] = held[row, p]
                which = p
        if is_ordered and not np.isnan(held[row, 0]):
            high[1] = min(high[1], held[row, 0])
        if is_ordered and not np.isnan(held[row, 1]):
            low[0] = max(low[0], held[row, 1])
        task = Task(quotes[row], root_weights[row], low, high, none, none)
        case = case_of(book, 0, task, memory)
        found[row] = np.minimum(np.maximum(starts[row], low), high)
        best = settled_in_order(is_ordered, FAR_AWAY, STEPS, case, found[row])
        for origin in (starts[row], homes[row]):
            along = np.empty(COUNT)
            if which < SIGMA_X or not slide_along_ridge(
                which, origin, held[row, which], low, along
            ):
                continue
            along = np.minimum(np.maximum(along, low), high)
            value = settled_in_order(is_ordered, FAR_AWAY, STEPS, case, along)
            if value < best:
                best = value
                found[row] = along
        set_basis(starts[row], case)
        set_variance(starts[row], case)
        linearise(case)
        for c in range(collect_places(which, case, pairs, places)):
            i, j = places[c, 0], places[c, 1]
            if pairs.values[i, j] > HOPELESS * best:
                continue
            point = np.empty(COUNT)
            point[0], point[1], point[2:] = speeds[i], speeds[j], pairs.solutions[i, j]
            point = np.minimum(np.maximum(point, low), high)
            value, _ = approach(2, FAR_AWAY, FIRST_STEPS, case, point)
            if value > PROMISING * best:
                continue
            value = settled_in_order(is_ordered, FAR_AWAY, STEPS, case, point)
            if value < best:
                best = value
                found[row] = point
        # Once more, with patience: valleys beside the ridge are long and crooked.
        if is_beside_ridge(found[row]):
            settled_in_order(is_ordered, NEAR, PATIENT_STEPS, case, found[row])


@compiled
def settled_in_order(
    is_ordered: bool, damping: float, steps: int, case: Case, point: Array
) -> float:
    """Newton's method from a point, with a_x >= a_y where that is to hold; the objective."""
    if is_ordered and point[0] < point[1]:
        return np.inf
    between = math.sqrt(point[0] * point[1])
    value, _ = polish(2, damping, steps, case, point)
    if not is_ordered or point[0] >= point[1]:
        return value
    # The factors have changed places: keep them on either side of a speed between them.
    task = case.task
    lower, upper = task.lower.copy(), task.upper.copy()
    lower[0] = max(lower[0], min(between, upper[0]))
    upper[1] = min(upper[1], max(between, lower[1]))
    apart = Task(task.quotes, task.root_weights, lower, upper, task.anchor, task.strength)
    for p in range(COUNT):
        point[p] = min(max(point[p], lower[p]), upper[p])
    value, _ = polish(2, damping, steps, with_task(apart, case), point)
    return value


@compiled
def slide_along_ridge(which: int, start: Array, value: float, lower: Array, point: Array) -> bool:
    """Another point of the same canyon, with parameter `which` at a value; False if none is near.

    Where a_x is near a_y, three functions of the other parameters set all prices: the difference
    of the volatilities, their product times the gap between the speeds, and times 1 + rho. Large
    volatilities that nearly cancel price like smaller ones whose speeds lie further apart, on both
    sides of where they were, or above a bound that holds the slower one.
    """
    a_x, a_y, sigma_x, sigma_y, rho = start[0], start[1], start[2], start[3], start[4]
    gap, size, both = a_x - a_y, sigma_x * sigma_y, sigma_x - sigma_y
    if gap > WIDEST_GAP * (a_x + a_y + 2.0 * SLOW) or rho >= 0.0:
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
    slow = a_y if a_y <= lower[1] else max(0.5 * (a_x + a_y - gap), lower[1])
    point[0], point[1] = slow + gap, slow
    point[2], point[3] = x, y
    point[4] = value if which == RHO else min(-1.0 + (1.0 + rho) * size / (x * y), 1.0)
    return True


@compiled
def collect_places(which: int, case: Case, pairs: Pairs, places: Indices) -> int:
    """Pairs of speeds from which to start, with parameter `which` held; how many."""
    if which >= SIGMA_X:
        lowest = scan_held(which, case, pairs)
        return collect_valleys(WORTH_A_LOOK * lowest, pairs, places)
    scan(case, pairs)
    if which < 0:
        return collect_valleys(WORTH_A_LOOK * np.min(pairs.values), pairs, places)
    n, values, count = pairs.speeds.size, pairs.values, 0
    line = np.argmin(np.abs(np.log(pairs.speeds / case.task.lower[which])))
    heights = np.full(n, np.inf)
    for k in range(n):
        heights[k] = values[line, k] if which == 0 else values[k, line]
    for k in np.argsort(heights):
        is_low = (k == 0 or heights[k - 1] >= heights[k]) and (
            k == n - 1 or heights[k + 1] >= heights[k]
        )
        if count < len(places) and is_low and heights[k] < np.inf:
            places[count, 0] = line if which == 0 else k
            places[count, 1] = k if which == 0 else line
            count += 1
    return count


@compiled
def scan_held(which: int, case: Case, pairs: Pairs) -> float:
    """The linear problem at every pair, a volatility or the correlation held; the lowest value."""
    n, lengths, own, c, lowest = pairs.speeds.size, pairs.lengths, pairs.products, 0, np.inf
    fill_products(case, pairs)
    total = 0.0
    for k in range(case.task.quotes.size):
        total += case.surrogate.target[k] ** 2
    gram, towards = np.empty((3, 3)), np.empty(3)
    for i in range(1, n):
        for j in range(i):
            gram[0, 0] = lengths[0, i]
            gram[0, 1] = gram[1, 0] = own[0, c]
            gram[0, 2] = gram[2, 0] = own[1, c]
            gram[1, 1] = own[2, c]
            gram[1, 2] = gram[2, 1] = own[3, c]
            gram[2, 2] = own[4, c]
            towards[0], towards[1], towards[2] = lengths[1, i], own[5, c], own[6, c]
            gain = line_fit(which, gram, towards, case.task, pairs.solutions[i, j])
            pairs.values[i, j] = total - gain
            lowest = min(lowest, total - gain)
            c += 1
    return lowest


@compiled
def line_fit(which: int, gram: Array, towards: Array, task: Task, solution: Array) -> float:
    """Best (sigma_x, sigma_y, rho) of the linear model with one of them held; what it gains.

    The model is s x + b e + w f with s = u + v + 2w and b = v + w (`pairs.py` has x, e and f).
    """
    best, a, b = -np.inf, SIGMA_X, SIGMA_Y
    other = b if which == SIGMA_X else a
    lower, upper = task.lower, task.upper
    part, along = np.empty(3), np.empty(3)
    first = math.log(lower[other] / (1.0 if which != RHO else upper[b]))
    last = math.log(upper[other] / (1.0 if which != RHO else lower[b]))
    for step in range(LINE):
        size = math.exp(first + (last - first) * step / (LINE - 1))
        if which == RHO:
            # `size` is sigma_x over sigma_y: their level is free.
            rho = lower[RHO]
            u, v, w = size * size, 1.0, rho * size
            along[0], along[1], along[2] = u + v + 2.0 * w, v + w, w
            part[:] = 0.0
            least = max(lower[b] ** 2, lower[a] ** 2 / u)
            most = min(upper[b] ** 2, upper[a] ** 2 / u)
        else:
            held = lower[which]
            u = held * held if which == SIGMA_X else size * size
            v = size * size if which == SIGMA_X else held * held
            along[0], along[1], along[2] = 2.0, 1.0, 1.0
            part[0], part[1], part[2] = u + v, v, 0.0
            least, most = lower[RHO] * held * size, upper[RHO] * held * size
        slope = bend = 0.0
        for p in range(3):
            slope += along[p] * towards[p]
            for q in range(3):
                slope -= along[p] * gram[p, q] * part[q]
                bend += along[p] * gram[p, q] * along[q]
        free = min(max(slope / bend if bend > 0.0 else 0.0, least), most)
        gain = 0.0
        for p in range(3):
            here = part[p] + free * along[p]
            gain += 2.0 * here * towards[p]
            for q in range(3):
                gain -= here * gram[p, q] * (part[q] + free * along[q])
        if gain > best:
            best = gain
            if which == RHO:
                solution[0], solution[1] = math.sqrt(free * u), math.sqrt(free)
                solution[2] = rho
            else:
                solution[0], solution[1] = math.sqrt(u), math.sqrt(v)
                solution[2] = free / (solution[0] * solution[1])
    return best
