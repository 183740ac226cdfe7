"""Bumps against closed forms and calibrations of moved days, weights fixed and following."""

import dataclasses

import numpy as np
import pytest
from linear_problem import linear

import calibscope as cs

MARKET = cs.demo_market()
INTERIOR, AT_RHO = "2020-03-18", "2024-06-06"


@pytest.fixture(scope="module")
def fit():
    return cs.calibrate(MARKET.day(INTERIOR))


def test_on_a_line_the_prediction_is_the_truth():
    dx = linear()
    bumps = dx.refits.bump((0.01, 0.5))
    assert bumps.shifts.refitted.shape == (26, 3)
    moves = np.outer((0.01, 0.5), dx.problem.observed).ravel()
    assert bumps.move == pytest.approx(moves)
    assert bumps.shifts.refitted == pytest.approx(
        moves[:, None] * np.tile(dx.sensitivity.T, (2, 1)), abs=1e-12
    )
    assert bumps.shifts.error("gauss_newton").max() < 1e-9


def test_absolute_sizes_are_added():
    dx = linear()
    bumps = dx.refits.bump(0.3, relative=False)
    assert bumps.shifts.refitted == pytest.approx(0.3 * dx.sensitivity.T, abs=1e-12)


@pytest.mark.parametrize("date", [INTERIOR, AT_RHO])
@pytest.mark.parametrize("reweighted", [False, True])
def test_the_exact_form_is_right_to_second_order(date, reweighted):
    """A tenth of the move leaves a tenth of the relative error, until solvers' digits end."""
    dx = cs.diagnose(cs.calibrate(MARKET.day(date)))
    bumps = dx.refits.bump((1e-3, 1e-4, 1e-5), reweighted=reweighted)
    large, medium, small = bumps.shifts.error("exact").reshape(3, 13)
    assert np.median(large / medium) == pytest.approx(10, rel=0.15)
    assert np.median(medium / small) == pytest.approx(10, rel=0.05)
    assert small.max() < 1e-3


def test_reweighting_is_another_question():
    """Residuals of a percent change the pull of a quote by two percent: 1 - 2 r/y."""
    dx = cs.diagnose(cs.calibrate(MARKET.day(INTERIOR)))
    fixed, following = (dx.refits.bump(1e-5, reweighted=wish).shifts for wish in (False, True))
    ratio = following.refitted[:, 0] / fixed.refitted[:, 0]
    assert ratio == pytest.approx(1 - 2 * dx.problem.weighted_residuals, abs=1e-4)
    assert np.abs(ratio - 1).max() > 0.02


def test_reweighted_is_the_calibration_of_the_moved_day(fit):
    day = fit.problem.day
    prices = np.array(day.prices)
    prices[4] *= 1.001
    again = cs.calibrate(dataclasses.replace(day, prices=prices))
    bumps = cs.diagnose(fit).refits.bump(1e-3, reweighted=True)
    assert bumps.shifts.parameters[4] == pytest.approx(again.parameters.values, rel=1e-7)
    kept = cs.calibrate(dataclasses.replace(day, prices=prices), weights=fit.problem.weights)
    fixed = cs.diagnose(fit).refits.bump(1e-3)
    assert fixed.shifts.parameters[4] == pytest.approx(kept.parameters.values, rel=1e-7)


@pytest.mark.parametrize("weights", ["absolute", "vega", "leverage_balanced"])
def test_predictions_follow_any_rule_of_weights(weights):
    dx = cs.diagnose(cs.calibrate(MARKET.day(INTERIOR), weights=weights))
    shifts = dx.refits.bump(1e-5, reweighted=True).shifts
    assert np.median(shifts.error("exact")) < 1e-3


def test_the_frame_has_a_row_per_size_and_quote(fit):
    table = cs.diagnose(fit).refits.bump((1e-4, -1e-4)).frame()
    assert table.index.names == ["size", "quote"]
    assert table.loc[(1e-4, "3Y"), "a_x"] == pytest.approx(
        -table.loc[(-1e-4, "3Y"), "a_x"], rel=0.05
    )


@pytest.mark.parametrize("sizes", [[], [np.nan], [[1e-4]]])
def test_sizes_must_be_numbers(sizes):
    with pytest.raises(ValueError, match="give one or several numbers"):
        linear().refits.bump(sizes)
