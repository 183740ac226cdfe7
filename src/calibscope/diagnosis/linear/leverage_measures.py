"""Leverage, rank and bounds: what follows from the decomposition of W^(1/2) J."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from calibscope.base.arrays import Array, ArrayLike, BoolArray, Indices
from calibscope.diagnosis.flags import Flags
from calibscope.diagnosis.least_squares import LeastSquares
from calibscope.diagnosis.linear.bounds import ActiveBounds
from calibscope.diagnosis.linear.curvature import Curvature
from calibscope.diagnosis.linear.deletion import Deletion
from calibscope.diagnosis.linear.effective_degrees import EffectiveDegrees, edof_at
from calibscope.diagnosis.linear.geometry import Geometry
from calibscope.diagnosis.linear.identification import Identification, combinations
from calibscope.diagnosis.linear.optimality import relative_offset
from calibscope.diagnosis.linear.uncertainty import Scales
from calibscope.diagnosis.settings import DiagnosisSettings, Mode

Number = TypeVar("Number")  # float of one fit, an array of a batch
Count = TypeVar("Count")  # int of one fit, an array of a batch


@dataclass(frozen=True, slots=True, eq=False)
class LeverageMeasures(ABC, Generic[Number, Count]):
    """A fit, or a batch of fits, decomposed; arrays of a batch have the fit first."""

    problem: LeastSquares
    geometry: Geometry  # of the parameters that the mode does not hold fixed
    bounds: ActiveBounds  # the active ones: which of them decide the fit
    effective_degrees: EffectiveDegrees  # EDoF and its variants
    scales: Scales
    curvature: Curvature
    identification: Identification
    deletion: Deletion  # what leaving out each quote of the linearised fit would do
    flags: Flags
    mode: Mode
    settings: DiagnosisSettings

    @abstractmethod
    def _number(self, value: ArrayLike) -> Number:
        """A number as the class shows it."""

    @abstractmethod
    def _count(self, value: ArrayLike) -> Count:
        """A count as the class shows it."""

    @property
    def multipliers(self) -> Array:
        r"""(p,) of the active bounds: how fast the objective would fall beyond them, else 0.

        :math:`\mu_p = 2\,s_p D_p\,A_p^T (I - H_F)\,e`, by the scaled coordinate of the parameter
        (its logarithm, or itself), with F the parameters at no bound, s = -1 at a lower and 1 at an
        upper bound. None is negative at an optimum (Nocedal and Wright, 2006, section 12.3).
        """
        return self.bounds.multipliers

    @property
    def multiplier_ratios(self) -> Array:
        r"""(p,) multipliers in their standard errors; not a number for parameters at no bound.

        :math:`\mu_p / se(\mu_p)`, :math:`se(\mu_p) = 2 D_p\,\sigma_p\,\|(I - H_F) A_p\|`: the
        t-statistic of the parameter in the regression of e on the free columns and its own (Cook
        and Weisberg, 1982, section 2.3). Above 2 the bound holds; below, the parameter may lie
        there by chance. Infinite where nothing measures the noise.
        """
        return self.bounds.ratios

    @property
    def is_held(self) -> BoolArray:
        """(p,) parameters that the mode holds fixed at their bounds."""
        return np.asarray(self.problem.is_movable & ~self.geometry.is_active)

    @property
    def leverage(self) -> Array:
        r"""(m,) diagonal of the hat matrix: 1 means that the fit must meet the quote.

        :math:`h_{kk} = \sum_j U_{kj}^2`, with :math:`A = U S V^T` (paper, eq. hat_matrix and the
        text below it).
        """
        return self.geometry.leverage

    @property
    def hat_matrix(self) -> Array:
        r"""(m, m) weighted hat matrix, the orthogonal projector on the columns of A.

        .. math:: H_w = W^{1/2} J\,(J^T W J)^+ J^T W^{1/2}

        Source: paper, eq. hat_matrix.
        """
        return self.geometry.hat_matrix

    @property
    def oblique_projector(self) -> Array:
        """(m, m) :math:`J (J^T W J)^+ J^T W`, on prices as they are; the same diagonal as H_w.

        Source: paper, section on the weighted hat matrix.
        """
        geometry, roots = self.geometry, self.problem.root_weights[..., None]
        own = self.problem.jacobian @ geometry.root_inverse
        # Where a quote has weight that is U over its root: no rounding of 1/s comes in.
        rows = np.divide(geometry.left, roots, out=own, where=roots > 0)
        return np.asarray(rows @ geometry.left.mT * roots.mT)

    @property
    def sensitivity(self) -> Array:
        """(p, m) derivative of the parameters by the quotes, weights fixed.

        :math:`(J^T W J)^+ J^T W` (paper, the second factor of eq. influence_function).
        """
        geometry, roots = self.geometry, self.problem.root_weights[..., None, :]
        return np.asarray(geometry.root_inverse @ geometry.left.mT * roots)

    @property
    def y_fitted(self) -> Array | None:
        """(m,) affine projection of the quotes on the tangent plane; None without quotes.

        :math:`g + J (J^T W J)^+ J^T W (y - g)` (paper, appendix on the hat matrix).
        """
        if self.problem.observed is None:
            return None
        fitted = self.problem.observed - self.problem.residuals
        step = self.sensitivity @ self.problem.residuals[..., None]
        return np.asarray(fitted + (self.problem.jacobian @ step)[..., 0])

    @property
    def relative_offset(self) -> Number:
        """The share of the residuals that the parameters could still explain.

        :math:`|H_w e| / |e|` (Bates and Watts, 1981).
        """
        e = self.problem.weighted_residuals
        return self._number(relative_offset(self.geometry.left, e))

    @property
    def edof(self) -> Count:
        """Effective degrees of freedom: the trace of the hat matrix, an integer.

        trace(H_w) = rank(A), the number of singular values above the tolerance times the largest
        (paper, section on the weighted hat matrix).
        """
        return self._count(self.effective_degrees.edof)

    def edof_at(self, tolerance: ArrayLike) -> Indices:
        """EDoF at other tolerances, from the same spectrum.

        How many s_j > tolerance * s_1 (paper, section on the weighted hat matrix).

        Parameters
        ----------
        tolerance : relative to the largest singular value, one or several

        Returns
        -------
        Indices
            of the shape of `tolerance`
        """
        return edof_at(self.singular_values, tolerance)

    @property
    def singular_values(self) -> Array:
        """(p,) of A, largest first; in `diagnose_least_squares` of A with columns of length 1.

        The S of A = U S V^T (Golub and Van Loan, 2013, section 2.4).
        """
        return self.geometry.singular_values

    @property
    def condition_number(self) -> Number:
        """Largest over smallest singular value.

        :math:`s_1/s_p` (Golub and Van Loan, 2013, section 2.6).
        """
        return self._number(self.geometry.condition_number)

    @property
    def condition_number_exact(self) -> Number:
        r"""The same of the exact Hessian, on the free parameters: root of the ratio of eigenvalues.

        Infinite where a direction is lost or the Hessian is not positive definite.

        :math:`\sqrt{\lambda_1/\lambda_p}` of half the Hessian, which would be :math:`s_1/s_p`
        without curvature (Golub and Van Loan, 2013, section 2.6; paper, appendix on Gauss-Newton).
        """
        return self._number(self.curvature.condition_number)

    @property
    def unidentified_combinations(self) -> tuple[str, ...]:
        """Sentences on the directions along which nothing changes; empty at full rank."""
        return combinations(self.identification.directions, self.problem.specs)
