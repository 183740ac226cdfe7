r"""What a parameter is: its name, unit and bounds, and the scales on which it is moved and judged.

A model describes each of its parameters once, by a `ParameterSpec`. Coordinates of solvers,
intervals, tests whether a bound is reached, headings, axes and JSON keys follow from it.

Each parameter has two scales of its own: solvers move it on one, and on the other its estimate is
roughly normal (paper, section on transformations). Where numbers are to be compared (an anchor's
pull, distances between fits, multipliers), the interval's scale is taken if it is finite at the
bounds, else the parameter as it is: arctanh is infinite at a correlation of 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from calibscope.base.arrays import Array, Indices, frozen
from calibscope.base.spelling import choose_from
from calibscope.base.transforms import IDENTITY, Coordinates, Scale

TRANSFORMS = ("log", "arctanh", "identity")  # of intervals, in the order of their codes
LOG, ARCTANH, _ = range(3)


@dataclass(frozen=True, slots=True)
class ParameterSpec:
    """One parameter of a model."""

    name: str
    symbol: str = ""  # in LaTeX, as formulas write it
    unit: str = "1"  # such as "1/year"; "1": a pure number
    label: str = ""  # what it is, in a word or two
    sentence: str = ""  # what it is
    bounds: tuple[float, float] = (-np.inf, np.inf)  # of a calibration, unless others are given
    limits: tuple[float, float] = (-np.inf, np.inf)  # that bounds may have
    plausible: tuple[float, float] = (-np.inf, np.inf)  # what users would accept
    start: float = 0.0  # an ordinary value, for solvers that need one
    solver_scale: Scale = IDENTITY
    interval_scale: Scale = IDENTITY

    @property
    def scale(self) -> Scale:
        """On which values are compared: that of intervals, if it is finite at the bounds."""
        return IDENTITY if self.interval_scale.transform == "arctanh" else self.interval_scale

    @property
    def size(self) -> float:
        """What counts as a step of one: of a logarithm 1, else half the way between the bounds."""
        if self.solver_scale.transform != "identity":
            return 1.0
        for low, high in (self.bounds, self.plausible):
            if 0.0 < high - low < np.inf:
                return 0.5 * (high - low)
        return abs(self.start) or 1.0

    @property
    def profile_scale(self) -> Scale:
        """Along which a profile is walked: that of intervals, with the angle of a correlation."""
        is_correlation = self.interval_scale.transform == "arctanh"
        return Scale("arcsin") if is_correlation else self.interval_scale


@dataclass(frozen=True)
class Specs:
    """The parameters of a model, and what its observations are called."""

    is_shared: ClassVar[bool] = True  # by all fits of a batch

    parameters: tuple[ParameterSpec, ...]
    quotes: str = "observations"  # what the labels name
    outputs: str = "fitted values"  # what does not change along an unidentified direction
    names: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(each.name for each in self.parameters))

    def __len__(self) -> int:
        return len(self.parameters)

    def __iter__(self) -> Iterator[ParameterSpec]:
        return iter(self.parameters)

    def __getitem__(self, name: str) -> ParameterSpec:
        return self.parameters[self.place(name)]

    def place(self, name: str) -> int:
        """Where a parameter is in the order, or an error that lists the names.

        Parameters
        ----------
        name : of a parameter

        Returns
        -------
        int
            counted from 0
        """
        if name not in self.names:
            raise ValueError(f"{name!r} is not a parameter; {choose_from(self.names, name)}")
        return self.names.index(name)

    @cached_property
    def lower(self) -> Array:
        """(p,) usual lower bounds."""
        return frozen([each.bounds[0] for each in self.parameters])

    @cached_property
    def upper(self) -> Array:
        """(p,) usual upper bounds."""
        return frozen([each.bounds[1] for each in self.parameters])

    @cached_property
    def start(self) -> Array:
        """(p,) an ordinary point."""
        return frozen([each.start for each in self.parameters])

    @cached_property
    def sizes(self) -> Array:
        """(p,) what counts as a step of one, on the solver's scale."""
        return frozen([each.size for each in self.parameters])

    @cached_property
    def plausible(self) -> tuple[Array, Array]:
        """Least and largest plausible values, (p,) each."""
        low, high = zip(*(each.plausible for each in self.parameters), strict=True)
        return frozen(low), frozen(high)

    @cached_property
    def coordinates(self) -> Coordinates:
        """On which parameters are compared."""
        return Coordinates(tuple(each.scale for each in self.parameters))

    @cached_property
    def solver(self) -> Coordinates:
        """On which solvers move them."""
        return Coordinates(tuple(each.solver_scale for each in self.parameters))

    @cached_property
    def interval(self) -> Coordinates:
        """On which estimates are roughly normal."""
        return Coordinates(tuple(each.interval_scale for each in self.parameters))

    @cached_property
    def profile(self) -> Coordinates:
        """Along which profiles are walked."""
        return Coordinates(tuple(each.profile_scale for each in self.parameters))

    @cached_property
    def codes(self) -> Indices:
        """(p,) places of the intervals' transforms in `TRANSFORMS`, for kernels."""
        return np.array([TRANSFORMS.index(scale.transform) for scale in self.interval.scales])


def bound_marks(values: Array, lower: Array, upper: Array) -> npt.NDArray[np.int64]:
    """-1 at the lower, 1 at the upper bound, else 0; what was fixed beforehand counts as 0.

    A bound is active where the parameter equals it to the last bit.
    """
    marks = (values >= upper).astype(np.int64) - (values <= lower)
    return np.asarray(marks * (lower < upper))
