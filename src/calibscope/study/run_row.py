"""The row of a run in the audit trail: written when it begins, completed when it ends."""

import datetime
import hashlib
import json
import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, func, insert, select, update

from calibscope import __version__
from calibscope.market.market import Market
from calibscope.study import schema
from calibscope.study.audit import changed_thresholds, effective_settings, hash_of, user
from calibscope.study.sealed import seal_rows
from calibscope.study.settings import StudySettings

LIBRARIES = ("numpy", "scipy", "numba", "SQLAlchemy")


def begin_run(
    connection: Connection,
    market: Market,
    settings: StudySettings,
    engine: str,
    inputs: Iterable[str | Path],
    repaired: str,
    profiles: str,
) -> int:
    """Write the row, and which thresholds have changed since the run before; its number."""
    audit = _audit(market, settings, engine, inputs, profiles)
    before = _last_settings(connection)
    run_id = _insert(connection, audit, repaired)
    _log_thresholds(connection, run_id, before, audit)
    return run_id


def finish_run(database: Engine, run_id: int, outcome: str, counts: Mapping[str, float]) -> None:
    """Say how the run has ended."""
    values = {"finished": _now(), "outcome": outcome, **counts}
    with database.begin() as connection:
        connection.execute(
            update(schema.runs).where(schema.runs.c.run_id == run_id).values(**values)
        )
        seal_rows(connection, schema.runs, [run_id])


def _insert(connection: Connection, audit: Mapping[str, Any], repaired: str) -> int:
    """A row in the audit trail; those of runs that did not end are marked."""
    runs = schema.runs
    cut_off = list(
        connection.execute(select(runs.c.run_id).where(runs.c.outcome.is_(None))).scalars()
    )
    connection.execute(update(runs).where(runs.c.run_id.in_(cut_off)).values(outcome="cut off"))
    row = insert(runs).values(**audit, repaired=repaired or None)
    run_id = int(connection.execute(row).inserted_primary_key[0])  # type: ignore[index]
    seal_rows(connection, runs, [*cut_off, run_id])
    return run_id


def _last_settings(connection: Connection) -> str | None:
    """Of the run before, as they counted, as JSON; None if this is the first."""
    runs = schema.runs
    known = func.coalesce(runs.c.effective_settings, runs.c.settings)  # the former came later
    wanted = select(known).order_by(runs.c.run_id.desc()).limit(1)
    return connection.execute(wanted).scalar()


def _log_thresholds(
    connection: Connection, run_id: int, before: str | None, audit: Mapping[str, Any]
) -> None:
    """Who changed which threshold, when, from what to what."""
    rows = [
        {"run_id": run_id, "changed": audit["started"], "who": user(), **change}
        for change in changed_thresholds(before, audit["effective_settings"])
    ]
    if rows:
        connection.execute(insert(schema.threshold_changes), rows)
        seal_rows(connection, schema.threshold_changes, [run_id])


def _audit(
    market: Market,
    settings: StudySettings,
    engine: str,
    inputs: Iterable[str | Path],
    profiles: str,
) -> dict[str, Any]:
    effective = effective_settings(market, settings, profiles)
    software = {"calibscope": __version__, "python": platform.python_version()}
    software |= {name: version(name) for name in LIBRARIES}
    software["platform"] = platform.platform()
    files = {str(name): hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in inputs}
    return {
        "started": _now(),
        "market": market.name,
        "is_synthetic": market.is_synthetic,
        "market_hash": market.fingerprint,
        "inputs": json.dumps(files),
        "conventions": json.dumps({"quotes": market.quoted_in, "curves": market.curves_in}),
        "settings": settings.model_dump_json(),
        "settings_hash": settings.results_hash,
        "effective_settings": json.dumps(effective, sort_keys=True),
        "effective_hash": hash_of(effective),
        "software": json.dumps(software),
        "engine": engine,
        "days_in_market": len(market),
    }


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC).replace(tzinfo=None)
