r"""The global optimum of a day: a search over the two speeds alone.

For given speeds the variance of every caplet is linear in three numbers,
:math:`\Sigma_i^2 = u A_i + v B_i + 2 w D_i` with u = sigma_x^2, v = sigma_y^2,
w = rho sigma_x sigma_y, and |rho| <= 1 says that [[u, w], [w, v]] is positive semidefinite. Prices
are smooth in Sigma^2, and all good fits have nearly the same variances, because they have nearly
the same prices. So prices are linearised once in the variances,

.. math:: g_k \approx g_k^0 + \sum_i M_{ki} (\Sigma_i^2 - \Sigma_{i,0}^2),

and for every pair of speeds of a grid the best (u, v, w) is a linear least-squares problem in a
cone: three unknowns by QR, or, on the boundary |rho| = 1, one angle. That costs a microsecond, so
a fine grid of all pairs is affordable. The deepest valley points of this grid are then measured
with true prices. From those that have no lower neighbour Newton's method goes down in the two
speeds, all else at its best, and finally in all five parameters (`polish.py`). The best end is the
answer. The linearisation is renewed at the best point of two coarse passes.
"""

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from calibscope.base.arrays import Array, Indices
from calibscope.base.compiled import compilation_notice, compiled
from calibscope.calibration.polish import (
    COUNT,
    FAR_AWAY,
    NEAR,
    Task,
    Work,
    mark_free,
    normal_equations,
    polish,
    residuals_at,
    work_for,
)
from calibscope.models.g2.book import CapBook
from calibscope.models.g2.caps import Scratch, option_values, scratch_for
from calibscope.models.g2.variance import basis_rows

SPEEDS, SLOW = 64, 0.01
DESCENTS = 6  # at most so many valleys are descended
PROBES = (-0.05, 0.05, -0.1, 0.1, -0.17, 0.17)  # of the log of the faster speed
MOST_PROBES = 4
ALMOST_OPPOSITE = -0.99
RIDGE_RATIO = 2.0  # speeds nearer than that may lie on the ridge of equal speeds
FALLBACK = (0.5, 0.05, 0.01, 0.01, -0.7)
COARSE = 8  # every eighth speed in the first passes
WORTH_A_LOOK = 4.0  # times the lowest sum of squares on the grid
MOST_STEPS = 100
ANGLES = 32
RAYS = np.array(
    [
        (math.cos(a) ** 2, math.sin(a) ** 2, 2.0 * math.cos(a) * math.sin(a))
        for a in np.arange(ANGLES) * math.pi / ANGLES
    ]
)
START_VOL = 0.008  # normal vol from which the level is found
LEVEL_STEPS = 8
FINE = 18  # refinements of the angle on the boundary, where factors may nearly cancel
NEAR_ENOUGH = 1e-10  # relative change of the sum of squares at which the next stage takes over
ROUGH = 1e-3  # the same for valley points that are only compared
VALLEYS = 24  # so many valley points of the grid are looked at more closely
UNRESOLVED = 0.002  # relative errors up to which the grid does not tell valleys apart
PERFECT_FIT = 1e-12  # of their squares: nothing is left to find
HOPELESS = 2.0  # a valley whose bottom on the grid is this much higher is not descended
NEARLY_BEST = 1.02  # ends this near to the best are polished


def search_speeds(lower: float, upper: float) -> Array:
    """The grid of speeds: equal steps of log(a + 0.01), since below a = 0.01 little changes."""
    steps = np.linspace(np.log(lower + SLOW), np.log(upper + SLOW), SPEEDS)
    speeds = np.exp(steps) - SLOW
    speeds[0], speeds[-1] = lower, upper
    return speeds


@cache
def compile_kernels() -> None:
    """Compile the kernels of the search, or load them from disk; says so when it takes long."""
    none, zero = np.empty(0), np.zeros(1, dtype=np.int64)
    empty = CapBook(zero, zero, zero, zero[:0], none, none, none, none, none, none)
    with compilation_notice():
        search_days(
            empty, none, none, none, none, np.ones(2), 0, 0, np.empty((0, 1, COUNT)),
            np.empty((0, 1)), zero,
        )  # fmt: skip


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
def cone_fit(
    design: Array, target: Array, m: int, largest: float, refinements: int, solution: Array
) -> float:
    """Least squares in the cone: sigma_x, sigma_y, rho into `solution`; the sum of squares.

    Modified Gram-Schmidt in place; R and Q'b are then all that is needed.
    """
    r00 = r01 = r02 = r11 = r12 = r22 = 0.0
    c0 = c1 = c2 = total = 0.0
    for k in range(m):
        total += target[k] * target[k]
        r00 += design[0, k] * design[0, k]
    r00 = math.sqrt(r00)
    if not r00 > 0.0:
        return np.inf
    for k in range(m):
        design[0, k] /= r00
        r01 += design[0, k] * design[1, k]
        r02 += design[0, k] * design[2, k]
        c0 += design[0, k] * target[k]
    for k in range(m):
        design[1, k] -= r01 * design[0, k]
        design[2, k] -= r02 * design[0, k]
        r11 += design[1, k] * design[1, k]
    r11 = math.sqrt(r11)
    if r11 > 1e-14 * r00:
        for k in range(m):
            design[1, k] /= r11
            r12 += design[1, k] * design[2, k]
            c1 += design[1, k] * target[k]
        for k in range(m):
            design[2, k] -= r12 * design[1, k]
            r22 += design[2, k] * design[2, k]
        r22 = math.sqrt(r22)
        for k in range(m):
            c2 += design[2, k] * target[k]
        c2 = c2 / r22 if r22 > 0.0 else 0.0
    is_inside = False
    if r22 > 1e-13 * r00 and r11 > 1e-13 * r00:
        w = c2 / r22
        v = (c1 - r12 * w) / r11
        u = (c0 - r01 * v - r02 * w) / r00
        if u > 0.0 and v > 0.0 and w * w <= 4.0 * u * v:
            if max(u, v) <= largest:
                solution[0], solution[1] = math.sqrt(u), math.sqrt(v)
                solution[2] = 0.5 * w / (solution[0] * solution[1])
                return total - c0 * c0 - c1 * c1 - c2 * c2
            is_inside = True
    # The boundary: (u, v, 2w) = size (cos^2, sin^2, 2 cos sin), which covers rho = 1 and rho = -1.
    best, chosen = np.inf, 0
    rest = total - c0 * c0 - c1 * c1 - c2 * c2
    for a in range(ANGLES):
        u, v, w = RAYS[a, 0], RAYS[a, 1], RAYS[a, 2]
        d0, d1, d2 = r00 * u + r01 * v + r02 * w, r11 * v + r12 * w, r22 * w
        length = d0 * d0 + d1 * d1 + d2 * d2
        size = min(max((d0 * c0 + d1 * c1 + d2 * c2) / length, 0.0), largest / max(u, v))
        value = rest + (size * d0 - c0) ** 2 + (size * d1 - c1) ** 2 + (size * d2 - c2) ** 2
        if value < best:
            best, chosen = value, a
    step = math.pi / ANGLES
    low, angle, high = (chosen - 1) * step, chosen * step, (chosen + 1) * step
    for _ in range(refinements):
        # A parabola through three angles; the interval shrinks around the best.
        third = 0.25 * (high - low)
        left, right = angle - third, angle + third
        f_left = on_boundary(left, r00, r01, r02, r11, r12, r22, c0, c1, c2, rest, largest)
        f_right = on_boundary(right, r00, r01, r02, r11, r12, r22, c0, c1, c2, rest, largest)
        bend = f_left - 2.0 * best + f_right
        guess = angle
        if bend > 0.0:
            guess = angle + 0.5 * third * (f_left - f_right) / bend
        f_guess = on_boundary(guess, r00, r01, r02, r11, r12, r22, c0, c1, c2, rest, largest)
        for x, f in ((left, f_left), (right, f_right), (guess, f_guess)):
            if f < best:
                best, angle = f, x
        width = max(abs(guess - angle), 0.125 * (high - low))
        low, high = angle - width, angle + width
    cosine, sine = math.cos(angle), math.sin(angle)
    size = boundary_size(cosine, sine, r00, r01, r02, r11, r12, r22, c0, c1, c2, largest)
    root = math.sqrt(size)
    solution[0], solution[1] = root * abs(cosine), root * abs(sine)
    solution[2] = 1.0 if cosine * sine > 0.0 else -1.0
    if is_inside:
        # Beyond a bound on the volatilities, |rho| < 1: the faces u = largest and v = largest.
        for face in range(2):
            w = v = u = 0.0
            if face == 0:  # u fixed: two unknowns v, w
                b0 = c0 - r00 * largest
                n11, n12 = r01 * r01 + r11 * r11, r01 * r02 + r11 * r12
                n22 = r02 * r02 + r12 * r12 + r22 * r22
                g1, g2 = r01 * b0 + r11 * c1, r02 * b0 + r12 * c1 + r22 * c2
            else:  # v fixed: two unknowns u, w
                b0, b1 = c0 - r01 * largest, c1 - r11 * largest
                n11, n12 = r00 * r00, r00 * r02
                n22 = r02 * r02 + r12 * r12 + r22 * r22
                g1, g2 = r00 * b0, r02 * b0 + r12 * b1 + r22 * c2
            determinant = n11 * n22 - n12 * n12
            if not determinant > 0.0:
                continue
            other, w = (g1 * n22 - g2 * n12) / determinant, (g2 * n11 - g1 * n12) / determinant
            if not 0.0 < other <= largest or w * w > 4.0 * largest * other:
                continue
            u, v = (largest, other) if face == 0 else (other, largest)
            d0, d1, d2 = r00 * u + r01 * v + r02 * w, r11 * v + r12 * w, r22 * w
            value = rest + (d0 - c0) ** 2 + (d1 - c1) ** 2 + (d2 - c2) ** 2
            if value < best:
                best = value
                solution[0], solution[1] = math.sqrt(u), math.sqrt(v)
                solution[2] = 0.5 * w / (solution[0] * solution[1])
    return best


@compiled
def boundary_size(
    cosine: float, sine: float, r00: float, r01: float, r02: float, r11: float, r12: float,
    r22: float, c0: float, c1: float, c2: float, largest: float,
) -> float:  # fmt: skip
    """Best size along one ray of the boundary, within the bound on the volatilities."""
    u, v, w = cosine * cosine, sine * sine, 2.0 * cosine * sine
    d0, d1, d2 = r00 * u + r01 * v + r02 * w, r11 * v + r12 * w, r22 * w
    length = d0 * d0 + d1 * d1 + d2 * d2
    size = max((d0 * c0 + d1 * c1 + d2 * c2) / length, 0.0) if length > 0.0 else 0.0
    return min(size, largest / max(u, v))


@compiled
def on_boundary(
    angle: float, r00: float, r01: float, r02: float, r11: float, r12: float, r22: float,
    c0: float, c1: float, c2: float, rest: float, largest: float,
) -> float:  # fmt: skip
    """Sum of squares along one ray of the boundary, at its best size."""
    cosine, sine = math.cos(angle), math.sin(angle)
    size = boundary_size(cosine, sine, r00, r01, r02, r11, r12, r22, c0, c1, c2, largest)
    u, v, w = size * cosine * cosine, size * sine * sine, 2.0 * size * cosine * sine
    d0, d1, d2 = r00 * u + r01 * v + r02 * w, r11 * v + r12 * w, r22 * w
    return rest + (d0 - c0) ** 2 + (d1 - c1) ** 2 + (d2 - c2) ** 2


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


@compiled
def inner_fit(
    book: CapBook,
    day: int,
    task: Task,
    scratch: Scratch,
    surrogate: Surrogate,
    tolerance: float,
    parameters: Array,
) -> float:
    """Best volatilities and correlation at the speeds in `parameters`; the true sum of squares.

    Starts from the volatilities in `parameters`: linearise, solve in the cone, until nothing moves.
    """
    m, lower, upper = task.quotes.size, task.lower, task.upper
    periods = slice(book.periods_of_day[day], book.periods_of_day[day + 1])
    resets, spans = book.reset[periods], book.span[periods]
    basis = scratch.basis
    basis_rows(parameters[0], parameters[1], resets, spans, 1, scratch.decays, basis)
    solution, last = parameters[2:], np.inf
    largest = min(upper[2], upper[3]) ** 2
    value = np.inf
    for _ in range(12):
        u, v = solution[0] ** 2, solution[1] ** 2
        w = 2.0 * solution[2] * solution[0] * solution[1]
        for i in range(resets.size):
            x, y = u * basis[0, i], v * basis[1, i]
            surrogate.variance[i] = max(x + y + w * basis[2, i], 1e-13 * (x + y))
        value = linearise(book, day, task, scratch, surrogate)
        if not abs(last - value) > tolerance * value:
            break
        last = value
        fill_design(book, day, basis[0], basis[1], basis[2], surrogate)
        cone_fit(surrogate.design, surrogate.target, m, largest, FINE, solution)
        for p in range(3):
            solution[p] = min(max(solution[p], lower[2 + p]), upper[2 + p])
    return value


@compiled
def reduced_step(parameters: Array, lower: Array, upper: Array, damping: float, work: Work) -> bool:
    """Newton step of the log speeds with the inner parameters eliminated; False if indefinite.

    The Schur complement of half the Hessian, on the inner parameters that are free.
    """
    mark_free(parameters, lower, upper, work)
    H, step = work.curvature, work.step
    system = work.system
    system[:] = H
    for p in range(2):
        step[p] = -work.gradient[p]
    step[2:] = 0.0
    for p in range(COUNT - 1, 1, -1):
        if not work.is_free[p]:
            continue
        pivot = system[p, p]
        if not pivot > 1e-12 * abs(H[p, p]):
            continue
        for i in range(p):
            if i >= 2 and not work.is_free[i]:
                continue
            factor = system[p, i] / pivot
            for j in range(p):
                system[i, j] -= factor * system[p, j]
    xx = system[0, 0] + damping * (abs(system[0, 0]) + 1e-12 * H[0, 0])
    yy = system[1, 1] + damping * (abs(system[1, 1]) + 1e-12 * H[1, 1])
    xy = system[0, 1]
    if not work.is_free[0]:
        xx, xy, step[0] = 1.0, 0.0, 0.0
    if not work.is_free[1]:
        yy, xy, step[1] = 1.0, 0.0, 0.0
    determinant = xx * yy - xy * xy
    if not (xx > 0.0 and yy > 0.0 and determinant > 1e-14 * xx * yy):
        return False
    first, second = step[0], step[1]
    step[0] = (yy * first - xy * second) / determinant
    step[1] = (xx * second - xy * first) / determinant
    return True


@compiled
def descend(
    most_steps: int,
    tolerance: float,
    book: CapBook,
    day: int,
    task: Task,
    scratch: Scratch,
    surrogate: Surrogate,
    work: Work,
    parameters: Array,
) -> tuple[float, int]:
    """Newton's method in the two speeds, everything else at its best; the sum of squares."""
    lower, upper, trial = task.lower, task.upper, work.trial
    best = inner_fit(book, day, task, scratch, surrogate, tolerance, parameters)
    damping, evaluations, fresh = 1e-3, 1, True
    for _ in range(most_steps):
        if fresh:
            residuals_at(2, parameters, book, day, task, scratch, work, work.residuals)
            normal_equations(2, parameters, task, work)
            fresh = False
        while not reduced_step(parameters, lower, upper, damping, work):
            damping = max(4.0 * damping, 1e-3)
            if damping > 1e12:
                return best, evaluations
        longest = max(abs(work.step[0]), abs(work.step[1]))
        promised = -work.step[0] * work.gradient[0] - work.step[1] * work.gradient[1]
        if promised < 10.0 * tolerance * best:
            break
        shrink = min(1.0, 1.0 / longest)
        trial[:] = parameters
        for p in range(2):
            moved_to = parameters[p] * math.exp(shrink * work.step[p])
            trial[p] = min(max(moved_to, lower[p]), upper[p])
        value = inner_fit(book, day, task, scratch, surrogate, tolerance, trial)
        evaluations += 1
        if value < best:
            done = best - value < 10.0 * tolerance * best
            best = value
            parameters[:] = trial
            damping = max(damping / 8.0, 1e-12)
            fresh = True
            if done:
                break
        else:
            damping = max(8.0 * damping, 1e-6)
            if damping > 1e12:
                break
    return best, evaluations


@compiled
def look_around(
    book: CapBook,
    day: int,
    task: Task,
    scratch: Scratch,
    surrogate: Surrogate,
    work: Work,
    best: float,
    parameters: Array,
) -> tuple[float, int]:
    """Leave a small basin beside a deeper one, as they lie where a caplet's variance nearly
    vanishes: the faster speed is moved a little to either side, and a lower point is followed.
    """
    evaluations, probe = 0, work.probe
    for _ in range(MOST_PROBES):
        found = False
        for distance in PROBES:
            probe[:] = parameters
            probe[0] = min(max(parameters[0] * math.exp(distance), task.lower[0]), task.upper[0])
            value = inner_fit(book, day, task, scratch, surrogate, ROUGH, probe)
            evaluations += 1
            if value < best * (1.0 - 1e-6):
                value, used = descend(
                    MOST_STEPS, NEAR_ENOUGH, book, day, task, scratch, surrogate, work, probe
                )
                evaluations += used
                best = value
                parameters[:] = probe
                found = True
                break
        if not found:
            break
    if parameters[4] >= ALMOST_OPPOSITE:
        return best, evaluations
    is_ridge = parameters[0] < RIDGE_RATIO * parameters[1]
    if is_ridge:
        # Along the ridge a_x = a_y the mean speed, sigma_x - sigma_y and sigma (a_x - a_y) hardly
        # change, and the valley falls slightly towards the bound of sigma: jump to its end.
        probe[:] = parameters
        rise = min(task.upper[2] - parameters[2], task.upper[3] - parameters[3])
        probe[2], probe[3] = parameters[2] + rise, parameters[3] + rise
        probe[4] = task.lower[4]
        middle = 0.5 * (parameters[0] + parameters[1])
        half = 0.5 * (parameters[0] - parameters[1]) * parameters[2] / probe[2]
        probe[0], probe[1] = middle + half, max(middle - half, task.lower[1])
        value, used = polish(2, FAR_AWAY, MOST_STEPS, book, day, task, scratch, work, probe)
        evaluations += used
        if value < best:
            best = value
            parameters[:] = probe
    elif task.lower[4] < parameters[4]:
        # Beside rho = -1, where early caplets have almost no variance, steps are small: jump.
        probe[:] = parameters
        probe[4] = task.lower[4]
        value, used = polish(2, FAR_AWAY, MOST_STEPS, book, day, task, scratch, work, probe)
        evaluations += used
        if value < best:
            best = value
            parameters[:] = probe
    return best, evaluations


@compiled
def search_day(
    book: CapBook,
    day: int,
    task: Task,
    grid: Grid,
    scratch: Scratch,
    surrogate: Surrogate,
    work: Work,
    ends: Array,
    end_values: Array,
) -> tuple[int, int]:
    """Ends of the descents into the best valleys of one day; how many, and the evaluations used."""
    m = task.quotes.size
    periods = slice(book.periods_of_day[day], book.periods_of_day[day + 1])
    resets, spans = book.reset[periods], book.span[periods]
    largest = min(task.upper[2], task.upper[3]) ** 2
    for i in range(resets.size):
        surrogate.variance[i] = (START_VOL * spans[i]) ** 2 * resets[i]
    find_level(book, day, task, resets.size, scratch, surrogate)
    for _ in range(2):
        i, j = scan(COARSE, book, day, m, grid, largest, surrogate)
        set_variance(i, j, resets.size, grid, surrogate)
        linearise(book, day, task, scratch, surrogate)
    i, j = scan(2, book, day, m, grid, largest, surrogate)
    # The grid cannot tell how deep a valley of nearly perfect fits is between its points.
    unresolved = 0.0
    for k in range(m):
        unresolved += (UNRESOLVED * task.root_weights[k] * task.quotes[k]) ** 2
    limit = WORTH_A_LOOK * max(surrogate.values[i, j], unresolved)
    scan_between(limit, book, day, m, grid, largest, surrogate)
    count = collect_valleys(limit, grid, surrogate)
    # The true heights of the valley points; descents start where no neighbour is lower.
    places, heights, starts = surrogate.places, surrogate.heights, surrogate.starts
    for c in range(count):
        i, j = places[c, 0], places[c, 1]
        starts[c, 0], starts[c, 1] = grid.speeds[i], grid.speeds[j]
        starts[c, 2:] = surrogate.solutions[i, j]
        for p in range(COUNT):
            starts[c, p] = min(max(starts[c, p], task.lower[p]), task.upper[p])
        heights[c] = inner_fit(book, day, task, scratch, surrogate, ROUGH, starts[c])
    evaluations, kept, best = count, 0, np.inf
    for c in np.argsort(heights[:count]):
        if kept == len(end_values) or heights[c] > HOPELESS * max(best, unresolved):
            break
        if best <= PERFECT_FIT * unresolved:
            break
        is_lowest = True
        for other in range(count):
            away = max(abs(places[other, 0] - places[c, 0]), abs(places[other, 1] - places[c, 1]))
            is_lowest &= away != 1 or heights[other] >= heights[c]
        if not is_lowest:
            continue
        ends[kept] = starts[c]
        end_values[kept], used = descend(
            MOST_STEPS, NEAR_ENOUGH, book, day, task, scratch, surrogate, work, ends[kept]
        )
        evaluations += used
        best = min(best, end_values[kept])
        kept += 1
    if kept == 0:  # no valley at all: quotes that no model comes near
        for p in range(COUNT):
            ends[0, p] = min(max(FALLBACK[p], task.lower[p]), task.upper[p])
        end_values[0], kept = np.inf, 1
    for c in range(kept):
        if end_values[c] <= NEARLY_BEST * best:
            end_values[c], used = look_around(
                book, day, task, scratch, surrogate, work, end_values[c], ends[c]
            )
            evaluations += used
            best = min(best, end_values[c])
    for c in range(kept):
        if end_values[c] <= NEARLY_BEST * best:
            end_values[c], used = polish(
                2, NEAR, 5 * MOST_STEPS, book, day, task, scratch, work, ends[c]
            )
            evaluations += used
            best = min(best, end_values[c])
    return kept, evaluations


@compiled
def search_days(
    book: CapBook,
    quotes: Array,
    root_weights: Array,
    lower: Array,
    upper: Array,
    speeds: Array,
    begin: int,
    end: int,
    ends: Array,
    end_values: Array,
    evaluations: Indices,
) -> None:
    """The same for days begin, ..., end - 1, all with the same bounds; best end first."""
    n, scratch = speeds.size, scratch_for(book, begin, end)
    periods, caplets, caps = scratch.basis.shape[1], scratch.caplets.shape[1], 0
    for day in range(begin, end):
        caps = max(caps, book.caps_of_day[day + 1] - book.caps_of_day[day])
    grid = Grid(speeds, np.empty((n, periods)), np.empty((n, n, periods)))
    work, none = work_for(caps), np.zeros(COUNT)
    surrogate = Surrogate(
        np.empty(periods), np.empty(caplets), np.empty(caps), np.empty(caps), np.empty((3, caps)),
        np.full((n, n), np.inf), np.empty((n, n, 3)), np.empty((VALLEYS, 2), np.int64),
        np.empty(VALLEYS), np.empty((VALLEYS, COUNT)),
    )  # fmt: skip
    last = -1
    for day in range(begin, end):
        if last < 0 or not same_schedule(book, last, day):
            first, stop = book.periods_of_day[day], book.periods_of_day[day + 1]
            fill_grid(speeds, book.reset[first:stop], book.span[first:stop], grid.own, grid.mixed)
        last = day
        own = slice(book.caps_of_day[day], book.caps_of_day[day + 1])
        task = Task(quotes[own], root_weights[own], lower, upper, none, none)
        count, evaluations[day] = search_day(
            book, day, task, grid, scratch, surrogate, work, ends[day], end_values[day]
        )
        end_values[day, count:] = np.inf
        order = np.argsort(end_values[day])
        end_values[day] = end_values[day][order]
        ends[day] = ends[day][order]


@compiled
def same_schedule(book: CapBook, one: int, other: int) -> bool:
    """Whether two days have the same periods."""
    a, b = book.periods_of_day[one], book.periods_of_day[other]
    n = book.periods_of_day[one + 1] - a
    if book.periods_of_day[other + 1] - b != n:
        return False
    for i in range(n):
        if book.reset[a + i] != book.reset[b + i] or book.span[a + i] != book.span[b + i]:
            return False
    return True
