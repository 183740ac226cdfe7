"""Exact fits in bent flat regions, and what the inner fit returns where it finds no rest."""

import math

import numpy as np
import pytest

import calibscope as cs
from calibscope.calibration.g2.case import case_for
from calibscope.calibration.g2.descent import NEAR_ENOUGH, inner_fit
from calibscope.calibration.g2.exact_match import exact_match
from calibscope.calibration.g2.objective import residuals_at
from calibscope.calibration.g2.polish import NEAR, polish
from calibscope.calibration.problem import Problem

BENT = cs.G2(4.53196780e-03, 1.57517863e-04, 3.64994204e-02, 3.25729354e-03, -0.925899726)
CYCLE = cs.G2(3.63268728, 1.57812674e-02, 4.04739437e-02, 3.39380632e-04, -1.0)


def case_without_noise(truth: cs.G2):
    problem = Problem.of(cs.simulate_market(truth, days=1, noise=0.0).days[0])
    return case_for(problem.pricer.book, 0, 1, problem.task)


def test_an_exact_fit_is_reached_where_newton_creeps():
    case = case_without_noise(BENT)
    quotes = case.task.quotes.size
    start = np.array([4.4e-3, 7.65e-4, 3.865e-2, 7.057e-3, -0.77216])
    exact, newton = start.copy(), start.copy()
    value, _ = exact_match(quotes * 1e-24, case, exact)
    creeping, _ = polish(2, NEAR, 100, case, newton)
    assert math.sqrt(value / quotes) < 1e-12
    assert math.sqrt(creeping / quotes) > 1e-9  # or the test shows nothing
    assert residuals_at(0, exact, case, case.work.residuals) == pytest.approx(value, abs=1e-26)


def test_the_inner_fit_returns_the_value_of_its_parameters():
    # At these speeds the linear models of two fits point at each other, for ever.
    case, parameters = case_without_noise(CYCLE), CYCLE.values.copy()
    parameters[2:] = 3.77133793e-02, 3.15471728e-04, 1.0
    value = inner_fit(NEAR_ENOUGH, case, parameters)
    again = residuals_at(0, parameters, case, case.work.residuals)
    # Residuals have a rounding of 1e-13, so that their squares are sure down to 1e-22 or so.
    assert again == pytest.approx(value, rel=1e-6, abs=1e-20)
