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
a stack keep one shape. Everything here takes one day or a stack.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibscope.base.arrays import Array, BoolArray, Indices
from calibscope.base.compiled import compiled_for_stacks


@dataclass(frozen=True, slots=True, eq=False)
class Geometry:
    """The local geometry of a weighted least-squares fit."""

    singular_values: Array  # (p,) of A D^-1, largest first; zero for parameters held fixed
    column_scale: Array  # (p,) D
    is_active: BoolArray  # (p,) parameters that are not held fixed
    left: Array  # (m, p) orthonormal basis of the tangent space; zero where dropped
    right: Array  # (p, p) right singular vectors in columns, the dropped ones too
    is_kept: BoolArray  # (p,) which singular values count
    leverage: Array  # (m,) diagonal of the hat matrix; between 0 and 1
    root_inverse: Array  # (p, p) F with F F^T = (J^T W J)^+; zero columns where dropped
    inverse: Array  # (p, p) (J^T W J)^+
    deviations: Array  # (p,) roots of its diagonal: standard deviations at noise 1
    rank: Indices  # how many directions the quotes determine: the trace of the hat matrix, exactly
    parameter_count: Indices  # parameters that are not held fixed

    @property
    def hat_matrix(self) -> Array:
        """(m, m) H_w (paper, eq. hat_matrix): symmetric, idempotent, with trace `rank`.

        H_w = U_r U_r^T.
        """
        return np.asarray(self.left @ self.left.mT)

    @property
    def dropped(self) -> Array:
        """(p, p) what spans the directions in parameters that were dropped; zero columns elsewhere.

        Rows of parameters held fixed are zero: a direction that was never free was not dropped.

        D^-1 V_j for the j that were dropped, A D^-1 = U S V^T (Golub and Van Loan, 2013, section
        2.4).
        """
        span = np.where(self.is_active[..., :, None] & ~self.is_kept[..., None, :], self.right, 0.0)
        return np.asarray(span / self.column_scale[..., :, None])

    @property
    def condition_number(self) -> Array:
        """Largest over smallest singular value; infinite where the smallest is zero.

        s_1 / s_p (Golub and Van Loan, 2013, section 2.6).
        """
        return np.asarray(ratio_of_ends(self.singular_values, self.parameter_count))


def geometry(A: Array, is_active: BoolArray, tolerance: float, column_scale: Array) -> Geometry:
    """Decompose A (..., m, p), whose columns count where `is_active` (..., p).

    Parameters
    ----------
    tolerance : singular values up to this times the largest are dropped
    column_scale : (..., p) D, by which columns are divided before
    """
    m, p = A.shape[-2:]
    columns = A / column_scale[..., None, :] * is_active[..., None, :]
    if m < p:  # rows of zeros leave everything as it is, and give all p right singular vectors
        columns = np.concatenate((columns, np.zeros((*columns.shape[:-2], p - m, p))), axis=-2)
    left, singular, right = np.linalg.svd(columns, full_matrices=False)
    return Geometry(
        singular,
        column_scale,
        is_active,
        *_geometry(left[..., :m, :], singular, right, column_scale, is_active, tolerance),
    )


@compiled_for_stacks(
    "f8[:,:], f8[:], f8[:,:], f8[:], b1[:], f8, "
    "f8[:,:], f8[:,:], b1[:], f8[:], f8[:,:], f8[:,:], f8[:], i8[:], i8[:]",
    "(m,p), (p), (p,p), (p), (p), () -> (m,p), (p,p), (p), (m), (p,p), (p,p), (p), (), ()",
)
def _geometry(
    U: Array,
    s: Array,
    Vt: Array,
    D: Array,
    is_active: BoolArray,
    tolerance: float,
    left: Array,
    right: Array,
    is_kept: BoolArray,
    leverage: Array,
    root_inverse: Array,
    inverse: Array,
    deviations: Array,
    rank: Indices,
    parameter_count: Indices,
) -> None:
    m, p = U.shape
    leverage[:] = 0.0
    for i in range(p):
        is_kept[i] = s[i] > tolerance * s[0] and s[i] > 0.0
        for k in range(m):
            left[k, i] = U[k, i] if is_kept[i] else 0.0
            leverage[k] += left[k, i] ** 2
        for q in range(p):
            # Rounding lets a fixed parameter into a kept direction by 1e-17: 1/s would blow it up.
            right[q, i] = Vt[i, q] if is_active[q] or not is_kept[i] else 0.0
            root_inverse[q, i] = right[q, i] * (1.0 / s[i]) / D[q] if is_kept[i] else 0.0
    for k in range(m):
        leverage[k] = min(leverage[k], 1.0)
    for q in range(p):
        for i in range(p):
            inverse[q, i] = 0.0
            for j in range(p):
                inverse[q, i] += root_inverse[q, j] * root_inverse[i, j]
        deviations[q] = np.sqrt(inverse[q, q])
    rank[0] = is_kept.sum()
    parameter_count[0] = is_active.sum()


def geometries(
    A: Array, is_active: Sequence[BoolArray], tolerance: float, column_scales: Sequence[Array]
) -> tuple[Geometry, ...]:
    """Several decompositions of the same A, made in one go."""
    together = geometry(A, np.array(is_active), tolerance, np.array(column_scales))
    return tuple(map(Geometry, *(getattr(together, name) for name in Geometry.__slots__)))


def rank(A: Array, is_active: BoolArray, tolerance: float, column_scale: Array) -> Indices:
    """How many directions count; the `rank` of `geometry` without the rest."""
    columns = A / column_scale[..., None, :] * is_active[..., None, :]
    s = np.linalg.svd(columns, compute_uv=False)
    return np.asarray(((s > tolerance * s[..., :1]) & (s > 0.0)).sum(axis=-1))


@compiled_for_stacks("f8[:,:], f8[:]", "(m,p) -> (p)")
def column_lengths(A: Array, lengths: Array) -> None:
    """(p,) lengths of the columns, 1 where a column is zero."""
    for p in range(lengths.size):
        # Scaled first: columns of 1e-200 have a length, too.
        size, squares = np.abs(A[:, p]).max(), 0.0
        for k in range(A.shape[0] if size > 0.0 else 0):
            squares += (A[k, p] / size) ** 2
        lengths[p] = size * np.sqrt(squares) if size > 0.0 else 1.0


@compiled_for_stacks("f8[:], i8, f8[:]", "(p), () -> ()")
def ratio_of_ends(sizes: Array, count: int, ratio: Array) -> None:
    """The first over the last of the `count` largest, which come first; infinite if that is 0."""
    last = sizes[max(count, 1) - 1]
    ratio[0] = sizes[0] / last if last > 0.0 else np.inf


def length(vectors: Array) -> Array:
    """Euclidean length along the last axis; NumPy's norm is slow on rows."""
    return np.sqrt(np.vecdot(vectors, vectors))  # type: ignore[no-any-return]
