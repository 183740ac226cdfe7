"""Instruments beyond the quotes: bond options against QuantLib, caps against the day's own."""

import numpy as np
import pytest
import QuantLib as ql

import calibscope as cs
import peers
from calibscope.market.demo import demo_day
from calibscope.market.quotes import swap_rates
from calibscope.models.g2.book import CapBook
from calibscope.models.g2.caps import evaluate
from calibscope.models.g2.downstream import Downstream

MODELS = [
    cs.G2(0.5, 0.05, 0.01, 0.012, -0.7),
    cs.G2(0.05, 0.5, 0.012, 0.01, 0.4),
    cs.G2(2.0, 0.01, 0.03, 0.008, -0.95),
]
FLOORS = cs.MarketDay.from_arrays(
    curve=cs.DiscountCurve.from_zero_rates([1, 5, 20, 60], [-0.006, -0.002, 0.004, 0.006]),
    maturities=[5, 10], vols=[0.007, 0.008], kind="floor", first_caplet=True, notional=1e6,
)  # fmt: skip


def prices(model, day, instruments):
    return Downstream.of(day, [], instruments).values(model.values[None])[0]


@pytest.mark.parametrize("model", MODELS)
def test_bond_options_equal_quantlib(model):
    day = demo_day()
    theirs = peers.quantlib_model(model, day)
    for expiry, maturity in ((0.5, 1.0), (5.0, 15.0), (20.0, 30.0)):
        forward = float(day.curve.discount(maturity) / day.curve.discount(expiry))
        for strike in (0.9 * forward, forward, 1.15 * forward):
            for kind, side in (("call", ql.Option.Call), ("put", ql.Option.Put)):
                option = cs.BondOption(expiry, maturity, strike, kind)
                exact = theirs.discountBondOption(side, strike, expiry, maturity)
                assert prices(model, day, [option])[0] == pytest.approx(exact, rel=0, abs=1e-12)


@pytest.mark.parametrize("model", MODELS)
def test_a_quoted_cap_has_the_price_of_its_quote(model):
    day = demo_day()
    asked = [cs.Cap(year, strike) for year, strike in zip(day.maturities, day.strikes, strict=True)]
    assert prices(model, day, asked) == pytest.approx(model.prices(day), rel=1e-13)
    at_the_money = [cs.Cap(year) for year in day.maturities]
    # The demo's strikes are rounded, as those on a broker's page are.
    assert prices(model, day, at_the_money) == pytest.approx(model.prices(day), rel=1e-5)


def test_floors_with_a_first_caplet_are_per_unit_of_notional():
    model, years = MODELS[0], FLOORS.maturities
    asked = [cs.Floor(float(year)) for year in years]
    assert 1e6 * prices(model, FLOORS, asked) == pytest.approx(model.prices(FLOORS), rel=1e-12)


def test_beyond_the_last_date_periods_go_on():
    model, year = MODELS[0], 15
    longer = cs.MarketDay.from_arrays(
        curve=FLOORS.curve, maturities=[5, 10, year], vols=[0.007, 0.008, 0.008], kind="floor",
        first_caplet=True,
    )  # fmt: skip
    ours = prices(model, FLOORS, [cs.Floor(year), cs.Floor(7.5)])
    theirs = prices(model, longer, [cs.Floor(year), cs.Floor(7.5)])
    assert ours == pytest.approx(theirs, rel=1e-12)
    times = 0.5 * np.arange(31)
    strike = swap_rates(FLOORS.curve.discount(times), np.diff(times), 0, [30])[0]
    caplets = model.caplet_prices(FLOORS.curve, times[:-1], times[1:], strike, kind="floor")
    assert ours[0] == pytest.approx(caplets.sum(), rel=1e-12)


def test_calls_less_puts_are_forwards():
    day, model = demo_day(), MODELS[0]
    call, put = (cs.BondOption(5.0, 15.0, 0.83, kind) for kind in ("call", "put"))
    forward = day.curve.discount(15.0) - 0.83 * day.curve.discount(5.0)
    gap = prices(model, day, [call])[0] - prices(model, day, [put])[0]
    assert gap == pytest.approx(float(forward), abs=1e-15)


@pytest.mark.parametrize("model", [*MODELS, cs.G2(0.53, 0.038, 0.016, 0.011, -1.0)])
def test_gradients_equal_differences(model):
    day = demo_day()
    asked = Downstream.of(
        day, [1, 20], [cs.Cap(11), cs.Floor(25, 0.01), cs.BondOption(5, 15), cs.Cap(35)]
    )
    gradients, point = asked.gradients(model.values), model.values
    # Inwards of rho = -1 only, so the differences are one-sided: second order, step 1e-5.
    steps = 1e-5 * np.abs(point) * np.array([1, 1, 1, 1, -1 if point[4] > 0 else 1])
    for p in range(5):
        shift = np.eye(5)[p] * steps[p]
        values = asked.values(np.array([point + k * shift for k in range(5)]))
        slopes = np.array([-25, 48, -36, 16, -3]) @ values / (12 * steps[p])
        scale = np.abs(values[0] / point[p])
        assert np.abs(gradients[:, p] - slopes) == pytest.approx(0, abs=1e-6 * scale.max())


def test_factors_that_cancel_leave_no_gradient():
    model, day = cs.G2(0.1, 0.1, 0.01, 0.01, -1.0), demo_day()
    asked = Downstream.of(day, [5], [cs.Cap(10), cs.BondOption(5, 15)])
    values, gradients = asked.values(model.values[None]), asked.gradients(model.values)
    assert np.isfinite(values).all()
    spreads = np.array([not label.startswith("slope") for label in asked.labels])
    assert np.isnan(gradients[spreads]).any(axis=1).all()


def test_books_of_several_days_can_be_repeated():
    days, rows = [demo_day(), FLOORS], np.array([model.values for model in MODELS[:2]])
    book = CapBook.from_days(days)
    once, twice = evaluate(rows, book, 0), evaluate(np.tile(rows, (2, 1)), book.repeated(2), 0)
    assert twice.prices.tolist() == [*once.prices, *once.prices]


def test_what_cannot_be_asked_for():
    day = demo_day()
    for make, words in (
        (lambda: cs.Cap(-3), "positive number of years"),
        (lambda: cs.BondOption(5, 3), "0 < expiry < maturity"),
        (lambda: cs.BondOption(5, 15, -0.5), "positive price"),
        (lambda: cs.BondOption(5, 15, kind="cap"), "choose from call, put"),
        (lambda: prices(MODELS[0], day, [cs.Cap(5.2)]), "periods of the day are 0.5 years"),
        (lambda: prices(MODELS[0], day, [cs.Cap(0.5)]), "more than 1 whole ones"),
        (lambda: prices(MODELS[0], day, [cs.Cap(60)]), "the curve covers 0 to 50"),
        (lambda: Downstream.of(day, [], []), "nothing was asked for"),
        (lambda: Downstream.of(day, [1, 1], []), "given twice"),
    ):
        with pytest.raises(ValueError, match=words):
            make()
    with pytest.raises(TypeError, match="is not an instrument"):
        Downstream.of(day, [1], ["cap"])
