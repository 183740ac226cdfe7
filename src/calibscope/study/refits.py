"""Profiles of a study: the intervals of the days that matter most, kept.

They take a dozen times as long as leaving every quote out, which every day has where that is quick
(`left_out.py`). So they are made for the days that are not green and for the latest ones, or for
all on request, or for the latest day alone, whose parameters a first look asks for; those among
them that lack it get leave-one-out, too. Days that have them already
are left alone. A study whose intervals are another method's has none unless all are asked for.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from sqlalchemy import Connection, delete, select
from sqlalchemy import Engine as Database

from calibscope.base.spelling import choose_from
from calibscope.calibration.problem import Problem
from calibscope.market.day import MarketDay
from calibscope.market.market import Market
from calibscope.study import schema
from calibscope.study.columns import Columns
from calibscope.study.database import insert_columns
from calibscope.study.engines import Engine
from calibscope.study.left_out import has_quick_refits
from calibscope.study.rag import Rag
from calibscope.study.rated_days import rated_days
from calibscope.study.sealed import seal_days
from calibscope.study.settings import StudySettings
from calibscope.study.tasks import LEFT_OUT, PROFILES

Which = Literal["usual", "all", "latest", "none"]
LATEST = 250  # days, a year of trading
CHUNK = 8  # days that are computed and committed together
Progress = Callable[[int, int, int], None]


def checked_choice(which: str) -> Which:
    """Which days are profiled: "usual", "all", "latest" or "none"."""
    if which not in get_args(Which):
        raise ValueError(f"profiles is {which!r}; {choose_from(get_args(Which), which)}")
    return which  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A stored day."""

    day_id: int
    date: Any


def refit_days(
    database: Database,
    run_id: int,
    market: Market,
    settings: StudySettings,
    engine: Engine,
    which: Which,
    progress: Progress,
) -> None:
    """Profiles of every wanted day that has none, and leave-one-out where it is missing.

    Chunks of days are committed together: stopped at any moment, the next run goes on. Why a day
    could not be fitted again is stored, and the next run tries again.

    Parameters
    ----------
    progress : called with how many days are done, of how many, and how many of them failed
    """
    days = {day.date: day for day in market.days}
    with database.begin() as connection:
        wanted = [day for day in _profiled(connection, settings, which) if day.date in days]
        missing = {
            task: _without(connection, task, wanted) for task in (LEFT_OUT, PROFILES) if wanted
        }
    if which != "all" and settings.diagnosis.method not in (None, "profile"):
        missing.pop(PROFILES, None)  # the study's intervals are others
    if which != "all":
        missing = {
            task: [day for day in some if _is_quick(days[day.date], settings)]
            for task, some in missing.items()
        }
    done = failed = 0
    total = sum(map(len, missing.values()))
    for task, some in missing.items():
        chunks = [some[first : first + CHUNK] for first in range(0, len(some), CHUNK)]
        wanted_days = [[days[day.date] for day in chunk] for chunk in chunks]
        progress(done, total, failed)
        for chunk, found in zip(chunks, engine.results(wanted_days, settings, task), strict=True):
            with database.begin() as connection:
                _store(connection, run_id, task, [day.day_id for day in chunk], found.tables)
            done += len(chunk)
            failed += len(found.tables.get("failed_refits", {"day": []})["day"])
            progress(done, total, failed)


def _profiled(connection: Connection, settings: StudySettings, which: Which) -> list[_Wanted]:
    """Days whose parameters are to be profiled."""
    if which == "none":
        return []
    rated = list(rated_days(connection, settings))
    if which == "latest":
        return [_Wanted(row["day_id"], row["date"]) for row, _, _ in rated[-1:]]
    latest = len(rated) - LATEST
    return [
        _Wanted(row["day_id"], row["date"])
        for number, (row, rag, _) in enumerate(rated)
        if which == "all" or rag is not Rag.GREEN or number >= latest
    ]


def _without(connection: Connection, task: str, wanted: Sequence[_Wanted]) -> list[_Wanted]:
    """Those that lack the rows of a task."""
    day_id = schema.metadata.tables[task].c.day_id
    known = set(connection.execute(select(day_id).distinct()).scalars())
    return [day for day in wanted if day.day_id not in known]


def _is_quick(day: MarketDay, settings: StudySettings) -> bool:
    arguments = settings.calibration.arguments()
    del arguments["solver"]
    if isinstance(arguments["weights"], str):
        del arguments["weights"]  # what they are makes no difference
    return has_quick_refits(Problem.of(day, **arguments))


def _store(
    connection: Connection,
    run_id: int,
    task: str,
    day_ids: Sequence[int],
    tables: Mapping[str, Columns],
) -> None:
    """Keep what was found, and why nothing was, instead of earlier reasons of the same task."""
    failures = schema.failed_refits
    earlier = failures.c.day_id.in_(day_ids) & (failures.c.task == task)
    connection.execute(delete(failures).where(earlier))
    touched = {failures.name: failures}
    for name, columns in tables.items():
        if name == "days":  # which has no more than their places
            continue
        table = touched[name] = schema.metadata.tables[name]
        known = {"day_id": [day_ids[place] for place in columns["day"]]}
        if "run_id" in table.columns:
            known["run_id"] = [run_id] * len(columns["day"])
        rest = {column: values for column, values in columns.items() if column != "day"}
        insert_columns(connection, table, known | rest)
    seal_days(connection, list(touched.values()), sorted(day_ids))
