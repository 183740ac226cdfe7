r"""Effective degrees of freedom: how many directions of the parameters the quotes determine.

EDoF is the trace of the hat matrix, the number of singular values that count. That is a statement
about a tolerance and about units, so the whole spectrum and the variants stand beside it:

- *scaled*: the rank in scaled coordinates (log of a parameter), which forget the units;
- *full*: the rank on all parameters that were fitted (the paper's);
- *strict*: the rank on the parameters that are at no bound;
- *Tikhonov*: :math:`\sum_i s_i^2 / (s_i^2 + \lambda)` (paper, appendix on Tikhonov EDoF).
"""

from dataclasses import dataclass

import numpy as np

from calibscope.base.arrays import Array, ArrayLike, Indices


@dataclass(frozen=True, slots=True, eq=False)
class EffectiveDegrees:
    """EDoF and its variants."""

    edof: Indices  # rank at the tolerance, in the mode and the units of the diagnosis
    scaled: Indices  # rank in scaled coordinates
    full: Indices  # rank on all parameters that were fitted
    strict: Indices  # rank on the parameters at no bound
    tikhonov: Array  # trace of the regularised hat matrix
    tikhonov_lambda: Array  # its lambda
    scaled_singular_values: Array  # (p,) in scaled coordinates


def tikhonov_edof(singular_values: Array, factor: float) -> tuple[Array, Array]:
    """Trace of A (A^T A + lambda I)^-1 A^T, and lambda = factor times the largest s^2."""
    squares = singular_values**2
    penalty = factor * squares[..., :1]
    shares = squares / np.where(squares > 0.0, squares + penalty, 1.0)
    return shares.sum(axis=-1), penalty[..., 0]


def edof_at(singular_values: Array, tolerances: ArrayLike) -> Indices:
    """The rank at one tolerance or at several, the last axis those."""
    limits = np.asarray(tolerances, dtype=float)
    largest = singular_values[..., :1]
    counts = singular_values[..., None, :] > limits.reshape(-1, 1) * largest[..., None]
    counts &= singular_values[..., None, :] > 0
    return np.asarray(counts.sum(axis=-1).reshape(singular_values.shape[:-1] + limits.shape))
