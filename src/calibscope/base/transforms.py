"""Scales on which numbers are moved, compared or roughly normal: logarithms, angles, logits.

Every change of coordinates in the package is one of these.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from calibscope.base.arrays import Array, ArrayLike, Indices

Transform = Literal["log", "arctanh", "arcsin", "logit", "identity"]


class _Functions(NamedTuple):
    coordinate: Callable[[Array], Array]  # q of x
    value: Callable[[Array], Array]  # x of q
    slope: Callable[[Array], Array]  # dx/dq at x
    curvature: Callable[[Array], Array]  # d2x/dq2 at x


def _angle(x: Array) -> Array:
    return np.asarray(np.arcsin(np.clip(x, -1.0, 1.0)))


def _expit(q: Array) -> Array:
    return np.asarray(1.0 / (1.0 + np.exp(-q)))


FUNCTIONS: dict[str, _Functions] = {
    "log": _Functions(np.log, np.exp, np.array, np.array),
    "arctanh": _Functions(
        np.arctanh, np.tanh, lambda x: 1.0 - x**2, lambda x: -2.0 * x * (1.0 - x**2)
    ),
    "arcsin": _Functions(_angle, np.sin, lambda x: np.sqrt(1.0 - x**2), np.negative),
    "logit": _Functions(
        lambda x: np.log(x) - np.log1p(-x),
        _expit,
        lambda x: x * (1.0 - x),
        lambda x: x * (1.0 - x) * (1.0 - 2.0 * x),
    ),
    "identity": _Functions(np.array, np.array, np.ones_like, np.zeros_like),
}


@dataclass(frozen=True, slots=True)
class Scale:
    """A coordinate q of a number x: log(x + shift), arctanh x, arcsin x, logit x, or x itself."""

    transform: Transform = "identity"
    shift: float = 0.0  # of a logarithm: values far below it are nearly alike

    def coordinate(self, x: ArrayLike) -> Array:
        """Where x is on the scale.

        Parameters
        ----------
        x : numbers that have a coordinate

        Returns
        -------
        Array
            of the shape of x
        """
        return FUNCTIONS[self.transform].coordinate(np.asarray(x, float) + self.shift)

    def value(self, q: ArrayLike) -> Array:
        """What is at a coordinate.

        Parameters
        ----------
        q : coordinates

        Returns
        -------
        Array
            of the shape of q
        """
        return np.asarray(FUNCTIONS[self.transform].value(np.asarray(q, float)) - self.shift)

    def slope(self, x: ArrayLike) -> Array:
        """dx/dq at x: a number is its own derivative by its logarithm.

        Parameters
        ----------
        x : numbers

        Returns
        -------
        Array
            of the shape of x
        """
        return FUNCTIONS[self.transform].slope(np.asarray(x, float) + self.shift)

    def stepped(self, x: ArrayLike, step: Array | float) -> Array:
        r"""Where a step leads is straight on the scale and starts with this length.

        :math:`\eta^{-1}(\eta(x) + \eta'(x)\,step)`, the end of a delta interval.

        Parameters
        ----------
        x : where it starts
        step : in units of x

        Returns
        -------
        Array
            of the common shape
        """
        return self.value(self.coordinate(x) + step / self.slope(x))


IDENTITY = Scale()


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Points (..., p) whose columns have a scale each."""

    scales: tuple[Scale, ...]

    def of(self, points: ArrayLike) -> Array:
        """The coordinates of points.

        Parameters
        ----------
        points : (..., p)

        Returns
        -------
        Array
            of the same shape
        """
        q = np.array(points, float)
        with np.errstate(divide="ignore"):  # of 0 and of a correlation of 1: infinite
            for functions, columns, shifts in self._groups:
                q[..., columns] = functions.coordinate(q[..., columns] + shifts)
        return q

    def values(self, coordinates: ArrayLike) -> Array:
        """The points at coordinates.

        Parameters
        ----------
        coordinates : (..., p)

        Returns
        -------
        Array
            of the same shape
        """
        x = np.array(coordinates, float)
        for functions, columns, shifts in self._groups:
            x[..., columns] = functions.value(x[..., columns]) - shifts
        return x

    def slopes(self, points: ArrayLike) -> Array:
        """dx/dq, column by column.

        Parameters
        ----------
        points : (..., p)

        Returns
        -------
        Array
            of the same shape
        """
        x = np.asarray(points, float)
        slopes = np.ones_like(x)
        for functions, columns, shifts in self._groups:
            slopes[..., columns] = functions.slope(x[..., columns] + shifts)
        return slopes

    def curvatures(self, points: ArrayLike) -> Array:
        """d2x/dq2, column by column.

        Parameters
        ----------
        points : (..., p)

        Returns
        -------
        Array
            of the same shape
        """
        x = np.asarray(points, float)
        curvatures = np.zeros_like(x)
        for functions, columns, shifts in self._groups:
            curvatures[..., columns] = functions.curvature(x[..., columns] + shifts)
        return curvatures

    @cached_property
    def is_log(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """(p,) columns on a logarithmic scale."""
        return np.array([scale.transform == "log" for scale in self.scales])

    @cached_property
    def _groups(self) -> list[tuple[_Functions, slice | Indices, Array]]:
        """Columns that share a transform, with their shifts; those that stay are left out."""
        groups = []
        for transform in {scale.transform: None for scale in self.scales if scale != IDENTITY}:
            marks = np.array([scale.transform == transform for scale in self.scales])
            columns = np.flatnonzero(marks)
            shifts = np.array([self.scales[p].shift for p in columns])
            is_run = columns[-1] - columns[0] + 1 == columns.size  # slices are quicker
            chosen = slice(int(columns[0]), int(columns[-1]) + 1) if is_run else columns
            groups.append((FUNCTIONS[transform], chosen, shifts))
        return groups
