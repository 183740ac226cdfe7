r"""The linear surrogate of a day: prices as linear functions of the caplets' variances.

.. math:: g_k \approx g_k^0 + \sum_i M_{ki} (\Sigma_i^2 - \Sigma_{i,0}^2), \qquad
    \Sigma_i^2 = u A_i + v B_i + 2 w D_i

All good fits have nearly the same variances, because they have nearly the same prices, so this
holds wherever it matters. For every pair of speeds of a grid it leaves a small cone problem
(`cone.py`).
"""

import math
from typing import NamedTuple

import numpy as np

from calibscope.base.arrays import Array, Indices
from calibscope.base.compiled import compiled
from calibscope.calibration.cone import cone_fit
from calibscope.calibration.objective import Task
from calibscope.models.g2.book import CapBook
from calibscope.models.g2.caps import Scratch, option_values
from calibscope.models.g2.variance import basis_rows

LEVEL_STEPS = 8
VALLEYS = 24  # so many valley points of the grid are looked at more closely


class Grid(NamedTuple):
    """Speeds, and the variance basis at all pairs of them on one schedule."""

    speeds: Array  # (n,) increasing
    own: Array  # (n, periods) A (and B) at each speed
    mixed: Array  # (n, n, periods) D at each pair


class Surrogate(NamedTuple):
    """Working memory of the search of one day."""

    variance: Array  # (periods,)
    slopes: Array  # (caplets,) M
    prices: Array  # (m,) at these variances
    target: Array  # (m,) what the linear model has to meet, weighted
    design: Array  # (3, m)
    values: Array  # (n, n) sums of squares of the linear model
    solutions: Array  # (n, n, 3) sigma_x, sigma_y, rho
    places: Indices  # (VALLEYS, 2) valley points of the grid, best first
    heights: Array  # (VALLEYS,) their values, first of the linear, then of the true problem
    starts: Array  # (VALLEYS, 5) parameters there


@compiled
def fill_grid(speeds: Array, resets: Array, spans: Array, own: Array, mixed: Array) -> None:
    """Basis A and D at all pairs of speeds."""
    n, periods = speeds.size, resets.size
    decays, basis = np.empty((15, periods)), np.empty((12, periods))
    for i in range(n):
        for j in range(i + 1):
            basis_rows(speeds[i], speeds[j], resets, spans, 1, decays, basis)
            mixed[i, j, :periods] = basis[2]
        own[i, :periods] = basis[0]


@compiled
def linearise(
    book: CapBook,
    day: int,
    task: Task,
    scratch: Scratch,
    surrogate: Surrogate,
) -> float:
    """M and the target of the linear model at `surrogate.variance`; the true sum of squares."""
    first_cap, last_cap = book.caps_of_day[day], book.caps_of_day[day + 1]
    first_caplet = book.caplets_of_cap[first_cap]
    caplets = slice(first_caplet, book.caplets_of_cap[last_cap])
    half_sigma, inverse_sigma = scratch.caplets[0], scratch.caplets[1]
    value, density, density_slope = scratch.caplets[2], scratch.caplets[3], scratch.caplets[4]
    variance = surrogate.variance
    for cap in range(first_cap, last_cap):
        period = book.first_period[cap]
        for j in range(book.caplets_of_cap[cap], book.caplets_of_cap[cap + 1]):
            deviation = math.sqrt(variance[period])
            half_sigma[j - first_caplet] = 0.5 * deviation
            inverse_sigma[j - first_caplet] = 1.0 / deviation if deviation > 0.0 else 0.0
            period += 1
    option_values(
        book.log_moneyness[caplets], book.density_scale[caplets], book.smaller_leg[caplets],
        half_sigma, inverse_sigma, value, density, density_slope,
    )  # fmt: skip
    total = 0.0
    for cap in range(first_cap, last_cap):
        k = cap - first_cap
        period = book.first_period[cap]
        price, linear = book.intrinsic[cap], 0.0
        for j in range(book.caplets_of_cap[cap], book.caplets_of_cap[cap + 1]):
            slope = 0.5 * density[j - first_caplet] * inverse_sigma[j - first_caplet]
            surrogate.slopes[j - first_caplet] = task.root_weights[k] * slope
            price += value[j - first_caplet]
            linear += slope * variance[period]
            period += 1
        surrogate.prices[k] = price
        surrogate.target[k] = task.root_weights[k] * (task.quotes[k] - price + linear)
        total += (task.root_weights[k] * (price - task.quotes[k])) ** 2
    return total


@compiled
def find_level(
    book: CapBook, day: int, task: Task, periods: int, scratch: Scratch, surrogate: Surrogate
) -> None:
    """Scale the variances until the caps cost, on the whole, what they are quoted at."""
    first_cap = book.caps_of_day[day]
    for _ in range(LEVEL_STEPS):
        linearise(book, day, task, scratch, surrogate)
        wanted = found = 0.0
        for k in range(task.quotes.size):
            intrinsic = book.intrinsic[first_cap + k]
            wanted += task.root_weights[k] * max(task.quotes[k] - intrinsic, 0.0)
            found += task.root_weights[k] * max(surrogate.prices[k] - intrinsic, 0.0)
        # The time value grows about linearly with the deviation.
        ratio = min(max(wanted / max(found, 1e-300), 0.25), 4.0) ** 2
        if abs(ratio - 1.0) < 0.1:
            break
        for i in range(periods):
            surrogate.variance[i] *= ratio


@compiled
def fill_design(
    book: CapBook, day: int, A: Array, B: Array, D: Array, surrogate: Surrogate
) -> None:
    """Columns of the linear model in (u, v, 2w) at one pair of speeds."""
    first_cap, last_cap = book.caps_of_day[day], book.caps_of_day[day + 1]
    first_caplet = book.caplets_of_cap[first_cap]
    slopes, design = surrogate.slopes, surrogate.design
    for cap in range(first_cap, last_cap):
        begin = book.caplets_of_cap[cap] - first_caplet
        period = book.first_period[cap]
        u = v = w = 0.0
        for j in range(book.caplets_of_cap[cap + 1] - first_caplet - begin):
            slope = slopes[begin + j]
            u += slope * A[period + j]
            v += slope * B[period + j]
            w += slope * D[period + j]
        design[0, cap - first_cap] = u
        design[1, cap - first_cap] = v
        design[2, cap - first_cap] = w


@compiled
def scan(
    stride: int, book: CapBook, day: int, m: int, grid: Grid, largest: float, surrogate: Surrogate
) -> tuple[int, int]:
    """The linear problem at every `stride`-th pair of speeds; the best pair."""
    n, values = grid.speeds.size, surrogate.values
    values[:] = np.inf
    best_i, best_j = stride, 0
    for i in range(0, n, stride):
        for j in range(0, i, stride):
            values[i, j] = pair_fit(i, j, book, day, m, grid, largest, surrogate)
            if values[i, j] < values[best_i, best_j]:
                best_i, best_j = i, j
    return best_i, best_j


@compiled
def scan_between(
    limit: float, book: CapBook, day: int, m: int, grid: Grid, largest: float, surrogate: Surrogate
) -> None:
    """The pairs between those of a scan with stride 2, where one of these is below the limit."""
    n, values = grid.speeds.size, surrogate.values
    for i in range(n):
        for j in range(i):
            if i % 2 == 0 and j % 2 == 0:
                continue
            is_low = False
            for a in range(i - i % 2, min(i + i % 2, n - 1) + 1, 2):
                for b in range(j - j % 2, min(j + j % 2, n - 1) + 1, 2):
                    is_low |= b < a and values[a, b] < limit
            if is_low:
                values[i, j] = pair_fit(i, j, book, day, m, grid, largest, surrogate)


@compiled
def pair_fit(
    i: int, j: int, book: CapBook, day: int, m: int, grid: Grid, largest: float,
    surrogate: Surrogate,
) -> float:  # fmt: skip
    """The linear problem at one pair of speeds."""
    fill_design(book, day, grid.own[i], grid.own[j], grid.mixed[i, j], surrogate)
    return cone_fit(surrogate.design, surrogate.target, m, largest, 1, surrogate.solutions[i, j])


@compiled
def set_variance(i: int, j: int, periods: int, grid: Grid, surrogate: Surrogate) -> None:
    """The variances at the solution of one pair."""
    solution = surrogate.solutions[i, j]
    u, v = solution[0] ** 2, solution[1] ** 2
    w = 2.0 * solution[2] * solution[0] * solution[1]
    for period in range(periods):
        value = u * grid.own[i, period] + v * grid.own[j, period] + w * grid.mixed[i, j, period]
        # Not too far at once: the linear model knows only the neighbourhood.
        before = surrogate.variance[period]
        surrogate.variance[period] = min(max(value, 0.1 * before), 10.0 * before)


@compiled
def collect_valleys(limit: float, grid: Grid, surrogate: Surrogate) -> int:
    """The deepest points that are minimal in their row or column, best first; how many."""
    n, most = grid.speeds.size, VALLEYS
    values, places, heights = surrogate.values, surrogate.places, surrogate.heights
    count = 0
    for i in range(n):
        for j in range(i):
            here = values[i, j]
            in_row = (j == 0 or values[i, j - 1] >= here) and values[i, j + 1] >= here
            in_column = values[i - 1, j] >= here and (i == n - 1 or values[i + 1, j] >= here)
            if not (in_row or in_column) or not here < limit:
                continue
            if count == most and here >= heights[count - 1]:
                continue
            place = min(count, most - 1)
            while place > 0 and heights[place - 1] > here:
                heights[place] = heights[place - 1]
                places[place] = places[place - 1]
                place -= 1
            heights[place] = here
            places[place, 0], places[place, 1] = i, j
            count = min(count + 1, most)
    return count
