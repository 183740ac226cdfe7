"""Stacks of days: dataclasses whose arrays have the day as first axis, and how to take one day."""

from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar

import numpy as np

Stack = TypeVar("Stack")


def day_of(stack: Stack, day: int) -> Stack:
    """The same dataclass for one day: every array without its first axis, scalars as Python's own.

    Formulas that count axes from the last one then hold for a stack and for a day alike.
    """
    one = object.__new__(type(stack))
    for name in _names(type(stack)):  # type: ignore[arg-type]
        object.__setattr__(one, name, _day_of(getattr(stack, name), day))
    return one


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


@cache
def _is_stack(kind: type) -> bool:
    """Whether a dataclass differs from day to day; one that does not says so itself."""
    return is_dataclass(kind) and not getattr(kind, "is_shared", False)


def _day_of(value: Any, day: int) -> Any:
    if isinstance(value, np.ndarray):
        if value.ndim == 1:
            return value.item(day)
        one = value[day]
        one.flags.writeable = False  # a result is frozen all the way down
        return one
    return day_of(value, day) if _is_stack(type(value)) else value  # type: ignore[arg-type]
