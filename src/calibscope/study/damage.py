"""What is damaged in a store, and how it is made good: sound rows go into a new database.

A day counts as damaged if one of its rows, in any table, is not what was written. Where the file's
structure is damaged too, every day is read by itself, so that as many as possible are saved.
"""

import datetime
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, DateTime, String, Table, select

from calibscope.study import schema
from calibscope.study.database import ERRORS, faults, insert_columns, rows_of
from calibscope.study.errors import StoreError
from calibscope.study.rows import Rows, read_rows
from calibscope.study.sealed import all_damaged_keys, damaged_keys, kept_hashes, seal_everything

NAMED = 5  # days that a message names
COMPARISON = {"robustness", "robustness_moves"}  # one comparison: whole, or not at all
LOST = "damaged"  # instead of texts in the audit trail that cannot be trusted


@dataclass(frozen=True, slots=True)
class Damage:
    """What is not what was written."""

    structure: tuple[str, ...] = ()  # in the database's words
    days: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # date -> tables
    rows: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # table -> keys

    def __bool__(self) -> bool:
        return bool(self.structure or self.days or self.rows)

    def __str__(self) -> str:
        """What is damaged, in a line."""
        parts = []
        if self.days:
            parts.append(f"{_counted(len(self.days), 'day')} ({_some(self.days)})")
        if runs := self.rows.get("runs"):
            parts.append(f"{_counted(len(runs), 'run')} ({_some(runs)})")
        if quotes := self.rows.get("market_days"):
            parts.append(f"the quotes of {_counted(len(quotes), 'day')}")
        if COMPARISON & self.rows.keys():
            parts.append("the comparison of variants")
        if "threshold_changes" in self.rows:
            parts.append("the log of thresholds")
        if self.structure:
            parts.append(f"the structure of the file ({self.structure[0]})")
        return ", ".join(parts)


def _counted(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def _some(names: Any) -> str:
    known = [str(name) for name in names]
    more = len(known) - NAMED
    return ", ".join(known[:NAMED]) + (f" and {more:,} more" if more > 0 else "")


def find_damage(connection: Connection) -> Damage:
    """Look at everything that the store has."""
    wrong = {
        table.name: _damaged(connection, table) for table in (*schema.OF_DAYS, *schema.OF_ROWS)
    }
    by_day: dict[Any, list[str]] = {}
    for table in schema.OF_DAYS:
        for day in wrong[table.name]:
            by_day.setdefault(day, []).append(table.name)
    names = _dates(connection, list(by_day))
    days: dict[str, tuple[str, ...]] = {}
    for day, tables in by_day.items():
        days[names[day]] = days.get(names[day], ()) + tuple(tables)
    return Damage(
        structure=_structure(connection),
        days=dict(sorted(days.items())),
        rows={
            table.name: tuple(map(str, wrong[table.name]))
            for table in schema.OF_ROWS
            if wrong[table.name]
        },
    )


def _damaged(connection: Connection, table: Table) -> list[Any]:
    try:
        return all_damaged_keys(connection, table)
    except ERRORS:
        return damaged_keys(connection, _read(connection, table))


def _structure(connection: Connection) -> tuple[str, ...]:
    try:
        return faults(connection)
    except ERRORS as error:
        return (str(error),)


def _read(connection: Connection, table: Table) -> Rows:
    """The rows of a table, as far as they can be read."""
    try:
        return read_rows(connection, table)
    except ERRORS:
        rows: list[Any] = []
        for key in kept_hashes(connection, table):
            with suppress(*ERRORS):
                rows += zip(*read_rows(connection, table, [key]).columns.values(), strict=True)
        return Rows(table, rows)


def check_rows(path: Path, connection: Connection, rows: Rows) -> None:
    """Refuse rows that are not what was written, by the names of their days."""
    wrong = damaged_keys(connection, rows)
    if not wrong:
        return
    table = rows.table
    found = (
        Damage(rows={table.name: tuple(map(str, wrong))})
        if table in schema.OF_ROWS
        else Damage(days=dict.fromkeys(_dates(connection, wrong).values(), (table.name,)))
    )
    raise StoreError(
        f"{path}: damaged: {found}; repeat the calibscope run, which recomputes damaged days, or "
        "restore the file from a backup"
    )


def _dates(connection: Connection, day_ids: list[Any]) -> dict[Any, str]:
    """The dates of days, as far as they can be read."""
    known: dict[Any, Any] = {}
    with suppress(*ERRORS):
        known = dict(rows_of(connection, select(schema.days.c.day_id, schema.days.c.date)))
    return {
        day: str(known[day]) if isinstance(known.get(day), str) else f"day {day}" for day in day_ids
    }


class _Survey:
    """All tables, as far as they can be read, and the keys in them that are damaged."""

    def __init__(self, connection: Connection) -> None:
        self.tables = {
            table.name: _read(connection, table) for table in (*schema.OF_DAYS, *schema.OF_ROWS)
        }
        self.wrong = {name: damaged_keys(connection, rows) for name, rows in self.tables.items()}

    def sound_rows(self, table: Table) -> Iterator[tuple[Any, ...]]:
        """Rows of days that are sound in all tables, and of sound runs and quotes."""
        rows = self.tables[table.name]
        wrong = set(map(str, self.wrong[table.name]))
        if table in schema.OF_DAYS:
            wrong = {str(day) for part in schema.OF_DAYS for day in self.wrong[part.name]}
        if table.name in COMPARISON and any(self.wrong[name] for name in COMPARISON):
            return
        for key, row in zip(rows.keys, zip(*rows.columns.values(), strict=True), strict=True):
            if str(key) not in wrong:
                yield row


def copy_sound_rows(damaged: Connection, new: Connection) -> None:
    """Copy what is sound into an empty store, and seal it."""
    survey = _Survey(damaged)
    for table in schema.WRITTEN:
        rows = list(survey.sound_rows(table))
        if table is schema.runs:
            rows += _lost_runs(survey, {row[0] for row in rows})
        insert_columns(new, table, Rows(table, rows).columns)
    seal_everything(new)


def _lost_runs(survey: _Survey, sound: set[int]) -> Iterator[tuple[Any, ...]]:
    """A row for every run that is damaged or has gone, of which only the number is known."""
    lost = set(survey.wrong["runs"])
    for table in schema.OF_DAYS:
        names = [name for name in ("run_id", "superseded_by") if name in table.columns]
        places = [list(table.columns.keys()).index(name) for name in names]
        lost |= {str(row[place]) for row in survey.sound_rows(table) for place in places}
    for key in sorted(lost):
        if key.isdecimal() and int(key) not in sound:
            yield tuple(_blank(column.name, int(key)) for column in schema.runs.columns)


def _blank(name: str, run_id: int) -> Any:
    column = schema.runs.columns[name]
    if name == "run_id":
        return run_id
    if name == "outcome":
        return LOST
    if column.nullable:
        return None
    if isinstance(column.type, DateTime):
        return datetime.datetime(1970, 1, 1)
    if isinstance(column.type, String):
        return "{}" if name in ("inputs", "conventions", "settings", "software") else LOST
    return 0
