"""Prices, Jacobian and Hessian over the whole bounds box against 50 digits.

Accuracies asked for: price 1e-12 relative plus 1e-15 of the notional per caplet; each entry of J
to 1e-10 and of H to 1e-8 of the sum of the absolute values of its terms; all times kappa, the
condition number of the sum that is Sigma^2. The test holds J and H to what they reach, with a
margin of five. With the printed C'' in the kernel it fails: the Hessian is then off by more than
1e10 times the asked accuracy.
"""

import numpy as np
import oracle
import pytest
from mpmath import mp, mpf

import calibscope as cs
from calibscope.market.day import MarketDay
from calibscope.market.quotes import swap_rates
from calibscope.market.schedule import Schedule
from calibscope.models.g2.book import CapBook
from calibscope.models.g2.caps import evaluate
from calibscope.models.g2.variance import integrated_variance

POINTS = 2000
PRICE, PER_CAPLET, JACOBIAN, HESSIAN = 1e-12, 1e-15, 2e-12, 1e-11
# A density below the smallest normal double (2e-308) is zero; derivatives multiply it by powers
# of h and 1/sigma, which stay below 1e16 in the box.
UNDERFLOW = 1e-290


def random_parameters(rng: np.random.Generator) -> np.ndarray:
    """A point of the box; every extreme is met on purpose, and often."""
    a = 10 ** rng.uniform(-5, 1, 2)
    sigma = 10 ** rng.uniform(-5, 0, 2)
    rho = rng.uniform(-1, 1)
    a[rng.random(2) < 0.08] = 1e-5
    a[rng.random(2) < 0.08] = 10.0
    sigma[rng.random(2) < 0.05] = 1e-5
    sigma[rng.random(2) < 0.05] = 1.0
    if rng.random() < 0.15:
        a[1] = a[0]
    elif rng.random() < 0.1:
        a[1] = min(10.0, a[0] * (1 + 10 ** rng.uniform(-12, -1)))
    if rng.random() < 0.1:
        sigma[1] = sigma[0]
    if rng.random() < 0.4:
        rho = rng.choice([-1.0, 1.0, -0.99997])
    if rng.random() < 0.05:  # factors that all but cancel
        a[1] = min(10.0, a[0] * (1 + rng.choice([0.0, 10 ** rng.uniform(-14, -2)])))
        sigma[1] = min(1.0, sigma[0] * (1 + rng.choice([0.0, 10 ** rng.uniform(-14, -2)])))
        rho = -1.0
    return np.array([*a, *sigma, rho])


def random_day(rng: np.random.Generator) -> MarketDay:
    """Two caps on odd dates up to 50 years, on a flat, sloping or negative curve."""
    periods = int(rng.integers(2, 6))
    longest = 10 ** rng.uniform(np.log10(0.5), np.log10(50))
    times = np.concatenate(([0.0], np.sort(rng.uniform(0.01, longest, periods))))
    times[1:] += 0.02 * np.arange(periods)
    times *= min(1.0, 50 / times[-1])
    level = rng.uniform(-0.01, 0.06)
    slope = rng.choice([0.0, rng.uniform(-0.01, 0.02)])
    nodes = np.linspace(0.5, 50, 100)
    curve = cs.DiscountCurve.from_zero_rates(nodes, level + slope * (1 - np.exp(-nodes / 8)))
    schedule = Schedule.from_times(times, np.diff(times) * rng.choice([1.0, 365 / 360]))
    counts = np.array([max(2, periods - 1), periods])
    discounts, accruals = curve.discount(times), schedule.accruals
    at_the_money = swap_rates(discounts, accruals, 1, counts)
    at_the_money[1] += 1e-4 * (periods == 2)  # the same cap twice would be refused
    return MarketDay(
        curve=curve,
        schedule=schedule,
        maturities=times[counts],
        period_counts=counts,
        strikes=at_the_money + rng.choice([0.0, rng.uniform(-0.02, 0.02)]),
        prices=np.ones(2),
        notional=float(rng.choice([1.0, 1e6])),
        kind=rng.choice(["cap", "floor"]),
        has_first_caplet=bool(rng.random() < 0.2),
    )


def share_of_tolerance(day, parameters, cap, price, jacobian, hessian):
    """The largest errors of one cap in units of what is allowed, and its largest kappa."""
    times, discounts, notional = day.schedule.times, day.discounts, day.notional
    exact = [mpf(0), np.zeros(5, object), np.zeros((5, 5), object)]
    allowed = [mpf(0), np.full(5, mpf(UNDERFLOW)), np.full((5, 5), mpf(UNDERFLOW))]
    largest_kappa = mpf(1)
    for i in range(day.first_period, day.period_counts[cap]):
        caplet = oracle.caplet(
            parameters, times[i], times[i + 1], day.schedule.accruals[i], day.strikes[cap],
            discounts[i], discounts[i + 1],
        )  # fmt: skip
        value = caplet.price if day.kind == "cap" else caplet.floorlet
        # Without variance there is nothing to excuse: the convention holds exactly.
        kappa = caplet.kappa if caplet.variance > 0 else mpf(1)
        largest_kappa = max(largest_kappa, kappa)
        exact[0] += notional * value
        exact[1] += notional * np.array(caplet.gradient)
        exact[2] += notional * np.array(caplet.hessian)
        allowed[0] += notional * kappa * (PRICE * value + PER_CAPLET)
        allowed[1] += notional * kappa * JACOBIAN * np.array(caplet.gradient_scale)
        allowed[2] += notional * kappa * HESSIAN * np.array(caplet.hessian_scale)
    errors = [
        float(np.max(abs(exact_value - value) / tolerance))
        for exact_value, value, tolerance in zip(
            exact, (price, jacobian, hessian), allowed, strict=True
        )
    ]
    return *errors, float(largest_kappa)


@pytest.fixture(scope="module")
def box():
    """Random points of the box with random days, and the package's values for all of them."""
    rng = np.random.default_rng(20240606)
    parameters = np.array([random_parameters(rng) for _ in range(POINTS)])
    days = [random_day(rng) for _ in range(POINTS)]
    return parameters, days, evaluate(parameters, CapBook.from_days(days))


def test_prices_jacobian_and_hessian_are_exact_over_the_whole_box(box):
    parameters, days, values = box
    shares = []
    with mp.workdps(60):
        for point, day in enumerate(days):
            cap = point % 2
            row = 2 * point + cap
            shares.append(
                share_of_tolerance(
                    day, parameters[point], cap,
                    values.prices[row], values.jacobian[row], values.hessian[row],
                )
            )  # fmt: skip
    prices, jacobians, hessians, kappas = np.array(shares).T
    print(f"worst share of the tolerance: prices {prices.max():.2g}, "
          f"Jacobian {jacobians.max():.2g}, Hessian {hessians.max():.2g}")  # fmt: skip
    # The excuse must stay the exception, or the test would say little.
    assert np.mean(kappas < 100) > 0.8
    assert np.sum(kappas > 1e6) > 10
    assert prices.max() <= 1
    assert jacobians.max() <= 1
    assert hessians.max() <= 1


def test_nothing_is_nan_and_no_variance_negative_anywhere(box):
    parameters, days, values = box
    assert np.isfinite(values.prices).all()
    assert (values.prices >= 0).all()
    assert np.isfinite(values.jacobian).all()
    assert np.isfinite(values.hessian).all()
    for point, day in zip(parameters, days, strict=True):
        times = day.schedule.times
        variance = integrated_variance(point, times[:-1], times[1:])
        assert (variance.value >= 0).all()
        assert np.isfinite(variance.gradient).all()
        assert np.isfinite(variance.hessian).all()


def test_far_out_of_the_money_a_price_keeps_its_relative_accuracy():
    """Values down to 1e-200 of the notional, where differences of normal tails say nothing."""
    curve = cs.DiscountCurve.from_zero_rates([20], [0.02])
    parameters = (0.5, 0.05, 0.01, 0.012, -0.7)
    for reset in (1.0, 10.0):
        strikes = np.linspace(0.03, 0.3, 10)
        ours = cs.G2(*parameters).caplet_prices(curve, reset, reset + 0.5, strikes)
        discounts = [float(curve.discount(t)) for t in (reset, reset + 0.5)]
        exact = [
            float(oracle.caplet(parameters, reset, reset + 0.5, 0.5, strike, *discounts).price)
            for strike in strikes
        ]
        assert exact[-1] < 1e-20
        assert ours == pytest.approx(exact, rel=1e-12)
