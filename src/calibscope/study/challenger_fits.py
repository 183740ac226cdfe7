"""Challenger fits of red days: without the dominant quote, and with half its weight.

The paper proposes this for days flagged by leverage, influence or rank loss (section on
limitations and future research). The dominant quote is the one that screening accuses or a red
reason names; where none does, the one with the largest Cook's distance, which moves the parameters
furthest.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np
from sqlalchemy import Connection, Engine, delete, select

from calibscope.calibration.calibrate import calibrate
from calibscope.calibration.solution import Fit
from calibscope.market.day import MarketDay
from calibscope.market.market import Market
from calibscope.study import schema
from calibscope.study.database import insert_columns
from calibscope.study.further_fits import FurtherFits, delete_further_fits
from calibscope.study.rag import Rag
from calibscope.study.rated_days import rated_days
from calibscope.study.sealed import seal_days
from calibscope.study.settings import StudySettings

BATCH = 32  # days that are committed together
NAMED = ("largest_studentized", "largest_residual", "largest_influence", "largest_leverage")


def fit_challengers(database: Engine, run_id: int, market: Market, settings: StudySettings) -> int:
    """Make the challenger fits of every red day of this market that has none; how many."""
    with database.begin() as connection:
        rows = _red_days(connection, settings)
    places = {date: place for place, date in enumerate(market.dates)}
    mine = iter([row for row in rows if row["date"] in places])
    seen = 0
    while batch := list(islice(mine, BATCH)):
        looks, further = [], FurtherFits()
        for row in batch:
            for look, values in _looks_or_reason(market.days[places[row["date"]]], row, settings):
                looks.append(look)
                further.add(row["day_id"], "challenger_fits", look["variant"], values)
        columns = {name: [_known(look[name]) for look in looks] for name in looks[0]}
        columns["run_id"] = [run_id] * len(looks)
        ids = sorted({row["day_id"] for row in batch})
        with database.begin() as connection:
            connection.execute(
                delete(schema.challenger_fits).where(schema.challenger_fits.c.day_id.in_(ids))
            )
            delete_further_fits(connection, "challenger_fits", ids)
            insert_columns(connection, schema.challenger_fits, columns)
            insert_columns(connection, schema.further_fits, further.columns)
            seal_days(connection, [schema.challenger_fits, schema.further_fits], ids)
        seen += len(batch)
    return seen


def _known(value: Any) -> Any:
    """A word or a number; None for what is not a number, since a database has no NaN."""
    return None if value != value else value


def _red_days(connection: Connection, settings: StudySettings) -> list[dict[str, Any]]:
    """Current red days with results and without a look for the same reasons, and these."""
    looks = select(schema.challenger_fits.c.day_id, schema.challenger_fits.c.reasons)
    known = {row.day_id: row.reasons for row in connection.execute(looks)}
    return [
        {**row, "reasons": reasons}
        for row, rag, reasons in rated_days(connection, settings)
        if rag is Rag.RED and known.get(row["day_id"]) != reasons
    ]


def dominant(row: Mapping[str, Any], settings: StudySettings) -> str:
    """The label of the quote to doubt, such as "3Y": one that screening accuses comes first."""
    if row["accused"]:
        return str(row["accused"][0])
    for name in NAMED:
        limits = settings.governance.limits.get(name)
        if limits is not None and limits.rag(row[name] or 0.0) == "red":
            return str(row[f"{name}_at"])
    return str(row["largest_cooks_distance_at"] or row["largest_leverage_at"])  # without noise


Look = tuple[dict[str, Any], dict[str, float]]  # the row, and the parameters


def _looks_or_reason(day: MarketDay, row: Mapping[str, Any], settings: StudySettings) -> list[Look]:
    """The looks, or a row that says why there is none: the other days go on."""
    try:
        return list(_looks(day, row, settings))
    except Exception as error:
        look = {
            "day_id": row["day_id"],
            "variant": f"none: {error}",
            "label": None,
            "reasons": row["reasons"],
            **dict.fromkeys(("rmsre", "largest_shift", "largest_shift_of")),
        }
        return [(look, {})]


def _looks(day: MarketDay, row: Mapping[str, Any], settings: StudySettings) -> Iterator[Look]:
    k = day.labels.index(dominant(row, settings))
    # Fits are compared: swapped factors are no shift.
    arguments = {**settings.calibration.arguments(), "order": "canonical"}
    fit = calibrate(day, **arguments)
    weights = np.array(fit.problem.weights)
    weights[k] /= 2.0
    others = {
        "without": calibrate(day.without([day.labels[k]]), **arguments),
        "halved": calibrate(day, **{**arguments, "weights": weights}),
    }
    for variant, other in others.items():
        look = {
            "day_id": row["day_id"],
            "variant": variant,
            "label": day.labels[k],
            "reasons": row["reasons"],
            **_shift(fit, other),
        }
        names, values = fit.problem.specs.names, other.parameters.values.tolist()
        yield look, dict(zip(names, values, strict=True))


def _shift(before: Fit, after: Fit) -> dict[str, Any]:
    """The other fit, and how far it is away: by scaled coordinates."""
    scale = before.problem.specs.coordinates
    moves = scale.of(after.parameters.values) - scale.of(before.parameters.values)
    worst = int(np.abs(moves).argmax())
    return {
        "rmsre": after.rmsre,
        "largest_shift": float(moves[worst]),
        "largest_shift_of": before.problem.specs.names[worst],
    }
