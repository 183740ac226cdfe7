"""Interpolation and OIS bootstrap against QuantLib."""

import numpy as np
import pytest
import QuantLib as ql

import calibscope as cs
from calibscope.market.interpolation import interpolated
from calibscope.market.svensson import PAPER_TIMES, svensson_zero_rates

TIMES = np.concatenate(([0.0], PAPER_TIMES))
QUERY = np.linspace(0, 50, 2003)


def log_discounts(seed: int):
    noise = 1e-4 * np.random.default_rng(seed).standard_normal(len(PAPER_TIMES))
    rates = svensson_zero_rates([0.02, -0.025, 0.01, 0.02, 1.2, 8.0], PAPER_TIMES) + noise
    return np.concatenate(([0.0], -rates * PAPER_TIMES))


@pytest.mark.parametrize("seed", range(5))
def test_log_cubic_is_the_natural_spline(seed):
    logs = log_discounts(seed)
    theirs = ql.CubicNaturalSpline(ql.Array(TIMES.tolist()), ql.Array(logs.tolist()))
    ours = interpolated("log-cubic", TIMES, logs).log_discount(QUERY)
    # Numbers up to 1.5, rounded in another order.
    assert ours == pytest.approx([theirs(float(t), True) for t in QUERY], abs=5e-15)


@pytest.mark.parametrize("seed", range(5))
def test_monotone_convex_is_that_of_hagan_and_west(seed):
    """QuantLib's with its two blending factors at the pure scheme; noise reaches all four zones."""
    logs = log_discounts(seed)
    discrete = -np.diff(logs) / np.diff(TIMES)
    values = ql.Array([discrete[0], *discrete.tolist()])
    theirs = ql.ConvexMonotoneInterpolation(ql.Array(TIMES.tolist()), values, 0.0, 1.0, False)
    ours = interpolated("monotone-convex", TIMES, logs).forward_rate(QUERY)
    assert ours == pytest.approx([theirs(float(t), True) for t in QUERY], abs=1e-13)


def par_rates(flat_rate: float, date: ql.Date, months: list[int], index: ql.OvernightIndex):
    """Par rates of spot-start swaps on a flat curve, valued by QuantLib's swap, not its helper."""
    curve = ql.YieldTermStructureHandle(ql.FlatForward(date, flat_rate, ql.Actual365Fixed()))
    linked = index.clone(curve)
    start = ql.TARGET().advance(date, 2, ql.Days)
    engine = ql.DiscountingSwapEngine(curve)
    rates = []
    for n in months:
        schedule = ql.MakeSchedule(
            start,
            start + ql.Period(n, ql.Months),
            ql.Period(1, ql.Years),
            calendar=ql.TARGET(),
            convention=ql.ModifiedFollowing,
            backwards=True,
        )
        swap = ql.OvernightIndexedSwap(
            ql.OvernightIndexedSwap.Payer, 1.0, schedule, 0.0, ql.Actual360(), linked, 0.0, 1
        )
        swap.setPricingEngine(engine)
        rates.append(swap.fairRate())
    return rates


@pytest.mark.parametrize(("index", "name"), [(ql.Estr(), "ESTR"), (ql.Eonia(), "EONIA")])
@pytest.mark.parametrize("flat_rate", [-0.005, 0.03])
def test_ois_quotes_of_a_flat_curve_give_it_back(index, name, flat_rate):
    date, months = ql.Date(17, 10, 2018), [1, 3, 6, 12, 24, 60, 120, 240, 360]
    before = ql.Settings.instance().evaluationDate
    ql.Settings.instance().evaluationDate = date
    try:
        rates = par_rates(flat_rate, date, months, index)
    finally:
        ql.Settings.instance().evaluationDate = before
    years = np.array(months) / 12
    curve = cs.DiscountCurve.from_ois_quotes(years, rates, date="2018-10-17", index=name)
    assert ql.Settings.instance().evaluationDate == before
    # 365.25 days to the nominal year. A flat curve leaves no room for interpolation; QuantLib's
    # bootstrap stops at 1e-12 a rate.
    assert curve.log_discount(years) == pytest.approx(-flat_rate * years * 365.25 / 365, abs=1e-9)
    assert curve.interpolation == "log-cubic"


def test_overnight_and_weeks_are_read_as_such():
    times = [1 / 365, 7 / 365, 1 / 52 * 2, 0.083333, 1]
    curve = cs.DiscountCurve.from_ois_quotes(times, [0.02] * 5, date="2022-07-21")
    # Simple Act/360 interest over one day, read at 365.25/365 of it.
    overnight = np.log1p(0.02 / 360) * 365.25
    assert float(curve.zero_rate(1 / 365)) == pytest.approx(overnight, rel=1e-6)
    assert np.ptp(curve.zero_rate(times)) < 3e-4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"date": "2022-07-23"}, "2022-07-23 is not a TARGET business day"),
        ({"date": "soon"}, "date is 'soon'"),
        ({"date": "2022-07-21", "index": "SOFR"}, "index is 'SOFR'; choose from ESTR, EONIA"),
        ({"date": "2022-07-21", "maturities": [1, 2.031]}, "maturity is 2.031 years; give a whole"),
        ({"date": "2022-07-21", "rates": [0.02, np.nan]}, "t = 2: par rate is nan"),
        ({"date": "2022-07-21", "maturities": [2, 1]}, "maturity 1 follows 2"),
    ],
)
def test_bad_ois_quotes(arguments, message):
    given = {"maturities": [1, 2], "rates": [0.02, 0.02], **arguments}
    with pytest.raises(cs.MarketDataError, match=message):
        cs.DiscountCurve.from_ois_quotes(given.pop("maturities"), given.pop("rates"), **given)
