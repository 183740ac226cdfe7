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
from calibscope.calibration.g2.case import Case
from calibscope.calibration.g2.pairs import Pairs, collect_minima, fill_products, scan
from calibscope.calibration.problem import Task

LINE = 32  # points along the line that is left
WORTH_A_LOOK = 3.0  # times the lowest sum of squares on the grid
SIGMA_X, SIGMA_Y, RHO = 2, 3, 4


@compiled
def collect_places(which: int, case: Case, pairs: Pairs, places: Indices) -> int:
    """Pairs of speeds from which to start, with parameter `which` held; how many."""
    if which >= SIGMA_X:
        lowest = scan_conditional(which, case, pairs)
        return collect_minima(WORTH_A_LOOK * lowest, pairs, places)
    scan(case, pairs)
    if which < 0:
        return collect_minima(WORTH_A_LOOK * np.min(pairs.values), pairs, places)
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
def scan_conditional(which: int, case: Case, pairs: Pairs) -> float:
    """The linear problem at every pair, a volatility or the correlation held; the lowest value.

    The model is s x + b e + w f with s = u + v + 2w and b = v + w (`pairs.py` has x, e and f). At
    each point of the line that is left it is part + free * along, with one unknown.
    """
    n, lengths, own, start, lowest = pairs.speeds.size, pairs.lengths, pairs.products, 0, np.inf
    fill_products(case, pairs)
    total = 0.0
    for k in range(case.task.quotes.size):
        total += case.surrogate.target[k] ** 2
    line = line_of(which, case.task)
    gains, steps, frees = np.empty(n), np.empty(n, np.int64), np.empty(n)
    for i in range(1, n):
        xx, xt = lengths[0, i], lengths[1, i]
        gains[:] = -np.inf
        for step in range(LINE):
            u, v, s, b, w, least, most = line[step]
            part_s, part_b = (0.0, 0.0) if which == RHO else (u + v, v)
            for j in range(i):
                c = start + j
                xe, xf, et, ft = own[0, c], own[1, c], own[5, c], own[6, c]
                ee, ef = own[2, c], own[3, c]
                to_x, to_e = s * xx + b * xe + w * xf, s * xe + b * ee + w * ef
                second_order = s * to_x + b * to_e + w * (s * xf + b * ef + w * own[4, c])
                slope = s * xt + b * et + w * ft - part_s * to_x - part_b * to_e
                free = slope / second_order if second_order > 0.0 else 0.0
                free = least if free < least else free
                free = most if free > most else free
                gain = free * (2.0 * slope - free * second_order) + part_s * (
                    2.0 * xt - part_s * xx
                )
                gain += part_b * (2.0 * (et - part_s * xe) - part_b * ee)
                is_better = gain > gains[j]
                gains[j] = gain if is_better else gains[j]
                steps[j] = step if is_better else steps[j]
                frees[j] = free if is_better else frees[j]
        for j in range(i):
            set_solution(which, line[steps[j]], frees[j], case.task, pairs.solutions[i, j])
            pairs.values[i, j] = total - gains[j]
            lowest = min(lowest, total - gains[j])
        start += i
    return lowest


@compiled
def line_of(which: int, task: Task) -> Array:
    """(LINE, 7) u and v, the direction (s, b, w) of the unknown, and its bounds.

    With the correlation held the line is that of sigma_x over sigma_y, and their level is unknown;
    with one volatility held it is that of the other, and w is unknown.
    """
    lower, upper, a, b = task.lower, task.upper, SIGMA_X, SIGMA_Y
    other, line = b if which == SIGMA_X else a, np.empty((LINE, 7))
    first = math.log(lower[other] / (1.0 if which != RHO else upper[b]))
    last = math.log(upper[other] / (1.0 if which != RHO else lower[b]))
    for step in range(LINE):
        size = math.exp(first + (last - first) * step / (LINE - 1))
        if which == RHO:
            u, v, w = size * size, 1.0, lower[RHO] * size
            line[step, 2], line[step, 3], line[step, 4] = u + v + 2.0 * w, v + w, w
            line[step, 5] = max(lower[b] ** 2, lower[a] ** 2 / u)
            line[step, 6] = min(upper[b] ** 2, upper[a] ** 2 / u)
        else:
            held = lower[which]
            u = held * held if which == SIGMA_X else size * size
            v = size * size if which == SIGMA_X else held * held
            line[step, 2], line[step, 3], line[step, 4] = 2.0, 1.0, 1.0
            line[step, 5], line[step, 6] = lower[RHO] * held * size, upper[RHO] * held * size
        line[step, 0], line[step, 1] = u, v
    return line


@compiled
def set_solution(which: int, point: Array, free: float, task: Task, solution: Array) -> None:
    """Sigma_x, sigma_y and rho at a point of the line."""
    scale = free if which == RHO else 1.0
    solution[0], solution[1] = math.sqrt(scale * point[0]), math.sqrt(scale * point[1])
    solution[2] = task.lower[RHO] if which == RHO else free / (solution[0] * solution[1])
