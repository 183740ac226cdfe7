"""The compiled solvers of one problem, ready to be called one point at a time.

Local minima, near-optimal set and plausible fit ask for hundreds of small minimisations of the same
day. The bench keeps what these share: the packed caps, the working memory, and the scan of all
pairs of speeds (`search.py`) with the prices linearised at the best fit, where it is nearly exact.
"""

from typing import NamedTuple

import numpy as np

from calibscope.base.arrays import Array, BoolArray
from calibscope.calibration.g2.case import Task, case_of, memory_for, with_task
from calibscope.calibration.g2.coordinates import scaled
from calibscope.calibration.g2.descent import MOST_STEPS, NEAR_ENOUGH, descend
from calibscope.calibration.g2.equal_speeds import is_near_equal_speeds, walk_equal_speeds
from calibscope.calibration.g2.objective import mark_free, normal_equations, residuals_at
from calibscope.calibration.g2.pairs import pairs_for, scan, set_schedule
from calibscope.calibration.g2.polish import FAR_AWAY, NEAR, polish
from calibscope.calibration.g2.search import compile_kernels, search_speeds
from calibscope.calibration.g2.surrogate import linearise, set_basis, set_variance
from calibscope.calibration.problem import Problem

SPEEDS = 64  # of the scan
NEAR_BOUND = 1e-4  # in scaled coordinates: near enough to try the bound itself
ROUNDS = 3
ROUNDING = 1e-9  # of the sum of squares, where the factors nearly cancel
STATIONARY = 1e-9  # of the sum of squares, that a Newton step promises


class Local(NamedTuple):
    """Gradient and half the Hessian of the objective at a point, in scaled coordinates."""

    objective: float
    gradient: Array  # (5,) halved
    curvature: Array  # (5, 5) halved
    is_free: BoolArray  # (5,)

    @property
    def promised(self) -> float:
        """How much of the objective a Newton step in the free parameters promises to save."""
        free = self.is_free
        if not free.any() or not self.objective > 0:
            return 0.0
        slope, second_order = self.gradient[free], self.curvature[np.ix_(free, free)]
        size = np.sqrt(np.abs(np.diag(second_order)) + 1e-300)
        values, vectors = np.linalg.eigh(second_order / np.outer(size, size))
        along = vectors.T @ (slope / size)
        return float(np.sum(along**2 / np.maximum(np.abs(values), 1e-9)) / self.objective)


class PairScan(NamedTuple):
    """The linear problem at all pairs of a grid of speeds; pairs i > j are filled."""

    speeds: Array  # (n,)
    values: Array  # (n, n) sums of squares, inf where i <= j
    solutions: Array  # (n, n, 3) sigma_x, sigma_y, rho_xy

    def point(self, i: int, j: int) -> Array:
        """Parameters at a pair."""
        return np.array([self.speeds[i], self.speeds[j], *self.solutions[i, j]])


class Workbench:
    """The compiled solvers of one problem."""

    def __init__(self, problem: Problem) -> None:
        compile_kernels()
        self.problem = problem
        self.case = case_of(problem.book, 0, problem.task, memory_for(problem.book, 0, 1))

    def polished(
        self,
        start: Array,
        fixed: tuple[int, ...] = (),
        steps: int = MOST_STEPS,
        task: Task | None = None,
        damping: float = FAR_AWAY,
    ) -> tuple[float, Array]:
        """Newton's method from a start, with some parameters kept at their values there.

        `task` is minimised instead of the problem, where it is given.
        """
        point = np.clip(start, self.problem.lower, self.problem.upper)
        task = task or self.case.task
        if fixed:
            lower, upper = task.lower.copy(), task.upper.copy()
            for p in fixed:
                lower[p] = upper[p] = point[p]
            task = task._replace(lower=lower, upper=upper)
        value, _ = polish(2, damping, steps, with_task(task, self.case), point)
        return float(value), point

    def descended(self, start: Array) -> tuple[float, Array]:
        """Down in the two speeds, all else at its best, and then in all five parameters."""
        point = np.clip(start, self.problem.lower, self.problem.upper)
        if self.problem.is_plain:
            self._descend(point)
        return self.polished(point)

    def finished(self, value: float, point: Array) -> tuple[float, Array]:
        """From near an optimum to it, along flat directions and to bounds that are near."""
        for _ in range(ROUNDS):
            before = value
            for is_descent in (False, True):
                trial = point.copy()
                if is_descent and self.problem.is_plain:
                    self._descend(trial)
                end = self.polished(trial, damping=NEAR)
                value, point = min((value, point), end, key=lambda pair: pair[0])
            if before - value <= ROUNDING * value:
                break
        return self.at_near_bounds(value, point)

    def _descend(self, point: Array) -> None:
        """In place: Newton's method in the speeds, all else at its best, and along equal speeds."""
        descend(MOST_STEPS, NEAR_ENOUGH, self.case, point)
        if is_near_equal_speeds(point):
            walk_equal_speeds(self.case, point)

    def at_near_bounds(self, value: float, point: Array) -> tuple[float, Array]:
        """The same optimum with parameters at the bounds that they nearly reach, if not worse."""
        lower, upper = scaled(self.problem.lower), scaled(self.problem.upper)
        here = scaled(point)
        near_low = (here > lower) & (here < lower + NEAR_BOUND)
        near_high = (here < upper) & (here > upper - NEAR_BOUND)
        if not (near_low | near_high).any():
            return value, point
        trial = np.where(near_low, self.problem.lower, point)
        trial = np.where(near_high, self.problem.upper, trial)
        moved, trial = self.polished(trial)
        return (moved, trial) if moved <= value * (1.0 + ROUNDING) else (value, point)

    def local(self, point: Array) -> Local:
        """Gradient and curvature at a point."""
        work = self.case.work
        value = residuals_at(2, point, self.case, work.residuals)
        normal_equations(2, point, self.case)
        mark_free(point, self.case)
        return Local(float(value), work.gradient.copy(), work.curvature.copy(), work.is_free.copy())

    def scan_around(self, point: Array) -> PairScan:
        """All pairs of speeds, with prices linearised in the variances of a good fit."""
        book, lower, upper = self.case.book, self.problem.lower, self.problem.upper
        speeds = search_speeds(lower[0], upper[0], SPEEDS)
        pairs = pairs_for(speeds, book.reset.size, len(self.problem.weights))
        set_schedule(book.reset, book.span, pairs)
        set_basis(point, self.case)
        set_variance(point, self.case)
        linearise(self.case)
        scan(self.case, pairs)
        return PairScan(speeds, pairs.values, pairs.solutions)
