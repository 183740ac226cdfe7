"""The bootstrap against the delta method where that is exact, and at bounds."""

import dataclasses

import numpy as np
import pytest
from linear_problem import diagnosed, linear

import calibscope as cs

MARKET = cs.demo_market()
INTERIOR, AT_RHO = "2020-03-18", "2024-06-06"
# The standard deviation of n normal draws has a relative error of 1 / sqrt(2 n): 4 of these.
DRAWS = 4000
MONTE_CARLO = 4 / np.sqrt(2 * DRAWS)


@pytest.mark.parametrize("scale", ["mse", "mad", "mad_adjusted"])
def test_on_a_line_normal_noise_gives_the_covariance(scale):
    dx = linear(is_relative=True)
    boot = dx.refits.bootstrap(size=DRAWS, scale=scale)
    assert boot.standard_errors == pytest.approx(dx.standard_errors(scale), rel=MONTE_CARLO)
    found = boot.intervals((0.5, 0.9))
    width = found.high - found.low
    normal = 2 * np.array([[0.6745], [1.6449]]) * dx.standard_errors(scale)
    assert width == pytest.approx(normal, rel=0.08)  # quantiles scatter more than deviations
    assert found.marks == ("",) * 3


def test_the_objective_of_a_refit_has_the_degrees_of_freedom_of_the_fit():
    dx = linear()
    boot = dx.refits.bootstrap(size=DRAWS, scale="mse")
    expected = (13 - 3) * dx.scale_mse**2
    assert boot.objectives.mean() == pytest.approx(expected, rel=4 * np.sqrt(2 / 10 / DRAWS))


def test_residual_noise_has_the_size_of_residuals_that_leverage_has_not_shrunk():
    dx = linear()
    boot = dx.refits.bootstrap("residual", size=DRAWS)
    loose = dx.problem.weighted_residuals / np.sqrt(1 - dx.leverage)
    expected = loose.std() * np.sqrt(np.diag(dx.geometry.inverse))
    assert boot.standard_errors == pytest.approx(expected, rel=1.5 * MONTE_CARLO)
    assert boot.scale is None
    assert boot.intervals().scale is None


def test_quotes_that_decide_alone_or_have_no_weight_are_not_drawn_from():
    X = np.column_stack((np.ones(7), np.eye(7)[5]))
    y = np.array([1.0, 1.1, 0.9, 1.0, 1.05, 3.0, 77.0])
    dx = diagnosed(X, y, weights=np.append(np.ones(6), 0.0))
    boot = dx.refits.bootstrap("residual", size=200)
    assert np.abs(boot.parameters[:, 0] - 1.01).max() < 0.2
    assert np.isfinite(boot.parameters).all()


def test_the_seed_decides():
    dx = linear()
    one, same, other = (dx.refits.bootstrap(size=20, seed=seed) for seed in (1, 1, 2))
    assert (one.parameters == same.parameters).all()
    assert (one.parameters != other.parameters).any()
    assert repr(dx.refits.bootstrap(size=20)) == (
        "Bootstrap(parametric, scale mse: 20 refits, seed 20160901)"
    )
    assert repr(dx.refits.bootstrap("residual", size=20)) == (
        "Bootstrap(residual: 20 refits, seed 20160901)"
    )


def test_shares_at_bounds_and_marks_where_rank_is_lost():
    dx = cs.diagnose(cs.calibrate(MARKET.day(AT_RHO)))
    boot = dx.refits.bootstrap(size=200)
    assert 0.5 < boot.share_at_lower[4] < 1.0
    assert boot.share_at_upper[4] == 0.0
    found = boot.intervals(0.9)
    assert found.form == "bootstrap"
    assert found.marks[4].startswith("at the lower bound")
    assert "cut at the lower bound" in found.marks[4]
    assert found.low[4] == -1.0 < found.high[4] or found.high[4] == -1.0
    assert "not identified" in found.marks[2]
    assert "collapsed" not in "".join(found.marks)
    # A decomposition drops what refits follow: a_x is far from known to 3 %.
    collapsed = dx.intervals(0.9, method="delta")
    assert found.high[0] - found.low[0] > 5 * (collapsed.high[0] - collapsed.low[0])


def test_without_a_scale_there_is_no_interval():
    day = MARKET.day(INTERIOR)
    few = day.without(day.maturities[[1, 3, 5, 7, 9, 10, 11]])
    dx = cs.diagnose(cs.calibrate(few))
    assert np.isnan(dx.scale_mad_adjusted)
    boot = dx.refits.bootstrap(size=10, scale="mad_adjusted")
    assert np.isnan(boot.parameters).all()
    assert all("no interval" in mark or "bound" in mark for mark in boot.intervals().marks)
    for scale in ("mse", 0.003):
        assert np.isfinite(dx.refits.bootstrap(size=10, scale=scale).parameters).all()


def test_a_fixed_parameter_stays():
    fit = cs.calibrate(MARKET.day(INTERIOR), fixed={"rho_xy": -0.7})
    boot = cs.diagnose(fit).refits.bootstrap(size=10)
    assert (boot.parameters[:, 4] == -0.7).all()
    assert boot.intervals().marks[4] == "fixed"


def test_the_frame_has_a_row_per_refit():
    table = linear().refits.bootstrap(size=5).frame()
    assert table.shape == (5, 4)
    assert list(table.columns) == ["b1", "b2", "b3", "objective"]


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        ({"kind": "wild"}, "choose from parametric, residual"),
        ({"size": 1}, "give 2 or more"),
        ({"scale": "sd"}, "choose from mse, mad, mad_adjusted"),
    ],
)
def test_what_cannot_be_is_said(wishes, message):
    with pytest.raises(ValueError, match=message):
        linear().refits.bootstrap(**wishes)


def test_a_fit_that_is_not_the_best_is_not_reproduced():
    fit = cs.calibrate(MARKET.day(INTERIOR))
    lazy = dataclasses.replace(fit, as_found=cs.G2(0.5, 0.04, 0.015, 0.011, -0.94))
    assert cs.diagnose(fit).refits.is_reproduced
    assert not cs.diagnose(lazy).refits.is_reproduced
