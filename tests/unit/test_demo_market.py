"""The built-in synthetic market: fixed to the last digit, and as near to the facts as it claims."""

import re

import numpy as np
import pytest
from figures.market_history import market_history, par_rate

import calibscope as cs
from calibscope.market.calendar import is_business_day
from calibscope.market.demo import (
    demo_day,
    demo_market,
    demo_panels,
    planted_gaps,
    planted_outliers,
    planted_stale_days,
)
from calibscope.market.interpolation import interpolated
from calibscope.market.quotes import normal_option, swap_rates
from calibscope.market.synthetic import anchors, curves, quoting, tables, timeline, vols
from calibscope.market.synthetic.chance import normals, uniforms
from calibscope.market.synthetic.gaps import Gap, complete_days

FINGERPRINT = "a918edce9b3b4965907a3f861fbb9bd2d922c0bbcfaf63a7d205f52d57f3d23a"
YEARS = timeline.market_dates().astype("datetime64[Y]").astype(int) + 1970


@pytest.fixture(scope="module")
def published():
    return tables.published_tables()


@pytest.fixture(scope="module")
def market():
    return demo_market()


@pytest.fixture(scope="module")
def factors():
    """Discount factors of all days, those of incomplete days too."""
    return curves.discount_factors()


@pytest.fixture(scope="module")
def ten_year(factors):
    """10-year zero rate, percent."""
    return -100 * np.log(factors[:, curves.NODES == 10][:, 0]) / 10


@pytest.fixture(scope="module")
def normal_vols(published, factors):
    """Flat normal vols of the published prices, bp; NaN in the gaps."""
    _, caplets = vols.caplets_of(factors)
    return 1e4 * caplets.implied_normal_vols(published.prices)


def cap(years):
    return vols.MATURITIES.tolist().index(years)


def test_published_digits_are_fixed(published):
    assert published.fingerprint == FINGERPRINT


def test_fingerprint_sees_every_digit_and_every_gap(published):
    for name, step in (
        ("prices", 1e-8),
        ("strikes", 1e-8),
        ("factors", 1e-10),
        ("factors", np.nan),
    ):
        values = np.array(getattr(published, name))
        values[5, 3] += step
        changed = {field: getattr(published, field) for field in tables.Tables.__slots__}
        assert tables.Tables(**{**changed, name: values}).fingerprint != FINGERPRINT


def test_published_values_have_the_stated_digits():
    for panel, digits in zip(demo_panels(), (8, 8, 10), strict=True):
        there = panel.values[np.isfinite(panel.values)]
        assert np.array_equal(there, np.round(there, digits))


def test_last_bits_of_other_machines_do_not_reach_the_published_digits(published):
    """Elementary functions and sums differ in their last bits; nothing lies that near a border."""
    raw = np.exp(-curves.zero_rates() * curves.NODES)
    factors = np.round(raw, 10)
    for nearby in (np.nextafter(raw, 0), np.nextafter(raw, 2)):
        assert np.array_equal(np.round(nearby, 10), factors)
    strikes, caplets = vols.caplets_of(factors)
    for sign in (-1, 1):  # 1e-13 is some hundred last bits
        moved, moved_caplets = vols.caplets_of(factors * (1 + sign * 1e-15))
        assert np.array_equal(moved, strikes)
        true = vols.true_vols(factors, caplets) * (1 + sign * 1e-13)
        quotes = quoting.quoted(true, moved, moved_caplets, complete_days(published.gaps))
        there = np.isfinite(published.prices)
        assert np.array_equal(quotes.prices[there], published.prices[there])


def test_all_target_days_55_nodes_13_caps(published):
    assert str(published.dates[0]) == "2016-09-01"
    assert str(published.dates[-1]) == "2025-06-02"
    every = np.arange(published.dates[0], published.dates[-1] + 1)
    assert np.array_equal(published.dates, every[is_business_day(every)])
    price, strike, curve = demo_panels()
    assert (price.quantity, strike.quantity, curve.quantity) == (
        "price", "strike", "discount_factor",
    )  # fmt: skip
    assert price.maturities.tolist() == [3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30]
    days, months, quarters = [1, 7, 14, 21], range(1, 12), range(4, 13)
    expected = [n / 365 for n in days] + [n / 12 for n in months] + [n / 4 for n in quarters]
    expected += [*range(4, 31), 35, 40, 45, 50]
    assert len(expected) == 55
    assert curve.maturities == pytest.approx(expected, rel=1e-15)
    assert price.values.shape == strike.values.shape == (2239, 13)
    assert curve.values.shape == (2239, 55)


def test_2157_complete_days_pass_the_filter_of_user_files(market):
    assert market.is_synthetic
    assert len(market) == 2157
    gaps = planted_gaps()
    assert {finding.date for finding in market.dropped} == set(gaps)
    assert len(gaps) == 2239 - 2157
    assert set(gaps.values()) == {gap.value for gap in Gap}
    assert all(len(day.maturities) == 13 and len(day.curve.times) == 56 for day in market)


def test_overnight_rate_follows_the_policy_rate(factors):
    overnight = -np.log(factors[:, 0]) * 365
    spread = 1e4 * (overnight - curves.policy_rates(timeline.market_dates()))
    early = timeline.market_dates() < np.datetime64("2020-01-01")
    assert 3 < spread[early].min() < spread[early].max() < 6
    late = timeline.market_dates() > np.datetime64("2020-10-01")
    assert -11 < spread[late].min() < spread[late].max() < -4


@pytest.mark.parametrize("level", anchors.TEN_YEAR_LEVELS, ids=lambda level: level.date)
def test_ten_year_rate_is_within_15_bp_of_known_levels(market, ten_year, level):
    day = market.day(level.date)
    assert ten_year[timeline.places([level.date])[0]] == pytest.approx(level.percent, abs=0.15)
    assert 100 * par_rate(day.curve, 10) == pytest.approx(level.percent, abs=0.15)


def test_ten_year_means_and_minimum_are_within_15_bp(ten_year):
    for mean in anchors.TEN_YEAR_MEANS:
        assert ten_year[mean.year == YEARS].mean() == pytest.approx(mean.percent, abs=0.15)
    lowest = ten_year[YEARS == 2019].min()
    assert lowest == pytest.approx(anchors.TEN_YEAR_MINIMUM_2019, abs=0.15)


def test_daily_standard_deviation_of_the_ten_year_rate(ten_year):
    """Within the band where a band is known, and within 5 % of a single number."""
    changes = 100 * np.diff(ten_year)
    for fact in anchors.TEN_YEAR_VOLATILITIES:
        for year in range(fact.first_year, fact.last_year + 1):
            actual = np.std(changes[YEARS[1:] == year])
            slack = 0.05 * fact.low_bp if fact.low_bp == fact.high_bp else 0.0
            assert fact.low_bp - slack <= actual <= fact.high_bp + slack


@pytest.mark.parametrize("fact", anchors.CAP_VOLS, ids=lambda fact: fact.date)
def test_cap_vols_are_within_5_bp_of_known_levels(market, fact):
    day = market.day(fact.date)
    levels = dict(zip(day.maturities, 1e4 * day.normal_vols, strict=True))
    for years, bp in fact.bp.items():
        assert levels[years] == pytest.approx(bp, abs=5)


def test_short_end_is_steep_while_rates_are_negative_and_inverted_later(normal_vols):
    dates = timeline.market_dates()
    slope = normal_vols[:, cap(3)] / normal_vols[:, cap(10)]
    assert np.nanmax(slope[dates < np.datetime64("2021-06-01")]) < 0.75
    assert np.nanmin(slope[dates > np.datetime64("2023-06-01")]) > 0.85
    late_2022 = (dates >= np.datetime64("2022-07-01")) & (dates <= np.datetime64("2022-12-31"))
    low, high = anchors.SHORT_VOL_LATE_2022
    assert low < np.nanmean(normal_vols[late_2022, cap(3)]) < high


def test_turbulent_days_move_more_than_calm_ones(normal_vols):
    changes = np.abs(np.diff(np.log(normal_vols[:, cap(10)]), axis=0))
    wild = timeline.turbulent()[1:]
    assert 0.1 < wild.mean() < 0.5
    assert np.nanmedian(changes[wild]) > 1.5 * np.nanmedian(changes[~wild])


def test_prices_are_sound(published, market):
    complete = published.prices[~np.isnan(published.prices).any(axis=1)]
    assert np.all(np.diff(complete, axis=1) > 0)
    assert 2e-3 < complete.min() < 4e-3
    planted = {outlier.date for outlier in planted_outliers()}
    wrong = [w for w in market.warnings if w.check == "forward variance" and w.date not in planted]
    assert wrong == []


def test_forward_rates_are_sane(factors):
    logs = np.concatenate((np.zeros((len(factors), 1)), np.log(factors)), axis=1)
    curve = interpolated("log-cubic", np.concatenate(([0.0], curves.NODES)), logs)
    P = np.exp(curve.log_discount(np.arange(0, 50.5, 0.5)))
    forwards = 200 * (P[:, :-1] / P[:, 1:] - 1)
    assert -1.0 < forwards.min() < forwards.max() < 4.6
    assert np.abs(np.diff(forwards[:, 6:], axis=1)).max() < 0.2  # from 3 years on, percent


def test_published_strikes_are_those_of_the_published_curve(market):
    stale = set(planted_stale_days())
    for day in market.days[::40]:
        if day.date not in stale:
            schedule = day.schedule
            expected = swap_rates(day.discounts, schedule.accruals, 1, day.period_counts)
            assert day.strikes == pytest.approx(expected, abs=5.001e-9)  # half of the last digit


def test_what_is_planted_is_listed_and_nothing_else(published, factors):
    """Without outliers and stale days, prices are those of the vols on their grid."""
    strikes, caplets = vols.caplets_of(factors)
    plain = quoting.on_grid(quoting.noisy_vols(vols.true_vols(factors, caplets)))
    expected = caplets.cap_prices(plain)
    place = {date.item(): i for i, date in enumerate(published.dates)}
    for date, years, size in planted_outliers():
        expected[place[date], cap(years)] *= 1 + size
    for date in planted_stale_days():
        today = place[date]
        expected[today], strikes[today] = expected[today - 1], strikes[today - 1]
    there = np.isfinite(published.prices)
    assert published.prices[there] == pytest.approx(expected[there], abs=5.001e-9)
    there = np.isfinite(published.strikes)
    assert np.array_equal(published.strikes[there], strikes[there])


def test_outliers_are_few_of_the_stated_size_and_mostly_short(market):
    outliers = planted_outliers()
    assert 0.01 < len(outliers) / len(market) < 0.02
    assert len({outlier.date for outlier in outliers}) == len(outliers)
    assert {outlier.date for outlier in outliers} <= set(market.dates)
    sizes = np.abs([outlier.relative_size for outlier in outliers])
    assert 0.03 <= sizes.min() < sizes.max() <= 0.15
    assert np.mean([outlier.maturity <= 7 for outlier in outliers]) > 0.5


def test_stale_days_are_a_handful_and_the_checks_find_them(market):
    found = {warning.date for warning in market.warnings if warning.check.startswith("stale")}
    assert found == set(planted_stale_days())
    assert 1 <= len(found) <= 5


def test_flat_vols_are_those_of_the_summed_caplets(factors):
    _, caplets = vols.caplets_of(factors[::100])
    caplet_vols = 1e-4 * (60 + 40 * np.exp(-caplets.resets / 3) + 0 * caplets.forwards)
    spread = caplet_vols * np.sqrt(caplets.resets)
    values = caplets.annuities * normal_option(caplets.forwards - caplets.strikes, spread)
    exact = caplets.implied_normal_vols(np.add.reduceat(values, caplets.starts, axis=-1))
    assert vols.flat_vols(caplets, caplet_vols) == pytest.approx(exact, abs=0.3e-4)


def test_streams_are_fixed_and_normal():
    expected = [0.7980758399177643, 0.6247784522064659, 0.802470676321958]
    assert uniforms("a topic", 3).tolist() == expected
    draws = normals("another topic", 100_000)
    # Standard errors of mean and variance: 0.0032 and 0.0045.
    assert abs(draws.mean()) < 0.015
    assert abs(draws.var() - 1) < 0.02


def test_figure_says_synthetic_and_shows_every_known_level(market):
    figure = market_history(market)
    assert figure.layout.title.text.endswith("?")
    assert "SYNTHETIC" in figure.layout.title.subtitle.text
    dots = sum(len(trace.x) for trace in figure.data if re.search("known level", trace.name))
    expected = len(anchors.TEN_YEAR_LEVELS)
    expected += sum(len({3, 10, 30} & set(fact.bp)) for fact in anchors.CAP_VOLS)
    assert dots == expected


def test_demo_day_is_one_day_of_13_caps():
    assert len(demo_day().prices) == 13


def test_another_seed_gives_another_history_tied_to_the_same_facts(market):
    other = cs.demo_market(seed=7)
    assert len(other) == len(market)
    assert "seed 7" in repr(other)
    assert other.fingerprint != market.fingerprint
    assert planted_outliers(7) != planted_outliers()
    again = cs.demo_market(seed=20160901)
    assert again.fingerprint == market.fingerprint
    for date in ("2019-12-30", "2024-06-14"):  # facts, met to the bounds that the docs state
        one, two = market.day(date), other.day(date)
        assert np.abs(one.normal_vols - two.normal_vols).max() < 4e-4
