"""`cs.calibrate` and `cs.calibrate_many`: the doors to all solvers."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, overload

import numpy as np

from calibscope.base.arrays import Array, Indices
from calibscope.base.spelling import choose_from
from calibscope.base.threads import share_days
from calibscope.calibration.balance import CAP, leverage_balanced_weights
from calibscope.calibration.candidates import Candidates
from calibscope.calibration.g2.case import COUNT
from calibscope.calibration.g2.search import (
    DESCENTS,
    compile_kernels,
    search_and_trace,
    search_speeds,
)
from calibscope.calibration.problem import Bounds, Problem
from calibscope.calibration.solution import Fit
from calibscope.calibration.solvers import solver as solver_named
from calibscope.calibration.weights import Weights
from calibscope.market.day import MarketDay
from calibscope.models.g2.book import CapBook
from calibscope.models.g2.model import G2

# An ordinary, asymmetric start for the solvers that need one.
USUAL_START = (0.5, 0.05, 0.01, 0.01, -0.7)
PIECE = 32  # days after which a panel reports its progress


def calibrate(
    day: MarketDay,
    solver: str = "global",
    *,
    weights: Weights = "rmsre",
    bounds: Bounds | None = None,
    fixed: Mapping[str, float] | None = None,
    start: G2 | None = None,
    anchor: G2 | None = None,
    anchor_strength: float = 0.0,
    evidence: Literal["lazy", "full"] = "lazy",
) -> Fit:
    r"""Fit G2++ to the caps of one day.

    .. math:: \hat\Pi = \arg\min_\Pi \sum_k w_k\,(y_k - g_k(\Pi))^2, \qquad w_k = 1/y_k^2

    by default, which is the minimum of RMSRE (paper, eq. rmsre_objective and eq. wls_form). The
    default solver separates what is linear (Golub and Pereyra, 1973); docs/calibration.md says how.

    Parameters
    ----------
    day : quotes of one day
    solver : "global" (default), "bobyqa", "nelder-mead", "lm", "gauss-newton", "newton",
        "annealing" or "multistart"
    weights : "rmsre" (1/y^2), "absolute", "vega" (errors in normal vol), "leverage_balanced" (no
        quote's leverage above 0.9), an importance per maturity, such as ``{10: 1, 20: 3}``, times
        1/y^2 (`liability`), or one per quote
    bounds : for some parameters, such as ``{"sigma_x": (1e-5, 0.1), "sigma_y": (1e-5, 0.1)}``;
        the paper's otherwise
    fixed : parameters that do not move, such as ``{"rho_xy": -0.7}``
    start : where local solvers start; `global` needs none
    anchor, anchor_strength : a pull towards these parameters, such as yesterday's: adds
        strength * sum (q - q_anchor)^2 in the scaled coordinates (log a, log sigma, rho); what it
        costs is ``fit.anchor_cost``
    evidence : "full" computes ``fit.evidence`` (local minima, near-optimal set, plausible fit) at
        once, "lazy" when it is first asked for

    Returns
    -------
    Fit
        the best parameters, how good they are and how the calibration ended

    Examples
    --------
    >>> from calibscope.market.demo import demo_market
    >>> fit = calibrate(demo_market().day("2024-06-03"))
    >>> fit.status.value
    'Converged with parameters at their bounds; the search found no better optimum.'
    >>> round(100 * fit.rmsre, 3)
    0.813
    """
    if evidence not in ("lazy", "full"):
        raise ValueError(f"evidence is {evidence!r}; {choose_from(('lazy', 'full'), evidence)}")
    problem = posed_problem(day, weights, bounds, fixed, anchor, anchor_strength)
    solve = solver_named(solver)
    compile_kernels()
    began = time.perf_counter()
    ends = solve(problem, _start(problem, start))
    fit = _fit(problem, ends, solver, time.perf_counter() - began)
    if evidence == "full":
        _ = fit.evidence
    return fit


@dataclass(frozen=True, eq=False)
class Fits(Sequence[Fit]):
    """The calibrations of many days; `fits[i]` is a `Fit`."""

    problems: tuple[Problem, ...]
    ends: Array  # (n, k, 5) best first
    objectives: Array  # (n, k) inf where there is no further end
    evaluations: Indices  # (n,)
    seconds: float  # of the whole panel
    solver: str = "global"

    def __len__(self) -> int:
        return len(self.problems)

    @overload
    def __getitem__(self, day: int) -> Fit: ...

    @overload
    def __getitem__(self, day: slice) -> Sequence[Fit]: ...

    def __getitem__(self, day: int | slice) -> Fit | Sequence[Fit]:
        if isinstance(day, slice):
            return [self[i] for i in range(*day.indices(len(self)))]
        ends = Candidates.sorted_by(
            self.ends[day], self.objectives[day], int(self.evaluations[day])
        )
        return _fit(self.problems[day], ends, self.solver, self.seconds / len(self))

    def __iter__(self) -> Iterator[Fit]:
        return (self[day] for day in range(len(self)))

    @property
    def parameters(self) -> Array:
        """(n, 5) of all days, the faster factor first wherever the bounds allow both orders.

        The canonical order is a_x >= a_y: prices are the same with the factors swapped (paper, eq.
        analytical_cap_price).
        """
        return self.problems[0].canonical(self.ends[:, 0])

    @property
    def rmsre(self) -> Array:
        r"""(n,) of all days, whatever was minimised.

        :math:`\sqrt{\tfrac1m \sum_k ((g_k - y_k)/y_k)^2}` (paper, eq. rmsre_objective).
        """
        return np.array([fit.rmsre for fit in self])


def calibrate_many(
    days: Iterable[MarketDay],
    solver: str = "global",
    *,
    weights: Weights = "rmsre",
    bounds: Bounds | None = None,
    fixed: Mapping[str, float] | None = None,
    start: G2 | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Fits:
    r"""Fit G2++ to every day of a market on all cores; by default in milliseconds a day.

    A day never depends on its neighbours: order and number of threads change no bit of a result.

    Each day minimises :math:`\sum_k w_k (g_k - y_k)^2` as in `calibrate` (paper, eq. wls_form).

    Parameters
    ----------
    days : a `Market`, or any days
    solver, weights, bounds, fixed, start : as for `calibrate`
    threads : how many to use; None means all cores
    progress : called as progress(done, total)

    Returns
    -------
    Fits
        the fits in the order of the days
    """
    problems = tuple(posed_problem(day, weights, bounds, fixed) for day in days)
    if not problems:
        raise ValueError("there are no days; give at least one")
    solve = solver_named(solver)
    compile_kernels()
    began = time.perf_counter()
    ends = np.full((len(problems), DESCENTS, COUNT), np.nan)
    objectives = np.full((len(problems), DESCENTS), np.inf)
    evaluations = np.zeros(len(problems), dtype=np.int64)
    if solver == "global" and problems[0].is_plain:
        search = _batch_search(problems, ends, objectives, evaluations)
    else:

        def search(begin: int, end: int) -> None:
            for day in range(begin, end):
                problem = problems[day]
                found = solve(problem, _start(problem, start))
                count = min(DESCENTS, len(found.objectives))
                ends[day, :count] = found.parameters[:count]
                objectives[day, :count] = found.objectives[:count]
                evaluations[day] = found.evaluations

    share_days(_reporting(search, len(problems), progress), len(problems), threads)
    seconds = time.perf_counter() - began
    return Fits(problems, ends, objectives, evaluations, seconds, solver)


def _start(problem: Problem, start: G2 | None) -> Array:
    """The usual start, or the user's, inside the bounds."""
    point = np.array(USUAL_START if start is None else start.values)
    return np.asarray(np.clip(point, problem.lower, problem.upper))


def _batch_search(
    problems: Sequence[Problem], ends: Array, objectives: Array, evaluations: Indices
) -> Callable[[int, int], None]:
    """The default solver on days begin, ..., end - 1, all of them compiled."""
    book = CapBook.from_days([problem.day for problem in problems])
    quotes = np.concatenate([problem.day.prices for problem in problems])
    roots = np.sqrt(np.concatenate([problem.weights for problem in problems]))
    lower, upper = np.array(problems[0].lower), np.array(problems[0].upper)
    speeds = search_speeds(lower[0], upper[0])

    def search(begin: int, end: int) -> None:
        search_and_trace(
            book, quotes, roots, lower, upper, speeds, begin, end, ends, objectives, evaluations
        )

    return search


def _reporting(
    work: Callable[[int, int], None], total: int, progress: Callable[[int, int], None]
) -> Callable[[int, int], None]:
    """The same work in small pieces, reporting after each."""
    done, lock = 0, threading.Lock()

    def run(begin: int, end: int) -> None:
        nonlocal done
        for first in range(begin, end, PIECE):
            last = min(first + PIECE, end)
            work(first, last)
            with lock:
                done += last - first
                progress(done, total)

    return run


def posed_problem(
    day: MarketDay,
    weights: Weights,
    bounds: Bounds | None,
    fixed: Mapping[str, float] | None,
    anchor: G2 | None = None,
    anchor_strength: float = 0.0,
) -> Problem:
    """The problem that `calibrate` solves, for the same arguments."""
    if not (isinstance(weights, str) and weights == "leverage_balanced"):
        return Problem.of(day, weights, bounds, fixed, anchor, anchor_strength)
    problem = Problem.of(day, "rmsre", bounds, fixed, anchor, anchor_strength)
    if problem.free_count < CAP * len(day.prices):  # otherwise the mean leverage is above the cap
        balanced = leverage_balanced_weights(day, bounds=bounds, fixed=fixed)
        problem = replace(problem, weights=balanced.weights)
    return replace(problem, weighting=weights)


def _fit(problem: Problem, ends: Candidates, solver: str, seconds: float) -> Fit:
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
