r"""How far a straight line may be trusted: intrinsic and parameter-effects curvature.

A least-squares fit is the point of a curved surface, the model's prices at all parameters, nearest
to the quotes. Standard errors and intervals take that surface for its tangent plane, and equal
steps of the parameters for equal steps on it. Bates and Watts (1980) measure both mistakes. Along a
direction d of the parameters the surface has the velocity A d and the acceleration d^T V d, V being
the weighted second derivatives (m, p, p). In coordinates whose velocities are orthonormal, A F = U,

.. math:: C = \rho\, F^T V F, \qquad C^\theta = U^T C, \quad C^\iota = (1 - U U^T)\, C,
    \qquad \rho = s \sqrt p,

where rho, the standard radius, makes curvature a pure number. What is in the tangent plane,
C^theta, is *parameter effects*: other coordinates would remove it. What leaves the plane, C^iota,
is *intrinsic*: it belongs to model and quotes. Bates and Watts take F = R^-1 from A = QR; the
decomposition of `geometry.py` differs from it by a rotation, which changes neither the largest
curvature nor the root mean square over all directions,

.. math:: \Gamma = \max_{|d| = 1} |d^T C d|, \qquad
    c^2 = \frac{1}{p (p + 2)} \sum_n \Bigl(2 \sum_{ij} C_{nij}^2 + (\sum_i C_{nii})^2\Bigr).

The joint confidence region of level 1 - alpha has the radius rho sqrt(F), F = F_{1-alpha}(p, m - p)
being a quantile of Fisher's distribution, so c sqrt(F) is that radius over the surface's radius of
curvature. At 0.3, the limit that the help of R's `MASS::rms.curv` names, the surface has left the
plane by 15 % of the radius. Gamma sqrt(F) is compared with 1/2, the customary 1/(2 sqrt(F)) for
Gamma (Ratkowsky, 1983); at 1 the surface turns as sharply as the region itself.

Sources: Bates, D. M. and Watts, D. G. (1980), "Relative curvature measures of nonlinearity", JRSS B
42, 1-25, and (1988) "Nonlinear Regression Analysis and Its Applications", chapter 7; Ratkowsky,
D. A. (1983), "Nonlinear Regression Modeling", chapter 2.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import fdtri

from calibscope.base.arrays import Array
from calibscope.base.numbers import counted
from calibscope.diagnosis.least_squares import LeastSquares
from calibscope.diagnosis.linear.geometry import column_lengths, geometry, length
from calibscope.diagnosis.linear.uncertainty import Scale, Scales

RMS_LIMIT = 0.3  # of c sqrt(F)
MAXIMUM_LIMIT = 0.5  # of Gamma sqrt(F)
GAIN = 1e-14  # of the largest curvature, relative, that is worth another step
STEPS = 500


@dataclass(frozen=True, slots=True)
class RelativeCurvature:
    """One kind of curvature; a pure number, not a number where the noise has no scale."""

    rms: float  # c
    maximum: float  # Gamma
    extent: float  # sqrt(F): radius of the confidence region over the standard radius

    @property
    def rms_at_level(self) -> float:
        r"""Of the whole confidence region: to be compared with 0.3.

        :math:`c \sqrt F`, with F the quantile of the region (Bates and Watts, 1980).
        """
        return self.rms * self.extent

    @property
    def maximum_at_level(self) -> float:
        r"""Of the whole confidence region: to be compared with 1/2.

        :math:`\Gamma \sqrt F`, with F the quantile of the region (Bates and Watts, 1980).
        """
        return self.maximum * self.extent

    @property
    def is_weak(self) -> bool:
        """Whether it is known, and within both limits."""
        return self.rms_at_level <= RMS_LIMIT and self.maximum_at_level <= MAXIMUM_LIMIT

    @property
    def is_strong(self) -> bool:
        """Whether it is known, and beyond a limit."""
        return self.rms_at_level > RMS_LIMIT or self.maximum_at_level > MAXIMUM_LIMIT


@dataclass(frozen=True, slots=True)
class BatesWatts:
    """Curvature of a fit on its free parameters, against the size of its confidence region."""

    level: float  # of the confidence region
    scale: Scale  # the noise that sets its size
    rank: int  # directions that count, p in the formulas
    lost: int  # free directions that do not
    radius: float  # rho = s sqrt(p)
    intrinsic: RelativeCurvature  # of the surface: the same in all coordinates
    parameter_effects: RelativeCurvature  # in the parameters themselves
    parameter_effects_scaled: RelativeCurvature  # in the coordinates of the intervals

    @property
    def has_strong_intrinsic(self) -> bool:
        """Whether the surface is curved within the confidence region: no coordinates will help."""
        return self.intrinsic.is_strong

    @property
    def has_strong_parameter_effects(self) -> bool:
        """Whether steps on the surface are unequal in the coordinates of the intervals."""
        return self.parameter_effects_scaled.is_strong

    @property
    def is_nearly_linear(self) -> bool:
        """Whether intervals may be believed: both curvatures known and weak, no direction lost."""
        is_weak = self.intrinsic.is_weak and self.parameter_effects_scaled.is_weak
        return is_weak and not self.lost

    @property
    def mark(self) -> str:
        """What must be said beside the numbers; empty where there is nothing."""
        if not self.rank:
            return "no free direction"
        said = (
            [f"on {self.rank} of {counted(self.rank + self.lost, 'direction')}"]
            if self.lost
            else []
        )
        if not self.radius > 0.0:
            said.append("no noise" if self.radius == 0.0 else "no scale")
        return ", ".join(said)


def bates_watts(
    problem: LeastSquares,
    seconds: Array,
    scales: Scales,
    level: float,
    scale: Scale,
    rank_tolerance: float,
) -> BatesWatts:
    """Curvature of one fit, parameters at bounds held fixed.

    Parameters
    ----------
    seconds : (m, p, p) second derivatives of the fitted values
    scales : of the noise; their degrees of freedom are those of F's denominator
    rank_tolerance : of columns of length 1; directions below are left out
    """
    if not 0.0 < level < 1.0:
        raise ValueError(f"level is {level!r}; give one between 0 and 1, such as 0.95")
    A = problem.design
    free = geometry(A, problem.is_free, rank_tolerance, column_lengths(A))
    U, F = free.left[:, free.is_kept], free.root_inverse[:, free.is_kept]
    rank, lost = int(free.rank), int(free.parameter_count - free.rank)
    effective_degrees = float(scales.degrees_of_freedom)
    radius = float(scales.of(scale) * np.sqrt(rank)) if effective_degrees > 0 else np.nan
    extent = float(np.sqrt(fdtri(rank, effective_degrees, level)))

    def measured(accelerations: Array) -> RelativeCurvature:
        if not radius > 0.0:
            return RelativeCurvature(np.nan, np.nan, extent)
        C = radius * accelerations
        return RelativeCurvature(root_mean_square(C), largest(C), extent)

    V = F.T @ (problem.root_weights[:, None, None] * seconds) @ F
    theta = np.tensordot(U.T, V, 1)
    iota = V - np.tensordot(U, theta, 1)
    # Scaled coordinates q bend the parameters themselves, which adds J d2theta/dq2.
    own = np.einsum("ki,ia,ib->kab", A * own_curvature(problem), F, F)
    theta_scaled = theta + np.tensordot(U.T, own, 1)
    return BatesWatts(
        level, scale, rank, lost, radius, measured(iota), measured(theta),
        measured(theta_scaled),
    )  # fmt: skip


def own_curvature(problem: LeastSquares) -> Array:
    r"""(p,) that of each parameter by its scaled coordinate, of unit speed; zero where not free.

    .. math:: \frac{d^2\theta}{dq^2} \Big/ \Bigl(\frac{d\theta}{dq}\Bigr)^2 = \frac1\theta
        \ \text{for}\ q = \log\theta, \qquad \frac{-2\theta}{1 - \theta^2}
        \ \text{for}\ q = \mathrm{arctanh}\,\theta
    """
    scale, values = problem.specs.interval, problem.values
    with np.errstate(divide="ignore", invalid="ignore"):
        curvatures = scale.curvatures(values) / scale.slopes(values) ** 2
    return np.where(problem.is_free, curvatures, 0.0)


def root_mean_square(C: Array) -> float:
    """That of |d^T C d| over all directions d of length 1, of C (n, p, p); c in the formulas."""
    p, traces = C.shape[-1], np.trace(C, axis1=1, axis2=2)
    return float(np.sqrt((2.0 * np.sum(C**2) + traces @ traces) / (p * (p + 2))))


def largest(C: Array) -> float:
    """Largest |d^T C d| over all directions d of length 1, of C (n, p, p); Gamma in the formulas.

    It is the largest |d^T (sum_n u_n C_n) d| over units u and d. For a given d the best u is
    parallel to d^T C d; for a given u the best d is an eigenvector. Taking turns never descends.
    Starts are the eigenvectors of a basis of all C_n; a maximum far from all of them is missed.
    """
    n, p, _ = C.shape
    _, sizes, rows = np.linalg.svd(C.reshape(n, p * p), full_matrices=False)
    basis = (sizes[:, None] * rows)[: p * (p + 1) // 2].reshape(-1, p, p)
    d = np.linalg.eigh(basis)[1].mT.reshape(-1, p)
    found = 0.0
    for _ in range(STEPS):
        second_orders = np.einsum("sa,nab,sb->sn", d, basis, d)
        lengths = length(second_orders)
        best = float(lengths.max(initial=0.0))
        if best <= (1.0 + GAIN) * found:
            break
        found = best
        units = second_orders / np.where(lengths > 0.0, lengths, 1.0)[:, None]
        values, vectors = np.linalg.eigh(np.tensordot(units, basis, 1))
        top = np.abs(values).argmax(axis=1)
        d = np.take_along_axis(vectors, top[:, None, None], axis=2)[:, :, 0]
    return found
