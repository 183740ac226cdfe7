"""Is the store what was written? A hash per day and table, per run, and per day of quotes.

The writer seals what it has written in the same transaction. Whoever reads a table checks it
against its hashes: a changed number, a lost row and a lost hash all show. That guards against
failing disks and careless hands, not against somebody who writes new hashes too.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from sqlalchemy import ColumnClause, Connection, Table, column, delete, func, select

from calibscope.study import schema
from calibscope.study.database import insert_columns, rows_of
from calibscope.study.rows import UNREADABLE, Rows, read_rows

Key = TypeVar("Key")
BATCH = 500  # days that are read at a time


def seal_days(connection: Connection, tables: Sequence[Table], day_ids: Sequence[int]) -> None:
    """Keep the hashes of what these tables have of some days, given in order."""
    if not day_ids:
        return
    ends = (day_ids[0], day_ids[-1]) if len(day_ids) == day_ids[-1] - day_ids[0] + 1 else None
    wanted = {"between": ends} if ends else {"keys": day_ids}
    columns: dict[str, Sequence[Any]] = {"day_id": day_ids}
    for table in tables:
        hashes = read_rows(connection, table, **wanted).hashes()
        columns[table.name] = [hashes.get(day) for day in day_ids]
    insert_columns(connection, schema.day_hashes, columns, "replace")


def seal_rows(connection: Connection, table: Table, keys: Sequence[Any] | None = None) -> None:
    """Keep the hashes of these rows, or of all that the table has."""
    if keys is None:
        kept = schema.row_hashes
        connection.execute(delete(kept).where(kept.c.table_name == table.name))
    _keep(connection, table, read_rows(connection, table, keys).hashes())


def seal_everything(connection: Connection) -> None:
    """Seal a store that has no hashes yet, as it is."""
    schema.metadata.create_all(connection, tables=[schema.day_hashes, schema.row_hashes])
    day_id = schema.days.c.day_id
    sealed = {day for (day,) in rows_of(connection, select(schema.day_hashes.c.day_id))}
    every = [day for (day,) in rows_of(connection, select(day_id).order_by(day_id))]
    missing = [day for day in every if day not in sealed]
    for batch in batches(missing):
        seal_days(connection, schema.OF_DAYS, batch)
    for table in schema.OF_ROWS:
        if not kept_hashes(connection, table):
            seal_rows(connection, table)


def kept_hashes(connection: Connection, table: Table) -> dict[Any, bytes]:
    """The hashes of a table, by key: day_id, or the text of another."""
    if _is_of_rows(table):
        kept = schema.row_hashes.c
        wanted = select(kept.key, kept.hash).where(kept.table_name == table.name)
        return dict(rows_of(connection, wanted))
    hashes: ColumnClause[bytes] = column(table.name)
    wanted = select(schema.day_hashes.c.day_id, hashes).select_from(schema.day_hashes)
    if table.name != schema.days.name:  # where a day without rows is as it should be
        wanted = wanted.where(hashes.is_not(None))
    return dict(rows_of(connection, wanted))


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
    ((every,),) = rows_of(connection, select(func.count()).select_from(table))
    if every != count:  # of days that have no hash, or no number
        found = read_rows(connection, table).hashes()
    return _other_keys(table, found, kept)


def _other_keys(table: Table, found: dict[Any, bytes], kept: dict[Any, bytes]) -> list[Any]:
    if _is_of_rows(table):
        found = {str(key): digest for key, digest in found.items()}
    wrong = {key for key, digest in found.items() if not digest or kept.get(key) != digest}
    return sorted(wrong | (kept.keys() - found.keys()), key=lambda key: (str(type(key)), key))


def unseal(connection: Connection, table: Table, keys: Sequence[Any]) -> None:
    """Let the rows of these keys count as damaged."""
    _keep(connection, table, dict.fromkeys(keys, UNREADABLE))


def _keep(connection: Connection, table: Table, hashes: Mapping[Any, bytes]) -> None:
    keys: list[Any] = [*hashes]
    values: list[Any] = [*hashes.values()]
    if _is_of_rows(table):
        texts, names = [*map(str, keys)], [table.name] * len(keys)
        columns = {"table_name": names, "key": texts, "hash": values}
        insert_columns(connection, schema.row_hashes, columns, "replace")
    else:
        columns = {"day_id": keys, table.name: values}
        insert_columns(connection, schema.day_hashes, columns, "replace")


def _is_of_rows(table: Table) -> bool:
    """Whether rows have hashes of their own; by name, since older stores have other tables."""
    return table.name in {one.name for one in schema.OF_ROWS}


def batches(keys: Sequence[Key]) -> Iterator[Sequence[Key]]:
    """Some days at a time: ten years have a quarter of a million rows."""
    return (keys[first : first + BATCH] for first in range(0, len(keys), BATCH))
