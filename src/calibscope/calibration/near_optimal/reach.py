r"""Reach: over how many orders of magnitude near-optimal fits spread a parameter, quickly.

A day may identify all directions to first order and still leave a parameter practically open. The
question here is coarser than that of `near_optimal.py`, and ten times as quick to answer, so every
day of a study has it: with a parameter held at quarter steps around its fit and the others fitted
again, how far away does

.. math:: \min_{q:\, q_p = t} f(q) \le \text{factor}^2 \min f

still hold? The unit is a factor of ten, on the logarithm that the solver moves (speeds far below
0.01 price alike); volatilities far below a hundredth of the largest plausible one count as alike,
too. A correlation has half of its range for a unit. Steps end at bounds, and at one unit from the
fit on either side. Every point is a fit, so a reach may be too short, never too long.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from calibscope.base.arrays import Array
from calibscope.base.numbers import number
from calibscope.base.parameters import ParameterSpec
from calibscope.base.transforms import Scale
from calibscope.calibration.problem import Problem
from calibscope.calibration.search import search_for

FACTOR = 1.1  # of the best RMSRE: nearly as good
FULL = 1.0  # reach at which nobody knows the order of magnitude
STEPS = 4  # per unit
NEGLIGIBLE = 0.01  # of the largest plausible value: logarithms without a shift count from there
DIGITS = 9  # steps are equal up to rounding


@dataclass(frozen=True, slots=True)
class Reach:
    """Where near-optimal fits have a parameter."""

    name: str
    low: float
    high: float
    units: float  # between them

    def __str__(self) -> str:
        return f"{self.name} from {number(self.low, '.2g')} to {number(self.high, '.2g')}"


class _Ruler:
    """Values of a parameter at steps from its fit."""

    def __init__(self, spec: ParameterSpec, value: float, lower: float, upper: float) -> None:
        self.value, self.lower, self.upper = value, lower, upper
        low, high = spec.plausible
        self.scale, self.unit = Scale(), 0.5 * (high - low)
        if spec.scale.transform == "log":
            shift = spec.solver_scale.shift or (NEGLIGIBLE * high if np.isfinite(high) else 0.0)
            self.scale, self.unit = Scale("log", shift), np.log(10.0)
        self.can_move = bool(lower < upper and np.isfinite(self.unit))

    def at(self, step: int) -> float:
        place = self.scale.coordinate(self.value) + step * self.unit / STEPS
        return float(np.clip(self.scale.value(place), self.lower, self.upper))

    def units(self, low: float, high: float) -> float:
        apart = self.scale.coordinate(high) - self.scale.coordinate(low)
        return float(np.round(apart / self.unit, DIGITS))


def reaches(problem: Problem, best: Array, threads: int | None = None) -> tuple[Reach, ...]:
    """How far near-optimal fits spread each parameter that can move.

    Parameters
    ----------
    best : (p,) the best fit
    threads : how many to use; None means all cores

    Returns
    -------
    tuple[Reach, ...]
        in the order of the parameters
    """
    rulers = {
        p: _Ruler(spec, float(best[p]), float(problem.lower[p]), float(problem.upper[p]))
        for p, spec in enumerate(problem.specs)
    }
    rulers = {p: ruler for p, ruler in rulers.items() if ruler.can_move}
    half = STEPS // 2
    good = _good(problem, best, rulers, dict.fromkeys(rulers, (-half, half)), threads)
    further = {p: _further(good[p], half) for p in rulers if good[p]}
    more = _good(problem, best, rulers, further, threads)
    found = []
    for p, ruler in rulers.items():
        values = [ruler.value, *(ruler.at(step) for step in (*good[p], *more.get(p, ())))]
        low, high = min(values), max(values)
        found.append(Reach(problem.specs.names[p], low, high, ruler.units(low, high)))
    return tuple(found)


def _further(good: Sequence[int], half: int) -> list[int]:
    """Beyond a step that is near-optimal, and before one that is not."""
    up = range(half + 1, STEPS + 1) if half in good else range(1, half)
    down = range(half + 1, STEPS + 1) if -half in good else range(1, half)
    return [*up, *(-step for step in down)]


def _good(
    problem: Problem,
    best: Array,
    rulers: dict[int, _Ruler],
    steps: Mapping[int, Iterable[int]],
    threads: int | None,
) -> dict[int, list[int]]:
    """Steps of each parameter at which the others keep the fit near-optimal."""
    asked = [
        (p, step) for p, some in steps.items() for step in some if rulers[p].at(step) != best[p]
    ]
    found: dict[int, list[int]] = {p: [] for p in steps}
    if not asked:
        return found
    held = np.full((len(asked), len(best)), np.nan)
    for row, (p, step) in zip(held, asked, strict=True):
        row[p] = rulers[p].at(step)
    task = problem.task
    quotes, weights = problem.day.prices, problem.weights
    if problem.has_anchor:
        quotes = np.concatenate((quotes, task.anchor))
        weights = np.concatenate((weights, task.strength))
    n = len(asked)
    limit = FACTOR**2 * max(problem.objective(best), problem.perfect_objective)
    points = search_for(problem.model).rows_below(
        problem, np.tile(quotes, (n, 1)), np.tile(weights, (n, 1)), held, np.tile(best, (n, 1)),
        limit, threads,
    )  # fmt: skip
    for (p, step), value in zip(asked, problem.objectives(points), strict=True):
        if value <= limit:
            found[p].append(step)
    return found
