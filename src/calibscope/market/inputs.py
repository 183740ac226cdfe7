"""What users hand in, turned into numbers, with every problem found on the way.

Each function returns the problems instead of raising, so that a caller can report them all.
"""

import datetime
from collections.abc import Sequence
from typing import TypeGuard, get_args

import numpy as np

from calibscope.base.arrays import Array, ArrayLike
from calibscope.base.brief import brief
from calibscope.base.numbers import counted
from calibscope.base.spelling import choose_from
from calibscope.market.written_dates import date_or_remedy

LARGEST = float(np.finfo(float).max)  # whole numbers may be larger, and are no floats then


def numbers(values: object, what: str) -> tuple[Array, list[str]]:
    """`values` as a flat float array; entries that are not numbers become NaN, with a problem.

    A missing entry (None, NaN) is no problem here: what it means is for the caller to say.
    """
    try:
        given = np.asarray(values)
        array = given.astype(float)
    except (TypeError, ValueError, OverflowError):
        return _entry_by_entry(values, what)
    if given.dtype.kind in "bmM":
        return np.empty(0), [f"{what} are of type {given.dtype}; give numbers"]
    if array.ndim > 1:
        return np.empty(0), [f"{what} have shape {array.shape}; give a flat list"]
    return np.atleast_1d(array), []


def _entry_by_entry(values: object, what: str) -> tuple[Array, list[str]]:
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
        return np.empty(0), [f"{what} are {brief(values)}; give a list of numbers"]
    array, problems = np.full(len(values), np.nan), []
    for i, value in enumerate(values):
        try:
            array[i] = value
        except (TypeError, ValueError, OverflowError):
            problems.append(f"{what}: entry {i + 1} is {brief(value)}; it must be a number")
    return array, problems


def is_number(value: object) -> TypeGuard[float]:
    """Whether it is a finite number, and no text or truth value."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return False
    return bool(-LARGEST <= float(value) <= LARGEST)


def positive_number(value: object, what: str, example: str) -> list[str]:
    """Problems of a scalar that must be a positive number."""
    if isinstance(value, int | float | np.number) and 0 < value <= LARGEST:
        return []
    return [f"{what} is {brief(value)}; it must be a positive number ({example})"]


def choice(value: object, what: str, choices: object) -> list[str]:
    """Problems of a value that must be one of the literals of the type `choices`."""
    allowed = get_args(choices)
    if isinstance(value, str) and value in allowed:
        return []
    return [f"{what} is {brief(value)}; {choose_from(allowed, value)}"]


def flag(value: object, what: str) -> list[str]:
    """Problems of a value that must be True or False."""
    if isinstance(value, bool | np.bool_):
        return []
    return [f"{what} is {brief(value)}; it must be True or False"]


def column(
    years: Array, values: ArrayLike, what: str, *, may_be_negative: bool = False
) -> tuple[Array, list[str]]:
    """One number per maturity; the problems name the maturity."""
    array, problems = numbers(values, f"{what}s")
    if problems and not len(array):
        return array, problems
    if array.shape != years.shape:
        return array, [
            *problems,
            f"{counted(years.size, 'maturity', 'maturities')} but {counted(array.size, what)}; "
            "give one per maturity",
        ]
    lowest = -np.inf if may_be_negative else 0.0
    kind = "number" if may_be_negative else "positive number"
    unread = bool(problems)  # an entry that is not a number has its problem already
    bad = ~((array > lowest) & (array < np.inf))
    for year, value in zip(years[bad], array[bad], strict=True):
        if np.isnan(value) and not unread:
            problems.append(f"{year:g}Y: {what} is missing (nan); fill it in or leave the cap out")
        elif not np.isnan(value):
            problems.append(f"{year:g}Y: {what} is {value:g}; it must be a {kind}")
    return array, problems


def parsed_date(date: object) -> tuple[datetime.date | None, list[str]]:
    """A date as users write it, and what is wrong with it."""
    if isinstance(date, np.datetime64):
        date = date.astype("datetime64[D]").item()
    if isinstance(date, datetime.datetime):
        return date.date(), []
    if date is None or isinstance(date, datetime.date):
        return date, []
    found = date_or_remedy(date)
    if isinstance(found, str):
        return None, [f"date is {brief(date)}; {found}"]
    return found, []
