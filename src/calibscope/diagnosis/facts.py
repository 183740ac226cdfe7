"""Facts: what the texts of a reading name in braces. They are data, looked up when a text asks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibscope.base.arrays import Array
from calibscope.diagnosis.flags import largest, sizes

if TYPE_CHECKING:
    from calibscope.diagnosis.diagnosis import Diagnosis

FACTS: Mapping[str, Callable[["Diagnosis"], object]] = {
    "quotes": lambda dx: dx.problem.words.quotes,
    "edof": lambda dx: dx.edof,
    "parameters": lambda dx: dx.geometry.parameter_count,
    "combination": lambda dx: "; ".join(dx.unidentified_combinations),
    "bounds": lambda dx: " and ".join(
        dx.problem.words.names[p] for p in np.flatnonzero(dx.problem.at_bound)
    ),
    "lever": lambda dx: _label_of_largest(dx, dx.leverage),
    "leverage": lambda dx: dx.leverage.max(),
    "curvature": lambda dx: (
        f"{100 * dx.gauss_newton_error:.0f} %" if dx.gauss_newton_error < 1 else "more than 100 %"
    ),
    "influencer": lambda dx: _label_of_largest(dx, dx.cooks_distance),
    "cook": lambda dx: largest(dx.cooks_distance),
    "outlier": lambda dx: _label_of_largest(dx, dx.resid_studentized_external),
}


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of one day, by name."""

    dx: "Diagnosis"

    def __getitem__(self, name: str) -> object:
        return FACTS[name](self.dx)


def _label_of_largest(dx: "Diagnosis", values: Array) -> str:
    return str(dx.problem.labels[sizes(values).argmax()])
