"""The global optimum of Hull-White: a profile over the one speed.

At the money a cap's price is nearly proportional to sigma, so that for a given speed the best sigma
is nearly a linear regression, and a few Newton steps from there give it exactly: the profile of the
objective over the speed. It is taken at 96 speeds in one batch; from its lowest local minima
Newton's method in both parameters gives the optima. Where even the best is poor, many starts are
tried too.
"""

import numpy as np

from calibscope.base.arrays import Array
from calibscope.calibration.candidates import Candidates
from calibscope.calibration.newton import newton, tasks
from calibscope.calibration.problem import Problem
from calibscope.calibration.search import Search

SPEEDS = 96
PROFILE_STEPS = 12
STARTS = 6
POOR = 0.1  # relative errors from which on the profile is not relied upon


class HullWhiteSearch(Search):
    """The profile over the speed, and Newton's method from its minima."""

    def solve(self, problem: Problem) -> Candidates:
        """The best optimum, and the others that were found."""
        lower, upper = problem.lower, problem.upper
        speeds = _speeds(problem, SPEEDS)
        starts = np.column_stack((speeds, self._volatilities(problem, speeds)))
        batch = tasks(problem.task, len(starts))
        held = np.array(batch.lower), np.array(batch.upper)
        held[0][:, 0] = held[1][:, 0] = starts[:, 0]
        profile = newton(
            problem.specs, problem.pricer, batch._replace(lower=held[0], upper=held[1]), starts,
            most_steps=PROFILE_STEPS,
        )  # fmt: skip
        heights = np.pad(profile.objectives, 1, constant_values=np.inf)
        is_lowest = (heights[1:-1] <= heights[:-2]) & (heights[1:-1] <= heights[2:])
        order = np.argsort(np.where(is_lowest, profile.objectives, np.inf), kind="stable")
        chosen = profile.points[order[: min(STARTS, int(is_lowest.sum()))]]
        if problem.anchor is not None:
            chosen = np.vstack((chosen, np.clip(problem.anchor.values, lower, upper)))
        found = self.polished(problem, chosen, profile.evaluations)
        # Far from the money prices are not proportional to sigma: look everywhere.
        if found.objectives[0] > POOR**2 * float(problem.weights @ problem.day.prices**2):
            found = found.joined(super().solve(problem))
        return found

    def _volatilities(self, problem: Problem, speeds: Array) -> Array:
        """(n,) the sigma of the linear regression at each speed."""
        middle = float(np.clip(problem.specs.start[1], problem.lower[1], problem.upper[1]))
        points = np.column_stack((speeds, np.full(len(speeds), middle)))
        prices, weights = problem.evaluate(points, 0).prices, problem.weights
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            ratio = (prices @ (weights * problem.day.prices)) / (prices**2 @ weights)
        ratio = np.where(np.isfinite(ratio), ratio, 1.0)
        return np.clip(ratio * middle, problem.lower[1], problem.upper[1])


def _speeds(problem: Problem, count: int) -> Array:
    """Speeds between the bounds, evenly on the solver's scale."""
    scale = problem.specs.solver.scales[0]
    low, high = scale.coordinate(problem.lower[0]), scale.coordinate(problem.upper[0])
    speeds = scale.value(np.linspace(low, high, count))
    speeds[0], speeds[-1] = problem.lower[0], problem.upper[0]
    return np.unique(np.clip(speeds, problem.lower[0], problem.upper[0]))
