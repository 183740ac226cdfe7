"""The store of a study: one SQLite file, written by one run at a time, read by anyone.

Write-ahead logging keeps readers and the writer out of each other's way. A chunk of days is one
transaction, forced to disk: it is there whole or not at all, whenever the process dies. The
writer's lock is on a second, empty file (``study.db-writer``), because SQLite locks a database
only while a transaction lasts. The operating system releases it when the process ends, however
it ends.
"""

import datetime
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Connection,
    Date,
    DateTime,
    Engine,
    Table,
    create_engine,
    event,
    func,
    insert,
    select,
    update,
)

from calibscope.study import schema
from calibscope.study.damage import Damage, copy_sound_rows, find_damage
from calibscope.study.errors import DAMAGED, StoreError, explained
from calibscope.study.results import FAILED, Columns
from calibscope.study.rows import driver_rows
from calibscope.study.sealed import seal_days, seal_everything
from calibscope.study.upgrades import UPGRADES

PATIENCE = 30.0  # seconds that a reader waits where it must


def engine_of(path: Path, access: str) -> Engine:
    """The database in this file; access "mode=rw" or "mode=rwc" (creates it), or read-only.

    Transactions begin here, because Python's driver begins none for a SELECT (a reader would see
    several states) and none for a CREATE TABLE (a run killed there would leave half a schema).
    """

    def connect() -> sqlite3.Connection:
        uri = f"{path.absolute().as_uri()}?{access}"
        connection = sqlite3.connect(
            uri, uri=True, timeout=PATIENCE, check_same_thread=False, isolation_level=None
        )
        connection.text_factory = _text
        return connection

    engine = create_engine("sqlite://", creator=connect)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    return engine


def _text(content: bytes) -> str:
    """Damaged texts are read too, so that their days can be named."""
    return content.decode("utf-8", "surrogateescape")


def _reader(path: Path) -> Engine:
    """Reading is not writing, but the last reader tidies up, where it may write."""
    if not os.access(path.parent, os.W_OK) or not os.access(path, os.W_OK):
        # What a run has committed is beside the file while it is on, or was killed.
        is_complete = not path.with_name(f"{path.name}-wal").exists()
        return engine_of(path, "mode=ro&immutable=1" if is_complete else "mode=ro")
    engine = engine_of(path, "mode=rw")

    @event.listens_for(engine, "connect")
    def set_up(connection: sqlite3.Connection, _: object) -> None:
        connection.execute("PRAGMA query_only=ON")

    return engine


def _writer(path: Path) -> Engine:
    engine = engine_of(path, "mode=rwc")

    @event.listens_for(engine, "connect")
    def set_up(connection: sqlite3.Connection, _: object) -> None:
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")

    return engine


@contextmanager
def opened_for_reading(path: Path) -> Iterator[Connection]:
    """A connection that sees one state of the store, whatever a writer does meanwhile."""
    if not path.is_file():
        raise StoreError(f"{path}: there is no such store; make one with calibscope run")
    engine = _reader(path)
    try:
        with explained(path), engine.connect() as connection:
            _check_version(path, connection)
            yield connection
    finally:
        engine.dispose()


def inspected(path: Path) -> tuple[int, Damage]:
    """How many days the store has, and what of all that it has is damaged."""
    with opened_for_reading(path) as connection:
        ((days,),) = driver_rows(connection, "SELECT count(*) FROM days")
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
    with _only_writer(path):
        if path.is_file() and path.stat().st_size:
            _upgrade(path)
            if damage := _made_good(path):
                repaired(damage)
        engine = _writer(path)
        try:
            with explained(path), engine.begin() as connection:
                _create_or_upgrade(path, connection)
            yield engine
        finally:
            engine.dispose()


def _refuse_strangers(path: Path) -> None:
    """Look before touching anything: this may be somebody else's file.

    A database without tables is nobody's: a run was killed before it had made them.
    """
    engine = _reader(path)
    try:
        with explained(path), engine.connect() as connection:
            if _table_names(connection):
                _version(path, connection)
            elif driver_rows(connection, "PRAGMA page_count")[0][0] > 1:
                raise StoreError(f"{path}: {DAMAGED}")
    finally:
        engine.dispose()


def _upgrade(path: Path) -> None:
    """Bring an older store up to date; before there were hashes, only its pages can be checked."""
    engine = _reader(path)
    try:
        with explained(path), engine.connect() as connection:
            if not _table_names(connection) or _version(path, connection) == schema.VERSION:
                return
            if driver_rows(connection, "PRAGMA quick_check(1)") != [("ok",)]:
                raise StoreError(f"{path}: {DAMAGED}")
    finally:
        engine.dispose()
    engine = _writer(path)
    try:
        with explained(path), engine.begin() as connection:
            _create_or_upgrade(path, connection)
    finally:
        engine.dispose()


def _made_good(path: Path) -> Damage:
    """Look at the whole store before anything is added; remove from it what is damaged."""
    engine, work = _reader(path), path.with_name(f"{path.name}-repair")
    try:
        with explained(path), engine.connect() as connection:
            if not _table_names(connection):
                return Damage()
            damage = find_damage(connection)
            if not damage:
                return damage
            work.unlink(missing_ok=True)
            new = engine_of(work, "mode=rwc")
            with new.begin() as empty:
                _create(empty)
                copy_sound_rows(connection, empty)
                seal_everything(empty)
            new.dispose()
    finally:
        engine.dispose()
    with (
        explained(path),
        closing(sqlite3.connect(work)) as sound,
        closing(sqlite3.connect(path, timeout=PATIENCE)) as store,
    ):
        sound.backup(store)  # one transaction: killed here, the next run does it again
    work.unlink()
    return damage


@contextmanager
def _only_writer(path: Path) -> Iterator[None]:
    name = path.with_name(f"{path.name}-writer")
    try:
        lock = sqlite3.connect(name, timeout=0.0, isolation_level=None)
    except sqlite3.DatabaseError:
        raise StoreError(f"{path}: cannot be written; may you write in its folder?") from None
    try:
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.DatabaseError as error:
            if "locked" not in str(error):
                raise StoreError(f"{path}: cannot be written ({error})") from None
            raise StoreError(
                f"{path}: another run is writing to this store; wait until it has finished"
            ) from None
        yield
    finally:
        lock.close()


def _create_or_upgrade(path: Path, connection: Connection) -> None:
    if not _table_names(connection):
        _create(connection)
        return
    version = _version(path, connection)
    while version in UPGRADES and version < schema.VERSION:
        UPGRADES[version](connection)
        version += 1
        connection.execute(update(schema.store).values(version=version))
    _check_version(path, connection)


def _create(connection: Connection) -> None:
    schema.metadata.create_all(connection)
    now = datetime.datetime.now(datetime.UTC).replace(tzinfo=None)
    connection.execute(insert(schema.store).values(version=schema.VERSION, created=now))


def _table_names(connection: Connection) -> set[str]:
    rows = driver_rows(connection, "SELECT name FROM sqlite_master WHERE type = 'table'")
    return {str(name) for (name,) in rows}


def _version(path: Path, connection: Connection) -> int:
    if not {"store", "runs", "days"} <= _table_names(connection):
        raise StoreError(f"{path}: not a calibscope study file; give another name")
    match driver_rows(connection, "SELECT version FROM store"):
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
            if version in UPGRADES
            else f"{path}: was written by an older calibscope (store version {version} instead of "
            f"{schema.VERSION}), and cannot be upgraded; run into a new store"
        )


def valid_days(connection: Connection, settings_hash: str) -> dict[datetime.date, str]:
    """Date and data hash of the current days that were computed with these settings.

    A day that failed is not among them: what stopped it may have been the machine.
    """
    days = schema.days.c
    wanted = select(days.date, days.data_hash).where(
        schema.is_current, days.settings_hash == settings_hash, days.status != FAILED
    )
    return {row.date: row.data_hash for row in connection.execute(wanted)}


def write_days(
    connection: Connection,
    run_id: int,
    known: Mapping[str, Sequence[Any]],
    tables: Mapping[str, Columns],
) -> None:
    """Store a chunk in the transaction of this connection; what it replaces is superseded.

    Parameters
    ----------
    known : columns of `days` that the results do not have: date, hashes, warnings
    tables : the results, whose column "day" is the place in the chunk
    """
    days = schema.days
    replaced = select(days.c.day_id).where(days.c.date.in_(list(known["date"])), schema.is_current)
    old = list(connection.execute(replaced.order_by(days.c.day_id)).scalars())
    connection.execute(update(days).where(days.c.day_id.in_(old)).values(superseded_by=run_id))
    seal_days(connection, [days], old)
    first = int(connection.execute(select(func.coalesce(func.max(days.c.day_id), 0))).scalar_one())
    first += 1
    written = [table for table in (days, *schema.RESULTS) if table.name in tables]
    for table in written:
        columns = dict(tables[table.name])
        ids = [first + day for day in columns.pop("day")]
        columns["day_id"] = ids
        if table is days:
            columns |= {name: list(values) for name, values in known.items()}
            columns["run_id"] = [run_id] * len(ids)
        insert_columns(connection, table, columns)
    seal_days(connection, written, [first + day for day in sorted(tables["days"]["day"])])


def insert_columns(connection: Connection, table: Table, columns: Columns) -> None:
    """Rows given as columns, of Python's own numbers, words and None.

    Where no value needs converting (only dates do) rows go to the driver as they are: a day has a
    hundred of them, and SQLAlchemy would take longer to look at each value than SQLite to store it.
    """
    statement = insert(table).compile(dialect=connection.dialect, column_keys=list(columns))
    has_dates = any(isinstance(table.c[name].type, Date | DateTime) for name in columns)
    if statement.positional and not has_dates:
        order = statement.positiontup or ()
        rows = list(zip(*(columns[name] for name in order), strict=True))
        if rows:
            connection.exec_driver_sql(str(statement), rows)
        return
    named = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if named:
        connection.execute(insert(table), named)
