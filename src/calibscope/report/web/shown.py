"""What the page shows: a day calibrated as in the study, and as a state wants it, both rated."""

import datetime
from dataclasses import dataclass

from calibscope.diagnosis.linear.intervals import Intervals
from calibscope.diagnosis.settings import LEVELS
from calibscope.report.figures.markup import literal
from calibscope.report.web.rated import Side, sides
from calibscope.report.web.source import Source
from calibscope.report.web.state import State
from calibscope.study.study import Study
from calibscope.study.what_if import WhatIf

WIDEST_FIRST = LEVELS[::-1]  # as the chart of intervals draws them
METHODS = {
    "profile": "intervals by profile",
    "gauss_newton": "intervals by delta method, the quick ones",
}


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """A state with its answer."""

    source: Source
    state: State
    study: Study
    date: datetime.date
    found: WhatIf
    before: Side
    after: Side

    @property
    def intervals(self) -> Intervals:
        """Of the parameters, at all levels."""
        return self.source.intervals(self.state, self.found, WIDEST_FIRST)

    @property
    def note(self) -> str:
        """What every figure says: where quotes are from, the day, and what was changed."""
        changes = self.state.changes
        what = f"; what if: {', '.join(changes)}" if changes else ""
        name = (
            "SYNTHETIC market"
            if self.study.is_synthetic
            else str(self.study.runs["market"].iloc[-1])
        )
        return literal(f"{name}, {self.date}{what}")


def answered(source: Source, state: State) -> Shown:
    """The state's day, calibrated and rated.

    Raises
    ------
    StoreError, ValueError
        if there is no such day, or nothing can be calibrated so
    """
    study, date, found = source.study(state), source.date(state), source.what_if(state)
    before, after = sides(study, date, found, has_change=state.has_change)
    return Shown(source, state, study, date, found, before, after)
