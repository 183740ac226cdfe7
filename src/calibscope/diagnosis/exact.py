"""`Exact`: answers about a fit that come from fitting again, in one place."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from calibscope.diagnosis.leave_one_out import LeaveOneOut, leave_one_out
from calibscope.diagnosis.refit import required

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
