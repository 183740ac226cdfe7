"""Bootstrapped curves, remembered on this machine: QuantLib takes 17 ms for one, a look-up none.

A history grows by a day at a time, and the other 2,000 curves are those of yesterday. What is
remembered is found by a hash of everything that went in: date, maturities, rates, index, QuantLib's
version and the text of `ois.py`. The memory is a convenience. Where it cannot be read or written,
curves are bootstrapped as if there were none.
"""

import datetime
import hashlib
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path

import numpy as np

from calibscope.base.arrays import Array
from calibscope.market import ois

Bootstrap = Callable[[Array, Array, datetime.date, ois.Index], Array]


@contextmanager
def remembered() -> Iterator[Bootstrap]:
    """`ois.bootstrapped` with a memory; what is new is written at the end, at once."""
    connection = _connection()
    new: dict[str, bytes] = {}

    def bootstrapped(
        maturities: Array, rates: Array, date: datetime.date, index: ois.Index
    ) -> Array:
        key = _key(maturities, rates, date, index)
        known = (
            connection
            and connection.execute("SELECT logs FROM curves WHERE key = ?", (key,)).fetchone()
        )
        if known:
            return np.frombuffer(known[0])
        logs = ois.bootstrapped(maturities, rates, date, index)
        new[key] = logs.tobytes()
        return logs

    try:
        yield bootstrapped
    finally:
        if connection is not None:
            _write(connection, new)
            connection.close()


def _connection() -> sqlite3.Connection | None:
    folder = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "calibscope")
    try:
        folder = folder.expanduser()
        folder.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(folder / "curves.db", timeout=1.0)
        connection.execute("CREATE TABLE IF NOT EXISTS curves (key TEXT PRIMARY KEY, logs BLOB)")
    except (OSError, RuntimeError, sqlite3.Error):  # RuntimeError: this user has no home
        return None
    return connection


def _write(connection: sqlite3.Connection, new: dict[str, bytes]) -> None:
    try:
        with connection:
            connection.executemany("INSERT OR REPLACE INTO curves VALUES (?, ?)", new.items())
    except sqlite3.Error:  # full, locked or read-only: nothing is lost but time
        return


def _key(maturities: Array, rates: Array, date: datetime.date, index: ois.Index) -> str:
    digest = hashlib.sha256(_method() + f"{date} {index} {len(maturities)} ".encode())
    digest.update(np.ascontiguousarray(maturities).tobytes())
    digest.update(np.ascontiguousarray(rates).tobytes())
    return digest.hexdigest()


@cache
def _method() -> bytes:
    text = Path(ois.__file__).read_bytes()
    return hashlib.sha256(text + version("QuantLib").encode()).digest()
