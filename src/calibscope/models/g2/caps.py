r"""Cap and floor prices under G2++, with exact Jacobian and Hessian.

A caplet equals its intrinsic value plus the value of the option that is out of the money, and
that is the same number for caplet and floorlet. With L = log(P(t_{i-1}) / ((1 + K delta) P(t_i))),
m = abs(L)/Sigma, s = Sigma/2 and the Mills ratio R = (1 - Phi)/phi, the paper's
eq. analytical_cap_price and the identity P(t_{i-1}) phi(h+) = (1 + K delta) P(t_i) phi(h-) =: G
give

.. math::

    \text{Caplet} = \text{intrinsic}^+ + G\,[R(m - s) - R(m + s)], \qquad
    G = N \sqrt{\tfrac{P(t_{i-1}) (1 + K\delta) P(t_i)}{2\pi}}\; e^{-(m^2 + s^2)/2}.

One exponential serves both tails and the derivatives (eq. factor_M and below), which are
written with dSigma instead of dSigma^2 so that nothing grows without bound as Sigma -> 0:

.. math::

    \frac{\partial}{\partial p} = G\,\frac{\partial\Sigma}{\partial p}, \qquad
    \frac{\partial^2}{\partial p\,\partial q} = \frac{G}{\Sigma}\Big[(h_+ h_- - 1)
    \frac{\partial\Sigma}{\partial p}\frac{\partial\Sigma}{\partial q}
    + \tfrac12 \frac{\partial^2\Sigma^2}{\partial p\,\partial q}\Big], \qquad
    h_+ h_- = m^2 - s^2.

Where Sigma = 0 the price is the intrinsic value and both derivatives are zero. For a caplet that
is fixed today that is the truth; where the factors cancel exactly, no derivative exists, and the
cap is marked degenerate.
"""

import operator
from functools import cache
from typing import NamedTuple

import numpy as np

from calibscope.base.arrays import Array, ArrayLike, BoolArray
from calibscope.base.compiled import compilation_notice, compiled
from calibscope.base.threads import share_days
from calibscope.models.elementary import exponential, mills_ratio
from calibscope.models.g2.book import CapBook
from calibscope.models.g2.parameters import checked_parameters
from calibscope.models.g2.variance import (
    BASIS_ROWS,
    DECAY_ROWS,
    FIRST,
    SECOND,
    basis_rows,
    variance_rows,
)

# Beyond about 38 standard deviations the normal density is zero in double precision.
FAR = 100.0


@compiled
def sigma_tables(
    variance: Array,
    n: int,
    order: int,
    sigma: Array,
    dsigma: Array,
    curvature: Array,
    bending: Array,
) -> None:
    """From Sigma^2 and its derivatives to what every cap of the day shares.

    sigma: Sigma/2 and 1/Sigma (0 where Sigma = 0, which makes everything else vanish there);
    dsigma: dSigma/dp; curvature: dSigma/dp dSigma/dq / Sigma; bending: d2Sigma^2/dpdq/(2 Sigma).
    """
    for i in range(n):
        deviation = np.sqrt(variance[0, i])
        sigma[0, i] = 0.5 * deviation
        sigma[1, i] = 1.0 / deviation if deviation > 0.0 else 0.0
    if order < 1:
        return
    for i in range(n):
        for p in range(FIRST):
            dsigma[i, p] = 0.5 * sigma[1, i] * variance[1 + p, i]
    if order < 2:
        return
    for i in range(n):
        entry = 0
        for p in range(FIRST):
            for q in range(p, FIRST):
                curvature[i, entry] = sigma[1, i] * dsigma[i, p] * dsigma[i, q]
                bending[i, entry] = 0.5 * sigma[1, i] * variance[6 + entry, i]
                entry += 1


@compiled
def option_values(
    log_moneyness: Array,
    density_scale: Array,
    smaller_leg: Array,
    half_sigma: Array,
    inverse_sigma: Array,
    value: Array,
    density: Array,
    density_slope: Array,
) -> None:
    """Out-of-the-money value, G and G (h+ h- - 1) of each caplet."""
    for j in range(log_moneyness.size):
        s = min(half_sigma[j], FAR)
        m = min(log_moneyness[j] * inverse_sigma[j], FAR)
        G = density_scale[j] * exponential(-0.5 * (m * m + s * s))
        near, far = mills_ratio(abs(m - s)), mills_ratio(m + s)
        option = G * (near - far) if m >= s else smaller_leg[j] - G * (near + far)
        value[j] = max(option, 0.0)
        density[j] = G
        density_slope[j] = G * (m * m - s * s - 1.0)


@compiled
def sum_row(density: Array, dsigma: Array, row: Array) -> None:
    """Jacobian row of one cap: sum of G dSigma/dp over its caplets.

    Written out, because five running sums in registers are twice as fast as five in memory.
    """
    a_x = a_y = sigma_x = sigma_y = rho_xy = 0.0
    for i in range(density.size):
        a_x += density[i] * dsigma[i, 0]
        a_y += density[i] * dsigma[i, 1]
        sigma_x += density[i] * dsigma[i, 2]
        sigma_y += density[i] * dsigma[i, 3]
        rho_xy += density[i] * dsigma[i, 4]
    row[0], row[1], row[2], row[3], row[4] = a_x, a_y, sigma_x, sigma_y, rho_xy


@compiled
def sum_matrix(
    density: Array,
    density_slope: Array,
    bending: Array,
    curvature: Array,
    triangle: Array,
    matrix: Array,
) -> None:
    """Hessian of one cap: the upper triangle summed over its caplets, then mirrored."""
    triangle[:] = 0.0
    for i in range(density.size):
        for entry in range(SECOND):
            triangle[entry] += (
                density[i] * bending[i, entry] + density_slope[i] * curvature[i, entry]
            )
    entry = 0
    for p in range(FIRST):
        for q in range(p, FIRST):
            matrix[p, q] = triangle[entry]
            matrix[q, p] = triangle[entry]
            entry += 1


class Scratch(NamedTuple):
    """Working memory for one day, reused from day to day."""

    decays: Array  # (rows, periods) C and its derivatives at both speeds
    basis: Array  # (rows, periods) of the variance in u, v and w, with derivatives
    variance: Array  # (21, periods) Sigma^2, five first and fifteen second derivatives
    sigma: Array  # (2, periods) Sigma/2 and 1/Sigma
    dsigma: Array  # (periods, 5)
    curvature: Array  # (periods, 15) dSigma/dp dSigma/dq / Sigma
    bending: Array  # (periods, 15) d2Sigma^2/dpdq / (2 Sigma)
    caplets: Array  # (5, caplets) values, densities and what they are made of
    triangle: Array  # (15,) upper half of a Hessian


@compiled
def scratch_for(book: CapBook, begin: int, end: int) -> Scratch:
    """Working memory that is large enough for every day from begin to end - 1."""
    periods = 0
    caplets = 0
    for day in range(begin, end):
        first_caplet = book.caplets_of_cap[book.caps_of_day[day]]
        last_caplet = book.caplets_of_cap[book.caps_of_day[day + 1]]
        periods = max(periods, book.periods_of_day[day + 1] - book.periods_of_day[day])
        caplets = max(caplets, last_caplet - first_caplet)
    return Scratch(
        decays=np.empty((DECAY_ROWS, periods)),
        basis=np.empty((BASIS_ROWS, periods)),
        variance=np.empty((1 + FIRST + SECOND, periods)),
        sigma=np.empty((2, periods)),
        dsigma=np.empty((periods, FIRST)),
        curvature=np.empty((periods, SECOND)),
        bending=np.empty((periods, SECOND)),
        caplets=np.empty((5, caplets)),
        triangle=np.empty(SECOND),
    )


@compiled
def evaluate_day(
    order: int,
    parameters: Array,
    book: CapBook,
    day: int,
    scratch: Scratch,
    prices: Array,
    jacobian: Array,
    hessian: Array,
    is_degenerate: BoolArray,
) -> None:
    """Prices (order 0), Jacobian (1) and Hessian (2) of the caps of one day of the book."""
    periods = slice(book.periods_of_day[day], book.periods_of_day[day + 1])
    resets, spans = book.reset[periods], book.span[periods]
    a_x, a_y = parameters[0], parameters[1]
    basis_rows(a_x, a_y, resets, spans, order, scratch.decays, scratch.basis)
    variance_rows(parameters, scratch.basis, resets.size, order, scratch.variance)
    sigma, dsigma, curvature, bending = (
        scratch.sigma,
        scratch.dsigma,
        scratch.curvature,
        scratch.bending,
    )
    sigma_tables(scratch.variance, resets.size, order, sigma, dsigma, curvature, bending)

    first_cap, last_cap = book.caps_of_day[day], book.caps_of_day[day + 1]
    first_caplet = book.caplets_of_cap[first_cap]
    caplets = slice(first_caplet, book.caplets_of_cap[last_cap])
    # Indexed, not unpacked: an unpacked row counts as strided, and the loop would not vectorise.
    half_sigma, inverse_sigma = scratch.caplets[0], scratch.caplets[1]
    value, density, density_slope = scratch.caplets[2], scratch.caplets[3], scratch.caplets[4]
    for cap in range(first_cap, last_cap):
        period = book.first_period[cap]
        is_certain = False
        for j in range(book.caplets_of_cap[cap], book.caplets_of_cap[cap + 1]):
            half_sigma[j - first_caplet] = sigma[0, period]
            inverse_sigma[j - first_caplet] = sigma[1, period]
            is_certain |= sigma[1, period] == 0.0 and resets[period] > 0.0
            period += 1
        is_degenerate[cap - first_cap] = is_certain
    option_values(
        book.log_moneyness[caplets],
        book.density_scale[caplets],
        book.smaller_leg[caplets],
        half_sigma,
        inverse_sigma,
        value,
        density,
        density_slope,
    )

    for cap in range(first_cap, last_cap):
        begin = book.caplets_of_cap[cap] - first_caplet
        end = book.caplets_of_cap[cap + 1] - first_caplet
        period = book.first_period[cap]
        price = book.intrinsic[cap]
        for j in range(begin, end):
            price += value[j]
        prices[cap - first_cap] = price
        if order >= 1:
            sum_row(density[begin:end], dsigma[period:], jacobian[cap - first_cap])
        if order >= 2:
            sum_matrix(
                density[begin:end],
                density_slope[begin:end],
                bending[period:],
                curvature[period:],
                scratch.triangle,
                hessian[cap - first_cap],
            )


@compiled
def evaluate_days(
    order: int,
    parameters: Array,
    book: CapBook,
    begin: int,
    end: int,
    prices: Array,
    jacobian: Array,
    hessian: Array,
    is_degenerate: BoolArray,
) -> None:
    """The same for days begin, ..., end - 1, each at its own row of the parameters."""
    scratch = scratch_for(book, begin, end)
    for day in range(begin, end):
        caps = slice(book.caps_of_day[day], book.caps_of_day[day + 1])
        evaluate_day(
            order,
            parameters[day],
            book,
            day,
            scratch,
            prices[caps],
            jacobian[caps],
            hessian[caps],
            is_degenerate[caps],
        )


class CapValues(NamedTuple):
    """Values of all caps of a book, in its order; derivatives in the order of `PARAMETERS`."""

    prices: Array  # (caps,)
    jacobian: Array  # (caps, 5); no rows unless asked for
    hessian: Array  # (caps, 5, 5); no rows unless asked for
    is_degenerate: (
        BoolArray  # (caps,) a caplet that is not fixed yet has no variance: J = H = 0 there
    )


def evaluate(
    parameters: ArrayLike, book: CapBook, order: int = 2, threads: int | None = None
) -> CapValues:
    r"""Price all caps of a book, each day at its own parameters, with exact derivatives.

    .. math::

        \text{Cap} = \sum_i N\,[P(t_{i-1})\,\Phi(h_{+,i}) - (1 + K\delta_i)\,P(t_i)\,\Phi(h_{-,i})]

    and its derivatives, evaluated as the module's docstring says.

    Parameters
    ----------
    parameters : (days, 5) a_x, a_y, sigma_x, sigma_y, rho_xy, one row per day of the book
    book : the packed caps
    order : 0 for prices, 1 for prices and Jacobian, 2 for the Hessian as well
    threads : how many to use; None means all cores. The result is the same to the last bit.

    Returns
    -------
    CapValues
        prices (k,), Jacobian (k, 5) and Hessian (k, 5, 5) of all k caps of the book

    Notes
    -----
    Paper: eq. analytical_cap_price, jacobian_factorization and hessian_caplet_factorized.
    """
    order = operator.index(order)
    if order not in (0, 1, 2):
        raise ValueError(f"order is {order}; choose 0, 1 or 2")
    values = checked_parameters(parameters, book.day_count)
    caps = len(book.intrinsic)
    prices = np.empty(caps)
    jacobian = np.empty((caps if order >= 1 else 0, FIRST))
    hessian = np.empty((caps if order >= 2 else 0, FIRST, FIRST))
    is_degenerate = np.empty(caps, dtype=np.bool_)
    compile_kernels()

    def run(begin: int, end: int) -> None:
        evaluate_days(order, values, book, begin, end, prices, jacobian, hessian, is_degenerate)

    share_days(run, book.day_count, threads)
    return CapValues(prices, jacobian, hessian, is_degenerate)


@cache
def compile_kernels() -> None:
    """Compile the pricing kernels, or load them from disk; says so when it takes long."""
    none, zero = np.empty(0), np.zeros(1, dtype=np.int64)
    empty = CapBook(zero, zero, zero, zero[:0], none, none, none, none, none, none)
    with compilation_notice():
        evaluate_days(
            0, np.empty((1, FIRST)), empty, 0, 0, np.empty(0), np.empty((0, FIRST)),
            np.empty((0, FIRST, FIRST)), np.empty(0, dtype=np.bool_),
        )  # fmt: skip
