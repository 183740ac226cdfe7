"""How a model's best fit is found: a search of its own, or many starts of Newton's method.

`Search` works for any model. A model with structure to use brings its own (`g2/solver.py`,
`hull_white.py`); one from another package announces it by an entry point,

    [project.entry-points."calibscope.searches"]
    ho-lee = "my_package.ho_lee:HoLeeSearch"
"""

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module

import numpy as np

from calibscope.base.arrays import Array, Indices
from calibscope.base.entry_points import announced, loaded
from calibscope.calibration.bench import Bench
from calibscope.calibration.candidates import Candidates
from calibscope.calibration.near_optimal.plausible import Plausible, PlausibleBounds
from calibscope.calibration.newton import newton, polished, tasks
from calibscope.calibration.problem import Problem, Task
from calibscope.calibration.quasi_random import spread_points
from calibscope.models.model import Model, model_named

GROUP = "calibscope.searches"
BUILT_IN = {
    "g2++": "calibscope.calibration.g2.solver:G2Search",
    "hull-white": "calibscope.calibration.hull_white:HullWhiteSearch",
}
POINTS, STARTS = 512, 32  # priced, and then descended from
REFIT_STARTS = 4  # of every refit, besides those that are given
ROUGH_STEPS = 20
FEWEST = 4  # fits that are worth a thread
FOUND = "found"  # what a problem remembers of its search

Work = Callable[[int, int], None]


class Search:
    """The global optimum by many starts, for any model; rows of refits in one batch."""

    candidates = 16  # that are kept of a day in a panel

    def prepare(self) -> None:
        """Whatever takes time at first, such as compiling."""

    def is_quick(self, problem: Problem) -> bool:
        """Whether a refit takes a millisecond or two."""
        return False

    def plausibility(self, model: type[Model]) -> Plausible:
        """What parameters are acceptable, unless the user says otherwise."""
        return PlausibleBounds(model)

    def bench(self, problem: Problem) -> Bench:
        """The local solvers of a problem."""
        return Bench(problem)

    def spread(self, problem: Problem, count: int) -> Array:
        """(count, p) well spread starts between the bounds, where parameters are likely."""
        return spread_points(problem.specs, problem.lower, problem.upper, count)

    def polished(
        self, problem: Problem, starts: Array, evaluations: int = 0, order: int = 2
    ) -> Candidates:
        """Newton's method (order 1: Levenberg-Marquardt) from every start, inside the bounds."""
        found = polished(problem, starts, order)
        return Candidates.sorted_by(found.points, found.objectives, evaluations + found.evaluations)

    def solve(self, problem: Problem) -> Candidates:
        """The best optimum, and the others that were found."""
        points = self.spread(problem, POINTS)
        objectives = problem.objectives(points)
        best = points[np.argsort(objectives, kind="stable")[:STARTS]]
        starts = [np.clip(problem.specs.start, problem.lower, problem.upper), *best]
        if problem.anchor is not None:
            starts.append(np.clip(problem.anchor.values, problem.lower, problem.upper))
        return self.polished(problem, np.array(starts), len(points))

    def known(self, problem: Problem) -> Candidates:
        """What `solve` finds, from the last time where there was one."""
        if FOUND not in problem.memory:
            problem.memory[FOUND] = self.solve(problem)
        found: Candidates = problem.memory[FOUND]
        return found

    def solve_days(
        self, problems: Sequence[Problem], points: Array, objectives: Array, evaluations: Indices
    ) -> Work:
        """Work that puts the candidates of days begin, ..., end - 1 into arrays with the day first.

        Parameters
        ----------
        problems : of the same model, with the same bounds
        points : (days, candidates, p)
        objectives : (days, candidates) infinite where there is none
        evaluations : (days,)
        """

        def work(begin: int, end: int) -> None:
            for day in range(begin, end):
                keep(self.solve(problems[day]), day, points, objectives, evaluations)

        return work

    def solve_rows(
        self,
        problem: Problem,
        quotes: Array,
        weights: Array,
        held: Array | None,
        starts: Array | None,
        threads: int | None,
    ) -> Array:
        """(n, p) the best parameters for other quotes and weights, row by row.

        Parameters
        ----------
        quotes, weights : (n, m), or (n, m + p) with those of an anchor
        held : (n, p) values that parameters must keep, not a number where they are free
        starts : (n, p) parameters that may be near
        """
        batch = refit_tasks(problem, quotes, weights, held)
        points = self.spread(problem, POINTS)
        prices = problem.evaluate(points, 0, threads).prices
        n, m, p = len(quotes), len(problem.weights), len(problem.specs)
        near = np.tile(problem.specs.start, (n, 1)) if starts is None else starts
        # Prices do not depend on the quotes: each row takes the points that are best for it.
        misfits = _misfits(prices, quotes[:, :m], weights[:, :m])
        best = points[np.argsort(misfits, axis=1, kind="stable")[:, :REFIT_STARTS]]
        every = np.concatenate((near[:, None], best), axis=1)
        count = every.shape[1]
        rows = Task(*(np.repeat(part, count, axis=0) for part in batch))
        # A few steps tell which start is the best of a row; only that one is followed to its end.
        rough = newton(
            problem.specs, problem.pricer, rows, every.reshape(-1, p), most_steps=ROUGH_STEPS
        )
        chosen = rough.objectives.reshape(n, count).argmin(axis=1)
        nearest = rough.points.reshape(n, count, p)[np.arange(n), chosen]
        ends = newton(problem.specs, problem.pricer, batch, nearest).points
        return ends if held is not None else problem.canonical(ends)

    def nearby_rows(
        self, problem: Problem, quotes: Array, weights: Array, threads: int | None
    ) -> Array:
        """(n, p) the best parameters for nearly the same quotes and weights, row by row.

        Parameters
        ----------
        quotes, weights : (n, m), or (n, m + p) with those of an anchor
        """
        best = np.tile(self.known(problem).parameters[0], (len(quotes), 1))
        return self.solve_rows(problem, quotes, weights, None, best, threads)

    def descend_rows(
        self,
        problem: Problem,
        quotes: Array,
        weights: Array,
        held: Array,
        starts: Array,
        threads: int | None,
    ) -> Array:
        """(n, p) the optima next to the starts, for other quotes and weights, row by row.

        Parameters
        ----------
        quotes, weights, held : as for `solve_rows`
        starts : (n, p) parameters that are near
        """
        batch = refit_tasks(problem, quotes, weights, held)
        return newton(problem.specs, problem.pricer, batch, starts).points

    def rows_below(
        self,
        problem: Problem,
        quotes: Array,
        weights: Array,
        held: Array,
        starts: Array,
        limit: float,
        threads: int | None,
    ) -> Array:
        """(n, p) the best parameters where their objective is below a limit; elsewhere any.

        Parameters
        ----------
        quotes, weights, held, starts : as for `solve_rows`
        limit : of the objective
        """
        return self.solve_rows(problem, quotes, weights, held, starts, threads)


def _misfits(prices: Array, quotes: Array, weights: Array) -> Array:
    """(n, k) weighted sums of squares of n rows of quotes at k rows of prices."""
    with np.errstate(over="ignore", invalid="ignore"):
        squares = (weights * quotes**2).sum(axis=1)[:, None]
        found = weights @ (prices**2).T - 2.0 * (weights * quotes) @ prices.T + squares
    return np.asarray(np.where(np.isfinite(found), found, np.inf))


def refit_tasks(problem: Problem, quotes: Array, weights: Array, held: Array | None) -> Task:
    """A task per row: other quotes and weights (an anchor's follow), and parameters held."""
    m, same = len(problem.weights), tasks(problem.task, len(quotes))
    lower, upper = np.array(same.lower), np.array(same.upper)
    if held is not None:
        is_held = ~np.isnan(held)
        lower[is_held] = upper[is_held] = held[is_held]
    anchor, strength = same.anchor, same.strength
    if problem.has_anchor:
        anchor, strength = quotes[:, m:], weights[:, m:]
    return Task(quotes[:, :m], np.sqrt(weights[:, :m]), lower, upper, anchor, strength)


def keep(
    found: Candidates, day: int, points: Array, objectives: Array, evaluations: Indices
) -> None:
    """Put the candidates of a day into the arrays of a panel."""
    count = min(points.shape[1], len(found.objectives))
    points[day, :count] = found.parameters[:count]
    objectives[day, :count] = found.objectives[:count]
    evaluations[day] = found.evaluations


def search_for(model: type[Model]) -> Search:
    """The search of a model: its own, or that by many starts.

    Parameters
    ----------
    model : the class

    Returns
    -------
    Search
        what `solver="global"` uses
    """
    is_own = model.name not in BUILT_IN or model_named(model.name) is model
    return _search(model.name) if is_own else Search()


@cache
def _search(name: str) -> Search:
    if name in BUILT_IN:
        module, _, kind = BUILT_IN[name].partition(":")
        return getattr(import_module(module), kind)()  # type: ignore[no-any-return]
    point = announced(GROUP).get(name)
    search: Search = Search() if point is None else loaded(point)()
    return search
