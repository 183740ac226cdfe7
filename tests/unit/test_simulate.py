"""Markets from a known truth."""

import numpy as np
import pytest

import calibscope as cs
from calibscope.market.calendar import is_business_day

TRUTH = cs.G2(0.6, 0.04, 0.006, 0.009, -0.7)


def test_without_noise_prices_are_the_models():
    market = cs.simulate_market(TRUTH, days=5, noise=0)
    assert market.is_synthetic
    for day in market:
        assert day.prices == pytest.approx(TRUTH.prices(day), rel=1e-14)
    assert is_business_day(np.array(market.dates, "datetime64[D]")).all()


def test_noise_is_relative_normal_and_seeded():
    market = cs.simulate_market(TRUTH, days=2000, noise=0.01, seed=4)
    exact = TRUTH.prices(market.days[0])
    errors = np.array([day.prices for day in market]) / exact - 1
    # 26,000 draws: the standard error of the standard deviation is 0.44 % of it.
    assert errors.std() == pytest.approx(0.01, rel=0.02)
    assert errors.mean() == pytest.approx(0, abs=3e-4)
    lags = np.corrcoef(errors[1:].ravel(), errors[:-1].ravel())[0, 1]
    across = np.corrcoef(errors[:, 0], errors[:, 1])[0, 1]
    assert abs(lags) < 0.03
    assert abs(across) < 0.1
    again = cs.simulate_market(TRUTH, days=2000, noise=0.01, seed=4)
    assert again.fingerprint == market.fingerprint
    assert cs.simulate_market(TRUTH, days=2000, noise=0.01, seed=5).fingerprint != again.fingerprint


def test_noise_is_what_the_formula_says():
    market = cs.simulate_market(TRUTH, days=3, noise=0.1, seed=8)
    errors = np.random.default_rng(8).standard_normal(3 * 13).reshape(3, 13)
    for day, error in zip(market, errors, strict=True):
        assert day.prices == pytest.approx(TRUTH.prices(day) * (1 + 0.1 * error), rel=1e-13)


def test_a_path_of_truths():
    path = [cs.G2(0.6, 0.04, 0.006 + 0.0001 * i, 0.009, -0.7) for i in range(7)]
    market = cs.simulate_market(path, noise=0)
    assert len(market) == 7
    assert len(cs.simulate_market(path[:1])) == 1
    for model, day in zip(path, market, strict=True):
        assert day.prices == pytest.approx(model.prices(day), rel=1e-14)


def test_curves_strikes_and_dates_come_from_the_template():
    demo = cs.demo_market().between("2020-03-02", "2020-03-13")
    market = cs.simulate_market(TRUTH, noise=0, template=demo)
    assert market.dates == demo.dates
    for day, like in zip(market, demo, strict=True):
        assert day.curve is like.curve
        assert (day.strikes == like.strikes).all()
        assert day.prices == pytest.approx(TRUTH.prices(like), rel=1e-14)
    one = cs.simulate_market(TRUTH, days=3, noise=0, template=demo.days[2])
    assert one.dates[0] == demo.dates[2]
    assert (one.days[1].strikes == demo.days[2].strikes).all()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"days": 0}, "simulate at least one"),
        ({"noise": -0.1}, "noise is -0.1"),
        ({"noise": 3}, "0.003 is 0.3 %"),
        ({"noise": float("nan")}, "noise is nan"),
        ({"truth": [TRUTH, TRUTH], "days": 3}, "2 models for 3 days"),
        ({"truth": [1.0]}, "not a G2"),
        ({"days": 2.5}, "days is 2.5"),
        ({"template": "x"}, "template is a str"),
    ],
)
def test_impossible_wishes_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        cs.simulate_market(**{"truth": TRUTH, **changes})
