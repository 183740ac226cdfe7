r"""How uncertain parameters are: the scale of the noise, and what it does to them.

.. math:: \widehat{Cov} = \sigma^2 (J^T W J)^+, \qquad \mathcal I = \sigma^{-2} J^T W J

(paper, eq. cov). Three scales are estimated from the weighted residuals e:

- `mse`, the default: :math:`\sigma^2 = \sum e_k^2 / (m - p)`; one bad quote inflates it (masking);
- `mad`: 1.4826 times the median absolute deviation from the median, the paper's;
- `mad_adjusted`: the same of :math:`e_k / \sqrt{1 - h_{kk}}`, because leverage shrinks residuals:
  the plain MAD is too small where p is not small against m. Quotes with leverage 1 have no residual
  and are left out. It needs two degrees of freedom: with one, all of these have the same size, and
  deviations from their median say nothing (mostly zero).

Or the noise is known: as a number, the standard deviation of the weighted residuals (of relative
errors under weights 1/y^2, so 0.003 is 0.3 % of a price), or as `bid_ask`, half of each quote's
spread. Then intervals need no residuals, and no more quotes than parameters. Spreads that the
weights do not follow, :math:`\Omega = \mathrm{diag}(w_k s_k^2)`, give the sandwich
:math:`A^+ \Omega A^{+T}`.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from calibscope.base.arrays import Array, BoolArray, Indices
from calibscope.base.compiled import compiled, compiled_for_stacks
from calibscope.base.spelling import choose_from
from calibscope.diagnosis.least_squares import LeastSquares

Scale = Literal["mse", "mad", "mad_adjusted"]
Noise = Scale | Literal["bid_ask"] | float  # a number: the known deviation of weighted residuals
Form = Literal["gauss_newton", "exact"]

DEFAULT_SCALE: Scale = "mse"
BID_ASK: Literal["bid_ask"] = "bid_ask"
NORMAL_CONSISTENCY = 1.4826  # 1 / Phi^-1(3/4), as the paper prints it


@dataclass(frozen=True, slots=True, eq=False)
class Scales:
    """Estimates of the noise's standard deviation, not a number where none can be had."""

    mse: Array
    mad: Array
    mad_adjusted: Array
    degrees_of_freedom: Indices  # m - p; `mse` needs at least one, `mad_adjusted` two
    count: Indices  # m: observations with a weight

    def of(self, scale: Scale) -> Array:
        r"""One of the three by name.

        :math:`\sigma^2 = \sum e_k^2/(m - p)`, or 1.4826 times the MAD of e or of :math:`e_k/\sqrt{1
        - h_{kk}}` (paper, section on parameter uncertainty).

        Parameters
        ----------
        scale : "mse", "mad" or "mad_adjusted"

        Returns
        -------
        Array
            the standard deviation, one per fit
        """
        if scale not in get_args(Scale):
            raise ValueError(f"scale is {scale!r}; {choose_from(get_args(Scale), scale)}")
        return np.asarray(getattr(self, scale))


def is_known(scale: Noise | None) -> bool:
    """Whether the noise is known, and not estimated from the residuals."""
    return scale is not None and scale not in get_args(Scale)


def checked_scale(scale: Noise) -> Noise:
    """One of the names, or a standard deviation."""
    names = (*get_args(Scale), BID_ASK)
    if isinstance(scale, str):
        if scale not in names:
            raise ValueError(f"scale is {scale!r}; {choose_from(names, scale)}, or give a number")
        return scale
    if isinstance(scale, bool) or not 0.0 < scale < np.inf:
        raise ValueError(f"scale is {scale!r}; give a positive number, such as 0.003 for 0.3 %")
    return float(scale)


def noise_of(problem: LeastSquares, scales: Scales, scale: Noise) -> Array:
    """Standard deviation of the weighted residuals, one per fit; of "bid_ask" their usual one."""
    known = checked_scale(scale)
    if known == BID_ASK:
        squares = (problem.weighted_half_spreads**2).sum(axis=-1)
        return np.asarray(np.sqrt(squares / scales.count))
    if isinstance(known, str):
        return np.asarray(getattr(scales, known))
    return np.full(np.shape(scales.mse), known)


def sandwich(problem: LeastSquares, inverse: Array) -> Array:
    r"""(p, p) covariance :math:`A^+ \Omega A^{+T}` by half spreads that weights need not follow."""
    spreads = problem.weighted_half_spreads
    half = inverse @ (problem.design * spreads[..., None]).mT
    return np.asarray(half @ half.mT)


def checked_form(form: Form) -> Form:
    """One of the two by name."""
    if form not in get_args(Form):
        raise ValueError(f"form is {form!r}; {choose_from(get_args(Form), form)}")
    return form


def residual_scales(
    residuals: Array,
    leverage: Array,
    has_weight: BoolArray,
    parameter_count: Indices,
    forced: float,
) -> Scales:
    """The three scales of weighted residuals (m,).

    Parameters
    ----------
    has_weight : (m,) observations without weight do not count
    forced : leverage from which a residual is uninformative
    """
    return Scales(*_scales(residuals, leverage, has_weight, parameter_count, forced))


@compiled_for_stacks(
    "f8[:], f8[:], b1[:], i8, f8, f8[:], f8[:], f8[:], i8[:], i8[:]",
    "(m), (m), (m), (), () -> (), (), (), (), ()",
)
def _scales(
    residuals: Array,
    leverage: Array,
    has_weight: BoolArray,
    parameter_count: int,
    forced: float,
    mse: Array,
    mad: Array,
    mad_adjusted: Array,
    degrees_of_freedom: Indices,
    count: Indices,
) -> None:
    plain, adjusted = np.empty(residuals.size), np.empty(residuals.size)
    weighty, loose, squares = 0, 0, 0.0
    for k in range(residuals.size):
        if has_weight[k]:
            plain[weighty] = residuals[k]
            weighty += 1
            squares += residuals[k] ** 2
        if has_weight[k] and leverage[k] < forced:
            adjusted[loose] = residuals[k] / np.sqrt(1.0 - leverage[k])
            loose += 1
    effective_degrees = weighty - parameter_count
    mse[0] = np.sqrt(squares / effective_degrees) if effective_degrees > 0 else np.nan
    mad[0] = NORMAL_CONSISTENCY * _median_deviation(plain[:weighty])
    robust = NORMAL_CONSISTENCY * _median_deviation(adjusted[:loose])
    mad_adjusted[0] = robust if effective_degrees > 1 else np.nan
    degrees_of_freedom[0] = effective_degrees
    count[0] = weighty


@compiled
def _median_deviation(values: Array) -> float:
    """Median absolute deviation from the median; not a number of none."""
    return _median(np.abs(values - _median(values)))


@compiled
def _median(values: Array) -> float:
    ordered, m = np.sort(values), values.size
    return 0.5 * (ordered[(m - 1) // 2] + ordered[m // 2]) if m else np.nan


def correlation(covariance: Array) -> Array:
    """(p, p) correlations; not a number for parameters without variance."""
    deviations = np.sqrt(np.linalg.diagonal(covariance))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = covariance / (deviations[..., :, None] * deviations[..., None, :])
    return np.asarray(np.minimum(np.maximum(ratios, -1.0), 1.0))
