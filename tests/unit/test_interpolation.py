"""Interpolation schemes: nodes, derivatives, many days at once, names."""

import pickle

import numpy as np
import pytest

import calibscope as cs
from calibscope.market.curve import log_discount_panel
from calibscope.market.interpolation import interpolated
from calibscope.market.svensson import PAPER_TIMES, svensson_zero_rates

THROUGH = ["log-linear", "log-cubic", "monotone-convex", "svensson-spline"]
SMOOTH = ["log-cubic", "monotone-convex", "svensson", "svensson-spline"]
ALL = [*THROUGH, "svensson", "paper"]
TIMES = np.concatenate(([0.0], PAPER_TIMES))
RATES = svensson_zero_rates(
    [[0.03, -0.02, 0.01, -0.01, 1.5, 6.0], [0.01, -0.015, -0.02, 0.01, 2.5, 12.0]], PAPER_TIMES
) + 1e-4 * np.sin(PAPER_TIMES)
LOGS = np.concatenate((np.zeros((2, 1)), -RATES * PAPER_TIMES), axis=1)


@pytest.mark.parametrize("name", [*THROUGH, "paper"])
def test_nodes_are_met(name):
    """To the last bit, but for the sum of curve and spline, which rounds."""
    found = interpolated(name, TIMES, LOGS).log_discount(TIMES)
    assert found == pytest.approx(LOGS, abs=2e-16, rel=4e-16)


@pytest.mark.parametrize("name", ALL)
def test_one_day_is_a_batch_of_one_and_any_shape_of_times_will_do(name):
    many = interpolated(name, TIMES, LOGS)
    t = np.array([[0.0, 0.3, 1.0], [17.2, 30.5, 50.0]])
    assert many.log_discount(t).shape == many.forward_rate(t).shape == (2, 2, 3)
    for day in range(2):
        one = interpolated(name, TIMES, LOGS[day])
        # The same arithmetic, in a matrix product of another shape.
        assert one.log_discount(t) == pytest.approx(many.log_discount(t)[day], abs=1e-15)
        assert one.forward_rate(t) == pytest.approx(many.forward_rate(t)[day], abs=1e-13)
        assert one.log_discount(np.array(2.2)).shape == ()


@pytest.mark.parametrize("name", ALL)
def test_forward_rates_are_the_derivative(name):
    """Central differences with h = 1e-5: rounding 1e-16/h = 1e-11, truncation h^2 f''' less."""
    scheme = interpolated(name, TIMES, LOGS)
    t, h = np.linspace(0.0005, 49.99, 5003), 1e-5
    t = t[np.abs(t[:, np.newaxis] - TIMES).min(axis=1) > 1.1e-4]  # the paper's rule jumps at nodes
    numerical = (scheme.log_discount(t - h) - scheme.log_discount(t + h)) / (2 * h)
    assert scheme.forward_rate(t) == pytest.approx(numerical, abs=1e-8)


@pytest.mark.parametrize("name", SMOOTH)
def test_forward_rates_are_continuous_at_nodes(name):
    scheme = interpolated(name, TIMES, LOGS)
    left, right = scheme.forward_rate(TIMES[1:-1] - 1e-9), scheme.forward_rate(TIMES[1:-1] + 1e-9)
    assert left == pytest.approx(right, abs=1e-9)


def test_the_papers_rule_jumps_where_svensson_misses():
    paper, fit = interpolated("paper", TIMES, LOGS), interpolated("svensson", TIMES, LOGS)
    at_nodes = paper.log_discount(TIMES) - fit.log_discount(TIMES)
    assert np.abs(at_nodes).max() > 1e-4
    t = TIMES[5:] + 0.01
    assert (paper.log_discount(t[:-1]) == fit.log_discount(t[:-1])).all()
    # A month written with four digits is still an observed maturity.
    assert paper.log_discount(np.array(0.0833))[0] == LOGS[0, 5]


def test_monotone_convex_keeps_monotone_forwards_monotone():
    times = np.array([0.0, 1, 2, 3, 5, 10, 30])
    discrete = np.array([0.0, 0.001, 0.02, 0.021, 0.0211, 0.03])
    logs = np.concatenate(([0.0], -np.cumsum(discrete * np.diff(times))))
    forwards = interpolated("monotone-convex", times, logs).forward_rate(np.linspace(1, 10, 4001))
    assert (np.diff(forwards) >= -1e-16).all()
    # A spline through the same nodes overshoots: the property is not for free.
    spline = interpolated("log-cubic", times, logs).forward_rate(np.linspace(1, 10, 4001))
    assert (np.diff(spline) < -1e-6).any()


@pytest.mark.parametrize("name", THROUGH[:3])
@pytest.mark.parametrize("nodes", [2, 3, 4])
def test_flat_curves_stay_flat_also_with_few_nodes(name, nodes):
    times = np.array([0.0, 0.1, 4, 30])[:nodes]
    scheme = interpolated(name, times, -0.02 * times)
    t = np.linspace(0, times[-1], 50)
    assert scheme.forward_rate(t) == pytest.approx(0.02, abs=1e-14)
    assert scheme.log_discount(t) == pytest.approx(-0.02 * t, abs=1e-15)


@pytest.mark.parametrize("name", ALL)
def test_curves_and_panels_agree_and_survive_pickling(name):
    t = np.arange(61) / 2
    panel = log_discount_panel(name, PAPER_TIMES, LOGS[:, 1:], t)
    for day in range(2):
        curve = cs.DiscountCurve(TIMES, LOGS[day], name)
        fresh = pickle.loads(pickle.dumps(curve))
        assert curve.log_discount(t) == pytest.approx(panel[day], abs=1e-15)
        used = pickle.loads(pickle.dumps(curve))
        for copy in (fresh, used):
            assert copy.interpolation == name
            assert (copy.log_discount(t) == curve.log_discount(t)).all()
        assert float(curve.zero_rate(0)) == float(curve.forward_rate(0))
        assert float(curve.discount(0)) == 1


@pytest.mark.parametrize("name", ALL)
def test_no_scheme_extrapolates(name):
    curve = cs.DiscountCurve(TIMES, LOGS[0], name)
    assert np.isfinite(curve.discount(50 + 1e-9))
    for answer in (curve.discount, curve.zero_rate, curve.forward_rate):
        with pytest.raises(cs.MarketDataError, match="the curve covers 0 to 50"):
            answer(50.1)
    with pytest.raises(cs.MarketDataError, match="the curve covers 0 to 50"):
        log_discount_panel(name, TIMES, LOGS, [51.0])


def test_bad_names_and_too_few_nodes():
    with pytest.raises(cs.MarketDataError, match=r"interpolation is 'cubic'; choose from log-lin"):
        cs.DiscountCurve.from_zero_rates([1, 2], [0.02, 0.02], interpolation="cubic")
    with pytest.raises(cs.MarketDataError, match=r"2 nodes after today are too few for 'paper'"):
        cs.DiscountCurve.from_zero_rates([1, 2], [0.02, 0.02], interpolation="paper")


def test_repr_names_the_scheme():
    curve = cs.DiscountCurve.from_zero_rates([1, 2], [0.02, 0.02], interpolation="log-cubic")
    assert repr(curve) == "DiscountCurve(2 nodes up to 2 years, log-cubic)"
