"""The search for the best taus of a Svensson curve, day by day, as compiled loops.

For given tau_1 and tau_2 the best betas are a linear least-squares problem, so the fit is a search
in two dimensions (variable projection, Golub and Pereyra 1973). Its surface has narrow flat strips
along one tau, often with several minima in one strip. So every day is projected on a grid of both
taus; where a row or a column of the grid has a minimum, such a strip passes; from the deepest such
points a few steps of Levenberg-Marquardt lead down, and the best of them are followed to the end.
Nobody has to give a start, and the answer is the same every time.
"""

import math
from typing import NamedTuple

import numpy as np

from calibscope.base.arrays import Array, Indices
from calibscope.base.compiled import compiled

# A tau below a few weeks or beyond the horizon of the quotes is a straight line in disguise.
TAU_BOUNDS = (0.05, 30.0)  # years
# Closer taus make the betas large and opposite: the curve gains nothing, the parameters lose sense.
SMALLEST_RATIO = 1.02
AT_BOUND = 1 + 1e-9
# Columns of the design nearer to each other than this are the same: without short maturities a
# small tau leaves no trace, and the betas would be large and opposite.
INDEPENDENT = 1e-6

GRID = 24  # points per tau, equal steps of log tau
STARTS, FIRST_STEPS = 64, 2  # points from which a few steps are made
FINISHED, LAST_STEPS = 8, 60  # of these, how many are followed to the end
SAME_MINIMUM = 0.03  # in log tau
PERFECT = 1e-11  # root mean square error, decimal, that needs no improvement
BASIS = 4


@compiled
def decay_less_one(x: float) -> float:
    """e^-x - 1; the plain form is faster, and exact enough where nothing cancels."""
    return math.exp(-x) - 1.0 if x > 0.1 else math.expm1(-x)


@compiled
def project(
    times: Array, rates: Array, tau_1: float, tau_2: float, work: Array, R: Array, c: Array
) -> float:
    """QR of the design at these taus, c = Q' z, and the residuals; returns their sum of squares.

    Infinite where the design has no four independent columns.

    work: rows 0-3 the orthonormal basis Q, 4 the residuals, 5 and 6 the derivatives of H(x_1) and
    H(x_2) by log tau, 7 H(x_1) (which is the derivative of F).
    """
    n = times.size
    for i in range(n):
        x = times[i] / tau_1
        decay = decay_less_one(x)
        level = -decay / x
        hump = level - 1.0 - decay
        work[0, i] = 1.0
        work[1, i] = level
        work[2, i] = hump
        work[7, i] = hump
        work[5, i] = hump - x * (1.0 + decay)
        x = times[i] / tau_2
        decay = decay_less_one(x)
        hump = -decay / x - 1.0 - decay
        work[3, i] = hump
        work[6, i] = hump - x * (1.0 + decay)
        work[4, i] = rates[i]
    for j in range(BASIS):
        length = 0.0
        for i in range(n):
            length += work[j, i] * work[j, i]
        for k in range(j):
            R[k, j] = 0.0
        # Gram-Schmidt, twice: the second round restores orthogonality where columns are alike.
        for _ in range(2):
            for k in range(j):
                dot = 0.0
                for i in range(n):
                    dot += work[k, i] * work[j, i]
                R[k, j] += dot
                for i in range(n):
                    work[j, i] -= dot * work[k, i]
        squares = 0.0
        for i in range(n):
            squares += work[j, i] * work[j, i]
        R[j, j] = math.sqrt(squares)
        if not squares > INDEPENDENT**2 * length:
            return np.inf
        for i in range(n):
            work[j, i] /= R[j, j]
        dot = 0.0
        for i in range(n):
            dot += work[j, i] * work[4, i]
        c[j] = dot
        for i in range(n):
            work[4, i] -= dot * work[j, i]
    squares = 0.0
    for i in range(n):
        squares += work[4, i] * work[4, i]
    return squares


@compiled
def solve_betas(R: Array, c: Array, betas: Array) -> None:
    """Back substitution R betas = c."""
    for j in range(BASIS - 1, -1, -1):
        value = c[j]
        for k in range(j + 1, BASIS):
            value -= R[j, k] * betas[k]
        betas[j] = value / R[j, j]


@compiled
def normal_matrix(work: Array, R: Array, betas: Array, small: Array, out: Array) -> None:
    """Gradient and J'J of the projected residuals by log tau: out = (g1, g2, J11, J12, J22).

    Golub and Pereyra: the derivative of the residuals r is -(A_j + B_j), A_j = (1 - QQ') D_j b in
    the complement of the design, B_j = Q R^-T D_j' r in its span, where D_j is the derivative of
    the design.
    """
    n = work.shape[1]
    q1, q2 = small[0], small[1]
    for k in range(BASIS):
        q1[k] = q2[k] = 0.0
    g1 = g2 = j11 = j12 = j22 = r1 = r2 = r3 = 0.0
    for i in range(n):
        d1 = betas[1] * work[7, i] + betas[2] * work[5, i]
        d2 = betas[3] * work[6, i]
        r = work[4, i]
        g1 -= d1 * r
        g2 -= d2 * r
        j11 += d1 * d1
        j12 += d1 * d2
        j22 += d2 * d2
        r1 += work[7, i] * r
        r2 += work[5, i] * r
        r3 += work[6, i] * r
        for k in range(BASIS):
            q1[k] += d1 * work[k, i]
            q2[k] += d2 * work[k, i]
    for k in range(BASIS):
        j11 -= q1[k] * q1[k]
        j12 -= q1[k] * q2[k]
        j22 -= q2[k] * q2[k]
    # R^T s = D_j' r by forward substitution; D_1 has columns 1 and 2, D_2 column 3.
    s1 = r1 / R[1, 1]
    s2 = (r2 - R[1, 2] * s1) / R[2, 2]
    s3 = -(R[1, 3] * s1 + R[2, 3] * s2) / R[3, 3]
    t3 = r3 / R[3, 3]
    out[0], out[1] = g1, g2
    out[2] = j11 + s1 * s1 + s2 * s2 + s3 * s3
    out[3] = j12 + s3 * t3
    out[4] = j22 + t3 * t3


@compiled
def bounded(theta: Array) -> None:
    """Move log taus into their bounds, and apart if they are too close (keeping their order)."""
    low, high, closest = math.log(TAU_BOUNDS[0]), math.log(TAU_BOUNDS[1]), math.log(SMALLEST_RATIO)
    for j in range(2):
        theta[j] = min(max(theta[j], low), high)
    gap = theta[1] - theta[0]
    if abs(gap) < closest:
        middle = min(max(0.5 * (theta[0] + theta[1]), low + 0.5 * closest), high - 0.5 * closest)
        half = math.copysign(0.5 * closest, gap)
        theta[0] = middle - half
        theta[1] = middle + half


@compiled
def is_held(theta: float, gradient: float) -> bool:
    """Whether a log tau is pushed against its bound."""
    low, high = math.log(TAU_BOUNDS[0]), math.log(TAU_BOUNDS[1])
    return (theta <= low and gradient > 0.0) or (theta >= high and gradient < 0.0)


class Scratch(NamedTuple):
    """Working memory for one day, reused from day to day."""

    work: Array
    R: Array
    c: Array
    betas: Array
    small: Array
    normal: Array
    trial: Array
    sums: Array
    coefficients: Array
    starts: Array
    values: Array


@compiled
def polish(times: Array, rates: Array, steps: int, scratch: Scratch, theta: Array) -> float:
    """Levenberg-Marquardt from the log taus theta, which end nearer the minimum; its squares."""
    work, R, c, betas = scratch.work, scratch.R, scratch.c, scratch.betas
    normal, trial = scratch.normal, scratch.trial
    bounded(theta)
    best = project(times, rates, math.exp(theta[0]), math.exp(theta[1]), work, R, c)
    if best == np.inf:
        return best
    solve_betas(R, c, betas)
    normal_matrix(work, R, betas, scratch.small, normal)
    damping = 1e-3
    for _ in range(steps):
        g1, g2, j12 = normal[0], normal[1], normal[3]
        j11, j22 = normal[2] * (1.0 + damping), normal[4] * (1.0 + damping)
        # A tau that is pushed against its bound stays there; the other one moves alone.
        if is_held(theta[0], g1):
            g1 = j12 = 0.0
        if is_held(theta[1], g2):
            g2 = j12 = 0.0
        determinant = j11 * j22 - j12 * j12
        step_1 = (j12 * g2 - j22 * g1) / determinant
        step_2 = (j12 * g1 - j11 * g2) / determinant
        length = max(abs(step_1), abs(step_2))
        if not length < np.inf:  # no curvature at all: a beta is zero, and its tau does not matter
            break
        shrink = 1.0 / max(1.0, length)
        trial[0] = theta[0] + shrink * step_1
        trial[1] = theta[1] + shrink * step_2
        bounded(trial)
        if max(abs(trial[0] - theta[0]), abs(trial[1] - theta[1])) < 1e-12:
            break
        value = project(times, rates, math.exp(trial[0]), math.exp(trial[1]), work, R, c)
        if value < best:
            gain = best - value
            best = value
            theta[0], theta[1] = trial[0], trial[1]
            damping = max(0.1 * damping, 1e-12)
            if gain < 1e-10 * best or best < times.size * PERFECT**2:
                break
            solve_betas(R, c, betas)
            normal_matrix(work, R, betas, scratch.small, normal)
        else:
            damping = max(10.0 * damping, 1e-6)
            if damping > 1e8:
                break
    return best


@compiled
def near_optimal_points(rates: Array, bases: Array, log_taus: Array, scratch: Scratch) -> int:
    """The deepest grid points that are minimal in their row or column, as starts; their number."""
    n = log_taus.size
    sums, coefficients, starts, values = (
        scratch.sums, scratch.coefficients, scratch.starts, scratch.values
    )  # fmt: skip
    coefficients[:] = 0.0
    squares = 0.0
    for i in range(rates.size):
        squares += rates[i] * rates[i]
        for j in range(coefficients.size):
            coefficients[j] += rates[i] * bases[i, j]
    for a in range(n):
        for b in range(n):
            total = squares
            for j in range(BASIS):
                total -= coefficients[(a * n + b) * BASIS + j] ** 2
            sums[a + 1, b + 1] = total if a != b else np.inf
    count = 0
    for a in range(1, n + 1):
        for b in range(1, n + 1):
            value = sums[a, b]
            in_row = value <= sums[a, b - 1] and value <= sums[a, b + 1]
            in_column = value <= sums[a - 1, b] and value <= sums[a + 1, b]
            if a == b or not (in_row or in_column):
                continue
            # Insertion into the list of the deepest, which is in order.
            place = count
            while place > 0 and values[place - 1] > value:
                place -= 1
            if place == STARTS:
                continue
            count = min(count + 1, STARTS)
            for k in range(count - 1, place, -1):
                values[k] = values[k - 1]
                starts[k, 0], starts[k, 1] = starts[k - 1, 0], starts[k - 1, 1]
            values[place] = value
            starts[place, 0], starts[place, 1] = log_taus[a - 1], log_taus[b - 1]
    return count


@compiled
def is_known(starts: Array, order: Indices, rank: int) -> bool:
    """Whether a better start is in the same place."""
    for better in order[:rank]:
        if (
            abs(starts[better, 0] - starts[order[rank], 0]) < SAME_MINIMUM
            and abs(starts[better, 1] - starts[order[rank], 1]) < SAME_MINIMUM
        ):
            return True
    return False


@compiled
def fit_days(
    times: Array,
    rates: Array,
    bases: Array,
    log_taus: Array,
    begin: int,
    end: int,
    parameters: Array,
) -> None:
    """Parameters of days begin, ..., end - 1; NaN if no taus fit."""
    k, n = times.size, log_taus.size
    scratch = Scratch(
        np.empty((8, k)), np.zeros((BASIS, BASIS)), np.empty(BASIS), np.empty(BASIS),
        np.empty((2, BASIS)), np.empty(5), np.empty(2), np.full((n + 2, n + 2), np.inf),
        np.empty(n * n * BASIS), np.empty((STARTS, 2)), np.empty(STARTS),
    )  # fmt: skip
    for day in range(begin, end):
        count = near_optimal_points(rates[day], bases, log_taus, scratch)
        starts, values = scratch.starts, scratch.values
        for s in range(count):
            values[s] = polish(times, rates[day], FIRST_STEPS, scratch, starts[s])
        order = np.argsort(values[:count])
        best, winner, finished = np.inf, 0, 0
        for rank in range(count):
            s = order[rank]
            if is_known(starts, order, rank):
                continue
            value = polish(times, rates[day], LAST_STEPS, scratch, starts[s])
            finished += 1
            if value < best:
                best, winner = value, s
            if finished == FINISHED or best < k * PERFECT**2:
                break
        if best == np.inf:
            parameters[day] = np.nan
            continue
        tau_1, tau_2 = math.exp(starts[winner, 0]), math.exp(starts[winner, 1])
        project(times, rates[day], tau_1, tau_2, scratch.work, scratch.R, scratch.c)
        solve_betas(scratch.R, scratch.c, parameters[day, :BASIS])
        parameters[day, 4], parameters[day, 5] = tau_1, tau_2
