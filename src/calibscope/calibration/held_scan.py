r"""Where to start with a parameter held: the linear problem on a grid of speeds, one number fixed.

Prices linearised in the variances are a quadratic function of (u, v, w) at every pair of speeds
(`pairs.py`). With one of sigma_x, sigma_y, rho held there is a line left to look at: along the
other volatility w is best in closed form, along the ratio of the two volatilities their level is.
With a speed held, the pairs next to it are looked at.
"""

import math

import numpy as np

from calibscope.base.arrays import Array, Indices
from calibscope.base.compiled import compiled
from calibscope.calibration.case import Case, Task
from calibscope.calibration.pairs import Pairs, collect_valleys, fill_products, scan

LINE = 32  # points along the line that is left
WORTH_A_LOOK = 3.0  # times the lowest sum of squares on the grid
SIGMA_X, SIGMA_Y, RHO = 2, 3, 4


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
