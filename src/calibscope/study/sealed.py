"""Is the store what was written? A hash per day and table, per run, and per day of quotes.

The writer seals what it has written in the same transaction. Whoever reads a table checks it
against its hashes: a changed number, a lost row and a lost hash all show. That guards against
failing disks and careless hands, not against somebody who writes new hashes too.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Table

from calibscope.study import schema
from calibscope.study.rows import Rows, driver_rows, read_rows

BATCH = 500  # days that are read at a time


def seal_days(connection: Connection, tables: Sequence[Table], day_ids: Sequence[int]) -> None:
    """Keep the hashes of what these tables have of some days, given in order."""
    if not day_ids:
        return
    names = [table.name for table in tables]
    ends = (day_ids[0], day_ids[-1]) if len(day_ids) == day_ids[-1] - day_ids[0] + 1 else None
    wanted = {"between": ends} if ends else {"keys": day_ids}
    found = [read_rows(connection, table, **wanted).hashes() for table in tables]
    changes = ", ".join(f"{name} = excluded.{name}" for name in names)
    connection.exec_driver_sql(
        f"INSERT INTO day_hashes (day_id, {', '.join(names)}) "
        f"VALUES (?{', ?' * len(names)}) ON CONFLICT (day_id) DO UPDATE SET {changes}",
        [(day, *(hashes.get(day) for hashes in found)) for day in day_ids],
    )


def seal_rows(connection: Connection, table: Table, keys: Sequence[Any] | None = None) -> None:
    """Keep the hashes of these rows, or of all that the table has."""
    if keys is None:
        connection.exec_driver_sql("DELETE FROM row_hashes WHERE table_name = ?", (table.name,))
    found = read_rows(connection, table, keys).hashes()
    rows = [(table.name, str(key), digest) for key, digest in found.items()]
    if rows:
        connection.exec_driver_sql("INSERT OR REPLACE INTO row_hashes VALUES (?, ?, ?)", rows)


def seal_everything(connection: Connection) -> None:
    """Seal a store that has no hashes yet, as it is."""
    schema.metadata.create_all(connection, tables=[schema.day_hashes, schema.row_hashes])
    sealed = {day for (day,) in driver_rows(connection, "SELECT day_id FROM day_hashes")}
    every = [day for (day,) in driver_rows(connection, "SELECT day_id FROM days ORDER BY day_id")]
    missing = [day for day in every if day not in sealed]
    for batch in batches(missing):
        seal_days(connection, schema.OF_DAYS, batch)
    for table in schema.OF_ROWS:
        if not kept_hashes(connection, table):
            seal_rows(connection, table)


def kept_hashes(connection: Connection, table: Table) -> dict[Any, bytes]:
    """The hashes of a table, by key: day_id, or the text of another."""
    if table in schema.OF_ROWS:
        statement = f"SELECT key, hash FROM row_hashes WHERE table_name = '{table.name}'"
    else:
        statement = f"SELECT day_id, {table.name} FROM day_hashes"
        if table is not schema.days:  # where a day without rows is as it should be
            statement += f" WHERE {table.name} IS NOT NULL"
    return dict(driver_rows(connection, statement))


def damaged_keys(connection: Connection, rows: Rows) -> list[Any]:
    """The days, runs or hashes of data whose rows are not what was written; sorted."""
    return _other_keys(rows.table, rows.hashes(), kept_hashes(connection, rows.table))


def all_damaged_keys(connection: Connection, table: Table) -> list[Any]:
    """The same of a whole table, read in batches of days."""
    kept = kept_hashes(connection, table)
    found: dict[Any, bytes] = {}
    count = 0
    for batch in batches(sorted(kept)) if table in schema.OF_DAYS else ():
        rows = read_rows(connection, table, between=(batch[0], batch[-1]))
        count += rows.count
        found |= rows.hashes()
    ((every,),) = driver_rows(connection, f"SELECT count(*) FROM {table.name}")
    if every != count:  # of days that have no hash, or no number
        found = read_rows(connection, table).hashes()
    return _other_keys(table, found, kept)


def _other_keys(table: Table, found: dict[Any, bytes], kept: dict[Any, bytes]) -> list[Any]:
    if table in schema.OF_ROWS:
        found = {str(key): digest for key, digest in found.items()}
    wrong = {key for key, digest in found.items() if not digest or kept.get(key) != digest}
    return sorted(wrong | (kept.keys() - found.keys()), key=lambda key: (str(type(key)), key))


def batches(day_ids: Sequence[int]) -> Iterator[Sequence[int]]:
    """Some days at a time: ten years have a quarter of a million rows."""
    return (day_ids[first : first + BATCH] for first in range(0, len(day_ids), BATCH))
