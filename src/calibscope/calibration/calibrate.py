"""`cs.calibrate` and `cs.calibrate_many`: the doors to all solvers."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from calibscope.base.arrays import Array, ArrayLike, Indices
from calibscope.base.threads import share_days
from calibscope.calibration.ends import Ends
from calibscope.calibration.objective import COUNT
from calibscope.calibration.problem import Bounds, Problem
from calibscope.calibration.search import (
    DESCENTS,
    compile_kernels,
    search_days,
    search_speeds,
)
from calibscope.calibration.solution import Fit
from calibscope.calibration.solvers import solver as solver_named
from calibscope.market.day import MarketDay
from calibscope.models.g2.book import CapBook
from calibscope.models.g2.model import G2

# An ordinary, asymmetric start for the solvers that need one.
USUAL_START = (0.5, 0.05, 0.01, 0.01, -0.7)


def calibrate(
    day: MarketDay,
    solver: str = "global",
    *,
    weights: str | ArrayLike = "rmsre",
    bounds: Bounds | None = None,
    fixed: Mapping[str, float] | None = None,
    start: G2 | None = None,
    anchor: G2 | None = None,
    anchor_strength: float = 0.0,
) -> Fit:
    """Fit G2++ to the caps of one day.

    Parameters
    ----------
    solver : "global" (default), "bobyqa", "nelder-mead", "lm", "gauss-newton", "newton",
        "annealing" or "multistart"
    weights : "rmsre" (1/y^2), "absolute", "vega" (errors in normal vol), or one per quote
    bounds : for some parameters, such as ``{"sigma_x": (1e-4, 0.1)}``; the paper's otherwise
    fixed : parameters that do not move, such as ``{"rho_xy": -0.7}``
    start : where local solvers start; `global` needs none
    anchor, anchor_strength : a pull towards these parameters, such as yesterday's: adds
        strength * sum (q - q_anchor)^2 in the scaled coordinates (log a, log sigma, rho)

    Examples
    --------
    >>> from calibscope.market.demo import demo_market
    >>> fit = calibrate(demo_market().day("2024-06-03"))
    >>> fit.status.value
    'The optimum was found, with parameters at their bounds.'
    >>> round(100 * fit.rmsre, 3)
    0.813
    """
    problem = Problem.of(day, weights, bounds, fixed, anchor, anchor_strength)
    solve = solver_named(solver)
    compile_kernels()
    began = time.perf_counter()
    point = np.array(USUAL_START if start is None else start.values)
    ends = solve(problem, np.clip(point, problem.lower, problem.upper))
    return _fit(problem, ends, solver, time.perf_counter() - began)


@dataclass(frozen=True, eq=False)
class Fits(Sequence[Fit]):
    """The calibrations of many days, by the default solver; `fits[i]` is a `Fit`."""

    problems: tuple[Problem, ...]
    ends: Array  # (n, k, 5) best first
    objectives: Array  # (n, k) inf where there is no further end
    evaluations: Indices  # (n,)
    seconds: float  # of the whole panel

    def __len__(self) -> int:
        return len(self.problems)

    @overload
    def __getitem__(self, day: int) -> Fit: ...

    @overload
    def __getitem__(self, day: slice) -> Sequence[Fit]: ...

    def __getitem__(self, day: int | slice) -> Fit | Sequence[Fit]:
        if isinstance(day, slice):
            return [self[i] for i in range(*day.indices(len(self)))]
        ends = Ends.sorted_by(self.ends[day], self.objectives[day], int(self.evaluations[day]))
        return _fit(self.problems[day], ends, "global", self.seconds / len(self))

    def __iter__(self) -> Iterator[Fit]:
        return (self[day] for day in range(len(self)))

    @property
    def parameters(self) -> Array:
        """(n, 5) of all days, the faster factor first."""
        best = self.ends[:, 0]
        swapped = best[:, [1, 0, 3, 2, 4]]
        return np.where((best[:, 0] >= best[:, 1])[:, None], best, swapped)

    @property
    def rmsre(self) -> Array:
        """(n,) of all days, whatever was minimised."""
        return np.array([fit.rmsre for fit in self])


def calibrate_many(
    days: Iterable[MarketDay], *, weights: str = "rmsre", threads: int | None = None
) -> Fits:
    """Fit G2++ to every day of a market, by the default solver, on all cores.

    A day never depends on its neighbours: order and number of threads change no bit of a result.

    Parameters
    ----------
    days : a `Market`, or any days
    weights : "rmsre" (1/y^2), "absolute" or "vega"
    threads : how many to use; None means all cores
    """
    problems = tuple(Problem.of(day, weights) for day in days)
    if not problems:
        raise ValueError("there are no days; give at least one")
    compile_kernels()
    began = time.perf_counter()
    book = CapBook.from_days([problem.day for problem in problems])
    quotes = np.concatenate([problem.day.prices for problem in problems])
    roots = np.sqrt(np.concatenate([problem.weights for problem in problems]))
    lower, upper = np.array(problems[0].lower), np.array(problems[0].upper)
    speeds = search_speeds(lower[0], upper[0])
    ends = np.empty((len(problems), DESCENTS, COUNT))
    objectives = np.empty((len(problems), DESCENTS))
    evaluations = np.zeros(len(problems), dtype=np.int64)

    def run(begin: int, end: int) -> None:
        search_days(
            book, quotes, roots, lower, upper, speeds, begin, end, ends, objectives, evaluations
        )

    share_days(run, len(problems), threads)
    seconds = time.perf_counter() - began
    return Fits(problems, ends, objectives, evaluations, seconds)


def _fit(problem: Problem, ends: Ends, solver: str, seconds: float) -> Fit:
    return Fit(
        problem=problem,
        as_found=G2(*ends.parameters[0]),
        solver=solver,
        evaluations=ends.evaluations,
        seconds=seconds,
        ends=tuple(
            (float(objective), G2(*point))
            for objective, point in zip(ends.objectives, ends.parameters, strict=True)
        ),
    )
