"""Facts: what the texts of a summary name in braces. They are data, looked up when a text asks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibscope.base.arrays import Array
from calibscope.base.numbers import number, percent
from calibscope.diagnosis.flags import largest, sizes
from calibscope.diagnosis.refit.outliers import known_outlier

if TYPE_CHECKING:
    from calibscope.diagnosis.diagnosis import Diagnosis

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

FACTS: Mapping[str, Callable[["Diagnosis"], object]] = {
    "quotes": lambda dx: dx.problem.specs.quotes,
    "edof": lambda dx: dx.edof,
    "parameters": lambda dx: (
        f"{dx.geometry.parameter_count}{' free parameters' if dx.is_held.any() else ''}"
    ),
    "full": lambda dx: _full(dx),
    "combination": lambda dx: "; ".join(dx.unidentified_combinations),
    "bounds": lambda dx: _bounds(dx),
    "lever": lambda dx: (
        f"the fit is nearly forced through the {_label_of_largest(dx, dx.leverage)} "
        f"{dx.problem.specs.quotes.removesuffix('s')} (leverage {number(dx.leverage.max(), '.2f')})"
    ),
    "forced": lambda dx: _forced(dx),
    "curvature": lambda dx: (
        f"up to {percent(dx.gauss_newton_error, 0)}"
        if dx.gauss_newton_error < 1
        else "more than 100 %"
    ),
    "influencer": lambda dx: _label_of_largest(dx, dx.deletion.believed_distance),
    "cook": lambda dx: _cook(dx),
    "outlier": lambda dx: _outlier(dx),
}


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of one day, by name."""

    dx: "Diagnosis"

    def __getitem__(self, name: str) -> object:
        return FACTS[name](self.dx)


def _full(dx: "Diagnosis") -> str:
    """All parameters that the mode does not hold are identified."""
    free = "free " if dx.is_held.any() else ""
    count = int(dx.geometry.parameter_count)
    if count == 1:
        return f"The {free}parameter is identified"
    word = NUMBERS[count] if count < len(NUMBERS) else f"{count:,}"
    return f"{'Both' if count == 2 else f'All {word}'} {free}parameters are identified"


def _bounds(dx: "Diagnosis") -> str:
    """Who is at a bound, and whether that bound decides the fit."""
    is_held, at_bound = dx.is_held, dx.problem.at_bound != 0
    said = []
    for which, end in (
        (is_held, ""),
        (at_bound & ~is_held, ", perhaps by chance" if dx.mode == "active" else ""),
    ):
        names = [dx.problem.specs.names[p] for p in np.flatnonzero(which)]
        if names:
            verb = "is at its bound" if len(names) == 1 else "are at their bounds"
            said.append(f"{_listed(names)} {verb}{end}")
    return "; ".join(said)


def _outlier(dx: "Diagnosis") -> str:
    """Who is out of line, if the fits without each quote say so; else where it shows."""
    named = known_outlier(dx)
    if named:
        return f"{named} is an outlier"
    worst = _label_of_largest(dx, dx.resid_studentized_external)
    return f"the residual of {worst} is larger than chance allows"


def _forced(dx: "Diagnosis") -> str:
    """Every quote of leverage 1."""
    is_forced = dx.leverage >= dx.settings.forced_leverage
    names = [str(name) for name in dx.problem.labels[is_forced]]
    if len(names) > 1 and len(names) == dx.scales.count:
        quotes = dx.problem.specs.quotes
        return f"all {quotes} are met whatever they say, with as many parameters as {quotes}"
    end = "is met whatever it says" if len(names) == 1 else "are met whatever they say"
    return f"{_listed(names)} {end} (leverage 1)"


def _cook(dx: "Diagnosis") -> str:
    """The largest Cook's distance, and where it is but linear."""
    distance = dx.deletion.believed_distance
    is_exact = np.isfinite(dx.cooks_distance_exact[sizes(distance).argmax()])
    text = number(float(largest(distance)), ".1f")
    return text if is_exact else f"{text}, by the linear approximation"


def _listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1])] * (len(names) > 1) + names[-1:])


def _label_of_largest(dx: "Diagnosis", values: Array) -> str:
    return str(dx.problem.labels[sizes(values).argmax()])
