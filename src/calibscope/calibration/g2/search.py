r"""The global optimum of a day: a search over the two speeds alone.

For given speeds the variance of every caplet is linear in three numbers, :math:`\Sigma_i^2 = u A_i
+ v B_i + 2 w D_i` with u = sigma_x^2, v = sigma_y^2, w = rho sigma_x sigma_y, and |rho| <= 1 says
that [[u, w], [w, v]] is positive semidefinite. Prices are smooth in Sigma^2, and all good fits have
nearly the same variances, because they have nearly the same prices. So prices are linearised once
in the variances,

.. math:: g_k \approx g_k^0 + \sum_i M_{ki} (\Sigma_i^2 - \Sigma_{i,0}^2),

and for every pair of speeds of a grid the best (u, v, w) is a linear least-squares problem in a
cone (`pairs.py`, `cone.py`). That costs a fraction of a microsecond, so a fine grid of all pairs is
affordable. The lowest points of this grid are then measured with true prices.
From those that have no lower neighbour Newton's method goes down in the two speeds, all else at its
best (`descent.py`), and finally in all five parameters (`polish.py`). The best end is the answer.
The linearisation is renewed at the best point of two coarse passes.

What is linear is taken out of the search: variable projection (Golub and Pereyra, 1973). That the
variance is linear in u, v and w is the paper's formula (section 2.2) read in that way.
"""

import math
from functools import cache

import numpy as np

from calibscope.base.arrays import Array, Indices
from calibscope.base.compiled import compilation_notice, compiled
from calibscope.calibration.g2.beyond import look_beyond
from calibscope.calibration.g2.case import COUNT, Case, case_for, on_day, with_held
from calibscope.calibration.g2.descent import (
    MOST_STEPS,
    NEAR_ENOUGH,
    ROUGH,
    descend,
    inner_fit,
    look_around,
)
from calibscope.calibration.g2.equal_speeds import is_near_equal_speeds, walk_equal_speeds
from calibscope.calibration.g2.grid_minima import grid_minima
from calibscope.calibration.g2.objective import SPEEDS as SPEED_COUNT
from calibscope.calibration.g2.objective import residuals_at
from calibscope.calibration.g2.pairs import (
    Pairs,
    pairs_for,
    scan,
    set_schedule,
    start_at,
)
from calibscope.calibration.g2.persist import persist
from calibscope.calibration.g2.polish import NEAR, polish, put_on_bounds
from calibscope.calibration.g2.resolution import PERFECT_FIT, unresolved_squares
from calibscope.calibration.g2.surrogate import (
    flat_variance,
    linear_fit,
    linearise_at_quotes,
    raise_variance,
    set_basis,
    set_variance,
)
from calibscope.calibration.g2.trace import are_nearly_perfect, trace_days
from calibscope.calibration.problem import Task
from calibscope.models.g2.book import CapBook
from calibscope.models.g2.parameters import SLOW

SPEEDS = 32
GRID_MINIMA = 24  # so many low points of the grid are looked at more closely
DESCENTS, FEWEST_DESCENTS = 8, 3  # so many minima are descended into, if there are
FALLBACK = (0.5, 0.05, 0.01, 0.01, -0.7)
COARSE = 4  # every fourth speed in the first passes
MOST_SCANS = 3
ROUGH_MODEL = 0.05  # relative error of a variance from which the linear model is renewed
WORTH_A_LOOK = 4.0  # times the lowest sum of squares on the grid
HOPELESS = 2.0  # a minimum that is this much higher on the grid is not descended into
SAME_FIT = 1e-4  # of the sum of squares, between the residuals of descents that end together
SAME_SPEEDS = 0.5  # of log(a + 0.01), between the same
FIRST_STEPS, HALF_WAY = 5, 1e-4  # steps, and relative changes, after which descents are compared
PROMISING = 1.3  # ends this near to the best, but still falling, go on
POOR_FIT = 64.0  # times the squares that the grid does not resolve: errors of 3.2 %
NEW_SPEEDS = (0.01, 0.05, 0.2, 0.7, 2.0, 5.0)  # from which the search starts anew
NEARLY_BEST = 1.02  # ends this near to the best are polished


def search_speeds(lower: float, upper: float, count: int = SPEEDS) -> Array:
    """A grid of speeds: equal steps of log(a + 0.01), since below a = 0.01 little changes."""
    steps = np.linspace(np.log(lower + SLOW), np.log(upper + SLOW), count)
    speeds = np.exp(steps) - SLOW
    speeds[0], speeds[-1] = lower, upper
    return speeds


def search_and_trace(
    book: CapBook,
    quotes: Array,
    root_weights: Array,
    lower: Array,
    upper: Array,
    speeds: Array,
    begin: int,
    end: int,
    ends: Array,
    end_values: Array,
    evaluations: Indices,
) -> None:
    """The optima of days begin, ..., end - 1, all with the same bounds; best first.

    Few markets have fits so nearly perfect that their flat direction must be traced (`trace.py`),
    and its kernels are compiled for the first of them.

    Parameters
    ----------
    quotes, root_weights : of all caps of the book
    speeds : the grid
    ends, end_values, evaluations : (n, k, 5), (n, k), (n,) to be filled
    """
    search_days(
        book, quotes, root_weights, lower, upper, speeds, begin, end, ends, end_values, evaluations
    )
    best = end_values[begin:end, 0]
    nearly_perfect = are_nearly_perfect(book, quotes, root_weights, begin, best)
    for day in (begin + np.flatnonzero(nearly_perfect)).tolist():
        with compilation_notice():
            trace_days(
                book, quotes, root_weights, lower, upper, day, day + 1, ends, end_values,
                evaluations,
            )  # fmt: skip


@cache
def compile_kernels() -> None:
    """Compile the kernels of the search, or load them from disk; says so when it takes long."""
    none, zero = np.empty(0), np.zeros(1, dtype=np.int64)
    empty = CapBook(zero, zero, zero, zero[:0], none, none, none, none, none, none)
    with compilation_notice():
        search_days(
            empty, none, none, none, none, np.ones(2), 0, 0, np.empty((0, 1, COUNT)),
            np.empty((0, 1)), zero,
        )  # fmt: skip


@compiled
def search_day(
    case: Case, pairs: Pairs, coarse: Pairs, ends: Array, end_values: Array
) -> tuple[int, int]:
    """Descents from the best starts of one day; how many candidates, and the evaluations used."""
    task, unresolved = case.task, unresolved_squares(case.task)
    perfect = PERFECT_FIT * unresolved
    fitted = np.empty((len(end_values), task.quotes.size))
    kept = evaluations = 0
    error = linearise_well(case, coarse)
    for _ in range(MOST_SCANS):
        scan(case, pairs)
        kept, used = descend_minima(
            kept, unresolved, perfect, case, pairs, ends, end_values, fitted
        )
        evaluations += used
        if kept == 0 or error <= ROUGH_MODEL:
            break
        best = np.argmin(end_values[:kept])
        if end_values[best] <= perfect:
            break
        error = linearise_around(ends[best], case)
    if kept == 0:  # no minimum at all: quotes that no model comes near
        for p in range(COUNT):
            ends[0, p] = min(max(FALLBACK[p], task.lower[p]), task.upper[p])
        end_values[0], kept = np.inf, 1
    evaluations += finish(perfect, case, ends[:kept], end_values[:kept])
    best = np.argmin(end_values[:kept])
    if end_values[best] > POOR_FIT * unresolved:
        end_values[best], used = start_anew(perfect, case, end_values[best], ends[best])
        evaluations += used
    end_values[best], used = look_beyond(perfect, unresolved, case, end_values[best], ends[best])
    end_values[best] = put_on_bounds(case, end_values[best], ends[best])
    return kept, evaluations + used


@compiled
def start_anew(perfect: float, case: Case, best: float, parameters: Array) -> tuple[float, int]:
    """Descend from speeds all over, for fits so poor that the linear model may have misled us."""
    evaluations, task, here = 0, case.task, np.empty(COUNT)
    for fast in NEW_SPEEDS:
        for slow in NEW_SPEEDS:
            if slow >= fast:
                continue
            for p in range(COUNT):
                start = fast if p == 0 else slow if p == 1 else FALLBACK[p]
                here[p] = min(max(start, task.lower[p]), task.upper[p])
            value, used = descend(MOST_STEPS, HALF_WAY, case, here)
            evaluations += used
            if value < PROMISING * best:
                value, used = polish(2, NEAR, 5 * MOST_STEPS, case, here)
                value, more = persist(perfect, case, value, here)
                evaluations += used + more
            if value < best:
                best = value
                parameters[:] = here
    return best, evaluations


@compiled
def descend_minima(
    kept: int,
    unresolved: float,
    perfect: float,
    case: Case,
    pairs: Pairs,
    ends: Array,
    end_values: Array,
    fitted: Array,
) -> tuple[int, int]:
    """Half way down from the lowest places of the scan; how many ends, and the evaluations.

    Parameters
    ----------
    kept : ends that are known from an earlier scan
    fitted : (k, m) residuals at the ends
    """
    starts = np.empty((GRID_MINIMA, COUNT))
    # The grid cannot tell how deep a strip of nearly perfect fits is between its points.
    places = np.empty((GRID_MINIMA, 2), np.int64)
    count = grid_minima(WORTH_A_LOOK, unresolved, case, pairs, places, starts[:, :2])
    heights = np.empty(count)
    trial = np.empty(COUNT)
    for c in range(count):  # all of them first: the inner fits linearise anew
        set_basis(starts[c], case)
        linear = linear_fit(case, starts[c])
        # Beside equal speeds the interpolation of the grid can err.
        start_at(places[c, 0], places[c, 1], pairs, case, trial)
        if not linear <= pairs.values[places[c, 0], places[c, 1]]:
            starts[c] = trial
    for c in range(count):
        heights[c] = inner_fit(ROUGH, case, starts[c])
    best = np.min(end_values[:kept]) if kept > 0 else np.inf
    evaluations = count
    residuals = case.work.trial_residuals[: case.task.quotes.size]
    for descended, c in enumerate(np.argsort(heights)):
        if descended == len(end_values) or best <= perfect:
            break
        if descended >= FEWEST_DESCENTS and heights[c] > HOPELESS * max(best, unresolved):
            break
        end = starts[c]
        if end[0] == case.task.upper[0]:  # an optimum at this edge must not be left in one leap
            evaluations += descend(FIRST_STEPS, HALF_WAY, with_held(0, end, case), end)[1]
        value, used = descend(FIRST_STEPS, HALF_WAY, case, end)
        if used > FIRST_STEPS and value < PROMISING * best:  # still on its way
            value, more = descend(MOST_STEPS, HALF_WAY, case, end)
            used += more
        evaluations += used
        best = min(best, value)
        residuals_at(0, end, case, case.work.trial_residuals)
        place = same_fit(end, residuals, ends[:kept], fitted[:kept], value)
        if place == len(end_values):  # no room: the worst goes
            place = int(np.argmax(end_values))
        if place == kept or value < end_values[place]:
            ends[place], end_values[place] = end, value
            fitted[place] = residuals
        kept = max(kept, place + 1)
    return kept, evaluations


@compiled
def finish(perfect: float, case: Case, ends: Array, end_values: Array) -> int:
    """From half way to the optima, for all ends that are nearly the best; the evaluations.

    Perfect fits differ by rounding alone: all of them count as the best.
    """
    evaluations, best = 0, np.min(end_values)
    is_walked = np.zeros(len(ends), np.bool_)
    for c in range(len(ends)):
        if end_values[c] > NEARLY_BEST * max(best, perfect):
            continue
        if not is_near_equal_speeds(ends[c]):
            end_values[c], used = descend(MOST_STEPS, NEAR_ENOUGH, case, ends[c])
            evaluations += used
            end_values[c], used = look_around(case, end_values[c], ends[c])
            evaluations += used
        if is_near_equal_speeds(ends[c]):
            end_values[c], used = walk_equal_speeds(case, ends[c])
            evaluations += used
            is_walked[c] = True
        best = min(best, end_values[c])
    for c in range(len(ends)):
        if end_values[c] > NEARLY_BEST * max(best, perfect):
            continue
        end_values[c], used = polish(2, NEAR, 5 * MOST_STEPS, case, ends[c])
        evaluations += used
        if is_near_equal_speeds(ends[c]) and not is_walked[c]:
            _, used = walk_equal_speeds(case, ends[c])
            end_values[c], more = polish(2, NEAR, 5 * MOST_STEPS, case, ends[c])
            evaluations += used + more
        end_values[c], used = persist(perfect, case, end_values[c], ends[c])
        evaluations += used
        best = min(best, end_values[c])
    return evaluations


@compiled
def linearise_well(case: Case, pairs: Pairs) -> float:
    """Linearise prices near the best variances, as two scans of a coarse grid find them.

    Returns the largest error of a variance (`linearise_at_quotes`).
    """
    flat_variance(case)
    error, start = linearise_at_quotes(case), np.empty(COUNT)
    for _ in range(2):
        i, j = scan(case, pairs)
        start_at(i, j, pairs, case, start)
        error = linearise_around(start, case)
    return error


@compiled
def linearise_around(parameters: Array, case: Case) -> float:
    """Linearise prices around a fit; the largest error of a variance."""
    set_basis(parameters, case)
    set_variance(parameters, case)
    raise_variance(case)
    return linearise_at_quotes(case)


@compiled
def same_fit(end: Array, residuals: Array, ends: Array, fitted: Array, value: float) -> int:
    """Which of the fits found so far has about the same speeds and residuals; how many, if none."""
    for c in range(len(fitted)):
        is_near = True
        for p in range(SPEED_COUNT):
            is_near &= abs(math.log((end[p] + SLOW) / (ends[c, p] + SLOW))) <= SAME_SPEEDS
        if is_near and np.sum((fitted[c] - residuals) ** 2) <= SAME_FIT * value:
            return c
    return len(fitted)


@compiled
def search_days(
    book: CapBook,
    quotes: Array,
    root_weights: Array,
    lower: Array,
    upper: Array,
    speeds: Array,
    begin: int,
    end: int,
    ends: Array,
    end_values: Array,
    evaluations: Indices,
) -> None:
    """The same for days begin, ..., end - 1; best end first."""
    none = np.zeros(COUNT)
    first_case = case_for(book, begin, end, Task(quotes, root_weights, lower, upper, none, none))
    periods, caps = first_case.scratch.basis.shape[1], first_case.work.prices.size
    pairs = pairs_for(speeds, periods, caps)
    coarse = pairs_for(speeds[::COARSE].copy(), periods, caps)
    last = -1
    for day in range(begin, end):
        if last < 0 or not same_schedule(book, last, day):
            first, stop = book.periods_of_day[day], book.periods_of_day[day + 1]
            for grid in (pairs, coarse):
                set_schedule(book.reset[first:stop], book.span[first:stop], grid)
        last = day
        own = slice(book.caps_of_day[day], book.caps_of_day[day + 1])
        task = Task(quotes[own], root_weights[own], lower, upper, none, none)
        count, evaluations[day] = search_day(
            on_day(day, task, first_case), pairs, coarse, ends[day], end_values[day]
        )
        end_values[day, count:] = np.inf
        ends[day, count:] = np.nan
        order = np.argsort(end_values[day])
        end_values[day] = end_values[day][order]
        ends[day] = ends[day][order]


@compiled
def same_schedule(book: CapBook, one: int, other: int) -> bool:
    """Whether two days have the same periods."""
    a, b = book.periods_of_day[one], book.periods_of_day[other]
    n = book.periods_of_day[one + 1] - a
    if book.periods_of_day[other + 1] - b != n:
        return False
    for i in range(n):
        if book.reset[a + i] != book.reset[b + i] or book.span[a + i] != book.span[b + i]:
            return False
    return True
