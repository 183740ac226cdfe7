r"""What a diagnosis starts from: weighted least squares at its (presumed) optimum.

.. math:: Q(\theta) = \sum_k w_k\,(y_k - g_k(\theta))^2, \qquad A = W^{1/2} J, \quad
    e = W^{1/2} (y - g)

Residuals are observed minus fitted, as in the paper; J holds derivatives of the fitted values g.
"""

from dataclasses import dataclass, field
from itertools import groupby
from typing import ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt

from calibscope.base.arrays import Array, Indices, Marks

Transform = Literal["log", "arctanh", "identity"]
TRANSFORMS: tuple[str, ...] = get_args(Transform)


@dataclass(frozen=True, slots=True)
class Words:
    """What parameters and observations are called; the same for all days of a stack."""

    is_shared: ClassVar[bool] = True

    names: tuple[str, ...]  # of the p parameters
    transforms: tuple[Transform, ...]  # under which each parameter is roughly normal
    quotes: str = "observations"  # what the labels name
    outputs: str = "fitted values"  # what does not change along an unidentified direction
    alike: tuple[tuple[Transform, slice], ...] = field(init=False)  # neighbours of one transform

    def __post_init__(self) -> None:
        groups, start = [], 0
        for transform, members in groupby(self.transforms):
            end = start + len(list(members))
            groups.append((transform, slice(start, end)))
            start = end
        object.__setattr__(self, "alike", tuple(groups))


@dataclass(frozen=True, slots=True, eq=False)
class LeastSquares:
    """Residuals, derivatives, weights and bounds of n fits with m observations and p parameters."""

    residuals: Array  # (n, m) observed minus fitted
    jacobian: Array  # (n, m, p) of the fitted values
    weights: Array  # (n, m)
    bend: Array | None  # (n, p, p) sum_k w_k (g_k - y_k) Hess g_k, half of Delta_GN
    observed: Array | None  # (n, m)
    values: Array  # (n, p) the parameters; not a number where they were not given
    lower: Array  # (n, p)
    upper: Array  # (n, p)
    labels: npt.NDArray[np.str_]  # (n, m)
    words: Words
    weighted_residuals: Array = field(init=False)  # (n, m) e; with w = 1/y^2 relative errors
    design: Array = field(init=False)  # (n, m, p) A
    at_bound: npt.NDArray[np.int64] = field(init=False)  # (n, p) -1 lower, 1 upper, else 0
    is_movable: Marks = field(init=False)  # (n, p) not fixed beforehand
    is_free: Marks = field(init=False)  # (n, p) neither fixed nor held by a bound
    coordinate_scale: Array = field(init=False)  # (n, p) parameters by their scaled coordinates

    def __post_init__(self) -> None:
        roots = np.sqrt(self.weights)
        is_movable = self.lower < self.upper
        marks = (self.values >= self.upper).astype(np.int64) - (self.values <= self.lower)
        at_bound = np.where(is_movable, marks, 0)
        is_log = np.array([transform == "log" for transform in self.words.transforms])
        derived = {
            "weighted_residuals": roots * self.residuals,
            "design": roots[..., None] * self.jacobian,
            "at_bound": at_bound,
            "is_movable": is_movable,
            "is_free": is_movable & (at_bound == 0),
            # A parameter is its own derivative by its logarithm.
            "coordinate_scale": np.where(is_log, np.abs(self.values), 1.0),
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    @property
    def counts(self) -> Indices:
        """How many observations have a weight."""
        return np.asarray((self.weights > 0).sum(axis=-1))

    @property
    def relative_weight(self) -> Array:
        """The c of weights c/y^2, which minimise relative errors; not a number for others."""
        if self.observed is None:
            return np.full(self.residuals.shape[:-1], np.nan)
        products = self.weights * self.observed**2
        highest = products.max(axis=-1)
        is_relative = (highest > 0) & (products.min(axis=-1) >= (1 - 1e-9) * highest)
        return np.where(is_relative, highest, np.nan)
