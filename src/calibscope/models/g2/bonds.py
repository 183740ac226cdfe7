"""Short rate and zero-coupon bonds under G2++.

The shift psi makes the model reproduce today's curve. Everything else here is an integral of
products of C(alpha, s) = (1 - exp(-alpha s))/alpha and exponentials, whose printed closed forms
cancel for small speeds (at a = 1e-5 and half a year not one digit of V is left). The integrands
are smooth, and variances are written as sums of squares, so Gauss-Legendre panels that shrink
towards zero give full precision for every speed, including zero, and nothing negative.

All functions take the parameters in the order a_x, a_y, sigma_x, sigma_y, rho_xy and broadcast
over times.

Sources: paper, section 2.1; Brigo and Mercurio (2006), section 4.2.
"""

import numpy as np

from calibscope.base.arrays import Array, ArrayLike
from calibscope.market.curve import DiscountCurve


def _graded_rule(panels: int, points: int) -> tuple[Array, Array]:
    """Nodes and weights on [0, 1]; panel edges 0, ..., 1/8, 1/4, 1/2, 1."""
    edges = np.concatenate(([0.0], 0.5 ** np.arange(panels - 1, -1, -1)))
    nodes, weights = np.polynomial.legendre.leggauss(points)
    widths = np.diff(edges)[:, None]
    return (edges[:-1, None] + widths * (nodes + 1) / 2).ravel(), (widths * weights / 2).ravel()


# Resolves exp(-alpha s) for alpha * s up to 500,000: far more than speeds of 10 over 50 years.
NODES, WEIGHTS = _graded_rule(panels=16, points=16)


def decay(alpha: float, t: ArrayLike) -> Array:
    """C(alpha, t) = (1 - exp(-alpha t))/alpha; t itself where alpha is zero."""
    t = np.asarray(t, float)
    return np.asarray(-np.expm1(-alpha * t) / alpha) if alpha > 0 else t


def _ordered(t: ArrayLike, T: ArrayLike) -> tuple[Array, Array]:
    """Both as arrays, or an error: times are years from today, and T does not precede t."""
    start, end = np.asarray(t, float), np.asarray(T, float)
    if not (np.all(start >= 0) and np.all(end >= start)):
        raise ValueError(f"t = {start}, T = {end}: times are years from today with 0 <= t <= T")
    return start, end


def _joint_square(x: Array, y: Array, rho_xy: float) -> Array:
    """x^2 + y^2 + 2 rho x y, written so that it is never negative."""
    return (x + rho_xy * y) ** 2 + (1 - rho_xy) * (1 + rho_xy) * y * y


def shift(parameters: Array, curve: DiscountCurve, t: ArrayLike) -> Array:
    """psi(t) (paper, eq. psi): the deterministic part of r(t), and its mean under Q."""
    a_x, a_y, sigma_x, sigma_y, rho_xy = parameters
    x, y = sigma_x * decay(a_x, t), sigma_y * decay(a_y, t)
    return np.asarray(curve.forward_rate(t) + 0.5 * _joint_square(x, y, rho_xy))


def short_rate_variance(parameters: Array, t: ArrayLike) -> Array:
    r"""Var r(t) under Q (paper, section 2.1).

    .. math:: \int_0^t [\sigma_x^2 e^{-2 a_x s} + \sigma_y^2 e^{-2 a_y s}
        + 2 \rho \sigma_x \sigma_y e^{-(a_x + a_y) s}]\, ds
    """
    a_x, a_y, sigma_x, sigma_y, rho_xy = parameters
    _, end = _ordered(0.0, t)
    s = end[..., None] * NODES
    x, y = sigma_x * np.exp(-a_x * s), sigma_y * np.exp(-a_y * s)
    return np.asarray(end * (_joint_square(x, y, rho_xy) @ WEIGHTS))


def integral_variance(parameters: Array, t: ArrayLike, T: ArrayLike) -> Array:
    r"""V(t, T): the variance of the integral of x + y from t to T, given both at t.

    .. math:: V(t, T) = \int_0^{T-t} [\sigma_x^2 C(a_x, s)^2 + \sigma_y^2 C(a_y, s)^2
        + 2 \rho \sigma_x \sigma_y C(a_x, s) C(a_y, s)]\, ds
    """
    a_x, a_y, sigma_x, sigma_y, rho_xy = parameters
    start, end = _ordered(t, T)
    length = end - start
    s = length[..., None] * NODES
    x, y = sigma_x * decay(a_x, s), sigma_y * decay(a_y, s)
    return np.asarray(length * (_joint_square(x, y, rho_xy) @ WEIGHTS))


def bond_price(
    parameters: Array,
    curve: DiscountCurve,
    t: ArrayLike,
    T: ArrayLike,
    x: ArrayLike,
    y: ArrayLike,
) -> Array:
    r"""P(t, T) given the factors x(t) and y(t) (paper, eq. ZeroBondPrice).

    The shift enters only through today's curve,

    .. math:: P(t, T) = \frac{P(0, T)}{P(0, t)} \exp\{-C(a_x, \tau) x - C(a_y, \tau) y
        - \tfrac12 [V(0, T) - V(0, t) - V(t, T)]\},

    and with C(a, s + tau) = C(a, s) + exp(-a s) C(a, tau) the bracket is an integral over s from 0
    to t of products of these two parts; only a negative correlation makes terms of it cancel.
    """
    a_x, a_y, sigma_x, sigma_y, rho_xy = parameters
    start, end = _ordered(t, T)
    tau = end - start
    s = start[..., None] * NODES
    c_x, c_y = decay(a_x, tau), decay(a_y, tau)
    now_x, later_x = sigma_x * decay(a_x, s), sigma_x * np.exp(-a_x * s) * c_x[..., None]
    now_y, later_y = sigma_y * decay(a_y, s), sigma_y * np.exp(-a_y * s) * c_y[..., None]
    integrand = (
        later_x * (2 * now_x + later_x)
        + later_y * (2 * now_y + later_y)
        + 2 * rho_xy * (now_x * later_y + later_x * now_y + later_x * later_y)
    )
    convexity = start * (integrand @ WEIGHTS)
    log_ratio = curve.log_discount(end) - curve.log_discount(start)
    exponent = log_ratio - c_x * np.asarray(x, float) - c_y * np.asarray(y, float) - convexity / 2
    return np.asarray(np.exp(exponent))
