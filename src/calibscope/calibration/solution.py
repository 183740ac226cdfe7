"""The result of a calibration, with what there is to say against it."""

from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from calibscope.base.arrays import Array, BoolArray
from calibscope.base.numbers import number, percent
from calibscope.base.parameters import bound_marks
from calibscope.calibration.problem import Problem
from calibscope.calibration.solvers import is_global
from calibscope.models.model import Model

if TYPE_CHECKING:
    from calibscope.calibration.near_optimal.evidence import Evidence

CONVERGED_OFFSET = 1e-6
UNREACHABLE = 0.2  # RMSRE beyond which the quotes are not met
PUSHING = 1e-9  # a multiplier's size over that of its column and the residuals, beyond rounding
IDENTIFIED = 1e6  # largest condition number at which exact quotes give parameters back to 1e-5


class Status(Enum):
    """How a calibration ended, in a sentence that says what was checked, and no more."""

    CONVERGED = "Converged; the search found no better optimum."
    AT_BOUND = "Converged with parameters at their bounds; the search found no better optimum."
    LOCAL = "Converged to a local optimum; a better one was not searched for."
    EQUAL_SPEEDS = "The two factors have the same speed: the fit is a one-factor model."
    UNDERDETERMINED = "There are fewer quotes than free parameters; many parameters fit alike."
    NOT_CONVERGED = "The solver stopped before an optimum."
    NOT_BEST = "There is a better optimum than this fit; fit.evidence has it."
    UNREACHABLE = f"The best fit found misses the quotes by more than {percent(UNREACHABLE, 0)}."


@dataclass(frozen=True, eq=False)
class Fit:
    """The best parameters of a day that a solver found."""

    problem: Problem
    as_found: Model  # in the solver's order of the factors
    solver: str
    evaluations: int
    seconds: float
    candidates: tuple[tuple[float, Model], ...] = ()  # best first: objective, parameters

    def __repr__(self) -> str:
        values = ", ".join(
            f"{name}={number(value, '.5g')}"
            for name, value in zip(self.problem.specs.names, self.parameters.values, strict=True)
        )
        pulled = self.problem.has_anchor
        cost = f" (of which the anchor costs {percent(self.anchor_cost, 3)})" if pulled else ""
        return f"Fit({self.problem.day.label}: RMSRE {percent(self.rmsre, 3)}{cost}, {values})"

    @cached_property
    def parameters(self) -> Model:
        """The parameters, in the model's order of its factors wherever the bounds allow it.

        With ``order="solver"`` they are those of `as_found`.
        """
        return self.problem.model.from_values(self.problem.shown(self.as_found.values))

    @cached_property
    def prices(self) -> Array:
        r"""Model prices (m,).

        :math:`g_k(\Pi)` of the model's `prices` (for G2++ paper, eq. analytical_cap_price).
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
        r"""Root mean squared relative error of the quotes with weight, whatever was minimised.

        :math:`\sqrt{\tfrac1m \sum_k ((g_k - y_k)/y_k)^2}` (paper, eq. rmsre_objective).
        """
        with np.errstate(over="ignore"):  # prices of 1e-200 are missed by infinitely much
            squares = self.residuals[self.problem.has_weight] ** 2
        return float(np.sqrt(np.mean(squares)))

    @cached_property
    def objective(self) -> float:
        r"""What was minimised.

        :math:`\sum_k w_k (g_k - y_k)^2`, plus an anchor's pull (paper, eq. wls_form).
        """
        return self.problem.objective(self.parameters.values)

    @property
    def at_bound(self) -> Array:
        """(p,) -1 at the lower, 1 at the upper bound, else 0; fixed parameters count as 0.

        A bound is active where p = lower or p = upper, to the last bit (paper, section on EDoF and
        constraints; Nocedal and Wright, 2006, chapter 12).
        """
        values, lower, upper = self.parameters.values, self.problem.lower, self.problem.upper
        return bound_marks(values, lower, upper).astype(float)

    @property
    def is_free(self) -> BoolArray:
        """(p,) parameters that are neither fixed nor held by a bound."""
        return np.asarray((self.at_bound == 0) & (self.problem.lower < self.problem.upper))

    @cached_property
    def _tangent(self) -> tuple[Array, Array]:
        return self.problem.tangent(self.parameters.values)

    @cached_property
    def gradient(self) -> Array:
        """(p,) of the objective, by the scaled coordinates.

        2 A^T e with A = W^(1/2) J D and e = W^(1/2) (g - y) (Nocedal and Wright, 2006, chapter
        10).
        """
        residuals, A = self._tangent
        return np.asarray(2.0 * A.T @ residuals)

    @property
    def multipliers(self) -> Array:
        """(p,) of the active bounds: how fast the objective would fall beyond them, else 0.

        By the scaled coordinates. None is negative at an optimum, up to the rounding of the
        gradient, about 1e-10 times the lengths of the residuals and of the parameter's column.

        mu = -s df/dq with s = -1 at a lower and 1 at an upper bound (the conditions of Karush, Kuhn
        and Tucker; Nocedal and Wright, 2006, section 12.3).
        """
        return np.where(self.at_bound != 0, -self.at_bound * self.gradient, 0.0)

    @cached_property
    def relative_offset(self) -> float:
        """Length of the residuals' projection on the free columns over their length.

        |Q^T e| / |e|, with Q an orthonormal basis of the free columns of A, to which a bound counts
        that the fit would leave inwards. Zero at an optimum (Bates and Watts, 1981); a perfect fit
        counts as zero.
        """
        residuals, A = self._tangent
        size = float(np.linalg.norm(residuals))
        if size**2 <= self.problem.perfect_objective:
            return 0.0
        is_left = self.multipliers < -PUSHING * size * np.linalg.norm(A, axis=0)
        columns = A[:, self.is_free | is_left]
        lengths = np.linalg.norm(columns, axis=0)
        columns = columns[:, lengths > 0] / lengths[lengths > 0]
        if not columns.size:
            return 0.0
        left, singular, _ = np.linalg.svd(columns, full_matrices=False)
        kept = left[:, singular > 1e-8 * singular[0]]
        return float(np.linalg.norm(kept.T @ residuals) / size)

    @cached_property
    def condition_number(self) -> float:
        """Largest over smallest singular value of the Jacobian, by the scaled coordinates.

        On the free parameters and on those at bounds that do not push (multiplier 0 up to
        rounding). Infinite where these are more than the quotes.

        s_1 / s_p of the singular values of A = W^(1/2) J D (Golub and Van Loan, 2013, section 2.6).
        """
        residuals, A = self._tangent
        size = np.linalg.norm(residuals)
        if size**2 <= self.problem.perfect_objective:
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
    def has_equal_speeds(self) -> bool:
        """Whether two factors have the same speed: a model with fewer."""
        return self.problem.model.has_equal_speeds(self.parameters.values)

    @property
    def is_swapped(self) -> bool:
        """Whether the solver's own order of the factors was the other one."""
        return self.as_found != self.parameters

    @cached_property
    def anchor_cost(self) -> float:
        """RMSRE that the pull towards an anchor costs, against the best fit without; 0 without.

        RMSRE(fit) - RMSRE(best fit without the pull) (paper, eq. rmsre_objective).
        """
        if not self.problem.has_anchor:
            return 0.0
        from calibscope.calibration.search import search_for

        free = replace(self.problem, anchor=None, anchor_strength=0.0)
        return self.rmsre - free.rmsre(search_for(free.model).solve(free).parameters[0])

    @property
    def status(self) -> Status:
        """How the calibration ended, with regard to the evidence once that was asked for."""
        found: Evidence | None = self.__dict__.get("evidence")
        if found is not None and not found.is_best:
            return Status.NOT_BEST
        return self._status

    @cached_property
    def _status(self) -> Status:
        problem = self.problem
        pulls = np.count_nonzero(problem.task.strength)  # an anchor's count like quotes
        if self.rmsre > UNREACHABLE:
            return Status.UNREACHABLE
        if np.count_nonzero(problem.has_weight) + pulls < problem.free_count:
            return Status.UNDERDETERMINED
        if self.relative_offset > CONVERGED_OFFSET:
            return Status.NOT_CONVERGED
        if self.has_equal_speeds:
            return Status.EQUAL_SPEEDS
        if not is_global(self.solver):
            return Status.LOCAL
        return Status.AT_BOUND if self.at_bound.any() else Status.CONVERGED

    @cached_property
    def evidence(self) -> "Evidence":
        """Local minima, near-optimal set, plausible fit; computed when first asked for (0.2 s)."""
        from calibscope.calibration.near_optimal.evidence import evidence

        return evidence(self)

    @property
    def plausible(self) -> Model | None:
        """The best plausible parameters, perhaps the fit's own; None if the bounds leave none."""
        return self.evidence.plausible_fit

    @property
    def is_converged(self) -> bool:
        """Whether an optimum was reached, be it a local one."""
        return self.status in (Status.CONVERGED, Status.AT_BOUND, Status.LOCAL, Status.EQUAL_SPEEDS)

    @property
    def has_parameters_at_bound(self) -> bool:
        """Whether a parameter is at its bound."""
        return bool(self.at_bound.any())
