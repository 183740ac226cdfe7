"""Robust fits against statsmodels' RLM, and the table of outliers."""

import dataclasses

import numpy as np
import pytest
import statsmodels.api as sm
from linear_problem import diagnosed, linear
from statsmodels.robust.norms import HuberT, RobustNorm

import calibscope as cs

MARKET = cs.demo_market()
INTERIOR = "2020-03-18"


class Cauchy(RobustNorm):
    """The loss that statsmodels lacks."""

    def rho(self, z):
        return 0.5 * 2.385**2 * np.log1p((z / 2.385) ** 2)

    def psi(self, z):
        return z * self.weights(z)

    def weights(self, z):
        return 1 / (1 + (z / 2.385) ** 2)

    def psi_deriv(self, z):
        share = (z / 2.385) ** 2
        return (1 - share) / (1 + share) ** 2

    def __call__(self, z):
        return self.rho(z)


def spoilt(place=4, size=0.6, **wishes):
    """A line with one point far off."""
    plain = linear(**wishes)
    y = np.array(plain.problem.observed)
    y[place] += size
    return diagnosed(np.array(plain.problem.jacobian), y)


@pytest.mark.parametrize(("loss", "norm"), [("huber", HuberT()), ("cauchy", Cauchy())])
def test_it_is_what_statsmodels_finds_at_the_same_scale(loss, norm):
    dx = spoilt()
    found = dx.refits.robust(loss)
    model = sm.RLM(dx.problem.observed, dx.problem.jacobian, M=norm)
    expected = model.fit(
        scale_est=lambda *_: dx.scale_mad_adjusted, update_scale=False, tol=1e-13,
        maxiter=500,
    )  # fmt: skip
    assert found.is_converged
    assert found.parameters == pytest.approx(expected.params, rel=1e-7)
    assert found.robustness == pytest.approx(expected.weights, abs=1e-7)
    assert found.robustness.argmin() == 4


def test_without_large_errors_huber_is_the_plain_fit():
    X = np.column_stack((np.ones(8), np.arange(8.0)))
    dx = diagnosed(X, X @ [1.0, 0.5] + 0.1 * np.array([1, -1, -1, 1, 1, -1, -1, 1]))
    found = dx.refits.robust()
    assert found.iterations == 1
    assert (found.robustness == 1).all()
    assert np.abs(found.shift).max() < 1e-12


def test_a_wrong_cap_loses_its_weight():
    day = MARKET.day(INTERIOR)
    prices = cs.G2(0.5, 0.04, 0.012, 0.011, -0.7).prices(day)
    prices *= 1 + 1e-3 * np.random.default_rng(5).normal(size=13)
    prices[6] *= 1.05
    dx = cs.diagnose(cs.calibrate(dataclasses.replace(day, prices=prices)))
    table = dx.refits.outliers()
    assert table.verdicts[6] == "outlier"
    assert "outlier" not in table.verdicts[:6] + table.verdicts[7:]
    assert table.cauchy[6] < 0.1
    assert table.huber.argmin() == 6
    cauchy, plain = dx.refits.robust("cauchy"), dx.problem.values
    truth = np.array([0.5, 0.04, 0.012, 0.011, -0.7])
    gap = [np.abs(cs.G2(*x).prices(day) / cs.G2(*truth).prices(day) - 1).max()
           for x in (cauchy.parameters, plain)]  # fmt: skip
    assert gap[0] < 0.5 * gap[1]


def test_the_table_names_what_it_cannot_judge():
    X = np.column_stack((np.ones(8), np.eye(8)[5]))
    y = np.array([1.0, 1.1, 0.9, 1.0, 1.05, 3.0, 0.97, 1.0])
    dx = diagnosed(X, y, weights=np.append(np.ones(7), 0.0))
    table = dx.refits.outliers()
    assert table.verdicts[5] == "met whatever it says"
    assert table.verdicts[7] == "no weight"
    assert set(table.verdicts[:5]) == {"in line"}
    frame = table.frame()
    assert list(frame.columns) == [
        "residuals", "studentised", "press", "huber", "cauchy", "chances", "verdict",
    ]  # fmt: skip


def test_press_residuals_are_in_units_of_noise():
    dx = linear()
    e, h = dx.problem.weighted_residuals, dx.leverage
    expected = e / (1 - h) / dx.scale_mad_adjusted
    assert dx.refits.outliers().press == pytest.approx(expected, rel=1e-9)


def test_without_a_scale_there_is_no_robust_fit():
    day = MARKET.day(INTERIOR)
    few = day.without(day.maturities[[1, 3, 5, 7, 9, 10, 11]])
    dx = cs.diagnose(cs.calibrate(few))
    found = dx.refits.robust()
    assert np.isnan(found.parameters).all()
    assert not found.is_converged
    assert set(dx.refits.outliers().verdicts) == {"no verdict"}


def test_a_loss_must_have_a_name_we_know():
    with pytest.raises(ValueError, match="choose from huber, cauchy"):
        linear().refits.robust("tukey")


def test_the_frame_shows_both_fits():
    table = spoilt().refits.robust("cauchy").frame()
    assert list(table.columns) == ["plain", "cauchy", "shift"]


def with_error(place, size, seed, truth=(0.5, 0.05, 0.012, 0.011, -0.7)):
    """Verdicts on a market from a known truth with noise of 0.3 %, and one price off."""
    day = MARKET.day(INTERIOR)
    noise = np.random.default_rng(seed).normal(size=13)
    prices = cs.G2(*truth).prices(day) * (1 + 0.003 * noise)
    prices[place] *= 1 + size
    dx = cs.diagnose(cs.calibrate(dataclasses.replace(day, prices=prices)))
    return dx.refits.outliers().verdicts


@pytest.mark.parametrize("size", [0.0, 0.03, 0.1])
def test_an_error_at_the_short_end_accuses_no_other_quote(size):
    """Residuals would: the fit follows 3Y, and 4Y seems to be off."""
    verdicts = [with_error(0, size, seed) for seed in range(6)]
    assert not any("outlier" in each[1:] for each in verdicts)
    if size == 0.1:
        assert sum(each[0] == "outlier" for each in verdicts) >= 3


def test_quotes_that_explain_a_day_equally_well_are_named_together():
    """Two observations decide a direction that nothing else touches: either may be wrong."""
    X = np.zeros((10, 2))
    X[:8, 0], X[8:, 1] = 1.0, 1.0
    noise = 0.01 * np.array([1, -1, 1, -1, 1, -1, 1, -1])
    dx = diagnosed(X, np.append(1.0 + noise, [1.0, 2.0]))
    table = dx.refits.outliers()
    assert table.verdicts[8:] == ("one of 9, 10",) * 2
    assert set(table.verdicts[:8]) == {"in line"}
    assert table.chances[8] == pytest.approx(table.chances[9], rel=1e-6)


def test_press_in_units_of_noise_accuses_nobody():
    """At high leverage PRESS is large whatever the quote says."""
    X = np.column_stack((np.ones(9), np.append(np.zeros(8), 20.0)))
    X[:8, 1] = np.linspace(-1, 1, 8)
    y = 1.0 + 0.01 * np.array([1, -1, 1, -1, 1, -1, 1, -1, 12])
    table = diagnosed(X, y).refits.outliers()
    assert abs(table.press[8]) > 5
    assert table.verdicts[8] == "in line"
