"""Local minima, near-optimal set, plausible fit, balanced weights, on known demo days."""

import dataclasses

import numpy as np
import pytest

from calibscope.calibration.balance import leverage_balanced_weights
from calibscope.calibration.calibrate import calibrate
from calibscope.calibration.g2.bench import Workbench
from calibscope.calibration.g2.plausible import PlausibleBox, plausible_fit
from calibscope.calibration.near_optimal.evidence import evidence
from calibscope.calibration.near_optimal.local_minima import _Found, _refine, local_minima
from calibscope.calibration.near_optimal.near_optimal import near_optimal
from calibscope.calibration.near_optimal.reach import FULL, reaches
from calibscope.market.demo import demo_market
from calibscope.models.g2.model import G2
from calibscope.models.g2.parameters import SPECS

scaled, unscaled = SPECS.coordinates.of, SPECS.coordinates.values

TWO_OPTIMA, TAME, EQUAL_SPEEDS, AT_BOUNDS, FAST = (
    "2020-09-11", "2016-09-05", "2022-11-17", "2023-07-20", "2024-06-03",
)  # fmt: skip


@pytest.fixture(scope="module")
def fits():
    """The default fits of the days of this file."""
    market = demo_market()
    days = (TWO_OPTIMA, TAME, EQUAL_SPEEDS, AT_BOUNDS, FAST)
    return {date: calibrate(market.day(date)) for date in days}


@pytest.fixture(scope="module")
def evidences(fits):
    return {date: evidence(fit) for date, fit in fits.items()}


def with_quotes(day, prices, bid_ask=None, count=None):
    """The same day with other prices, and perhaps only the first quotes."""
    return dataclasses.replace(
        day,
        prices=prices[:count],
        maturities=day.maturities[:count],
        period_counts=day.period_counts[:count],
        strikes=day.strikes[:count],
        bid_ask=bid_ask,
    )


# The local minima


def test_two_optima_are_told_apart(evidences):
    found = evidences[TWO_OPTIMA].local_minima
    assert [round(o.parameters.a_x, 2) for o in found.optima] == [0.76, 0.51]
    assert found.gap == pytest.approx(0.1316, abs=1e-3)
    assert not found.is_same_fit_other_parameters
    assert sum(o.share_of_starts for o in found.optima) + found.unfinished_share == pytest.approx(1)
    assert all(o.share_of_starts > 0.1 for o in found.optima)


def test_a_tame_day_has_one_optimum(evidences):
    found = evidences[TAME].local_minima
    assert len(found.optima) == 1
    assert found.best.share_of_starts == 1.0
    assert found.runner_up is None
    assert found.gap == float("inf")
    assert found.best.is_strict
    assert not found.best.has_equal_speeds


def test_the_atlas_knows_nothing_better_than_the_fit(fits, evidences):
    for date, fit in fits.items():
        best = evidences[date].local_minima.best
        # 1e-8: rounding of the objective where volatilities of 1 nearly cancel.
        assert best.objective == pytest.approx(fit.objective, rel=1e-8)
        assert evidences[date].is_best
        objectives = [optimum.objective for optimum in evidences[date].local_minima.optima]
        assert objectives == sorted(objectives)


def test_optima_are_stationary_and_canonical(fits, evidences):
    for date, fit in fits.items():
        bench = Workbench(fit.problem)
        for optimum in evidences[date].local_minima.optima:
            assert optimum.parameters.a_x >= optimum.parameters.a_y
            assert bench.local(optimum.parameters.values).promised <= 1e-8


def test_mirror_images_are_one_optimum(fits):
    fit = fits[TWO_OPTIMA]
    a_x, a_y, sigma_x, sigma_y, rho_xy = fit.parameters.values
    mirrored = G2(a_y, a_x, sigma_y, sigma_x, rho_xy)
    found = local_minima(fit.problem, [fit.parameters, mirrored])
    assert len(found.optima) == 2
    assert found.best.parameters.a_x == pytest.approx(a_x, rel=1e-6)


def test_one_factor_ridge_is_one_optimum(fits):
    """With equal speeds, all ways to split one volatility over two factors price alike."""
    bench = Workbench(fits[FAST].problem)
    speed, total = 0.01546569, 0.00871325
    splits = [G2(speed, speed, share * total, (1 - share) * total, 1.0) for share in (0.3, 0.6)]
    prices = [split.prices(fits[FAST].problem.day) for split in splits]
    np.testing.assert_allclose(prices[0], prices[1], rtol=1e-10)
    first = _Found(bench.problem.objective(splits[0].values), splits[0].values)
    value = bench.problem.objective(splits[1].values)
    found, _ = _refine(bench, [first], value, splits[1].values, finishes=0)
    assert found is first


def test_a_local_solver_is_told_of_the_better_optimum(fits):
    second = evidence(fits[TWO_OPTIMA]).local_minima.runner_up.parameters
    problem = fits[TWO_OPTIMA].problem
    value, point = Workbench(problem).polished(second.values)
    local = dataclasses.replace(fits[TWO_OPTIMA], as_found=G2(*point), candidates=())
    found = evidence(local)
    assert not found.is_best
    assert "better optimum" in found.sentences[0]
    assert found.local_minima.best.objective < value


def test_fewer_quotes_than_parameters(fits):
    day = with_quotes(fits[TAME].problem.day, fits[TAME].problem.day.prices, count=3)
    found = evidence(calibrate(day))
    assert len(found.sentences) == 3
    assert not found.local_minima.best.is_strict  # three quotes leave two directions open


# The near-optimal set


def test_valley_contains_the_fit_and_ends_keep_the_limit(fits, evidences):
    for date, fit in fits.items():
        found = evidences[date].near_optimal
        values = fit.parameters.values
        assert (found.low <= values * (1 + 1e-9 * np.sign(values))).all()
        assert (found.high >= values * (1 - 1e-9 * np.sign(values))).all()
        for p in range(5):
            for side, end in enumerate((found.low[p], found.high[p])):
                assert found.extremes[p, side, p] == end
                # 1e-8: rounding where volatilities of 1 nearly cancel.
                assert fit.problem.rmsre(found.extremes[p, side]) <= 1.1 * fit.rmsre * (1 + 1e-8)
                assert found.extremes[p, side, 0] >= found.extremes[p, side, 1] * (1 - 1e-9)


@pytest.mark.parametrize("date", [TWO_OPTIMA, TAME, EQUAL_SPEEDS])
def test_beyond_the_valley_no_start_keeps_the_limit(fits, evidences, date):
    """Outside by a tenth of the distance, no refit from many starts is good enough."""
    fit, found = fits[date], evidences[date].near_optimal
    problem, bench = fit.problem, Workbench(fit.problem)
    scan = bench.scan_around(fit.parameters.values)
    pairs = np.argsort(scan.values, axis=None)[:200:20]
    starts = [scan.point(*np.unravel_index(k, scan.values.shape)) for k in pairs]
    starts += list(found.extremes.reshape(-1, 5))
    centre = scaled(fit.parameters.values)
    for p in range(5):
        for side, sign in ((0, -1), (1, 1)):
            end = scaled(found.extremes[p, side])[p]
            outside = end + sign * (0.1 * abs(end - centre[p]) + 1e-4)
            if not scaled(problem.lower)[p] < outside < scaled(problem.upper)[p]:
                continue
            for start in starts:
                moved = scaled(np.clip(start, problem.lower, problem.upper))
                moved[p] = outside
                value, point = bench.polished(unscaled(moved), (p,))
                # Where the factors change places it is the other parameter that moved.
                assert point[0] < point[1] or value > 1.1**2 * fit.objective


@pytest.mark.parametrize("date", [TWO_OPTIMA, EQUAL_SPEEDS])
def test_valley_grows_with_the_factor(fits, date):
    fit = fits[date]
    narrow, *wider = (near_optimal(fit.problem, fit.parameters, f) for f in (1.02, 1.1, 1.5))
    for wide in wider:
        # Ends are found to 1 % of their distance from the fit.
        slack = 0.02 * (narrow.high - narrow.low)
        assert (wide.low <= narrow.low + slack).all()
        assert (wide.high >= narrow.high - slack).all()
        assert (wide.high - wide.low).sum() > (narrow.high - narrow.low).sum()
        narrow = wide


def test_valley_of_the_absurd_day_reaches_the_bound(evidences):
    found = evidences[EQUAL_SPEEDS].near_optimal
    low, high = found.range_of("sigma_x")
    assert low < 0.03
    assert high == 1.0
    assert found.is_high_at_bound[2]
    assert not found.is_low_at_bound[2]


def test_fixed_parameters_have_no_range(fits):
    fit = calibrate(fits[TAME].problem.day, fixed={"a_y": 0.05})
    found = near_optimal(fit.problem, fit.parameters)
    assert found.range_of("a_y") == (0.05, 0.05)
    assert found.width[0] > 1.01


def test_valley_within_bid_and_ask(fits):
    day = fits[TWO_OPTIMA].problem.day
    spreads = np.outer(day.prices, [0.99, 1.01])
    spreads[4] = np.nan  # a quote without bid and ask does not count
    fit = calibrate(with_quotes(day, day.prices, spreads))
    found = near_optimal(fit.problem, fit.parameters, bid_ask=True)
    assert found.is_inside
    counts = np.arange(len(day.prices)) != 4
    for end in found.extremes.reshape(-1, 5):
        prices = G2(*end).prices(day)[counts]
        assert (prices >= spreads[counts, 0] * (1 - 1e-12)).all()
        assert (prices <= spreads[counts, 1] * (1 + 1e-12)).all()
    assert found.width[0] > 1.2
    tight = calibrate(with_quotes(day, day.prices, np.outer(day.prices, [0.9999, 1.0001])))
    outside = near_optimal(tight.problem, tight.parameters, bid_ask=True)
    assert not outside.is_inside
    np.testing.assert_array_equal(outside.low, outside.high)
    with pytest.raises(ValueError, match="no bids and asks"):
        near_optimal(fits[TWO_OPTIMA].problem, fits[TWO_OPTIMA].parameters, bid_ask=True)


@pytest.mark.parametrize("date", [TAME, EQUAL_SPEEDS, FAST, TWO_OPTIMA])
def test_a_reach_is_a_part_of_the_near_optimal_range(fits, evidences, date):
    fit = fits[date]
    wide = evidences[date].near_optimal
    for one in reaches(fit.problem, fit.parameters.values):
        low, high = wide.range_of(one.name)
        # The ends of the range are found to 1 % of their distance from the fit.
        assert low - 0.02 * abs(low) <= one.low <= one.high <= high + 0.02 * abs(high)


def test_reaches_tell_a_parameter_that_is_open_from_one_that_is_known(fits):
    tame = {one.name: one for one in reaches(fits[TAME].problem, fits[TAME].parameters.values)}
    assert max(one.units for one in tame.values()) < FULL
    problem = fits[EQUAL_SPEEDS].problem
    best = fits[EQUAL_SPEEDS].parameters.values
    wide = {one.name: one for one in reaches(problem, best)}
    sigma = wide["sigma_x"]
    assert sigma.units >= FULL
    # A fit with the parameter held at the end is within 10 % of the best, by another solver.
    held = calibrate(problem.day, fixed={"sigma_x": sigma.low})
    assert held.rmsre <= 1.1 * problem.rmsre(best)
    assert str(sigma).startswith("sigma_x from 0.0")


def test_a_fixed_parameter_has_no_reach(fits):
    fit = calibrate(fits[TAME].problem.day, fixed={"rho_xy": -0.9})
    names = [one.name for one in reaches(fit.problem, fit.parameters.values)]
    assert names == ["a_x", "a_y", "sigma_x", "sigma_y"]


def test_factor_must_exceed_one(fits):
    with pytest.raises(ValueError, match="factor is 1"):
        near_optimal(fits[TAME].problem, fits[TAME].parameters, 1.0)


# The plausible fit


def test_reasons_are_words():
    box = PlausibleBox()
    assert box.reasons(G2(0.6, 0.05, 0.01, 0.01, -1.0)) == ()
    assert box.reasons(G2(0.6, 0.05, 1.0, 0.01, -0.9)) == ("sigma_x = 1.00 is above 0.1",)
    assert box.reasons(G2(9.0, 0.05, 0.01, 0.01, -0.9)) == ("a_x = 9 is above 5",)
    assert box.reasons(G2(0.021, 0.02, 0.01, 0.01, -0.9)) == (
        "the speeds are nearly equal (ratio 1.05, below 1.2)",
    )
    with pytest.raises(ValueError, match="ratio_lowest"):
        PlausibleBox(ratio_lowest=0.5)


@pytest.mark.parametrize("date", [TAME, EQUAL_SPEEDS, FAST])
@pytest.mark.parametrize("box", [PlausibleBox(), PlausibleBox(0.05, 1e-4, 0.3, 3.0)])
def test_no_pair_of_speeds_in_the_box_fits_better(fits, date, box):
    problem = fits[date].problem
    found = plausible_fit(problem, box)
    assert not box.reasons(found)
    reached = problem.objective(found.values)
    lower, upper = box.bounds(problem)
    bench = Workbench(dataclasses.replace(problem, lower=lower, upper=upper))
    speeds = np.geomspace(box.a_lowest, box.a_highest, 40)
    for a_x in speeds:
        for a_y in speeds[speeds * box.ratio_lowest <= a_x]:
            start = np.array([a_x, a_y, *found.values[2:]])
            value, _ = bench.polished(start, fixed=(0, 1), steps=30)
            assert value >= reached * (1 - 1e-8)


def test_edge_of_equal_speeds(fits):
    """Where the best plausible fit has speeds as near as allowed."""
    found = plausible_fit(fits[EQUAL_SPEEDS].problem, PlausibleBox(ratio_lowest=3.0))
    assert found.a_x / found.a_y == pytest.approx(3.0, rel=1e-9)


def test_nothing_plausible_is_none(fits):
    fit = calibrate(fits[TAME].problem.day, fixed={"sigma_x": 0.5})
    assert plausible_fit(fit.problem) is None
    assert "no plausible one" in evidence(fit).sentences[1]


# The sentences


def test_sentences(evidences):
    first, second, third = evidences[EQUAL_SPEEDS].sentences
    assert first.startswith("2 optima were found; the best has RMSRE 0.50 %")
    assert second.startswith("The fit is implausible: sigma_x = 1.00 is above 0.1")
    assert "the best plausible one has RMSRE 0.51 %" in second
    assert "sigma_x from 0.02 to 1 (its bound)" in third
    assert evidences[TAME].sentences[1] == "Its parameters are plausible."
    assert evidences[TAME].plausible_cost == 0.0
    assert evidences[EQUAL_SPEEDS].plausible_cost > 0.0


# Balanced weights


@pytest.mark.parametrize("cap", [0.9, 0.6])
@pytest.mark.parametrize("date", [TWO_OPTIMA, TAME])
def test_balanced_weights_keep_the_cap(fits, date, cap):
    day = fits[date].problem.day
    found = leverage_balanced_weights(day, cap)
    assert found.is_balanced
    assert found.leverages.max() <= cap + 1e-3
    assert found.leverages.sum() == pytest.approx(round(found.leverages.sum()), abs=1e-9)
    relative = found.weights * day.prices**2
    assert (relative <= 1 + 1e-12).all()
    assert (relative < 1).any()
    refit = calibrate(day, weights=found.weights)
    np.testing.assert_allclose(refit.parameters.values, found.parameters.values, rtol=1e-6)


def test_balanced_weights_of_a_balanced_day_stay(fits):
    day = fits[TWO_OPTIMA].problem.day
    found = leverage_balanced_weights(day, 0.9999)
    assert found.iterations == 1
    np.testing.assert_array_equal(found.weights, day.prices**-2.0)


def test_impossible_cap_is_refused(fits):
    with pytest.raises(ValueError, match="13 quotes and 5 parameters"):
        leverage_balanced_weights(fits[TAME].problem.day, 0.3)
