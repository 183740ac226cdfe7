r"""Which bounds hold: the multipliers of active bounds, in their standard errors.

An optimum can lie at a bound because the bound decides the fit, or by chance. The multiplier tells
them apart. With F the free parameters, s = -1 at a lower and 1 at an upper bound, D the derivative
of a parameter by its scaled coordinate, and :math:`c_p = (I - H_F) A_p` what is left of the
parameter's column when the free ones have adapted,

.. math:: \mu_p = 2\,s_p D_p\,c_p^T e, \qquad se(\mu_p) = 2\,D_p\,\sigma_p\,\|c_p\|, \qquad
    \sigma_p^2 = \frac{\|e\|^2 - (c_p^T e)^2/\|c_p\|^2}{m - p_F - 1}.

That is half a line of calculus: errors of variance :math:`\sigma^2` give :math:`c_p^T e` the
variance :math:`\sigma^2 \|c_p\|^2`. The noise is that of the fit with this one parameter released,
so that a bound which costs much does not hide behind the residuals that it causes. The ratio
:math:`\mu_p / se(\mu_p)` is then the t-statistic of the parameter in the regression of e on the
free columns and its own: by how many of its standard errors the linearised optimum is beyond the
bound.

Each parameter at a bound is judged given the free ones alone, the others held. A bound *holds* if
its ratio is above `DiagnosisSettings.multiplier_errors`. Where residuals are rounding there is no
multiplier to speak of, and where the column is a combination of the free ones it is zero: neither
holds. Without a degree of freedom to measure noise by, every multiplier that is not zero does.

Source: the conditions of Karush, Kuhn and Tucker (Nocedal and Wright, 2006, section 12.3); the
t-statistic of an added variable (Cook and Weisberg, 1982, section 2.3).
"""

from dataclasses import dataclass

import numpy as np

from calibscope.base.arrays import Array, BoolArray, Indices
from calibscope.base.compiled import compiled, compiled_for_stacks
from calibscope.diagnosis.least_squares import LeastSquares
from calibscope.diagnosis.linear.geometry import Geometry

ROUNDING = 1e-12  # of a column: what is left of it below this is rounding


@dataclass(frozen=True, slots=True, eq=False)
class ActiveBounds:
    """The active bounds of a fit: which of them decide it."""

    multipliers: Array  # (p,) how fast Q would fall beyond the bound, else 0
    standard_errors: Array  # (p,) of the multipliers; not a number away from bounds
    ratios: Array  # (p,) multiplier over standard error; not a number away from bounds
    holds: BoolArray  # (p,) ratio above the threshold


def active_bounds(
    problem: LeastSquares, free: Geometry, is_perfect: BoolArray, threshold: float
) -> ActiveBounds:
    """Judge every parameter at a bound, given the free ones.

    Parameters
    ----------
    free : geometry on the free parameters, on columns of length 1
    is_perfect : whether residuals are rounding
    threshold : standard errors beyond which a bound holds
    """
    count = (problem.weights > 0).sum(axis=-1)
    multipliers, errors, ratios = _multipliers(
        problem.design,
        problem.weighted_residuals,
        free.left,
        problem.at_bound,
        problem.coordinate_scale,
        count - free.parameter_count - 1,
        is_perfect,
    )
    return ActiveBounds(multipliers, errors, ratios, ratios > threshold)


@compiled_for_stacks(
    "f8[:,:], f8[:], f8[:,:], i8[:], f8[:], i8, b1, f8[:], f8[:], f8[:]",
    "(m,p), (m), (m,p), (p), (p), (), () -> (p), (p), (p)",
)
def _multipliers(
    A: Array,
    e: Array,
    left: Array,
    at_bound: Indices,
    scale: Array,
    degrees_of_freedom: int,
    is_perfect: bool,
    multipliers: Array,
    errors: Array,
    ratios: Array,
) -> None:
    rest = _off(left, e)
    squares = (rest**2).sum()
    for p in range(at_bound.size):
        multipliers[p], errors[p], ratios[p] = 0.0, np.nan, np.nan
        if at_bound[p] != 0:
            column = _off(left, A[:, p])
            length = np.sqrt((column**2).sum())
            if length <= ROUNDING * np.sqrt((A[:, p] ** 2).sum()):
                column[:] = 0.0
            slope = at_bound[p] * (column * rest).sum()
            multipliers[p] = 2.0 * scale[p] * slope
            noise = np.nan
            if degrees_of_freedom > 0 and length > 0.0:
                noise = np.sqrt(max(squares - (slope / length) ** 2, 0.0) / degrees_of_freedom)
            errors[p] = 2.0 * scale[p] * length * noise
            if is_perfect or slope == 0.0:
                ratios[p] = 0.0
            elif errors[p] > 0.0:
                ratios[p] = multipliers[p] / errors[p]
            else:
                ratios[p] = np.sign(slope) * np.inf


@compiled
def _off(left: Array, vector: Array) -> Array:
    """What is left of a vector without its projection; twice, for the digits of a small rest."""
    rest = vector.copy()
    for _ in range(2):
        for i in range(left.shape[1]):
            along = (left[:, i] * rest).sum()
            for k in range(rest.size):
                rest[k] -= along * left[k, i]
    return rest
