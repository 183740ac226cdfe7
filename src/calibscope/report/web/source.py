"""The study behind the live page: opened anew when its file has changed, never written."""

import datetime
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from threading import Semaphore

from calibscope.report.web.state import LinkError, State
from calibscope.study.study import Study, open_study
from calibscope.study.what_if import Change, WhatIf, what_if

AT_ONCE = 2  # requests that compute at the same time
PATIENCE = 20.0  # seconds after which a request that waits is told so


@dataclass(frozen=True, slots=True)
class Source:
    """One store, for all who look at it."""

    path: Path
    _turns: Semaphore = field(default_factory=lambda: Semaphore(AT_ONCE))

    @property
    def study(self) -> Study:
        """As it is on disk now."""
        return _opened(self.path, _stamp(self.path))

    def date(self, state: State) -> datetime.date:
        """The day of a state; without one, the last that has results."""
        if state.date is not None:
            return state.date
        fitted = self.study.fitted
        if fitted.empty:
            raise LinkError("no day of this study has results; calibscope run may tell why")
        last: datetime.date = fitted["date"].iloc[-1].date()
        return last

    def what_if(self, date: datetime.date, change: Change) -> WhatIf:
        """A day calibrated as in the study, and with a change."""
        study = self.study
        return what_if(study.day(date), change, study.settings)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn to compute, but not for ever."""
        if not self._turns.acquire(timeout=PATIENCE):
            raise LinkError("others are computing here just now; try again in a moment")
        try:
            yield
        finally:
            self._turns.release()


def _stamp(path: Path) -> tuple[tuple[int, int], ...]:
    """Changes whenever a run has committed something."""
    return _state_of(path), _state_of(path.with_name(f"{path.name}-wal"))


def _state_of(file: Path) -> tuple[int, int]:
    """When it was written, and its size; readers make and remove an empty -wal at any moment."""
    try:
        found = file.stat()
    except FileNotFoundError:
        return (0, 0)
    return (found.st_mtime_ns, found.st_size) if found.st_size else (0, 0)


@lru_cache(maxsize=4)
def _opened(path: Path, _: tuple[tuple[int, int], ...]) -> Study:
    return open_study(path)
