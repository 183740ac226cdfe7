"""Leave-one-out against closed forms, statsmodels, and calibrations without the quote."""

import dataclasses

import numpy as np
import pytest
import statsmodels.api as sm
from linear_problem import diagnosed, linear

import calibscope as cs

MARKET = cs.demo_market()
INTERIOR, AT_SIGMA, AT_RHO, JUMPY = "2020-03-18", "2022-07-21", "2024-06-06", "2023-08-11"


def of_day(date, mode="full"):
    return cs.diagnose(cs.calibrate(MARKET.day(date)), mode)


def without_second_derivatives(dx):
    return cs.diagnose_least_squares(
        dx.problem.residuals, dx.problem.jacobian, values=dx.problem.values,
        observed=dx.problem.observed, refit=dx.refit,
    )  # fmt: skip


# Linear problems


def test_on_a_line_the_prediction_is_the_truth():
    dx = linear(is_relative=True)
    loo = dx.refits.leave_one_out()
    assert loo.shifts.refitted == pytest.approx(-dx.dfbeta, abs=1e-12)
    for form in ("gauss_newton", "exact"):
        assert loo.shifts.error(form).max() < 1e-10
    assert loo.weighted_press == pytest.approx(
        dx.problem.weighted_residuals / (1 - dx.leverage), rel=1e-10
    )
    assert loo.marks == ("",) * 13


def test_it_is_what_statsmodels_says():
    dx = linear(is_relative=True)
    roots, X = dx.problem.root_weights, dx.problem.jacobian
    influence = sm.OLS(roots * dx.problem.observed, roots[:, None] * X).fit().get_influence()
    loo = dx.refits.leave_one_out()
    assert loo.weighted_press == pytest.approx(influence.resid_press, rel=1e-10)
    rest = sm.WLS(dx.problem.observed[1:], X[1:], weights=dx.problem.weights[1:]).fit()
    assert loo.shifts.parameters[0] == pytest.approx(rest.params, rel=1e-11)
    assert loo.shifts.objective[0] == pytest.approx((rest.wresid**2).sum(), rel=1e-10)
    assert loo.rms[0] == pytest.approx(np.sqrt((rest.wresid**2).mean()), rel=1e-10)


def test_a_quote_without_weight_is_skipped():
    dx = linear(weights=np.append(np.ones(12), 0.0))
    loo = dx.refits.leave_one_out()
    assert loo.marks == ("",) * 12 + ("no weight",)
    assert np.isnan(loo.shifts.parameters[12]).all()
    assert np.isnan([loo.press[12], loo.rms[12], loo.shifts.error()[12]]).all()
    assert np.isfinite(loo.shifts.parameters[:12]).all()


def test_a_quote_that_decides_alone_is_marked():
    X = np.column_stack((np.ones(6), np.eye(6)[5]))
    loo = diagnosed(X, np.array([1.0, 1.1, 0.9, 1.0, 1.05, 3.0])).refits.leave_one_out()
    assert loo.is_identified.tolist() == [True] * 5 + [False]
    assert loo.marks[5] == "not identified without it"
    assert np.isnan(loo.shifts.predicted("gauss_newton")[5]).all()
    assert np.isfinite(loo.shifts.error()[:5]).all()


def test_as_many_quotes_as_parameters_are_marked():
    loo = linear(m=3, p=3).refits.leave_one_out()
    assert not loo.is_identified.any()
    alone = diagnosed(np.ones((1, 1)), np.array([2.0])).refits.leave_one_out()
    assert np.isnan(alone.shifts.parameters).all()


def test_at_an_active_bound_both_modes_predict_what_strict_mode_does():
    bounds = (np.array([-np.inf, 0.2, -np.inf]), np.full(3, np.inf))
    full, strict = (linear(bounds=bounds, mode=mode) for mode in ("full", "strict"))
    assert full.problem.at_bound.tolist() == [0, -1, 0]
    shifts = [dx.refits.leave_one_out().shifts for dx in (full, strict)]
    for found in shifts:
        assert found.predicted("gauss_newton") == pytest.approx(-strict.dfbeta, abs=1e-12)
        stays = ~found.has_changed_bound.any(axis=1)
        assert stays.sum() >= 12
        assert found.error()[stays].max() < 1e-8


def test_a_bound_that_is_left_is_marked():
    y = np.array([1.0, 1.1, 0.9, -4.0])
    loo = diagnosed(np.ones((4, 1)), y, bounds=(0.0, np.inf)).refits.leave_one_out()
    assert loo.shifts.at_bound[:, 0].tolist() == [-1, -1, -1, 0]
    assert loo.marks == ("", "", "", "b1 leaves its bound")


def test_without_second_derivatives_there_is_one_prediction():
    loo = without_second_derivatives(linear()).refits.leave_one_out()
    assert np.isnan(loo.shifts.predicted("exact")).all()
    assert loo.shifts.error("gauss_newton").max() < 1e-10
    assert not loo.shifts.is_elsewhere.any()


def test_per_parameter_errors_are_the_gap_over_the_own_shift():
    shifts = of_day(INTERIOR).refits.leave_one_out().shifts
    gap = np.abs(shifts.predicted("exact") - shifts.refitted)
    assert shifts.errors("exact") == pytest.approx(gap / np.abs(shifts.refitted))
    with pytest.raises(ValueError, match="choose from gauss_newton, exact"):
        shifts.error("newton")


# Days of the demo market


@pytest.mark.parametrize("date", [INTERIOR, AT_RHO])
def test_it_is_the_calibration_without_the_quote(date):
    dx, day = of_day(date), MARKET.day(date)
    loo = dx.refits.leave_one_out()
    for k in range(0, 13, 3):
        fit = cs.calibrate(day.without([day.maturities[k]]))
        assert loo.rms[k] == pytest.approx(fit.rmsre, rel=1e-9)
        assert loo.shifts.objective[k] == pytest.approx(fit.objective, rel=1e-9)
        if fit.is_identified:
            assert loo.shifts.parameters[k] == pytest.approx(fit.parameters.values, rel=1e-6)
            price = fit.parameters.prices(day)[k]
            assert loo.press[k] == pytest.approx(day.prices[k] - price, rel=1e-6)


def test_where_rho_is_at_its_bound_the_exact_hessian_predicts():
    loo = of_day(AT_RHO).refits.leave_one_out()
    assert loo.shifts.error("exact").max() < 0.2
    assert np.median(loo.shifts.error("gauss_newton")) > 1  # rank was lost in the paper's units
    assert (loo.shifts.at_bound[:, 4] == -1).all()
    assert loo.marks == ("",) * 13


def test_a_jump_is_marked_and_a_slide_along_a_valley_is_not():
    jumpy, sliding = (of_day(date).refits.leave_one_out() for date in (JUMPY, AT_SIGMA))
    assert jumpy.shifts.is_elsewhere.sum() == 6
    assert "another basin" in jumpy.marks[0]
    assert jumpy.marks[2] == ""
    # 2022-07-21 without 5Y: sigma_x falls from 1 to 0.09, downhill all the way.
    assert sliding.shifts.refitted[2, 2] < -0.9
    assert not sliding.shifts.is_elsewhere.any()
    assert sliding.marks[2] == "sigma_x leaves its bound"


def test_a_day_with_one_degree_of_freedom():
    day = MARKET.day(INTERIOR)
    few = day.without(day.maturities[[1, 3, 5, 7, 9, 10, 11]])
    assert len(few.prices) == 6
    loo = cs.diagnose(cs.calibrate(few)).refits.leave_one_out()
    assert loo.is_identified.all()
    assert np.isfinite(loo.shifts.parameters).all()


def test_a_day_without_a_degree_of_freedom():
    day = MARKET.day(INTERIOR)
    five = day.without(day.maturities[[1, 3, 5, 7, 8, 9, 10, 11]])
    prices = cs.G2(0.5, 0.04, 0.012, 0.011, -0.7).prices(five)
    loo = cs.diagnose(cs.calibrate(dataclasses.replace(five, prices=prices))).refits.leave_one_out()
    assert not loo.is_identified.any()
    assert all("not identified without it" in mark for mark in loo.marks)
    assert np.isnan(loo.shifts.predicted("gauss_newton")).all()


def test_a_leverage_that_a_pseudo_inverse_hides_costs_no_prediction():
    """A day of reduced rank still gives finite predictions of the exact form."""
    dx = of_day(AT_RHO)
    assert dx.flags.has_rank_loss
    assert np.isfinite(dx.refits.leave_one_out().shifts.predicted("exact")).all()


def test_an_anchor_counts_as_quotes():
    fit = cs.calibrate(
        MARKET.day(INTERIOR), anchor=cs.G2(0.3, 0.04, 0.01, 0.01, -0.8), anchor_strength=1e-4
    )
    loo = cs.diagnose(fit).refits.leave_one_out()
    assert loo.labels[-1] == "anchor of rho_xy"
    assert np.isfinite(loo.shifts.parameters).all()


def test_the_frame_says_it_all():
    table = of_day(JUMPY).refits.leave_one_out().frame()
    assert table.index[0] == "3Y"
    assert list(table.columns) == [
        "a_x", "a_y", "sigma_x", "sigma_y", "rho_xy", "rms", "press", "cooks_distance",
        "confidence", "error_gauss_newton", "error_exact", "mark",
    ]  # fmt: skip


def test_without_a_refit_there_is_one_clear_error():
    dx = dataclasses.replace(linear(), refit=None)
    with pytest.raises(ValueError, match="give refit= to diagnose_least_squares"):
        _ = dx.refits
