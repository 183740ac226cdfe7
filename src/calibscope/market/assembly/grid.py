"""The dates on which all caps of a history fix and pay."""

from dataclasses import dataclass, replace

import numpy as np

from calibscope.base.arrays import Array, BoolArray, Indices
from calibscope.market.assembly.joined import Joined
from calibscope.market.calendar import calendar_times
from calibscope.market.schedule import Schedule
from calibscope.market.settings import TENORS, Conventions


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """The dates of all caps of all days; on the idealised grid all days share them."""

    counts: Indices  # (m,) how many periods each cap covers
    times: Array  # (N + 1,) or (n, N + 1) years
    accruals: Array  # (N,) or (n, N)
    first: int  # the first period that pays

    @classmethod
    def of(cls, table: Joined, conventions: Conventions) -> "Grid":
        """The grid that the conventions say."""
        tenor = TENORS[conventions.tenor]
        counts = np.rint(table.maturities / tenor).astype(np.int64)
        first, periods = 0 if conventions.first_caplet else 1, int(counts[-1])
        if conventions.schedule == "TARGET":
            times, accruals = calendar_times(table.dates, round(12 * tenor), periods)
        else:
            times = tenor * np.arange(periods + 1, dtype=np.float64)
            accruals = np.full(periods, tenor)
        return cls(counts, times, accruals, first)

    def ends(self, days: int) -> Array:
        """The last payment of the longest cap, (days,) years."""
        return np.broadcast_to(self.times[..., -1], days)

    def schedule(self, day: int) -> Schedule:
        """The schedule of one day."""
        if self.times.ndim == 1:
            return Schedule(self.times, self.accruals)
        return Schedule(self.times[day], self.accruals[day])

    def only(self, kept: BoolArray) -> "Grid":
        """The same for some of the days."""
        if self.times.ndim == 1:
            return self
        return replace(self, times=self.times[kept], accruals=self.accruals[kept])
