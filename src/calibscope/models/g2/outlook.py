r"""What a fitted G2++ says about rates to come: how uncertain, how likely negative or inverted.

Under Q and given today, the factors at time t are Gaussian with mean zero, and

.. math::

    r(t) = \psi(t) + x(t) + y(t), \qquad
    y(t, t + \tau) = F(t, \tau) + \tfrac{1}{2\tau} K(t, \tau) + f(a_x\tau)\,x(t) + f(a_y\tau)\,y(t),

with today's forward zero yield F, f(z) = (1 - exp(-z))/z and K the bracket of
`bonds.bond_price` (paper, eq. psi and ZeroBondPrice). So the short rate and the slope of the zero
curve are Gaussian, too. All that their means and variances need is one bilinear form,

.. math:: B(u, v) = \sigma_x^2 u_x v_x + \sigma_y^2 u_y v_y
        + \rho\,\sigma_x \sigma_y (u_x v_y + u_y v_x),

of loads u, v that depend on the speeds: e = exp(-a s) (what is left at time t of a shock s years
before), C(a, s) (what it has added up to), and e times the f of a yield. With g = f(10a) - f(a)

.. math::

    Var\,r(t) = \int_0^t B(e, e)\,ds, \quad \psi(t) = f(0, t) + \tfrac12 B(C, C)|_{s=t}, \quad
    Var\,slope = \int_0^t B(ge, ge)\,ds,

    E\,slope = F(t, 10) - F(t, 1) + \int_0^t B(ge, C)\,ds
        + \tfrac12 \int_0^t [10\,B(f_{10}e, f_{10}e) - B(f_1 e, f_1 e)]\,ds.

As in `bonds.py`, integrals are quadratures whose terms do not cancel: B is written as a sum of
squares, and g as an integral of terms with one sign, so that small speeds and rho_xy = -1 cost no
digits.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from calibscope.base.arrays import Array, ArrayLike
from calibscope.market.curve import CARRIED_ON, DiscountCurve
from calibscope.market.maturity import label
from calibscope.models.g2.bonds import NODES, WEIGHTS
from calibscope.models.g2.parameters import checked_parameters
from calibscope.models.g2.variance import decay_rows

SHORT, LONG = 1.0, 10.0  # years: the slope is the 10Y less the 1Y zero yield
BLOCK = 256  # points that are computed together: beyond, arrays leave the processor's cache


class Outlook(NamedTuple):
    """Jets (6, n, h): the value (row 0) and its derivatives by the five parameters (rows 1-5).

    For n parameter points and h horizons. Where a variance is zero, derivatives of its root do not
    exist and are not numbers.
    """

    rate_deviation: Array  # standard deviation of r(t), decimal
    negative: Array  # P(r(t) < 0)
    slope: Array  # expected 10Y less 1Y zero yield at t, decimal
    slope_deviation: Array
    inverted: Array  # P(slope < 0)


class _Loads(NamedTuple):
    """How strongly x and y enter, per unit of volatility: (2, n, h, k) at k times per horizon."""

    value: Array
    slope: Array  # derivative by the speed

    def times(self, factor: Array, factor_slope: Array) -> "_Loads":
        """With a factor (2, n) that depends on the speed as well."""
        c, dc = factor[..., None, None], factor_slope[..., None, None]
        return _Loads(c * self.value, c * self.slope + dc * self.value)


def outlook(parameters: ArrayLike, curve: DiscountCurve, horizons: ArrayLike) -> Outlook:
    """The outlook at horizons (h,), in years, for parameter points (n, 5).

    P(r(t) < 0) = Phi(-psi(t) / sd(r(t))), and so for the slope (paper, section 2.1).

    Parameters
    ----------
    parameters : (n, 5)
    curve : today's discount curve
    horizons : (h,) years

    Returns
    -------
    Outlook
        spreads and probabilities, (n, h) each, with gradients

    Examples
    --------
    >>> curve = DiscountCurve.from_zero_rates([1, 30], [0.01, 0.02])
    >>> seen = outlook([[0.5, 0.05, 0.01, 0.01, -0.7]], curve, [10.0])
    >>> seen.negative[0].round(3)
    array([[0.151]])
    """
    rows = np.atleast_2d(np.asarray(parameters, float))
    points, t = checked_parameters(rows, len(rows)), _checked_horizons(horizons, curve)
    blocks = np.array_split(points, range(BLOCK, len(points), BLOCK))
    parts = zip(*(_of_block(block, curve, t) for block in blocks), strict=True)
    return Outlook(*(np.concatenate(part, axis=1) for part in parts))


def _checked_horizons(horizons: ArrayLike, curve: DiscountCurve) -> Array:
    t = np.atleast_1d(np.asarray(horizons, float))
    if t.ndim > 1 or not ((t > 0) & (t < np.inf)).all():
        raise ValueError(f"horizons are {horizons!r}; give positive numbers of years")
    if (t + LONG > curve.last_time + CARRIED_ON).any():
        raise ValueError(
            f"horizon {label(t.max())}: its {label(LONG)} yield needs the curve up to "
            f"{t.max() + LONG:g} years, and it ends at {curve.last_time:g}; look less far"
        )
    return t


def _of_block(points: Array, curve: DiscountCurve, t: Array) -> Outlook:
    speeds, s = points[:, :2].T, t[:, None] * NODES
    left = np.exp(-speeds[..., None, None] * s)
    fading, piling = _Loads(left, -s * left), _piling(speeds, s)
    spans = np.array([SHORT, LONG])
    own = _piling(speeds, spans[None, :])
    f, df = (part[..., 0, :] / spans for part in own)
    decline = -speeds[..., None] * NODES
    g = (np.exp(SHORT * decline) * np.expm1((LONG - SHORT) * decline)) @ WEIGHTS
    short, long = (fading.times(f[..., i], df[..., i]) for i in range(2))
    tilting = fading.times(g, df[..., 1] - df[..., 0])

    def integral(u: _Loads, v: _Loads) -> Array:
        return np.asarray(t * (_form(points, u, v) @ WEIGHTS))

    ends = _piling(speeds, t[:, None])
    mean = 0.5 * _form(points, ends, ends)[..., 0]
    mean[0] += curve.forward_rate(t)
    slope = integral(tilting, piling)
    slope += 0.5 * (LONG * integral(long, long) - SHORT * integral(short, short))
    slope[0] += _forward_yield(curve, t, LONG) - _forward_yield(curve, t, SHORT)
    rate_deviation = _root(integral(fading, fading))
    slope_deviation = _root(integral(tilting, tilting))
    return Outlook(
        rate_deviation,
        _below_zero(mean, rate_deviation),
        slope,
        slope_deviation,
        _below_zero(slope, slope_deviation),
    )


def _piling(speeds: Array, times: Array) -> _Loads:
    """C(a, s), for speeds (2, n) and times (h, k)."""
    flat, rows = times.ravel().copy(), np.empty((3, times.size))
    loads = np.empty((2, *speeds.shape, times.size))
    for place in np.ndindex(speeds.shape):
        decay_rows(float(speeds[place]), 1.0, flat, rows)
        loads[(slice(None), *place)] = rows[:2]
    return _Loads(*loads.reshape(2, *speeds.shape, *times.shape))


def _form(points: Array, u: _Loads, v: _Loads) -> Array:
    """B(u, v) as a jet (6, n, h, k)."""
    sigma, rho = points[:, 2:4].T[..., None, None], points[:, 4][:, None, None]
    U, V = sigma * u.value, sigma * v.value
    U_mixed, V_mixed = U + rho * U[::-1], V + rho * V[::-1]
    value = U_mixed[0] * V_mixed[0] + (1 - rho) * (1 + rho) * U[1] * V[1]
    by_speed = sigma * (u.slope * V_mixed + v.slope * U_mixed)
    by_sigma = u.value * V_mixed + v.value * U_mixed
    by_rho = U[0] * V[1] + U[1] * V[0]
    return np.concatenate((value[None], by_speed, by_sigma, by_rho[None]))


def _forward_yield(curve: DiscountCurve, t: Array, span: float) -> Array:
    """F(t, span), today's forward zero yield."""
    return np.asarray((curve.log_discount(t) - curve.log_discount(t + span)) / span)


def _root(variance: Array) -> Array:
    """The jet of a standard deviation from that of its square."""
    deviation = np.sqrt(variance[0])
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.concatenate((deviation[None], variance[1:] / (2 * deviation)))


def _below_zero(mean: Array, deviation: Array) -> Array:
    """The jet of the probability that a Gaussian is negative."""
    with np.errstate(divide="ignore", invalid="ignore"):
        z = -mean[0] / deviation[0]
        density = np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)
        slopes = -density * (mean[1:] + z * deviation[1:]) / deviation[0]
    certain = (mean[0] < 0).astype(float)
    return np.concatenate((np.where(deviation[0] > 0, ndtr(z), certain)[None], slopes))
