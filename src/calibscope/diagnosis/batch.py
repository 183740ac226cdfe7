"""Many fits with equally many quotes, examined together: arrays have the fit first.

Formulas count axes from the last one, so they hold for one fit and for a batch alike.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar

import numpy as np

from calibscope.base.arrays import Array, ArrayLike, Indices
from calibscope.base.numbers import counted
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.diagnosis.linear.uncertainty_measures import UncertaintyMeasures
from calibscope.diagnosis.refit.refit import Refit

Part = TypeVar("Part")
ARRAYS = (np.ndarray, np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class Batch(UncertaintyMeasures[Array, Indices]):
    """The first-order measures of many fits; `one` takes a fit out."""

    def __repr__(self) -> str:
        return f"Batch({self.mode}: {counted(len(self.problem.residuals), 'fit')})"

    def _number(self, value: ArrayLike) -> Array:
        return np.asarray(value)

    def _count(self, value: ArrayLike) -> Indices:
        return np.asarray(value)

    def one(
        self, place: int, refit: Refit | None = None, second: Callable[[], Array] | None = None
    ) -> Diagnosis:
        """The diagnosis of one of the fits.

        Parameters
        ----------
        place : of the fit in the batch
        refit, second : to fit it again, and its second derivatives, where they are needed

        Returns
        -------
        Diagnosis
            with arrays of its own
        """
        parts = {name: _picked(getattr(self, name), place) for name in _names(Batch)}
        return finished(Diagnosis(**parts, refit=refit, second=second))


def finished(one: Part) -> Part:
    """Freeze what was made for one fit, all the way down: read-only, scalars Python's own."""
    for name in _names(type(one)):  # type: ignore[arg-type]
        value = getattr(one, name)
        if isinstance(value, ARRAYS):
            if value.ndim:
                value.setflags(write=False)
            else:
                object.__setattr__(one, name, value.item())
        elif _is_own(type(value)):  # type: ignore[arg-type]
            finished(value)
    return one


def _picked(value: Any, place: int) -> Any:
    """What belongs to one fit: every array without its first axis."""
    if isinstance(value, np.ndarray):
        return value[place]
    if not _is_own(type(value)):  # type: ignore[arg-type]
        return value
    one = object.__new__(type(value))
    for name in _names(type(value)):  # type: ignore[arg-type]
        object.__setattr__(one, name, _picked(getattr(value, name), place))
    return one


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


@cache
def _is_own(kind: Any) -> bool:
    """Whether a dataclass differs from fit to fit; one that does not says so itself."""
    return is_dataclass(kind) and not getattr(kind, "is_shared", False)
