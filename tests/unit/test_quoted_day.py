"""Days of several instruments: labels, what is refused, and laws that no label may change."""

import dataclasses

import numpy as np
import pytest

import calibscope as cs
from calibscope.market.instruments.options import Options
from calibscope.market.quotes import payer_swap_value
from calibscope.models.g2.book import CapBook
from calibscope.study.market_days import packed, unpacked

CURVE = cs.DiscountCurve.from_zero_rates([1, 5, 10, 30], [0.021, 0.024, 0.026, 0.025])
YEARS = (2, 3, 5, 7, 10, 15, 20)
VOLS = (0.0075, 0.0079, 0.0083, 0.0084, 0.0083, 0.0079, 0.0075)
TRUTH = cs.G2(a_x=0.7, a_y=0.05, sigma_x=0.010, sigma_y=0.011, rho_xy=-0.7)


def day_of(*instruments, **changes):
    """A day of these instruments, priced by the truth."""
    quotes = [cs.Quote(one, vol=0.008) if isinstance(one, cs.Cap | cs.Floor)
              else cs.Quote(one, price=0.05) for one in instruments]  # fmt: skip
    unit = cs.MarketDay.from_quotes(curve=CURVE, quotes=quotes, **changes)
    prices = TRUTH.prices(unit) * (1 + 0.01 * np.cos(3.0 * np.arange(len(quotes))))
    ordered = sorted(instruments, key=lambda one: not isinstance(one, cs.Cap | cs.Floor))
    quotes = [cs.Quote(one, price=price) for one, price in zip(ordered, prices, strict=True)]
    return cs.MarketDay.from_quotes(curve=CURVE, quotes=quotes, **changes)


MIXED = (
    *(cs.Cap(year) for year in YEARS),
    cs.Cap(10, 0.04),
    cs.Cap(10, 0.01),
    cs.Floor(5, 0.015),
    cs.Floor(20),
)


def test_quotes_of_caps_are_the_day_of_the_arrays():
    quotes = [cs.Quote(cs.Cap(year), vol=vol) for year, vol in zip(YEARS, VOLS, strict=True)]
    ours = cs.MarketDay.from_quotes(curve=CURVE, quotes=quotes, date="2022-07-21")
    theirs = cs.MarketDay.from_arrays(curve=CURVE, maturities=YEARS, vols=VOLS, date="2022-07-21")
    assert ours.fingerprint == theirs.fingerprint
    assert repr(ours) == repr(theirs) == "MarketDay(2022-07-21: caps 2Y, 3Y, 5Y, 7Y, 10Y, 15Y, 20Y)"


def test_a_strike_at_the_money_is_not_named():
    usual = cs.MarketDay.from_arrays(curve=CURVE, maturities=YEARS, vols=VOLS)
    given = {"curve": CURVE, "maturities": YEARS, "vols": VOLS, "strikes": usual.strikes}
    rows = zip(YEARS, usual.strikes.tolist(), VOLS, strict=True)
    quotes = [cs.Quote(cs.Cap(year, strike), vol=vol) for year, strike, vol in rows]
    for day in (
        cs.MarketDay.from_arrays(**given), cs.MarketDay.from_quotes(curve=CURVE, quotes=quotes)
    ):  # fmt: skip
        assert day.labels == usual.labels
        assert day.fingerprint == usual.fingerprint
    # Of another curve, or of the other convention: still at the money.
    given["strikes"] = usual.strikes + 0.0031
    assert cs.MarketDay.from_arrays(**given).labels == usual.labels
    spot = cs.MarketDay.from_arrays(curve=CURVE, maturities=YEARS, vols=VOLS, atm="spot")
    given["strikes"] = spot.strikes - 0.0031
    assert cs.MarketDay.from_arrays(**given).labels == usual.labels


def test_arrays_and_quotes_give_the_same_labels():
    arrays = {"maturities": [5, 10], "strikes": [0.02, 0.035], "vols": [0.008, 0.0085]}
    ours = cs.MarketDay.from_arrays(curve=CURVE, **arrays)
    quotes = [cs.Quote(cs.Cap(year, strike), vol=vol) for year, strike, vol in zip(
        *arrays.values(), strict=True)]  # fmt: skip
    theirs = cs.MarketDay.from_quotes(curve=CURVE, quotes=quotes)
    assert ours.labels == theirs.labels == ("5Y @2%", "10Y @3.5%")
    assert ours.fingerprint == theirs.fingerprint


def test_labels_carry_kind_and_strike():
    day = day_of(*MIXED)
    assert day.labels == (
        "2Y", "3Y", "5Y", "7Y", "10Y", "15Y", "20Y", "10Y @4%", "10Y @1%", "5Y floor @1.5%",
        "20Y floor",
    )  # fmt: skip
    assert len(set(day.labels)) == len(day.labels)
    assert repr(day).startswith("MarketDay(no date: 2Y, 3Y")


def test_arrays_name_the_strike_where_a_maturity_is_quoted_twice():
    day = cs.MarketDay.from_arrays(
        curve=CURVE, maturities=[5, 5, 10], vols=[0.008] * 3, strikes=[0.02, 0.03, 0.02]
    )
    assert day.labels == ("5Y @2%", "5Y @3%", "10Y @2%")
    kinds = ["cap", "floor", "cap"]
    day = cs.MarketDay.from_arrays(curve=CURVE, maturities=[5, 5, 10], vols=[0.008] * 3, kind=kinds)
    assert day.labels == ("5Y", "5Y floor", "10Y")
    at_the_money = day.strikes[0]
    day = cs.MarketDay.from_arrays(
        curve=CURVE, maturities=[5, 5], vols=[0.008] * 2, strikes=[at_the_money, 0.03]
    )
    assert day.labels == ("5Y", "5Y @3%")


def test_vols_and_prices_of_a_mixed_day_belong_together():
    day = day_of(*MIXED, notional=1e6)
    np.testing.assert_allclose(day.prices_at(day.normal_vols), day.prices, rtol=1e-10)
    vols = [0.006, 0.30, 0.25]
    quotes = [
        cs.Quote(cs.Cap(5), vol=vols[0]),
        cs.Quote(cs.Cap(5, 0.03), vol=vols[1], vol_type="lognormal"),
        cs.Quote(cs.Floor(5, 0.03), vol=vols[2], vol_type="shifted_lognormal", vol_shift=0.01),
        cs.Quote(cs.Floor(10), price=0.05),
    ]
    mixed = cs.MarketDay.from_quotes(curve=CURVE, quotes=quotes)
    alone = [
        cs.MarketDay.from_arrays(
            curve=CURVE, maturities=[5], vols=[vols[k]], strikes=[mixed.strikes[k]], kind=kind,
            vol_type=vol_type, vol_shift=shift,
        ).prices[0]
        for k, (kind, vol_type, shift) in enumerate(
            (("cap", "normal", 0), ("cap", "lognormal", 0), ("floor", "shifted_lognormal", 0.01))
        )
    ]  # fmt: skip
    assert mixed.prices.tolist() == [*alone, 0.05]


def test_a_cap_and_its_floor_have_the_same_derivatives():
    caps, floors = (
        day_of(*(one(year, 0.02) for year in YEARS), cs.Cap(12)) for one in (cs.Cap, cs.Floor)
    )
    np.testing.assert_array_equal(TRUTH.jacobian(caps), TRUTH.jacobian(floors))
    np.testing.assert_array_equal(TRUTH.hessian(caps), TRUTH.hessian(floors))


@pytest.mark.parametrize("model", ["g2++", "hull-white"])
@pytest.mark.parametrize("mode", ["full", "active", "strict"])
def test_parity_of_the_diagnosis(model, mode):
    """Replace some caps by their floors, the swap between them added to the price: nothing moves.

    Away from the money the prices differ, and with them weights of 1 / price^2: the law needs the
    same weights. At the same parameters all is equal but for the rounding of the residuals.
    """
    day = day_of(*(cs.Cap(year, 0.02) for year in YEARS), cs.Cap(10, 0.04), cs.Cap(20))
    some = [1, 4, 7]
    kinds = np.where(np.isin(np.arange(9), some), "floor", "cap").tolist()
    first, P, delta = day.first_period, day.discounts, day.schedule.accruals
    prices = np.array(day.prices)
    for k in some:
        n = day.period_counts[k]
        prices[k] -= payer_swap_value(P[first : n + 1], delta[first:n], day.strikes[k])
    other = cs.MarketDay.from_arrays(
        curve=CURVE, maturities=day.maturities, prices=prices, strikes=day.strikes, kind=kinds
    )
    weights = day.prices**-2.0
    fit = cs.calibrate(day, model=model, weights=weights)
    again = cs.calibrate(other, model=model, weights=weights)
    same = dataclasses.replace(fit, problem=again.problem)
    one, two, refitted = (cs.diagnose(each, mode) for each in (fit, same, again))
    np.testing.assert_array_equal(two.problem.jacobian, one.problem.jacobian)
    np.testing.assert_allclose(two.hat_matrix, one.hat_matrix, atol=1e-12)
    np.testing.assert_allclose(two.cooks_distance, one.cooks_distance, rtol=1e-6)
    # Fitted anew, flat directions of the optimum amplify the rounding of the prices.
    np.testing.assert_allclose(refitted.problem.values, one.problem.values, rtol=1e-5)
    np.testing.assert_allclose(refitted.leverage, one.leverage, atol=1e-6)
    # The floors' own weights are others, and so is the hat matrix: the condition is needed.
    relative = cs.diagnose(cs.calibrate(other, model=model), mode)
    assert np.abs(relative.leverage - one.leverage).max() > 1e-3


@pytest.mark.parametrize("model", ["g2++", "hull-white"])
def test_the_order_of_the_quotes_does_not_matter(model):
    """The diagnosis is that of the same quotes, in their new places."""
    day = day_of(*MIXED)
    prices = dict(zip(day.labels, day.prices.tolist(), strict=True))
    quotes = [cs.Quote(one, price=prices[one.label]) for one in MIXED[::-1]]
    other = cs.MarketDay.from_quotes(curve=CURVE, quotes=quotes)
    order = [other.labels.index(name) for name in day.labels]
    assert order == list(range(len(MIXED)))[::-1]
    one = cs.diagnose(cs.calibrate(day, model=model))
    two = cs.diagnose(cs.calibrate(other, model=model))
    # The optimum is found to some 1e-8 in flat directions.
    np.testing.assert_allclose(two.problem.values, one.problem.values, rtol=1e-5)
    np.testing.assert_allclose(two.leverage[order], one.leverage, atol=1e-6)
    np.testing.assert_allclose(two.hat_matrix[order][:, order], one.hat_matrix, atol=1e-6)
    np.testing.assert_allclose(two.cooks_distance[order], one.cooks_distance, rtol=1e-4)
    assert np.ptp(one.leverage) > 0.1  # else any order would do


def test_notional_does_not_matter():
    one, million = day_of(*MIXED), day_of(*MIXED, notional=1e6)
    ours, theirs = (cs.diagnose(cs.calibrate(day)) for day in (one, million))
    np.testing.assert_allclose(ours.leverage, theirs.leverage, atol=1e-6)
    np.testing.assert_allclose(one.normal_vols, million.normal_vols, rtol=1e-12)


def test_other_instruments_are_priced_beside_caps():
    options = [cs.BondOption(2, 7), cs.BondOption(5, 15, 0.8, "put"), cs.BondOption(1, 2)]
    day = day_of(options[0], *MIXED, *options[1:])
    assert day.labels[-3:] == tuple(option.label for option in options)
    found = cs.diagnose(cs.calibrate(day)).consequences(horizons=(), instruments=options)
    fit = cs.calibrate(day)
    np.testing.assert_allclose(found.frame()["estimate"], fit.prices[-3:], rtol=1e-12)
    alone = day_of(*options)
    assert alone.cap_count == 0
    np.testing.assert_allclose(TRUTH.prices(alone), TRUTH.prices(day)[-3:], rtol=1e-15)
    assert np.isnan(day.normal_vols[-3:]).all()
    assert day.without([options[1].label]).labels == (*day.labels[:-2], day.labels[-1])
    assert day.without(list(day.labels[: day.cap_count])).labels == alone.labels
    assert day.without([10.0]).labels.count("10Y @4%") == 0


def test_days_of_several_kinds_are_packed_together():
    days = [day_of(*MIXED), day_of(*MIXED, cs.BondOption(2, 7)), day_of(*(map(cs.Cap, YEARS)))]
    book = CapBook.from_days(days * 2)
    every = np.concatenate([TRUTH.prices(day) for day in days * 2])
    from calibscope.models.g2.caps import evaluate

    np.testing.assert_array_equal(evaluate([TRUTH.values] * 6, book).prices, every)
    fits = cs.calibrate_many(days)
    singles = [cs.calibrate(day).rmsre for day in days]
    np.testing.assert_allclose(fits.rmsre, singles, rtol=1e-9)


def test_days_made_one_by_one_are_packed_at_once(monkeypatch):
    """If their caps have the same dates, whether or not they share one schedule; bit for bit."""
    days = [day_of(*map(cs.Cap, YEARS), date=f"2024-06-0{k}") for k in (3, 4, 5)]
    days += [day_of(*map(cs.Cap, YEARS[:-1]), date="2024-06-06")]
    singles = [CapBook.from_days([day]) for day in days]
    pack, runs = CapBook._from_similar, []
    monkeypatch.setattr(CapBook, "_from_similar", lambda some: runs.append(len(some)) or pack(some))
    book = CapBook.from_days(days)
    assert runs == [3, 1]
    for one, other in zip(book, CapBook.joined(singles), strict=True):
        np.testing.assert_array_equal(one, other)


def test_weights_by_label_and_by_maturity():
    day = day_of(*MIXED)
    weights = dict.fromkeys(map(float, YEARS), 1.0) | {"10Y @4%": 3.0, "20Y floor": 0.0}
    problem = cs.calibrate(day, weights=weights).problem
    importance = np.asarray(problem.weights) * day.prices**2
    expected = [1.0] * 7 + [3.0, 1.0, 1.0, 0.0]
    np.testing.assert_allclose(importance, expected, rtol=1e-12)
    with pytest.raises(ValueError, match=r"no importance is given for 20Y, 20Y floor"):
        cs.calibrate(day, weights=dict.fromkeys(map(float, YEARS[:-1]), 1.0))


def test_weights_of_quotes_that_nobody_quotes_are_named(tmp_path):
    """A ragged day may lack a quote that another one has."""
    years = dict.fromkeys(map(float, YEARS), 1.0)
    words = (
        r"given for '10Y@4%' \(did you mean '10Y @4%'\?\), which no day quotes; the quotes are 2Y"
    )
    for weights in (years | {"10Y@4%": 9.0}, {"10Y@4%": 9.0}):
        with pytest.raises(ValueError, match=words):
            cs.calibrate(day_of(*MIXED), weights=weights)
    with pytest.raises(ValueError, match="given for 30, which no day quotes"):
        cs.calibrate(day_of(*MIXED), weights=years | {30: 1.0})
    days = [
        day_of(*MIXED, date="2024-06-03"), day_of(*map(cs.Cap, YEARS), date="2024-06-04"),
    ]  # fmt: skip
    weights = years | {"10Y @4%": 9.0}
    ours, theirs = (cs.calibrate_many(days, weights=one) for one in (weights, years))
    assert ours[1].rmsre == theirs[1].rmsre
    with pytest.raises(ValueError, match=words):
        cs.calibrate_many(days, weights=years | {"10Y@4%": 9.0})
    market = cs.Market(days)
    settings = {"calibration": {"weights": {f"{year:g}Y": 1.0 for year in YEARS}}}
    settings["calibration"]["weights"]["10Y @4%"] = 9.0
    study = cs.run_study(market, tmp_path / "study.db", settings, profiles="none")
    assert study.days["rmsre"].tolist() == pytest.approx(ours.rmsre.tolist(), rel=1e-9)
    settings["calibration"]["weights"]["10Y@4%"] = 1.0
    with pytest.raises(cs.SettingsError, match=r"\[calibration\] weights are given for '10Y@4%'"):
        cs.run_study(market, tmp_path / "study.db", settings)


@dataclasses.dataclass
class Named:
    """An option on two flows, to try what counts for the identity of a day."""

    label: str = "a"
    amount: float = 0.05
    shift: float = 0.0

    @property
    def coordinates(self):
        """Always the same."""
        return {"maturity": 4.0}

    def options(self, day):
        """One."""
        return Options.of_two_flows(2.0, 4.0 + self.shift, -0.9, 0.9 + self.amount)


def day_of_prices(*instruments):
    """Each quoted at the same price."""
    return cs.MarketDay.from_quotes(
        curve=CURVE, quotes=[cs.Quote(one, price=0.05) for one in instruments]
    )


def test_marks_are_not_taken_for_named_strikes():
    """A row of marks has as many numbers as one that says which strikes are named."""
    plain = cs.MarketDay.from_arrays(curve=CURVE, maturities=[5, 10], vols=[0.008] * 2)
    some = np.array([True, False])
    days = [plain, dataclasses.replace(plain, is_struck=some),
            dataclasses.replace(plain, is_interpolated=some),
            dataclasses.replace(plain, is_interpolated=~some),
            dataclasses.replace(plain, is_interpolated=some, is_struck=some)]  # fmt: skip
    assert len({day.fingerprint for day in days}) == len(days)


def test_identity():
    """Everything that defines the day counts, and only that."""
    day = day_of(*MIXED)
    assert day.fingerprint == day_of(*MIXED).fingerprint
    others = [
        day_of(*MIXED[:-1]),
        day_of(*MIXED[:-1], cs.Floor(20, 0.02)),
        day_of(*MIXED, cs.BondOption(2, 7)),
        day_of(*MIXED, cs.BondOption(2, 8)),
        day_of(*MIXED, first_caplet=True, atm="forward"),
    ]
    hashes = {other.fingerprint for other in (day, *others)}
    assert len(hashes) == 1 + len(others)
    named = [{"label": "a"}, {"label": "a", "amount": 0.06}, {"label": "b"}, {"shift": 0.25}]
    bonds = [day_of_prices(Named(**changes)).fingerprint for changes in named]
    assert len(set(bonds)) == len(named)
    pairs = [("xNamed y", "z"), ("x", "yNamed z"), ("x", "z"), ("z", "x")]
    assert len({day_of_prices(*map(Named, pair)).fingerprint for pair in pairs}) == len(pairs)
    again = unpacked(packed(day))
    assert again.labels == day.labels
    assert again.fingerprint == day.fingerprint


@pytest.mark.parametrize(
    ("quotes", "words"),
    [
        ([], "there are no quotes"),
        (["10Y"], "quote 1 is '10Y'; give cs.Quote"),
        ([cs.Quote(cs.Cap(10), price=-0.01)], "10Y: price is -0.01; it must be a positive number"),
        ([cs.Quote(cs.Cap(10), vol=85)], "10Y: normal vol is 85; correct it, or its unit"),
        (
            [cs.Quote(cs.Floor(10, 0.05), price=1e-4)],
            "10Y floor @5%: price 0.0001 per unit notional has no normal vol",
        ),
        ([cs.Quote(cs.BondOption(5, 9, 0.1), price=0.05)], "not above its intrinsic value, 0.7"),
        ([cs.Quote(cs.Cap(10), price=0.05)] * 2, "10Y: the cap with strike .* is quoted twice"),
        ([cs.Quote(cs.BondOption(5, 9), price=0.05)] * 2, "two quotes have this label"),
        ([cs.Quote(cs.BondOption(5, 9), vol=0.05)], "this instrument has no vols; give its price"),
        ([cs.Quote(cs.Cap(40), vol=0.01)], "the curve ends at 30"),
        ([cs.Quote(cs.Cap(5.2), vol=0.01)], "not a multiple of the tenor"),
        ([cs.Quote(cs.Cap(10), vol=0.01, vol_shift=0.01)], "normal vols have no shift"),
        (
            [cs.Quote(cs.Cap(10), price=0.05, bid_ask=(0.06, 0.07))],
            "they must be in this order and positive",
        ),
    ],
)
def test_bad_quotes_are_refused_with_place_and_reason(quotes, words):
    with pytest.raises(cs.MarketDataError, match=words):
        cs.MarketDay.from_quotes(curve=CURVE, quotes=quotes)


@pytest.mark.parametrize(
    ("quotes", "words"),
    [
        (None, "quotes are None; give a list of cs.Quote"),
        ({"10Y": 0.05}, "give a list of cs.Quote"),
        (cs.Quote(cs.Cap(10), price=0.05), "give a list of cs.Quote"),
        ([cs.Quote(cs.Cap(10), price="0.05")], "10Y: price is '0.05'; it must be a positive"),
        ([cs.Quote(cs.Cap(10), price=0.05, bid_ask=0.04)], "bid_ask is 0.04; give two prices"),
        ([cs.Quote(cs.Cap(10), price=0.05, bid_ask=("a", 1))], "give two prices, bid and ask"),
        ([cs.Quote(cs.BondOption(5, 40), price=0.05)], "call 5Y on 40Y bond ATM: .* covers 0 to"),
        ([cs.Quote(cs.BondOption(5, 40, 0.5), price=0.05)], "is at 40 years, but the curve ends"),
        ([cs.Quote(cs.BondOption(5, 10), price=5.0)], "its cash flows are worth 0.77.* at most"),
    ],
)
def test_lists_and_cash_flows_that_make_no_day_are_refused(quotes, words):
    with pytest.raises(cs.MarketDataError, match=words):
        cs.MarketDay.from_quotes(curve=CURVE, quotes=quotes)


@pytest.mark.parametrize("instrument", [cs.Cap(10), cs.BondOption(5, 10)])
@pytest.mark.parametrize("wrong", [{"first_caplet": "no"}, {"atm": "fwd"}, {"calendar": "NYSE"}])
def test_wrong_conventions_are_refused_whatever_is_quoted(instrument, wrong):
    (name,) = wrong
    with pytest.raises(cs.MarketDataError, match=f"{name} is "):
        cs.MarketDay.from_quotes(curve=CURVE, quotes=[cs.Quote(instrument, price=0.05)], **wrong)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: cs.Cap("10Y"), "maturity is '10Y'; give a positive number of years"),
        (lambda: cs.Floor(None), "maturity is None"),
        (lambda: cs.Cap(True), "maturity is True"),
        (lambda: cs.Cap(10, "2%"), "10Y: strike is '2%'; give a number"),
        (lambda: cs.Floor(10, float("nan")), "10Y floor: strike is nan"),
        (lambda: cs.BondOption("5Y", 10), "expiry is '5Y', maturity 10"),
        (lambda: cs.BondOption(10, 5), "need 0 < expiry < maturity"),
        (lambda: cs.BondOption(5, 10, "0.8"), "strike is '0.8'; give a positive price"),
        (lambda: cs.BondOption(5, 10, kind="cal"), "did you mean 'call'"),
    ],
)
def test_instruments_that_cannot_be(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_a_quote_needs_an_instrument_and_one_number():
    for wrong in ("10Y", cs.Cap, 10):
        with pytest.raises(TypeError, match="is not an instrument"):
            cs.Quote(wrong, price=0.05)
    for numbers in ({}, {"price": 0.05, "vol": 0.01}):
        with pytest.raises(ValueError, match="give a price or a vol, and not both"):
            cs.Quote(cs.Cap(10), **numbers)


class Coupons:
    """An option on three cash flows."""

    label = "coupons"
    coordinates = {"maturity": 4.0}  # noqa: RUF012

    def options(self, day):
        """Two coupons received for a price."""
        return Options([2.0], [3], [2.0, 3.0, 4.0], [-0.9, 0.05, 1.05])


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("label", 7, "its label is 7; give a name in words"),
        ("label", " ", "its label is ' '"),
        ("coordinates", {}, 'its coordinates have no "maturity"'),
        ("coordinates", 4.0, 'its coordinates have no "maturity"'),
        ("options", lambda self, day: "two", "coupons: its options are 'two'; return Options"),
        ("options", lambda self, day: Options([2.0], [3], [2.0], [1.0]), "coupons: 1 time and 1"),
    ],
)
def test_instruments_from_outside_that_are_no_instruments_are_refused(name, value, words):
    wrong = type("Wrong", (Coupons,), {name: value})()
    with pytest.raises(cs.MarketDataError, match=words):
        cs.MarketDay.from_quotes(curve=CURVE, quotes=[cs.Quote(wrong, price=0.05)])


def test_a_model_names_the_instrument_that_it_cannot_price():
    day = cs.MarketDay.from_quotes(curve=CURVE, quotes=[cs.Quote(Coupons(), price=0.2)])
    with pytest.raises(cs.MarketDataError, match="coupons: this model prices options on two cash"):
        TRUTH.prices(day)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (([1.0], [1], [1.0], [1.0]), "two flows or more"),
        (([1.0, 2.0], [2], [1.0, 2.0], [1.0, -1.0]), "2 expiries but 1 number of cash flows"),
        (([1.5], [2], [1.0, 2.0], [1.0, -1.0]), "none before the option's expiry"),
        (([1.0], [2], [2.0, 2.0], [1.0, -1.0]), "must follow each other in time"),
        (([1.0], [2], [1.0, 2.0], [1.0, np.inf]), "finite numbers"),
    ],
)
def test_impossible_cash_flows_are_refused(columns, words):
    with pytest.raises(ValueError, match=words):
        Options(*columns)


def test_a_study_keeps_mixed_days_by_label(tmp_path):
    plain, mixed = tuple(cs.Cap(year) for year in YEARS), MIXED
    dates = ("2024-06-03", "2024-06-04", "2024-06-05", "2024-06-06")
    kinds = (plain, mixed, (*plain, cs.BondOption(2, 7)), plain)
    days = [day_of(*quotes, date=date) for quotes, date in zip(kinds, dates, strict=True)]
    study = cs.run_study(cs.Market(days), tmp_path / "study.db", profiles="all")
    assert study.days["quote_count"].tolist() == [7, 11, 8, 7]
    assert study.labels["label"].tolist() == [
        "2Y", "3Y", "5Y", "5Y floor @1.5%", "7Y", "10Y", "10Y @1%", "10Y @4%", "15Y", "20Y",
        "20Y floor", days[2].labels[-1],
    ]  # fmt: skip
    for day in days:
        again, quotes = study.day(day.date), study.quotes[study.quotes["date"] == str(day.date)]
        assert again.fingerprint == day.fingerprint
        assert again.labels == day.labels == tuple(quotes["label"])
        np.testing.assert_array_equal(quotes["maturity"], day.maturities)
        np.testing.assert_array_equal(quotes["strike"], day.strikes)
        dx = cs.diagnose(cs.calibrate(day), mode="full")
        np.testing.assert_allclose(quotes["leverage"], dx.leverage, rtol=1e-9)
        left_out = study.left_out[study.left_out["date"] == str(day.date)]
        assert tuple(left_out["label"]) == day.labels
        np.testing.assert_array_equal(TRUTH.prices(again), TRUTH.prices(day))
    bond = study.quotes.iloc[7 + 11 + 7]
    assert (bond["kind"], bond["expiry"], bond["maturity"]) == ("BondOption", 2.0, 7.0)
    cs.write_report(study, tmp_path / "report.html")
    cs.export(study, tmp_path / "tables", format="csv")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "10Y @4%" in text
    assert "G2++ calibrated to caps, floors and other instruments: " in text
    assert "3 of 11 caps and floors have strikes away from the money, the others are at it" in text
