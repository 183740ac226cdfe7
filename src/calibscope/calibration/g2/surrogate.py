r"""The linear surrogate of a day: prices as linear functions of the caplets' variances.

.. math:: g_k \approx g_k^0 + \sum_i M_{ki} (\Sigma_i^2 - \Sigma_{i,0}^2), \qquad
    \Sigma_i^2 = u A_i + v B_i + 2 w D_i

All good fits have nearly the same variances, because they have nearly the same prices, so this
holds wherever it matters. At every pair of speeds it leaves a small cone problem (`cone.py`).

The M_ki are the paper's (eq. factor_M).
"""

import math

import numpy as np

from calibscope.base.arrays import Array
from calibscope.base.compiled import compiled
from calibscope.calibration.g2.case import COUNT, Case
from calibscope.calibration.g2.cone import ROUNDING, cone_fit
from calibscope.models.g2.caps import option_values
from calibscope.models.g2.variance import basis_rows

LEVEL_STEPS, LARGEST_STEP = 12, 2.0  # the latter of the logarithm of a level
SAME_LEVEL = 0.02  # of the same
START_VOL = 0.008  # normal vol from which levels are found
LEAST_VARIANCE = 0.02  # of that of a flat vol
PRICE_ERROR = 0.02  # relative to all quotes: a level that this moves by an e-fold is not known


@compiled
def set_basis(parameters: Array, case: Case) -> None:
    """A, B and D at the speeds of these parameters."""
    book, day, scratch = case.book, case.day, case.scratch
    periods = slice(book.periods_of_day[day], book.periods_of_day[day + 1])
    basis_rows(
        parameters[0], parameters[1], book.reset[periods], book.span[periods], 0, scratch.decays,
        scratch.basis,
    )  # fmt: skip


@compiled
def set_variance(parameters: Array, case: Case) -> None:
    """The variances at these parameters, whose basis is set: there prices are to be linearised.

    Where the factors cancel they are kept above zero: the slopes M have no limit there.
    """
    basis, variance = case.scratch.basis, case.surrogate.variance
    u, v = parameters[2] ** 2, parameters[3] ** 2
    w = 2.0 * parameters[4] * parameters[2] * parameters[3]
    for i in range(case.book.periods_of_day[case.day + 1] - case.book.periods_of_day[case.day]):
        x, y = u * basis[0, i], v * basis[1, i]
        variance[i] = max(x + y + w * basis[2, i], 1e-13 * (x + y))


@compiled
def flat_variance(case: Case) -> None:
    """The variances of the same normal vol for all periods."""
    book, variance = case.book, case.surrogate.variance
    first = book.periods_of_day[case.day]
    for i in range(book.periods_of_day[case.day + 1] - first):
        variance[i] = (START_VOL * book.span[first + i]) ** 2 * book.reset[first + i]


@compiled
def raise_variance(case: Case) -> None:
    """Keep variances above a small share of what they are on the whole.

    At rho = -1 the factors cancel in some period, where a price goes with the root of the variance:
    its tangent there holds for nothing but that fit.
    """
    book, variance = case.book, case.surrogate.variance
    first, last = book.periods_of_day[case.day], book.periods_of_day[case.day + 1]
    found = flat = 0.0
    for i in range(last - first):
        found += variance[i]
        flat += book.span[first + i] ** 2 * book.reset[first + i]
    if not flat > 0.0:
        return
    for i in range(last - first):
        usual = found / flat * book.span[first + i] ** 2 * book.reset[first + i]
        variance[i] = max(variance[i], LEAST_VARIANCE * usual)


@compiled
def linearise(case: Case) -> float:
    """M and the target of the linear model at `surrogate.variance`; the true sum of squares."""
    case.surrogate.levels[:] = 1.0
    value_caplets(case)
    return set_linear_model(case)


@compiled
def linearise_at_quotes(case: Case) -> float:
    """The same with the variances of each cap at the level at which it costs what is quoted.

    A fit that meets a quote has such variances. Far out of the money, where prices change by orders
    of magnitude with the variance, a tangent elsewhere would say nothing about them. Returns how
    far, as a logarithm, levels differ from one: by so much the variances are wrong.
    """
    find_levels(case)
    value_caplets(case)
    set_linear_model(case)
    farthest = 0.0
    for k in range(case.task.quotes.size):
        farthest = max(farthest, abs(math.log(case.surrogate.levels[k])))
    return farthest


@compiled
def value_caplets(case: Case) -> None:
    """Values and slopes of all caplets at the variances times their cap's level, into `scratch`."""
    book, scratch, surrogate = case.book, case.scratch, case.surrogate
    first_cap, last_cap = book.caps_of_day[case.day], book.caps_of_day[case.day + 1]
    first_caplet = book.caplets_of_cap[first_cap]
    caplets = slice(first_caplet, book.caplets_of_cap[last_cap])
    half_sigma, inverse_sigma = scratch.caplets[0], scratch.caplets[1]
    for cap in range(first_cap, last_cap):
        period, level = book.first_period[cap], surrogate.levels[cap - first_cap]
        for j in range(book.caplets_of_cap[cap], book.caplets_of_cap[cap + 1]):
            deviation = math.sqrt(level * surrogate.variance[period])
            half_sigma[j - first_caplet] = 0.5 * deviation
            inverse_sigma[j - first_caplet] = 1.0 / deviation if deviation > 0.0 else 0.0
            period += 1
    option_values(
        book.log_moneyness[caplets], book.density_scale[caplets], book.smaller_leg[caplets],
        half_sigma, inverse_sigma, scratch.caplets[2], scratch.caplets[3], scratch.caplets[4],
    )  # fmt: skip


@compiled
def set_linear_model(case: Case) -> float:
    """M and the target from the caplets' values; the true sum of squares at these."""
    book, task, scratch, surrogate = case.book, case.task, case.scratch, case.surrogate
    first_cap, last_cap = book.caps_of_day[case.day], book.caps_of_day[case.day + 1]
    first_caplet = book.caplets_of_cap[first_cap]
    inverse_sigma, value, density = scratch.caplets[1], scratch.caplets[2], scratch.caplets[3]
    total = 0.0
    for cap in range(first_cap, last_cap):
        k = cap - first_cap
        period, level = book.first_period[cap], surrogate.levels[k]
        price, linear = book.intrinsic[cap], 0.0
        for j in range(book.caplets_of_cap[cap], book.caplets_of_cap[cap + 1]):
            slope = 0.5 * density[j - first_caplet] * inverse_sigma[j - first_caplet]
            surrogate.slopes[j - first_caplet] = task.root_weights[k] * slope
            price += value[j - first_caplet]
            linear += slope * level * surrogate.variance[period]
            period += 1
        surrogate.prices[k] = price
        surrogate.target[k] = task.root_weights[k] * (task.quotes[k] - price + linear)
        total += (task.root_weights[k] * (price - task.quotes[k])) ** 2
    return total


@compiled
def find_levels(case: Case) -> None:
    """The level of each cap's variances at which it costs what is quoted.

    Newton's method on the logarithms of time value and level, which is a straight line at the money
    and concave away from it. Where a small error of the price would move the level far, or no level
    gives the price, the level is drawn towards that of the others.
    """
    book, task, surrogate = case.book, case.task, case.surrogate
    first_cap, m = book.caps_of_day[case.day], task.quotes.size
    levels = surrogate.levels
    levels[:m] = 1.0
    precision, deltas, squares = np.empty(m), np.empty(m), 0.0
    for k in range(m):
        squares += (task.root_weights[k] * task.quotes[k]) ** 2
    error = PRICE_ERROR * math.sqrt(squares / m)
    for _ in range(LEVEL_STEPS):
        value_caplets(case)
        largest = 0.0
        for k in range(m):
            time_value, slope = time_value_of(first_cap + k, case)
            wanted = task.quotes[k] - book.intrinsic[first_cap + k]
            precision[k], deltas[k] = 0.0, 0.0
            if not (wanted > 0.0 and task.root_weights[k] > 0.0):
                continue
            if not (slope > 0.0 and time_value > 0.0):  # no variance to speak of
                deltas[k] = LARGEST_STEP
            else:
                step = time_value / slope * math.log(wanted / time_value)
                deltas[k] = min(max(step, -LARGEST_STEP), LARGEST_STEP)
                precision[k] = (task.root_weights[k] * slope / error) ** 2
            if precision[k] > 1.0 or deltas[k] == LARGEST_STEP:
                largest = max(largest, abs(deltas[k]))
            levels[k] *= math.exp(deltas[k])
        if largest <= SAME_LEVEL:
            break
    total = weighted = 0.0
    for k in range(m):
        total += precision[k]
        weighted += precision[k] * math.log(levels[k])
    common = weighted / total if total > 0.0 else 0.0
    for k in range(m):
        share = precision[k] / (precision[k] + 1.0)
        levels[k] = math.exp(share * math.log(levels[k]) + (1.0 - share) * common)


@compiled
def time_value_of(cap: int, case: Case) -> tuple[float, float]:
    """Time value of a cap, and its derivative by the logarithm of its level."""
    book, scratch = case.book, case.scratch
    first_caplet = book.caplets_of_cap[book.caps_of_day[case.day]]
    half_sigma, value, density = scratch.caplets[0], scratch.caplets[2], scratch.caplets[3]
    time_value = slope = 0.0
    for j in range(book.caplets_of_cap[cap], book.caplets_of_cap[cap + 1]):
        time_value += value[j - first_caplet]
        slope += density[j - first_caplet] * half_sigma[j - first_caplet]
    return time_value, slope


@compiled
def linear_fit(case: Case, parameters: Array) -> float:
    """Volatilities and correlation that are best for the linear model at the basis that is set.

    Returns the linear model's sum of squares.
    """
    task, surrogate, basis = case.task, case.surrogate, case.scratch.basis
    for p in range(3):
        fill_column(case, basis[p], surrogate.design[p])
    total = cone_fit(
        surrogate.design, surrogate.target, task.quotes.size, largest_square(case), parameters[2:]
    )
    for p in range(2, COUNT):
        parameters[p] = min(max(parameters[p], task.lower[p]), task.upper[p])
        if parameters[p] > task.upper[p] - ROUNDING * abs(task.upper[p]):
            parameters[p] = task.upper[p]  # a square root may miss it by a digit
    return total


@compiled
def largest_square(case: Case) -> float:
    """The largest sigma^2 that the bounds allow to both factors."""
    return float(min(case.task.upper[2], case.task.upper[3]) ** 2)


@compiled
def fill_column(case: Case, basis: Array, column: Array) -> None:
    """A column of the linear model: what each cap gains when the variances grow by `basis`."""
    book, slopes = case.book, case.surrogate.slopes
    first_cap, last_cap = book.caps_of_day[case.day], book.caps_of_day[case.day + 1]
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
