"""The global optimum of G2++, by the search over the two speeds (`search.py`).

Where the two factors have different bounds, a parameter is fixed or an anchor pulls, the search
finds the minima of the free problem around it and inside it; from each of them, in both orders of
the factors, and from a few dozen Sobol points, Newton's method then solves the problem as posed.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibscope.base.arrays import Array, Indices, frozen
from calibscope.base.compiled import compilation_notice
from calibscope.base.threads import share_days
from calibscope.calibration.candidates import Candidates
from calibscope.calibration.g2.bench import LIKELY_LOWER, LIKELY_UPPER, Workbench
from calibscope.calibration.g2.beyond import look_beyond
from calibscope.calibration.g2.box_scan import box_scan
from calibscope.calibration.g2.case import COUNT, case_for
from calibscope.calibration.g2.conditional import SPEEDS, solve_conditional
from calibscope.calibration.g2.descent import MOST_STEPS
from calibscope.calibration.g2.persist import persist
from calibscope.calibration.g2.plausible import PlausibleBox
from calibscope.calibration.g2.polish import FAR_AWAY, NEAR, polish, put_on_bounds
from calibscope.calibration.g2.resolution import PERFECT_FIT, unresolved_squares
from calibscope.calibration.g2.search import (
    DESCENTS,
    NEARLY_BEST,
    compile_kernels,
    linearise_around,
    search_and_trace,
    search_speeds,
)
from calibscope.calibration.g2.symmetry import book_of, is_plain, is_symmetric
from calibscope.calibration.problem import Problem
from calibscope.calibration.quasi_random import spread_between
from calibscope.calibration.search import FEWEST, Search, Work
from calibscope.models.g2.book import CapBook
from calibscope.models.g2.parameters import SPECS as PARAMETER_SPECS
from calibscope.models.g2.parameters import SWAP
from calibscope.models.model import Model

SOBOL_POINTS = 64
BOX_SPEEDS, BOX_STARTS = 20, 24
FINISHES = 6
DISTURBED = 0.5  # leverage of a quote without which other minima may be the best
WORTH_A_START = 2.0  # times the best fit: minima from which nearly the same problems start


class G2Search(Search):
    """The search over the two speeds, compiled."""

    candidates = DESCENTS

    def prepare(self) -> None:
        """Compile the kernels, or load them from disk."""
        compile_kernels()

    def is_quick(self, problem: Problem) -> bool:
        """Where the whole search is compiled."""
        return is_plain(problem)

    def plausibility(self, model: type[Model]) -> PlausibleBox:
        """The box, with a ratio of the speeds."""
        return PlausibleBox()

    def bench(self, problem: Problem) -> Workbench:
        """The compiled local solvers."""
        return Workbench(problem)

    def spread(self, problem: Problem, count: int) -> Array:
        """(count, 5) well spread starts between the bounds, where parameters are likely."""
        return sobol_points(problem, count)

    def polished(
        self, problem: Problem, starts: Array, evaluations: int = 0, order: int = 2
    ) -> Candidates:
        """The compiled Newton's method from every start."""
        return polished(problem, starts, evaluations, order)

    def solve(self, problem: Problem) -> Candidates:
        """The best optimum, and the others that were found."""
        return solve(problem)

    def solve_days(
        self, problems: Sequence[Problem], points: Array, objectives: Array, evaluations: Indices
    ) -> Work:
        """Days begin, ..., end - 1, all of them compiled where the bounds are ordinary."""
        if not is_plain(problems[0]):
            return super().solve_days(problems, points, objectives, evaluations)
        book = CapBook.from_days([problem.day for problem in problems])
        quotes = np.concatenate([problem.day.prices for problem in problems])
        roots = np.sqrt(np.concatenate([problem.weights for problem in problems]))
        lower, upper = np.array(problems[0].lower), np.array(problems[0].upper)
        speeds = search_speeds(lower[0], upper[0])

        def search(begin: int, end: int) -> None:
            search_and_trace(
                book, quotes, roots, lower, upper, speeds, begin, end, points, objectives,
                evaluations,
            )  # fmt: skip

        return search

    def solve_rows(
        self,
        problem: Problem,
        quotes: Array,
        weights: Array,
        held: Array | None,
        starts: Array | None,
        threads: int | None,
    ) -> Array:
        """(n, 5) the best parameters, the faster factor first where the problem is symmetric."""
        if is_plain(problem):
            if held is None:
                return searched_rows(problem, quotes, weights, threads)
            homes = self._homes(problem, quotes, weights, threads)
            near = homes if starts is None else starts
            return held_rows(problem, quotes, weights, held, near, homes, threads)
        found = np.empty((len(quotes), COUNT))

        def work(begin: int, end: int) -> None:
            for i in range(begin, end):
                posed = _posed(problem, quotes[i], weights[i], None if held is None else held[i])
                found[i] = solve(posed).parameters[0]

        share_days(work, len(found), threads, FEWEST)
        return found if held is not None else problem.canonical(found)

    def nearby_rows(
        self, problem: Problem, quotes: Array, weights: Array, threads: int | None
    ) -> Array:
        """(n, 5) the best parameters for nearly the same quotes and weights."""
        if not is_plain(problem):
            return super().nearby_rows(problem, quotes, weights, threads)
        found = self.known(problem)
        minima = found.parameters[found.objectives <= WORTH_A_START * found.objectives[0]]
        ends = np.empty((len(quotes), COUNT))
        disturbed = self._disturbance(problem, quotes, weights) >= DISTURBED
        for is_near in (True, False):
            rows = np.flatnonzero(disturbed != is_near)
            free = np.full((len(rows), COUNT), np.nan)
            ends[rows] = held_rows(
                problem, quotes[rows], weights[rows], free, free, free, threads, minima, is_near
            )
        return problem.canonical(ends)

    def _disturbance(self, problem: Problem, quotes: Array, weights: Array) -> Array:
        """(n,) the largest leverage among the quotes that a row changes."""
        best = self.known(problem).parameters[0]
        A = problem.values(best).jacobian * np.sqrt(problem.weights)[:, None]
        lengths = np.linalg.norm(A, axis=0)
        basis = np.linalg.svd(A / np.where(lengths > 0, lengths, 1.0), full_matrices=False)[0]
        is_changed = (quotes != problem.day.prices) | (weights != problem.weights)
        return np.asarray((is_changed * (basis**2).sum(axis=1)).max(axis=1))

    def descend_rows(
        self,
        problem: Problem,
        quotes: Array,
        weights: Array,
        held: Array,
        starts: Array,
        threads: int | None,
    ) -> Array:
        """(n, 5) the optima next to the starts."""
        if not is_plain(problem):
            return super().descend_rows(problem, quotes, weights, held, starts, threads)
        return held_rows(problem, quotes, weights, held, starts, starts, threads, is_near=True)

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
        """(n, 5) the best parameters where their objective is below a limit."""
        if not is_plain(problem):
            return super().rows_below(problem, quotes, weights, held, starts, limit, threads)
        homes = self._homes(problem, quotes, weights, threads)
        return held_rows(problem, quotes, weights, held, starts, homes, threads, limit=limit)

    def _homes(self, problem: Problem, quotes: Array, weights: Array, threads: int | None) -> Array:
        """The best fits with nothing held; a profile asks a hundred times about the day's own."""
        is_own = (quotes == problem.day.prices).all() and (weights == problem.weights).all()
        if is_own:
            return np.tile(self.known(problem).parameters[0], (len(quotes), 1))
        rows, m = np.hstack((quotes, weights)), quotes.shape[1]
        different, places = np.unique(rows, axis=0, return_inverse=True)
        return searched_rows(problem, different[:, :m], different[:, m:], threads)[places]


def solve(problem: Problem) -> Candidates:
    """The best optimum, and the others that were found."""
    compile_kernels()
    ends = searched(problem, *symmetric_box(problem, widest=True))
    if is_plain(problem):
        return ends
    starts = [*ends.parameters, *ends.parameters[:, SWAP], *sobol_points(problem, SOBOL_POINTS)]
    lower, upper = symmetric_box(problem, widest=False)
    if (lower < upper).all():
        inner = searched(problem, lower, upper)
        starts += [*inner.parameters, *inner.parameters[:, SWAP]]
    starts += [*scanned(problem, ends.parameters[0])]
    if problem.anchor is not None:
        starts.append(problem.anchor.values)
    found = polished(problem, np.array(starts), ends.evaluations)
    # The best once more, with patience: flat directions are long, and bounds make them crooked.
    best = found.parameters[:FINISHES]
    found = polished(problem, best, found.evaluations, damping=NEAR, most_steps=10 * MOST_STEPS)
    return persisted(problem, found)


def symmetric_box(problem: Problem, widest: bool) -> tuple[Array, Array]:
    """The same bounds for both factors, all correlations: around, or inside, the problem's."""
    lower, upper = np.array(PARAMETER_SPECS.lower), np.array(PARAMETER_SPECS.upper)
    low, high = (np.min, np.max) if widest else (np.max, np.min)
    for pair in ([0, 1], [2, 3]):
        lower[pair], upper[pair] = low(problem.lower[pair]), high(problem.upper[pair])
    return lower, upper


def searched(problem: Problem, lower: Array, upper: Array) -> Candidates:
    """The ends of the search in a symmetric box."""
    parameters, objectives = np.empty((1, DESCENTS, COUNT)), np.empty((1, DESCENTS))
    evaluations = np.zeros(1, dtype=np.int64)
    task = problem.task
    search_and_trace(
        book_of(problem), task.quotes, task.root_weights, lower, upper,
        search_speeds(lower[0], upper[0]), 0, 1, parameters, objectives, evaluations,
    )  # fmt: skip
    return Candidates.sorted_by(parameters[0], objectives[0], int(evaluations[0]))


def polished(
    problem: Problem,
    starts: Array,
    evaluations: int,
    order: int = 2,
    damping: float = FAR_AWAY,
    most_steps: int = MOST_STEPS,
) -> Candidates:
    """Newton's method (or Gauss-Newton's, order 1) from every start, inside the bounds."""
    case = case_for(book_of(problem), 0, 1, problem.task)
    ends = np.clip(starts, problem.lower, problem.upper)
    objectives = np.empty(len(ends))
    for i, end in enumerate(ends):
        objectives[i], used = polish(order, damping, most_steps, case, end)
        evaluations += used
    return Candidates.sorted_by(ends, objectives, evaluations)


def scanned(problem: Problem, near: Array) -> Array:
    """Starts inside the bounds from a scan over the speeds, prices linearised near a good fit."""
    case = case_for(book_of(problem), 0, 1, problem.task)
    speeds = [
        np.unique(search_speeds(low, high, BOX_SPEEDS))
        for low, high in zip(problem.lower[:2], problem.upper[:2], strict=True)
    ]
    linearise_around(np.array(near), case)
    starts = np.empty((BOX_STARTS, COUNT))
    return starts[: box_scan(case, speeds[0], speeds[1], starts)]


def persisted(problem: Problem, found: Candidates) -> Candidates:
    """The same ends, those near the best moved on where they are not yet optima."""
    case = case_for(book_of(problem), 0, 1, problem.task)
    ends, objectives = found.parameters.copy(), found.objectives.copy()
    least, evaluations = unresolved_squares(problem.task), found.evaluations
    perfect = PERFECT_FIT * least
    for i, end in enumerate(ends):
        if objectives[i] <= NEARLY_BEST * objectives.min() + perfect:
            objectives[i], used = persist(perfect, case, objectives[i], end)
            evaluations += used
    best = int(np.argmin(objectives))
    objectives[best], used = look_beyond(perfect, least, case, objectives[best], ends[best])
    evaluations += used
    objectives[best] = put_on_bounds(case, objectives[best], ends[best])
    return Candidates.sorted_by(ends, objectives, evaluations)


def sobol_points(problem: Problem, count: int) -> Array:
    """Well spread starts between the bounds, where parameters are likely."""
    lower = np.clip(LIKELY_LOWER, problem.lower, problem.upper)
    upper = np.clip(LIKELY_UPPER, problem.lower, problem.upper)
    points = spread_between(PARAMETER_SPECS, lower, upper, count)
    return np.clip(points, problem.lower, problem.upper)


def searched_rows(problem: Problem, quotes: Array, weights: Array, threads: int | None) -> Array:
    """The search over the speeds, for all rows."""
    compile_kernels()
    n, lower, upper = len(quotes), np.array(problem.lower), np.array(problem.upper)
    ends, objectives = np.empty((n, DESCENTS, COUNT)), np.empty((n, DESCENTS))
    evaluations, book = np.zeros(n, dtype=np.int64), book_of(problem).repeated(n)
    flat, roots = np.ravel(quotes).copy(), np.sqrt(np.ravel(weights))
    speeds = search_speeds(lower[0], upper[0])

    def work(begin: int, end: int) -> None:
        search_and_trace(
            book, flat, roots, lower, upper, speeds, begin, end, ends, objectives, evaluations
        )

    share_days(work, n, threads, FEWEST)
    return problem.canonical(ends[:, 0])


def held_rows(
    problem: Problem,
    quotes: Array,
    weights: Array,
    held: Array,
    starts: Array,
    homes: Array,
    threads: int | None,
    minima: Array | None = None,
    is_near: bool = False,
    limit: float = np.inf,
) -> Array:
    """The search with parameters held, or from the minima of the day (`conditional.py`)."""
    lower, upper = np.array(problem.lower), np.array(problem.upper)
    found, speeds = np.empty((len(quotes), COUNT)), search_speeds(lower[0], upper[0], SPEEDS)
    book, roots = book_of(problem), np.sqrt(weights)
    known = np.empty((0, COUNT)) if minima is None else minima

    def work(begin: int, end: int) -> None:
        solve_conditional(
            book,
            quotes,
            roots,
            lower,
            upper,
            held,
            starts,
            homes,
            known,
            speeds,
            is_near,
            limit,
            begin,
            end,
            found,
        )

    with compilation_notice():
        share_days(work, len(found), threads, fewest=1)
    return found


def _posed(problem: Problem, quotes: Array, weights: Array, held: Array | None) -> Problem:
    """The problem with other quotes and weights, and parameters held."""
    m = len(problem.day.prices)
    lower, upper = np.array(problem.lower), np.array(problem.upper)
    if held is not None:
        is_held = ~np.isnan(held)
        lower[is_held] = upper[is_held] = held[is_held]
        if is_symmetric(problem):  # the factors must not change places
            upper[1] = min(upper[1], upper[0]) if is_held[0] else upper[1]
            lower[0] = max(lower[0], lower[1]) if is_held[1] else lower[0]
    posed = replace(
        problem,
        day=replace(problem.day, prices=frozen(quotes[:m])),
        weights=frozen(weights[:m]),
        lower=frozen(lower),
        upper=frozen(upper),
    )
    if not problem.has_anchor:
        return posed
    values = PARAMETER_SPECS.coordinates.values(quotes[m:])
    anchor = problem.model.from_values(np.clip(values, problem.lower, problem.upper))
    return replace(posed, anchor=anchor, anchor_strength=weights[m:])
