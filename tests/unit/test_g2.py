"""The class G2: parameters it accepts, and the degenerate corners it marks."""

import numpy as np
import pytest

import calibscope as cs
from calibscope.market.demo import demo_day
from calibscope.models.g2 import caps
from calibscope.models.g2.book import CapBook
from calibscope.models.g2.variance import integrated_variance

NAN = float("nan")


def test_shapes_are_those_of_the_design():
    day, model = demo_day(), cs.G2(0.5, 0.05, 0.01, 0.012, -0.7)
    assert model.prices(day).shape == (13,)
    assert model.jacobian(day).shape == (13, 5)
    hessian = model.hessian(day)
    assert hessian.shape == (13, 5, 5)
    assert (hessian == hessian.transpose(0, 2, 1)).all()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((-0.1, 0.1, 0.01, 0.01, 0), "a_x is -0.1"),
        ((0.1, 0.1, 0.01, -0.01, 0), "sigma_y is -0.01"),
        ((0.1, 0.1, 0.01, 0.01, 1.01), "rho_xy is 1.01"),
        ((0.1, NAN, 0.01, 0.01, 0), "a_y is nan"),
        ((0.1, np.inf, 0.01, 0.01, 0), "a_y is inf"),
        ((-1, 0.1, 0.01, 0.01, 3), "a_x is -1, rho_xy is 3"),
    ],
)
def test_impossible_parameters_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        cs.G2(*values)


def test_parameter_table_must_match_the_days():
    book = CapBook.from_days([demo_day(), demo_day()])
    with pytest.raises(ValueError, match=r"shape \(1, 5\); give 5 for 2 days"):
        caps.evaluate([[0.1, 0.2, 0.01, 0.01, 0]], book)
    with pytest.raises(ValueError, match="rho_xy is -2 on day 1"):
        caps.evaluate([[0.1, 0.2, 0.01, 0.01, 0], [0.1, 0.2, 0.01, 0.01, -2]], book)


def intrinsic(day):
    P, delta = day.discounts, day.schedule.accruals
    return [
        sum(
            max(P[i] - (1 + strike * delta[i]) * P[i + 1], 0)
            for i in range(day.first_period, count)
        )
        for strike, count in zip(day.strikes, day.period_counts, strict=True)
    ]


@pytest.mark.parametrize(
    "model",
    [
        cs.G2(0.1, 0.1, 0.01, 0.01, -1),  # the factors cancel
        cs.G2(0.3, 0.1, 0, 0, 0.5),  # no volatility at all
        cs.G2(0, 0, 0.01, 0.01, -1),
        cs.G2(0.3, 0.1, 1e-200, 1e-200, 0.5),  # a variance below the smallest double
    ],
)
def test_without_variance_caps_are_worth_their_intrinsic_value_and_say_so(model):
    day = demo_day()
    assert model.prices(day) == pytest.approx(intrinsic(day), rel=1e-12)
    assert (model.jacobian(day) == 0).all()
    assert (model.hessian(day) == 0).all()
    assert model.is_degenerate(day).all()


def test_ordinary_parameters_are_not_degenerate_even_with_the_first_caplet():
    curve = cs.DiscountCurve.from_zero_rates([10], [0.02])
    day = cs.MarketDay.from_arrays(
        curve=curve,
        maturities=[0.5, 5],
        vols=[0.008, 0.008],
        strikes=[0.01, 0.02],
        first_caplet=True,
    )
    model = cs.G2(0.5, 0.05, 0.01, 0.012, -0.7)
    assert not model.is_degenerate(day).any()
    # The cap of one caplet is fixed today: intrinsic value, no sensitivity.
    assert model.prices(day)[0] == pytest.approx(1 - 1.005 * float(curve.discount(0.5)))
    assert (model.jacobian(day)[0] == 0).all()


def test_the_first_caplet_adds_its_intrinsic_value():
    curve = cs.DiscountCurve.from_zero_rates([10], [0.02])
    model = cs.G2(0.5, 0.05, 0.01, 0.012, -0.7)
    with_first, without = (
        cs.MarketDay.from_arrays(
            curve=curve, maturities=[3, 5], vols=[0.008] * 2, strikes=[0.01, 0.03],
            first_caplet=first,
        )
        for first in (True, False)
    )  # fmt: skip
    gain = model.prices(with_first) - model.prices(without)
    assert gain == pytest.approx([1 - 1.005 * float(curve.discount(0.5)), 0], abs=1e-15)
    assert model.jacobian(with_first) == pytest.approx(model.jacobian(without), rel=1e-13)


def test_zero_speeds_are_the_limit_of_small_ones():
    day = demo_day()
    limit, near = cs.G2(0, 0, 0.006, 0.005, 0.3), cs.G2(1e-12, 1e-12, 0.006, 0.005, 0.3)
    assert limit.prices(day) == pytest.approx(near.prices(day), rel=1e-10)
    assert limit.jacobian(day) == pytest.approx(near.jacobian(day), rel=1e-9)
    assert limit.hessian(day) == pytest.approx(near.hessian(day), rel=1e-9)


def test_a_caplet_must_pay_after_it_resets():
    model, curve = cs.G2(0.5, 0.05, 0.01, 0.012, -0.7), cs.DiscountCurve.from_zero_rates([9], [0])
    for reset, payment in ((2, 1), (1, 1), (-1, 1), (NAN, 1)):
        with pytest.raises(cs.MarketDataError, match="need 0 <= reset < payment"):
            model.caplet_prices(curve, [reset], [payment], [0.01])
    for changes, message in (
        ({"strikes": [-2.0]}, r"caplet 1: .* 1 \+ strike \* accrual > 0"),
        ({"strikes": [NAN]}, "strike nan"),
        ({"strikes": [0.01], "accruals": [-1]}, "accrual -1"),
        ({"strikes": [0.01], "kind": "Cap"}, "kind is 'Cap'"),
        ({"strikes": [0.01], "notional": -1}, "notional is -1"),
        ({"strikes": [[0.01]]}, "strikes have shape"),
        (
            {"strikes": [0.01, 0.02], "accruals": [1, 1, 1]},
            "1 resets, 1 payments, 2 strikes, 3 acc",
        ),
    ):
        with pytest.raises(cs.MarketDataError, match=message):
            model.caplet_prices(curve, [1], [2], **changes)


def test_caplets_broadcast_and_use_their_accruals_and_notional():
    model, curve = (
        cs.G2(0.5, 0.05, 0.01, 0.012, -0.7),
        cs.DiscountCurve.from_zero_rates([9], [0.02]),
    )
    price = float(model.caplet_prices(curve, 1, 2, 0.02)[0])
    assert model.caplet_prices(curve, 1, 2, 0.02, notional=1e6)[0] == pytest.approx(1e6 * price)
    # Doubling accrual and halving the strike leaves 1 + K delta, hence everything, unchanged.
    same = model.caplet_prices(curve, 1, 2, [0.02, 0.01, 0.005], accruals=[1, 2, 4])
    assert same == pytest.approx([price] * 3, rel=1e-14)


@pytest.mark.parametrize("sigma", [1e-140, 1e-60, 1e-15, 1e-12, 1e3, 1e100])
def test_absurd_volatilities_stay_between_the_bounds(sigma):
    """Deep in the money, out of the money, and a hair's breadth from it."""
    curve = cs.DiscountCurve.from_zero_rates([60], [0.02])
    strikes = np.concatenate(([0.0, 0.1], 0.0202013400267558 + np.linspace(-1e-14, 1e-14, 1001)))
    for kind in ("cap", "floor"):
        prices = cs.G2(0.1, 0.2, sigma, sigma, 0.3).caplet_prices(curve, 1, 2, strikes, kind=kind)
        assert (prices >= 0).all()
        assert (prices <= 1.1).all()


def test_integrated_variance_refuses_what_makes_no_sense():
    for arguments, message in (
        (([0.1, 0.1], 1, 2), "give 5"),
        (([0.1, 0.2, 0.01, 0.01, 5], 1, 2), "rho_xy is 5"),
        (([0.1, 0.2, 0.01, 0.01, 0], 2, 1), "need 0 <= reset <= payment"),
    ):
        with pytest.raises(ValueError, match=message):
            integrated_variance(*arguments)


def test_parameters_become_plain_numbers():
    model = cs.G2("0.5", np.float64(0.05), np.array(0.01), 0, -1)
    assert model == cs.G2(0.5, 0.05, 0.01, 0.0, -1.0)
    assert hash(model) == hash(cs.G2(0.5, 0.05, 0.01, 0.0, -1.0))


def test_a_book_takes_any_iterable_of_days():
    assert CapBook.from_days(demo_day() for _ in range(3)).day_count == 3


def test_wrong_things_are_named():
    day, model = demo_day(), cs.G2(0.5, 0.05, 0.01, 0.012, -0.7)
    with pytest.raises(TypeError, match="expected a MarketDay, got a DiscountCurve"):
        model.prices(day.curve)
    with pytest.raises(ValueError, match="there are no days"):
        CapBook.from_days([])
    with pytest.raises(ValueError, match="parameters must be numbers in the order a_x, a_y"):
        caps.evaluate([model], CapBook.from_days([day]))
    with pytest.raises(ValueError, match="order is 3; choose 0, 1 or 2"):
        caps.evaluate([model.values], CapBook.from_days([day]), order=3)


def test_a_cap_is_the_sum_of_its_caplets():
    day, model = demo_day(), cs.G2(0.5, 0.05, 0.01, 0.012, -0.7)
    times = day.schedule.times
    for strike, count, price in zip(day.strikes, day.period_counts, model.prices(day), strict=True):
        caplets = model.caplet_prices(day.curve, times[1:count], times[2 : count + 1], strike)
        assert caplets.sum() == pytest.approx(price, rel=1e-13)


def test_one_compiled_kernel_serves_every_way_of_calling():
    """A second signature would mean a second compilation of some seconds in a user's face."""
    day, model = demo_day(), cs.G2(0.5, 0.05, 0.01, 0.012, -0.7)
    model.prices(day)
    model.hessian(day)
    model.caplet_prices(day.curve, day.schedule.times[1:3], day.schedule.times[2:4], 0.02)
    caps.evaluate([model.values] * 3, CapBook.from_days([day] * 3), order=1)
    assert len(caps.evaluate_days.signatures) == 1
