r"""The linear surrogate of a day: prices as linear functions of the caplets' variances.

.. math:: g_k \approx g_k^0 + \sum_i M_{ki} (\Sigma_i^2 - \Sigma_{i,0}^2), \qquad
    \Sigma_i^2 = u A_i + v B_i + 2 w D_i

All good fits have nearly the same variances, because they have nearly the same prices, so this
holds wherever it matters. At every pair of speeds it leaves a small cone problem (`cone.py`).

The M_ki are the paper's (eq. factor_M).
"""

import math

from calibscope.base.arrays import Array
from calibscope.base.compiled import compiled
from calibscope.calibration.case import COUNT, Case
from calibscope.calibration.cone import ROUNDING, cone_fit
from calibscope.models.g2.caps import option_values
from calibscope.models.g2.variance import basis_rows

LEVEL_STEPS = 8


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
def linearise(case: Case) -> float:
    """M and the target of the linear model at `surrogate.variance`; the true sum of squares."""
    book, day, task, scratch, surrogate = (
        case.book, case.day, case.task, case.scratch, case.surrogate
    )  # fmt: skip
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
def find_level(periods: int, case: Case) -> None:
    """Scale the variances until the caps cost, on the whole, what they are quoted at."""
    book, task, surrogate = case.book, case.task, case.surrogate
    first_cap = book.caps_of_day[case.day]
    for _ in range(LEVEL_STEPS):
        linearise(case)
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
def linear_fit(case: Case, parameters: Array) -> None:
    """Volatilities and correlation that are best for the linear model at the basis that is set."""
    task, surrogate, basis = case.task, case.surrogate, case.scratch.basis
    for p in range(3):
        fill_column(case, basis[p], surrogate.design[p])
    cone_fit(
        surrogate.design, surrogate.target, task.quotes.size, largest_square(case), parameters[2:]
    )
    for p in range(2, COUNT):
        parameters[p] = min(max(parameters[p], task.lower[p]), task.upper[p])
        if parameters[p] > task.upper[p] - ROUNDING * abs(task.upper[p]):
            parameters[p] = task.upper[p]  # a square root may miss it by a digit


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
