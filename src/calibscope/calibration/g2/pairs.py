r"""All pairs of a grid of speeds: the best linearised fit at each, many pairs at a time.

With the reach C(a, span) of each speed and its faded share 1 - exp(-a reset), the variance basis of
a pair is

.. math:: D = C_x C_y\,(faded_x + faded_y - faded_x faded_y) / (a_x + a_y),

and A, B are its values at equal speeds. The columns of the linear model and their products are sums
along rows of pairs, which the compiler runs on several pairs at a time; what is left of a pair is
the cone problem (`cone.py`).

Sources: the variance is the paper's (section 2.2); what is linear is solved at each pair, as in
variable projection (Golub and Pereyra, 1973).
"""

from typing import NamedTuple

import numpy as np

from calibscope.base.arrays import Array, Indices
from calibscope.base.compiled import compiled
from calibscope.calibration.g2.case import COUNT, Case
from calibscope.calibration.g2.cone import Products, bounded_fit
from calibscope.calibration.g2.surrogate import largest_square
from calibscope.models.elementary import decay_moments
from calibscope.models.g2.book import CapBook

PRODUCTS = 7
PLATEAU, SAME_HEIGHT = 2, 0.01  # steps of the grid, and relative: points that are alike


class Pairs(NamedTuple):
    """A grid of speeds, the linear problem at its pairs i > j, and working memory.

    Pairs are in the order (1, 0), (2, 0), (2, 1), (3, 0), ...
    """

    speeds: Array  # (n,) increasing
    values: Array  # (n, n) sums of squares of the linear model; inf where i <= j
    solutions: Array  # (n, n, 3) sigma_x, sigma_y, rho
    reach: Array  # (periods, n)
    faded: Array  # (periods, n)
    basis: Array  # (periods, n) A
    mixed_basis: Array  # (periods, pairs) D
    columns: Array  # (m, n) of the linear model in u, at each speed
    mixed: Array  # (m, pairs) of the linear model in 2w
    lengths: Array  # (2, n) products of the columns with themselves and with the target
    products: Array  # (7, pairs) those of y - x and 2d - x - y


@compiled
def pairs_for(speeds: Array, periods: int, caps: int) -> Pairs:
    """Memory for the pairs of these speeds."""
    n = speeds.size
    pairs = n * (n - 1) // 2
    return Pairs(
        speeds=speeds,
        values=np.full((n, n), np.inf),
        solutions=np.empty((n, n, 3)),
        reach=np.empty((periods, n)),
        faded=np.empty((periods, n)),
        basis=np.empty((periods, n)),
        mixed_basis=np.empty((periods, pairs)),
        columns=np.empty((caps, n)),
        mixed=np.empty((caps, pairs)),
        lengths=np.empty((2, n)),
        products=np.empty((PRODUCTS, pairs)),
    )


@compiled
def set_schedule(resets: Array, spans: Array, pairs: Pairs) -> None:
    """The variance basis of every pair on a schedule."""
    n, speeds, reach, faded = pairs.speeds.size, pairs.speeds, pairs.reach, pairs.faded
    basis, mixed_basis = pairs.basis, pairs.mixed_basis
    for period in range(resets.size):
        span, reset = spans[period], resets[period]
        for i in range(n):
            reach[period, i] = span * decay_moments(speeds[i] * span)[0]
            faded[period, i] = speeds[i] * reset * decay_moments(speeds[i] * reset)[0]
        for i in range(n):
            gone, c = faded[period, i], reach[period, i]
            left, start = 1.0 - gone, i * (i - 1) // 2
            basis[period, i] = c * c * (gone + left * gone) / (2.0 * speeds[i])
            for j in range(i):
                both = c * reach[period, j] * (gone + left * faded[period, j])
                mixed_basis[period, start + j] = both / (speeds[i] + speeds[j])


@compiled
def scan(case: Case, pairs: Pairs) -> tuple[int, int]:
    """The linear problem at every pair of speeds; the best pair."""
    n, values, lengths, own = pairs.speeds.size, pairs.values, pairs.lengths, pairs.products
    fill_products(case, pairs)
    largest, total, c = largest_square(case), 0.0, 0
    for k in range(case.task.quotes.size):
        total += case.surrogate.target[k] ** 2
    best_i, best_j = 1, 0
    for i in range(1, n):
        root = 0.0
        for j in range(i):
            products = Products(
                lengths[0, i], own[0, c], own[1, c], own[2, c], own[3, c], own[4, c],
                lengths[1, i], own[5, c], own[6, c],
            )  # fmt: skip
            gain, root = bounded_fit(products, largest, root, pairs.solutions[i, j])
            values[i, j] = total - gain
            c += 1
            if values[i, j] < values[best_i, best_j]:
                best_i, best_j = i, j
    return best_i, best_j


@compiled
def fill_products(case: Case, pairs: Pairs) -> None:
    """Columns of the linear model and their products, for all speeds and pairs."""
    n, lengths, products = pairs.speeds.size, pairs.lengths, pairs.products
    columns, mixed, slopes = pairs.columns, pairs.mixed, case.surrogate.slopes
    sum_caplets(n, case.book, case.day, slopes, pairs.basis, columns)
    sum_caplets(n * (n - 1) // 2, case.book, case.day, slopes, pairs.mixed_basis, mixed)
    lengths[:] = 0.0
    products[:] = 0.0
    for k in range(case.task.quotes.size):
        t, start = case.surrogate.target[k], 0
        for i in range(n):
            x = columns[k, i]
            lengths[0, i] += x * x
            lengths[1, i] += x * t
            for j in range(i):
                y, c = columns[k, j], start + j
                e, f = y - x, 2.0 * mixed[k, c] - x - y
                products[0, c] += x * e
                products[1, c] += x * f
                products[2, c] += e * e
                products[3, c] += e * f
                products[4, c] += f * f
                products[5, c] += e * t
                products[6, c] += f * t
            start += i


@compiled
def sum_caplets(
    count: int, book: CapBook, day: int, slopes: Array, basis: Array, columns: Array
) -> None:
    """What each cap gains when the variances grow by each of `count` bases."""
    first_cap, last_cap = book.caps_of_day[day], book.caps_of_day[day + 1]
    first_caplet = book.caplets_of_cap[first_cap]
    for cap in range(first_cap, last_cap):
        k, i = cap - first_cap, book.first_period[cap]
        j, end = book.caplets_of_cap[cap] - first_caplet, book.caplets_of_cap[cap + 1]
        end -= first_caplet
        for c in range(count):
            columns[k, c] = 0.0
        while j + 4 <= end:  # four at a time: columns are read and written less often
            s0, s1, s2, s3 = slopes[j], slopes[j + 1], slopes[j + 2], slopes[j + 3]
            for c in range(count):
                columns[k, c] += (s0 * basis[i, c] + s1 * basis[i + 1, c]) + (
                    s2 * basis[i + 2, c] + s3 * basis[i + 3, c]
                )
            i, j = i + 4, j + 4
        while j < end:
            s0 = slopes[j]
            for c in range(count):
                columns[k, c] += s0 * basis[i, c]
            i, j = i + 1, j + 1


@compiled
def collect_minima(limit: float, pairs: Pairs, places: Indices) -> int:
    """Points that are minimal in their row or column, the deepest first; how many.

    Those that are minimal in both are bottoms, not just points of a long strip, and go
    before. On a plateau neighbours of the same height are all alike: one of them is enough.
    """
    n, values = pairs.speeds.size, pairs.values
    ranks, candidates, found = np.empty(n * n // 2), np.empty((n * n // 2, 2), np.int64), 0
    for i in range(n):
        for j in range(i):
            here = values[i, j]
            if not here < limit:
                continue
            in_row = (j == 0 or values[i, j - 1] >= here) and values[i, j + 1] >= here
            in_column = values[i - 1, j] >= here and (i == n - 1 or values[i + 1, j] >= here)
            if in_row or in_column:
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


@compiled
def start_at(i: int, j: int, pairs: Pairs, case: Case, start: Array) -> None:
    """The parameters at a pair of speeds, inside the bounds."""
    start[0], start[1] = pairs.speeds[i], pairs.speeds[j]
    start[2:] = pairs.solutions[i, j]
    for p in range(COUNT):
        start[p] = min(max(start[p], case.task.lower[p]), case.task.upper[p])
