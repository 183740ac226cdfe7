"""Every quote of some days left out, and the day fitted again: exactly, as in `leave_one_out.py`.

A day takes as long as a dozen calibrations, so every day of a study has it where the model's search
is compiled for the problem as posed. Elsewhere it takes a hundred times as long, and only days that
are profiled have it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibscope.base.arrays import Array
from calibscope.base.threads import share_days
from calibscope.calibration.problem import Problem
from calibscope.calibration.refit import ModelRefit
from calibscope.calibration.search import search_for
from calibscope.calibration.solution import Fit
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.diagnosis.refit.leave_one_out import LeaveOneOut


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut:
    """The answers for n days; a day has none where they take too long, or where they failed."""

    answers: tuple[LeaveOneOut | None, ...]
    failures: tuple[str, ...]  # (n,) why; "" elsewhere

    def confidence(self, count: int) -> Array:
        """(n, count) levels of the regions at whose edges the fits without each quote are."""
        none = np.full(count, np.nan)
        return np.array([none if one is None else one.confidence[:count] for one in self.answers])


def left_out_of(
    fits: Sequence[Fit],
    diagnosis: Callable[[int], Diagnosis],
    threads: int | None = None,
    is_asked_for: bool = False,
) -> LeftOut:
    """Leave every quote of every day out.

    Parameters
    ----------
    diagnosis : of each fit
    threads : how many to use; None means all cores
    is_asked_for : also where it takes long
    """
    answers: list[LeaveOneOut | None] = [None] * len(fits)
    failures = [""] * len(fits)

    def work(begin: int, end: int) -> None:
        for k in range(begin, end):
            if not is_asked_for and not has_quick_refits(fits[k].problem):
                continue
            try:
                answers[k] = alone(diagnosis(k), fits[k]).refits.leave_one_out()
            except Exception as error:  # whatever it is, the rest of the day is known
                failures[k] = f"{type(error).__name__}: {error}"

    share_days(work, len(fits), threads, fewest=1)
    return LeftOut(tuple(answers), tuple(failures))


def has_quick_refits(problem: Problem) -> bool:
    """Whether the day can be fitted again dozens of times in a fraction of a second."""
    return search_for(problem.model).is_quick(problem)


def alone(dx: Diagnosis, fit: Fit) -> Diagnosis:
    """A diagnosis whose refits keep to one thread: others have days of their own."""
    return replace(dx, refit=ModelRefit(fit.problem, threads=1))
