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

from calibscope.base.arrays import Array, BoolArray, Indices
from calibscope.base.compiled import compiled_for_stacks
from calibscope.diagnosis.linear.geometry import Geometry, ratio_of_ends


@dataclass(frozen=True, slots=True, eq=False)
class Curvature:
    """Second-order terms on the directions that count; not a number without second derivatives."""

    eigenvalues: Array  # (p,) mu, ascending; zero where a direction was dropped
    rank: Indices  # directions that count
    lost: Indices  # free directions that do not
    gauss_newton_ratio: Array  # |Delta_GN|_F / |2 J^T W J|_F, the paper's
    largest_eigenvalue: Array  # largest |mu|: by how much Gauss-Newton errs at worst
    exact_root: Array  # (p, p) R with R R^T the inverse of half the exact Hessian
    exact_inverse: Array  # (p, p) that, on the directions that count
    is_indefinite: BoolArray  # no strict minimum: R is not a number

    @property
    def condition_number(self) -> Array:
        """Root of the ratio of eigenvalues of the exact Hessian, to compare with that of A.

        Infinite where directions are lost or the Hessian is not positive definite.

        sqrt(lambda_1 / lambda_p) (Golub and Van Loan, 2013, section 2.6).
        """
        # Of nothing but zeros, where it is not a number, the ratio is infinite.
        root = np.where(np.isnan(self.exact_root), 0.0, self.exact_root)
        sizes = np.linalg.svd(root, compute_uv=False)
        ratio = np.where(self.lost > 0, np.inf, ratio_of_ends(sizes, self.rank))
        return np.where(np.isnan(self.gauss_newton_ratio), np.nan, ratio)


def curvature(
    gram: Array, second_order: Array | None, free: Geometry, is_counted: BoolArray, smallest: float
) -> Curvature:
    """Compare both Hessians.

    Parameters
    ----------
    gram : (..., p, p) J^T W J
    second_order : (..., p, p) half of Delta_GN; None where there are no second derivatives
    free : geometry on the free parameters
    is_counted : (..., p) parameters that enter the ratio of norms
    smallest : 1 + mu up to which the exact Hessian counts as singular
    """
    root = free.root_inverse  # its rows of fixed parameters are zero
    if second_order is None:
        row, square = np.full_like(free.deviations, np.nan), np.full_like(root, np.nan)
        one, nothing = row[..., 0], np.zeros_like(free.rank)
        return Curvature(row, nothing, nothing, one, one, square, square, nothing > 0)
    eigenvalues, vectors = np.linalg.eigh(root.mT @ second_order @ root)
    return Curvature(
        eigenvalues,
        free.rank,
        free.parameter_count - free.rank,
        *_curvature(gram, second_order, root, eigenvalues, vectors, is_counted, smallest),
    )


@compiled_for_stacks(
    "f8[:,:], f8[:,:], f8[:,:], f8[:], f8[:,:], b1[:], f8, f8[:], f8[:], f8[:,:], f8[:,:], b1[:]",
    "(p,p), (p,p), (p,p), (p), (p,p), (p), () -> (), (), (p,p), (p,p), ()",
)
def _curvature(
    gram: Array,
    second_order: Array,
    root: Array,
    eigenvalues: Array,
    vectors: Array,
    is_counted: BoolArray,
    smallest: float,
    gauss_newton_ratio: Array,
    largest_eigenvalue: Array,
    exact_root: Array,
    exact_inverse: Array,
    is_indefinite: BoolArray,
) -> None:
    p = eigenvalues.size
    change, size = 0.0, 0.0
    for i in range(p):
        for j in range(p):
            if is_counted[i] and is_counted[j]:
                change += second_order[i, j] ** 2
                size += gram[i, j] ** 2
    gauss_newton_ratio[0] = np.sqrt(change / size) if change > 0 else 0.0
    largest_eigenvalue[0] = max(-eigenvalues[0], eigenvalues[p - 1])
    is_indefinite[0] = 1.0 + eigenvalues[0] <= smallest
    for i in range(p):
        for j in range(p):
            entry = 0.0
            for q in range(p):
                entry += root[i, q] * vectors[q, j]
            exact_root[i, j] = np.nan if is_indefinite[0] else entry / np.sqrt(1.0 + eigenvalues[j])
    for i in range(p):
        for j in range(p):
            exact_inverse[i, j] = 0.0
            for q in range(p):
                exact_inverse[i, j] += exact_root[i, q] * exact_root[j, q]


def on_pairs(matrix: Array, is_active: BoolArray) -> Array:
    """The same matrix (p, p), zero for parameters that are not active."""
    return np.where(is_active[..., :, None] & is_active[..., None, :], matrix, 0.0)
