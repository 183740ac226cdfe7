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

LEVEL_STEPS = 8
SLOW = 0.01  # speeds below that are nearly alike
VALLEYS = 24  # so many valley points of the grid are looked at more closely
PLATEAU, SAME_HEIGHT = 3, 0.01  # steps of the grid, and relative: points that are alike


class Grid(NamedTuple):
    """Speeds a, and what the variance basis at all pairs of them is made of, on one schedule.

    With the reach C(a, span) and the share faded = 1 - exp(-a reset), the basis of a pair is
    D = C_x C_y (faded_x + faded_y - faded_x faded_y) / (a_x + a_y), and A, B are its values at
    equal speeds: tables of a few kilobytes instead of megabytes.
    """

    speeds: Array  # (n,) increasing
    reach: Array  # (n, periods)
    faded: Array  # (n, periods)


class Surrogate(NamedTuple):
    """Working memory of the search of one day."""

    variance: Array  # (periods,)
    slopes: Array  # (caplets,) M
    prices: Array  # (m,) at these variances
    target: Array  # (m,) what the linear model has to meet, weighted
    design: Array  # (3, m) columns of the linear model in (u, v, 2w) at one pair of speeds
    columns: Array  # (n, m) those of u (and v) at each speed
    angles: Array  # (ANGLES,) sums of squares along the rays of the cone's boundary
    basis: Array  # (periods,) variance basis of one pair of speeds
    values: Array  # (n, n) sums of squares of the linear model
    solutions: Array  # (n, n, 3) sigma_x, sigma_y, rho
    places: Indices  # (VALLEYS, 2) valley points of the grid, best first
    heights: Array  # (VALLEYS,) their true sums of squares
    starts: Array  # (VALLEYS, 5) parameters there


@compiled
def fill_grid(resets: Array, spans: Array, grid: Grid) -> None:
    """Reach and faded share of every speed on a schedule."""
    for i in range(grid.speeds.size):
        speed = grid.speeds[i]
        for period in range(resets.size):
            grid.reach[i, period] = -math.expm1(-speed * spans[period]) / speed
            grid.faded[i, period] = -math.expm1(-speed * resets[period])


@compiled
def mixed_basis(i: int, j: int, periods: int, grid: Grid, basis: Array) -> None:
    """D at a pair of speeds; A where both are the same."""
    scale = 1.0 / (grid.speeds[i] + grid.speeds[j])
    for period in range(periods):
        one, other = grid.faded[i, period], grid.faded[j, period]
        reach = scale * grid.reach[i, period] * grid.reach[j, period]
        basis[period] = reach * (one + (1.0 - one) * other)


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
def fill_column(book: CapBook, day: int, basis: Array, slopes: Array, column: Array) -> None:
    """A column of the linear model: what each cap gains when the variances grow by `basis`."""
    first_cap, last_cap = book.caps_of_day[day], book.caps_of_day[day + 1]
    first_caplet = book.caplets_of_cap[first_cap]
    for cap in range(first_cap, last_cap):
        j, end = book.caplets_of_cap[cap] - first_caplet, book.caplets_of_cap[cap + 1]
        i, end = book.first_period[cap], end - first_caplet
        # Four sums at a time do not wait for each other.
        s0 = s1 = s2 = s3 = 0.0
        while j + 4 <= end:
            s0 += slopes[j] * basis[i]
            s1 += slopes[j + 1] * basis[i + 1]
            s2 += slopes[j + 2] * basis[i + 2]
            s3 += slopes[j + 3] * basis[i + 3]
            i, j = i + 4, j + 4
        while j < end:
            s0 += slopes[j] * basis[i]
            i, j = i + 1, j + 1
        column[cap - first_cap] = (s0 + s1) + (s2 + s3)


@compiled
def scan(
    stride: int, book: CapBook, day: int, m: int, grid: Grid, largest: float, surrogate: Surrogate
) -> tuple[int, int]:
    """The linear problem at every `stride`-th pair of speeds; the best pair."""
    n, values = grid.speeds.size, surrogate.values
    values[:] = np.inf
    periods = book.periods_of_day[day + 1] - book.periods_of_day[day]
    for i in range(n):
        mixed_basis(i, i, periods, grid, surrogate.basis)
        fill_column(book, day, surrogate.basis, surrogate.slopes, surrogate.columns[i])
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
    design = surrogate.design
    for k in range(m):
        design[0, k], design[1, k] = surrogate.columns[i, k], surrogate.columns[j, k]
    periods = book.periods_of_day[day + 1] - book.periods_of_day[day]
    mixed_basis(i, j, periods, grid, surrogate.basis)
    fill_column(book, day, surrogate.basis, surrogate.slopes, design[2])
    return cone_fit(
        design, surrogate.target, m, largest, 1, surrogate.angles, surrogate.solutions[i, j]
    )


@compiled
def set_variance(i: int, j: int, periods: int, grid: Grid, surrogate: Surrogate) -> None:
    """The variances at the solution of one pair."""
    solution, wanted = surrogate.solutions[i, j], np.zeros(periods)
    u, v = solution[0] ** 2, solution[1] ** 2
    w = 2.0 * solution[2] * solution[0] * solution[1]
    for weight, one, other in ((u, i, i), (v, j, j), (w, i, j)):
        mixed_basis(one, other, periods, grid, surrogate.basis)
        wanted += weight * surrogate.basis[:periods]
    # Not too far at once: the linear model knows only the neighbourhood.
    variance = surrogate.variance[:periods]
    variance[:] = np.minimum(np.maximum(wanted, 0.1 * variance), 10.0 * variance)


@compiled
def collect_valleys(limit: float, grid: Grid, surrogate: Surrogate) -> int:
    """Points that are minimal in their row or column, the deepest first; how many.

    Those that are minimal in both are bottoms, not just points of a long valley, and go before.
    On a plateau neighbours of the same height are all alike: one of them is enough.
    """
    n, values, places = grid.speeds.size, surrogate.values, surrogate.places
    ranks, candidates, found = np.empty(n * n // 2), np.empty((n * n // 2, 2), np.int64), 0
    for i in range(n):
        for j in range(i):
            here = values[i, j]
            in_row = (j == 0 or values[i, j - 1] >= here) and values[i, j + 1] >= here
            in_column = values[i - 1, j] >= here and (i == n - 1 or values[i + 1, j] >= here)
            if (in_row or in_column) and here < limit:
                ranks[found] = here - limit if in_row and in_column else here
                candidates[found, 0], candidates[found, 1] = i, j
                found += 1
    count = 0
    for c in np.argsort(ranks[:found]):
        i, j = candidates[c, 0], candidates[c, 1]
        is_new = True
        for k in range(count):
            a, b = places[k, 0], places[k, 1]
            is_near = max(abs(a - i), abs(b - j)) <= PLATEAU
            is_new &= not is_near or abs(values[a, b] - values[i, j]) > SAME_HEIGHT * values[i, j]
        if is_new:
            places[count, 0], places[count, 1] = i, j
            count += 1
            if count == len(places):
                break
    return count
