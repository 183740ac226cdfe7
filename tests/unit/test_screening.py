"""Screening: wrong quotes found by their past and their neighbours."""

import dataclasses
import datetime
from functools import cache

import numpy as np
import pytest

import calibscope as cs
from calibscope.base.explanations import fewest_that_explain, wrong_probabilities
from calibscope.market.screening.groups import alike_groups
from calibscope.market.screening.history import FEWEST_DAYS, FORGOTTEN, PATIENCE
from calibscope.market.screening.judge import Code, judge
from calibscope.market.screening.screen import screen

CURVE = cs.DiscountCurve.from_zero_rates([1, 5, 10, 30], [0.02, 0.022, 0.025, 0.027])
YEARS = np.array([3.0, 4, 5, 7, 10, 15, 20])


def alike(m, length=1.0):
    x = np.linspace(0, 2, m)
    return 0.97 * np.exp(-np.abs(x[:, None] - x) / length) + 0.03 * np.eye(m)


@cache
def history(n=200, m=7, seed=3, noise=0.003):
    """(n, m) log vols: level and slope wander, each quote has some noise of its own."""
    rng = np.random.default_rng(seed)
    x = np.linspace(-1, 1, m)
    level, slope = np.cumsum(rng.normal(size=(2, n)) * [[0.012], [0.006]], axis=1)
    return np.log(0.008) + level[:, None] + slope[:, None] * x + noise * rng.normal(size=(n, m))


def screened(logs, gaps=None):
    gaps = np.ones(len(logs)) if gaps is None else gaps
    return screen(logs, gaps, alike(logs.shape[1]))


def market_of(logs, curve=CURVE, **columns):
    """Days of at-the-money caps with these log vols; NaN is not quoted."""
    days, date = [], datetime.date(2024, 1, 1)
    for row in logs:
        date += datetime.timedelta(days=3 if date.weekday() == 4 else 1)
        quoted = np.isfinite(row)
        days.append(
            cs.MarketDay.from_arrays(
                curve=curve, maturities=YEARS[: len(row)][quoted], vols=np.exp(row[quoted]),
                date=date, **columns,
            )
        )  # fmt: skip
    return cs.Market(tuple(days))


def planted(logs, day, quote, error):
    moved = logs.copy()
    moved[day, quote] += error
    return moved


# --- competing explanations


def test_chances_are_odds_of_explanations_that_exclude_each_other():
    chances = wrong_probabilities([6.0, 1.0, -0.5], 37.0, 30.0, 3, 0.05)
    assert chances.argmax() == 0
    assert chances.sum() < 1
    # By hand: odds of the second explanation against none.
    odds = 0.05 / 3 * (67 / 66) ** 16.5 * np.sqrt(2 * np.pi) / (2 * np.log(60))
    assert chances[1] / (1 - chances.sum()) == pytest.approx(odds, rel=1e-12)


def test_two_that_explain_equally_well_share_their_chance():
    chances = wrong_probabilities([8.0, 8.0, 0.1], 65.0, 30.0, 3, 0.05)
    assert chances[0] == chances[1] == pytest.approx(0.5, abs=0.01)
    assert sorted(fewest_that_explain(chances, 0.8)) == [0, 1]
    assert list(fewest_that_explain(np.array([0.1, 0.2, 0.1]), 0.8)) == []


# --- one day


def test_an_error_is_not_blamed_on_its_neighbour():
    covariance = 1e-4 * alike(7)
    error = np.zeros(7)
    error[0] = 0.08
    found = judge(error, covariance, np.ones(7, bool))
    assert found.codes.tolist() == [Code.ACCUSED] + [Code.IN_LINE] * 6
    assert found.errors[0] == pytest.approx(0.08)
    # Before 3Y was set aside, it made 4Y look wrong as well.
    precision = np.linalg.inv(covariance)
    assert abs((precision @ error)[1]) / np.sqrt(precision[1, 1]) > 4


def test_quotes_that_cannot_be_told_apart_are_named_together():
    """Two quotes that are equally alike to all others, one of them off."""
    covariance = 1e-4 * (0.2 * np.ones((6, 6)) + 0.8 * np.eye(6))
    covariance[:2, :2] = 1e-4 * np.array([[1.0, 0.9], [0.9, 1.0]])
    found = judge(np.array([0.05, -0.05, 0, 0, 0, 0]), covariance, np.ones(6, bool))
    assert found.codes.tolist() == [Code.ONE_OF] * 2 + [Code.IN_LINE] * 4


def test_of_two_quotes_nobody_is_accused():
    found = judge(np.array([0.5, 0.0]), 1e-4 * np.eye(2), np.ones(2, bool))
    assert found.codes.tolist() == [Code.NOT_SCREENED] * 2
    assert np.isnan(found.scores).all()


def test_two_errors_on_one_day_are_both_found():
    error = np.zeros(9)
    error[[1, 6]] = 0.06, -0.05
    found = judge(error, 1e-4 * alike(9), np.ones(9, bool))
    assert np.flatnonzero(found.codes == Code.ACCUSED).tolist() == [1, 6]


@pytest.mark.parametrize("off", [[0, 1], [7, 8], [2, 3, 4]])
def test_several_that_are_off_together_accuse_nobody_but_the_day(off):
    error = np.zeros(9)
    error[off] = 0.08
    similarity = alike(9)
    found = judge(error, 1e-4 * similarity, np.ones(9, bool), groups=alike_groups(similarity))
    assert found.is_unusual
    assert set(found.codes.tolist()) == {Code.UNUSUAL}
    # Without that explanation, one of them or its neighbour is blamed, or nobody says a word.
    alone = judge(error, 1e-4 * similarity, np.ones(9, bool))
    assert not alone.is_unusual


def test_one_wrong_quote_is_named_though_groups_compete():
    error = np.zeros(9)
    error[4] = -0.05
    similarity = alike(9)
    found = judge(error, 1e-4 * similarity, np.ones(9, bool), groups=alike_groups(similarity))
    assert np.flatnonzero(found.codes == Code.ACCUSED).tolist() == [4]
    assert set(np.delete(found.codes, 4).tolist()) == {Code.IN_LINE}


def test_groups_are_neighbours_up_to_half_of_the_quotes():
    groups = alike_groups(alike(8))
    found = {tuple(np.flatnonzero(row).tolist()) for row in groups}
    assert len(found) == len(groups)
    assert all(2 <= len(one) <= 4 and one[-1] - one[0] == len(one) - 1 for one in found)
    assert {(0, 1), (6, 7), (0, 1, 2, 3), (4, 5, 6, 7)} <= found
    assert alike_groups(alike(3)).shape == (0, 3)
    assert len(alike_groups(alike(200))) < 200 * 9


# --- a history


@pytest.mark.parametrize("quote", range(7))
def test_a_wrong_quote_is_named_and_nothing_else_then_or_later(quote):
    found = screened(planted(history(), 150, quote, 0.03))
    assert np.argwhere(found.codes == Code.ACCUSED).tolist() == [[150, quote]]
    assert found.expected[150, quote] == pytest.approx(history()[150, quote], abs=0.01)


def test_nobody_is_accused_where_nothing_is_wrong():
    assert not np.isin(screened(history()).codes, (Code.ACCUSED, Code.ONE_OF, Code.MOVED)).any()


def test_scores_have_the_size_that_they_claim():
    scores = screened(history(400)).scores[60:]
    assert scores.std(axis=0) == pytest.approx(np.ones(7), abs=0.15)


def test_another_day_changes_no_verdict():
    logs = planted(history(), 150, 2, 0.03)
    whole, part = screened(logs), screened(logs[:151])
    for name in ("scores", "chances", "expected", "codes", "degrees"):
        np.testing.assert_array_equal(getattr(whole, name)[:151], getattr(part, name))


def test_turbulent_days_are_measured_by_their_own_standard():
    logs = history(noise=0.003).copy()
    wild = np.random.default_rng(8).normal(size=(60, 7))
    logs[120:180] += 0.012 * wild
    found = screened(logs)
    assert (found.codes == Code.ACCUSED).sum() <= 1
    calm, turbulent = np.abs(planted(logs, 100, 3, 0.02) - logs), 170
    assert calm.max() == pytest.approx(0.02)
    before = screened(planted(logs, 100, 3, 0.02)).scores[100, 3]
    during = screened(planted(logs, turbulent, 3, 0.02)).scores[turbulent, 3]
    assert before > 1.5 * abs(during - screened(logs).scores[turbulent, 3])


def test_a_market_move_accuses_nobody():
    logs = history().copy()
    logs[150:] += 0.15  # all vols up by 15 % at once
    assert not np.isin(screened(logs).codes, (Code.ACCUSED, Code.UNUSUAL)).any()


def test_after_an_unusual_day_neither_the_way_back_nor_staying_accuses_anybody():
    logs = history().copy()
    logs[150, :2] += 0.08
    found = screened(logs).codes
    assert set(found[150].tolist()) == {Code.UNUSUAL}
    assert not (found == Code.ACCUSED).any()
    assert (found == Code.UNUSUAL).any(axis=1).sum() == 1
    logs[151:, :2] += 0.08
    found = screened(logs).codes
    assert not (found == Code.ACCUSED).any()
    assert (found == Code.UNUSUAL).any(axis=1).sum() == 1


def test_a_quote_that_stays_away_is_taken_to_have_moved():
    logs = history().copy()
    logs[150:, 4] += 0.05
    codes = screened(logs).codes[:, 4]
    assert codes[150 : 150 + PATIENCE].tolist() == [Code.ACCUSED] * PATIENCE
    assert codes[150 + PATIENCE] == Code.MOVED
    assert set(codes[151 + PATIENCE :].tolist()) == {Code.IN_LINE}


def test_a_quote_that_becomes_noisy_is_not_accused_for_ever():
    """What is accused is learnt from, too, though not by its full size."""
    logs = history(500).copy()
    logs[100:, 6] += 0.012 * np.random.default_rng(5).standard_t(4, size=400)
    days = np.flatnonzero((screened(logs).codes == Code.ACCUSED).any(axis=1))
    assert 0 < (days < 150).sum() < 15
    assert (days >= 300).sum() <= 4


def test_a_missing_quote_is_expected_where_the_others_went():
    logs = history().copy()
    logs[100:110, 2] = np.nan
    found = screened(logs)
    assert found.expected[105, 2] == pytest.approx(history()[105, 2], abs=0.015)
    assert set(found.codes[100:110, 2].tolist()) == {Code.ABSENT}
    assert set(found.codes[110:, 2].tolist()) == {Code.IN_LINE}


def test_quotes_that_come_and_go():
    """Ragged days: a third of the quotes is missing at random, and one starts late."""
    rng = np.random.default_rng(1)
    logs = history(300).copy()
    logs[rng.random(logs.shape) < 0.3] = np.nan
    logs[:120, 6] = np.nan
    logs[200, 1:] = history(300)[200, 1:]
    logs[200, 3] += 0.04
    found = screened(logs)
    assert found.codes[200, 3] == Code.ACCUSED
    assert (found.codes == Code.ACCUSED).sum() <= 2
    first = np.flatnonzero(np.isfinite(logs[:, 6]))
    assert set(found.codes[first[:FEWEST_DAYS], 6].tolist()) == {Code.NOT_SCREENED}
    assert found.codes[first[FEWEST_DAYS], 6] == Code.IN_LINE


def test_a_quote_that_was_forgotten_starts_anew():
    logs = history(300).copy()
    logs[50 : 55 + FORGOTTEN, 0] = np.nan
    codes = screened(logs).codes[:, 0]
    assert codes[55 + FORGOTTEN] == Code.NOT_SCREENED
    assert codes[60 + FORGOTTEN + FEWEST_DAYS] == Code.IN_LINE


def test_constant_vols_and_one_that_jumps():
    logs = np.full((80, 5), np.log(0.008))
    logs[60, 2] += 0.02
    found = screened(logs)
    assert np.argwhere(found.codes == Code.ACCUSED).tolist() == [[60, 2]]
    assert np.isfinite(found.scores[1:]).all()


def test_a_long_gap_allows_larger_changes():
    logs = history().copy()
    logs[150:] += 0.03 * np.linspace(-1, 1, 7) ** 2
    near, far = np.ones(200), np.ones(200)
    far[150] = 60
    assert (
        np.abs(screened(logs, far).scores[150]).max()
        < np.abs(screened(logs, near).scores[150]).max()
    )


@pytest.mark.parametrize("shape", [(0, 3), (1, 3), (5, 3), (200, 1), (200, 2)])
def test_where_history_or_quotes_are_too_few_nobody_is_judged(shape):
    logs = history()[: shape[0], : shape[1]]
    assert set(screened(logs).codes.ravel().tolist()) <= {Code.NOT_SCREENED}


def test_days_without_quotes_are_waited_for():
    logs = history().copy()
    logs[100:130] = np.nan
    found = screened(logs)
    assert set(found.codes[100:130].ravel().tolist()) == {Code.ABSENT}
    assert not (found.codes == Code.ACCUSED).any()


# --- markets


def test_a_planted_error_in_a_market():
    found = cs.screen_quotes(market_of(planted(history(), 150, 0, 0.04)))
    row = found.accused.iloc[0]
    assert len(found.accused) == 1
    assert (row.label, row.verdict) == ("3Y", "likely wrong")
    assert row.date.date() == found.dates[150]
    assert row.vol / row.expected_vol == pytest.approx(np.exp(0.04), rel=0.01)
    assert row.price > row.expected_price
    true = market_of(history()[149:151]).days[1].prices[0]
    assert row.expected_price == pytest.approx(true, rel=0.01)
    assert row.q_value < 0.01
    assert row.p_value < 1e-4


def test_the_frame_has_a_row_for_each_quote_of_each_day():
    logs = history(40).copy()
    logs[10, 2] = np.nan
    found = cs.screen_quotes(market_of(logs))
    frame = found.frame()
    assert list(frame.columns) == [
        "date", "label", "score", "p_value", "q_value", "vol", "expected_vol", "price",
        "expected_price", "verdict",
    ]  # fmt: skip
    assert len(frame) == 40 * 7 - 1
    assert frame["verdict"].isin(["in line", "not screened"]).all()
    assert repr(found) == "Screening(40 days, 0 likely wrong quotes)"


def test_stale_days_are_named_and_teach_nothing():
    logs = history().copy()
    logs[100] = logs[99]
    found = cs.screen_quotes(market_of(logs))
    assert set(found.verdicts[100]) == {"stale day"}
    assert not found.is_accused.any()
    assert np.isnan(found.scores[100]).all()


def test_a_price_below_intrinsic_value_is_named():
    market = market_of(history(60), strikes=np.full(7, 0.01))
    days = list(market.days)
    day = days[50]
    prices = day.prices.copy()
    prices[4] = 0.9 * day.caplets.intrinsic_values()[4]
    days[50] = dataclasses.replace(day, prices=prices)
    found = cs.screen_quotes(cs.Market(tuple(days)))
    assert found.verdicts[50, 4] == "below intrinsic value"
    assert found.is_accused.sum() == 1
    row = found.accused.iloc[0]
    assert np.isnan(row.vol)
    assert row.expected_price == pytest.approx(day.prices[4], rel=0.05)
    # Where half of the quotes have no vol, it may be the curve.
    prices[[0, 1, 2]] = 0.9 * day.caplets.intrinsic_values()[[0, 1, 2]]
    days[50] = dataclasses.replace(day, prices=prices)
    assert not cs.screen_quotes(cs.Market(tuple(days))).is_accused.any()


def test_floors_and_strikes():
    """Caps and floors at several strikes; the floor's neighbours are the caps beside it."""
    base, days = history(120, 4), []
    rng = np.random.default_rng(2)
    for i, row in enumerate(base):
        date = datetime.date(2023, 1, 2) + datetime.timedelta(days=i)
        vols = np.exp(row)
        quotes = []
        for years, vol in zip([3, 5, 10, 20], vols, strict=True):
            noise = np.exp(0.003 * rng.normal(size=3))
            if i == 100 and years == 10:
                noise[2] *= 1.06
            quotes += [
                cs.Quote(cs.Cap(years), vol=vol * noise[0]),
                cs.Quote(cs.Cap(years, 0.04), vol=1.1 * vol * noise[1]),
                cs.Quote(cs.Floor(years, 0.01), vol=1.05 * vol * noise[2]),
            ]
        days.append(cs.MarketDay.from_quotes(curve=CURVE, quotes=quotes, date=date))
    found = cs.screen_quotes(cs.Market(tuple(days)))
    assert found.accused["label"].tolist() == ["10Y floor @1%"]


def test_the_next_night_changes_nothing_of_the_past():
    """One more day, with a maturity that was never quoted before."""
    market = market_of(planted(history(80), 60, 2, 0.04)[:, :6])
    last = market_of(history(81)).days[80]
    before, after = cs.screen_quotes(market), cs.screen_quotes(cs.Market((*market.days, last)))
    assert after.labels == (*before.labels, "20Y")
    for name in ("scores", "p_values", "q_values", "expected_vols", "verdicts"):
        np.testing.assert_array_equal(getattr(after, name)[:80, :6], getattr(before, name))
    assert after.verdicts[80, 6] == "not screened"
    assert before.accused["label"].tolist() == ["5Y"]


def test_one_day_and_no_day():
    assert set(cs.screen_quotes(market_of(history()[:1])).verdicts.ravel()) == {"not screened"}
    assert cs.screen_quotes(cs.Market(())).frame().empty


def test_instruments_without_vols_are_not_screened():
    days = []
    for i, row in enumerate(history(40, 4)):
        quotes = [
            cs.Quote(cs.Cap(y), vol=v) for y, v in zip([3, 5, 10, 20], np.exp(row), strict=True)
        ]
        quotes.append(cs.Quote(cs.BondOption(1, 5), price=0.01))
        date = datetime.date(2023, 1, 2) + datetime.timedelta(days=i)
        days.append(cs.MarketDay.from_quotes(curve=CURVE, quotes=quotes, date=date))
    found = cs.screen_quotes(cs.Market(tuple(days)))
    assert set(found.verdicts[:, -1]) == {"not screened"}
    assert set(found.verdicts[30, :4]) == {"in line"}


def test_the_wrong_three_year_quote_of_march_2020():
    """A 10 % error that the fit meets at leverage 0.98; a single day cannot show it."""
    market = cs.demo_market().between("2019-01-02", "2020-03-19")
    place = market.dates.index(datetime.date(2020, 3, 18))
    days = list(market.days)
    prices = days[place].prices.copy()
    prices[0] *= 1.10
    days[place] = dataclasses.replace(days[place], prices=prices)
    found = cs.screen_quotes(dataclasses.replace(market, days=tuple(days)))
    assert np.argwhere(found.is_accused[place - 2 :]).tolist() == [[2, 0]]
    expected = found.accused["expected_price"].iloc[-1]
    assert expected == pytest.approx(market.days[place].prices[0], rel=0.02)


@pytest.mark.parametrize(
    ("labels", "size"),
    [(("3Y", "4Y"), 1.1), (("25Y", "30Y"), 0.9), (("3Y", "4Y", "5Y", "6Y", "7Y", "8Y"), 1.08)],
)
def test_joint_errors_of_a_market_make_the_day_unusual(labels, size):
    market = cs.demo_market().between("2018-09-03", "2019-06-28")
    days, place = list(market.days), 190
    is_off = np.isin(days[place].labels, labels)
    days[place] = dataclasses.replace(
        days[place], prices=days[place].prices * np.where(is_off, size, 1.0)
    )
    found = cs.screen_quotes(dataclasses.replace(market, days=tuple(days)))
    assert np.flatnonzero(found.is_unusual).tolist() == [place]
    assert set(found.verdicts[place]) == {"unusual day"}
    assert not found.is_accused[place:].any()


def test_many_quotes_and_a_short_history_do_not_inflate_scores():
    found = screened(history(250, 40))
    assert found.scores[150:].std() == pytest.approx(1.0, abs=0.12)
    assert not (found.codes == Code.ACCUSED).any()
