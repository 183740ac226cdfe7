"""What if: recalibrations are those of `calibrate`, and predictions those of first order."""

from dataclasses import replace

import numpy as np
import pytest

import calibscope as cs
from calibscope.study.settings import StudySettings
from calibscope.study.what_if import Change, price_moves, vol_moves, what_if

SETTINGS = StudySettings()


@pytest.fixture(scope="module")
def day():
    return cs.demo_market().day("2020-03-18")


@pytest.fixture(scope="module")
def dx(day):
    return cs.diagnose(cs.calibrate(day))


def shift(found, form="exact"):
    return found.predicted(form) - found.before.parameters.values


def test_nothing_changes_without_a_change(day):
    found = what_if(day, Change(), SETTINGS)
    assert found.after.parameters == found.before.parameters == cs.calibrate(day).parameters
    np.testing.assert_allclose(shift(found), 0.0, atol=1e-9)


def test_a_move_is_the_reweighted_bump(day, dx):
    bumped = dx.refits.bump(0.01, reweighted=True)
    for k, year in ((0, "3Y"), (7, "10Y")):
        found = what_if(day, Change({year: 0.01}), SETTINGS)
        np.testing.assert_allclose(shift(found), bumped.shifts.predicted("exact")[k], rtol=1e-6)
        np.testing.assert_allclose(found.shift, bumped.shifts.refitted[k], rtol=1e-6)


def test_a_move_with_weights_held_is_the_influence_function_times_the_move(day, dx):
    found = what_if(day, Change({"3Y": 0.01}, weights="held"), SETTINGS)
    predicted = dx.sensitivity[:, 0] * 0.01 * day.prices[0]
    np.testing.assert_allclose(shift(found, "gauss_newton"), predicted, rtol=1e-6)


def test_a_quote_left_out_is_the_deletion(day, dx):
    found = what_if(day, Change(without=("10Y",)), SETTINGS)
    k = list(day.maturities).index(10.0)
    np.testing.assert_allclose(shift(found, "gauss_newton"), -dx.dfbeta[k], rtol=1e-6)
    assert found.after.parameters == cs.calibrate(day.without([10.0])).parameters
    assert len(found.dx_after.leverage) == len(day.prices) - 1


def test_the_prediction_is_right_to_first_order(day):
    errors = [what_if(day, Change({"3Y": size}), SETTINGS).error() for size in (1e-3, 1e-4)]
    assert errors[1] == pytest.approx(errors[0] / 10, rel=0.1)


def test_moves_in_vol_and_in_price_say_the_same(day):
    moves = np.where(day.maturities == 5.0, 3e-4, 0.0)
    prices = price_moves(day, moves)
    np.testing.assert_allclose(vol_moves(day, prices), moves, atol=1e-12)
    by_vol = what_if(day, Change({"5Y": 3e-4}, unit="vol"), SETTINGS).after.problem.day
    assert by_vol.normal_vols[2] - day.normal_vols[2] == pytest.approx(3e-4)
    np.testing.assert_array_equal(np.delete(by_vol.prices, 2), np.delete(day.prices, 2))


def test_bounds_weights_and_solver_are_those_asked_for(day):
    change = Change(weights="vega", solver="lm", bounds={"rho_xy": (-0.9, 0.9)})
    found = what_if(day, change, SETTINGS)
    expected = cs.calibrate(day, "lm", weights="vega", bounds={"rho_xy": (-0.9, 0.9)})
    assert found.after.parameters == expected.parameters
    assert (np.abs(found.predicted()[4]) <= 0.9).all()


def test_balanced_weights_can_be_asked_for_with_a_move(day):
    found = what_if(day, Change({"3Y": 0.001}, weights="leverage_balanced"), SETTINGS)
    assert found.dx_after.leverage.max() < 0.91
    assert np.isfinite(found.predicted()).all()


def test_bid_and_ask_go_along_with_their_quote(day):
    quoted = replace(day, bid_ask=np.column_stack((0.99 * day.prices, 1.01 * day.prices)))
    found = what_if(quoted, Change({"3Y": 0.05}), SETTINGS).after.problem.day
    assert found.bid_ask[0] == pytest.approx(1.05 * quoted.bid_ask[0])


def test_what_cannot_be_is_refused(day):
    with pytest.raises(cs.MarketDataError, match=r"3Y: a normal vol of -.* bp; move it less"):
        what_if(day, Change({"3Y": -0.02}, unit="vol"), SETTINGS)
    with pytest.raises(cs.MarketDataError, match="no quote would be left"):
        what_if(day, Change(without=day.labels), SETTINGS)
    with pytest.raises(cs.MarketDataError, match="there is no quote 40Y, 99Y that day"):
        what_if(day, Change({"99Y": 0.01}, without=("40Y",)), SETTINGS)
