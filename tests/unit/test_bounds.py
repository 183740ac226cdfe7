"""Mode "active": which bounds hold, and what the diagnosis makes of them."""

import dataclasses

import numpy as np
import pytest
from statsmodels.api import OLS

import calibscope as cs
from calibscope.diagnosis.settings import MODES, DiagnosisSettings

MARKET = cs.demo_market()
STRONG, WEAK, INTERIOR = "2024-06-06", "2019-04-24", "2020-03-18"
X = np.linspace(0.0, 1.0, 13)
DESIGN = np.column_stack((np.ones(13), X, X**2))


@pytest.fixture(scope="module")
def fits():
    return {date: cs.calibrate(MARKET.day(date)) for date in (STRONG, WEAK, INTERIOR)}


def bounded(slope, noise=0.1, mode="active", seed=5, **wishes):
    """A parabola whose third coefficient must not be negative, fitted to one with `slope`."""
    y = DESIGN @ [1.0, 2.0, slope] + noise * np.random.default_rng(seed).normal(size=13)
    free = np.linalg.lstsq(DESIGN, y, rcond=None)[0]
    theta = free if free[2] > 0 else np.append(np.linalg.lstsq(DESIGN[:, :2], y, rcond=None)[0], 0)
    return cs.diagnose_least_squares(
        y - DESIGN @ theta, DESIGN, values=theta, observed=y, bounds={"b3": (0.0, np.inf)},
        mode=mode, **wishes,
    )  # fmt: skip


# Multipliers


def test_the_ratio_is_the_t_statistic_of_statsmodels():
    for slope in (-0.05, -0.3, -2.0):
        dx = bounded(slope)
        assert dx.problem.at_bound.tolist() == [0, 0, -1]
        theirs = OLS(dx.problem.observed, DESIGN).fit().tvalues[2]
        assert theirs < 0
        assert dx.multiplier_ratios[2] == pytest.approx(-theirs, rel=1e-9)
        assert np.isnan(dx.multiplier_ratios[:2]).all()
        assert dx.multipliers[:2].tolist() == [0.0, 0.0]


def test_the_ratio_of_a_day_is_the_t_statistic_of_statsmodels():
    """Of the regression on the free columns and the parameter's own, on every 40th demo day."""
    compared = 0
    for fit in cs.calibrate_many(MARKET.days[::40]):
        dx = cs.diagnose(fit)
        for p in np.flatnonzero(fit.at_bound):
            columns = fit.is_free | (np.arange(5) == p)
            A = dx.problem.design[:, columns]
            A = A / np.linalg.norm(A, axis=0)
            if np.linalg.cond(A) < 1e5:  # beyond, statsmodels loses too many digits
                t = OLS(dx.problem.weighted_residuals, A).fit(method="qr").tvalues
                place = int(columns[:p].sum())
                assert dx.multiplier_ratios[p] == pytest.approx(
                    fit.at_bound[p] * t[place], rel=1e-5
                )
                compared += 1
    assert compared > 25


def test_multipliers_are_those_of_the_fit(fits):
    for fit in fits.values():
        dx = cs.diagnose(fit)
        assert dx.multipliers == pytest.approx(fit.multipliers, rel=1e-4, abs=1e-11)
    assert cs.diagnose(fits[STRONG]).multiplier_ratios[4] > 10


def test_the_multiplier_of_noise_is_as_large_as_its_standard_error_says():
    """Of fits that noise alone has put at the bound, as many are beyond two as Student's t says."""
    rng, ratios = np.random.default_rng(1), []
    half = DESIGN[:, :2]
    for _ in range(4000):
        y = half @ [1.0, 2.0] + rng.normal(size=13)
        e = y - half @ np.linalg.lstsq(half, y, rcond=None)[0]
        if DESIGN[:, 2] @ e < 0:  # else the optimum is inside
            dx = cs.diagnose_least_squares(
                e, DESIGN, values=[1.0, 2.0, 0.0], bounds={"b3": (0.0, 1.0)}
            )
            ratios.append(dx.multiplier_ratios[2])
    # P(t > 2) = 3.67 % with 10 degrees of freedom, among the half of the draws at the bound.
    assert len(ratios) == pytest.approx(2000, abs=100)
    assert np.mean(np.array(ratios) > 2.0) == pytest.approx(0.0734, abs=0.02)


def test_without_noise_no_bound_holds_and_without_freedom_every_one_does():
    y = DESIGN[:, :2] @ [1.0, 2.0]
    perfect = cs.diagnose_least_squares(
        1e-16 * X, DESIGN, values=[1.0, 2.0, 0.0], observed=y, bounds={"b3": (0.0, 1.0)}
    )
    assert perfect.flags.is_perfect
    assert perfect.multiplier_ratios[2] == 0.0
    assert not perfect.is_held.any()
    A, y = DESIGN[[0, 6, 12]], np.array([1.0, 2.2, 3.0])
    theta = np.append(np.linalg.lstsq(A[:, :2], y, rcond=None)[0], 0.0)
    few = cs.diagnose_least_squares(
        y - A @ theta, A, values=theta, observed=y, bounds={"b3": (0.0, 1.0)}
    )
    assert few.multiplier_ratios[2] == np.inf
    assert few.is_held.tolist() == [False, False, True]


def test_a_column_that_the_free_ones_can_make_up_for_has_no_multiplier():
    A = np.column_stack((np.ones(13), X, 2.0 * X))
    e = np.random.default_rng(2).normal(size=13)
    e = e - A[:, :2] @ np.linalg.lstsq(A[:, :2], e, rcond=None)[0]
    dx = cs.diagnose_least_squares(e, A, values=[1.0, 1.0, 0.0], bounds={"b3": (0.0, 1.0)})
    assert dx.multiplier_ratios[2] == 0.0
    assert not dx.is_held.any()


def test_a_bound_that_an_optimum_would_leave_does_not_hold():
    dx = cs.diagnose_least_squares(
        X - X.mean(),
        np.column_stack((np.ones(13), X)),
        values=[1.0, 0.0],
        bounds={"b2": (0.0, 1.0)},
    )
    assert dx.multiplier_ratios[1] < -2.0
    assert dx.flags.is_off_optimum
    assert not dx.is_held.any()


def test_the_threshold_decides(fits):
    ratio = cs.diagnose(fits[STRONG]).multiplier_ratios[4]
    for factor, is_held in ((1 - 1e-6, True), (1 + 1e-6, False)):
        settings = DiagnosisSettings(multiplier_errors=factor * ratio)
        assert cs.diagnose(fits[STRONG], settings=settings).is_held[4] == is_held


# What follows from it


def test_active_is_the_default_everywhere(fits):
    assert cs.diagnose(fits[STRONG]).mode == "active"
    assert cs.diagnose_many(list(fits.values())).batches[0].mode == "active"
    assert bounded(-2.0).mode == "active"
    from calibscope.cli.words import WORDS
    from calibscope.study.settings import StudySettings

    assert StudySettings().diagnosis.mode == "active"
    assert WORDS["diagnosis.mode"] == MODES


def test_where_a_bound_holds_the_estimator_is_that_of_the_free_parameters():
    """Everything about quotes is that of the regression without the column (statsmodels)."""
    dx = bounded(-2.0)
    assert dx.multiplier_ratios[2] > 2
    them = OLS(dx.problem.observed, DESIGN[:, :2]).fit().get_influence()
    assert dx.leverage == pytest.approx(them.hat_matrix_diag)
    assert dx.resid_studentized_internal == pytest.approx(them.resid_studentized_internal)
    assert dx.resid_studentized_external == pytest.approx(them.resid_studentized_external)
    assert dx.cooks_distance == pytest.approx(them.cooks_distance[0])
    assert dx.dfbetas[:, :2] == pytest.approx(them.dfbetas)
    assert dx.edof == 2
    assert dx.effective_degrees.full == 3
    assert dx.flags.edof_depends_on_bounds


def test_where_a_bound_does_not_hold_the_parameter_counts():
    weak, full = bounded(-0.05, seed=1), bounded(-0.05, seed=1, mode="full")
    assert 0 < weak.multiplier_ratios[2] < 2
    assert weak.leverage == pytest.approx(full.leverage, abs=1e-14)
    assert weak.edof == 3
    assert bounded(-0.05, seed=1, mode="strict").edof == 2


def test_modes_on_days(fits):
    """What may be there by chance counts, and yet it is at its bound when a quote is left out."""
    about_quotes = ("cooks_distance", "dfbetas", "resid_studentized_external")
    about_parameters = ("leverage", "influence", "edof", "scale_mse")
    for date, same_as in ((STRONG, "strict"), (WEAK, "full")):
        active, strict = cs.diagnose(fits[date]), cs.diagnose(fits[date], "strict")
        other = cs.diagnose(fits[date], same_as)
        third = cs.diagnose(fits[date], {"strict": "full", "full": "strict"}[same_as])
        for name in about_parameters:
            np.testing.assert_array_equal(getattr(active, name), getattr(other, name))
        for name in about_quotes:
            np.testing.assert_array_equal(getattr(active, name), getattr(strict, name))
        assert np.abs(active.leverage - third.leverage).max() > 0.01


def test_residuals_are_studentised_themselves_in_every_mode():
    """The full projector would explain them by a parameter that cannot move, and turn signs."""
    for fit in cs.calibrate_many(MARKET.days[::100]):
        e = fit.problem.weights**0.5 * (fit.problem.day.prices - fit.prices)
        for mode in MODES:
            dx = cs.diagnose(fit, mode)
            columns = dx if mode == "full" else cs.diagnose(fit, "strict")
            room = 1.0 - columns.leverage
            expected = e / (columns.scale_mse * np.sqrt(room))
            assert dx.resid_studentized_internal == pytest.approx(expected, rel=1e-9)
            assert dx.dfbeta == pytest.approx(columns.influence / room[:, None], rel=1e-9)


def test_an_outlier_is_found_beside_a_weak_bound():
    """A price off by 10 % makes noise of every multiplier; its residual is seen all the same."""
    found = []
    for day in MARKET.days[::60]:
        prices = np.array(day.prices)
        prices[6] *= 1.1
        dx = cs.diagnose(cs.calibrate(dataclasses.replace(day, prices=prices)))
        words = ("9Y is an outlier", "he residual of 9Y is larger than chance allows")
        is_said = any(word in dx.summary for word in words)
        found.append(dx.flags.has_large_residual and is_said)
    assert np.mean(found) > 0.9


def test_full_mode_is_the_papers(fits):
    fit = fits[STRONG]
    dx, J = cs.diagnose(fit, "full"), fit.parameters.jacobian(fit.problem.day)
    roots = np.sqrt(fit.problem.weights)
    A, r = roots[:, None] * J, fit.problem.day.prices - fit.prices
    inverse = np.linalg.pinv(A, rcond=dx.settings.rank_tolerance)
    assert dx.hat_matrix == pytest.approx(A @ inverse, abs=1e-7)
    assert dx.influence == pytest.approx((inverse * roots).T * r[:, None], rel=1e-5, abs=1e-12)


def test_a_stack_holds_what_its_days_hold():
    fits = cs.calibrate_many(MARKET.days[::50])
    diagnoses = cs.diagnose_many(fits)
    for fit, dx in zip(fits, diagnoses, strict=True):
        alone = cs.diagnose(fit)
        assert dx.is_held.tolist() == alone.is_held.tolist()
        assert dx.multiplier_ratios == pytest.approx(alone.multiplier_ratios, nan_ok=True)
        assert dx.effective_degrees.full == alone.effective_degrees.full
    ratios = diagnoses.of_all("multiplier_ratios")
    assert (diagnoses.of_all("is_held") == (ratios > 2.0)).all()


def test_shifts_are_predicted_better_than_with_all_parameters():
    """Signs of DFBETAS against refits without each quote, days with an active bound."""
    right = dict.fromkeys(("active", "full"), 0.0)
    count = 0
    for fit in cs.calibrate_many(MARKET.days[::120]):
        dx = cs.diagnose(fit)
        if dx.flags.has_parameters_at_bound:
            shifts = dx.refits.leave_one_out().shifts.refitted[:, fit.is_free]
            count += shifts.size
            for mode in right:
                signs = np.sign(cs.diagnose(fit, mode).dfbeta[:, fit.is_free])
                right[mode] += (signs == -np.sign(shifts)).sum()
    assert count > 300
    assert right["active"] / count > 0.75
    assert right["active"] > 1.15 * right["full"]


# Intervals and words


def test_intervals_say_what_is_held(fits):
    marks = cs.diagnose(fits[STRONG]).intervals(method="delta").marks
    assert marks[4] == "at the lower bound, no delta interval"
    assert marks[1] == "given rho_xy"
    assert all(mark.endswith("given rho_xy") for mark in marks[:4])
    by_chance = cs.diagnose(fits[WEAK]).intervals(method="delta")
    assert not any("given" in mark for mark in by_chance.marks)
    profile = cs.diagnose(fits[STRONG]).intervals()
    assert not any("given" in mark or "no delta" in mark for mark in profile.marks)


def test_profiles_do_not_depend_on_the_mode(fits):
    for scale in ("mse", "mad_adjusted"):  # neither does their noise
        found = [cs.diagnose(fits[STRONG], mode).intervals(0.95, scale) for mode in MODES]
        low, high = ([one.of("a_y")[end] for one in found] for end in (0, 1))
        assert low == pytest.approx([low[0]] * 3, rel=1e-9)
        assert high == pytest.approx([high[0]] * 3, rel=1e-9)
        assert len({one.marks for one in found}) == 1


def test_the_summary_counts_the_free_parameters(fits):
    held = bounded(-2.0)
    assert held.summary.startswith("Both free parameters are identified; b3 is at its bound; ")
    weak = bounded(-0.05, seed=1)
    assert weak.summary.startswith("All three parameters are identified; b3 is at")
    assert cs.diagnose(fits[STRONG]).summary.startswith("Reduced EDoF (3 of 4 free parameters): ")
    assert cs.diagnose(fits[STRONG], "full").summary.startswith("Reduced EDoF (4 of 5): ")
    for fit in cs.calibrate_many(MARKET.days[::50]):
        dx = cs.diagnose(fit)
        if dx.is_held.sum() == 1 and not dx.flags.has_rank_loss:
            assert dx.summary.startswith("All four free parameters are identified; ")
            return
    pytest.fail("no such day")


# Influential quotes


def test_cooks_distance_with_the_exact_hessian_is_that_of_its_shift(fits):
    for fit in fits.values():
        dx = cs.diagnose(fit)
        shift = dx.refits.leave_one_out().shifts.exact_hessian
        moved = ((dx.problem.design @ shift.T) ** 2).sum(axis=0)
        free = cs.diagnose(fit, "strict")
        expected = moved / (free.geometry.parameter_count * free.scale_mse**2)
        assert dx.cooks_distance_exact == pytest.approx(expected, rel=1e-6, nan_ok=True)


def test_without_curvature_both_cooks_distances_are_the_same():
    dx = bounded(-2.0, hessian=np.zeros((13, 3, 3)))
    assert dx.cooks_distance_exact == pytest.approx(dx.cooks_distance)


def test_influential_quotes_are_confirmed_by_refits():
    """Cook's distance of the refit, from its fitted values; half of the sentences were wrong."""
    said = confirmed = 0
    for fit in cs.calibrate_many(MARKET.days[::60]):
        dx = cs.diagnose(fit)
        if dx.flags.has_influential_quote and dx.flags.has_parameters_at_bound:
            k = int(np.nanargmax(dx.deletion.believed_distance))
            fitted = dx.refits.leave_one_out().shifts.fitted[k]
            moved = (fit.problem.weights * (fitted - fit.prices) ** 2).sum()
            said += 1
            free = cs.diagnose(fit, "strict")
            confirmed += moved > free.geometry.parameter_count * free.scale_mse**2
    assert said > 15
    assert confirmed >= 0.85 * said


def test_the_sentence_names_the_quote_of_the_exact_form(fits):
    dx = cs.diagnose(fits[INTERIOR])
    assert (
        "emoving 3Y would change the parameters substantially (Cook's distance 1.7)" in dx.summary
    )
    assert dx.cooks_distance.max() > 5  # the linear form overstates it


def test_without_second_derivatives_the_sentence_says_that_it_is_linear():
    y = np.array([1.0, 1.1, 0.9, 1.05, 0.95, 1.0, 9.0])
    A = np.column_stack((np.ones(7), [0, 1, 2, 3, 4, 5, 40]))
    e = y - A @ np.linalg.lstsq(A, y, rcond=None)[0]
    settings = DiagnosisSettings(cooks_distance=1e-3, outlier_probability=0.0, masking=1e9)
    dx = cs.diagnose_least_squares(e, A, settings=settings)
    assert dx.flags.has_influential_quote
    assert dx.flags.lacks_second_derivatives
    assert "by the linear approximation)" in dx.summary


# Perfect fits, forced quotes


@pytest.mark.parametrize("scale", ["mse", "mad_adjusted"])
def test_intervals_of_a_perfect_fit_are_marked(scale):
    truth = cs.G2(a_x=0.6, a_y=0.05, sigma_x=0.012, sigma_y=0.009, rho_xy=-0.6)
    dx = cs.diagnose(cs.calibrate(cs.simulate_market(truth, days=1, noise=0.0).days[0]))
    found = dx.intervals(scale=scale)
    assert dx.flags.is_perfect
    assert (found.low < found.high).any()  # rounding, not a point
    assert all("no noise" in mark for mark in found.marks)
    assert "no noise" in dx.consequences((10,), scale=scale).marks[0]


def test_an_interval_as_short_as_rounding_is_marked_without_observations():
    e = 1e-16 * np.random.default_rng(3).normal(size=13)
    dx = cs.diagnose_least_squares(e, DESIGN, values=[1.0, 2.0, 3.0])
    assert dx.intervals().marks == ("no noise",) * 3


def test_every_forced_quote_is_named(fits):
    day = MARKET.day(INTERIOR)
    chosen = [0, 3, 6, 9, 12]
    five = cs.MarketDay.from_arrays(
        curve=day.curve, maturities=day.maturities[chosen], prices=day.prices[chosen],
        strikes=day.strikes[chosen],
    )  # fmt: skip
    dx = cs.diagnose(cs.calibrate(five), "full")
    assert (dx.leverage >= dx.settings.forced_leverage).all()
    assert "; all quotes are met whatever they say, with as many parameters as quotes" in dx.summary
    X = np.column_stack((np.ones(7), np.eye(7)[5], np.eye(7)[6]))
    y = np.array([1.0, 1.1, 0.9, 1.0, 1.05, 3.0, 4.0])
    e = y - X @ np.linalg.lstsq(X, y, rcond=None)[0]
    two = cs.diagnose_least_squares(e, X)
    assert "6 and 7 are met whatever they say (leverage 1)" in two.summary
    one = cs.diagnose_least_squares(e[:6], X[:6, :2])
    assert "6 is met whatever it says (leverage 1)" in one.summary


# Other words


def test_data_worth_says_that_it_is_linear(fits):
    worth = cs.diagnose(fits[INTERIOR]).data_worth()
    assert "linear" in repr(worth)
    assert "not a refit" in worth.method
    assert "linear" in str(worth.frame())
    assert worth.frame().attrs["method"] == worth.method
    assert "not a refit" in type(worth).__doc__
    assert "not a refit" in cs.Diagnosis.data_worth.__doc__


def test_fits_with_weights_of_ones_own_have_a_sentence(fits):
    day = MARKET.day(INTERIOR)
    fit = cs.calibrate(day, weights=np.linspace(1.0, 2.0, 13) / day.prices**2)
    found = cs.diagnose(fit).consequences((10,))
    assert found.error == "the weighted error"
    assert "(the weighted error up to " in found.summary
    assert "the same the" not in found.summary
