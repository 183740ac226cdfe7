"""Sigma^2, the short rate and bond prices against mpmath, at ordinary and at extreme speeds."""

from itertools import product

import numpy as np
import oracle
import pytest
from mpmath import mp

import calibscope as cs
from calibscope.models.g2.variance import integrated_variance

PARAMETERS = [
    (0.5, 0.05, 0.01, 0.012, -0.7),
    (1e-5, 1e-5, 0.01, 0.01, 0.3),
    (1e-5, 10.0, 0.02, 0.5, -0.9),
    (10.0, 10.0, 1.0, 1.0, 1.0),
    (0.0, 0.0, 0.01, 0.02, 0.5),
    (0.0, 0.3, 0.01, 0.0, -1.0),
    (0.03, 0.02, 0.9, 1.0, -0.99),
]
CURVE = cs.DiscountCurve.from_zero_rates([1, 5, 20, 60], [-0.006, -0.002, 0.004, 0.006])


def variance_derivative(parameters, period, order):
    """A derivative of Sigma^2 by numerical differentiation: no formula involved."""

    def variance(*point):
        return oracle.caplet(point, *period, 0.5, 0.0, 1.0, 1.0).variance

    return mp.diff(variance, parameters, order)


@pytest.mark.parametrize("parameters", PARAMETERS[:3])
@pytest.mark.parametrize("period", [(0.25, 0.5), (29.5, 30.0)])
def test_integrated_variance_and_its_derivatives(parameters, period):
    ours = integrated_variance(parameters, *period)
    with mp.workdps(40):
        for order in product(range(3), repeat=5):
            if sum(order) > 2:
                continue
            exact = float(variance_derivative(parameters, period, order))
            # Only the sign of rho can make terms cancel: with abs(rho) they all add up.
            same_signs = (*parameters[:4], abs(parameters[4]))
            scale = float(abs(variance_derivative(same_signs, period, order)))
            which = tuple(np.repeat(np.arange(5), order))
            value = (ours.value, ours.gradient, ours.hessian)[len(which)][(0, *which)]
            # mp.diff itself is good to 1e-50 here: the second derivative in rho is zero.
            assert value == pytest.approx(exact, rel=0, abs=1e-14 * scale + 1e-50)


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_integrated_variance_at_extremes(parameters):
    resets, payments = np.array([0.25, 2.0, 29.5, 49.0]), np.array([0.5, 2.5, 30.0, 50.0])
    ours = integrated_variance(parameters, resets, payments).value
    for value, reset, payment in zip(ours, resets, payments, strict=True):
        exact = oracle.caplet(parameters, reset, payment, 0.5, 0.0, 1.0, 1.0)
        assert value == pytest.approx(float(exact.variance), rel=1e-14 * float(exact.kappa))


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_short_rate(parameters):
    model = cs.G2(*parameters)
    for t in (0.0, 1e-3, 0.5, 10.0, 50.0):
        variance = float(oracle.short_rate_variance(parameters, t))
        assert float(model.short_rate_variance(t)) == pytest.approx(variance, rel=1e-12)
        forward = float(CURVE.forward_rate(t))
        psi = float(oracle.shift(parameters, forward, t))
        assert float(model.psi(CURVE, t)) == pytest.approx(psi, rel=1e-13)


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_variance_of_the_integral(parameters):
    """Here the printed form has no digit left at a = 1e-5; near rho = -1 terms cancel by 1e4."""
    model = cs.G2(*parameters)
    for t, T in ((0.0, 0.5), (0.5, 0.51), (0.0, 30.0), (10.0, 60.0), (3.0, 3.0)):
        exact = float(oracle.variance_of_integral(parameters, t, T))
        assert float(model.integral_variance(t, T)) == pytest.approx(exact, rel=1e-11)


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_bond_price(parameters):
    model = cs.G2(*parameters)
    for t, T in ((0.0, 0.5), (0.5, 0.51), (2.0, 30.0), (10.0, 60.0), (3.0, 3.0)):
        for x, y in ((0.0, 0.0), (0.01, -0.02)):
            P0t, P0T = (float(CURVE.discount(time)) for time in (t, T))
            exact = float(mp.log(oracle.bond_price(parameters, P0t, P0T, t, T, x, y)))
            if abs(exact) > 700:  # such a price is no double
                continue
            ours = np.log(float(model.bond_price(CURVE, t, T, x, y)))
            # The error is relative to an exponent that reaches hundreds at extreme parameters.
            assert ours == pytest.approx(exact, rel=1e-11, abs=1e-13)


def test_variances_of_factors_that_cancel_are_never_negative():
    rng = np.random.default_rng(5)
    for _ in range(300):
        a, sigma = 10 ** rng.uniform(-5, 1), 10 ** rng.uniform(-5, 0)
        near = 1 + 10 ** rng.uniform(-16, -6, 2)
        model = cs.G2(a, a * near[0], sigma, sigma * near[1], -1.0)
        assert model.short_rate_variance(1.0) >= 0
        assert model.integral_variance(0.0, 1.0) >= 0


def test_the_quadrature_resolves_speeds_far_beyond_the_bounds():
    parameters = (1e3, 10.0, 0.5, 0.2, 0.3)
    model = cs.G2(*parameters)
    exact = float(oracle.variance_of_integral(parameters, 0.0, 50.0))
    assert float(model.integral_variance(0.0, 50.0)) == pytest.approx(exact, rel=1e-13)
    exact = float(oracle.short_rate_variance(parameters, 50.0))
    assert float(model.short_rate_variance(50.0)) == pytest.approx(exact, rel=1e-13)


def test_today_the_model_prices_the_curve():
    model = cs.G2(0.5, 0.05, 0.01, 0.012, -0.7)
    T = np.array([0.5, 7.0, 30.0])
    assert model.bond_price(CURVE, 0.0, T, 0.0, 0.0) == pytest.approx(CURVE.discount(T), rel=1e-14)


def test_times_must_be_in_order():
    model = cs.G2(0.5, 0.05, 0.01, 0.012, -0.7)
    for call in (
        lambda: model.bond_price(CURVE, 2.0, 1.0, 0.0, 0.0),
        lambda: model.integral_variance(2.0, 1.0),
        lambda: model.short_rate_variance(-1.0),
        lambda: model.short_rate_variance([1.0, float("nan")]),
    ):
        with pytest.raises(ValueError, match="0 <= t <= T"):
            call()
