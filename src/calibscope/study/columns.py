"""Columns of a table, as a database takes them."""

from typing import Any

from calibscope.base.arrays import Array

Columns = dict[str, list[Any]]


def without_nan(values: Array) -> list[Any]:
    """Numbers of a column, None where there is none: a database has no NaN."""
    return [None if value != value else value for value in values.ravel().tolist()]
