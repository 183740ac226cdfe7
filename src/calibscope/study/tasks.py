"""What an engine can be asked to do with a chunk of days, by name, also on workers of a cluster."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from calibscope.base.threads import share_days
from calibscope.calibration.calibrate import calibrate_many
from calibscope.calibration.solution import Fit
from calibscope.diagnosis.diagnose import diagnose
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.market.day import MarketDay
from calibscope.study.left_out import alone, left_out_of
from calibscope.study.refitted import failures, left_out_columns, profile_columns
from calibscope.study.results import Results, compute, joined
from calibscope.study.settings import StudySettings

DAYS, LEFT_OUT, PROFILES = "days", "left_out", "profiles"
Task = Callable[[Sequence[MarketDay], StudySettings, int | None], Results]


def _left_out(days: Sequence[MarketDay], settings: StudySettings, threads: int | None) -> Results:
    """Each quote left out of each day, also where that takes long."""
    fits, diagnosis = _fitted(days, settings, threads)
    found = left_out_of(fits, diagnosis, threads, is_asked_for=True)
    return _of(len(days), left_out_columns(range(len(days)), fits, found))


def _profiles(days: Sequence[MarketDay], settings: StudySettings, threads: int | None) -> Results:
    """The profile intervals of each day; one that fails is named, and the others go on."""
    fits, diagnosis = _fitted(days, settings, threads)
    found = [_of(1, {})] * len(days)

    def work(begin: int, end: int) -> None:
        for k in range(begin, end):
            try:
                dx = alone(diagnosis(k), fits[k])
                table = {"profiles": profile_columns(0, dx, settings.diagnosis.levels)}
            except Exception as error:  # whatever it is
                why = f"{type(error).__name__}: {error}"
                table = {"failed_refits": failures([0], PROFILES, why)}
            found[k] = _of(1, table)

    began = time.perf_counter()
    share_days(work, len(days), threads, fewest=1)
    return replace(joined(found), diagnosis_seconds=time.perf_counter() - began)


def _fitted(
    days: Sequence[MarketDay], settings: StudySettings, threads: int | None
) -> tuple[Sequence[Fit], Callable[[int], Diagnosis]]:
    """The fits of days that are known to have one, and the diagnosis of each."""
    fits = list(calibrate_many(days, **settings.calibration.arguments(), threads=threads))
    section = settings.diagnosis
    return fits, lambda k: diagnose(fits[k], section.mode, section.thresholds)


def _of(count: int, tables: Mapping[str, dict[str, list[object]]]) -> Results:
    """Tables without rows of `days`, which has no more than the places."""
    return Results({"days": {"day": list(range(count))}, **tables}, 0.0, 0.0)


TASKS: Mapping[str, Task] = {DAYS: compute, LEFT_OUT: _left_out, PROFILES: _profiles}
