"""Rows of the store as they are on disk: numbers as arrays, texts as lists.

They are hashed and shown from here, so that what is shown is what was checked. The hash of a key
(a day, a run) is BLAKE2b over its rows in the order of the primary key: all numbers as IEEE
doubles, with one NaN for whatever is missing, then all texts.
"""

import hashlib
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import Connection, Date, DateTime, LargeBinary, String, Table, select

from calibscope.base.arrays import Array
from calibscope.study.database import as_dates, rows_of

if TYPE_CHECKING:
    import pandas as pd

SIZE = 16  # bytes of a hash
MISSING, SEPARATOR = "\x00", "\x1f"  # a text that is not there; between texts
UNREADABLE = b""  # instead of a hash
TEXTS = (String, Date, DateTime)
KINDS = {"boolean": "boolean", "float": "float64", "integer": "Int64"}


class Rows:
    """Rows of one table, in the order of its primary key."""

    def __init__(self, table: Table, rows: Sequence[Sequence[Any]]) -> None:
        self.table = table
        self.count = len(rows)
        columns = list(zip(*rows, strict=True)) or [()] * len(table.columns)
        self.columns = dict(zip(table.columns.keys(), columns, strict=True))
        self.strange: set[int] = set()  # rows with values that are not of their column's kind
        self.numbers = {
            name: self._as_numbers(self.columns[name])
            for name, column in table.columns.items()
            if not isinstance(column.type, (*TEXTS, LargeBinary))
        }

    def _as_numbers(self, values: Sequence[Any]) -> Array:
        try:
            found = np.array(values, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            is_number = [value is None or isinstance(value, int | float) for value in values]
            self.strange |= {row for row, is_one in enumerate(is_number) if not is_one}
            found = np.array([v if ok else None for v, ok in zip(values, is_number, strict=True)],
                             dtype=np.float64)  # fmt: skip
        found[np.isnan(found)] = np.nan  # the store has no NaN, and NumPy many
        return found

    @property
    def keys(self) -> Sequence[Any]:
        """The day, run or hash of data to which each row belongs."""
        return self.columns[self.table.primary_key.columns[0].name]

    def hashes(self) -> dict[Any, bytes]:
        """One per key; `UNREADABLE` for one with strange rows, or with rows in two places."""
        matrix = np.column_stack([np.empty((self.count, 0)), *self.numbers.values()])
        texts = [
            [MISSING if value is None else value for value in self.columns[name]]
            for name, column in self.table.columns.items()
            if isinstance(column.type, TEXTS)
        ]
        blobs = [
            self.columns[name]
            for name, column in self.table.columns.items()
            if isinstance(column.type, LargeBinary)
        ]
        found: dict[Any, bytes] = {}
        for key, start, stop in self._groups():
            content = [matrix[start:stop].tobytes()]
            try:
                for column in texts:
                    text = SEPARATOR.join(column[start:stop])
                    content.append(text.encode(errors="surrogateescape"))
                for values in blobs:
                    content += values[start:stop]
                digest = hashlib.blake2b(b"\x1e".join(content), digest_size=SIZE).digest()
            except TypeError:  # a number for a text, a text for a blob
                digest = UNREADABLE
            found[key] = UNREADABLE if key in found else digest
        for row in self.strange:
            found[self.keys[row]] = UNREADABLE
        return found

    def _groups(self) -> Iterator[tuple[Any, int, int]]:
        """Each key with its first row, and the row after its last."""
        keys = self.keys
        if set(map(type, keys)) == {int}:
            first = np.flatnonzero(np.diff(np.array(keys, dtype=object)) != 0) + 1
            bounds = [0, *first.tolist(), len(keys)]
            yield from ((keys[a], a, b) for a, b in pairwise(bounds))
            return
        start = 0
        for key, group in groupby(keys):
            stop = start + sum(1 for _ in group)
            yield key, start, stop
            start = stop

    def frame(self) -> "pd.DataFrame":
        """As a table with dates, numbers, flags and texts."""
        import pandas as pd

        frame = pd.DataFrame(
            {name: self._shown(name) for name in self.columns}, columns=list(self.columns)
        )
        for name, column in self.table.columns.items():
            kind = KINDS.get(column.type.__visit_name__)
            if kind is not None:
                frame[name] = frame[name].astype(kind)
            elif isinstance(column.type, Date):
                frame[name] = frame[name].astype("datetime64[s]")
        return frame

    def _shown(self, name: str) -> Any:
        kind, values = self.table.columns[name].type, self.columns[name]
        if isinstance(kind, Date | DateTime):
            return as_dates(self.table.columns[name], values) or np.array([], dtype=object)
        if name in self.numbers:
            return self.numbers[name]
        return list(values) or np.array([], dtype=object)


def read_rows(
    connection: Connection,
    table: Table,
    keys: Sequence[Any] | None = None,
    between: tuple[int, int] | None = None,
) -> Rows:
    """The rows of a table, all or those of some keys, without a look at their values."""
    wanted, key = select(table).order_by(*table.primary_key), table.primary_key.columns[0]
    if keys is not None:
        wanted = wanted.where(key.in_(keys))
    if between is not None:
        wanted = wanted.where(key.between(*between))
    return Rows(table, rows_of(connection, wanted))
