"""The result of a calibration, with what there is to say against it."""

from dataclasses import dataclass
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
RIDGE = 1e-3  # speeds that agree to this are one factor


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
    ends: tuple[tuple[float, G2], ...] = ()  # other ends of the search: objective and parameters

    def __repr__(self) -> str:
        values = ", ".join(
            f"{name}={value:.5g}"
            for name, value in zip(PARAMETERS, self.parameters.values, strict=True)
        )
        return f"Fit({self.problem.day.label}: RMSRE {100 * self.rmsre:.3f} %, {values})"

    @cached_property
    def parameters(self) -> G2:
        """The parameters, with the faster factor first where the problem is symmetric."""
        return canonical(self.as_found) if self.problem.is_symmetric else self.as_found

    @cached_property
    def _values(self) -> tuple[Array, Array]:
        values = self.problem.values(self.parameters.values, order=1)
        return values.prices, values.jacobian

    @property
    def prices(self) -> Array:
        """Model prices (m,)."""
        return self._values[0]

    @property
    def residuals(self) -> Array:
        """Relative errors of the prices, (model - market) / market."""
        return self.prices / self.problem.day.prices - 1.0

    @property
    def rmsre(self) -> float:
        """Root mean squared relative error, whatever was minimised."""
        return float(np.sqrt(np.mean(self.residuals**2)))

    @cached_property
    def objective(self) -> float:
        """What was minimised."""
        return self.problem.objective(self.parameters.values)

    @property
    def at_bound(self) -> Array:
        """(5,) -1 at the lower, 1 at the upper bound, else 0; fixed parameters count as 0."""
        values, lower, upper = self.parameters.values, self.problem.lower, self.problem.upper
        marks = (values >= upper).astype(float) - (values <= lower)
        return np.where(lower < upper, marks, 0.0)

    @cached_property
    def gradient(self) -> Array:
        """(5,) of the objective in the scaled coordinates; at a bound, minus its multiplier."""
        task, point = self.problem.task, self.parameters.values
        scale = np.append(point[:4], 1.0)
        weighted = task.root_weights * (self.prices - task.quotes)
        slope = 2.0 * scale * (self._weighted_jacobian.T @ weighted)
        if task.strength.any():
            slope += 2 * task.strength * (np.append(np.log(point[:4]), point[4]) - task.anchor)
        return np.asarray(slope)

    @property
    def _weighted_jacobian(self) -> Array:
        return self.problem.task.root_weights[:, None] * self._values[1]

    @property
    def is_free(self) -> Marks:
        """(5,) parameters that are neither fixed nor held by a bound."""
        return np.asarray((self.at_bound == 0) & (self.problem.lower < self.problem.upper))

    @cached_property
    def relative_offset(self) -> float:
        """Length of the residuals' projection on the free columns over their length.

        Zero at an optimum (Bates and Watts); a perfect fit counts as zero.
        """
        task = self.problem.task
        weighted = task.root_weights * (self.prices - task.quotes)
        size = float(np.linalg.norm(weighted))
        if size <= PERFECT * np.sqrt(len(weighted)) or task.strength.any():
            return 0.0
        columns = self._weighted_jacobian[:, self.is_free]
        lengths = np.linalg.norm(columns, axis=0)
        columns = columns[:, lengths > 0] / lengths[lengths > 0]
        if not columns.size:
            return 0.0
        left, singular, _ = np.linalg.svd(columns, full_matrices=False)
        kept = left[:, singular > 1e-8 * singular[0]]
        return float(np.linalg.norm(kept.T @ weighted) / size)

    @cached_property
    def status(self) -> Status:
        """How the calibration ended."""
        values, free = self.parameters.values, int(np.sum(self.problem.lower < self.problem.upper))
        if self.rmsre > 0.5:
            return Status.UNREACHABLE
        if len(self.problem.day.prices) < free:
            return Status.UNDERDETERMINED
        if self.relative_offset > CONVERGED_OFFSET:
            return Status.NOT_CONVERGED
        if abs(values[0] - values[1]) <= RIDGE * values[0]:
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
