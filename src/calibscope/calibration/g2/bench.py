"""The compiled solvers of one problem of G2++, ready to be called one point at a time.

The bench keeps what calls share: the packed caps, the working memory, and the scan of all pairs of
speeds (`search.py`) with the prices linearised at the best fit, where it is nearly exact.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from calibscope.base.arrays import Array
from calibscope.calibration.bench import ROUNDING, Bench, Fixed, Grid, Line, Local
from calibscope.calibration.g2.case import case_for, with_task
from calibscope.calibration.g2.descent import MOST_STEPS, NEAR_ENOUGH, descend
from calibscope.calibration.g2.equal_speeds import is_near_equal_speeds, walk_equal_speeds
from calibscope.calibration.g2.objective import mark_free, normal_equations, residuals_at
from calibscope.calibration.g2.pairs import pairs_for, scan, set_schedule
from calibscope.calibration.g2.polish import FAR_AWAY, NEAR, polish
from calibscope.calibration.g2.search import compile_kernels, search_speeds
from calibscope.calibration.g2.surrogate import linearise, set_basis, set_variance
from calibscope.calibration.g2.symmetry import book_of, is_plain, is_symmetric
from calibscope.calibration.problem import Problem, Task
from calibscope.calibration.quasi_random import spread_between
from calibscope.models.g2.parameters import SPECS as PARAMETER_SPECS
from calibscope.models.g2.parameters import SWAP

SPEEDS = 64  # of the scan
ROUNDS = 3
LINES = 16  # so many lines of the scan are tried from each side
BETWEEN = 8  # and about so many between
WORTH_A_FIT = 30.0  # times the limit, on the scan, whose lines can miss a narrow minimum
# Where the parameters of ordinary days are.
LIKELY_LOWER = np.array([1e-3, 1e-4, 1e-3, 1e-3, -1.0])
LIKELY_UPPER = np.array([5.0, 1.0, 0.1, 0.1, 0.5])


class PairScan(NamedTuple):
    """The linear problem at all pairs of a grid of speeds; pairs i > j are filled."""

    speeds: Array  # (n,)
    values: Array  # (n, n) sums of squares, inf where i <= j
    solutions: Array  # (n, n, 3) sigma_x, sigma_y, rho_xy

    def point(self, i: int, j: int) -> Array:
        """Parameters at a pair."""
        return np.array([self.speeds[i], self.speeds[j], *self.solutions[i, j]])


class Workbench(Bench):
    """The compiled solvers of one problem."""

    leading = (0, 1)  # the speeds

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        compile_kernels()
        self.case = case_for(book_of(problem), 0, 1, problem.task)

    def polished(
        self,
        start: Array,
        fixed: Fixed = (),
        steps: int = MOST_STEPS,
        task: Task | None = None,
        damping: float = FAR_AWAY,
    ) -> tuple[float, Array]:
        """Newton's method from a start, with some parameters kept at their values there.

        `task` is minimised instead of the problem, where it is given.
        """
        task, point = self._held(start, fixed, task)
        value, _ = polish(2, damping, steps, with_task(task, self.case), point)
        return float(value), point

    def descended(self, start: Array) -> tuple[float, Array]:
        """Down in the two speeds, all else at its best, and then in all five parameters."""
        point = np.clip(start, self.problem.lower, self.problem.upper)
        if is_plain(self.problem):
            self._descend(point)
        return self.polished(point)

    def finished(self, value: float, point: Array) -> tuple[float, Array]:
        """From near an optimum to it, along flat directions and to bounds that are near."""
        for _ in range(ROUNDS):
            before = value
            for is_descent in (False, True):
                trial = point.copy()
                if is_descent and is_plain(self.problem):
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

    def starts(self, best: Array, count: int) -> list[Array]:
        """Well spread pairs of speeds, or, where the scan does not apply, all parameters."""
        problem = self.problem
        if not is_plain(problem):
            lower = np.clip(LIKELY_LOWER, problem.lower, problem.upper)
            upper = np.clip(LIKELY_UPPER, problem.lower, problem.upper)
            return list(spread_between(PARAMETER_SPECS, lower, upper, count))
        from scipy.stats import qmc  # takes longer to import than a day to calibrate

        scan = self.scan_around(best)
        shares = qmc.Sobol(2, scramble=False).random_base2(7)
        pairs = np.sort((shares * len(scan.speeds)).astype(int), axis=1)
        return [scan.point(i, j) for j, i in pairs if i > j][:count]

    @property
    def is_symmetric(self) -> bool:
        """Whether the factors can be swapped."""
        return is_symmetric(self.problem)

    def grid(self, point: Array) -> Grid | None:
        """By the linear problem of the search, linearised at `point`, where that applies."""
        if not is_plain(self.problem):
            return super().grid(point)
        scan = self.scan_around(point)
        values = np.minimum(scan.values, scan.values.T)  # a pair and its mirror image fit alike
        beside = np.minimum(np.diag(values, 1)[:-1], np.diag(values, 1)[1:])
        np.fill_diagonal(values, [values[0, 1], *beside, values[-1, -2]])
        return Grid(scan.speeds, scan.speeds, values)

    def lines(self, best: Array) -> list[Line]:
        """Along the lines of the scan: the best pair of each line, its speed fixed."""
        if not is_plain(self.problem):
            return []
        scan = self.scan_around(best)
        return [line for axis in (0, 1) for line in self._lines(scan, axis)]

    def _lines(self, scan: "PairScan", axis: int) -> Iterator[Line]:
        values = scan.values if axis == 0 else scan.values.T
        lines = np.flatnonzero(values.min(axis=1) <= WORTH_A_FIT * scan.values.min())

        def start(line: int) -> tuple[Array, Fixed]:
            other = int(np.argmin(values[line]))
            point = scan.point(*((line, other) if axis == 0 else (other, line)))
            return np.clip(point, self.problem.lower, self.problem.upper), (axis,)

        # The outermost good lines, and some between, where the near-optimal set may have branches.
        for order in (lines, lines[::-1]):
            yield [start(int(line)) for line in order[:LINES]]
        for line in lines[:: max(len(lines) // BETWEEN, 1)]:
            yield [start(int(line))]

    def swapped(self, point: Array) -> Array | None:
        """The factors in their order, if they have changed places."""
        fast, slow = np.log(point[:2])
        return point[SWAP] if is_symmetric(self.problem) and fast < slow - 1e-12 else None

    def edge(self, start: Array, fixed: Fixed) -> tuple[Array, Fixed] | None:
        """Equal speeds, at one that is fixed."""
        if not (0 in fixed or 1 in fixed):
            return None
        point = start.copy()
        point[0] = point[1] = start[0 if 0 in fixed else 1]
        return point, tuple({0, 1, *fixed})
