"""The map of local minima: which other fits a solver could have returned, and how near they come.

From 96 well spread starts, and from the candidates of the global search, Newton's method goes down.
(For G2++ first in the speeds with everything else at its best, then in all five parameters: started
in five dimensions, two of three starts are still crawling along a degenerate direction after a
hundred steps; that would be a map of the solver, not of the problem.) Descents that end with the
same objective and the same parameters in canonical order are one optimum: mirror images are not
counted twice, and those that price alike on a flat part, such as all one-factor fits with equal
speeds, are one.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from calibscope.base.arrays import Array, frozen
from calibscope.base.parameters import bound_marks
from calibscope.calibration.bench import ROUNDING, STATIONARY, Bench
from calibscope.calibration.problem import PERFECT, Problem
from calibscope.calibration.search import search_for
from calibscope.models.model import Model

STARTS = 96
FINISHES = 12
WAY_POINTS = 7
SAME_OBJECTIVE = 1e-6  # relative
SAME_PARAMETERS = 1e-3  # in scaled coordinates
CLOSE_RMSRE = 0.01  # a runner-up within 1 % of the best RMSRE
SAME_PRICES = 1e-3  # and with prices within 0.1 % is the same fit in all but parameters
FLAT_PRICES = 1e-6  # relative, between ends on a flat part of the problem
PLATEAU = 1e-9  # of the objective, that a step of one changes: prices are gone
DEFINITE = 1e-14  # eigenvalues are known to this, relative to the largest
SADDLE = 1e-3  # relative: a negative eigenvalue that is more than a flat direction's rounding


@dataclass(frozen=True, slots=True, eq=False)
class Optimum:
    """A local optimum."""

    parameters: Model  # in canonical order
    objective: float
    rmsre: float
    share_of_starts: float  # of the Sobol starts that ended here
    at_bound: Array  # (p,) -1 at the lower, 1 at the upper bound, else 0
    smallest_curvature: float  # least eigenvalue of the Hessian on free parameters over the largest

    @property
    def has_equal_speeds(self) -> bool:
        """Whether two factors have the same speed: a model with fewer."""
        return self.parameters.has_equal_speeds(self.parameters.values)

    @property
    def is_strict(self) -> bool:
        """Whether the Hessian is positive definite on the free parameters, beyond rounding."""
        return self.smallest_curvature > DEFINITE


@dataclass(frozen=True, slots=True, eq=False)
class LocalMinima:
    """The distinct local optima of a day, best first."""

    optima: tuple[Optimum, ...]
    starts: int  # Sobol starts
    unfinished_share: (
        float  # of them that reached no optimum: still creeping along a flat direction
    )
    largest_price_gap: float  # between best and runner-up, relative; nan without a runner-up

    @property
    def best(self) -> Optimum:
        """The best optimum."""
        return self.optima[0]

    @property
    def runner_up(self) -> Optimum | None:
        """The second best."""
        return self.optima[1] if len(self.optima) > 1 else None

    @property
    def gap(self) -> float:
        """How much larger the runner-up's RMSRE is, relative; infinite without a runner-up.

        RMSRE_2 / RMSRE_1 - 1, with the paper's RMSRE (eq. rmsre_objective).
        """
        if self.runner_up is None:
            return float("inf")
        if self.best.rmsre <= PERFECT:
            return 0.0 if self.runner_up.rmsre <= PERFECT else float("inf")
        return self.runner_up.rmsre / self.best.rmsre - 1.0

    @property
    def is_same_fit_other_parameters(self) -> bool:
        """Whether the runner-up fits and prices like the best, with other parameters."""
        return bool(abs(self.gap) <= CLOSE_RMSRE and self.largest_price_gap <= SAME_PRICES)


def local_minima(
    problem: Problem,
    known: Iterable[Model] = (),
    bench: Bench | None = None,
    starts: int = STARTS,
) -> LocalMinima:
    """Map the local optima of a day.

    Parameters
    ----------
    problem : quotes, weights and bounds
    known : ends that are known already, such as those of a fit; without, the search is run
    bench : the solvers of the same problem, if there is one already
    starts : how many to spread; 0 follows the known ends alone

    Returns
    -------
    LocalMinima
        the optima, best first
    """
    search = search_for(problem.model)
    bench = bench or search.bench(problem)
    points = [model.values for model in known] or list(search.solve(problem).parameters)
    ends = [bench.finished(*bench.descended(point)) for point in points]
    value, point = min(ends, key=lambda end: end[0])
    optima = [_Found(value, bench.problem.canonical(point))]
    for value, point in ends:
        _refine(bench, optima, value, point, finishes=1)
    finishes, unfinished = FINISHES, 0
    for start in bench.starts(optima[0].point, starts) if starts else ():
        found, used = _refine(bench, optima, *bench.descended(start), finishes)
        finishes -= used
        if found is None:
            unfinished += 1
        else:
            found.count += 1
    optima.sort(key=lambda found: found.value)
    return LocalMinima(
        tuple(_optimum(bench, found, starts) for found in optima),
        starts,
        unfinished / max(starts, 1),
        _price_gap(problem, *(found.point for found in optima[:2]))
        if len(optima) > 1
        else float("nan"),
    )


@dataclass(slots=True, eq=False)
class _Found:
    value: float
    point: Array
    count: int = 0  # starts that ended here


def _refine(
    bench: Bench, optima: list[_Found], value: float, point: Array, finishes: int
) -> tuple[_Found | None, int]:
    """The optimum where a descent ended, a new one if need be; None if it is none.

    A descent that neither met a known optimum nor stands still creeps along a flat direction. If
    the straight way from there to a known optimum leads downhill, it belongs to that one. Otherwise
    it is continued, at most `finishes` times in all, since this takes long: how many were used is
    returned too.
    """
    used = 0
    while True:
        point = bench.problem.canonical(point)
        for found in optima:
            if _is_same(bench, value, point, found):
                return found, used
        if _is_perfect(bench.problem, value) or _is_minimum(bench, point):
            optima.append(_Found(value, point))
            return optima[-1], used
        for found in optima:
            if _leads_downhill(bench, value, point, found):
                return found, used
        if used or not finishes:
            return None, used
        value, point = bench.finished(value, point)
        used = 1


def _is_minimum(bench: Bench, point: Array) -> bool:
    """Whether a point is stationary, and not on a plateau or a saddle, where it curves down."""
    local = bench.local(point)
    free = local.curvature[np.ix_(local.is_free, local.is_free)]
    if local.promised > STATIONARY or (
        free.size and np.abs(free).max() < PLATEAU * local.objective
    ):
        return False
    return _smallest_curvature(bench, point) > -SADDLE


def _leads_downhill(bench: Bench, value: float, point: Array, found: _Found) -> bool:
    """Whether the fit improves all the way to an optimum, what does not lead refitted."""
    for share in np.linspace(0.0, 1.0, WAY_POINTS + 2)[1:-1]:
        here, _ = bench.polished(point + share * (found.point - point), fixed=bench.leading)
        if here > value * (1.0 + ROUNDING):
            return False
        value = here
    return found.value <= value * (1.0 + ROUNDING)


def _is_perfect(problem: Problem, value: float) -> bool:
    return value <= problem.perfect_objective


def _is_same(bench: Bench, value: float, point: Array, found: _Found) -> bool:
    """Whether a point is a known optimum, perhaps with its factors swapped or on a flat part."""
    problem, place = bench.problem, found.point
    both_perfect = _is_perfect(problem, value) and _is_perfect(problem, found.value)
    if not both_perfect and abs(value - found.value) > SAME_OBJECTIVE * found.value:
        return False
    scale = problem.specs.coordinates
    for same in problem.model.equivalents(point):
        if np.abs(scale.of(same) - scale.of(place)).max() <= SAME_PARAMETERS:
            return True
    # With equal speeds, or too few quotes, infinitely many parameters price alike.
    is_flat = np.count_nonzero(problem.has_weight) < problem.free_count or (
        _smallest_curvature(bench, point) <= DEFINITE
        and _smallest_curvature(bench, place) <= DEFINITE
    )
    return is_flat and _price_gap(problem, point, place) <= FLAT_PRICES


def _smallest_curvature(bench: Bench, point: Array) -> float:
    """Least eigenvalue of the Hessian on the free parameters, over the largest."""
    local = bench.local(point)
    free = local.is_free
    if not free.any():
        return 1.0
    spectrum = np.linalg.eigvalsh(local.curvature[np.ix_(free, free)])
    return float(spectrum[0] / max(np.abs(spectrum).max(), 1e-300))


def _optimum(bench: Bench, found: _Found, starts: int) -> Optimum:
    problem, point = bench.problem, found.point
    marks = frozen(bound_marks(point, problem.lower, problem.upper).astype(float))
    return Optimum(
        problem.model.from_values(point), found.value, problem.rmsre(point),
        found.count / max(starts, 1), marks, _smallest_curvature(bench, point),
    )  # fmt: skip


def _price_gap(problem: Problem, one: Array, other: Array) -> float:
    gap = (problem.values(one, 0).prices - problem.values(other, 0).prices) / problem.day.prices
    return float(np.abs(gap[problem.has_weight]).max())
