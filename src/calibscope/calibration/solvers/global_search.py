"""`global`: the optimum of the whole box, by the search over the two speeds (`search.py`).

Where the two factors have different bounds, a parameter is fixed or an anchor pulls, the search
finds the flat regions of the free problem around it and inside it; from each of them, in both
orders of the factors, and from a few dozen Sobol points, Newton's method then solves the problem as
posed.
"""

import numpy as np

from calibscope.base.arrays import Array
from calibscope.calibration.candidates import Candidates
from calibscope.calibration.g2.beyond import look_beyond
from calibscope.calibration.g2.box_scan import box_scan
from calibscope.calibration.g2.case import COUNT, case_of, memory_for
from calibscope.calibration.g2.coordinates import SWAP
from calibscope.calibration.g2.descent import MOST_STEPS
from calibscope.calibration.g2.persist import persist
from calibscope.calibration.g2.polish import FAR_AWAY, NEAR, polish, put_on_bounds
from calibscope.calibration.g2.resolution import PERFECT_FIT, unresolved_squares
from calibscope.calibration.g2.search import (
    DESCENTS,
    NEARLY_BEST,
    linearise_around,
    search_and_trace,
    search_speeds,
)
from calibscope.calibration.problem import LOWER, UPPER, Problem

SOBOL_POINTS = 64
BOX_SPEEDS, BOX_STARTS = 20, 24
FINISHES = 6
LIKELY_LOWER = np.array([1e-3, 1e-4, 1e-3, 1e-3, -1.0])
LIKELY_UPPER = np.array([5.0, 1.0, 0.1, 0.1, 0.5])


def solve(problem: Problem, start: Array) -> Candidates:
    """The best optimum, and the others that were found; `start` is not needed."""
    ends = searched(problem, *symmetric_box(problem, widest=True))
    if problem.is_plain:
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
    # The best once more, with patience: flat regions are long, and bounds make them crooked.
    best = found.parameters[:FINISHES]
    found = polished(problem, best, found.evaluations, damping=NEAR, most_steps=10 * MOST_STEPS)
    return persisted(problem, found)


def symmetric_box(problem: Problem, widest: bool) -> tuple[Array, Array]:
    """The same bounds for both factors, all correlations: around, or inside, the problem's."""
    lower, upper = np.array(LOWER), np.array(UPPER)
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
        problem.book, task.quotes, task.root_weights, lower, upper,
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
    case = case_of(problem.book, 0, problem.task, memory_for(problem.book, 0, 1))
    ends = np.clip(starts, problem.lower, problem.upper)
    objectives = np.empty(len(ends))
    for i, end in enumerate(ends):
        objectives[i], used = polish(order, damping, most_steps, case, end)
        evaluations += used
    return Candidates.sorted_by(ends, objectives, evaluations)


def scanned(problem: Problem, near: Array) -> Array:
    """Starts inside the bounds from a scan over the speeds, prices linearised near a good fit."""
    case = case_of(problem.book, 0, problem.task, memory_for(problem.book, 0, 1))
    speeds = [
        np.unique(search_speeds(low, high, BOX_SPEEDS))
        for low, high in zip(problem.lower[:2], problem.upper[:2], strict=True)
    ]
    linearise_around(np.array(near), case)
    starts = np.empty((BOX_STARTS, COUNT))
    return starts[: box_scan(case, speeds[0], speeds[1], starts)]


def persisted(problem: Problem, found: Candidates) -> Candidates:
    """The same ends, those near the best moved on where they are not yet optima."""
    case = case_of(problem.book, 0, problem.task, memory_for(problem.book, 0, 1))
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
    """Well spread starts between the bounds, where parameters are likely; logarithmic but rho."""
    from scipy.stats import qmc  # takes longer to import than a day to calibrate

    lower = np.clip(LIKELY_LOWER, problem.lower, problem.upper)
    upper = np.clip(LIKELY_UPPER, problem.lower, problem.upper)
    # The first point is the corner; the sequence is balanced in powers of two.
    shares = qmc.Sobol(COUNT, scramble=False).random(1 << count.bit_length())[1 : count + 1]
    points = np.empty((count, COUNT))
    points[:, :4] = lower[:4] * (upper[:4] / lower[:4]) ** shares[:, :4]
    points[:, 4] = lower[4] + (upper[4] - lower[4]) * shares[:, 4]
    return points
