"""Laws that hold for every model and every market: parity, symmetry, monotonicity, scaling."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import calibscope as cs
from calibscope.market.quotes import payer_swap_value
from calibscope.models.g2.book import CapBook
from calibscope.models.g2.caps import evaluate
from calibscope.models.g2.variance import integrated_variance

speeds = st.one_of(st.just(0.0), st.floats(1e-5, 10))
volatilities = st.one_of(st.just(0.0), st.floats(1e-5, 1))
# Not too close to zero: products with a correlation of 1e-308 are no normal doubles any more.
correlations = st.one_of(
    st.sampled_from([-1.0, 0.0, 1.0]), st.floats(-1, -1e-9), st.floats(1e-9, 1)
)
models = st.builds(cs.G2, speeds, speeds, volatilities, volatilities, correlations)
swap_factors = np.array([1, 0, 3, 2, 4])


@st.composite
def days(draw):
    """Caps on a regular or an irregular grid, on a curve that may be negative."""
    level, slope = draw(st.floats(-0.01, 0.08)), draw(st.floats(-0.02, 0.02))
    nodes = np.linspace(1, 50, 25)
    curve = cs.DiscountCurve.from_zero_rates(nodes, level + slope * np.exp(-nodes / 10))
    at_the_money = draw(st.booleans())
    counts = draw(st.lists(st.integers(2, 24), min_size=1, max_size=5, unique=at_the_money))
    tenor = draw(st.sampled_from([0.25, 0.5, 1.0]))
    # In steps of a thousandth of a bp: a maturity may come again, with another strike.
    steps = st.lists(
        st.integers(-200_000, 1_000_000), min_size=len(counts), max_size=len(counts), unique=True
    )
    strikes = [1e-7 * step for step in draw(steps)]
    notional = draw(st.sampled_from([1.0, 100.0, 1e6]))
    quoted = cs.MarketDay.from_arrays(
        curve=curve,
        maturities=np.array(counts) * tenor,
        vols=np.full(len(counts), 0.03),
        strikes=None if at_the_money else strikes,
        tenor=tenor,
        accruals=np.full(max(counts), tenor * draw(st.sampled_from([1.0, 365 / 360]))),
        notional=notional,
        first_caplet=draw(st.booleans()),
        kind=draw(st.sampled_from(["cap", "floor"])),
    )
    # The laws hold for any prices, also for those that no market has.
    return dataclasses.replace(quoted, prices=np.full(len(counts), 0.01))


def condition(model, day):
    """The largest kappa of the day's periods: how much the terms of Sigma^2 cancel."""
    times = day.schedule.times
    same_signs = np.array([*model.values[:4], abs(model.rho_xy)])
    gross = integrated_variance(same_signs, times[1:-1], times[2:]).value
    net = integrated_variance(model.values, times[1:-1], times[2:]).value
    return max([g / max(n, 1e-16 * g) for g, n in zip(gross, net, strict=True) if g > 0], default=1)


@given(models, days())
def test_cap_minus_floor_is_the_swap_and_their_derivatives_coincide(model, day):
    cap, floor = (dataclasses.replace(day, kind=kind) for kind in ("cap", "floor"))
    start = cap.first_period
    swaps = [
        payer_swap_value(
            cap.discounts[start : n + 1], cap.schedule.accruals[start:n], strike, cap.notional
        )
        for strike, n in zip(cap.strikes, cap.period_counts, strict=True)
    ]
    difference = model.prices(cap) - model.prices(floor)
    # Rounding of up to 24 caplets of size one each.
    assert difference == pytest.approx(swaps, rel=1e-12, abs=2e-14 * cap.notional)
    assert (model.jacobian(cap) == model.jacobian(floor)).all()
    assert (model.hessian(cap) == model.hessian(floor)).all()


@given(models, days())
def test_the_factors_can_be_swapped(model, day):
    swapped = cs.G2(model.a_y, model.a_x, model.sigma_y, model.sigma_x, model.rho_xy)
    prices, jacobian, hessian, _ = evaluate([model.values], CapBook.from_days([day]))
    other = evaluate([swapped.values], CapBook.from_days([day]))
    kappa = condition(model, day)
    assert other.prices == pytest.approx(prices, rel=1e-13 * kappa, abs=1e-15 * day.notional)
    if kappa < 1e3:
        swapped_jacobian = other.jacobian[:, swap_factors]
        assert swapped_jacobian == pytest.approx(jacobian, rel=1e-9, abs=1e-9 * abs(jacobian).max())
        swapped_hessian = other.hessian[:, swap_factors][:, :, swap_factors]
        assert swapped_hessian == pytest.approx(hessian, rel=1e-7, abs=1e-9 * abs(hessian).max())


@given(models, days(), st.floats(1, 3))
def test_more_variance_is_never_worth_less(model, day, factor):
    """Both volatilities times a factor above one raise every Sigma."""
    more = dataclasses.replace(
        model, sigma_x=factor * model.sigma_x, sigma_y=factor * model.sigma_y
    )
    gain = more.prices(day) - model.prices(day)
    assert (gain >= -2e-14 * day.notional).all()


@given(models, days())
def test_a_price_lies_between_the_intrinsic_value_and_the_leg_that_is_received(model, day):
    P, delta, start = day.discounts, day.schedule.accruals, day.first_period
    for price, strike, n in zip(model.prices(day), day.strikes, day.period_counts, strict=True):
        floating, fixed = P[start:n], (1 + strike * delta[start:n]) * P[start + 1 : n + 1]
        received, paid = (floating, fixed) if day.kind == "cap" else (fixed, floating)
        lowest, highest = np.maximum(received - paid, 0).sum(), received.sum()
        # Rounding of up to 24 caplets of size one.
        assert day.notional * (lowest - 1e-14) <= price <= day.notional * (highest + 1e-14)


@given(models, days(), st.sampled_from([2.0**-10, 2.0, 2.0**20]))
def test_everything_scales_with_the_notional(model, day, factor):
    """By powers of two, which are exact in binary: to the last bit, but for underflow."""
    scaled = dataclasses.replace(day, notional=factor * day.notional)
    for method in ("prices", "jacobian", "hessian"):
        expected = factor * getattr(model, method)(day)
        assert getattr(model, method)(scaled) == pytest.approx(expected, rel=0, abs=1e-290)


@given(models, days())
def test_raising_both_volatilities_in_proportion_never_lowers_a_price(model, day):
    """Sigma^2 is homogeneous in (sigma_x, sigma_y), so sigma . dPrice/dsigma is a vega."""
    jacobian = model.jacobian(day)
    vega = model.sigma_x * jacobian[:, 2] + model.sigma_y * jacobian[:, 3]
    size = model.sigma_x * abs(jacobian[:, 2]) + model.sigma_y * abs(jacobian[:, 3])
    assert (vega >= -1e-14 * size).all()


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(models, days()), min_size=1, max_size=8))
def test_a_batch_is_bit_for_bit_its_days_one_by_one(pairs):
    batch = evaluate([m.values for m, _ in pairs], CapBook.from_days([d for _, d in pairs]))
    for name in ("prices", "jacobian", "hessian"):
        method = name
        single = np.concatenate([getattr(model, method)(day) for model, day in pairs])
        assert (getattr(batch, name) == single).all()


@settings(max_examples=10, deadline=None)
@given(st.tuples(models, days()), st.tuples(models, days()), st.integers(2, 7))
def test_the_number_of_threads_changes_no_bit(one, other, threads):
    pairs = [one, other] * 100
    parameters = [model.values for model, _ in pairs]
    book = CapBook.from_days([day for _, day in pairs])
    alone, together = (evaluate(parameters, book, threads=n) for n in (1, threads))
    for single, many in zip(alone, together, strict=True):
        assert (single == many).all()
