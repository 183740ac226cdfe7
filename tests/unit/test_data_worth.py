"""The worth of quotes against covariances of the other designs, and where identification ends."""

import numpy as np
import pytest
from linear_problem import diagnosed, linear

import calibscope as cs
from calibscope.diagnosis.linear.cap_candidates import cap_candidates
from calibscope.diagnosis.linear.data_worth import CandidateQuotes

MARKET = cs.demo_market()
INTERIOR, AT_RHO = "2020-03-18", "2024-06-06"


def variances(A):
    return np.diag(np.linalg.inv(A.T @ A))


def test_without_a_quote_it_is_the_covariance_of_the_others():
    dx = linear(is_relative=True)
    A = dx.problem.design
    expected = [variances(np.delete(A, k, axis=0)) / variances(A) for k in range(13)]
    worth = dx.data_worth()
    assert worth.factors == pytest.approx(np.array(expected), rel=1e-9)
    assert worth.factors.min() >= 1
    assert list(worth.frame().columns) == ["b1", "b2", "b3"]


def test_with_a_candidate_it_is_the_covariance_of_all():
    dx, rng = linear(), np.random.default_rng(2)
    rows, weights = rng.normal(size=(4, 3)), np.array([0.0, 0.5, 1.0, 1e6])
    worth = dx.data_worth(CandidateQuotes(np.array(list("abcd")), rows, weights))
    A = dx.problem.design
    more = [np.vstack((A, np.sqrt(w) * row)) for row, w in zip(rows, weights, strict=True)]
    expected = np.array([variances(each) for each in more]) / variances(A)
    assert worth.factors == pytest.approx(expected, rel=1e-9)
    assert worth.factors[0] == pytest.approx(np.ones(3))
    assert worth.factors.max() <= 1 + 1e-12


def test_on_a_day_it_agrees_with_the_closed_form():
    """(1 - h) variances by Sherman and Morrison, with digits lost to the condition of A."""
    dx = cs.diagnose(cs.calibrate(MARKET.day(INTERIOR)))
    # var_(k) = var + (A^T A)^-1 a a^T (A^T A)^-1 / (1 - h), of which dfbeta is the same vector
    step = dx.problem.design @ dx.geometry.inverse
    grown = dx.geometry.deviations**2 + step**2 / (1 - dx.leverage)[:, None]
    assert dx.data_worth().factors == pytest.approx(grown / dx.geometry.deviations**2, rel=1e-5)


def test_what_only_one_quote_determines_is_lost_without_it():
    X = np.column_stack((np.ones(6), np.eye(6)[5]))
    dx = diagnosed(X, np.array([1.0, 1.1, 0.9, 1.0, 1.05, 3.0]))
    assert np.isinf(dx.data_worth().factors).tolist() == [[False, False]] * 5 + [[False, True]]
    assert dx.data_worth().factors[5, 0] == pytest.approx(1.0)


def test_what_no_quote_determines_is_won_by_a_candidate():
    X = np.column_stack((np.ones(5), np.zeros(5)))
    dx = diagnosed(X, np.array([1.0, 1.1, 0.9, 1.0, 1.05]))
    rows = np.array([[0.0, 1.0], [1.0, 0.0]])
    worth = dx.data_worth(CandidateQuotes(np.array(["new", "old"]), rows, np.ones(2)))
    assert worth.factors[0].tolist() == pytest.approx([1.0, 0.0])
    assert worth.factors[1, 0] == pytest.approx(5 / 6)
    assert np.isnan(worth.factors[1, 1])
    assert np.isnan(dx.data_worth().factors[:, 1]).all()


def test_parameters_held_at_bounds_have_no_variance_in_strict_mode():
    fit = cs.calibrate(MARKET.day(AT_RHO))
    full, strict = (cs.diagnose(fit, mode).data_worth().factors for mode in ("full", "strict"))
    assert np.isnan(strict[:, 4]).all()
    assert np.isnan(full[:, 2]).all()  # not identified with all quotes
    assert np.nanmin(strict) >= 1 - 1e-6


def test_candidates_are_priced_like_the_quotes_of_the_day():
    fit = cs.calibrate(MARKET.day(INTERIOR))
    dx, asked = cs.diagnose(fit), cap_candidates(fit, [3, 10])
    day = fit.problem.day
    assert asked.labels.tolist() == ["3Y", "10Y"]
    # The strikes of the demo market are rounded to eight digits.
    assert asked.jacobian == pytest.approx(dx.problem.jacobian[[0, 7]], rel=1e-5)
    assert asked.weights == pytest.approx(1 / fit.prices[[0, 7]] ** 2, rel=1e-5)
    given = cap_candidates(fit, [3, 10], day.strikes[[0, 7]] + 0.01)
    assert given.labels[0].startswith("3Y at ")
    assert (given.jacobian != asked.jacobian).any()


def test_short_caps_tell_more_about_the_fast_factor_than_caps_between_quotes():
    fit = cs.calibrate(MARKET.day(INTERIOR))
    factors = cs.diagnose(fit).data_worth(cap_candidates(fit, [1, 11, 13])).factors[:, 0]
    assert factors[0] < 0.7 < factors[1]


def test_candidates_beyond_the_curve_or_off_the_grid_are_errors():
    fit = cs.calibrate(MARKET.day(INTERIOR))
    with pytest.raises(cs.MarketDataError, match="curve"):
        cap_candidates(fit, [90])
    with pytest.raises(cs.MarketDataError):
        cap_candidates(fit, [2.3])


def test_candidates_must_have_the_fit_s_parameters():
    with pytest.raises(ValueError, match=r"give \(c, 3\) and \(c,\)"):
        linear().data_worth(CandidateQuotes(np.array(["a"]), np.ones((1, 2)), np.ones(1)))
