r"""How uncertain parameters are: the scale of the noise, and what it does to them.

.. math:: \widehat{Cov} = \sigma^2 (J^T W J)^+, \qquad \mathcal I = \sigma^{-2} J^T W J

(paper, eq. cov). Three scales, of the weighted residuals e:

- `mse`: :math:`\sigma^2 = \sum e_k^2 / (m - p)`; one bad quote inflates it (masking);
- `mad`: 1.4826 times the median absolute deviation from the median, the paper's;
- `mad_adjusted`: the same of :math:`e_k / \sqrt{1 - h_{kk}}`, because leverage shrinks residuals:
  the plain MAD is too small where p is not small against m. Quotes with leverage 1 have no residual
  and are left out. It needs two degrees of freedom: with one, all of these have the same size, and
  deviations from their median say nothing (mostly zero).
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from calibscope.base.arrays import Array, Indices, Marks

Scale = Literal["mse", "mad", "mad_adjusted"]
Form = Literal["gauss_newton", "exact"]

NORMAL_CONSISTENCY = 1.4826  # 1 / Phi^-1(3/4), as the paper prints it


@dataclass(frozen=True, slots=True, eq=False)
class Scales:
    """Estimates of the noise's standard deviation, not a number where none can be had."""

    mse: Array
    mad: Array
    mad_adjusted: Array
    degrees_of_freedom: Indices  # m - p; `mse` needs at least one, `mad_adjusted` two

    def of(self, scale: Scale) -> Array:
        """One of the three by name."""
        if scale not in ("mse", "mad", "mad_adjusted"):
            raise ValueError(f"scale is {scale!r}; choose from mse, mad, mad_adjusted")
        return np.asarray(getattr(self, scale))


def residual_scales(
    residuals: Array, leverage: Array, has_weight: Marks, parameter_count: Indices, forced: float
) -> Scales:
    """The three scales of weighted residuals (n, m).

    Parameters
    ----------
    has_weight : (n, m) observations without weight do not count
    forced : leverage from which a residual says nothing
    """
    freedom = has_weight.sum(axis=-1) - parameter_count
    squares = np.einsum("...k,...k->...", residuals, residuals)
    mse = np.where(freedom > 0, np.sqrt(squares / np.maximum(freedom, 1)), np.nan)
    is_loose = leverage < forced
    adjusted = residuals / np.sqrt(np.where(is_loose, 1.0 - leverage, 1.0))
    both, counts = np.stack((residuals, adjusted)), np.stack((has_weight, has_weight & is_loose))
    middle = _median(both, counts)[..., None]
    mad, adjusted_mad = NORMAL_CONSISTENCY * _median(np.abs(both - middle), counts)
    return Scales(mse, mad, np.where(freedom > 1, adjusted_mad, np.nan), freedom)


def _median(values: Array, counts: Marks) -> Array:
    """Median of those that count, not a number if none does; NumPy's nanmedian is slow on rows."""
    ordered = np.sort(np.where(counts, values, np.inf), axis=-1)
    if counts.all():
        m = values.shape[-1]
        return np.asarray(0.5 * (ordered[..., (m - 1) // 2] + ordered[..., m // 2]))
    count = counts.sum(axis=-1)
    places = np.stack((np.maximum(count - 1, 0) // 2, count // 2), axis=-1)
    low, high = np.moveaxis(np.take_along_axis(ordered, places, axis=-1), -1, 0)
    return np.where(count > 0, 0.5 * (low + high), np.nan)


def correlation(covariance: Array) -> Array:
    """(p, p) correlations; not a number for parameters without variance."""
    deviations = np.sqrt(np.einsum("...pp->...p", covariance))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = covariance / (deviations[..., :, None] * deviations[..., None, :])
    return np.asarray(np.clip(ratios, -1.0, 1.0))
