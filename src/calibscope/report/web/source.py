"""The study behind the live page: opened anew when it has changed, never written."""

import datetime
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from threading import Semaphore

from calibscope.calibration.problem import box
from calibscope.diagnosis.diagnose import diagnose
from calibscope.diagnosis.linear.intervals import Intervals
from calibscope.report.web.state import LinkError, State
from calibscope.study.database import stamp
from calibscope.study.left_out import has_quick_refits
from calibscope.study.stored_intervals import stored_intervals
from calibscope.study.study import Study, open_study
from calibscope.study.what_if import Change, WhatIf, what_if

AT_ONCE = 2  # requests that compute at the same time
PATIENCE = 20.0  # seconds after which a request that waits is told so


@dataclass(frozen=True, slots=True)
class Source:
    """One store, for all who look at it."""

    path: Path
    model: str | None = None  # that is shown if a link names none
    _turns: Semaphore = field(default_factory=lambda: Semaphore(AT_ONCE))

    def study(self, state: State) -> Study:
        """As it is on disk now: the results of the state's model, or of the main one."""
        try:
            study = _opened(self.path, stamp(self.path), state.model or self.model)
            box(study.specs, state.bounds, {})
        except ValueError as error:
            raise LinkError(str(error)) from None
        return study

    def date(self, state: State) -> datetime.date:
        """The day of a state; without one, the last that has results."""
        if state.date is not None:
            return state.date
        fitted = self.study(state).fitted
        if fitted.empty:
            raise LinkError("no day of this study has results; calibscope run may tell why")
        last: datetime.date = fitted["date"].iloc[-1].date()
        return last

    def what_if(self, state: State, date: datetime.date | None = None) -> WhatIf:
        """A day calibrated as in the study, and as the state wants it; None: the state's day."""
        study = self.study(state)
        day = study.day(self.date(state) if date is None else date)
        return what_if(day, state.change, study.settings)

    def intervals(self, state: State, found: WhatIf, levels: tuple[float, ...]) -> Intervals:
        """Those of a state: by profile for a day as it is, quick ones while something is changed.

        Profiles are those of the study, or else computed, which takes a quarter of a second; where
        it would take long, and in a study of another method, intervals are the delta method's.
        """
        study = self.study(state)
        wants_profiles = study.settings.diagnosis.method in (None, "profile")
        if not state.has_change and wants_profiles:
            full = diagnose(found.after, "full", found.thresholds)
            stored = stored_intervals(study, self.date(state), full, levels)
            if stored is not None:
                return stored
            if has_quick_refits(found.after.problem):
                return _walked(
                    self.path, stamp(self.path), study.model, self.date(state), tuple(levels)
                )
        return found.dx_after.intervals(levels, method="delta")

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn to compute, but not for ever."""
        if not self._turns.acquire(timeout=PATIENCE):
            raise LinkError("others are computing here just now; try again in a moment")
        try:
            yield
        finally:
            self._turns.release()


@lru_cache(maxsize=64)
def _walked(
    path: Path, changed: int, model: str, date: datetime.date, levels: tuple[float, ...]
) -> Intervals:
    study = _opened(path, changed, model)
    return what_if(study.day(date), Change(), study.settings).dx_after.intervals(levels)


@lru_cache(maxsize=4)
def _opened(path: Path, _: int, model: str | None) -> Study:
    return open_study(path, model)
