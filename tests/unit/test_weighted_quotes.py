"""Quotes of weight 0 do not count, and units of weights decide nothing."""

import dataclasses

import numpy as np
import pytest

import calibscope as cs
from calibscope.calibration.problem import Problem
from calibscope.calibration.solution import Fit, Status


@pytest.fixture(scope="module")
def day():
    return cs.demo_market().day("2020-03-18")


def weights_without(day, *left_out):
    return np.where(np.isin(day.maturities, left_out), 0.0, day.prices**-2.0)


def test_three_weighted_quotes_are_too_few(day):
    weights = np.where(np.isin(day.maturities, [3, 10, 30]), day.prices**-2.0, 0.0)
    assert cs.calibrate(day, weights=weights).status is Status.UNDERDETERMINED
    # An anchor adds what is missing.
    usual = cs.G2(0.5, 0.05, 0.01, 0.01, -0.7)
    pulled = cs.calibrate(day, weights=weights, anchor=usual, anchor_strength=1e-4)
    assert pulled.status is not Status.UNDERDETERMINED


def test_rmsre_counts_weighted_quotes(day):
    weights = weights_without(day, 3.0)
    fit, without = cs.calibrate(day, weights=weights), cs.calibrate(day.without([3.0]))
    assert fit.rmsre == pytest.approx(without.rmsre, rel=1e-9)
    assert fit.problem.rmsre(fit.parameters.values) == pytest.approx(fit.rmsre, rel=1e-12)


def test_a_quote_without_weight_makes_no_fit_unreachable(day):
    prices = np.where(day.maturities == 30.0, 20 * day.prices, day.prices)
    spoilt = dataclasses.replace(day, prices=prices)
    assert cs.calibrate(spoilt).status is Status.UNREACHABLE
    assert cs.calibrate(spoilt, weights=weights_without(spoilt, 30.0)).is_converged


@pytest.mark.parametrize("unit", [1e-24, 1e24])
def test_the_unit_of_weights_does_not_decide_what_is_perfect(day, unit):
    best = cs.calibrate(day).parameters
    somewhere = cs.G2(1.05 * best.a_x, *best.values[1:])
    plain, scaled = (
        Fit(Problem.of(day, w * day.prices**-2.0), somewhere, "given", 0, 0.0) for w in (1.0, unit)
    )
    assert plain.relative_offset > 0.1  # no optimum
    assert scaled.relative_offset == pytest.approx(plain.relative_offset, rel=1e-9)
    assert scaled.status is plain.status is Status.NOT_CONVERGED
    truth = cs.G2(0.9, 0.03, 0.012, 0.009, -0.8)
    exact = dataclasses.replace(day, prices=truth.prices(day))
    fit = Fit(Problem.of(exact, unit * exact.prices**-2.0), truth, "given", 0, 0.0)
    assert fit.relative_offset == 0.0


@pytest.mark.parametrize(
    "bounds", [{"sigma_x": (1e-5, 0.5)}, {"a_y": (1e-4, 10.0)}, {"sigma_y": (1e-4, 1.0)}]
)
def test_the_faster_factor_comes_first_wherever_both_orders_are_allowed(bounds):
    days = cs.demo_market().days[::150]
    fits = cs.calibrate_many(days, bounds=bounds)
    assert np.array_equal(fits.parameters, [fit.parameters.values for fit in fits])
    for fit in fits:
        a_x, a_y, sigma_x, sigma_y, rho_xy = fit.parameters.values
        swapped = np.array([a_y, a_x, sigma_y, sigma_x, rho_xy])
        problem = fit.problem
        is_allowed = (swapped >= problem.lower).all() and (swapped <= problem.upper).all()
        assert a_x >= a_y or not is_allowed
    assert sum(fit.parameters.a_x >= fit.parameters.a_y for fit in fits) > len(days) / 2
