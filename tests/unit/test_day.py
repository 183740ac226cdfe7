"""MarketDay: what it fills in, and how it refuses bad data."""

import dataclasses
import datetime
import pickle

import numpy as np
import pytest

import calibscope as cs
from calibscope.market.instruments.cap_grid import CapGrid
from calibscope.market.quotes import payer_swap_value, swap_rates
from calibscope.market.schedule import Schedule

CURVE = cs.DiscountCurve.from_zero_rates([1, 5, 30], [0.03, 0.025, 0.027])
NAN = float("nan")


def day(**changes):
    arguments = {"curve": CURVE, "maturities": [3, 5, 10], "prices": [0.01, 0.02, 0.05]}
    return cs.MarketDay.from_arrays(**{**arguments, **changes})


def test_forward_strike_by_hand():
    """K = (P(t_1) - P(t_n)) / sum of delta P(t_i) from i = 2 on."""
    P = CURVE.discount(np.arange(7) * 0.5)
    assert day().strikes[0] == pytest.approx((P[1] - P[6]) / (0.5 * P[2:].sum()), rel=1e-14)


def test_spot_strike_by_hand():
    P = CURVE.discount(np.arange(7) * 0.5)
    assert day(atm="spot").strikes[0] == pytest.approx((1 - P[6]) / (0.5 * P[1:].sum()), rel=1e-14)


@pytest.mark.parametrize("atm", ["forward", "spot"])
def test_at_the_money_the_swap_is_worth_nothing(atm):
    start = {"forward": 1, "spot": 0}[atm]
    quoted = day(atm=atm)
    for strike, count in zip(quoted.strikes, quoted.period_counts, strict=True):
        discounts = quoted.discounts[start : count + 1]
        value = payer_swap_value(discounts, quoted.schedule.accruals[start:count], strike, 1e6)
        assert value == pytest.approx(0, abs=1e-9)


def test_swap_value_telescopes():
    """Period by period: N [P(t_{i-1}) - (1 + K delta) P(t_i)] (paper, eq. swap_telescope)."""
    P, delta, K = np.array([0.99, 0.97, 0.94, 0.92]), np.array([0.5, 0.52, 0.49]), 0.03
    by_period = 1e4 * np.sum(P[:-1] - (1 + K * delta) * P[1:])
    assert payer_swap_value(P, delta, K, 1e4) == pytest.approx(by_period, rel=1e-13)
    assert payer_swap_value(P, delta, swap_rates(P, delta, 0, [3])[0]) == pytest.approx(
        0, abs=1e-16
    )


def test_calendar_dates_and_accruals():
    times = np.array([0.0, 0.504, 1.0, 1.507, 2.003, 2.51, 3.005])
    quoted = day(maturities=[3], prices=[0.01], times=times, accruals=np.diff(times) * 365 / 360)
    P = CURVE.discount(times)
    expected = (P[1] - P[6]) / ((np.diff(times) * 365 / 360)[1:] @ P[2:])
    assert quoted.strikes[0] == pytest.approx(expected, rel=1e-14)


def test_bid_price_and_ask_may_coincide():
    pairs = [[0.01, 0.01], [0.02, 0.02], [0.05, 0.05]]
    assert day(bid_ask=pairs).bid_ask.tolist() == pairs


def test_the_strike_goes_with_the_first_caplet():
    assert (day(first_caplet=True).strikes == day(atm="spot").strikes).all()
    assert (day(first_caplet=True, atm="forward").strikes == day().strikes).all()
    short = CapGrid.of(np.array([0.5]), 0.5, 0, None, "2024-06-03")
    P = CURVE.discount([0.0, 0.5])
    assert short.at_the_money(P, "spot")[0] == pytest.approx((1 / P[1] - 1) / 0.5, rel=1e-13)
    with pytest.raises(cs.MarketDataError, match="a cap of one period has no forward strike"):
        day(maturities=[0.5], prices=[0.01], first_caplet=True, atm="forward")


def test_dates_beyond_the_longest_cap_are_not_needed():
    long_grid = np.arange(0, 100, 0.5)
    quoted = day(times=long_grid)
    assert quoted.schedule.periods == 20
    assert quoted.strikes == pytest.approx(day().strikes, rel=1e-15)


def test_maturities_are_multiples_of_the_tenor_up_to_rounding():
    curve = cs.DiscountCurve.from_zero_rates([30], [0.02])
    assert day(
        curve=curve, maturities=[1.2, 3, 30], prices=[0.005, 0.02, 0.05], tenor=0.1
    ).period_counts.tolist() == [12, 30, 300]


def test_an_error_survives_the_way_between_processes():
    with pytest.raises(cs.MarketDataError) as error:
        day(prices=[-1, -2, 0.05])
    copy = pickle.loads(pickle.dumps(error.value))
    assert (str(copy), copy.problems) == (str(error.value), error.value.problems)


def test_accruals_alone_keep_the_regular_dates():
    quoted = day(maturities=[3], prices=[0.01], accruals=np.full(6, 0.507))
    assert quoted.schedule.times == pytest.approx(np.arange(7) * 0.5)
    assert quoted.schedule.accruals == pytest.approx(0.507)


def test_normal_vol_at_the_money_on_a_flat_curve():
    """Every caplet is at the money, so its price is delta P(t) vol sqrt(T / (2 pi))."""
    curve = cs.DiscountCurve.from_zero_rates([30], [0.02])
    quoted = day(curve=curve, maturities=[2], prices=None, vols=[0.008], notional=1e6)
    resets, payments = np.array([0.5, 1.0, 1.5]), np.array([1.0, 1.5, 2.0])
    by_hand = 1e6 * np.sum(0.5 * curve.discount(payments) * 0.008 * np.sqrt(resets / (2 * np.pi)))
    assert quoted.prices[0] == pytest.approx(by_hand, rel=1e-12)


def test_normal_vols_of_cap_and_floor_obey_parity():
    strikes = [0.01, 0.02, 0.04]
    cap = day(prices=None, vols=[0.008] * 3, strikes=strikes, first_caplet=True)
    floor = day(prices=None, vols=[0.008] * 3, strikes=strikes, first_caplet=True, kind="floor")
    for k, count in enumerate(cap.period_counts):
        swap = payer_swap_value(
            cap.discounts[: count + 1], cap.schedule.accruals[:count], strikes[k]
        )
        assert cap.prices[k] - floor.prices[k] == pytest.approx(swap, rel=1e-12)


def test_dates_are_read_or_refused():
    assert day(date="2022-07-21").date == datetime.date(2022, 7, 21)
    assert day(date=datetime.date(2022, 7, 21)).label == "market day 2022-07-21"
    assert day(date=datetime.datetime(2022, 7, 21, 9)).date == datetime.date(2022, 7, 21)
    assert day(date="21.07.2022").date == datetime.date(2022, 7, 21)
    for unclear in ("07/21/2022", "21.7.22", "31.02.2022"):
        with pytest.raises(
            cs.MarketDataError, match=rf"{unclear}.*like 2022-07-21 or 21\.07\.2022"
        ):
            day(date=unclear)


def test_day_is_frozen_all_the_way_down():
    quoted = day()
    with pytest.raises(dataclasses.FrozenInstanceError):
        quoted.notional = 2
    for name in ("maturities", "strikes", "prices", "period_counts"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(quoted, name)[0] = 1


def test_a_users_array_is_not_frozen_with_it():
    prices = np.array([0.01, 0.02, 0.05])
    day(prices=prices)
    prices[0] = 7


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"prices": [0.01, 0.02]}, "3 maturities but 2 prices"),
        ({"prices": [0.01, NAN, 0.05]}, r"5Y: price is missing \(nan\)"),
        ({"prices": [0.01, 0.02, -0.002]}, "10Y: price is -0.002; it must be a positive"),
        ({"prices": [0.01, 0.0, 0.05]}, "5Y: price is 0; it must be a positive"),
        ({"prices": [0.01, np.inf, 0.05]}, "5Y: price is inf"),
        ({"prices": None}, "there are no quotes; give prices or vols"),
        ({"vols": [0.01] * 3}, "both prices and vols"),
        ({"prices": None, "vols": [0.01, -0.01, 0.01]}, "5Y: vol is -0.01"),
        ({"strikes": [0.01, 0.02]}, "3 maturities but 2 strikes"),
        ({"strikes": [0.01, NAN, 0.02]}, r"5Y: strike is missing \(nan\)"),
        ({"strikes": [0.01, 0.02, -3]}, "10Y: strike is -3, which is -300 percent"),
        ({"maturities": [3, 5.2, 10]}, "5.2Y: the maturity is not a multiple of the tenor, 0.5"),
        ({"maturities": [3, -5, 10]}, "maturity is -5.0; it must be a positive"),
        ({"maturities": [3, NAN, 10]}, "maturity is nan"),
        ({"maturities": [0.5, 5, 10]}, "0.5Y: the cap has no caplet left"),
        ({"maturities": []}, "there are no maturities"),
        ({"maturities": [3, 5, 40]}, "40Y: the last payment is at 40 years, but the curve ends at"),
        ({"tenor": 0}, "tenor is 0"),
        ({"tenor": -0.5}, "tenor is -0.5"),
        ({"times": [0, 0.5, 1.0]}, "10Y: the cap needs 20 periods, the schedule has 2"),
        ({"accruals": [0.5, 0.5]}, "21 times make 20 periods, but 2 accruals are given"),
        ({"prices": [0.01, None, 0.05]}, r"5Y: price is missing \(nan\)"),
        ({"prices": [0.01, "n/a", 0.05]}, "prices: entry 2 is 'n/a'; it must be a number"),
        ({"prices": [[0.01, 0.02, 0.05]]}, r"prices have shape \(1, 3\); give a flat list"),
        ({"prices": [0.01, [0.02], 0.05]}, r"prices: entry 2 is \[0.02\]"),
        ({"prices": 0.01}, "3 maturities but 1 price"),
        ({"prices": {}}, "prices are {}; give a list of numbers"),
        ({"maturities": ["3Y", 5, 10]}, "maturities: entry 1 is '3Y'"),
        ({"maturities": [1e9, 5, 10]}, "1e.09Y: the last payment"),
        ({"tenor": "6M"}, "tenor is '6M'; it must be a positive number"),
        ({"notional": "1e6"}, "notional is '1e6'"),
        ({"notional": None}, "notional is None"),
        ({"curve": [0.98, 0.95]}, "curve is a list; make one with DiscountCurve"),
        ({"first_caplet": "no"}, "first_caplet is 'no'; it must be True or False"),
        ({"date": 20240603.0}, "date is 20240603.0; write it like 2022-07-21"),
        ({"bid_ask": [["x", 1], [1, 1], [1, 1]]}, "give two numbers for each maturity"),
        ({"times": ["today", 1.0]}, "schedule: times: entry 1 is 'today'"),
        (
            {"prices": None, "vols": [0.0087] * 3, "strikes": [2.6, 0.02, 0.02]},
            r"3Y: strike is 2.6, which is 260 percent; correct it, or its unit \(2 percent",
        ),
        ({"maturities": ["3Y", "5Y", 10]}, "market day: 2 problems"),
        ({"times": np.arange(0, 10.25, 0.25)}, "10Y: period 20 ends at 5 years; times and tenor"),
        ({"times": np.arange(0.4, 10.9, 0.5)}, "so its caplet is not fixed today"),
        ({"prices": np.array(["2020-01-01"] * 3, "M8[D]")}, r"prices are of type datetime64\[D\]"),
        ({"prices": [True, True, True]}, "prices are of type bool"),
        ({"maturities": [3.1, 5, 10]}, "3.1Y: the maturity is not a multiple"),
        ({"maturities": [3, 5, 30.5]}, "30.5Y: the last payment is at 30.5 years"),
        ({"notional": 0}, "notional is 0"),
        ({"notional": NAN}, "notional is nan"),
        ({"kind": "swaption"}, "kind is 'swaption'; choose from cap, floor"),
        ({"atm": "spott"}, "atm is 'spott'; choose from forward, spot"),
        ({"vol_type": "black"}, "vol_type is 'black'; choose from normal"),
        ({"bid_ask": [[0.009, 0.011]]}, r"bid_ask has shape \(1, 2\)"),
        (
            {"bid_ask": [[0.009, 0.011], [0.021, 0.022], [0.04, 0.06]]},
            "5Y: bid 0.021, price 0.02, ask 0.022",
        ),
        (
            {"bid_ask": [[0.009, 0.011], [0.018, 0.019], [0.04, 0.06]]},
            "5Y: bid 0.018, price 0.02, ask 0.019",
        ),
        (
            {"accruals": np.append(np.full(19, 0.1), 1.0), "strikes": [0.02, 0.02, -2.0]},
            "10Y: strike is -2, which is -200 percent",
        ),
    ],
)
def test_bad_data_is_refused_with_place_and_reason(changes, message):
    with pytest.raises(cs.MarketDataError, match=message):
        day(**changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, r"5Y: the cap with strike 0.0246\d+ is quoted twice, at 0.02 and at 0.021 "
         r"\(entries 2 and 4\); keep one, or correct a strike"),
        ({"prices": [0.01, 0.02, 0.05, 0.02], "kind": "floor"},
         r"5Y: the floor with .* is quoted twice, both times at 0.02, a duplicate"),
        ({"strikes": [0.02, 0.0245, 0.03, 2.45 / 100]}, "5Y: the cap with strike 0.0245 is quoted"),
        ({"prices": None, "vols": [0.008, 0.009, 0.008, 0.009]}, "5Y: .* a duplicate"),
        ({"maturities": [3, 5, 10, 5 + 1e-8]}, "5Y: the cap with strike .* is quoted twice"),
    ],
)  # fmt: skip
def test_a_cap_is_quoted_once(changes, message):
    again = {"maturities": [3, 5, 10, 5], "prices": [0.01, 0.02, 0.05, 0.021], **changes}
    with pytest.raises(cs.MarketDataError, match=message):
        day(**again)


def test_every_cap_that_is_quoted_twice_is_named():
    with pytest.raises(cs.MarketDataError) as error:
        day(maturities=[3, 3, 5, 5, 10], prices=[0.01, 0.01, 0.02, 0.021, 0.05])
    assert [problem[:3] for problem in error.value.problems] == ["3Y:", "5Y:"]


def test_one_maturity_may_have_several_strikes():
    quoted = day(maturities=[5, 5, 10], strikes=[0.02, 0.03, 0.025], prices=[0.03, 0.02, 0.05])
    assert quoted.strikes.tolist() == [0.02, 0.03, 0.025]
    with pytest.raises(cs.MarketDataError, match=r"5Y: the cap with strike 0.02 is quoted twice"):
        dataclasses.replace(quoted, strikes=[0.02, 0.02, 0.025])


def test_all_problems_at_once():
    with pytest.raises(cs.MarketDataError) as error:
        day(
            date="18/03/2020", maturities=[3, 5.2, 10], prices=[-1, 0.02, NAN], kind="put",
            notional=-1, strikes=[1], bid_ask=[1],
        )  # fmt: skip
    assert len(error.value.problems) == 8
    assert str(error.value).startswith("market day: 8 problems\n  - ")


def test_a_bad_entry_hides_no_other_problem():
    with pytest.raises(cs.MarketDataError) as error:
        day(maturities=[3, 5.2, 40], prices=[-1, "x", 0.1])
    assert len(error.value.problems) == 4  # entry 2, 3Y negative, 5.2Y not a multiple, 40Y too long


def test_every_cap_beyond_the_curve_is_named():
    short = cs.DiscountCurve.from_zero_rates([4], [0.02])
    with pytest.raises(cs.MarketDataError) as error:
        day(curve=short, date="2020-03-18")
    assert [problem.split(":")[0] for problem in error.value.problems] == ["5Y", "10Y"]
    assert str(error.value).startswith("market day 2020-03-18: 2 problems")


def test_a_day_and_a_curve_have_short_names():
    assert repr(day(date="2022-07-21")) == "MarketDay(2022-07-21: caps 3Y, 5Y, 10Y)"
    assert repr(CURVE) == "DiscountCurve(3 nodes up to 30 years)"


def test_a_day_built_by_hand_is_checked_too():
    good = day(bid_ask=[[0.009, 0.011], [0.019, 0.022], [0.04, 0.06]])
    for changes, message in (
        ({"prices": [0.01, -1, 0.05]}, "5Y: price is -1"),
        ({"period_counts": [6, 10, 99]}, "10Y: the cap needs 99 periods"),
        ({"period_counts": [6, 10]}, "3 maturities but 2 period counts"),
        ({"notional": 0}, "notional is 0"),
        ({"prices": [0.02, 0.02, 0.05]}, "3Y: bid 0.009, price 0.02, ask 0.011"),
        ({"bid_ask": [[1, 2]]}, "bid_ask has shape"),
        ({"kind": "Cap"}, "kind is 'Cap'; choose from cap, floor"),
        ({"has_first_caplet": "no"}, "has_first_caplet is 'no'"),
        ({"period_counts": [1, 10, 20]}, "3Y: the cap covers 1 period; it needs more than 1"),
        ({"maturities": [-3, 5, 10]}, "maturity is -3.0"),
    ):
        with pytest.raises(cs.MarketDataError, match=message):
            dataclasses.replace(good, **changes)


@pytest.mark.parametrize(
    ("times", "accruals", "message"),
    [
        ([0.0], None, "at least a start and an end"),
        ([0, 1, 1], None, "time 2 is 1 after 1"),
        ([-1, 1], None, "time 0 is -1.0"),
        ([0, NAN], None, "time 1 is nan"),
        ([0, 1], [-0.5], "accrual 0 is -0.5"),
    ],
)
def test_bad_schedules(times, accruals, message):
    with pytest.raises(cs.MarketDataError, match=message):
        Schedule.from_times(times, accruals)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"prices": [46.0, 0.02, 0.05]}, "3Y: price is 46 per unit notional.*is it in bp"),
        ({"prices": [0.01, 0.02, 700.0], "kind": "floor"}, "10Y: price is 700 per unit"),
        ({"prices": None, "vols": [85.0] * 3}, "3Y: normal vol is 85; correct it, or its unit"),
        ({"prices": None, "vols": [35.0] * 3, "vol_type": "lognormal"}, "35 percent is 0.35"),
        ({"strikes": [2.1, 2.2, 2.3]}, "3Y: strike is 2.1, which is 210 percent"),
        ({"prices": None, "vols": [0.3] * 3, "vol_type": "lognormal", "strikes": [-0.01] * 3},
         "has no lognormal vol; give normal vols, or shifted"),
        ({"prices": None, "vols": [0.3] * 3, "vol_type": "shifted_lognormal"}, "vol_shift is 0"),
        ({"calendar": "TARGET"}, "need the date of the quotes"),
        ({"calendar": "NYSE", "date": "2024-06-03"}, "choose from TARGET"),
        ({"calendar": "TARGET", "date": "2024-06-03", "tenor": 0.1}, "1, 3, 6 or 12 months"),
        ({"calendar": "TARGET", "date": "2024-06-03", "accruals": [0.5]}, "choose one"),
        ({"calendar": "TARGET", "date": "2024-06-03", "maturities": [3, 5, 1e9]}, "no calendar"),
    ],
)  # fmt: skip
def test_wrong_units_and_impossible_wishes_are_named(changes, message):
    with pytest.raises(cs.MarketDataError, match=message):
        day(**changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        # The intrinsic value of the 10Y floor is some 0.2.
        ({"strikes": [0.024, 0.025, 0.05], "kind": "floor", "prices": [0.01, 0.02, 1e-4]},
         "10Y: price 0.0001 per unit notional has no normal vol, it is not above the intrinsic"),
        ({"strikes": [0.024, 0.01, 0.025], "prices": [1e4, 2e4, 5e4], "notional": 1e6},
         "5Y: price 0.02 per unit notional has no normal vol"),
        ({"prices": None, "vols": [0.008, 0.11, 0.008]}, "5Y: normal vol is 0.11; correct it"),
        ({"prices": [0.01, 0.3, 0.05]}, "5Y: price is 0.3 per unit notional, a normal vol of 12"),
    ],
)  # fmt: skip
def test_quotes_that_drop_a_day_of_a_file_are_refused(changes, message):
    with pytest.raises(cs.MarketDataError, match=message):
        day(**changes)


def test_a_large_vol_is_to_be_reviewed():
    with pytest.warns(UserWarning, match=r"2024-06-03: 5Y: normal vol is 798 bp, and up to 300"):
        quoted = day(prices=None, vols=[0.008, 0.0798, 0.008], date="2024-06-03")
    assert quoted.normal_vols[1] == pytest.approx(0.0798, rel=1e-9)


def test_shifted_lognormal_vols_are_normal_ones_for_a_large_shift():
    """With a shift far above all rates, a vol of s / shift is nearly a normal vol of s."""
    normal = day(prices=None, vols=[0.008] * 3)
    prices = normal.caplets.cap_prices([0.008 / 100] * 3, "shifted_lognormal", "cap", 100.0)
    assert prices == pytest.approx(normal.prices, rel=1e-3)
    with pytest.raises(cs.MarketDataError, match="vol_shift is 3, which is 300 percent"):
        day(prices=None, vols=[0.2] * 3, vol_type="shifted_lognormal", vol_shift=3)
    with pytest.raises(cs.MarketDataError, match="lognormal vols have no shift"):
        day(prices=None, vols=[0.2] * 3, vol_type="lognormal", vol_shift=0.03)


def test_implied_normal_vols_of_a_day():
    quoted = day(prices=None, vols=[0.008, 0.009, 0.0085], notional=1e6, kind="floor")
    assert quoted.normal_vols == pytest.approx([0.008, 0.009, 0.0085], rel=1e-11)


@pytest.mark.parametrize("text", ["20220721", "2022/7/21", "21.7.2022", "44763", " 2022-07-21 "])
def test_a_single_date_is_read_as_those_of_files_are(text):
    assert day(date=text).date == datetime.date(2022, 7, 21)
