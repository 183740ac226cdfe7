"""The discount curve: what it gives back, and what it refuses."""

import numpy as np
import pytest

import calibscope as cs
from calibscope.market.curve import discounts_of_curves


def test_nodes_are_reproduced_and_today_is_one():
    times, factors = [0.5, 1, 10], [1.002, 1.001, 0.97]
    curve = cs.DiscountCurve.from_discount_factors(times, factors)
    assert curve.discount(times) == pytest.approx(factors, rel=1e-15)
    assert float(curve.discount(0)) == 1


def test_log_linear_between_nodes_with_constant_forward():
    curve = cs.DiscountCurve.from_discount_factors([1, 3], [0.98, 0.9])
    assert float(curve.discount(2)) == pytest.approx(np.sqrt(0.98 * 0.9), rel=1e-15)
    forward = np.log(0.98 / 0.9) / 2
    assert curve.forward_rate([1, 1.7, 2.9, 3]) == pytest.approx(forward, rel=1e-14)
    assert float(curve.forward_rate(0.2)) == pytest.approx(-np.log(0.98), rel=1e-14)


def test_zero_rates_and_discount_factors_agree_also_when_negative():
    times, rates = np.array([0.25, 2, 30]), np.array([-0.006, -0.004, 0.01])
    curve = cs.DiscountCurve.from_zero_rates(times, rates)
    same = cs.DiscountCurve.from_discount_factors(times, np.exp(-rates * times))
    assert curve.zero_rate(times) == pytest.approx(rates, rel=1e-13)
    assert same.log_discounts == pytest.approx(curve.log_discounts, rel=1e-12)
    assert float(curve.zero_rate(0)) == pytest.approx(-0.006)
    assert float(curve.discount(2)) > 1


def test_curve_is_frozen_all_the_way_down():
    curve = cs.DiscountCurve.from_zero_rates([1], [0.02])
    with pytest.raises(ValueError, match="read-only"):
        curve.times[0] = 3
    with pytest.raises(AttributeError):
        curve.times = np.zeros(2)


@pytest.mark.parametrize(
    ("times", "factors", "message"),
    [
        ([1, 2], [0.98], "2 times but 1 discount factors"),
        ([], [], "at least one"),
        ([1, 2], [0.98, float("nan")], "t = 2: discount factor is nan"),
        ([1, 2], [0.98, -0.5], "t = 2: discount factor is -0.5.*positive"),
        ([1, 2], [0.0, 0.9], "t = 1: discount factor is 0.0"),
        ([0, 2], [0.99, 0.9], "t = 0: discount factor is 0.99"),
        ([2, 1], [0.98, 0.99], "time 1 follows 2; times must increase"),
        ([1, 1], [0.98, 0.98], "times must increase"),
        ([-1, 1], [0.98, 0.98], "times must increase"),
        ([1, float("nan")], [0.98, 0.98], "time 2 is nan"),
        ([0.0], [1.0], "no node after today"),
        (["1Y", 2], [0.98, 0.95], "times: entry 1 is '1Y'; it must be a number"),
        ([1, 2], ["0,98", 0.95], "discount factors: entry 1 is '0,98'"),
        ([[1, 2]], [[0.98, 0.95]], r"times have shape \(1, 2\); give a flat list"),
        ("abc", [0.98], "times are 'abc'; give a list of numbers"),
    ],
)
def test_bad_discount_factors_are_refused_with_place_and_reason(times, factors, message):
    with pytest.raises(cs.MarketDataError, match=message):
        cs.DiscountCurve.from_discount_factors(times, factors)


def test_bad_zero_rate():
    with pytest.raises(cs.MarketDataError, match="t = 5: zero rate is nan"):
        cs.DiscountCurve.from_zero_rates([1, 5], [0.01, float("nan")])


def test_all_problems_at_once():
    with pytest.raises(cs.MarketDataError) as error:
        cs.DiscountCurve.from_discount_factors([1, 2, 3], [-1, 0.9, float("nan")])
    assert len(error.value.problems) == 2


@pytest.mark.parametrize("t", [-0.1, 30.5, float("nan"), [1, 31]])
def test_no_extrapolation(t):
    curve = cs.DiscountCurve.from_zero_rates([1, 30], [0.02, 0.02])
    with pytest.raises(cs.MarketDataError, match=r"the curve covers 0 to 30"):
        curve.discount(t)


@pytest.mark.parametrize(
    ("compounding", "factor"),
    [
        ("continuous", np.exp(-0.03 * 2.5)),
        ("annual", 1.03**-2.5),
        ("semiannual", 1.015**-5),
        ("quarterly", 1.0075**-10),
        ("monthly", 1.0025**-30),
        ("simple", 1 / 1.075),
    ],
)
def test_compounding(compounding, factor):
    curve = cs.DiscountCurve.from_zero_rates([2.5], [0.03], compounding=compounding)
    assert float(curve.discount(2.5)) == pytest.approx(factor, rel=1e-15)


def test_bad_compounding_and_rates_that_leave_nothing():
    with pytest.raises(cs.MarketDataError, match="compounding is 'daily'; choose from continuous"):
        cs.DiscountCurve.from_zero_rates([1], [0.03], compounding="daily")
    with pytest.raises(cs.MarketDataError, match=r"t = 1: zero rate is -1.5.*positive amount"):
        cs.DiscountCurve.from_zero_rates([1, 2], [-1.5, 0.01], compounding="annual")
    with pytest.raises(cs.MarketDataError, match=r"t = 50: zero rate is -0.03.*positive amount"):
        cs.DiscountCurve.from_zero_rates([50], [-0.03], compounding="simple")


def test_ois_quotes_take_maturities_as_people_write_them():
    words, years = ["1W", "6M", "1Y", "10Y"], [7 / 365, 0.5, 1.0, 10.0]
    rates = [0.039, 0.037, 0.034, 0.027]
    named = cs.DiscountCurve.from_ois_quotes(words, rates, date="2024-06-03")
    plain = cs.DiscountCurve.from_ois_quotes(years, rates, date="2024-06-03")
    assert named.log_discounts.tolist() == plain.log_discounts.tolist()
    with pytest.raises(cs.MarketDataError, match="'10X'; it must be a number"):
        cs.DiscountCurve.from_ois_quotes(["1Y", "10X"], rates[:2], date="2024-06-03")
    with pytest.raises(cs.MarketDataError, match=r"par rate is 2.7, which is 270 percent"):
        cs.DiscountCurve.from_ois_quotes([10], [2.7], date="2024-06-03")
    with pytest.raises(cs.MarketDataError, match="no TARGET calendar"):
        cs.DiscountCurve.from_ois_quotes([10], [0.027], date="1850-01-01")


@pytest.mark.parametrize(
    "make",
    [
        lambda: cs.DiscountCurve.from_zero_rates([1, 10], [3.1, 2.8]),
        lambda: cs.DiscountCurve.from_discount_factors([1, 2], [97, 95]),
        lambda: cs.DiscountCurve.from_discount_factors([1, 2], [3.5, 3.2]),
        lambda: cs.DiscountCurve.from_svensson([2.5, 1, -1, 2, 1.5, 8]),
    ],
)
def test_rates_in_percent_are_refused(make):
    with pytest.raises(cs.MarketDataError, match="percent"):
        make()


@pytest.mark.parametrize("scheme", ["log-linear", "log-cubic", "monotone-convex", "svensson"])
def test_the_last_forward_rate_is_carried_on_for_some_days_only(scheme):
    times = [0.25, 0.5, 1, 2, 5, 10, 20, 30]
    rates = [0.03, 0.029, 0.028, 0.027, 0.026, 0.027, 0.028, 0.027]
    curve = cs.DiscountCurve.from_zero_rates(times, rates, interpolation=scheme)
    f = float(curve.forward_rate(30))
    assert float(curve.forward_rate(30.02)) == f
    assert float(curve.log_discount(30.02)) == pytest.approx(
        float(curve.log_discount(30)) - 0.02 * f, rel=1e-14
    )
    assert float(curve.zero_rate(30.02) * 30.02) == pytest.approx(-curve.log_discount(30.02))
    with pytest.raises(cs.MarketDataError, match="covers 0 to 30"):
        curve.discount(30.04)


def test_many_curves_at_once_are_each_by_itself_to_the_last_bit():
    """Of any scheme and nodes; also between the last node and the last payment."""
    rng = np.random.default_rng(3)
    grids = [np.array([0.5, 1, 2, 5, 10, 15, 20]), np.array([1.0, 3, 6, 7, 10, 12, 20])]
    curves = [
        cs.DiscountCurve.from_zero_rates(
            grids[k % 2], 0.03 + 0.002 * rng.standard_normal(7), interpolation=scheme
        )
        for scheme in ("log-cubic", "log-linear", "monotone-convex", "paper")
        for k in range(5)
    ]
    t = np.append(np.arange(0, 20.1, 0.5), 20.02)
    together = discounts_of_curves(curves, t)
    np.testing.assert_array_equal(together, [curve.discount(t) for curve in curves])
    with pytest.raises(cs.MarketDataError, match="covers 0 to 20"):
        discounts_of_curves(curves, np.append(t, 21.0))
