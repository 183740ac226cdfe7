"""`cs.calibrate` and `cs.calibrate_many`: the entry points to all solvers."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, overload

import numpy as np

from calibscope.base.arrays import Array, Indices
from calibscope.base.numbers import counted, percent
from calibscope.base.presets import section_of
from calibscope.base.spelling import choose_from
from calibscope.base.threads import share_days
from calibscope.calibration.balance import CAP, leverage_balanced_weights
from calibscope.calibration.candidates import Candidates
from calibscope.calibration.problem import Bounds, Order, Problem
from calibscope.calibration.search import FOUND, keep, search_for
from calibscope.calibration.solution import Fit
from calibscope.calibration.solvers import solver as solver_named
from calibscope.calibration.weights import Weights, check_names
from calibscope.market.day import MarketDay
from calibscope.models.model import DEFAULT, Model

SOLVER = "global"  # unless another is named
PIECE = 32  # days after which a panel reports its progress


def calibrate(
    day: MarketDay,
    solver: str | None = None,
    *,
    model: str | type[Model] = DEFAULT,
    weights: Weights = "rmsre",
    bounds: Bounds | None = None,
    fixed: Mapping[str, float] | None = None,
    start: Model | None = None,
    anchor: Model | None = None,
    anchor_strength: float = 0.0,
    order: Order | None = None,
    evidence: Literal["lazy", "full"] = "lazy",
    preset: str | None = None,
) -> Fit:
    r"""Fit a model to the quotes of one day.

    .. math:: \hat\Pi = \arg\min_\Pi \sum_k w_k\,(y_k - g_k(\Pi))^2, \qquad w_k = 1/y_k^2

    by default, which is the minimum of RMSRE (paper, eq. rmsre_objective and eq. wls_form). For
    G2++ the default solver separates what is linear (Golub and Pereyra, 1973); docs/calibration.md
    says how.

    Parameters
    ----------
    day : quotes of one day
    solver : "global" (default), "bobyqa", "nelder-mead", "lm", "gauss-newton", "newton",
        "annealing" or "multistart"
    model : what to fit: "g2++" (default), "hull-white", or one of your own
    weights : "rmsre" (1/y^2), "absolute", "vega" (errors in normal vol), "leverage_balanced" (no
        quote's leverage above 0.9), an importance per maturity, such as ``{10: 1, 20: 3}``, times
        1/y^2 (`liability`), or one per quote
    bounds : for some parameters, such as ``{"rho_xy": (-0.95, 0.95)}``; else the model's
    fixed : parameters that do not move, such as ``{"rho_xy": -0.7}``
    start : where local solvers start; `global` needs none
    anchor, anchor_strength : a pull towards these parameters, such as yesterday's: adds
        strength * sum (q - q_anchor)^2 in scaled coordinates; its cost is ``fit.anchor_cost``
    order : of factors that can be swapped: "canonical" (default) puts the faster first, "solver"
        keeps the order in which the solver returns them
    evidence : "full" computes ``fit.evidence`` (local minima, near-optimal set, plausible fit) at
        once, "lazy" when it is first asked for
    preset : "paper" calibrates as the paper does, by BOBYQA and in the solver's order, unless
        `solver` or `order` says otherwise

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
    chosen = section_of(preset, "calibration", solver=solver, order=order)
    name, order = chosen.pop("solver", SOLVER), chosen.pop("order", "canonical")
    check_names(weights, [day])
    problem = posed_problem(day, weights, bounds, fixed, anchor, anchor_strength, model, order)
    solve = solver_named(name)
    search_for(problem.model).prepare()
    began = time.perf_counter()
    found = solve(problem, _start(problem, start))
    fit = _fit(problem, found, name, time.perf_counter() - began)
    if evidence == "full":
        _ = fit.evidence
    return fit


@dataclass(frozen=True, eq=False)
class Fits(Sequence[Fit]):
    """The calibrations of many days; `fits[i]` is a `Fit`."""

    problems: tuple[Problem, ...]
    candidates: Array  # (n, k, p) best first
    objectives: Array  # (n, k) inf where there is no further candidate
    evaluations: Indices  # (n,)
    seconds: float  # of the whole panel
    solver: str = "global"

    def __repr__(self) -> str:
        model, days = self.problems[0].model.title, counted(len(self), "day")
        return f"Fits({model}, {days}, median RMSRE {percent(np.median(self.rmsre), 3)})"

    def __len__(self) -> int:
        return len(self.problems)

    @overload
    def __getitem__(self, day: int) -> Fit: ...

    @overload
    def __getitem__(self, day: slice) -> Sequence[Fit]: ...

    def __getitem__(self, day: int | slice) -> Fit | Sequence[Fit]:
        if isinstance(day, slice):
            return [self[i] for i in range(*day.indices(len(self)))]
        found = Candidates.sorted_by(
            self.candidates[day], self.objectives[day], int(self.evaluations[day])
        )
        return _fit(self.problems[day], found, self.solver, self.seconds / len(self))

    def __iter__(self) -> Iterator[Fit]:
        return (self[day] for day in range(len(self)))

    @property
    def parameters(self) -> Array:
        """(n, p) of all days, in the model's order of its factors wherever the bounds allow it.

        With ``order="solver"`` as the solver returns them.
        """
        return self.problems[0].shown(self.candidates[:, 0])

    @property
    def rmsre(self) -> Array:
        r"""(n,) of all days, whatever was minimised.

        :math:`\sqrt{\tfrac1m \sum_k ((g_k - y_k)/y_k)^2}` (paper, eq. rmsre_objective).
        """
        return np.array([fit.rmsre for fit in self])


def calibrate_many(
    days: Iterable[MarketDay],
    solver: str | None = None,
    *,
    model: str | type[Model] = DEFAULT,
    weights: Weights = "rmsre",
    bounds: Bounds | None = None,
    fixed: Mapping[str, float] | None = None,
    start: Model | None = None,
    order: Order | None = None,
    preset: str | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Fits:
    r"""Fit a model to every day of a market on all cores; by default in milliseconds a day.

    Days are independent: neither their order nor the number of threads changes a result.

    Each day minimises :math:`\sum_k w_k (g_k - y_k)^2` as in `calibrate` (paper, eq. wls_form).

    Parameters
    ----------
    days : a `Market`, or any days
    solver, model, weights, bounds, fixed, start, order, preset : as for `calibrate`
    threads : how many to use; None means all cores
    progress : called as progress(done, total)

    Returns
    -------
    Fits
        the fits in the order of the days
    """
    chosen = section_of(preset, "calibration", solver=solver, order=order)
    name, order = chosen.pop("solver", SOLVER), chosen.pop("order", "canonical")
    days = list(days)
    check_names(weights, days)
    problems = tuple(
        posed_problem(day, weights, bounds, fixed, model=model, order=order) for day in days
    )
    if not problems:
        raise ValueError("there are no days; give at least one")
    solve, search = solver_named(name), search_for(problems[0].model)
    search.prepare()
    began = time.perf_counter()
    shape = len(problems), search.candidates
    found = np.full((*shape, len(problems[0].specs)), np.nan)
    objectives, evaluations = np.full(shape, np.inf), np.zeros(len(problems), dtype=np.int64)
    if name == SOLVER:
        work = search.solve_days(problems, found, objectives, evaluations)
    else:

        def work(begin: int, end: int) -> None:
            for day in range(begin, end):
                ends = solve(problems[day], _start(problems[day], start))
                keep(ends, day, found, objectives, evaluations)

    share_days(_reporting(work, len(problems), progress), len(problems), threads)
    seconds = time.perf_counter() - began
    return Fits(problems, found, objectives, evaluations, seconds, name)


def _start(problem: Problem, start: Model | None) -> Array:
    """The usual start, or the user's, inside the bounds."""
    if start is not None and not isinstance(start, problem.model):
        raise TypeError(f"start is a {type(start).__name__}; give a {problem.model.__name__}")
    point = problem.specs.start if start is None else start.values
    return np.asarray(np.clip(point, problem.lower, problem.upper))


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
    anchor: Model | None = None,
    anchor_strength: float = 0.0,
    model: str | type[Model] = DEFAULT,
    order: Order = "canonical",
) -> Problem:
    """The problem that `calibrate` solves, for the same arguments."""
    if not (isinstance(weights, str) and weights == "leverage_balanced"):
        return Problem.of(day, weights, bounds, fixed, anchor, anchor_strength, model, order)
    problem = Problem.of(day, "rmsre", bounds, fixed, anchor, anchor_strength, model, order)
    if problem.free_count < CAP * len(day.prices):  # otherwise the mean leverage is above the cap
        balanced = leverage_balanced_weights(day, model=model, bounds=bounds, fixed=fixed)
        problem = replace(problem, weights=balanced.weights)
    return replace(problem, weighting=weights)


def _fit(problem: Problem, found: Candidates, solver: str, seconds: float) -> Fit:
    if solver == SOLVER:
        problem.memory[FOUND] = found
    models = [problem.model.from_values(point) for point in found.parameters]
    return Fit(
        problem=problem,
        as_found=models[0],
        solver=solver,
        evaluations=found.evaluations,
        seconds=seconds,
        candidates=tuple(zip(found.objectives.tolist(), models, strict=True)),
    )
