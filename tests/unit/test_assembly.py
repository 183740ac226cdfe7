"""From tables to a market: joining, filtering, units, warnings."""

import dataclasses
import datetime

import numpy as np
import pytest

import calibscope as cs
from calibscope.market.assembly import assemble
from calibscope.market.calendar import business_days
from calibscope.market.panel import Panel
from calibscope.market.settings import MarketSettings
from calibscope.market.strikes import Verdict

DATES = business_days("2024-01-02", "2024-03-28")
YEARS = np.array([3.0, 5.0, 10.0])
NODES = np.array([0.25, 0.5, 1, 2, 3, 4, 5, 7, 10, 12])
NAN = float("nan")


def zero_rates():
    level = 0.02 + 0.0001 * np.sin(np.arange(len(DATES)))
    return level[:, None] + 0.001 * np.log1p(NODES)


def vols():
    wave = 1 + 0.01 * np.cos(np.arange(len(DATES)))
    return wave[:, None] * np.array([0.0082, 0.0085, 0.0083])


def panel(quantity, values, dates=DATES, years=None):
    if years is None:
        years = NODES if quantity in ("discount_factor", "zero_rate", "par_rate") else YEARS
    source = "ois.csv" if len(years) == len(NODES) else "caps.csv"
    return Panel(quantity, np.asarray(dates, "datetime64[D]"), years, np.array(values), source)


def curve():
    return panel("discount_factor", np.exp(-zero_rates() * NODES))


def settings(**sections):
    return MarketSettings.from_mapping(sections)


def market(*panels, **sections):
    return assemble(panels, settings(**sections))


@pytest.fixture(scope="module")
def plain():
    return market(panel("normal_vol", vols()), curve())


def prices_and_strikes(source):
    prices = panel("price", [day.prices for day in source])
    return prices, panel("strike", [day.strikes for day in source])


def test_days_equal_those_built_one_by_one(plain):
    assert len(plain) == len(DATES)
    assert not plain.dropped
    assert not plain.warnings
    for i in (0, 17, -1):
        single = cs.MarketDay.from_arrays(
            curve=cs.DiscountCurve.from_discount_factors(
                NODES, np.exp(-zero_rates()[i] * NODES), interpolation="log-cubic"
            ),
            maturities=YEARS, vols=vols()[i], date=str(DATES[i]),
        )  # fmt: skip
        assert plain.days[i].strikes == pytest.approx(single.strikes, rel=1e-13)
        assert plain.days[i].prices == pytest.approx(single.prices, rel=1e-12)
    assert plain.normal_vols == pytest.approx(vols(), rel=1e-11)


def test_prices_with_strikes_and_vols_are_the_same_market(plain):
    again = market(*prices_and_strikes(plain), curve())
    assert [day.fingerprint for day in again] == [day.fingerprint for day in plain]
    assert again.fingerprint == plain.fingerprint
    assert again.strike_gaps.verdict is Verdict.FORWARD
    assert np.abs(again.strike_gaps.forward).max() < 1e-9


def test_tables_are_joined_on_date_not_by_position(plain):
    prices, strikes = prices_and_strikes(plain)
    later = dataclasses.replace(strikes, dates=strikes.dates[5:], values=strikes.values[5:])
    short = market(prices, later, curve())
    assert short.dates == plain.dates[5:]
    assert short.day(plain.dates[9]).fingerprint == plain.day(plain.dates[9]).fingerprint
    assert [str(finding) for finding in short.dropped[:1]] == [
        "caps.csv: 2024-01-02: there is no strike of this date"
    ]


@pytest.mark.parametrize(
    ("unit", "factor"), [("percent", 100), ("bp", 1e4), ("currency", 1e6), ("decimal", 1)]
)
def test_declared_units_are_applied(plain, unit, factor):
    prices, strikes = prices_and_strikes(plain)
    scaled = dataclasses.replace(prices, values=factor * prices.values)
    conventions = {"notional": factor} if unit == "currency" else {}
    found = market(
        scaled, strikes, curve(), caps={"units": {"price": unit}}, conventions=conventions
    )
    for one, other in zip(found, plain, strict=True):
        assert one.prices / one.notional == pytest.approx(other.prices, rel=1e-14)


def test_bid_and_ask_share_the_unit_of_the_quote():
    quotes = [panel(name, 1e4 * size * vols()) for name, size in
              (("normal_vol", 1), ("bid", 0.99), ("ask", 1.01))]  # fmt: skip
    found = market(*quotes, curve(), caps={"units": {"normal_vol": "bp"}})
    day = found.days[3]
    assert (day.bid_ask[:, 0] < day.prices).all()
    assert (day.prices < day.bid_ask[:, 1]).all()
    quotes[1].values[4, 1] = quotes[2].values[4, 1] = NAN
    assert np.isnan(
        market(*quotes, curve(), caps={"units": {"normal_vol": "bp"}}).days[4].bid_ask[1]
    ).all()
    quotes[1].values[4, 1] = 1e4
    crossed = market(*quotes, curve(), caps={"units": {"normal_vol": "bp"}})
    assert [(finding.date, finding.maturity, finding.check) for finding in crossed.dropped] == [
        (DATES[4].item(), 5.0, "bid and ask")
    ]


@pytest.mark.parametrize(
    ("quantity", "factor", "message"),
    [
        ("price", 1e4, r"price, read in decimal, means a typical .*caps.units.price = .bp"),
        ("price", 100, "in percent"),
        ("price", 1e6, r"amounts of money.*conventions.notional = 1e.06"),
        ("strike", 100, "strikes, read in decimal, .* 100 times .*caps.units.strike = 'percent'"),
        ("strike", 1e4, "about 10000 times .*caps.units.strike = 'bp'"),
        ("strike", 0.01, "about 0.01 times"),
        ("discount_factor", 100, "near 100, set curve.units.discount_factor = .percent"),
    ],
)  # fmt: skip
def test_wrong_units_are_named(plain, quantity, factor, message):
    tables = [*prices_and_strikes(plain), curve()]
    wrong = [
        dataclasses.replace(
            table, values=table.values * (factor if table.quantity == quantity else 1)
        )
        for table in tables
    ]
    with pytest.raises(cs.MarketDataError, match=message):
        market(*wrong)


@pytest.mark.parametrize(("factor", "unit"), [(1e4, "bp"), (100, "percent")])
def test_vols_in_the_wrong_unit_are_named(factor, unit):
    with pytest.raises(cs.MarketDataError, match=f"caps.units.normal_vol = '{unit}'"):
        market(panel("normal_vol", factor * vols()), curve())


def test_lognormal_vols_in_percent_are_named():
    with pytest.raises(cs.MarketDataError, match=r"caps.units.lognormal_vol = 'percent'"):
        market(panel("lognormal_vol", 35 * np.ones_like(vols())), curve())


def test_zero_rates_in_percent_are_named_and_read_when_declared(plain):
    table = panel("zero_rate", 100 * zero_rates())
    quotes = panel("normal_vol", vols())
    with pytest.raises(cs.MarketDataError, match=r"curve.units.zero_rate = 'percent'"):
        market(quotes, table)
    found = market(quotes, table, curve={"units": {"zero_rate": "percent"}})
    assert found.days[7].prices == pytest.approx(plain.days[7].prices, rel=1e-12)


def test_both_problems_are_reported_at_once(plain):
    prices, strikes = prices_and_strikes(plain)
    with pytest.raises(cs.MarketDataError) as error:
        market(prices, strikes, curve(), caps={"units": {"price": "bp", "strike": "percent"}})
    assert len(error.value.problems) == 2


def test_strikes_tell_their_convention(plain):
    prices, strikes = prices_and_strikes(plain)
    spot = panel(
        "strike",
        [
            cs.MarketDay.from_arrays(
                curve=day.curve, maturities=YEARS, prices=day.prices, atm="spot"
            ).strikes
            for day in plain
        ],
    )
    found = market(prices, spot, curve())
    assert found.strike_gaps.verdict is Verdict.SPOT
    assert "conventions.first_caplet = true?" in str(found.warnings[0])
    basis = dataclasses.replace(strikes, values=strikes.values + 0.0012)
    found = market(prices, basis, curve())
    assert found.strike_gaps.verdict is Verdict.BASIS
    assert found.strike_gaps.basis_bp == pytest.approx(12, abs=1e-6)
    assert "Euribor-OIS basis" in found.strike_gaps.verdict.value
    assert "+12.0 bp from the forward swap rate" in str(found.warnings[0])


@pytest.mark.parametrize(
    ("value", "check"), [(NAN, "incomplete"), (-0.01, "not positive"), (0.0, "not positive")]
)
def test_a_bad_quote_drops_its_day_and_the_others_go_on(plain, value, check):
    prices, strikes = prices_and_strikes(plain)
    prices.values[11, 1] = value
    found = market(prices, strikes, curve(), checks={"incomplete": "drop"})
    assert len(found) == len(plain) - 1
    assert [(finding.date, finding.check) for finding in found.dropped] == [
        (DATES[11].item(), check)
    ]
    with pytest.raises(cs.MarketDataError, match="was dropped: price is"):
        found.day(DATES[11].item())


def test_prices_near_zero_drop_the_day_unless_the_limit_is_lowered(plain):
    prices, strikes = prices_and_strikes(plain)
    limit = float(prices.values[:, 0].mean())
    found = market(prices, strikes, curve(), checks={"near_zero_price": limit})
    assert {finding.check for finding in found.dropped} == {"near zero"}
    assert len(found) == int((prices.values[:, 0] >= limit).sum())


def test_a_price_below_the_intrinsic_value_drops_the_day(plain):
    prices, strikes = prices_and_strikes(plain)
    strikes.values[4] -= 0.03
    found = market(prices, strikes, curve())
    assert [finding.check for finding in found.dropped] == ["below intrinsic value"] * 3


def test_lognormal_vols_with_negative_strikes_drop_the_day():
    rates = zero_rates()
    rates[2] -= 0.03
    table = panel("zero_rate", rates)
    flat = np.full_like(vols(), 0.35)
    found = market(panel("lognormal_vol", flat), table)
    assert {(finding.date, finding.check) for finding in found.dropped} == {
        (DATES[2].item(), "no price")
    }
    shifted = market(panel("shifted_lognormal_vol", flat), table, conventions={"vol_shift": 0.03})
    assert len(shifted) == len(DATES)


def test_an_incomplete_curve_drops_the_day_but_far_nodes_are_not_needed(plain):
    tables = [*prices_and_strikes(plain), curve()]
    tables[2].values[3, 4] = NAN
    tables[2].values[5, -1] = NAN  # 12Y, beyond the longest cap
    tables[2].values[6] = NAN
    tables[2].values[8, 2] = -0.5
    found = market(*tables, checks={"incomplete": "drop"})
    assert [(finding.date, finding.message) for finding in found.dropped[:2]] == [
        (DATES[3].item(), "discount_factor is missing at 3Y"),
        (DATES[6].item(), "there is no curve of this date"),
    ]
    assert found.dropped[2].message.startswith("discount factor is -0.5")
    assert found.day(DATES[5].item()).curve.last_time == 10
    assert len(found) == len(DATES) - 3


def test_curves_of_days_that_have_no_quotes_are_not_missed(plain):
    """Some days of caps and a daily file of curves: the other days lack nothing."""
    prices, strikes = (
        panel(one.quantity, one.values[::20], DATES[::20]) for one in prices_and_strikes(plain)
    )
    found = market(prices, strikes, curve())
    assert (len(found), found.dropped) == (len(DATES[::20]), ())
    prices.values[:, 0] = strikes.values[:, 0] = NAN
    prices.values[0, 1], strikes.values[0, 1] = NAN, NAN
    elsewhere = panel("discount_factor", curve().values[1:], DATES[1:])
    prices.values[1:] = NAN
    with pytest.raises(
        cs.MarketDataError, match=r"quotes on 4 days .*, curves on 62 days .* both on 3"
    ):
        market(prices, strikes, elsewhere)


def test_a_curve_that_is_too_short_for_all_days_is_an_error(plain):
    short = panel("discount_factor", np.exp(-zero_rates() * NODES)[:, :7], years=NODES[:7])
    with pytest.raises(
        cs.MarketDataError, match=r"no day can be used: .* the curve ends at 5 years"
    ):
        market(*prices_and_strikes(plain), short)


def test_no_common_dates(plain):
    table = dataclasses.replace(curve(), dates=curve().dates - np.timedelta64(4000, "D"))
    with pytest.raises(cs.MarketDataError, match=r"no date is common to the caps \(2024-01-02 to"):
        market(*prices_and_strikes(plain), table)


def test_curves_between_and_outside_the_cap_dates(plain):
    prices, strikes = prices_and_strikes(plain)
    keep = np.r_[5:20, 22:40]
    tables = [
        dataclasses.replace(table, dates=table.dates[keep], values=table.values[keep])
        for table in (prices, strikes)
    ]
    found = market(*tables, curve())
    assert {finding.date for finding in found.dropped} == {DATES[20].item(), DATES[21].item()}
    unused = len(DATES) - 35
    assert f"{unused} curves are dated before or after" in str(found.warnings[0])


def test_only_the_maturities_that_are_wanted(plain):
    prices, strikes = prices_and_strikes(plain)
    prices.values[:, 2] = NAN
    found = market(prices, strikes, curve(), checks={"maturities": [3, 5]})
    assert found.days[0].maturities.tolist() == [3, 5]
    assert len(found) == len(DATES)
    empty = market(prices, strikes, curve())  # an empty column is no maturity
    assert empty.days[0].maturities.tolist() == [3, 5]


def test_stale_days_weekends_jumps_and_arbitrage_are_warnings(plain):
    quotes = panel("normal_vol", vols())
    quotes.values[10] = quotes.values[9]
    quotes.values[30, 1] *= 1.4
    found = market(quotes, curve())
    by_check = {}
    for finding in found.warnings:
        by_check.setdefault(finding.check, []).append((finding.date, finding.maturity))
    assert by_check["stale quotes"] == [(DATES[10].item(), None)]
    assert by_check["jump"] == [(DATES[30].item(), 5.0), (DATES[31].item(), 5.0)]
    assert by_check["forward variance"] == [(DATES[30].item(), 10.0)]
    assert len(found) == len(plain)


def test_closed_markets_are_named():
    dates = np.array(["2024-03-28", "2024-03-29", "2024-03-30"], "datetime64[D]")
    tables = [
        dataclasses.replace(table, dates=dates, values=table.values[:3])
        for table in (panel("normal_vol", vols()), curve())
    ]
    found = market(*tables)
    assert [(finding.date.day, "holiday" in finding.message, "weekend" in finding.message)
            for finding in found.warnings if finding.check == "closed market"] == [
        (29, True, False), (30, False, True),
    ]  # fmt: skip


@pytest.mark.parametrize("tenor", ["3M", "6M"])
def test_target_dates(tenor):
    conventions = {"schedule": "TARGET", "tenor": tenor}
    found = market(panel("normal_vol", vols()), curve(), conventions=conventions)
    single = cs.MarketDay.from_arrays(
        curve=found.days[6].curve, maturities=YEARS, vols=vols()[6], calendar="TARGET",
        tenor={"3M": 0.25, "6M": 0.5}[tenor], date=str(DATES[6]),
    )  # fmt: skip
    assert found.days[6].prices == pytest.approx(single.prices, rel=1e-12)
    assert found.days[6].schedule.times.tolist() == single.schedule.times.tolist()


def test_structural_problems_are_errors():
    with pytest.raises(cs.MarketDataError, match=r"no cap quotes.*\n.*no curve"):
        market(panel("strike", vols()))
    with pytest.raises(cs.MarketDataError, match="price and normal_vol are both given"):
        market(panel("price", vols()), panel("normal_vol", vols()), curve())
    both = market(
        panel("price", vols()), panel("normal_vol", vols()), curve(),
        caps={"quantity": "normal_vol"},
    )  # fmt: skip
    assert len(both) == len(DATES)
    with pytest.raises(cs.MarketDataError, match="bid and ask are needed together"):
        market(panel("price", vols()), panel("bid", vols()), curve())
    with pytest.raises(cs.MarketDataError, match="strike is 'currency', which only prices"):
        market(panel("normal_vol", vols()), panel("strike", vols()), curve(),
               caps={"units": {"strike": "currency"}})  # fmt: skip
    with pytest.raises(cs.MarketDataError, match="not a multiple of the tenor"):
        market(panel("normal_vol", vols(), years=np.array([3, 5.2, 10])), curve())


def test_market_by_date(plain):
    assert plain.day("2024-01-02").date == datetime.date(2024, 1, 2)
    with pytest.raises(cs.MarketDataError, match="near it: 2024-01-05 and 2024-01-08"):
        plain.day("2024-01-06")
    part = plain.between("2024-02-01", "2024-02-05")
    assert [str(date) for date in part.dates] == ["2024-02-01", "2024-02-02", "2024-02-05"]
    assert repr(part) == "Market(market: 3 days, 2024-02-01 to 2024-02-05)"
    assert len(list(iter(part))) == 3
    with pytest.raises(cs.MarketDataError, match="dates must increase"):
        cs.Market(days=plain.days[::-1])


def test_the_fingerprint_sees_every_number(plain):
    day = plain.days[0]
    changes = [
        {"prices": day.prices * (1 + 1e-15)},
        {"strikes": day.strikes + 1e-17},
        {"kind": "floor"},
        {"notional": 2.0},
        {"date": None},
        {"schedule": dataclasses.replace(day.schedule, accruals=day.schedule.accruals * 1.01)},
        {"period_counts": day.period_counts - 1},
        {"bid_ask": np.column_stack((day.prices, day.prices))},
        {"curve": cs.DiscountCurve(day.curve.times, day.curve.log_discounts, "log-linear")},
    ]
    prints = {dataclasses.replace(day, **change).fingerprint for change in changes}
    assert len(prints) == len(changes)
    assert day.fingerprint not in prints
    assert dataclasses.replace(day).fingerprint == day.fingerprint
    assert dataclasses.replace(day, notional=1).fingerprint == day.fingerprint


def test_par_rates_are_bootstrapped_day_by_day_with_progress():
    rates = zero_rates()[:4]
    rates[2, 3] = 40.0  # no curve reprices that
    years = NODES
    dates, calls = DATES[:4], []
    found = assemble(
        [panel("normal_vol", vols()[:4], dates), panel("par_rate", rates, dates, years)],
        progress=lambda done, total: calls.append((done, total)),
    )
    assert calls == [(0, 4), (1, 4), (2, 4), (3, 4)]
    assert [(finding.date, finding.check) for finding in found.dropped] == [
        (DATES[2].item(), "no curve")
    ]
    assert "par rate is 40, which is 4000 percent" in found.dropped[0].message
    single = cs.DiscountCurve.from_ois_quotes(years, rates[1], date=str(dates[1]))
    assert found.days[1].curve.log_discounts == pytest.approx(single.log_discounts, rel=1e-14)


@pytest.mark.parametrize("interpolation", ["svensson", "svensson-spline", "paper"])
def test_a_poor_svensson_fit_is_a_warning_where_it_is_used(interpolation):
    rates = zero_rates()
    rates[5] += 0.003 * (-1.0) ** np.arange(len(NODES))
    tables = [panel("normal_vol", vols()), panel("zero_rate", rates)]
    found = market(*tables, conventions={"interpolation": interpolation})
    poor = [finding for finding in found.warnings if finding.check == "poor Svensson fit"]
    assert [finding.date for finding in poor] == [DATES[5].item()]
    assert "that is poor: take a scheme that meets every node" in poor[0].message
    smooth = market(*tables)
    assert not [finding for finding in smooth.warnings if finding.check == "poor Svensson fit"]


def slipped(table, place, value):
    values = np.array(table.values)
    values[place] = value
    return dataclasses.replace(table, values=values)


@pytest.mark.parametrize(
    ("quantity", "place", "value", "check"),
    [
        ("discount_factor", (7, 0), 0.5, "impossible curve"),
        ("discount_factor", (7, 3), np.inf, "impossible curve"),
        ("strike", (7, 1), -5.0, "implausible"),
        ("strike", (7, 1), np.inf, "not positive"),
        ("price", (7, 1), 50.0, "implausible"),
        ("bid", (7, 1), -0.01, "not positive"),
        ("bid", (7, 1), NAN, "bid and ask"),
        ("bid", (7, 1), 0.9, "bid and ask"),
        ("ask", (7, 1), np.inf, "not positive"),
    ],
)
def test_one_bad_cell_costs_one_day(plain, quantity, place, value, check):
    prices, strikes = prices_and_strikes(plain)
    sides = [panel("bid", 0.99 * prices.values), panel("ask", 1.01 * prices.values)]
    tables = [
        slipped(table, place, value) if table.quantity == quantity else table
        for table in (prices, strikes, *sides, curve())
    ]
    found = market(*tables)
    assert len(found) == len(plain) - 1
    assert {finding.date for finding in found.dropped} == {DATES[7].item()}
    assert check in {finding.check for finding in found.dropped}
    # The others are where they were: rows stay together when a day is left out.
    assert found.days[20].date == plain.days[21].date
    assert found.days[20].prices == pytest.approx(plain.days[21].prices, rel=1e-14)
    assert np.abs(found.strike_gaps.forward).max() < 1e-9


def test_the_first_node_may_be_today_if_its_factor_is_one(plain):
    nodes = np.append(0.0, NODES)
    factors = np.exp(-np.append(np.zeros((len(DATES), 1)), zero_rates(), axis=1) * nodes)
    factors[4, 0] = 0.9999
    table = Panel("discount_factor", DATES, nodes, factors, "ois.csv")
    found = market(*prices_and_strikes(plain), table)
    assert {finding.date for finding in found.dropped} == {DATES[4].item()}
    assert found.days[0].prices.tolist() == plain.days[0].prices.tolist()


def test_excluded_days_are_dropped(plain):
    found = market(*prices_and_strikes(plain), curve(), checks={"exclude": ["2024-01-03"]})
    assert [(str(finding.date), finding.check) for finding in found.dropped] == [
        ("2024-01-03", "excluded")
    ]


def test_rates_in_percent_are_named_even_when_they_are_low():
    table = panel("zero_rate", np.full((len(DATES), len(NODES)), 0.3))
    with pytest.raises(cs.MarketDataError, match=r"curve.units.zero_rate = 'percent'"):
        market(panel("normal_vol", vols()), table)


@pytest.mark.parametrize("factor", [3.5, 97.0])
def test_no_discount_factors(factor):
    table = panel("discount_factor", np.full((len(DATES), len(NODES)), factor))
    with pytest.raises(cs.MarketDataError, match=r"curve.quantity = 'zero_rate'"):
        market(panel("normal_vol", vols()), table)


def test_discount_factors_read_as_rates():
    table = panel("zero_rate", np.exp(-zero_rates() * NODES))
    with pytest.raises(cs.MarketDataError, match=r"discount factors, set curve.quantity"):
        market(panel("normal_vol", vols()), table)


def test_rates_of_both_signs_read_as_discount_factors():
    """No logarithm tells their size, and each day alone would be called an impossible curve."""
    table = panel("discount_factor", 100 * (zero_rates() - 0.0215))
    with pytest.raises(cs.MarketDataError, match=r"as low as -0\..*curve.quantity = 'zero_rate'"):
        market(panel("normal_vol", vols()), table)


def test_amounts_of_money_need_the_right_notional(plain):
    prices, strikes = prices_and_strikes(plain)
    money = dataclasses.replace(prices, values=1e7 * prices.values)
    units = {"units": {"price": "currency"}}
    with pytest.raises(cs.MarketDataError, match=r"conventions.notional = 1e.07"):
        market(money, strikes, curve(), caps=units)
    with pytest.raises(cs.MarketDataError, match=r"conventions.notional = 1e.07"):
        market(money, strikes, curve(), caps=units, conventions={"notional": 1e5})
    found = market(money, strikes, curve(), caps=units, conventions={"notional": 1e7})
    assert found.days[0].prices == pytest.approx(1e7 * plain.days[0].prices, rel=1e-12)
    pairs = [panel("bid", 0.99 * money.values), panel("ask", 1.01 * money.values)]
    both = market(money, strikes, *pairs, curve(), caps=units, conventions={"notional": 1e7})
    assert both.days[0].bid_ask[:, 1] == pytest.approx(1.01 * found.days[0].prices, rel=1e-12)


def test_shifted_vols_need_their_shift_and_others_have_none():
    flat = np.full_like(vols(), 0.2)
    with pytest.raises(cs.MarketDataError, match=r"set conventions.vol_shift = 0.03"):
        market(panel("shifted_lognormal_vol", flat), curve())
    with pytest.raises(cs.MarketDataError, match="is the shift right"):
        market(panel("shifted_lognormal_vol", flat), curve(), conventions={"vol_shift": 0.45})
    found = market(panel("lognormal_vol", flat), curve(), conventions={"vol_shift": 0.03})
    assert "conventions.vol_shift" in str(found.warnings[0])
    assert found.warnings[0].check == "idle setting"


def test_settings_without_effect_are_warnings(plain):
    found = market(
        *prices_and_strikes(plain), curve(), conventions={"notional": 1e6},
        caps={"units": {"normal_vol": "bp"}},
    )  # fmt: skip
    assert [str(finding).split(" (")[0] for finding in found.warnings] == [
        "settings: conventions.notional", "settings: caps.units.normal_vol",
    ]  # fmt: skip


def test_caps_away_from_the_money_are_no_unit_slip(plain):
    for strike in (0.0, 0.06):
        strikes = panel("strike", np.full_like(vols(), strike))
        found = market(panel("normal_vol", vols()), strikes, curve(), checks={"near_zero_price": 0})
        prices = panel("price", [day.prices for day in found])
        again = market(prices, strikes, curve(), checks={"near_zero_price": 0})
        assert len(again) == len(DATES)
        assert again.strike_gaps is None  # no convention of strikes at the money
        assert all(f"@{100 * strike:g}%" in name for name in again.labels)


def test_one_wrong_strike_is_no_unit_slip(plain):
    prices, strikes = prices_and_strikes(plain)
    found = market(prices, slipped(strikes, (3, 1), 1e3), curve())
    assert len(found) == len(plain) - 1


def test_on_a_flat_curve_both_conventions_fit_and_the_settings_decide():
    rates = panel("zero_rate", np.full((len(DATES), len(NODES)), 0.025))
    quotes = panel("normal_vol", vols())
    rounded = panel("strike", [day.strikes.round(4) for day in market(quotes, rates)])
    for included, verdict in ((False, Verdict.FORWARD), (True, Verdict.SPOT)):
        found = market(quotes, rounded, rates, conventions={"first_caplet": included})
        assert found.strike_gaps.verdict is verdict
        assert {finding.check for finding in found.warnings} == {"stale curves"}


def test_a_cap_of_one_period(plain):
    years, quoted = np.array([0.5, 3.0]), vols()[:, :2]
    short = panel("normal_vol", quoted, years=years)
    included = {"first_caplet": True}
    found = market(short, curve(), conventions=included, checks={"near_zero_price": 0})
    assert {finding.check for finding in found.dropped} <= {"below intrinsic value", "near zero"}
    with pytest.raises(cs.MarketDataError, match="a cap of one period has no forward strike"):
        market(short, curve(), conventions={**included, "atm": "forward"})


def test_target_caps_may_end_a_few_days_after_the_curve():
    """A date 10 years ahead may fall on a weekend; the 10Y node is the end of the curve."""
    short = panel("discount_factor", np.exp(-zero_rates() * NODES)[:, :9], years=NODES[:9])
    quotes = panel("normal_vol", vols())
    found = market(quotes, short, conventions={"schedule": "TARGET"})
    assert len(found) == len(DATES)
    assert max(day.schedule.times[-1] for day in found) > 10
    longer = market(quotes, curve(), conventions={"schedule": "TARGET"})
    for one, other in zip(found, longer, strict=True):
        assert one.prices == pytest.approx(other.prices, rel=2e-4)


def test_the_same_quantity_twice_is_an_error():
    other = dataclasses.replace(panel("normal_vol", vols()), source="other.csv")
    with pytest.raises(cs.MarketDataError, match=r"given twice, in caps.csv and in other.csv"):
        market(panel("normal_vol", vols()), other, curve())
    with pytest.raises(cs.MarketDataError, match="no value of normal_vol"):
        market(panel("normal_vol", np.full_like(vols(), NAN)), curve())


def test_vols_that_differ_wildly_between_maturities_are_a_warning():
    quotes = slipped(panel("normal_vol", vols()), (3, 0), vols()[3, 0] / 10)
    few = [
        dataclasses.replace(table, dates=table.dates[:5], values=table.values[:5])
        for table in (quotes, curve())
    ]
    found = market(*few)
    assert [(finding.date, finding.check) for finding in found.warnings] == [
        (DATES[3].item(), "vol step")
    ]


def test_a_jump_of_the_curve_is_a_warning():
    rates = zero_rates()
    rates[25, 6] += 0.005
    found = market(panel("normal_vol", vols()), panel("zero_rate", rates))
    jumps = [finding for finding in found.warnings if finding.check == "rate jump"]
    assert [(finding.date, finding.maturity) for finding in jumps] == [
        (DATES[25].item(), 5.0), (DATES[26].item(), 5.0),
    ]  # fmt: skip
    assert "+4" in jumps[0].message or "+5" in jumps[0].message


def test_constant_quotes_and_then_a_jump():
    quotes = np.repeat(vols()[:1], len(DATES), axis=0)
    quotes[40:] *= 1.2
    found = market(panel("normal_vol", quotes), curve())
    assert {finding.date for finding in found.warnings if finding.check == "jump"} == {
        DATES[40].item()
    }
