"""Profiles: Student's interval where the problem is linear, the whole set where it is not."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import chi2, f, norm, t

import calibscope as cs
from calibscope.diagnosis.refit.profile import profiles

LEVELS = (0.5, 0.95)


class Line:
    """y = b1 + b2 x, by NumPy."""

    def __init__(self, x):
        self.design = np.column_stack((np.ones_like(x), x))

    def solve(self, quotes, weights, held=None, starts=None):
        held = np.full((len(quotes), 2), np.nan) if held is None else held
        found = held.copy()
        for row, roots in enumerate(np.sqrt(weights)):
            free = np.isnan(held[row])
            rest = quotes[row] - self.design[:, ~free] @ held[row][~free]
            found[row, free] = np.linalg.lstsq(
                roots[:, None] * self.design[:, free], roots * rest, rcond=None
            )[0]
        return found

    def predict(self, parameters):
        return parameters @ self.design.T

    def weigh(self, quotes):
        return np.ones_like(quotes)


class Wave:
    """y = f(b) twice, where f has flat regions at two values of b."""

    def solve(self, quotes, weights, held=None, starts=None):
        return held.copy()

    def predict(self, parameters):
        b = parameters[:, 0]
        fit = 0.1 * (b**2 - 1.0) + 0.01 * (b - 1.0)
        return np.column_stack((fit, -fit))

    def weigh(self, quotes):
        return np.ones_like(quotes)


@pytest.fixture
def line():
    rng = np.random.default_rng(3)
    x = np.linspace(0.0, 3.0, 9)
    refit, y = Line(x), 1.0 + 2.0 * x + 0.1 * rng.standard_normal(9)
    values = refit.solve(y[None], np.ones((1, 9)))[0]

    def diagnosed(bounds=None):
        return cs.diagnose_least_squares(
            y - refit.predict(values[None])[0],
            refit.design,
            values=values,
            observed=y,
            bounds=bounds,
            refit=refit,
        )

    return diagnosed


def test_a_linear_problem_has_students_interval(line):
    dx = line()
    found = profiles(dx, levels=LEVELS)
    errors = dx.standard_errors("mse")
    for p, curve in enumerate(found.curves):
        for i, level in enumerate(LEVELS):
            step = t.ppf(0.5 + level / 2, 7) * errors[p]
            assert curve.low[i] == pytest.approx(dx.problem.values[p] - step, rel=1e-5)
            assert curve.high[i] == pytest.approx(dx.problem.values[p] + step, rel=1e-5)
        assert curve.is_connected
        assert (np.diff(curve.values) > 0).all()
    assert found.better is None


def test_a_bound_ends_the_interval_and_says_so(line):
    free = profiles(line(), levels=(0.95,)).of("b2")
    bound = 0.5 * (free.high[0] + line().problem.values[1])
    cut = profiles(line({"b2": (-10.0, bound)}), levels=(0.95,)).of("b2")
    assert cut.high[0] == bound
    assert cut.is_cut_high[0]
    assert not cut.is_cut_low[0]
    assert cut.low[0] == pytest.approx(free.low[0], rel=1e-6)


def test_a_second_valley_belongs_to_the_interval():
    best = np.array([1.0])
    y = np.array([0.05, 0.05])
    slope = 0.21
    dx = cs.diagnose_least_squares(
        y, [[slope], [-slope]], values=best, observed=y, bounds={"b1": (-3.0, 3.0)}, refit=Wave()
    )
    found = profiles(dx, levels=(0.01, 0.5))
    curve = found.of("b1")
    assert curve.low[1] < -0.9
    assert curve.high[1] > 1.0
    assert not curve.is_connected
    both = found.intervals
    assert both.at(0.5).second_minimum[0] == pytest.approx(-1.0, abs=0.15)
    assert both.at(0.5).marks[0].startswith("with a gap, second minimum at -")
    assert both.at(0.01).marks == ("",)  # the second one is worse than that


def test_a_better_fit_on_the_way_is_reported():
    y = np.array([0.05, 0.05])
    dx = cs.diagnose_least_squares(
        y - [0.072, -0.072], [[0.27], [-0.27]], values=[1.3], observed=y,
        bounds={"b1": (-3.0, 3.0)}, refit=Wave(),
    )  # fmt: skip
    found = profiles(dx, levels=(0.5,))
    assert found.better is not None
    assert abs(abs(found.better[0]) - 1.0) < 0.3


def test_without_a_degree_of_freedom_there_is_no_interval():
    x = np.array([0.0, 1.0])
    refit = Line(x)
    dx = cs.diagnose_least_squares(
        [0.0, 0.0], refit.design, values=[1.0, 1.0], observed=[1.0, 2.0], refit=refit
    )
    for curve in profiles(dx).curves:
        assert np.isnan(curve.low).all()
        assert np.isnan(curve.high).all()


def test_an_unknown_name_is_refused(line):
    with pytest.raises(ValueError, match="choose from b1, b2"):
        profiles(line(), names=["c"])
    with pytest.raises(ValueError, match="has no profile"):
        profiles(line(), names=["b1"]).of("b2")


@pytest.mark.parametrize("date", ["2020-03-18", "2022-07-21", "2024-06-03"])
def test_every_point_of_a_profile_is_what_it_says(date):
    """Held values are kept, the order of the factors too, and Q is the objective there."""
    fit = cs.calibrate(cs.demo_market().day(date))
    dx = cs.diagnose(fit)
    found = profiles(dx)
    for p, curve in enumerate(found.curves):
        np.testing.assert_allclose(curve.parameters[:, p], curve.values, rtol=1e-12)
        assert (curve.parameters[:, 0] >= curve.parameters[:, 1] * (1 - 1e-9)).all()
        again = [fit.problem.objective(point) for point in curve.parameters]
        np.testing.assert_allclose(curve.objectives, again, rtol=1e-6)
        assert (curve.low <= dx.problem.values[p]).all()
        assert (curve.high >= dx.problem.values[p]).all()
        assert (np.diff(curve.low) <= 0).all()
        assert (np.diff(curve.high) >= 0).all()


def test_no_other_held_fit_is_better():
    """Against the general solver: dozens of starts with the parameter held, no use of structure."""
    from calibscope.calibration.g2.solver import _posed, solve

    fit = cs.calibrate(cs.demo_market().day("2018-05-29"))
    found = profiles(cs.diagnose(fit), levels=(0.75,))
    quotes, weights = fit.problem.day.prices, fit.problem.weights
    for p, curve in enumerate(found.curves):
        for i in (0, len(curve.values) // 3, len(curve.values) - 1):
            held = np.full(5, np.nan)
            held[p] = curve.values[i]
            ends = solve(_posed(fit.problem, quotes, weights, held))
            in_order = ends.parameters[:, 0] >= ends.parameters[:, 1]
            if in_order.any():
                assert curve.objectives[i] <= ends.objectives[in_order].min() * 1.005


def test_intervals_by_profile_come_in_the_order_asked_for(line):
    dx = line()
    several = dx.intervals((0.95, 0.5), method="profile")
    one = dx.intervals(0.95, method="profile")
    assert several.level == (0.95, 0.5)
    np.testing.assert_allclose(several.low[0], one.low, rtol=1e-4)
    assert (several.low[0] < several.low[1]).all()
    np.testing.assert_allclose(one.low, dx.intervals(0.95, method="delta").low, rtol=1e-4)


def test_an_unknown_method_is_refused(line):
    with pytest.raises(ValueError, match="choose from delta, profile, bootstrap"):
        line().intervals(method="guess")


def test_a_parameter_at_its_bound_has_a_profile_interval():
    dx = cs.diagnose(cs.calibrate(cs.demo_market().day("2024-06-03")))
    assert np.isnan(dx.intervals(0.95, method="delta").of("rho_xy")[0])
    low, high = dx.intervals(0.95, method="profile").of("rho_xy")
    assert low == -1.0
    assert -1.0 < high < 1.0


def test_a_valley_beyond_the_limit_is_followed_back():
    """With 75 %, sigma_y ends at 0.0104, and again fits from about 0.02 on."""
    dx = cs.diagnose(cs.calibrate(cs.demo_market().day("2024-03-13")))
    found = dx.refits.profiles((0.75,), ["sigma_y"])
    curve = found.of("sigma_y")
    is_there = (curve.values > 0.05) & (curve.values < 0.9)
    assert is_there.sum() > 3
    assert (curve.objectives[is_there] < found.limits[0]).all()
    assert curve.high[0] == pytest.approx(0.9924, abs=1e-3)
    assert not curve.is_connected


# Noise that is known


def test_known_noise_takes_the_normal_quantile(line):
    dx = line()
    for level in (0.5, 0.95):
        errors = 0.2 * np.sqrt(np.diag(np.linalg.inv(dx.problem.gram)))
        for method in ("profile", "delta"):
            found = dx.intervals(level, 0.2, method=method)
            step = norm.ppf(0.5 + level / 2) * errors
            np.testing.assert_allclose(found.low, dx.problem.values - step, rtol=1e-4)
            np.testing.assert_allclose(found.high, dx.problem.values + step, rtol=1e-4)
    assert dx.covariance(0.2) == pytest.approx(0.04 * np.linalg.inv(dx.problem.gram))


def test_a_robust_scale_takes_its_own_noise(line):
    dx = line()
    errors = dx.standard_errors("mad_adjusted")
    found = dx.intervals(0.95, "mad_adjusted")
    np.testing.assert_allclose(found.high, dx.problem.values + t.ppf(0.975, 7) * errors, rtol=1e-4)


def test_with_known_noise_as_many_quotes_as_parameters_are_enough():
    x = np.array([0.0, 1.0])
    refit = Line(x)
    dx = cs.diagnose_least_squares(
        [0.0, 0.0], refit.design, values=[1.0, 1.0], observed=[1.0, 2.0], refit=refit
    )
    for method in ("profile", "delta"):
        found = dx.intervals(0.95, 0.1, method=method)
        step = 1.959964 * 0.1 * np.array([1.0, np.sqrt(2.0)])
        np.testing.assert_allclose(found.high, 1.0 + step, rtol=1e-4)
        assert found.marks == ("", "")
    assert np.isnan(dx.intervals(0.95).low).all()


def test_spreads_that_the_weights_do_not_follow_give_the_sandwich(line):
    dx = line()
    spreads = np.linspace(0.05, 0.4, 9)
    dx = replace(dx, problem=replace(dx.problem, half_spreads=spreads))
    inverse = np.linalg.pinv(dx.problem.design)  # weights are 1
    expected = inverse @ np.diag(spreads**2) @ inverse.T
    assert dx.covariance("bid_ask") == pytest.approx(expected)
    step = norm.ppf(0.975) * np.sqrt(np.diag(expected))
    for method in ("profile", "delta"):
        found = dx.intervals(0.95, "bid_ask", method=method)
        np.testing.assert_allclose(found.low, dx.problem.values - step, rtol=1e-4)


def quoted(day, spread=None):
    """A day whose bids and asks are a share of the price to either side."""
    if spread is None:
        return day
    return replace(day, bid_ask=np.outer(day.prices, [1.0 - spread, 1.0 + spread]))


def test_bid_and_ask_are_the_noise_of_a_day():
    day = cs.demo_market().day("2020-03-18")
    dx = cs.diagnose(cs.calibrate(quoted(day, 0.003)))
    for method in ("profile", "delta"):
        one, other = (dx.intervals(0.9, scale, method=method) for scale in ("bid_ask", 0.003))
        np.testing.assert_allclose(one.low, other.low, rtol=1e-6)
        np.testing.assert_allclose(one.high, other.high, rtol=1e-6)
    with pytest.raises(ValueError, match="there are no bids and asks"):
        cs.diagnose(cs.calibrate(day)).intervals(scale="bid_ask")
    some = np.array(quoted(day, 0.003).bid_ask)
    some[[1, 2]] = np.nan
    with pytest.raises(ValueError, match="4Y, 5Y: no bid and ask"):
        cs.diagnose(cs.calibrate(replace(day, bid_ask=some))).intervals(scale="bid_ask")


@pytest.mark.parametrize("scale", [0.0, -0.1, np.nan, True, "sd"])
def test_what_is_not_a_scale_is_refused(line, scale):
    with pytest.raises(ValueError, match="scale is"):
        line().intervals(scale=scale)


@pytest.mark.parametrize("years", [(3, 5, 10, 20, 30), (3, 5, 7, 10, 20, 30)])
def test_few_quotes_with_known_noise_end_where_chi_square_says(years):
    day = cs.demo_market().day("2020-03-18")
    fit = cs.calibrate(day.without([y for y in day.maturities if y not in years]))
    dx = cs.diagnose(fit)
    found = dx.intervals(0.95, scale=0.003)
    assert np.isfinite(found.low).all()
    room = 0.003**2 * chi2.ppf(0.95, 1)
    names, ends = dx.problem.specs.names, (found.low, found.high)
    cuts = found.is_cut_low, found.is_cut_high
    seen = 0
    for p, side in ((p, side) for p in range(5) for side in (0, 1) if not cuts[side][p]):
        held = cs.calibrate(fit.problem.day, fixed={names[p]: float(ends[side][p])})
        if held.as_found.a_x >= held.as_found.a_y:  # else it holds the other factor's parameter
            assert (held.objective - fit.objective) / room == pytest.approx(1.0, abs=2e-3)
            seen += 1
    assert seen >= 6
    quick = dx.intervals(0.95, scale=0.003, method="delta")
    assert np.isfinite(quick.low[:4]).all()


def test_a_profile_that_is_missing_is_not_called_a_delta_interval():
    """Without a degree of freedom there is no noise, and no profile."""
    day = cs.demo_market().day("2024-06-06")
    fit = cs.calibrate(day.without(day.labels[5:]))
    marks = cs.diagnose(fit).intervals().marks
    assert any(fit.at_bound)
    assert all("no interval" in mark and "delta" not in mark for mark in marks)


# What is shown by default


def test_intervals_are_profiles_where_the_fit_can_be_repeated(line):
    dx = line()
    assert dx.intervals().form == "profile"
    assert dx.intervals(form="exact").form == "exact"  # of the delta method alone
    assert replace(dx, refit=None).intervals().form == "gauss_newton"
    assert dx.intervals().scale == "mse"


def test_profiles_are_walked_once(line):
    dx = line()
    both = dx.intervals((0.5, 0.95))
    walked = dx.known_profiles["mse"]
    assert (dx.intervals(0.5).low == both.low[0]).all()
    assert dx.refits.profiles((0.5, 0.95)) is walked
    assert dx.refits.profiles((0.9,)) is not walked


def test_other_minima_up_to_the_limit_are_marked():
    """On 2024-03-13 volatilities of 100 % fit nearly as well."""
    fit = cs.calibrate(cs.demo_market().day("2024-03-13"))
    found = cs.diagnose(fit).intervals((0.5, 0.95))
    assert found.at(0.95).second_minimum[2] > 0.5
    assert "second minimum at" in found.at(0.95).marks[2]
    minima = cs.diagnose(fit).refits.profiles((0.95,)).minima
    problem, scale = fit.problem, fit.problem.specs.coordinates
    limit = fit.objective * (1.0 + f.ppf(0.95, 1, 8) / 8)
    bounds = list(zip(scale.of(problem.lower), scale.of(problem.upper), strict=True))

    def cost(q):
        return problem.objective(np.clip(scale.values(q), problem.lower, problem.upper))

    assert len(minima) >= 1
    for point in minima:
        assert fit.objective < problem.objective(point) <= limit
        end = minimize(cost, scale.of(point), method="L-BFGS-B", bounds=bounds)
        assert end.fun >= problem.objective(point) * (1.0 - 1e-4)
