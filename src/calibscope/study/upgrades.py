"""How a store that an older version has written becomes one of the present version.

Each step takes a store of version n to n + 1, within the transaction of its connection.
"""

from collections.abc import Callable

from sqlalchemy import Connection, inspect

from calibscope.study import schema
from calibscope.study.rows import driver_rows, read_rows
from calibscope.study.sealed import kept_hashes, seal_days, seal_everything


def _add_refits(connection: Connection) -> None:
    schema.metadata.create_all(connection, tables=[schema.left_out, schema.profiles])


def _add_market_days(connection: Connection) -> None:
    schema.metadata.create_all(connection, tables=[schema.market_days])


def _add_failures(connection: Connection) -> None:
    schema.metadata.create_all(connection, tables=[schema.failed_refits])
    if "repaired" not in {column["name"] for column in inspect(connection).get_columns("runs")}:
        connection.exec_driver_sql("ALTER TABLE runs ADD COLUMN repaired VARCHAR")


def _rename_and_seal(connection: Connection) -> None:
    """Take the present names. Results from before version 4 are sealed as they are.

    Hashes are of values, not of names, so that those of version 4 stay, and show what was damaged.
    """
    renamed = {
        "days": {"reading": "summary", "is_ridge": "has_equal_speeds"},
        "optima": {"basin_share": "share_of_starts"},
        "day_hashes": {"second_looks": "challenger_fits"},
    }
    found = inspect(connection)
    for table in filter(found.has_table, renamed):
        columns = {column["name"] for column in found.get_columns(table)}
        for old, new in renamed[table].items():
            if old in columns:
                connection.exec_driver_sql(f"ALTER TABLE {table} RENAME COLUMN {old} TO {new}")
    if found.has_table("second_looks"):
        connection.exec_driver_sql("ALTER TABLE second_looks RENAME TO challenger_fits")
    _rename_status(connection, is_sealed=found.has_table("day_hashes"))
    seal_everything(connection)


def _rename_status(connection: Connection, is_sealed: bool) -> None:
    """RIDGE becomes EQUAL_SPEEDS, but for days that are damaged, which stay so."""
    statement = "SELECT day_id FROM days WHERE status = 'RIDGE' ORDER BY day_id"
    ids = [day for (day,) in driver_rows(connection, statement)]
    if is_sealed and ids:
        kept, now = kept_hashes(connection, schema.days), read_rows(connection, schema.days, ids)
        ids = [day for day, digest in now.hashes().items() if kept.get(day) == digest]
    for day in ids:
        connection.exec_driver_sql(
            "UPDATE days SET status = 'EQUAL_SPEEDS' WHERE day_id = ?", (day,)
        )
    if is_sealed:
        seal_days(connection, [schema.days], ids)


# How a store of version n becomes one of version n + 1.
UPGRADES: dict[int, Callable[[Connection], None]] = {
    1: _add_refits,
    2: _add_market_days,
    3: _add_failures,
    4: _rename_and_seal,
}
