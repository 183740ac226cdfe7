"""The Svensson fit: gaps, flags, refusals."""

import numpy as np
import pytest

import calibscope as cs
from calibscope.market.svensson import PAPER_TIMES, svensson_forward_rates, svensson_zero_rates
from calibscope.market.svensson_fit import TAU_BOUNDS, fit_svensson, fit_svensson_panel

TRUTH = np.array([0.03, -0.02, 0.01, -0.015, 1.5, 7.0])


def test_the_papers_grid_has_55_maturities():
    assert len(PAPER_TIMES) == 55
    assert (np.diff(PAPER_TIMES) > 0).all()
    assert PAPER_TIMES[[0, 15, 23, -1]].tolist() == [1 / 365, 1, 3, 50]


def test_formula_at_its_ends_and_against_the_textbook():
    t = 4.0
    x1, x2 = t / TRUTH[4], t / TRUTH[5]
    F = [(1 - np.exp(-x)) / x for x in (x1, x2)]
    expected = TRUTH[:4] @ [1, F[0], F[0] - np.exp(-x1), F[1] - np.exp(-x2)]
    assert float(svensson_zero_rates(TRUTH, t)) == pytest.approx(expected, rel=1e-15)
    assert float(svensson_zero_rates(TRUTH, 0.0)) == pytest.approx(0.01, rel=1e-15)
    assert float(svensson_forward_rates(TRUTH, 0.0)) == pytest.approx(0.01, rel=1e-15)
    assert float(svensson_forward_rates(TRUTH, 1e6)) == pytest.approx(0.03, rel=1e-15)


def test_curve_from_parameters():
    curve = cs.DiscountCurve.from_svensson(TRUTH, last_time=30)
    t = np.linspace(0, 30, 301)
    assert curve.zero_rate(t) == pytest.approx(svensson_zero_rates(TRUTH, t), rel=1e-14)
    assert curve.forward_rate(t) == pytest.approx(svensson_forward_rates(TRUTH, t), rel=1e-14)
    assert (curve.interpolation, curve.last_time) == ("svensson", 30)
    # Its nodes alone say the same: a refit finds the curve again, to a millionth of a bp.
    again = cs.DiscountCurve(curve.times, curve.log_discounts, "svensson")
    assert again.zero_rate(t) == pytest.approx(curve.zero_rate(t), abs=1e-10)


@pytest.mark.parametrize(
    ("parameters", "last_time", "message"),
    [
        ([0.03, 0.01], 50, "there are 2 Svensson parameters; give beta_0, beta_1"),
        ([0.03, 0.01, 0, 0, -1, 2], 50, "tau_1 is -1.0; it must be a positive number"),
        ([0.03, float("nan"), 0, 0, 1, 2], 50, "beta_1 is nan; it must be a number"),
        (TRUTH, 0, "last_time is 0; it must be a positive number"),
    ],
)
def test_bad_parameters(parameters, last_time, message):
    with pytest.raises(cs.MarketDataError, match=message):
        cs.DiscountCurve.from_svensson(parameters, last_time)


def test_days_with_gaps_are_fitted_to_what_they_have():
    rates = np.tile(svensson_zero_rates(TRUTH, PAPER_TIMES), (4, 1))
    rates[1, 3:20] = np.nan
    rates[2, 5:] = np.nan
    fits = fit_svensson_panel(PAPER_TIMES, rates)
    assert fits.point_counts.tolist() == [55, 38, 5, 55]
    assert fits.is_poor.tolist() == [False, False, True, False]
    assert np.isnan(fits.parameters[2]).all()
    assert fits.parameters[[0, 1, 3]] == pytest.approx(np.tile(TRUTH, (3, 1)), rel=1e-6)
    assert fit_svensson(PAPER_TIMES, rates[1]).parameters == pytest.approx(TRUTH, rel=1e-6)


def test_threads_change_nothing():
    noise = 5e-5 * np.random.default_rng(1).standard_normal((60, 55))
    rates = svensson_zero_rates(TRUTH, PAPER_TIMES) + noise
    one, two = (fit_svensson_panel(PAPER_TIMES, rates, threads=n) for n in (1, 2))
    assert (one.parameters == two.parameters).all()
    assert one.rmse_bp == pytest.approx(0.5, abs=0.2)


def test_a_poor_fit_says_so():
    fit = fit_svensson(PAPER_TIMES, 0.02 + 0.002 * np.sin(3 * np.log(PAPER_TIMES)))
    assert fit.is_poor
    assert fit.rmse_bp > 3
    assert "that is poor" in fit.status
    good = fit_svensson(PAPER_TIMES, svensson_zero_rates(TRUTH, PAPER_TIMES))
    assert not good.is_poor
    assert not good.has_tau_at_bound
    assert "poor" not in good.status


def test_a_tau_at_its_bound_is_flagged():
    beyond = [0.03, 0.0, 0.0, 0.03, 1.5, 200.0]
    fit = fit_svensson(PAPER_TIMES, svensson_zero_rates(beyond, PAPER_TIMES))
    assert fit.has_tau_at_bound
    assert fit.parameters[4:].max() == pytest.approx(TAU_BOUNDS[1])
    assert "at its bound" in fit.status


@pytest.mark.parametrize("level", [0.0, 0.02, -0.005])
def test_flat_curves_do_not_confuse_the_fit(level):
    fit = fit_svensson(PAPER_TIMES, np.full(55, level))
    assert fit.rmse_bp < 1e-6
    assert np.isfinite(fit.parameters).all()


@pytest.mark.parametrize(
    ("times", "rates", "message"),
    [
        ([1, 2, 3], [0.01, 0.02, 0.03], "there are 3 zero rates.*at least 6"),
        ([1, 2], [0.01], "zero rates have shape"),
        ([0, 1, 2, 3, 4, 5], [0.01] * 6, "times must be positive"),
        ([1, 2, 3, 4, 5, 6], [0.01] * 5 + [np.inf], "must be numbers"),
    ],
)
def test_bad_points(times, rates, message):
    with pytest.raises(cs.MarketDataError, match=message):
        fit_svensson(times, rates)
