"""The coordinates of equal speeds of equal speeds, and the walk along it."""

import numpy as np
import pytest

import calibscope as cs
from calibscope.calibration.g2.case import case_for, with_task
from calibscope.calibration.g2.equal_speeds import (
    change_coordinates,
    coordinates,
    is_near_equal_speeds,
    set_parameters,
    walk_equal_speeds,
)
from calibscope.calibration.g2.objective import normal_equations, residuals_at
from calibscope.calibration.problem import Problem

POINTS = [
    (0.060, 0.045, 0.50, 0.48, -0.9995),
    (0.045, 0.060, 0.50, 0.48, -0.9995),  # the factors the other way round
    (0.012, 0.009, 0.20, 0.19, -0.9990),
]
STEPS = np.array([2e-5, 2e-7, 2e-6, 2e-7, 2e-7])


@pytest.fixture(scope="module")
def case():
    problem = Problem.of(cs.demo_market().day("2022-10-31"))
    return case_for(problem.pricer.book, 0, 1, problem.task)


def objective(place: np.ndarray, case) -> float:
    parameters = np.empty(5)
    set_parameters(place, case, parameters)
    return residuals_at(0, parameters, case, case.work.residuals)


@pytest.mark.parametrize("point", POINTS)
def test_coordinates_lead_back(point, case):
    parameters = np.empty(5)
    set_parameters(coordinates(np.array(point), case), case, parameters)
    np.testing.assert_allclose(parameters, point, rtol=1e-13)


@pytest.mark.parametrize("held", [0, 1])
@pytest.mark.parametrize("point", POINTS)
def test_a_speed_that_is_held_stays(point, held, case):
    lower, upper = case.task.lower.copy(), case.task.upper.copy()
    lower[held] = upper[held] = point[held]
    within = with_task(case.task._replace(lower=lower, upper=upper), case)
    place = coordinates(np.array(point), within)
    place[0] -= 0.5  # down the near-optimal set, where the other speed is further away
    parameters = np.empty(5)
    set_parameters(place, within, parameters)
    gap = parameters[0] - parameters[1]
    assert parameters[held] == point[held]
    assert gap == pytest.approx((point[0] - point[1]) * np.exp(0.5), rel=1e-12)


@pytest.mark.parametrize("point", POINTS)
def test_derivatives_are_those_of_differences(point, case):
    here, work = np.array(point), case.work
    residuals_at(2, here, case, work.residuals)
    normal_equations(2, here, case)
    place = coordinates(here, case)
    change_coordinates(place, case, here)
    gradient, curvature = work.gradient.copy(), work.curvature.copy()
    for p in range(5):
        step = np.zeros(5)
        step[p] = STEPS[p]
        slope = (objective(place + step, case) - objective(place - step, case)) / (2 * STEPS[p])
        # Central differences err by the step squared, and by rounding over the step.
        assert 0.5 * slope == pytest.approx(gradient[p], rel=1e-3)
        step *= 10
        second_order = objective(place + step, case) + objective(place - step, case)
        second_order -= 2 * objective(place, case)
        assert 0.5 * second_order / step[p] ** 2 == pytest.approx(curvature[p, p], rel=2e-2)


def test_the_walk_ends_at_the_optimum_of_the_day(case):
    fit = cs.calibrate(cs.demo_market().day("2022-10-31"))
    assert is_near_equal_speeds(fit.parameters.values)
    a_x, a_y, sigma_x, sigma_y, rho = fit.parameters.values
    # Half way down the near-optimal set: volatilities a fifth, the speeds five times as far apart.
    middle, half = 0.5 * (a_x + a_y), 2.5 * (a_x - a_y)
    lower = 0.2 * sigma_x
    start = np.array(
        [middle + half, middle - half, lower, lower - (sigma_x - sigma_y), -1 + 25 * (1 + rho)]
    )
    before = residuals_at(0, start, case, case.work.residuals)
    value, evaluations = walk_equal_speeds(case, start)
    assert value < before
    assert value == pytest.approx(fit.objective, rel=1e-6)
    assert evaluations < 100
