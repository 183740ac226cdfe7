r"""The global optimum of a day: a search over the two speeds alone.

For given speeds the variance of every caplet is linear in three numbers, :math:`\Sigma_i^2 = u A_i
+ v B_i + 2 w D_i` with u = sigma_x^2, v = sigma_y^2, w = rho sigma_x sigma_y, and |rho| <= 1 says
that [[u, w], [w, v]] is positive semidefinite. Prices are smooth in Sigma^2, and all good fits have
nearly the same variances, because they have nearly the same prices. So prices are linearised once
in the variances,

.. math:: g_k \approx g_k^0 + \sum_i M_{ki} (\Sigma_i^2 - \Sigma_{i,0}^2),

and for every pair of speeds of a grid the best (u, v, w) is a linear least-squares problem in a
cone (`surrogate.py`, `cone.py`). That costs a microsecond, so a fine grid of all pairs is
affordable. The deepest valley points of this grid are then measured with true prices. From those
that have no lower neighbour Newton's method goes down in the two speeds, all else at its best
(`descent.py`), and finally in all five parameters (`polish.py`). The best end is the answer. The
linearisation is renewed at the best point of two coarse passes.
"""

from functools import cache

import numpy as np

from calibscope.base.arrays import Array, Indices
from calibscope.base.compiled import compilation_notice, compiled
from calibscope.calibration.cone import ANGLES
from calibscope.calibration.descent import (
    MOST_STEPS,
    NEAR_ENOUGH,
    ROUGH,
    descend,
    inner_fit,
    look_around,
)
from calibscope.calibration.objective import COUNT, Task, Work, residuals_at, work_for
from calibscope.calibration.polish import NEAR, polish
from calibscope.calibration.surrogate import (
    SLOW,
    VALLEYS,
    Grid,
    Surrogate,
    collect_valleys,
    fill_grid,
    find_level,
    linearise,
    scan,
    scan_between,
    set_variance,
)
from calibscope.calibration.trace import trace_valley
from calibscope.models.g2.book import CapBook
from calibscope.models.g2.caps import Scratch, scratch_for

SPEEDS = 64
DESCENTS = 6  # at most so many valleys are descended
FALLBACK = (0.5, 0.05, 0.01, 0.01, -0.7)
COARSE = 8  # every eighth speed in the first passes
WORTH_A_LOOK = 4.0  # times the lowest sum of squares on the grid
START_VOL = 0.008  # normal vol from which the level is found
UNRESOLVED = 0.002  # relative errors up to which the grid does not tell valleys apart
PERFECT_FIT = 1e-20  # of their squares: nothing is left to find
NEARLY_PERFECT = 1e-2  # of their squares: a better optimum may lie in the same valley
HOPELESS = 2.0  # a valley whose bottom on the grid is this much higher is not descended
SAME_FIT = 1e-3  # of the sum of squares, between the residuals of descents that end together
FIRST_STEPS, HALF_WAY = 5, 1e-4  # steps, and relative changes, after which descents are compared
NEARLY_BEST = 1.02  # ends this near to the best are polished


def search_speeds(lower: float, upper: float) -> Array:
    """The grid of speeds: equal steps of log(a + 0.01), since below a = 0.01 little changes."""
    steps = np.linspace(np.log(lower + SLOW), np.log(upper + SLOW), SPEEDS)
    speeds = np.exp(steps) - SLOW
    speeds[0], speeds[-1] = lower, upper
    return speeds


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
    book: CapBook,
    day: int,
    task: Task,
    grid: Grid,
    scratch: Scratch,
    surrogate: Surrogate,
    work: Work,
    ends: Array,
    end_values: Array,
) -> tuple[int, int]:
    """Ends of the descents into the best valleys of one day; how many, and the evaluations used."""
    m = task.quotes.size
    periods = slice(book.periods_of_day[day], book.periods_of_day[day + 1])
    resets, spans = book.reset[periods], book.span[periods]
    largest = min(task.upper[2], task.upper[3]) ** 2
    for i in range(resets.size):
        surrogate.variance[i] = (START_VOL * spans[i]) ** 2 * resets[i]
    find_level(book, day, task, resets.size, scratch, surrogate)
    for _ in range(2):
        i, j = scan(COARSE, book, day, m, grid, largest, surrogate)
        set_variance(i, j, resets.size, grid, surrogate)
        linearise(book, day, task, scratch, surrogate)
    i, j = scan(2, book, day, m, grid, largest, surrogate)
    # The grid cannot tell how deep a valley of nearly perfect fits is between its points.
    unresolved = 0.0
    for k in range(m):
        unresolved += (UNRESOLVED * task.root_weights[k] * task.quotes[k]) ** 2
    limit = WORTH_A_LOOK * max(surrogate.values[i, j], unresolved)
    scan_between(limit, book, day, m, grid, largest, surrogate)
    count = collect_valleys(limit, grid, surrogate)
    # The true heights of the valley points; descents start where no neighbour is lower.
    places, heights, starts = surrogate.places, surrogate.heights, surrogate.starts
    for c in range(count):
        i, j = places[c, 0], places[c, 1]
        starts[c, 0], starts[c, 1] = grid.speeds[i], grid.speeds[j]
        starts[c, 2:] = surrogate.solutions[i, j]
        for p in range(COUNT):
            starts[c, p] = min(max(starts[c, p], task.lower[p]), task.upper[p])
        heights[c] = inner_fit(book, day, task, scratch, surrogate, ROUGH, starts[c])
    evaluations, kept, best = count, 0, np.inf
    fitted = np.empty((len(end_values), m))
    for c in np.argsort(heights[:count]):
        if kept == len(end_values) or heights[c] > HOPELESS * max(best, unresolved):
            break
        if best <= PERFECT_FIT * unresolved:
            break
        is_lowest = True
        for other in range(count):
            away = max(abs(places[other, 0] - places[c, 0]), abs(places[other, 1] - places[c, 1]))
            is_lowest &= away != 1 or heights[other] >= heights[c]
        if not is_lowest:
            continue
        end = starts[c]
        value, used = descend(FIRST_STEPS, HALF_WAY, book, day, task, scratch, surrogate, work, end)
        evaluations += used
        best = min(best, value)
        residuals_at(0, end, book, day, task, scratch, work, work.trial_residuals)
        place = same_fit(work.trial_residuals[:m], fitted[:kept], value)
        if place == kept or value < end_values[place]:
            ends[place], end_values[place] = end, value
            fitted[place] = work.trial_residuals[:m]
        kept = max(kept, place + 1)
    if kept == 0:  # no valley at all: quotes that no model comes near
        for p in range(COUNT):
            ends[0, p] = min(max(FALLBACK[p], task.lower[p]), task.upper[p])
        end_values[0], kept = np.inf, 1
    for c in range(kept):
        if end_values[c] <= NEARLY_BEST * best:
            end_values[c], used = descend(
                MOST_STEPS, NEAR_ENOUGH, book, day, task, scratch, surrogate, work, ends[c]
            )
            evaluations += used
            end_values[c], used = look_around(
                book, day, task, scratch, surrogate, work, end_values[c], ends[c]
            )
            evaluations += used
            best = min(best, end_values[c])
    for c in range(kept):
        if end_values[c] <= NEARLY_BEST * best:
            end_values[c], used = polish(
                2, NEAR, 5 * MOST_STEPS, book, day, task, scratch, work, ends[c]
            )
            evaluations += used
            best = min(best, end_values[c])
    lowest = np.argmin(end_values[:kept])
    if PERFECT_FIT * unresolved < best < NEARLY_PERFECT * unresolved:
        end_values[lowest], used = trace_valley(
            PERFECT_FIT * unresolved, book, day, task, grid, scratch, surrogate, work, best,
            ends[lowest],
        )  # fmt: skip
        evaluations += used
    return kept, evaluations


@compiled
def same_fit(residuals: Array, fitted: Array, value: float) -> int:
    """Which of the fits found so far has almost the same residuals; their number if none has."""
    for c in range(len(fitted)):
        if np.sum((fitted[c] - residuals) ** 2) <= SAME_FIT * value:
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
    """The same for days begin, ..., end - 1, all with the same bounds; best end first."""
    n, scratch = speeds.size, scratch_for(book, begin, end)
    periods, caplets, caps = scratch.basis.shape[1], scratch.caplets.shape[1], 0
    for day in range(begin, end):
        caps = max(caps, book.caps_of_day[day + 1] - book.caps_of_day[day])
    grid = Grid(speeds, np.empty((n, periods)), np.empty((n, periods)))
    work, none = work_for(caps), np.zeros(COUNT)
    surrogate = Surrogate(
        np.empty(periods), np.empty(caplets), np.empty(caps), np.empty(caps), np.empty((3, caps)),
        np.empty((n, caps)), np.empty(ANGLES), np.empty(periods), np.full((n, n), np.inf),
        np.empty((n, n, 3)), np.empty((VALLEYS, 2), np.int64), np.empty(VALLEYS),
        np.empty((VALLEYS, COUNT)),
    )  # fmt: skip
    last = -1
    for day in range(begin, end):
        if last < 0 or not same_schedule(book, last, day):
            first, stop = book.periods_of_day[day], book.periods_of_day[day + 1]
            fill_grid(book.reset[first:stop], book.span[first:stop], grid)
        last = day
        own = slice(book.caps_of_day[day], book.caps_of_day[day + 1])
        task = Task(quotes[own], root_weights[own], lower, upper, none, none)
        count, evaluations[day] = search_day(
            book, day, task, grid, scratch, surrogate, work, ends[day], end_values[day]
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
