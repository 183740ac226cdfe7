"""Along a valley of nearly perfect fits: every other optimum in it, however shallow.

Quotes without noise, or fewer than there are parameters, can be met almost exactly along a line
through the parameters, and on that line optima with relative errors of 1e-5 to 1e-8 lie between
the exact ones. The grid of the search does not tell them apart. So the valley is walked along: the
faster speed is held at each value of a grid, all else fitted; from every minimum of these fits the
speed is set free. Where that leads to no perfect fit, the grid is refined around the best.
"""

import numpy as np

from calibscope.base.arrays import Array
from calibscope.base.compiled import compiled
from calibscope.calibration.cone import cone_fit
from calibscope.calibration.coordinates import SWAP
from calibscope.calibration.descent import FINE, MOST_STEPS, NEAR_ENOUGH, descend, inner_fit
from calibscope.calibration.objective import COUNT, Task, Work
from calibscope.calibration.polish import FAR_AWAY, NEAR, approach, polish
from calibscope.calibration.surrogate import Grid, Surrogate, fill_column, scan
from calibscope.models.g2.book import CapBook
from calibscope.models.g2.caps import Scratch
from calibscope.models.g2.variance import basis_rows

PLACES, REFINEMENTS = 17, 5  # of the grid around the best
NEIGHBOURHOOD = 1.2  # times the faster speed, to either side


@compiled
def trace_valley(
    perfect: float,
    book: CapBook,
    day: int,
    task: Task,
    grid: Grid,
    scratch: Scratch,
    surrogate: Surrogate,
    work: Work,
    best: float,
    parameters: Array,
) -> tuple[float, int]:
    """Move `parameters` to the best optimum of their valley; the objective and the evaluations."""
    n, m = grid.speeds.size, task.quotes.size
    heights, points = np.full(n, np.inf), np.empty((n, COUNT))
    start, evaluations = parameters.copy(), 0
    # Leaves prices linearised at these parameters, where the linear problem is nearly exact.
    inner_fit(book, day, task, scratch, surrogate, NEAR_ENOUGH, start)
    largest = min(task.upper[2], task.upper[3]) ** 2
    scan(1, book, day, m, grid, largest, surrogate)
    for i in range(1, n):
        row = surrogate.values[i, : i + 1]  # the last one is inf
        for j in range(i):
            if row[j] > row[j + 1] or (j > 0 and row[j] > row[j - 1]):
                continue
            start[0], start[1] = grid.speeds[i], grid.speeds[j]
            start[2:] = surrogate.solutions[i, j]
            value, used = held_fit(book, day, task, scratch, surrogate, work, start)
            evaluations += used
            if value < heights[i]:
                heights[i] = value
                points[i] = start
    best, used = released(
        perfect, heights, points, book, day, task, scratch, surrogate, work, best, parameters
    )
    evaluations += used
    if parameters[0] < parameters[1]:
        parameters[:] = parameters[SWAP]
    low, high = parameters[0] / NEIGHBOURHOOD, parameters[0] * NEIGHBOURHOOD
    for _ in range(REFINEMENTS):
        if best <= perfect:
            break
        fine = np.full(PLACES, np.inf)
        for i in range(PLACES):
            start[:] = parameters
            inner_fit(book, day, task, scratch, surrogate, NEAR_ENOUGH, start)
            start[0] = low * (high / low) ** (i / (PLACES - 1.0))
            linear_fit(book, day, task, scratch, surrogate, start)
            fine[i], used = held_fit(book, day, task, scratch, surrogate, work, start)
            evaluations += used
            points[i] = start
        lowest = points[np.argmin(fine), 0]
        best, used = released(
            perfect, fine, points, book, day, task, scratch, surrogate, work, best, parameters
        )
        evaluations += used
        width = (high / low) ** (1.0 / PLACES)
        low, high = lowest / width, lowest * width
    return best, evaluations


@compiled
def linear_fit(
    book: CapBook,
    day: int,
    task: Task,
    scratch: Scratch,
    surrogate: Surrogate,
    parameters: Array,
) -> None:
    """Volatilities and correlation at other speeds, with prices linearised as they are."""
    periods = slice(book.periods_of_day[day], book.periods_of_day[day + 1])
    basis = scratch.basis
    basis_rows(
        parameters[0], parameters[1], book.reset[periods], book.span[periods], 1, scratch.decays,
        basis,
    )  # fmt: skip
    for p in range(3):
        fill_column(book, day, basis[p], surrogate.slopes, surrogate.design[p])
    largest = min(task.upper[2], task.upper[3]) ** 2
    cone_fit(
        surrogate.design, surrogate.target, task.quotes.size, largest, FINE, surrogate.angles,
        parameters[2:],
    )  # fmt: skip


@compiled
def held_fit(
    book: CapBook,
    day: int,
    task: Task,
    scratch: Scratch,
    surrogate: Surrogate,
    work: Work,
    parameters: Array,
) -> tuple[float, int]:
    """The best fit with the faster speed held, in place."""
    for p in range(COUNT):
        parameters[p] = min(max(parameters[p], task.lower[p]), task.upper[p])
    lower, upper = task.lower.copy(), task.upper.copy()
    lower[0] = upper[0] = parameters[0]
    held = Task(task.quotes, task.root_weights, lower, upper, task.anchor, task.strength)
    _, used = descend(
        MOST_STEPS, NEAR_ENOUGH, book, day, held, scratch, surrogate, work, parameters
    )
    value, more = approach(2, FAR_AWAY, MOST_STEPS, book, day, held, scratch, work, parameters)
    return value, used + more


@compiled
def released(
    perfect: float,
    heights: Array,
    points: Array,
    book: CapBook,
    day: int,
    task: Task,
    scratch: Scratch,
    surrogate: Surrogate,
    work: Work,
    best: float,
    parameters: Array,
) -> tuple[float, int]:
    """Newton's method in all parameters from every minimum of the heights, the lowest first."""
    evaluations, n = 0, heights.size
    for i in np.argsort(heights):
        if best <= perfect or not heights[i] < np.inf:
            break
        if (i > 0 and heights[i - 1] < heights[i]) or (i < n - 1 and heights[i + 1] < heights[i]):
            continue
        start = points[i].copy()
        _, used = descend(MOST_STEPS, NEAR_ENOUGH, book, day, task, scratch, surrogate, work, start)
        value, more = polish(2, NEAR, MOST_STEPS, book, day, task, scratch, work, start)
        evaluations += used + more
        if value < best:
            best = value
            parameters[:] = start
    return best, evaluations
