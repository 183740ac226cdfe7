"""One error for a store that cannot be used: which file, why, and what to do."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import DatabaseError


class StoreError(RuntimeError):
    """A store that cannot be read or written; what was reported as done is kept."""


DAMAGED = "the file is damaged; restore it from a backup, or run into a new one"
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
def explained(path: Path) -> Iterator[None]:
    """Turn errors of the database into a message for a user."""
    try:
        yield
    except (DatabaseError, sqlite3.DatabaseError) as error:
        said = str(error.orig if isinstance(error, DatabaseError) else error)
        cause = next((text for words, text in CAUSES.items() if words in said), said)
        raise StoreError(f"{path}: {cause}") from error
    except UnicodeDecodeError as error:  # SQLite names a table whose name is damaged
        raise StoreError(f"{path}: {DAMAGED}") from error
