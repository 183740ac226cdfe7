"""Refits of a study: every quote left out, every parameter profiled, and kept.

They take a fifth of a second a day, a hundred times as long as all the rest, so they are asked for:
for the days that are not green, or for all. Days that have them already are left alone.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, get_args

import numpy as np
from sqlalchemy import Connection, Engine, delete, select

from calibscope.base.spelling import choose_from
from calibscope.calibration.calibrate import calibrate
from calibscope.diagnosis.diagnose import diagnose
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.market.day import MarketDay
from calibscope.market.market import Market
from calibscope.study import schema
from calibscope.study.database import insert_columns
from calibscope.study.metrics import without_nan
from calibscope.study.rag import Rag
from calibscope.study.rated_days import rated_days
from calibscope.study.results import Columns
from calibscope.study.sealed import seal_days
from calibscope.study.settings import StudySettings

Which = Literal["flagged", "all"]


def checked_choice(which: str | None) -> Which | None:
    """Which days are wanted: none, "flagged" or "all"."""
    if which is not None and which not in get_args(Which):
        raise ValueError(f"refits is {which!r}; {choose_from(get_args(Which), which)}")
    return which  # type: ignore[return-value]


def refit_days(
    database: Engine,
    run_id: int,
    market: Market,
    settings: StudySettings,
    which: Which,
    progress: Callable[[int, int, int], None],
) -> None:
    """Leave-one-out and profiles of every wanted day that has none.

    Each day is a transaction of its own: stopped at any moment, the next run goes on. Why a day
    could not be fitted again is stored, and the next run tries again.

    Parameters
    ----------
    progress : called with how many days are done, of how many, and how many of them failed
    """
    places = {date: place for place, date in enumerate(market.dates)}
    with database.begin() as connection:
        rows = [row for row in _wanted(connection, settings, which) if row["date"] in places]
    failed = 0
    for number, row in enumerate(rows):
        progress(number, len(rows), failed)
        try:
            tables = answers(market.days[places[row["date"]]], settings)
        except Exception as error:  # whatever it is, the other days must go on
            failed += 1
            tables = {"failed_refits": {"reason": [f"{type(error).__name__}: {error}"]}}
        with database.begin() as connection:
            _store(connection, run_id, row["day_id"], tables)
    progress(len(rows), len(rows), failed)


def _store(connection: Connection, run_id: int, day_id: int, tables: Mapping[str, Columns]) -> None:
    """Keep what was found, or the reason why nothing was, instead of an earlier reason."""
    failures = schema.failed_refits
    connection.execute(delete(failures).where(failures.c.day_id == day_id))
    for name, columns in tables.items():
        count = len(next(iter(columns.values())))
        table = schema.metadata.tables[name]
        known: Columns = {"day_id": [day_id] * count, "run_id": [run_id] * count}
        known = {name: values for name, values in known.items() if name in table.columns}
        insert_columns(connection, table, known | columns)
    touched = {failures.name: failures, **{name: schema.metadata.tables[name] for name in tables}}
    seal_days(connection, list(touched.values()), [day_id])


def _wanted(
    connection: Connection, settings: StudySettings, which: Which
) -> Iterator[dict[str, Any]]:
    has = set(connection.execute(select(schema.left_out.c.day_id).distinct()).scalars())
    for row, rag, _ in rated_days(connection, settings):
        if row["day_id"] not in has and (which == "all" or rag is not Rag.GREEN):
            yield row


def answers(day: MarketDay, settings: StudySettings) -> dict[str, Columns]:
    """The refits for one day, as columns of their tables."""
    fit = calibrate(day, **settings.calibration.arguments())
    dx = diagnose(fit, settings.diagnosis.mode, settings.diagnosis.thresholds)
    levels = settings.diagnosis.levels
    return {**_left_out(day, dx), "profiles": _profiles(dx, levels)}


def _left_out(day: MarketDay, dx: Diagnosis) -> dict[str, Columns]:
    """Each quote left out, and the shifts of the parameters."""
    m, found = len(day.labels), dx.refits.leave_one_out()  # an anchor's rows come after the quotes
    frame, names = found.frame().iloc[:m], list(found.shifts.specs.names)
    columns = {
        name: values.tolist() if name == "mark" else without_nan(values.to_numpy())
        for name, values in frame.drop(columns=names).items()
    }
    further: Columns = {
        "fit": ["left_out"] * (m * len(names)),
        "key": [label for label in day.labels for _ in names],
        "parameter": names * m,
        "value": without_nan(frame[names].to_numpy()),
    }
    return {"left_out": {"label": list(day.labels), **columns}, "further_fits": further}


def _profiles(dx: Diagnosis, levels: tuple[float, ...]) -> Columns:
    found = dx.refits.profiles(levels)
    each = [(curve, i) for curve in found.curves for i in range(len(found.levels))]
    columns: Columns = {
        "parameter": [curve.name for curve, _ in each],
        "level": [found.levels[i] for _, i in each],
        "is_connected": [curve.is_connected for curve, _ in each],
    }
    for name in ("low", "high", "is_cut_low", "is_cut_high"):
        columns[name] = without_nan(np.array([getattr(curve, name)[i] for curve, i in each]))
    return columns
