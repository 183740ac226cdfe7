"""What other packages announce by entry points: found by name, loaded when it is asked for."""

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from calibscope.base.errors import EntryPointError


@cache
def announced(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group, by name."""
    return {point.name: point for point in entry_points(group=group)}


def loaded(point: EntryPoint) -> Any:
    """What an entry point names.

    Raises
    ------
    EntryPointError
        if that is not there, with the package that announces it
    """
    try:
        return point.load()
    except Exception as error:  # whatever the package does when it is imported
        raise EntryPointError(point, f"{type(error).__name__}: {error}") from error
