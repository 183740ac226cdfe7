"""A jump over a equal-speed degeneracy and a slide along a curved near-optimal set, told apart."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.optimize import least_squares

import calibscope as cs


@dataclass(frozen=True)
class Curved:
    """A small nonlinear problem, solved from many starts."""

    model: object  # (n, p) -> (n, m)
    starts: tuple

    def predict(self, parameters):
        return np.array([self.model(each) for each in parameters])

    def weigh(self, quotes):
        return np.ones_like(quotes)

    def solve(self, quotes, weights, held=None, starts=None):
        held = np.full((len(quotes), len(self.starts[0])), np.nan) if held is None else held
        return np.array(list(map(self._best, quotes, weights, held)))

    def _best(self, quotes, weights, held):
        free, ends = np.isnan(held), []
        for start in self.starts:
            point = np.where(free, start, held)
            if free.any():
                point[free] = least_squares(
                    self._errors, point[free], args=(quotes, weights, held), xtol=1e-15, gtol=1e-15
                ).x
            ends.append(point)
        return min(ends, key=lambda x: (weights * (quotes - self.model(x)) ** 2).sum())

    def _errors(self, some, quotes, weights, held):
        point = held.copy()
        point[np.isnan(held)] = some
        return np.sqrt(weights) * (self.model(point) - quotes)


def diagnosed(model, starts, quotes):
    refit, y = Curved(model, starts), np.array(quotes)
    best = refit.solve(y[None], np.ones((1, len(y))))[0]
    steps = 1e-6 * np.eye(len(best))
    J = np.array([(model(best + h) - model(best - h)) / 2e-6 for h in steps]).T
    return cs.diagnose_least_squares(y - model(best), J, values=best, observed=y, refit=refit)


def test_the_other_well_is_another_basin():
    """(x^2 - 1)^2 has wells at -1 and 1; the other quotes say which is lower."""
    dx = diagnosed(
        lambda x: np.array([2 * (x[0] ** 2 - 1), 0.3 * x[0], 0.1 * x[0]]),
        ([-1.0], [1.0]), [0.0, 0.1, -0.2],
    )  # fmt: skip
    assert dx.problem.values[0] == pytest.approx(1, abs=0.1)
    loo = dx.refits.leave_one_out()
    assert loo.shifts.parameters[1, 0] == pytest.approx(-1, abs=0.1)
    assert loo.marks[1] == "another basin"
    assert not loo.shifts.is_elsewhere[2]
    assert not dx.refits.bump(0.01).shifts.is_elsewhere.any()


def test_a_way_round_a_bend_is_the_same_basin():
    """A curved flat direction y = x^2, tilted one way or the other by its last quote."""
    dx = diagnosed(
        lambda x: np.array([20 * (x[1] - x[0] ** 2), x[0], 0.1 * x[1]]),
        ([-1.0, 1.0], [1.0, 1.0], [0.0, 0.0]), [0.0, 1.0, 0.2],
    )  # fmt: skip
    bumps = dx.refits.bump(-2.0)
    assert bumps.shifts.parameters[1, 0] < -0.8
    straight = bumps.shifts.values + 0.5 * bumps.shifts.refitted[1]
    equal_speeds = ((dx.refit.predict(straight[None])[0] - [0.0, -1.0, 0.2]) ** 2).sum()
    assert equal_speeds > 50  # right through the wall
    assert not bumps.shifts.is_elsewhere.any()
