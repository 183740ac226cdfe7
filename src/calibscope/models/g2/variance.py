r"""The integrated variance of a forward bond price, and its derivatives.

All model risk of a caplet is in one number, the variance of the logarithm of the forward
bond price up to the reset date (paper, section 2.2):

.. math::

    \Sigma^2(0, T_1, T_2) = \sigma_x^2 A + \sigma_y^2 B + 2 \rho \sigma_x \sigma_y D,

    A = C(a_x, \tau)^2 C(2 a_x, T_1), \quad B = C(a_y, \tau)^2 C(2 a_y, T_1), \quad
    D = C(a_x, \tau) C(a_y, \tau) C(a_x + a_y, T_1),

with :math:`\tau = T_2 - T_1` and :math:`C(\alpha, \tau) = (1 - e^{-\alpha\tau})/\alpha`. Its 5
first and 15 distinct second derivatives (appendix, "Final Expressions" and "Second Partial
Derivatives of the Variance Function") follow from those of A, B and D in the two speeds.

Derivatives are in the order a_x, a_y, sigma_x, sigma_y, rho_xy; the second ones are the upper
triangle, row by row.
"""

from typing import NamedTuple

import numpy as np

from calibscope.base.arrays import Array, ArrayLike
from calibscope.base.compiled import compiled
from calibscope.models.elementary import decay_moments
from calibscope.models.g2.parameters import checked_parameters

FIRST = 5  # how many first derivatives
SECOND = 15  # how many distinct second derivatives
UPPER = np.triu_indices(FIRST)

# Rows of scratch memory: C, C', C'' for five arguments; A, B, D and their derivatives.
DECAY_ROWS = 15
BASIS_ROWS = 12

# A sum of terms that cancel to less than their own rounding is zero, and so is a variance whose
# inverse powers (up to Sigma^-3 in the Hessian) would leave the range of doubles.
ROUNDING = 4 * np.finfo(np.float64).eps
SMALLEST_VARIANCE = 1e-180


@compiled
def decay_rows(alpha: float, slope: float, times: Array, out: Array) -> None:
    """C(alpha, t) with its first two derivatives in a speed, for many times.

    `slope` is d alpha / d speed: 1 for C(a, .), 2 for C(2a, .).
    """
    for i in range(times.size):
        time = times[i]
        zeroth, first, second = decay_moments(alpha * time)
        step = slope * time
        out[0, i] = time * zeroth
        out[1, i] = -time * step * first
        out[2, i] = time * step * step * second


@compiled
def basis_rows(
    a_x: float, a_y: float, resets: Array, spans: Array, order: int, decays: Array, out: Array
) -> None:
    """A, B, D (rows 0-2) and, as far as `order` asks for them, their derivatives in the speeds.

    Rows 3-6 are A', B', D_x, D_y; rows 7-11 are A'', B'', D_xx, D_xy, D_yy.
    """
    n = resets.size
    decay_rows(a_x, 1.0, spans, decays[0:3])
    decay_rows(a_y, 1.0, spans, decays[3:6])
    decay_rows(2.0 * a_x, 2.0, resets, decays[6:9])
    decay_rows(2.0 * a_y, 2.0, resets, decays[9:12])
    decay_rows(a_x + a_y, 1.0, resets, decays[12:15])
    for i in range(n):
        c_x, c_y = decays[0, i], decays[3, i]
        out[0, i] = c_x * c_x * decays[6, i]
        out[1, i] = c_y * c_y * decays[9, i]
        out[2, i] = c_x * c_y * decays[12, i]
    if order < 1:
        return
    for i in range(n):
        c_x, dc_x = decays[0, i], decays[1, i]
        c_y, dc_y = decays[3, i], decays[4, i]
        g_x, dg_x = decays[6, i], decays[7, i]
        g_y, dg_y = decays[9, i], decays[10, i]
        g_xy, dg_xy = decays[12, i], decays[13, i]
        out[3, i] = c_x * (2.0 * dc_x * g_x + c_x * dg_x)
        out[4, i] = c_y * (2.0 * dc_y * g_y + c_y * dg_y)
        out[5, i] = c_y * (dc_x * g_xy + c_x * dg_xy)
        out[6, i] = c_x * (dc_y * g_xy + c_y * dg_xy)
    if order < 2:
        return
    for i in range(n):
        c_x, dc_x, d2c_x = decays[0, i], decays[1, i], decays[2, i]
        c_y, dc_y, d2c_y = decays[3, i], decays[4, i], decays[5, i]
        g_x, dg_x, d2g_x = decays[6, i], decays[7, i], decays[8, i]
        g_y, dg_y, d2g_y = decays[9, i], decays[10, i], decays[11, i]
        g_xy, dg_xy, d2g_xy = decays[12, i], decays[13, i], decays[14, i]
        out[7, i] = (
            2.0 * (dc_x * dc_x + c_x * d2c_x) * g_x + 4.0 * c_x * dc_x * dg_x + c_x * c_x * d2g_x
        )
        out[8, i] = (
            2.0 * (dc_y * dc_y + c_y * d2c_y) * g_y + 4.0 * c_y * dc_y * dg_y + c_y * c_y * d2g_y
        )
        out[9, i] = c_y * (d2c_x * g_xy + 2.0 * dc_x * dg_xy + c_x * d2g_xy)
        out[10, i] = dc_x * dc_y * g_xy + (dc_x * c_y + c_x * dc_y) * dg_xy + c_x * c_y * d2g_xy
        out[11, i] = c_x * (d2c_y * g_xy + 2.0 * dc_y * dg_xy + c_y * d2g_xy)


@compiled
def variance_rows(parameters: Array, basis: Array, n: int, order: int, out: Array) -> None:
    """Sigma^2 (row 0), its gradient (rows 1-5) and Hessian (rows 6-20), from the basis.

    A variance that is zero up to the rounding of its terms is set to exactly zero, so it is
    never negative; `order` says how many derivatives are wanted.
    """
    sigma_x, sigma_y, rho_xy = parameters[2], parameters[3], parameters[4]
    u, v = sigma_x * sigma_x, sigma_y * sigma_y
    sigma_product = 2.0 * sigma_x * sigma_y
    two_w = rho_xy * sigma_product
    for i in range(n):
        x_term, y_term, xy_term = u * basis[0, i], v * basis[1, i], two_w * basis[2, i]
        variance = x_term + y_term + xy_term
        noise = ROUNDING * (x_term + y_term + abs(xy_term))
        out[0, i] = variance if variance > max(noise, SMALLEST_VARIANCE) else 0.0
    if order < 1:
        return
    for i in range(n):
        A, B, D = basis[0, i], basis[1, i], basis[2, i]
        out[1, i] = u * basis[3, i] + two_w * basis[5, i]
        out[2, i] = v * basis[4, i] + two_w * basis[6, i]
        out[3, i] = 2.0 * (sigma_x * A + rho_xy * sigma_y * D)
        out[4, i] = 2.0 * (sigma_y * B + rho_xy * sigma_x * D)
        out[5, i] = sigma_product * D
    if order < 2:
        return
    for i in range(n):
        A, B, D = basis[0, i], basis[1, i], basis[2, i]
        dA, dB, D_x, D_y = basis[3, i], basis[4, i], basis[5, i], basis[6, i]
        out[6, i] = u * basis[7, i] + two_w * basis[9, i]  # a_x a_x
        out[7, i] = two_w * basis[10, i]  # a_x a_y
        out[8, i] = 2.0 * (sigma_x * dA + rho_xy * sigma_y * D_x)  # a_x sigma_x
        out[9, i] = 2.0 * rho_xy * sigma_x * D_x  # a_x sigma_y
        out[10, i] = sigma_product * D_x  # a_x rho_xy
        out[11, i] = v * basis[8, i] + two_w * basis[11, i]  # a_y a_y
        out[12, i] = 2.0 * rho_xy * sigma_y * D_y  # a_y sigma_x
        out[13, i] = 2.0 * (sigma_y * dB + rho_xy * sigma_x * D_y)  # a_y sigma_y
        out[14, i] = sigma_product * D_y  # a_y rho_xy
        out[15, i] = 2.0 * A  # sigma_x sigma_x
        out[16, i] = 2.0 * rho_xy * D  # sigma_x sigma_y
        out[17, i] = 2.0 * sigma_y * D  # sigma_x rho_xy
        out[18, i] = 2.0 * B  # sigma_y sigma_y
        out[19, i] = 2.0 * sigma_x * D  # sigma_y rho_xy
        out[20, i] = 0.0  # rho_xy rho_xy


class Variance(NamedTuple):
    """Sigma^2 for n periods, with its derivatives in the order of `parameters.PARAMETERS`."""

    value: Array  # (n,)
    gradient: Array  # (n, 5)
    hessian: Array  # (n, 5, 5)


def integrated_variance(parameters: ArrayLike, resets: ArrayLike, payments: ArrayLike) -> Variance:
    r"""Sigma^2(0, T1, T2) with its first and second derivatives in the five parameters.

    .. math:: \Sigma^2 = \sigma_x^2 A + \sigma_y^2 B + 2 \rho_{xy}\,\sigma_x \sigma_y D

    with A, B and D of the module's docstring (paper, section 2.2, and appendix on derivatives).

    Parameters
    ----------
    parameters : (5,) a_x, a_y, sigma_x, sigma_y, rho_xy
    resets, payments : (n,) T1 and T2 in years, 0 <= T1 <= T2

    Returns
    -------
    Variance
        Sigma^2 (n,), first (n, 5) and second derivatives (n, 5, 5)
    """
    values = checked_parameters(np.atleast_2d(np.asarray(parameters)), days=1)[0]
    reset, payment = np.broadcast_arrays(
        np.atleast_1d(np.asarray(resets, float)), np.asarray(payments, float)
    )
    if not (np.all(reset >= 0) and np.all(payment >= reset)):
        raise ValueError(f"resets {reset}, payments {payment}: need 0 <= reset <= payment")
    n = reset.size
    basis, rows = np.empty((BASIS_ROWS, n)), np.empty((1 + FIRST + SECOND, n))
    decays = np.empty((DECAY_ROWS, n))
    basis_rows(values[0], values[1], np.array(reset), payment - reset, 2, decays, basis)
    variance_rows(values, basis, n, 2, rows)
    return Variance(rows[0], np.ascontiguousarray(rows[1 : 1 + FIRST].T), square(rows[6:].T))


def square(upper: Array) -> Array:
    """The symmetric (n, 5, 5) matrices from their (n, 15) upper triangles."""
    full = np.empty((len(upper), FIRST, FIRST))
    full[:, UPPER[0], UPPER[1]] = upper
    full[:, UPPER[1], UPPER[0]] = upper
    return full
