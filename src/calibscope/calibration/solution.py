"""The result of a calibration, with what there is to say against it."""

from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from calibscope.base.arrays import Array, Marks
from calibscope.calibration.problem import Problem
from calibscope.models.g2.model import G2
from calibscope.models.g2.parameters import PARAMETERS

if TYPE_CHECKING:
    from calibscope.calibration.evidence import Evidence

CONVERGED_OFFSET = 1e-6
PERFECT = 1e-10  # root mean square of the weighted residuals: below, an offset means nothing
UNREACHABLE = 0.2  # RMSRE beyond which the quotes are not met
RIDGE = 1e-3  # speeds that agree to this are one factor
PUSHING = 1e-9  # a multiplier's size over that of its column and the residuals, beyond rounding
IDENTIFIED = 1e6  # largest condition number at which exact quotes give parameters back to 1e-5


class Status(Enum):
    """How a calibration ended, in a sentence."""

    CONVERGED = "The optimum was found."
    AT_BOUND = "The optimum was found, with parameters at their bounds."
    RIDGE = "The two factors have the same speed: the fit is a one-factor model."
    UNDERDETERMINED = "There are fewer quotes than free parameters; many parameters fit alike."
    NOT_CONVERGED = "The solver stopped before the optimum."
    UNREACHABLE = "No parameters inside the bounds come near the quotes; the nearest are returned."


@dataclass(frozen=True, eq=False)
class Fit:
    """The best parameters of a day that a solver found."""

    problem: Problem
    as_found: G2  # in the solver's order of the factors
    solver: str
    evaluations: int
    seconds: float
    ends: tuple[tuple[float, G2], ...] = ()  # of the search, best first: objective, parameters

    def __repr__(self) -> str:
        values = ", ".join(
            f"{name}={value:.5g}"
            for name, value in zip(PARAMETERS, self.parameters.values, strict=True)
        )
        pulled = self.problem.task.strength.any()
        cost = f" (of which the anchor costs {100 * self.anchor_cost:.3f} %)" if pulled else ""
        return f"Fit({self.problem.day.label}: RMSRE {100 * self.rmsre:.3f} %{cost}, {values})"

    @cached_property
    def parameters(self) -> G2:
        """The parameters, with the faster factor first where the problem is symmetric."""
        return canonical(self.as_found) if self.problem.is_symmetric else self.as_found

    @cached_property
    def prices(self) -> Array:
        r"""Model prices (m,).

        :math:`g_k(\Pi)` of `G2.cap_prices` (paper, eq. analytical_cap_price).
        """
        return self.problem.values(self.parameters.values, order=0).prices

    @property
    def residuals(self) -> Array:
        """Relative errors of the prices, (model - market) / market.

        :math:`(g_k - y_k)/y_k`; the paper's residuals (eq. rmsre_objective) have the other sign.
        """
        return self.prices / self.problem.day.prices - 1.0

    @property
    def rmsre(self) -> float:
        r"""Root mean squared relative error, whatever was minimised.

        :math:`\sqrt{\tfrac1m \sum_k ((g_k - y_k)/y_k)^2}` (paper, eq. rmsre_objective).
        """
        return float(np.sqrt(np.mean(self.residuals**2)))

    @cached_property
    def objective(self) -> float:
        r"""What was minimised.

        :math:`\sum_k w_k (g_k - y_k)^2`, plus an anchor's pull (paper, eq. wls_form).
        """
        return self.problem.objective(self.parameters.values)

    @property
    def at_bound(self) -> Array:
        """(5,) -1 at the lower, 1 at the upper bound, else 0; fixed parameters count as 0.

        A bound is active where p = lower or p = upper, to the last bit (paper, section on EDoF and
        constraints; Nocedal and Wright, 2006, chapter 12).
        """
        values, lower, upper = self.parameters.values, self.problem.lower, self.problem.upper
        marks = (values >= upper).astype(float) - (values <= lower)
        return np.where(lower < upper, marks, 0.0)

    @property
    def is_free(self) -> Marks:
        """(5,) parameters that are neither fixed nor held by a bound."""
        return np.asarray((self.at_bound == 0) & (self.problem.lower < self.problem.upper))

    @cached_property
    def _tangent(self) -> tuple[Array, Array]:
        return self.problem.tangent(self.parameters.values)

    @cached_property
    def gradient(self) -> Array:
        """(5,) of the objective, by (log a, log sigma, rho).

        2 A^T e with A = W^(1/2) J D and e = W^(1/2) (g - y) (Nocedal and Wright, 2006, chapter
        10).
        """
        residuals, A = self._tangent
        return np.asarray(2.0 * A.T @ residuals)

    @property
    def multipliers(self) -> Array:
        """(5,) of the active bounds: how fast the objective would fall beyond them, else 0.

        By (log a, log sigma, rho). None is negative at an optimum, up to the rounding of the
        gradient, about 1e-10 times the lengths of the residuals and of the parameter's column.

        mu = -s df/dq with s = -1 at a lower and 1 at an upper bound (the conditions of Karush, Kuhn
        and Tucker; Nocedal and Wright, 2006, section 12.3).
        """
        return np.where(self.at_bound != 0, -self.at_bound * self.gradient, 0.0)

    @cached_property
    def relative_offset(self) -> float:
        """Length of the residuals' projection on the free columns over their length.

        |Q^T e| / |e|, with Q an orthonormal basis of the free columns of A. Zero at an optimum
        (Bates and Watts, 1981); a perfect fit counts as zero.
        """
        residuals, A = self._tangent
        size = float(np.linalg.norm(residuals))
        if size <= PERFECT * np.sqrt(len(residuals)):
            return 0.0
        columns = A[:, self.is_free]
        lengths = np.linalg.norm(columns, axis=0)
        columns = columns[:, lengths > 0] / lengths[lengths > 0]
        if not columns.size:
            return 0.0
        left, singular, _ = np.linalg.svd(columns, full_matrices=False)
        kept = left[:, singular > 1e-8 * singular[0]]
        return float(np.linalg.norm(kept.T @ residuals) / size)

    @cached_property
    def condition_number(self) -> float:
        """Largest over smallest singular value of the Jacobian, by (log a, log sigma, rho).

        On the free parameters and on those at bounds that do not push (multiplier 0 up to
        rounding). Infinite where these are more than the quotes.

        s_1 / s_p of the singular values of A = W^(1/2) J D (Golub and Van Loan, 2013, section 2.6).
        """
        residuals, A = self._tangent
        size = np.linalg.norm(residuals)
        if size <= PERFECT * np.sqrt(len(residuals)):
            pushes = np.zeros(len(self.at_bound), dtype=bool)
        else:
            pushes = self.multipliers > PUSHING * size * np.linalg.norm(A, axis=0)
        columns = A[:, (self.problem.lower < self.problem.upper) & ~pushes]
        if columns.shape[0] < columns.shape[1]:
            return float("inf")
        singular = np.linalg.svd(columns, compute_uv=False)
        if not singular.size:
            return 1.0
        return float(singular[0] / singular[-1]) if singular[-1] > 0 else float("inf")

    @property
    def is_identified(self) -> bool:
        """Whether quotes and active bounds determine the parameters: condition number up to 1e6.

        Beyond, price errors of 1e-8 move parameters by percents, and other optima may price alike.
        """
        return self.condition_number <= IDENTIFIED

    @property
    def is_ridge(self) -> bool:
        """Whether both factors have the same speed: a one-factor model."""
        a_x, a_y = self.parameters.a_x, self.parameters.a_y
        return abs(a_x - a_y) <= RIDGE * max(a_x, a_y)

    @property
    def is_swapped(self) -> bool:
        """Whether the solver's own order of the factors was the other one."""
        return self.as_found != self.parameters

    @cached_property
    def anchor_cost(self) -> float:
        """RMSRE that the pull towards an anchor costs, against the best fit without; 0 without.

        RMSRE(fit) - RMSRE(best fit without the pull) (paper, eq. rmsre_objective).
        """
        if not self.problem.task.strength.any():
            return 0.0
        from calibscope.calibration.solvers.global_search import solve

        free = replace(self.problem, anchor=None, anchor_strength=0.0)
        return self.rmsre - free.rmsre(solve(free, free.lower).parameters[0])

    @cached_property
    def status(self) -> Status:
        """How the calibration ended."""
        free = int(np.sum(self.problem.lower < self.problem.upper))
        if self.rmsre > UNREACHABLE:
            return Status.UNREACHABLE
        if len(self.problem.day.prices) < free:
            return Status.UNDERDETERMINED
        if self.relative_offset > CONVERGED_OFFSET:
            return Status.NOT_CONVERGED
        if self.is_ridge:
            return Status.RIDGE
        return Status.AT_BOUND if self.at_bound.any() else Status.CONVERGED

    @cached_property
    def evidence(self) -> "Evidence":
        """Atlas, valley and plausible fit, computed when first asked for (a fifth of a second)."""
        from calibscope.calibration.evidence import evidence

        return evidence(self)

    @property
    def is_converged(self) -> bool:
        """Whether an optimum was reached."""
        return self.status in (Status.CONVERGED, Status.AT_BOUND, Status.RIDGE)

    @property
    def has_parameters_at_bound(self) -> bool:
        """Whether a parameter lies at its bound."""
        return bool(self.at_bound.any())


def canonical(model: G2) -> G2:
    """The same model with the faster factor first: a_x >= a_y."""
    a_x, a_y, sigma_x, sigma_y, rho_xy = model.values
    if a_x >= a_y:
        return model
    return G2(a_y, a_x, sigma_y, sigma_x, rho_xy)
