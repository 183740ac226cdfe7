"""Volatility conversions against QuantLib's formulas, over negative rates and long maturities."""

import datetime

import numpy as np
import pytest
import QuantLib as ql

import calibscope as cs
from calibscope.market.quotes import Caplets

COUNTS = np.array([2, 6, 20, 60, 100])
TIMES = np.arange(101) * 0.5
DELTA = np.full(100, 0.5)
# Deep negative, around zero, steep, high: zero rates at 0 and their slope per year.
LEVELS = [(-0.009, 0.0002), (-0.002, 0.0004), (0.001, 0.0006), (0.03, -0.0002), (0.08, 0.0)]


def caplets(level, slope, moneyness):
    P = np.exp(-(level + slope * TIMES) * TIMES)
    forwards = (P[:-1] / P[1:] - 1) / DELTA
    strikes = np.array([forwards[1:n].mean() for n in COUNTS]) + moneyness
    return P, strikes, Caplets.of_caps(P, TIMES, DELTA, strikes, COUNTS, 1)


def in_quantlib(P, strikes, formula, kind):
    """Caplet by caplet: formula(type, strike, forward, sqrt(t), annuity)."""
    option = ql.Option.Call if kind == "cap" else ql.Option.Put
    return np.array(
        [
            sum(
                formula(
                    option, strike, (P[i] / P[i + 1] - 1) / 0.5, TIMES[i] ** 0.5, 0.5 * P[i + 1]
                )
                for i in range(1, count)
            )
            for strike, count in zip(strikes, COUNTS, strict=True)
        ]
    )


@pytest.mark.parametrize("kind", ["cap", "floor"])
@pytest.mark.parametrize("moneyness", [-0.02, 0.0, 0.015])
@pytest.mark.parametrize(("level", "slope"), LEVELS)
def test_normal_vols(level, slope, moneyness, kind):
    P, strikes, caps = caplets(level, slope, moneyness)
    vols = np.array([0.0015, 0.004, 0.007, 0.009, 0.02])

    def with_vol(vol):
        return lambda option, strike, forward, root, annuity: ql.bachelierBlackFormula(
            option, strike, forward, vol * root, annuity
        )

    expected = [in_quantlib(P, strikes, with_vol(vol), kind)[k] for k, vol in enumerate(vols)]
    # 1e-10 of the price, and of a unit annuity for options that are worth almost nothing.
    assert caps.cap_prices(vols, "normal", kind) == pytest.approx(expected, rel=1e-10, abs=1e-16)


@pytest.mark.parametrize("kind", ["cap", "floor"])
@pytest.mark.parametrize("shift", [0.03, 0.045])
@pytest.mark.parametrize(("level", "slope"), LEVELS)
def test_shifted_lognormal_vols(level, slope, shift, kind):
    P, strikes, caps = caplets(level, slope, 0.002)

    def formula(option, strike, forward, root, annuity):
        return ql.blackFormula(option, strike, forward, 0.35 * root, annuity, shift)

    expected = in_quantlib(P, strikes, formula, kind)
    found = caps.cap_prices(np.full(len(COUNTS), 0.35), "shifted_lognormal", kind, shift)
    assert found == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("kind", ["cap", "floor"])
def test_lognormal_vols(kind):
    P, strikes, caps = caplets(0.03, 0.0001, -0.003)

    def formula(option, strike, forward, root, annuity):
        return ql.blackFormula(option, strike, forward, 0.6 * root, annuity)

    expected = in_quantlib(P, strikes, formula, kind)
    found = caps.cap_prices(np.full(len(COUNTS), 0.6), "lognormal", kind)
    assert found == pytest.approx(expected, rel=1e-10)


def test_a_lognormal_vol_needs_positive_rates():
    _, _, caps = caplets(-0.009, 0.0002, 0.0)
    assert np.isnan(caps.cap_prices(np.full(len(COUNTS), 0.6), "lognormal")).all()


@pytest.mark.parametrize("kind", ["cap", "floor"])
@pytest.mark.parametrize("moneyness", [-0.03, -0.005, 0.0, 0.02])
@pytest.mark.parametrize(("level", "slope"), LEVELS)
def test_price_to_vol_to_price(level, slope, moneyness, kind):
    """Prices come back to 1e-12; vols to the accuracy with which the price determines them."""
    _, _, caps = caplets(level, slope, moneyness)
    random = np.random.default_rng(3)
    vols = np.exp(random.uniform(np.log(5e-4), np.log(0.05), (200, len(COUNTS))))
    prices = caps.cap_prices(vols, "normal", kind)
    intrinsic = caps.intrinsic_values(kind)
    # A time value of 1e-12 is a hundredth of a cent on a hundred million: below, there is no quote.
    visible = prices - intrinsic > 1e-12
    assert visible.mean() > 0.4
    back = caps.implied_normal_vols(prices, kind)
    again = caps.cap_prices(back, "normal", kind)
    assert again[visible] == pytest.approx(prices[visible], rel=1e-12)
    plain = visible & (prices - intrinsic > 1e-3 * prices)
    assert back[plain] == pytest.approx(vols[plain], rel=1e-11)


def test_one_caplet_against_quantlibs_inversion():
    P = np.exp(-0.02 * TIMES)
    forward = (P[20] / P[21] - 1) / 0.5
    for strike in (0.0, 0.018, forward, 0.03, 0.06):
        one = Caplets(
            np.array([forward]), np.array([strike]), np.array([0.5 * P[21]]), np.array([10.0]),
            np.array([0]),
        )  # fmt: skip
        price = one.cap_prices([0.0083])[0]
        expected = ql.bachelierBlackFormulaImpliedVol(
            ql.Option.Call, strike, forward, 10.0, price, 0.5 * P[21]
        )
        assert one.implied_normal_vols([price])[0] == pytest.approx(expected, rel=1e-10)


def test_below_the_intrinsic_value_there_is_no_vol():
    _, _, caps = caplets(0.03, -0.0002, -0.02)
    intrinsic = caps.intrinsic_values()
    assert np.isnan(caps.implied_normal_vols(0.999 * intrinsic)).all()


@pytest.mark.parametrize("tenor", [0.5, 0.25])
@pytest.mark.parametrize("date", ["2019-12-30", "2024-02-29", "2022-08-31", "2016-09-01"])
def test_target_dates_against_quantlibs_schedule_and_engine(date, tenor):
    """A whole cap in QuantLib: dates, Act/360 accruals, strike and Bachelier price."""
    curve = cs.DiscountCurve.from_zero_rates([0.5, 5, 15, 31], [0.01, 0.02, 0.025, 0.024])
    day = cs.MarketDay.from_arrays(
        curve=curve, maturities=[3, 10, 30], vols=[0.006, 0.008, 0.007], tenor=tenor,
        calendar="TARGET", date=date,
    )  # fmt: skip
    today = datetime.date.fromisoformat(date)
    start = ql.Date(today.day, today.month, today.year)
    schedule = ql.Schedule(
        start, start + ql.Period(30, ql.Years), ql.Period(int(12 * tenor), ql.Months), ql.TARGET(),
        ql.ModifiedFollowing, ql.ModifiedFollowing, ql.DateGeneration.Forward, False,
    )  # fmt: skip
    dates = list(schedule)
    days = np.array([moment - start for moment in dates], float)
    assert day.schedule.times == pytest.approx(days / 365.25, abs=1e-14)
    assert day.schedule.accruals == pytest.approx(np.diff(days) / 360, abs=1e-14)

    P, resets = curve.discount(days / 365.25), days / 365.25
    for strike, price, vol, count in zip(
        day.strikes, day.prices, (0.006, 0.008, 0.007), day.period_counts, strict=True
    ):
        annuity = sum((days[i + 1] - days[i]) / 360 * P[i + 1] for i in range(1, count))
        assert strike == pytest.approx((P[1] - P[count]) / annuity, rel=1e-13)
        expected = sum(
            ql.bachelierBlackFormula(
                ql.Option.Call, strike, (P[i] / P[i + 1] - 1) * 360 / (days[i + 1] - days[i]),
                vol * resets[i] ** 0.5, (days[i + 1] - days[i]) / 360 * P[i + 1],
            )
            for i in range(1, count)
        )  # fmt: skip
        assert price == pytest.approx(expected, rel=1e-12)
    assert day.normal_vols == pytest.approx([0.006, 0.008, 0.007], rel=1e-11)
