"""Has a store the columns of the schema? One of another list of metrics is not a damaged one.

A number that `metrics.py` has got since is a column that the store lacks: the next run adds it,
empty. Any other difference is refused, and nothing is touched.
"""

from pathlib import Path

from sqlalchemy import Connection

from calibscope.study import schema
from calibscope.study.database import column_names
from calibscope.study.errors import StoreError


def lacks_columns(path: Path, connection: Connection) -> bool:
    """Whether a run can make the store that of the schema, by columns that may be empty.

    Raises
    ------
    StoreError
        if the store has columns that the schema does not know, or lacks more than that
    """
    unknown, required, optional = _differences(connection)
    if unknown:
        raise StoreError(
            f"{path}: was written by another calibscope, which keeps more: {_some(unknown)}; "
            "install that one, or run into a new store"
        )
    if required:
        raise StoreError(
            f"{path}: was written by another calibscope, without {_some(required)}; install that "
            "one, or run into a new store"
        )
    return bool(optional)


def refuse_other_columns(path: Path, connection: Connection) -> None:
    """Say what a store lacks, or has too much, before it is read."""
    if lacks_columns(path, connection):
        _, _, optional = _differences(connection)
        raise StoreError(
            f"{path}: was written before calibscope kept {_some(optional)}; the next calibscope "
            "run adds that, empty for the days that are there"
        )


def _differences(connection: Connection) -> tuple[list[str], list[str], list[str]]:
    """Columns that are unknown here, columns that are lacking, and those that may be empty."""
    unknown: list[str] = []
    required: list[str] = []
    optional: list[str] = []
    there = column_names(connection)
    for table in schema.metadata.sorted_tables:
        mine, found = dict(table.columns.items()), there.get(table.name, set())
        unknown += [f"{table.name}.{name}" for name in sorted(found - mine.keys())]
        for name in (name for name in mine if name not in found):
            (optional if found and mine[name].nullable else required).append(f"{table.name}.{name}")
    return unknown, required, optional


def _some(names: list[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more
