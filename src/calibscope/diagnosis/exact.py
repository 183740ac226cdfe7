"""`Exact`: answers about a fit that come from fitting again, in one place."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from calibscope.diagnosis.leave_one_out import LeaveOneOut, leave_one_out
from calibscope.diagnosis.profile import Profiles, profiles
from calibscope.diagnosis.refit import required
from calibscope.diagnosis.uncertainty import Form

if TYPE_CHECKING:
    from calibscope.diagnosis.diagnosis import Diagnosis


@dataclass(frozen=True, slots=True, eq=False)
class Exact:
    """What a diagnosis can say when it may fit again; the files of the same names have the rest."""

    dx: "Diagnosis"

    def __post_init__(self) -> None:
        required(self.dx.refit)

    def leave_one_out(self) -> LeaveOneOut:
        """Parameters without each quote, beside what `dfbeta` foretold."""
        return leave_one_out(self.dx)

    def profiles(
        self,
        levels: Sequence[float] = (0.5, 0.75, 0.95),
        names: Sequence[str] | None = None,
    ) -> Profiles:
        """How good the fit can be with each parameter held, and the intervals that follow.

        Parameters
        ----------
        levels : of the intervals
        names : of the parameters; None means all that can move
        """
        dx = self.dx
        form: Form = "gauss_newton" if dx.problem.bend is None else "exact"
        errors, freedom = dx.standard_errors("mse", form), int(dx.scales.degrees_of_freedom)
        return profiles(dx.problem, required(dx.refit), errors, freedom, levels, names)
