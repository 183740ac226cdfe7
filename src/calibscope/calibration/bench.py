"""The local solvers of one problem, ready to be called one point at a time.

Local minima, near-optimal set and plausible fit ask for hundreds of small minimisations of the same
day. `Bench` does them for any model by Newton's method; a model with quicker means, or with
symmetries that matter on the way, brings a bench of its own (`g2/bench.py`).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from calibscope.base.arrays import Array, BoolArray
from calibscope.calibration.newton import MOST_STEPS, derivatives, newton, tasks
from calibscope.calibration.problem import Problem, Task
from calibscope.calibration.quasi_random import finite_corners, spread_points

NEAR_BOUND = 1e-4  # in scaled coordinates: near enough to try the bound itself
ROUNDING = 1e-9  # of the sum of squares, where factors nearly cancel
STATIONARY = 1e-9  # of the sum of squares, that a Newton step promises
GRID, GRID_STEPS = 48, 20  # values of a parameter on a grid, and Newton steps at each pair

Fixed = tuple[int, ...]
Line = Sequence[tuple[Array, Fixed]]


class Grid(NamedTuple):
    """The objective over two parameters, all others fitted."""

    x: Array  # (n,) of the first parameter
    y: Array  # (k,) of the second
    values: Array  # (k, n)


class Local(NamedTuple):
    """Gradient and half the Hessian of the objective at a point, in the solver's coordinates."""

    objective: float
    gradient: Array  # (p,) halved
    curvature: Array  # (p, p) halved
    is_free: BoolArray  # (p,)

    @property
    def promised(self) -> float:
        """How much of the objective a Newton step in the free parameters promises to save."""
        free = self.is_free
        if not free.any() or not self.objective > 0:
            return 0.0
        slope, curvature = self.gradient[free], self.curvature[np.ix_(free, free)]
        size = np.sqrt(np.abs(np.diag(curvature)) + 1e-300)
        values, vectors = np.linalg.eigh(curvature / np.outer(size, size))
        along = vectors.T @ (slope / size)
        return float(np.sum(along**2 / np.maximum(np.abs(values), 1e-9)) / self.objective)


class Bench:
    """The local solvers of one problem."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    @property
    def leading(self) -> Fixed:
        """Parameters that lead the way from one optimum to another, the others following."""
        return tuple(range(len(self.problem.specs)))

    def polished(
        self, start: Array, fixed: Fixed = (), steps: int = MOST_STEPS, task: Task | None = None
    ) -> tuple[float, Array]:
        """Newton's method from a start, with some parameters kept at their values there.

        `task` is minimised instead of the problem, where it is given.
        """
        task, point = self._held(start, fixed, task)
        found = newton(
            self.problem.specs, self.problem.pricer, tasks(task, 1), point[None, :], 2, steps
        )
        return float(found.objectives[0]), found.points[0]

    def descended(self, start: Array) -> tuple[float, Array]:
        """Down from a start."""
        return self.polished(start)

    def finished(self, value: float, point: Array) -> tuple[float, Array]:
        """From near an optimum to it, and to bounds that are near."""
        end = self.polished(point)
        return self.at_near_bounds(*min((value, point), end, key=lambda pair: pair[0]))

    def at_near_bounds(self, value: float, point: Array) -> tuple[float, Array]:
        """The same optimum with parameters at the bounds that they nearly reach, if not worse."""
        problem, scale = self.problem, self.problem.specs.coordinates
        lower, upper, here = scale.of(problem.lower), scale.of(problem.upper), scale.of(point)
        near_low = (here > lower) & (here < lower + NEAR_BOUND)
        near_high = (here < upper) & (here > upper - NEAR_BOUND)
        if not (near_low | near_high).any():
            return value, point
        trial = np.where(near_low, problem.lower, point)
        trial = np.where(near_high, problem.upper, trial)
        moved, trial = self.polished(trial)
        return (moved, trial) if moved <= value * (1.0 + ROUNDING) else (value, point)

    def local(self, point: Array) -> Local:
        """Gradient and curvature at a point."""
        problem = self.problem
        found = derivatives(problem.specs, problem.pricer, tasks(problem.task, 1), point[None, :])
        return Local(
            float(found.objective[0]), found.gradient[0], found.curvature[0], found.is_free[0]
        )

    def starts(self, best: Array, count: int) -> list[Array]:
        """Well spread starts, for the share of them that ends in each optimum."""
        problem = self.problem
        return list(spread_points(problem.specs, problem.lower, problem.upper, count))

    def lines(self, best: Array) -> list[Line]:
        """Starts with fixed parameters that may lead to near-optimal fits; one a line is enough."""
        return []

    @property
    def is_symmetric(self) -> bool:
        """Whether the first two parameters can be swapped with their factors."""
        return False

    def grid(self, point: Array) -> Grid | None:
        """The objective over the first two parameters; None if one of them is fixed.

        `point` is a good fit, from which the others start.
        """
        problem, scale = self.problem, self.problem.specs.solver
        if len(problem.specs) < 2 or not (problem.lower < problem.upper)[:2].all():
            return None
        corners = finite_corners(problem.specs, problem.lower, problem.upper)
        lower, upper = (scale.of(corner) for corner in corners)
        x, y = (scale.scales[p].value(np.linspace(lower[p], upper[p], GRID)) for p in (0, 1))
        starts = np.tile(point, (GRID * GRID, 1))
        starts[:, 0], starts[:, 1] = np.tile(x, GRID), np.repeat(y, GRID)
        starts = np.clip(starts, problem.lower, problem.upper)
        batch = tasks(problem.task, len(starts))
        low, high = np.array(batch.lower), np.array(batch.upper)
        low[:, :2] = high[:, :2] = starts[:, :2]
        found = newton(
            problem.specs, problem.pricer, batch._replace(lower=low, upper=high), starts,
            most_steps=GRID_STEPS,
        )  # fmt: skip
        return Grid(x, y, found.objectives.reshape(GRID, GRID))

    def swapped(self, point: Array) -> Array | None:
        """The same model in its canonical order, if this is not it."""
        other = self.problem.canonical(point)
        return None if (other == point).all() else other

    def edge(self, start: Array, fixed: Fixed) -> tuple[Array, Fixed] | None:
        """Where to fit if the fit with these fixed leaves its order: on the border between both."""
        return None

    def _held(self, start: Array, fixed: Fixed, task: Task | None) -> tuple[Task, Array]:
        """The task with parameters fixed at the start, and the start inside the bounds."""
        point = np.clip(start, self.problem.lower, self.problem.upper)
        task = task or self.problem.task
        if fixed:
            lower, upper = task.lower.copy(), task.upper.copy()
            lower[list(fixed)] = upper[list(fixed)] = point[list(fixed)]
            task = task._replace(lower=lower, upper=upper)
        return task, point
