r"""What minimising relative errors aims at: not the mean of the price.

The number x that minimises :math:`E[((Y - x)/Y)^2]` is :math:`E[Y^{-1}] / E[Y^{-2}]` (Gneiting,
2011; paper, section on the equivalence with WLS). For a quote Y with mean g and relative noise
sigma, that is below g by about :math:`2 \sigma^2`; for lognormal noise exactly

.. math:: \frac{E[Y^{-1}]}{E[Y^{-2}]} = \frac{g}{(1 + \sigma^2)^2}.
"""

import numpy as np

from calibscope.base.arrays import Array, ArrayLike


def elicited_by_relative_errors(sample: ArrayLike) -> float:
    """E[1/Y] / E[1/Y^2] of a sample: the best constant under relative errors.

    Source: Gneiting (2011); paper, section on the equivalence with WLS.

    Parameters
    ----------
    sample : positive numbers

    Returns
    -------
    float
        the constant

    Examples
    --------
    >>> round(elicited_by_relative_errors([1.0, 2.0]), 3)
    1.2
    """
    inverse = 1.0 / np.asarray(sample, dtype=float)
    return float(inverse.mean() / (inverse**2).mean())


def relative_error_bias(scale: ArrayLike) -> Array:
    """Relative bias of prices fitted by relative errors, at relative noise `scale`.

    (1 + sigma^2)^-2 - 1, about -2 sigma^2.

    Source: Gneiting (2011), for lognormal noise.

    Parameters
    ----------
    scale : relative noise, decimal

    Returns
    -------
    Array
        of the shape of `scale`

    Examples
    --------
    >>> float(relative_error_bias(0.01).round(8))
    -0.00019997
    """
    return np.asarray(np.expm1(-2.0 * np.log1p(np.asarray(scale, dtype=float) ** 2)))
