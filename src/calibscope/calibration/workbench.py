"""The compiled solvers of one problem, ready to be called one point at a time.

Atlas, valley and plausible fit ask for hundreds of small minimisations of the same day. The bench
keeps what these share: the packed caps, the working memory, and the scan of all pairs of speeds
(`search.py`) with the prices linearised at the best fit, where it is nearly exact.
"""

from typing import NamedTuple

import numpy as np

from calibscope.base.arrays import Array, Marks
from calibscope.calibration.cone import ANGLES
from calibscope.calibration.coordinates import SWAP, scaled
from calibscope.calibration.descent import MOST_STEPS, NEAR_ENOUGH, descend
from calibscope.calibration.objective import (
    COUNT,
    mark_free,
    normal_equations,
    residuals_at,
    work_for,
)
from calibscope.calibration.polish import FAR_AWAY, NEAR, polish
from calibscope.calibration.problem import Problem
from calibscope.calibration.search import SPEEDS, compile_kernels, search_speeds
from calibscope.calibration.surrogate import Grid, Surrogate, fill_grid, linearise, scan
from calibscope.models.g2.caps import scratch_for
from calibscope.models.g2.variance import basis_rows

NEAR_BOUND = 1e-4  # in scaled coordinates: near enough to try the bound itself
ROUNDS = 3
ROUNDING = 1e-9  # of the sum of squares, where the factors nearly cancel
STATIONARY = 1e-9  # of the sum of squares, that a Newton step promises


class Local(NamedTuple):
    """Gradient and half the Hessian of the objective at a point, in scaled coordinates."""

    objective: float
    gradient: Array  # (5,) halved
    curvature: Array  # (5, 5) halved
    is_free: Marks  # (5,)

    @property
    def promised(self) -> float:
        """How much of the objective a Newton step in the free parameters promises to save."""
        free = self.is_free
        if not free.any() or not self.objective > 0:
            return 0.0
        slope, bend = self.gradient[free], self.curvature[np.ix_(free, free)]
        size = np.sqrt(np.abs(np.diag(bend)) + 1e-300)
        values, vectors = np.linalg.eigh(bend / np.outer(size, size))
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
        self.problem, self.book = problem, problem.book
        self.task = problem.task
        self.caps = len(problem.weights)
        self.scratch, self.work = scratch_for(self.book, 0, 1), work_for(self.caps)
        self.surrogate = self._surrogate(SPEEDS)

    def canonical(self, point: Array) -> Array:
        """The faster factor first, where the factors can be swapped."""
        swap = self.problem.is_symmetric and point[0] < point[1]
        return point[SWAP] if swap else point

    def polished(
        self,
        start: Array,
        fixed: tuple[int, ...] = (),
        steps: int = MOST_STEPS,
        root_weights: Array | None = None,
        damping: float = FAR_AWAY,
    ) -> tuple[float, Array]:
        """Newton's method from a start, with some parameters kept at their values there."""
        point = np.clip(start, self.problem.lower, self.problem.upper)
        task = self.task
        if fixed:
            lower, upper = task.lower.copy(), task.upper.copy()
            for p in fixed:
                lower[p] = upper[p] = point[p]
            task = task._replace(lower=lower, upper=upper)
        if root_weights is not None:
            task = task._replace(root_weights=root_weights)
        value, _ = polish(2, damping, steps, self.book, 0, task, self.scratch, self.work, point)
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
        """In place: Newton's method in the speeds, all else at its best."""
        descend(
            MOST_STEPS, NEAR_ENOUGH, self.book, 0, self.task, self.scratch, self.surrogate,
            self.work, point,
        )  # fmt: skip

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
        task, work = self.task, self.work
        value = residuals_at(2, point, self.book, 0, task, self.scratch, work, work.residuals)
        normal_equations(2, point, task, work)
        mark_free(point, task.lower, task.upper, work)
        return Local(float(value), work.gradient.copy(), work.curvature.copy(), work.is_free.copy())

    def scan_around(self, point: Array) -> PairScan:
        """All pairs of speeds, with prices linearised in the variances of a good fit."""
        periods = slice(self.book.periods_of_day[0], self.book.periods_of_day[1])
        resets, spans = self.book.reset[periods], self.book.span[periods]
        speeds = search_speeds(self.problem.lower[0], self.problem.upper[0])
        grid = Grid(speeds, np.empty((SPEEDS, resets.size)), np.empty((SPEEDS, resets.size)))
        fill_grid(resets, spans, grid)
        basis, surrogate = self.scratch.basis, self.surrogate
        basis_rows(point[0], point[1], resets, spans, 1, self.scratch.decays, basis)
        u, v, w = point[2] ** 2, point[3] ** 2, 2.0 * point[4] * point[2] * point[3]
        x, y = u * basis[0, : resets.size], v * basis[1, : resets.size]
        variance = np.maximum(x + y + w * basis[2, : resets.size], 1e-13 * (x + y))
        surrogate.variance[: resets.size] = variance
        linearise(self.book, 0, self.task, self.scratch, surrogate)
        largest = float(self.problem.upper[2]) ** 2
        scan(1, self.book, 0, self.caps, grid, largest, surrogate)
        return PairScan(speeds, surrogate.values.copy(), surrogate.solutions.copy())

    def _surrogate(self, n: int) -> Surrogate:
        periods, caplets = self.scratch.basis.shape[1], self.scratch.caplets.shape[1]
        return Surrogate(
            variance=np.empty(periods),
            slopes=np.empty(caplets),
            prices=np.empty(self.caps),
            target=np.empty(self.caps),
            design=np.empty((3, self.caps)),
            columns=np.empty((n, self.caps)),
            angles=np.empty(ANGLES),
            basis=np.empty(periods),
            values=np.full((n, n), np.inf),
            solutions=np.empty((n, n, 3)),
            places=np.empty((1, 2), np.int64),
            heights=np.empty(1),
            starts=np.empty((1, COUNT)),
        )
