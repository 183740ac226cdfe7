"""Caplets against QuantLib, and prices and Jacobian against the paper's forms in NumPy."""

import numpy as np
import pytest

import calibscope as cs
import peers
from calibscope.market.demo import demo_day
from calibscope.market.schedule import Schedule


def random_point(rng: np.random.Generator) -> cs.G2:
    """From a = 1e-3 on; below, QuantLib's own formulas lose digits."""
    a_x, a_y = 10 ** rng.uniform(-3, 1, 2)
    sigma_x, sigma_y = 10 ** rng.uniform(-3, -1, 2)
    return cs.G2(a_x, a_y, sigma_x, sigma_y, rng.uniform(-0.95, 1))


def random_day(rng: np.random.Generator, kind: str) -> cs.MarketDay:
    times = np.concatenate(([0], np.cumsum(rng.integers(60, 400, 12)))) / 360
    level = rng.uniform(-0.01, 0.05)
    return cs.MarketDay(
        curve=cs.DiscountCurve.from_zero_rates([1, 50], [level, level + rng.uniform(-0.01, 0.02)]),
        schedule=Schedule.from_times(times),
        maturities=times[[4, 8, 12]],
        period_counts=np.array([4, 8, 12]),
        strikes=rng.uniform(-0.01, 0.05, 3),
        prices=np.ones(3),
        kind=kind,
    )


@pytest.mark.parametrize("kind", ["cap", "floor"])
def test_caplets_equal_quantlib(kind):
    rng = np.random.default_rng(3)
    for _ in range(60):
        model, day = random_point(rng), random_day(rng, kind)
        quantlib = peers.quantlib_caplets(peers.quantlib_model(model, day), day)
        times = day.schedule.times
        for strike, count, theirs in zip(day.strikes, day.period_counts, quantlib, strict=True):
            ours = model.caplet_prices(
                day.curve, times[1:count], times[2 : count + 1], strike, kind=kind
            )
            assert ours == pytest.approx(theirs, rel=0, abs=1e-12)
        totals = [sum(caplets) for caplets in quantlib]
        assert model.prices(day) == pytest.approx(totals, rel=0, abs=1e-12)


def test_the_standard_day_equals_quantlib_and_numpy():
    day = demo_day()
    model = cs.G2(0.5, 0.05, 0.01, 0.012, -0.7)
    prices, jacobian, hessian = peers.NumpyDay(day).prices_jacobian_and_hessian(model.values)
    quantlib = peers.quantlib_caplets(peers.quantlib_model(model, day), day)
    assert sum(map(len, quantlib)) == 295
    assert model.prices(day) == pytest.approx([sum(c) for c in quantlib], rel=1e-12)
    assert model.prices(day) == pytest.approx(prices, rel=1e-13)
    # The printed forms of the twin lose three (first) and five (second derivative) digits here.
    assert model.jacobian(day) == pytest.approx(jacobian, rel=1e-11)
    assert model.hessian(day) == pytest.approx(hessian, rel=1e-9)


def test_the_numpy_peer_gives_the_same_prices_by_every_door():
    day, parameters = demo_day(), np.array([0.5, 0.05, 0.01, 0.012, -0.7])
    numpy_day = peers.NumpyDay(day)
    prices, jacobian, _ = numpy_day.prices_jacobian_and_hessian(parameters)
    assert (numpy_day.prices(parameters) == prices).all()
    assert (numpy_day.prices_and_jacobian(parameters)[1] == jacobian).all()
