r"""The Svensson curve: zero and forward rates with two humps.

.. math::

    z(t) = \beta_0 + \beta_1 F(x_1) + \beta_2 H(x_1) + \beta_3 H(x_2), \qquad x_j = t / \tau_j,
    \quad F(x) = \frac{1 - e^{-x}}{x}, \quad H(x) = F(x) - e^{-x}.

Source: Svensson (1994), "Estimating and interpreting forward interest rates: Sweden 1992-1994".
"""

import numpy as np

from calibscope.base.arrays import Array, ArrayLike, frozen
from calibscope.market.errors import raise_problems
from calibscope.market.inputs import numbers, positive_number

PARAMETERS = ("beta_0", "beta_1", "beta_2", "beta_3", "tau_1", "tau_2")

# The paper's grid of OIS maturities: days and weeks, months, quarters to 3 years, years to 30, 50.
PAPER_TIMES = frozen(
    [d / 365 for d in (1, 7, 14, 21)]
    + [m / 12 for m in (*range(1, 13), 15, 18, 21, 24, 27, 30, 33)]
    + [float(y) for y in (*range(3, 31), 35, 40, 45, 50)]
)


def svensson_zero_rates(parameters: ArrayLike, times: ArrayLike) -> Array:
    r"""Zero rates z(t), continuously compounded: (..., *times.shape) for parameters (..., 6).

    .. math:: z(t) = \beta_0 + \beta_1 F(x_1) + \beta_2 H(x_1) + \beta_3 H(x_2), \qquad
        x_j = t/\tau_j, \quad F(x) = \frac{1 - e^{-x}}{x}, \quad H(x) = F(x) - e^{-x}

    Source: Svensson (1994).

    Parameters
    ----------
    parameters : (..., 6) beta_0, beta_1, beta_2, beta_3, tau_1, tau_2
    times : years

    Returns
    -------
    Array
        (..., *times.shape) decimals
    """
    betas, taus = _split(np.asarray(parameters, float), np.ndim(times))
    t = np.asarray(times, float)
    # At t = 0 the limit is reached to the last bit at the smallest positive x.
    level, hump_1 = level_and_hump(np.maximum(t / taus[0], 1e-300))
    _, hump_2 = level_and_hump(np.maximum(t / taus[1], 1e-300))
    rates: Array = betas[0] + betas[1] * level + betas[2] * hump_1 + betas[3] * hump_2
    return rates


def svensson_forward_rates(parameters: ArrayLike, times: ArrayLike) -> Array:
    r"""Instantaneous forward rates, (..., *times.shape) for parameters (..., 6).

    .. math:: f(t) = \beta_0 + \beta_1 e^{-x_1} + \beta_2 x_1 e^{-x_1} + \beta_3 x_2 e^{-x_2}

    Source: Svensson (1994).

    Parameters
    ----------
    parameters : (..., 6) beta_0, beta_1, beta_2, beta_3, tau_1, tau_2
    times : years

    Returns
    -------
    Array
        (..., *times.shape) decimals
    """
    betas, taus = _split(np.asarray(parameters, float), np.ndim(times))
    x1, x2 = np.asarray(times, float) / taus[0], np.asarray(times, float) / taus[1]
    rates: Array = betas[0] + (betas[1] + betas[2] * x1) * np.exp(-x1) + betas[3] * x2 * np.exp(-x2)
    return rates


def _split(parameters: Array, axes: int) -> tuple[Array, Array]:
    """Betas and taus first, with room for the axes of the times last."""
    first = np.moveaxis(parameters, -1, 0)
    first = first.reshape(first.shape + (1,) * axes)
    return first[:4], first[4:]


def checked_parameters(parameters: ArrayLike, last_time: float) -> Array:
    """Six parameters that a user hands in, for a curve up to `last_time`."""
    values, problems = numbers(parameters, "Svensson parameters")
    if not problems and values.shape != (len(PARAMETERS),):
        problems = [f"there are {values.size} Svensson parameters; give {', '.join(PARAMETERS)}"]
    if not problems:
        for name, value in zip(PARAMETERS, values, strict=True):
            if name.startswith("tau"):
                problems += positive_number(float(value), name, "2 is two years")
            elif not np.isfinite(value):
                problems.append(f"{name} is {value}; it must be a number")
    problems += positive_number(last_time, "last_time", "50 is fifty years")
    raise_problems("Svensson curve", problems)
    return frozen(values)


def level_and_hump(x: Array) -> tuple[Array, Array]:
    """F(x) = (1 - e^-x) / x and H(x) = F(x) - e^-x, for x > 0."""
    level = -np.expm1(-x) / x
    return level, level - np.exp(-x)
