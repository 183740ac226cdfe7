"""Days and stacks of days: the same dataclasses, whose arrays have the day as first axis in stacks.

Formulas count axes from the last one, so they hold for a stack and for a day alike.
"""

from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar

import numpy as np

Stack = TypeVar("Stack")
ARRAYS = (np.ndarray, np.generic)


def day_of(stack: Stack, day: int) -> Stack:
    """The same dataclass for one day of a stack: every array without its first axis."""
    return finished(_picked(stack, day))


def finished(one: Stack) -> Stack:
    """Freeze what was made for one day, all the way down: read-only, scalars Python's own."""
    for name in _names(type(one)):  # type: ignore[arg-type]
        value = getattr(one, name)
        if isinstance(value, ARRAYS):
            if value.ndim:
                value.setflags(write=False)
            else:
                object.__setattr__(one, name, value.item())
        elif _is_stack(type(value)):  # type: ignore[arg-type]
            finished(value)
    return one


def _picked(stack: Stack, day: int) -> Stack:
    one = object.__new__(type(stack))
    for name in _names(type(stack)):  # type: ignore[arg-type]
        value = getattr(stack, name)
        if isinstance(value, np.ndarray):
            value = value[day]
        elif _is_stack(type(value)):  # type: ignore[arg-type]
            value = _picked(value, day)
        object.__setattr__(one, name, value)
    return one


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


@cache
def _is_stack(kind: Any) -> bool:
    """Whether a dataclass differs from day to day; one that does not says so itself."""
    return is_dataclass(kind) and not getattr(kind, "is_shared", False)
