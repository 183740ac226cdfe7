"""The file of a study as a database: the only module that knows that it is SQLite.

Another database would be another module with these functions:

========================  ======================================================================
`reader`, `writer`        connections to the store, and errors of the driver as `StoreError`
`only_writer`             refuses a second run
`table_names`             what is there
`column_names`            of every table
`rows_of`                 what a SELECT finds, as it is on disk
`insert_columns`          rows given as columns; those that are there stay, or are replaced
`as_dates`                dates and moments that `rows_of` has found
`has_pages`, `faults`     what the database itself knows of losses
`rebuild`                 the content of a store replaced by another, in one transaction
`stamp`                   a number that is another one after every commit
`is_database`             whether a file is meant to be one
`KEYED`, `only_where`     arguments of tables and indexes that SQLAlchemy has by dialect
========================  ======================================================================

Write-ahead logging keeps readers and the writer out of each other's way, and a commit is forced to
disk. The writer's lock is on a second, empty file (``study.db-writer``), because SQLite locks a
database only while a transaction lasts. The operating system releases it when the process ends,
however it ends.
"""

import datetime
import os
import secrets
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Date,
    DateTime,
    Engine,
    Select,
    Table,
    create_engine,
    event,
)
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.exc import DatabaseError

from calibscope.study.errors import DAMAGED, StoreError

NAME = "SQLite"
KEYED: dict[str, Any] = {"sqlite_with_rowid": False}  # a table that is kept in the order of its key
PATIENCE = 30.0  # seconds that a reader waits where it must
FIRST_BYTES = b"SQLite format 3\x00"  # of every file
STAMPS = 2**31  # numbers that the header of a file has room for
# What reading a damaged file raises; a name of a table that is damaged is no text.
ERRORS = (DatabaseError, sqlite3.DatabaseError, UnicodeDecodeError)
# What SQLite says, and what that means for a user.
CAUSES = {
    "disk is full": "the disk is full; free some space and run again",
    "disk I/O error": "the disk refuses to be written (full?); make space and run again",
    "readonly database": "the file or its folder is read-only; give write access, or copy it",
    "not a database": "not a calibscope study file; give another name",
    "malformed": DAMAGED,
    "unsupported file format": DAMAGED,
    "locked": "another run is writing to this store; wait until it has finished",
    "unable to open": "cannot be opened; does its folder exist, and may you write there?",
    "no such column": "not a calibscope study file; give another name",
    "no such table": "not a calibscope study file; give another name",
}


@contextmanager
def reader(path: Path) -> Iterator[Connection]:
    """A connection that sees one state of the store, whatever a writer does meanwhile."""
    with _opened(path, *_for_reading(path)) as engine, engine.connect() as connection:
        yield connection


def writer(path: Path) -> AbstractContextManager[Engine]:
    """The store, made if there is none; every transaction is forced to disk."""
    return _opened(path, "mode=rwc", "foreign_keys=ON", "journal_mode=WAL", "synchronous=FULL")


@contextmanager
def only_writer(path: Path) -> Iterator[None]:
    """Be the one who writes to this store, or fail at once."""
    try:
        lock = sqlite3.connect(f"{path}-writer", timeout=0.0, isolation_level=None)
    except sqlite3.DatabaseError:
        raise StoreError(f"{path}: cannot be written; may you write in its folder?") from None
    with closing(lock):
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.DatabaseError as error:
            said = str(error)
            cause = CAUSES["locked"] if "locked" in said else f"cannot be written ({said})"
            raise StoreError(f"{path}: {cause}") from None
        yield


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn errors of the database into a message for a user."""
    try:
        yield
    except (DatabaseError, sqlite3.DatabaseError) as error:
        said = str(error.orig if isinstance(error, DatabaseError) else error)
        cause = next((text for words, text in CAUSES.items() if words in said), said)
        raise StoreError(f"{path}: {cause}") from error
    except UnicodeDecodeError as error:
        raise StoreError(f"{path}: {DAMAGED}") from error


def only_where(condition: ColumnElement[bool]) -> dict[str, Any]:
    """For an index of these rows alone.

    Another database needs it as well, or superseded days would stand in the way of current ones.
    """
    return {"sqlite_where": condition}


def table_names(connection: Connection) -> set[str]:
    """Of the tables that the store has."""
    rows = _answer(connection, "SELECT name FROM sqlite_master WHERE type = 'table'")
    return {str(name) for (name,) in rows}


def column_names(connection: Connection) -> dict[str, set[str]]:
    """Of every table that the store has."""
    rows = _answer(
        connection,
        "SELECT tables.name, columns.name FROM sqlite_master AS tables, "
        "pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'",
    )
    found: dict[str, set[str]] = {}
    for table, column in rows:
        found.setdefault(str(table), set()).add(str(column))
    return found


def rows_of(connection: Connection, statement: Select[Any]) -> list[tuple[Any, ...]]:
    """What the driver answers, without SQLAlchemy's look at each row and value."""
    text = statement.compile(dialect=connection.dialect, compile_kwargs={"literal_binds": True})
    return _answer(connection, str(text))


def insert_columns(
    connection: Connection,
    table: Table,
    columns: Mapping[str, Sequence[Any]],
    existing: Literal["refuse", "skip", "replace"] = "refuse",
) -> None:
    """Rows given as columns, of what the store keeps: numbers, texts, dates, bytes and None.

    They go to the driver as they are: a day has a hundred of them, and SQLAlchemy would take longer
    to look at each value than the database to store it.

    Parameters
    ----------
    existing : what becomes of rows whose key is there: an error, or they stay as they are ("skip",
        which leaves out rows that break other rules of the table too), or get these values
    """
    statement = insert(table)
    if existing == "skip":
        statement = statement.prefix_with("OR IGNORE")
    elif existing == "replace":
        keys = table.primary_key.columns.keys()
        values = {name: statement.excluded[name] for name in columns if name not in keys}
        statement = statement.on_conflict_do_update(index_elements=keys, set_=values)
    compiled = statement.compile(dialect=connection.dialect, column_keys=list(columns))
    names = compiled.positiontup or ()
    rows = list(zip(*(_kept(table.columns[name], columns[name]) for name in names), strict=True))
    if rows:
        connection.exec_driver_sql(str(compiled), rows)


def as_dates(column: "Column[Any]", values: Sequence[Any]) -> list[Any]:
    """What a column of dates or moments has, as Python's own: SQLite keeps texts."""
    kind = datetime.date if isinstance(column.type, Date) else datetime.datetime
    return [None if text is None else kind.fromisoformat(text) for text in values]


def _kept(column: "Column[Any]", values: Sequence[Any]) -> Sequence[Any]:
    """Dates and moments as the texts that SQLAlchemy would write; texts stay as they are."""
    if isinstance(column.type, Date):
        return [one.isoformat() if isinstance(one, datetime.date) else one for one in values]
    if isinstance(column.type, DateTime):
        return [
            one.isoformat(" ", "microseconds") if isinstance(one, datetime.datetime) else one
            for one in values
        ]
    return values


def has_pages(connection: Connection) -> bool:
    """Whether tables were written; a run that was killed before has left a header at most."""
    return int(_answer(connection, "PRAGMA page_count")[0][0]) > 1


def faults(connection: Connection, *, quick: bool = False) -> tuple[str, ...]:
    """What is wrong with pages and, unless it is to be quick, with indexes; in SQLite's words."""
    rows = _answer(connection, f"PRAGMA {'quick' if quick else 'integrity'}_check(3)")
    said = tuple(str(text).splitlines()[-1] for (text,) in rows)
    return () if said == ("ok",) else said


def rebuild(path: Path, copy: Callable[[Connection, Connection], None]) -> None:
    """Copy what a store has into a new one, and put that in its place.

    Parameters
    ----------
    copy : called with the connections to the store and to the new one, which is empty
    """
    work = path.with_name(f"{path.name}-rebuilt")
    work.unlink(missing_ok=True)
    with _opened(work, "mode=rwc") as engine, reader(path) as old, engine.begin() as new:
        copy(old, new)
    with (
        explained(path),
        closing(_connected(work, "mode=rw")) as rebuilt,
        closing(_connected(path, "mode=rw")) as replaced,
    ):
        rebuilt.backup(replaced)  # one transaction: killed here, the next run does it again
    work.unlink()


def stamp(path: Path) -> int:
    """A number in the file that is another one after every commit, whichever process made it.

    No connection is kept for that: the log beside the file would stay for as long, and a backup
    that takes the place of the file would not be seen.
    """
    with explained(path), closing(_connected(path, *_for_reading(path))) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def is_database(path: Path) -> bool:
    """Whether a file begins as every database does."""
    with path.open("rb") as file:
        return file.read(len(FIRST_BYTES)) == FIRST_BYTES


def _for_reading(path: Path) -> tuple[str, ...]:
    """Reading is not writing, but the last reader tidies up, where it may write."""
    if not path.is_file():
        raise StoreError(f"{path}: there is no such store; make one with calibscope run")
    if os.access(path.parent, os.W_OK) and os.access(path, os.W_OK):
        return "mode=rw", "query_only=ON"
    # What a run has committed is beside the file while it is on, or was killed.
    is_complete = not path.with_name(f"{path.name}-wal").exists()
    return ("mode=ro&immutable=1" if is_complete else "mode=ro",)


def _connected(path: Path, access: str, *settings: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?{access}"
    connection = sqlite3.connect(
        uri, uri=True, timeout=PATIENCE, check_same_thread=False, isolation_level=None
    )
    # Damaged texts are read too, so that their days can be named.
    connection.text_factory = partial(str, encoding="utf-8", errors="surrogateescape")
    try:
        for setting in settings:
            connection.execute(f"PRAGMA {setting}")
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection


@contextmanager
def _opened(path: Path, access: str, *settings: str) -> Iterator[Engine]:
    """Transactions begin here, and their commits are stamped.

    Python's driver begins none for a SELECT (a reader would see several states) and none for a
    CREATE TABLE (a run killed there would leave half a schema).
    """
    engine = create_engine("sqlite://", creator=partial(_connected, path, access, *settings))

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    @event.listens_for(engine, "commit")
    def mark(connection: Connection) -> None:
        number = secrets.randbelow(STAMPS)  # not a count: a restored backup would repeat it
        connection.exec_driver_sql(f"PRAGMA user_version={number}")

    try:
        with explained(path):
            yield engine
    finally:
        engine.dispose()


def _answer(connection: Connection, statement: str) -> list[tuple[Any, ...]]:
    if not connection.in_transaction():  # SQLAlchemy begins one for its own statements only
        connection.begin()
    cursor = connection.connection.cursor()
    try:
        cursor.execute(statement)
        return list(cursor.fetchall())
    finally:
        cursor.close()
