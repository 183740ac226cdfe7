r"""Leverage: how strongly each quote pulls the fit towards itself.

The weighted hat matrix is the orthogonal projector onto the column space of
:math:`A = W^{1/2} J` (paper, eq. hat_matrix). Its diagonal is the leverage, its trace the number of
directions that the quotes determine. It comes from the singular value decomposition of A, with
singular values below a tolerance dropped, never from an inverse of :math:`A^T A`:

.. math:: A D^{-1} = U S V^T, \qquad H_w = U_r U_r^T, \qquad
    F = D^{-1} V_r S_r^{-1}, \quad (J^T W J)^+ = F F^T.

D scales the columns before the rank is judged: D = 1 is the paper's Moore-Penrose inverse, D the
lengths of the columns makes the rank independent of units. At full rank D does not matter.

Dropped directions, and parameters that are held fixed, are zeros in U_r and F, so that the days of
a stack keep one shape.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from calibscope.base.arrays import Array, Indices, Marks


@dataclass(frozen=True, slots=True, eq=False)
class Geometry:
    """The local geometry of a weighted least-squares fit."""

    left: Array  # (m, p) orthonormal basis of the tangent space; zero where dropped
    singular_values: Array  # (p,) of A D^-1, largest first; zero for parameters held fixed
    right: Array  # (p, p) right singular vectors in columns, the dropped ones too
    column_scale: Array  # (p,) D
    is_kept: Marks  # (p,) which singular values count
    is_active: Marks  # (p,) parameters that are not held fixed
    leverage: Array  # (m,) diagonal of the hat matrix; between 0 and 1
    root_inverse: Array  # (p, p) F with F F^T = (J^T W J)^+; zero columns where dropped
    rank: Indices  # how many directions the quotes determine: the trace of the hat matrix, exactly
    parameter_count: Indices  # parameters that are not held fixed

    @property
    def hat_matrix(self) -> Array:
        """(m, m) H_w (paper, eq. hat_matrix): symmetric, idempotent, with trace `rank`."""
        return np.asarray(self.left @ np.swapaxes(self.left, -1, -2))

    @property
    def inverse(self) -> Array:
        """(p, p) (J^T W J)^+."""
        root = self.root_inverse
        return np.asarray(root @ np.swapaxes(root, -1, -2))

    @property
    def dropped(self) -> Array:
        """(p, p) what spans the directions in parameters that were dropped; zero columns elsewhere.

        Rows of parameters held fixed are zero: a direction that was never free was not dropped.
        """
        span = np.where(self.is_active[..., :, None] & ~self.is_kept[..., None, :], self.right, 0.0)
        return np.asarray(span / self.column_scale[..., :, None])

    @property
    def condition_number(self) -> Array:
        """Largest over smallest singular value; infinite where the smallest is zero."""
        count = np.maximum(self.parameter_count, 1)[..., None]
        is_counted = np.arange(self.singular_values.shape[-1]) < count
        smallest = np.where(is_counted, self.singular_values, np.inf).min(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = self.singular_values[..., 0] / smallest
        return np.where(smallest > 0, ratio, np.inf)


def geometry(A: Array, is_active: Marks, tolerance: float, column_scale: Array) -> Geometry:
    """Decompose A (n, m, p), whose columns count where `is_active` (..., n, p).

    Parameters
    ----------
    tolerance : singular values up to this times the largest are dropped
    column_scale : (n, p) D, by which columns are divided before
    """
    m, p = A.shape[-2:]
    columns = np.where(is_active[..., None, :], A / column_scale[..., None, :], 0.0)
    if m < p:  # rows of zeros leave everything as it is, and give all p right singular vectors
        columns = np.concatenate((columns, np.zeros((*columns.shape[:-2], p - m, p))), axis=-2)
    left, singular, right = np.linalg.svd(columns, full_matrices=False)
    is_kept = (singular > tolerance * singular[..., :1]) & (singular > 0)
    # Rounding lets a fixed parameter into a kept direction by 1e-17, which 1/s would blow up.
    right = np.swapaxes(right, -1, -2)
    right = np.where(is_kept[..., None, :] & ~is_active[..., :, None], 0.0, right)
    left = np.where(is_kept[..., None, :], left[..., :m, :], 0.0)
    leverage = np.minimum(np.einsum("...ij,...ij->...i", left, left), 1.0)
    inverse = is_kept / np.where(is_kept, singular, 1.0)
    root = right * inverse[..., None, :] / column_scale[..., :, None]
    rank, count = is_kept.sum(axis=-1), is_active.sum(axis=-1)
    return Geometry(
        left, singular, right, column_scale, is_kept, is_active, leverage, root, rank, count
    )


def geometries(
    A: Array, is_active: Sequence[Marks], tolerance: float, column_scales: Sequence[Array]
) -> tuple[Geometry, ...]:
    """Several decompositions of the same A, made in one go."""
    stack = geometry(A, np.stack(is_active), tolerance, np.stack(column_scales))
    names = [field.name for field in fields(Geometry)]
    return tuple(
        Geometry(*(getattr(stack, name)[place] for name in names))
        for place in range(len(is_active))
    )


def column_lengths(A: Array) -> Array:
    """(n, p) lengths of the columns, 1 where a column is zero."""
    # Scaled first: columns of 1e-200 have a length, too.
    size = np.abs(A).max(axis=-2)
    size = np.where(size > 0, size, 1.0)
    lengths = size * np.sqrt(np.einsum("...kp,...kp->...p", A / size[..., None, :],
                                       A / size[..., None, :]))  # fmt: skip
    return np.where(lengths > 0, lengths, 1.0)


def relative_offset(left: Array, weighted_residuals: Array) -> Array:
    r"""Length of the residuals' projection on the tangent space over their own length.

    .. math:: \|H_w e\| / \|e\|

    Zero at an optimum inside the bounds (Bates and Watts, 1988): it measures convergence and active
    bounds, not curvature. Residuals of zero count as zero.
    """
    size = length(weighted_residuals)
    along = np.einsum("...kp,...k->...p", left, weighted_residuals)
    return np.where(size > 0, length(along) / np.where(size > 0, size, 1.0), 0.0)


def length(vectors: Array) -> Array:
    """Euclidean length along the last axis; NumPy's norm is slow on rows."""
    return np.asarray(np.sqrt(np.einsum("...k,...k->...", vectors, vectors)))
