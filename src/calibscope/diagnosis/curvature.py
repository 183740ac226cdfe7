r"""What Gauss-Newton leaves out: the exact Hessian against J^T W J.

Half of the exact Hessian of the weighted sum of squares is

.. math:: \tfrac12 \nabla^2 Q = J^T W J + \tfrac12 \Delta_{GN}, \qquad
    \tfrac12 \Delta_{GN} = -\sum_k w_k r_k \nabla^2 g_k

(paper, appendix on the adequacy of Gauss-Newton). The paper's ratio of Frobenius norms is dominated
by the stiff directions. The flat ones, which decide how far parameters move, are seen by the
eigenvalues mu of Delta_GN/2 relative to J^T W J: with F F^T = (J^T W J)^+,

.. math:: F^T \tfrac12\Delta_{GN} F = E\,\mathrm{diag}(\mu)\,E^T, \qquad
    \bigl(\tfrac12 \nabla^2 Q\bigr)^{-1} = F E\,\mathrm{diag}\frac{1}{1 + \mu}\,E^T F^T.

Along an eigenvector Gauss-Newton's influence is 1 + mu times the exact one. Both belong to an
optimum of the free parameters, so parameters at active bounds are held fixed here in every mode.
"""

from dataclasses import dataclass

import numpy as np

from calibscope.base.arrays import Array, Indices, Marks
from calibscope.diagnosis.geometry import Geometry


@dataclass(frozen=True, slots=True, eq=False)
class Curvature:
    """Second-order terms on the directions that count; not a number without second derivatives."""

    gauss_newton_ratio: Array  # |Delta_GN|_F / |2 J^T W J|_F, the paper's
    eigenvalues: Array  # (p,) mu, ascending; zero where a direction was dropped
    largest_eigenvalue: Array  # largest |mu|: by how much Gauss-Newton errs at worst
    exact_root: Array  # (p, p) R with R R^T the inverse of half the exact Hessian
    is_indefinite: Marks  # no strict minimum: R is not a number
    rank: Indices  # directions that count
    lost: Indices  # free directions that do not

    @property
    def exact_inverse(self) -> Array:
        """(p, p) inverse of half the exact Hessian, on the directions that count."""
        return np.asarray(self.exact_root @ np.swapaxes(self.exact_root, -1, -2))

    @property
    def condition_number(self) -> Array:
        """Root of the ratio of eigenvalues of the exact Hessian, to compare with that of A.

        Infinite where directions are lost or the Hessian is not positive definite.
        """
        root = np.where(np.isnan(self.exact_root), 0.0, self.exact_root)
        sizes = np.linalg.svd(root, compute_uv=False)
        is_counted = np.arange(sizes.shape[-1]) < np.maximum(np.asarray(self.rank), 1)[..., None]
        smallest = np.where(is_counted, sizes, np.inf).min(axis=-1)
        is_infinite = np.asarray(self.is_indefinite) | (np.asarray(self.lost) > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(is_infinite, np.inf, sizes[..., 0] / smallest)
        return np.where(np.isnan(self.gauss_newton_ratio), np.nan, ratio)


def curvature(
    A: Array, bend: Array | None, free: Geometry, is_counted: Marks, smallest: float
) -> Curvature:
    """Compare both Hessians of a stack.

    Parameters
    ----------
    A : (n, m, p) W^(1/2) J
    bend : (n, p, p) half of Delta_GN; None where there are no second derivatives
    free : geometry on the free parameters
    is_counted : (n, p) parameters that enter the ratio of norms
    smallest : 1 + mu up to which the exact Hessian counts as singular
    """
    days, p = free.is_active.shape
    if bend is None:
        one, row, square = (np.full((days, *shape), np.nan) for shape in ((), (p,), (p, p)))
        nothing = np.zeros(days, dtype=np.int64)
        return Curvature(one, row, one, square, nothing.astype(bool), nothing, nothing)
    root = free.root_inverse  # its rows of fixed parameters are zero
    eigenvalues, vectors = np.linalg.eigh(np.swapaxes(root, -1, -2) @ bend @ root)
    size = np.linalg.norm(half_hessian(A, None, is_counted), axis=(-2, -1))
    pairs = is_counted[..., :, None] & is_counted[..., None, :]
    change = np.linalg.norm(np.where(pairs, bend, 0.0), axis=(-2, -1))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(size > 0, change / size, np.where(change > 0, np.inf, 0.0))
    is_indefinite = 1.0 + eigenvalues[..., 0] <= smallest
    safe = np.where(is_indefinite[..., None], np.nan, 1.0 + eigenvalues)
    exact_root = root @ (vectors / np.sqrt(safe)[..., None, :])
    worst, lost = np.abs(eigenvalues).max(axis=-1), free.parameter_count - free.rank
    return Curvature(ratio, eigenvalues, worst, exact_root, is_indefinite, free.rank, lost)


def half_hessian(A: Array, bend: Array | None, is_active: Marks) -> Array:
    """(p, p) A^T A, plus half of Delta_GN if given; zero for parameters that are not active."""
    gram = np.swapaxes(A, -1, -2) @ A
    pairs = is_active[..., :, None] & is_active[..., None, :]
    return np.where(pairs, gram if bend is None else gram + bend, 0.0)
