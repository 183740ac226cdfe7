"""The store of a study: one file, written by one run at a time, read by anyone.

A chunk of days is one transaction: it is there whole or not at all, whenever the process dies.
`database.py` knows what the file is.
"""

import datetime
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, func, insert, select, update

from calibscope.study import schema
from calibscope.study.columns import Columns
from calibscope.study.damage import Damage, copy_sound_rows, find_damage
from calibscope.study.database import (
    faults,
    has_pages,
    insert_columns,
    only_writer,
    reader,
    rebuild,
    rows_of,
    table_names,
    writer,
)
from calibscope.study.errors import DAMAGED, StoreError
from calibscope.study.results import FAILED
from calibscope.study.same_columns import lacks_columns, refuse_other_columns
from calibscope.study.sealed import seal_days
from calibscope.study.upgrades import OLDEST, copy_completed, copy_upgraded


@contextmanager
def opened_for_reading(path: Path) -> Iterator[Connection]:
    """A connection that sees one state of the store, whatever a writer does meanwhile."""
    with reader(path) as connection:
        _check_version(path, connection)
        yield connection


def inspected(path: Path) -> tuple[int, Damage]:
    """How many days the store has, and what of all that it has is damaged."""
    with opened_for_reading(path) as connection:
        ((days,),) = rows_of(connection, select(func.count()).select_from(schema.days))
        return days, find_damage(connection)


@contextmanager
def opened_for_writing(
    path: Path, repaired: Callable[[Damage], None] = lambda damage: None
) -> Iterator[Engine]:
    """The store as its only writer; made if there is none, upgraded if it is older.

    Parameters
    ----------
    repaired : called with what was damaged, and has been removed so that a run computes it anew
    """
    path = path.resolve()
    if not path.parent.is_dir():
        raise StoreError(f"{path}: there is no folder {path.parent}; make it first")
    if path.is_dir():
        raise StoreError(f"{path}: this is a folder; give the name of a file")
    if path.is_file() and path.stat().st_size:
        _refuse_strangers(path)
    with only_writer(path):
        if path.is_file() and path.stat().st_size:
            _upgrade(path)
            if damage := _made_good(path):
                repaired(damage)
        with writer(path) as engine:
            with engine.begin() as connection:
                if not table_names(connection):
                    _create(connection)
            yield engine


def _refuse_strangers(path: Path) -> None:
    """Look before touching anything: this may be somebody else's file.

    A database without tables is nobody's: a run was killed before it had made them.
    """
    with reader(path) as connection:
        if table_names(connection):
            _version(path, connection)
        elif has_pages(connection):
            raise StoreError(f"{path}: {DAMAGED}")


def _upgrade(path: Path) -> None:
    """Bring an older store up to date; before there were hashes, only its pages can be checked."""
    with reader(path) as connection:
        if not table_names(connection):
            return
        is_older = _version(path, connection) != schema.VERSION
        if is_older and not OLDEST <= _version(path, connection) < schema.VERSION:
            _check_version(path, connection)
        if not is_older and not lacks_columns(path, connection):
            return
        if faults(connection, quick=True):
            raise StoreError(f"{path}: {DAMAGED}")
    _rebuild(path, copy_upgraded if is_older else copy_completed)


def _made_good(path: Path) -> Damage:
    """Look at the whole store before anything is added; remove from it what is damaged."""
    with reader(path) as connection:
        damage = find_damage(connection) if table_names(connection) else Damage()
    if damage:
        _rebuild(path, copy_sound_rows)
    return damage


def _rebuild(path: Path, copy: Callable[[Connection, Connection], None]) -> None:
    def filled(old: Connection, new: Connection) -> None:
        _create(new)
        copy(old, new)

    rebuild(path, filled)


def _create(connection: Connection) -> None:
    schema.metadata.create_all(connection)
    now = datetime.datetime.now(datetime.UTC).replace(tzinfo=None)
    connection.execute(insert(schema.store).values(version=schema.VERSION, created=now))


def _version(path: Path, connection: Connection) -> int:
    if not {"store", "runs", "days"} <= table_names(connection):
        raise StoreError(f"{path}: not a calibscope study file; give another name")
    match rows_of(connection, select(schema.store.c.version)):
        case [(int(version),)]:
            return version
    raise StoreError(f"{path}: {DAMAGED}")


def _check_version(path: Path, connection: Connection) -> None:
    version = _version(path, connection)
    if version > schema.VERSION:
        raise StoreError(
            f"{path}: was written by a newer calibscope (store version {version}, this one knows "
            f"{schema.VERSION}); install that one"
        )
    if version < schema.VERSION:
        raise StoreError(
            f"{path}: was written by an older calibscope (store version {version} instead of "
            f"{schema.VERSION}); the next calibscope run upgrades it"
            if version >= OLDEST
            else f"{path}: was written by an older calibscope (store version {version} instead of "
            f"{schema.VERSION}), and cannot be upgraded; run into a new store"
        )
    refuse_other_columns(path, connection)


def fitted_models(connection: Connection) -> tuple[str, ...]:
    """The models that have current days, in the order in which they were fitted first."""
    days = schema.days.c
    first = select(days.model, func.count(days.superseded_by), func.count())
    rows = rows_of(connection, first.group_by(days.model).order_by(func.min(days.day_id)))
    return tuple(name for name, superseded, every in rows if superseded < every)


def valid_days(connection: Connection, model: str, settings_hash: str) -> dict[datetime.date, str]:
    """Date and data hash of a model's current days that were computed with these settings.

    A day that failed is not among them: what stopped it may have been the machine.
    """
    days = schema.days.c
    wanted = select(days.date, days.data_hash).where(
        schema.is_current,
        days.model == model,
        days.settings_hash == settings_hash,
        days.status != FAILED,
    )
    return {row.date: row.data_hash for row in connection.execute(wanted)}


def write_days(
    connection: Connection,
    run_id: int,
    model: str,
    known: Mapping[str, Sequence[Any]],
    tables: Mapping[str, Columns],
) -> None:
    """Store a chunk in the transaction of this connection; what it replaces is superseded.

    Parameters
    ----------
    model : whose fits these are; those of other models stay as they are
    known : columns of `days` that the results do not have: date, hashes, warnings
    tables : the results, whose column "day" is the place in the chunk
    """
    days = schema.days
    replaced = select(days.c.day_id).where(
        days.c.date.in_(list(known["date"])), days.c.model == model, schema.is_current
    )
    old = list(connection.execute(replaced.order_by(days.c.day_id)).scalars())
    connection.execute(update(days).where(days.c.day_id.in_(old)).values(superseded_by=run_id))
    seal_days(connection, [days], old)
    first = int(connection.execute(select(func.coalesce(func.max(days.c.day_id), 0))).scalar_one())
    first += 1
    written = [table for table in (days, *schema.RESULTS, *schema.REFITS) if table.name in tables]
    for table in written:
        columns = dict(tables[table.name])
        ids = [first + day for day in columns.pop("day")]
        columns["day_id"] = ids
        if table is days:
            columns |= {name: list(values) for name, values in known.items()}
            columns["model"] = [model] * len(ids)
        if "run_id" in table.columns:
            columns["run_id"] = [run_id] * len(ids)
        insert_columns(connection, table, columns)
    seal_days(connection, written, [first + day for day in sorted(tables["days"]["day"])])
