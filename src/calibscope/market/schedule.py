"""When a cap fixes and pays: dates in years from today, and the length of each period.

Period i runs from times[i] (the rate is fixed) to times[i + 1] (the difference is paid), and
interest accrues for accruals[i] years, which is times[i + 1] - times[i] on the idealised grid
and, say, actual days over 360 on a calendar.
"""

from dataclasses import dataclass

import numpy as np

from calibscope.base.arrays import Array, ArrayLike, frozen
from calibscope.base.numbers import counted
from calibscope.market.errors import raise_problems
from calibscope.market.inputs import numbers


@dataclass(frozen=True, slots=True, eq=False)
class Schedule:
    """Consecutive interest periods."""

    times: Array  # (n + 1,) years from today, strictly increasing, not negative
    accruals: Array  # (n,) years, positive

    def __post_init__(self) -> None:
        object.__setattr__(self, "times", frozen(self.times))
        object.__setattr__(self, "accruals", frozen(self.accruals))
        raise_problems("schedule", self._problems())

    def _problems(self) -> list[str]:
        times, accruals = self.times, self.accruals
        if times.ndim != 1 or len(times) < 2:
            return [f"times have shape {times.shape}; give at least a start and an end"]
        if accruals.shape != (len(times) - 1,):
            return [
                f"{counted(len(times), 'time makes', 'times make')} "
                f"{counted(len(times) - 1, 'period')}, but "
                f"{counted(accruals.size, 'accrual is', 'accruals are')} given; give one per period"
            ]
        problems = [
            f"time {i} is {times[i]}; it must be a number that is not negative"
            for i in np.flatnonzero(~((times >= 0) & (times < np.inf)))
        ]
        problems += [
            f"time {i + 1} is {times[i + 1]:g} after {times[i]:g}; times must increase"
            for i in np.flatnonzero(np.diff(times) <= 0)
        ]
        problems += [
            f"accrual {i} is {accruals[i]}; it must be a positive number of years"
            for i in np.flatnonzero(~((accruals > 0) & (accruals < np.inf)))
        ]
        return problems

    @classmethod
    def from_times(cls, times: ArrayLike, accruals: ArrayLike | None = None) -> "Schedule":
        """Any dates; accruals default to the length of each period.

        Parameters
        ----------
        times : (N + 1,) years from today, increasing, the first one 0
        accruals : (N,) years

        Returns
        -------
        Schedule
            a checked schedule
        """
        dates, problems = numbers(times, "times")
        given, found = (np.diff(dates), []) if accruals is None else numbers(accruals, "accruals")
        raise_problems("schedule", problems + found)
        return cls(dates, given)

    def first(self, periods: int) -> "Schedule":
        """The first `periods` periods.

        Parameters
        ----------
        periods : how many

        Returns
        -------
        Schedule
            the same dates, cut off
        """
        if periods == self.periods:
            return self
        return Schedule(self.times[: periods + 1], self.accruals[:periods])

    @property
    def periods(self) -> int:
        """How many periods there are."""
        return len(self.accruals)
