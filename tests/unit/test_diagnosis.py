"""What a diagnosis says about fits of G2++ and about least squares in general."""

import dataclasses

import numpy as np
import pytest

import calibscope as cs
from calibscope.calibration.problem import Problem
from calibscope.diagnosis.least_squares import LeastSquares
from calibscope.diagnosis.linear.functional import elicited_by_relative_errors, relative_error_bias
from calibscope.diagnosis.settings import MODES

MARKET = cs.demo_market()
INTERIOR, AT_SIGMA, AT_RHO = "2020-03-18", "2022-07-21", "2024-06-06"


@pytest.fixture(scope="module")
def fits():
    return {date: cs.calibrate(MARKET.day(date)) for date in (INTERIOR, AT_SIGMA, AT_RHO)}


def line(noise, **wishes):
    """A straight line through noisy points."""
    x = np.arange(len(noise), dtype=float)
    return cs.diagnose_least_squares(noise, np.column_stack((np.ones(len(noise)), x)), **wishes)


def moved(fit, quote, change):
    """The optimum after a quote has moved, with the weights of before."""
    day = fit.problem.day
    prices = np.array(day.prices)
    prices[quote] += change
    return cs.calibrate(
        dataclasses.replace(day, prices=prices), "newton", start=fit.parameters,
        weights=fit.problem.weights,
    )  # fmt: skip


# Geometry


def test_the_affine_projection_is_the_fit_at_an_interior_optimum(fits):
    dx = cs.diagnose(fits[INTERIOR])
    assert dx.y_fitted == pytest.approx(fits[INTERIOR].prices, rel=1e-8)
    assert dx.relative_offset < 1e-6
    assert not dx.flags.is_off_optimum


def test_the_affine_projection_leaves_the_fit_where_a_bound_holds(fits):
    full, strict = (cs.diagnose(fits[AT_RHO], mode) for mode in ("full", "strict"))
    assert full.relative_offset > 0.01
    assert strict.relative_offset < 1e-6
    # A bound is not a failure to converge.
    assert not full.flags.is_off_optimum
    assert not strict.flags.is_off_optimum


def test_the_affine_projection_from_anywhere_is_the_fit_of_a_linear_model():
    rng = np.random.default_rng(2)
    X, y, w = rng.normal(size=(7, 2)), rng.normal(size=7), rng.uniform(0.5, 2.0, 7)
    roots = np.sqrt(w)
    best = np.linalg.lstsq(roots[:, None] * X, roots * y)[0]
    dx = cs.diagnose_least_squares(y - X @ [3.0, -1.0], X, weights=w, observed=y)
    assert dx.y_fitted == pytest.approx(X @ best)


def test_a_fit_that_stopped_early_is_flagged(fits):
    lazy = dataclasses.replace(fits[INTERIOR], as_found=cs.G2(0.5, 0.04, 0.015, 0.011, -0.94))
    dx = cs.diagnose(lazy)
    assert dx.flags.is_off_optimum
    assert "not an optimum" in dx.summary


def test_edof_is_a_statement_about_the_tolerance(fits):
    dx = cs.diagnose(fits[AT_RHO], "full")
    assert dx.edof == 4
    assert dx.edof_at([1e-12, 1.5e-8, 1e-5, 1e-3, 0.99, 1.0]).tolist() == [5, 4, 3, 2, 1, 0]
    assert dx.edof_at(1.5e-8) == 4
    assert dx.effective_degrees.strict == 3
    s = dx.singular_values
    assert dx.effective_degrees.tikhonov_lambda == pytest.approx(1e-8 * s[0] ** 2)
    assert dx.effective_degrees.tikhonov == pytest.approx((s**2 / (s**2 + 1e-8 * s[0] ** 2)).sum())
    assert dx.effective_degrees.scaled == 5
    assert dx.flags.edof_depends_on_units
    assert dx.flags.edof_depends_on_bounds
    assert dx.flags.edof_depends_on_tolerance


def test_the_tolerance_is_a_setting(fits):
    loose = cs.diagnose(fits[INTERIOR], settings=cs.DiagnosisSettings(rank_tolerance=1e-3))
    assert (cs.diagnose(fits[INTERIOR]).edof, loose.edof) == (5, 4)
    assert loose.flags.has_rank_loss


def test_units_of_a_parameter_do_not_matter_in_least_squares():
    rng = np.random.default_rng(1)
    r, J = rng.normal(size=20), rng.normal(size=(20, 3))
    one = cs.diagnose_least_squares(r, J)
    other = cs.diagnose_least_squares(r, J * [1e-12, 1.0, 1e12])
    assert other.edof == one.edof == 3
    assert other.leverage == pytest.approx(one.leverage)
    assert other.dfbetas == pytest.approx(one.dfbetas)


# Influence


def test_the_influence_function_is_as_printed(fits):
    fit = fits[INTERIOR]
    y, g = fit.problem.day.prices, fit.prices
    J, w = fit.parameters.jacobian(fit.problem.day), fit.problem.weights
    inverse = np.linalg.inv(J.T @ (w[:, None] * J))
    dx = cs.diagnose(fit)
    for k in range(len(y)):
        # Conditioning 2e8 of the normal equations in this plain form.
        assert dx.influence[k] == pytest.approx((y[k] - g[k]) * inverse @ J[k] * w[k], rel=1e-6)
    assert dx.influence_score == pytest.approx(np.linalg.norm(dx.influence, axis=1))


@pytest.mark.parametrize("date", [INTERIOR, AT_RHO])
@pytest.mark.parametrize("quote", [0, 6, 12])
def test_the_exact_form_predicts_a_recalibration(fits, date, quote):
    """To first order: a move of 1e-5 leaves a second-order error of some 1e-4."""
    fit = fits[date]
    change = 1e-5 * fit.problem.day.prices[quote]
    shift = moved(fit, quote, change).parameters.values - fit.parameters.values
    predicted = cs.diagnose(fit, "strict").sensitivity_exact[:, quote] * change
    assert predicted[~fit.is_free].tolist() == [0.0] * int((~fit.is_free).sum())
    assert predicted == pytest.approx(shift, rel=2e-3, abs=2e-3 * np.abs(shift).max())


def test_gauss_newton_errs_as_much_as_its_eigenvalue_says():
    """In the metric of prices: |A (predicted - true)| is at most about mu |A true|."""
    days = cs.calibrate_many(MARKET.days[::25])
    checked = 0
    for fit, dx in zip(days, cs.diagnose_many(days, "strict"), strict=True):
        if dx.gauss_newton_error > 0.1 or dx.flags.has_rank_loss:
            continue
        change = 1e-6 * fit.problem.day.prices[0]
        shift = moved(fit, 0, change).parameters.values - fit.parameters.values
        error = dx.sensitivity[:, 0] * change - shift
        A = dx.problem.design
        # The move is small but finite: another 1e-4.
        limit = 1.02 * dx.gauss_newton_error + 1e-4
        assert np.linalg.norm(A @ error) <= limit * np.linalg.norm(A @ shift)
        checked += 1
    assert checked >= 20


def test_entries_where_the_two_forms_disagree_are_marked(fits):
    dx = cs.diagnose(fits[INTERIOR])
    ratio = dx.influence / dx.influence_exact
    assert (dx.is_influence_doubtful == (np.abs(ratio - 1) > 0.1)).all()
    assert dx.is_influence_doubtful.any()
    assert cs.diagnose(fits[AT_RHO], "full").is_influence_doubtful[:, 4].all()
    plain = line(np.array([0.1, -0.1, 0.1, -0.1]))
    assert plain.is_influence_doubtful.all()  # without second derivatives nothing is known


def test_deletion_is_another_question_than_a_bump():
    """For a straight line, both are exact."""
    rng = np.random.default_rng(3)
    x = np.linspace(0, 1, 8)
    X, y = np.column_stack((np.ones(8), x)), rng.normal(size=8)
    best = np.linalg.lstsq(X, y)[0]
    dx = cs.diagnose_least_squares(y - X @ best, X)
    for k in range(8):
        rest = np.arange(8) != k
        assert best - np.linalg.lstsq(X[rest], y[rest])[0] == pytest.approx(dx.dfbeta[k])
        up = y + np.eye(8)[k]
        assert np.linalg.lstsq(X, up)[0] - best == pytest.approx(dx.sensitivity[:, k])


# Uncertainty


def test_the_three_scales_by_hand():
    r = np.array([0.1, -0.2, 0.25, 0.3, -0.1, 0.07, 0.05])  # about a median that is not zero
    dx = line(r)
    assert dx.scale_mse == pytest.approx(np.sqrt((r**2).sum() / 5))
    assert dx.scale_mad == pytest.approx(1.4826 * np.median(np.abs(r - np.median(r))))
    adjusted = r / np.sqrt(1 - dx.leverage)
    expected = 1.4826 * np.median(np.abs(adjusted - np.median(adjusted)))
    assert dx.scale_mad_adjusted == pytest.approx(expected)


def test_the_residuals_of_rmsre_are_relative_errors(fits):
    dx = cs.diagnose(fits[INTERIOR])
    assert dx.problem.weighted_residuals == pytest.approx(-fits[INTERIOR].residuals, rel=1e-9)
    assert dx.scale_mse == pytest.approx(fits[INTERIOR].rmsre * np.sqrt(13 / 8))


def test_information_and_covariance_are_inverse_to_each_other(fits):
    dx = cs.diagnose(fits[INTERIOR])
    product = dx.fisher_information() @ dx.covariance()
    # The condition number of the information is 2e8.
    assert product == pytest.approx(np.eye(5), abs=1e-6)
    deviations = dx.standard_errors()
    assert dx.correlation == pytest.approx(dx.covariance() / np.outer(deviations, deviations))
    assert dx.covariance("mad_adjusted") == pytest.approx(
        dx.covariance() * (dx.scale_mad_adjusted / dx.scale_mse) ** 2
    )


def test_the_exact_covariance_is_that_of_the_hessian(fits):
    fit = fits[INTERIOR]
    day, w = fit.problem.day, fit.problem.weights
    J, r = fit.parameters.jacobian(day), day.prices - fit.prices
    half = J.T @ (w[:, None] * J) - np.einsum("k,kpq->pq", w * r, fit.parameters.hessian(day))
    dx = cs.diagnose(fit)
    expected = dx.scale_mse**2 * np.linalg.inv(half)
    assert dx.covariance("mse", "exact") == pytest.approx(expected, rel=1e-6)
    assert dx.fisher_information_exact() == pytest.approx(half / dx.scale_mse**2)
    deviations = np.sqrt(np.diag(expected))
    assert dx.correlation_exact == pytest.approx(expected / np.outer(deviations, deviations))
    assert dx.condition_number_exact == pytest.approx(np.sqrt(np.linalg.cond(half)), rel=1e-6)


def test_exact_forms_in_strict_mode_are_those_of_the_free_parameters(fits):
    fit = fits[AT_RHO]
    day, w = fit.problem.day, fit.problem.weights
    J, r = fit.parameters.jacobian(day), day.prices - fit.prices
    half = J.T @ (w[:, None] * J) - np.einsum("k,kpq->pq", w * r, fit.parameters.hessian(day))
    for mode in ("full", "strict"):
        dx = cs.diagnose(fit, mode)
        assert not dx.fisher_information_exact()[4].any()
        expected = np.sqrt(np.linalg.cond(half[:4, :4]))
        assert dx.condition_number_exact == pytest.approx(expected, rel=1e-3)


def test_strict_covariance_holds_parameters_at_bounds_fixed(fits):
    dx = cs.diagnose(fits[AT_RHO], "strict")
    assert not dx.covariance()[4].any()
    assert np.isnan(dx.correlation[4, 0])
    assert not dx.influence[:, 4].any()
    assert dx.scale_mse == pytest.approx(fits[AT_RHO].rmsre * np.sqrt(13 / 9))  # p is 4


def test_masking_is_flagged():
    calm = np.array([0.1, -0.1, 0.12, -0.08, 0.09, -0.11, 0.1, -0.1, 0.08, -0.12])
    assert not line(calm).flags.has_masking
    wild = calm.copy()
    wild[4] = 5.0
    dx = line(wild - np.polynomial.Polynomial.fit(range(10), wild, 1)(np.arange(10)))
    assert dx.flags.has_large_residual
    assert dx.flags.has_masking
    assert dx.problem.labels[np.abs(dx.resid_studentized_external).argmax()] == "5"


def test_an_outlier_is_what_chance_allows_on_one_day_of_twenty():
    """Bonferroni with 8 observations: Student's t with 8 - 2 - 1 degrees of freedom at 0.996875."""
    rng, X = np.random.default_rng(6), np.column_stack((np.ones(8), np.arange(8)))
    limit, limit_of_six = 4.52571626, 4.11517012
    between = 0
    for size in np.linspace(0, 8, 81):
        y = rng.normal(size=8)
        y[3] += size
        dx = cs.diagnose_least_squares(y - X @ np.linalg.lstsq(X, y)[0], X)
        worst = np.abs(dx.resid_studentized_external).max()
        assert dx.flags.has_large_residual == (worst > limit)
        between += limit_of_six < worst < limit
    assert between


def test_the_bias_of_relative_errors(fits):
    dx = cs.diagnose(fits[INTERIOR])
    assert dx.relative_bias == pytest.approx(-2 * dx.scale_mad_adjusted**2, rel=1e-3)
    noise = np.random.default_rng(5).normal(size=1_000_000)
    spread = np.sqrt(np.log1p(0.05**2))  # lognormal quotes with mean 1 and relative noise 5 %
    quotes = np.exp(spread * noise - spread**2 / 2)
    # The mean of a million: 5e-5.
    assert elicited_by_relative_errors(quotes) - 1 == pytest.approx(
        float(relative_error_bias(0.05)), abs=3e-4
    )
    absolute = cs.diagnose(cs.calibrate(MARKET.day(INTERIOR), weights="absolute"))
    assert np.isnan(absolute.relative_bias)
    thrice = {float(year): 3.0 for year in MARKET.day(INTERIOR).maturities}
    same = cs.diagnose(cs.calibrate(MARKET.day(INTERIOR), weights=thrice))
    assert same.relative_bias == pytest.approx(dx.relative_bias, rel=1e-6)


# Intervals and identification


def test_intervals_are_back_transformed(fits):
    dx = cs.diagnose(fits[INTERIOR])
    result, errors = dx.intervals(0.95, method="delta"), dx.standard_errors()
    t = 2.306004135204166  # 97.5 % quantile of Student's t with 13 - 5 degrees of freedom
    theta = fits[INTERIOR].parameters.values
    widths = t * errors[:4] / theta[:4]
    assert result.low[:4] == pytest.approx(theta[:4] * np.exp(-widths))
    assert result.high[:4] == pytest.approx(theta[:4] * np.exp(widths))
    centre, width = np.arctanh(theta[4]), t * errors[4] / (1 - theta[4] ** 2)
    assert result.low[4] == pytest.approx(np.tanh(centre - width))
    assert result.high[4] == pytest.approx(np.tanh(centre + width))
    assert result.marks == ("",) * 5
    assert result.of("a_x") == (result.low[0], result.high[0])


def test_the_papers_scale_takes_the_normal_quantile(fits):
    dx = cs.diagnose(fits[INTERIOR])
    low, high = dx.intervals(0.95, "mad", method="delta").of("a_y")
    error = dx.standard_errors("mad")[1] / fits[INTERIOR].parameters.a_y
    assert np.log(high / low) / 2 == pytest.approx(1.959963984540054 * error)


def test_several_levels_are_nested(fits):
    result = cs.diagnose(fits[INTERIOR]).intervals((0.5, 0.75, 0.95), method="delta")
    assert result.low.shape == (3, 5)
    assert (np.diff(result.low, axis=0) < 0).all()
    assert (np.diff(result.high, axis=0) > 0).all()
    assert result.level == (0.5, 0.75, 0.95)
    stack = cs.diagnose_many(list(fits.values())).batches[0].intervals((0.5, 0.75, 0.95))
    assert stack.low.shape == (3, 3, 5)
    assert stack.low[:, 0] == pytest.approx(result.low)
    assert stack.high[:, 0] == pytest.approx(result.high)


def test_intervals_are_cut_at_bounds_and_say_so():
    r = np.array([0.5, -0.5, 0.5, -0.5, 0.5])
    dx = line(r, values=[0.1, 0.2], bounds={"b1": (0.0, 10.0), "b2": (-1.0, 0.3)})
    result = dx.intervals(scale="mse")
    assert (result.low[0], result.high[1]) == (0.0, 0.3)
    assert result.is_cut_low.tolist() == [True, False]
    assert result.is_cut_high.tolist() == [False, True]
    assert result.marks == ("cut at the lower bound", "cut at the upper bound")
    assert dx.flags.has_cut_intervals


def test_a_parameter_at_a_bound_has_no_interval(fits):
    for mode in MODES:
        result = cs.diagnose(fits[AT_RHO], mode).intervals(method="delta")
        assert np.isnan(result.low[4])
        assert result.marks[4] == "at the lower bound, no delta interval"
    result = cs.diagnose(fits[AT_SIGMA]).intervals(method="delta")
    assert result.marks[2].startswith("at the upper bound")


def test_a_collapsed_interval_is_never_shown_without_saying_so(fits):
    dx = cs.diagnose(fits[AT_RHO], "full")
    result = dx.intervals(method="delta")
    assert dx.flags.has_unidentified_parameters
    assert result.marks[2] == "not identified, cut at both bounds"
    # a_x goes along with sigma_x, and its interval of 6 % hides that.
    assert result.marks[0] == "collapsed (rank lost)"
    assert dx.flags.has_collapsed_intervals
    assert result.marks[1] == ""


def test_an_interval_shorter_than_its_way_along_a_lost_direction_has_collapsed():
    """When b1 goes by 1, b2 goes by 0.15 and nothing changes; b2 counts as identified (2 %)."""
    x = np.linspace(1, 2, 9)
    for noise, mark in ((0.2, "collapsed (rank lost)"), (1.0, "")):
        r = noise * (np.cos(9 * x) - x * (x @ np.cos(9 * x)) / (x @ x))
        dx = cs.diagnose_least_squares(r, np.column_stack((-0.15 * x, x)), values=[1.0, 1.0])
        low, high = dx.intervals(scale="mse").of("b2")
        assert dx.identification.shares[1] == pytest.approx(0.0225 / 1.0225)
        assert (0.0225 < (high - low) / 2 < 0.148) == (mark != "")
        assert dx.intervals(scale="mse").marks == ("not identified", mark)


def test_the_unidentified_combination_is_named():
    """A product b1 b2 and a third parameter: raising one factor and lowering the other is free."""
    x = np.linspace(1, 2, 9)
    b1, b2, b3 = 2.0, 5.0, 0.7
    J = np.column_stack((b2 * x, b1 * x, x**2))
    dx = cs.diagnose_least_squares(
        0.01 * np.cos(9 * x), J, names=("b1", "b2", "b3"), values=[b1, b2, b3],
        transforms=("log", "log", "log"),
    )  # fmt: skip
    assert dx.edof == 2
    assert dx.unidentified_combinations == (
        "b1 up and b2 down together leave all fitted values unchanged",
    )
    assert dx.identification.shares == pytest.approx([0.5, 0.5, 0.0])
    assert dx.identification.is_identified.tolist() == [False, False, True]
    assert dx.intervals().marks[:2] == ("not identified", "not identified")
    assert dx.intervals().marks[2] == ""
    assert "b1 up and b2 down" in dx.summary


def test_several_unidentified_combinations():
    J = np.ones((6, 1)) * [1.0, 1.0, 0.0]
    dx = cs.diagnose_least_squares(np.array([0.1, -0.1, 0.2, -0.2, 0.1, -0.1]), J)
    assert sorted(dx.unidentified_combinations) == [
        "b1 up and b2 down together leave all fitted values unchanged",
        "b3 up or down leaves all fitted values unchanged",
    ]


def test_rank_loss_beside_a_fixed_parameter():
    """What is fixed was never free, so it is not a combination that was lost."""
    J = np.ones((6, 1)) * [1.0, 1.0, 3.0] + np.outer(np.arange(6), [0.0, 0.0, 1.0])
    dx = cs.diagnose_least_squares(
        np.array([0.1, -0.1, 0.2, -0.2, 0.1, -0.1]), J, values=[1.0, 1.0, 1.0],
        bounds={"b3": (1.0, 1.0)},
    )  # fmt: skip
    assert (dx.edof, dx.geometry.parameter_count) == (1, 2)
    assert dx.unidentified_combinations == (
        "b1 up and b2 down together leave all fitted values unchanged",
    )
    assert dx.intervals().marks[2] == "fixed"


# Modes and special fits


def test_a_diagnosis_is_frozen_and_its_own():
    r = np.array([0.1, -0.1, 0.1, -0.1])
    dx = line(r)
    scale = dx.scale_mse
    r[0] = 7.0
    assert dx.problem.residuals[0] == 0.1
    assert dx.scale_mse == scale
    with pytest.raises(ValueError, match="read-only"):
        dx.leverage[0] = 0.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        dx.mode = "strict"
    assert not hasattr(dx, "__dict__")


def test_all_parameters_fixed():
    values = dict(zip(("a_x", "a_y", "sigma_x", "sigma_y", "rho_xy"),
                      (0.5, 0.04, 0.015, 0.011, -0.94), strict=True))  # fmt: skip
    dx = everything(cs.diagnose(cs.calibrate(MARKET.day(INTERIOR), fixed=values)))
    assert dx.edof == 0
    assert dx.flags.has_no_information
    assert not dx.flags.has_rank_loss
    assert dx.intervals().marks == ("fixed",) * 5


def test_strict_mode_removes_the_columns_of_active_bounds(fits):
    fit = fits[AT_RHO]
    J = fit.parameters.jacobian(fit.problem.day)[:, :4] / fit.problem.day.prices[:, None]
    strict = cs.diagnose(fit, "strict")
    assert strict.singular_values[:4] == pytest.approx(np.linalg.svd(J, compute_uv=False))
    assert strict.singular_values[4] == 0.0
    assert strict.edof == 3
    assert strict.condition_number == pytest.approx(np.linalg.cond(J), rel=1e-6)
    assert strict.effective_degrees.edof == strict.effective_degrees.strict


def test_modes_agree_inside_the_bounds(fits):
    active, full, strict = (cs.diagnose(fits[INTERIOR], mode) for mode in MODES)
    for other in (active, strict):
        assert full.hat_matrix == pytest.approx(other.hat_matrix)
        assert full.summary == other.summary
    assert not full.flags.edof_depends_on_bounds


def test_a_parameter_that_the_user_fixed_is_no_parameter_in_any_mode():
    fit = cs.calibrate(MARKET.day(INTERIOR), fixed={"rho_xy": -0.9})
    for mode in MODES:
        dx = cs.diagnose(fit, mode)
        assert dx.geometry.parameter_count == 4
        assert not dx.influence[:, 4].any()
        assert dx.intervals().marks[4] == "fixed"
        assert not dx.flags.has_rank_loss


def test_an_anchor_counts_as_five_more_quotes():
    usual = cs.G2(a_x=0.5, a_y=0.05, sigma_x=0.01, sigma_y=0.01, rho_xy=-0.7)
    fit = cs.calibrate(MARKET.day(INTERIOR), anchor=usual, anchor_strength=1e-4)
    dx = cs.diagnose(fit)
    assert len(dx.leverage) == 18
    assert dx.problem.labels[13] == "anchor of a_x"
    assert not dx.flags.is_off_optimum
    change = 1e-5 * fit.problem.day.prices[0]
    prices = np.array(fit.problem.day.prices)
    prices[0] += change
    again = cs.calibrate(
        dataclasses.replace(fit.problem.day, prices=prices), "newton", start=fit.parameters,
        weights=fit.problem.weights, anchor=usual, anchor_strength=1e-4,
    )  # fmt: skip
    shift = again.parameters.values - fit.parameters.values
    assert dx.sensitivity_exact[:, 0] * change == pytest.approx(
        shift, rel=1e-3, abs=1e-3 * np.abs(shift).max()
    )


def test_zero_weights_do_not_count():
    rng = np.random.default_rng(8)
    r, J = rng.normal(size=9), rng.normal(size=(9, 2))
    weights = np.r_[np.ones(7), 0.0, 0.0]
    one, other = (
        cs.diagnose_least_squares(r[:7], J[:7]),
        cs.diagnose_least_squares(r, J, weights=weights),
    )
    assert other.scale_mse == pytest.approx(one.scale_mse)
    assert other.scale_mad_adjusted == pytest.approx(one.scale_mad_adjusted)
    assert other.leverage[7:].tolist() == [0.0, 0.0]
    assert other.covariance("mad") == pytest.approx(one.covariance("mad"))


# Degenerate cases: never an error, never a silent NaN

PER_DAY = (
    "leverage", "hat_matrix", "oblique_projector", "relative_offset", "influence", "dfbetas",
    "influence_exact", "influence_score", "cooks_distance", "dffits", "resid_studentized_external",
    "correlation", "correlation_exact",
    "condition_number_exact", "summary", "scale_mse", "gauss_newton_ratio",
    "gauss_newton_error", "relative_bias", "condition_number", "unidentified_combinations",
)  # fmt: skip


def everything(dx):
    for name in PER_DAY:
        getattr(dx, name)
    for scale in ("mse", "mad", "mad_adjusted"):
        for form in ("gauss_newton", "exact"):
            dx.covariance(scale, form)
            dx.intervals((0.5, 0.95), scale, form, method="delta")
        dx.fisher_information(scale), dx.fisher_information_exact(scale)
    return dx


@pytest.mark.parametrize("mode", MODES)
def test_days_with_few_quotes(mode):
    day = MARKET.day(INTERIOR)
    for count in (1, 2, 4, 5, 6, 7):
        chosen = np.linspace(0, 12, count).astype(int)
        few = cs.MarketDay.from_arrays(
            curve=day.curve, maturities=day.maturities[chosen], prices=day.prices[chosen],
            strikes=day.strikes[chosen],
        )  # fmt: skip
        dx = everything(cs.diagnose(cs.calibrate(few), mode))
        free = int(dx.geometry.parameter_count)
        assert dx.flags.is_saturated == (count <= free)
        assert np.isnan(dx.scale_mse) == (count <= free)
        assert dx.edof <= count


def test_one_factor_and_perfect_fits():
    equal_speeds = cs.simulate_market(cs.G2(0.05, 0.05, 0.01, 0.01, -0.5), days=1, noise=0.0).days[
        0
    ]
    for mode in MODES:
        dx = everything(cs.diagnose(cs.calibrate(equal_speeds), mode))
        assert dx.flags.is_perfect
        assert not dx.flags.is_off_optimum
        assert "met exactly" in dx.summary


@pytest.mark.parametrize("rho", [-1.0, 1.0])
def test_equal_factors_that_cancel(rho):
    """At rho = -1 no price reacts to anything: rank 0."""
    same = cs.G2(0.1, 0.1, 0.01, 0.01, rho)
    fit = dataclasses.replace(cs.calibrate(MARKET.day(INTERIOR)), as_found=same)
    dx = everything(cs.diagnose(fit))
    assert dx.flags.has_parameters_at_bound
    assert dx.flags.has_rank_loss
    if rho == -1.0:
        assert dx.edof == 0
        assert dx.flags.has_no_information
        assert dx.summary.startswith("The quotes determine no parameter")


def test_residuals_of_exactly_zero():
    dx = everything(line(np.zeros(6), values=[1.0, 2.0], hessian=np.zeros((6, 2, 2))))
    assert dx.flags.is_perfect
    assert dx.scale_mse == 0.0
    assert dx.relative_offset == 0.0
    assert dx.intervals().low.tolist() == [1.0, 2.0]
    assert dx.intervals().marks == ("no noise", "no noise")
    assert not dx.flags.has_masking


def test_leverage_of_exactly_one():
    J = np.column_stack((np.ones(6), [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]))
    r = np.array([0.1, -0.1, 0.25, -0.2, -0.05, 0.0])
    dx = everything(cs.diagnose_least_squares(r, J, values=[1.0, 1.0]))
    assert dx.leverage[5] == pytest.approx(1.0, abs=1e-15)
    assert dx.flags.has_forced_quote
    assert np.isnan(dx.cooks_distance[5])
    assert np.isfinite(dx.cooks_distance[:5]).all()
    rest = cs.diagnose_least_squares(r[:5], J[:5, :1])
    assert dx.scale_mad_adjusted == pytest.approx(rest.scale_mad_adjusted)
    assert "6 is met whatever it says" in dx.summary


def test_bounds_without_values_fix_what_they_fix():
    dx = cs.diagnose_least_squares(
        residuals=[0.1, -0.2, 0.1, 0.0], jacobian=np.vander([1.0, 2.0, 3.0, 4.0], 2), weights=None,
        names=("slope", "level"), bounds={"level": (0.0, 0.0)}, hessian=None,
    )  # fmt: skip
    assert dx.edof == dx.geometry.parameter_count == 1
    assert not dx.flags.has_parameters_at_bound


def test_as_many_observations_as_parameters():
    dx = everything(cs.diagnose_least_squares([0.0, 0.0], np.eye(2), values=[1.0, 1.0]))
    assert dx.flags.is_saturated
    assert not dx.flags.lacks_robust_scale  # said already
    assert np.isnan(dx.scale_mse)
    assert np.isnan(dx.intervals().low).all()
    assert dx.intervals().marks == ("no interval", "no interval")
    assert dx.intervals(scale="mad").marks == ("no interval", "no interval")


def test_one_degree_of_freedom_has_no_robust_scale():
    """All e / sqrt(1 - h) have one size then, and most deviations from their median are zero."""
    dx = everything(line(np.array([0.1, -0.2, 0.1]), values=[0.0, 0.0]))
    adjusted = dx.problem.weighted_residuals / np.sqrt(1 - dx.leverage)
    assert np.abs(adjusted) == pytest.approx(np.full(3, np.abs(adjusted[0])))
    assert np.isnan(dx.scale_mad_adjusted)
    assert dx.flags.lacks_robust_scale
    assert "no robust scale" in dx.summary
    assert dx.intervals(scale="mad_adjusted").marks == ("no interval", "no interval")
    assert dx.intervals().marks == ("", "")
    assert np.isnan(dx.resid_studentized_external).all()
    assert not dx.flags.has_large_residual


def test_residuals_that_are_mostly_alike_have_no_robust_scale():
    J = np.kron(np.eye(2), np.ones((4, 1)))  # two means
    dx = cs.diagnose_least_squares([0.3, -0.1, -0.1, -0.1, 0.3, -0.1, -0.1, -0.1], J, values=[1, 1])
    assert dx.scale_mad_adjusted == 0.0
    assert dx.flags.lacks_robust_scale
    assert dx.intervals(scale="mad_adjusted").marks == ("no noise", "no noise")


def test_a_bound_that_holds_in_vain_is_no_optimum():
    """A slope held at 0 from below, though the points fall; or though they rise."""
    fall = np.array([0.2, 0.1, -0.1, -0.2])
    for points, is_off in ((fall, False), (-fall, True)):
        dx = line(points, values=[0.0, 0.0], bounds={"b2": (0.0, 1.0)}, mode="strict")
        assert dx.problem.at_bound.tolist() == [0, -1]
        assert dx.flags.is_off_optimum == is_off
        dx = line(-points, values=[0.0, 1.0], bounds={"b2": (0.0, 1.0)})
        assert dx.flags.is_off_optimum == is_off


def test_a_saddle_has_no_exact_covariance():
    x = np.linspace(-1, 1, 5)
    hessian = np.zeros((5, 1, 1))
    hessian[:, 0, 0] = 50.0
    dx = everything(cs.diagnose_least_squares(
        np.full(5, 0.2), x[:, None], hessian=hessian, values=[1.0]))  # fmt: skip
    assert dx.flags.has_indefinite_hessian
    assert np.isnan(dx.covariance("mse", "exact")).all()
    assert "not a strict minimum" in dx.summary


def test_without_second_derivatives_a_flag_says_so():
    dx = line(np.array([0.1, -0.1, 0.1, -0.1]), values=[1.0, 1.0])
    assert dx.flags.lacks_second_derivatives
    assert np.isnan(dx.gauss_newton_ratio)
    assert not dx.flags.has_strong_curvature


def test_no_number_is_missing_without_a_flag():
    """On every 20th demo day, in every mode."""
    fits = cs.calibrate_many(MARKET.days[::20])
    for mode in MODES:
        for fit, dx in zip(fits, cs.diagnose_many(fits, mode), strict=True):
            everything(dx)
            held = ~dx.geometry.is_active
            assert not np.isnan(dx.leverage).any()
            assert not np.isnan(dx.influence_exact).any() or dx.flags.has_indefinite_hessian
            assert not np.isnan(dx.cooks_distance).any() or dx.flags.has_forced_quote
            # Beside a column that the residuals are not orthogonal to, a scale may be missing.
            is_optimum = dx.relative_offset < 1e-6
            assert (
                not is_optimum
                or not np.isnan(dx.dfbetas[:, ~held]).any()
                or (dx.flags.has_rank_loss)
            )
            missing = np.isnan(dx.intervals(method="delta").low)
            assert (missing == (fit.at_bound != 0)).all()


# Curvature


def test_the_papers_ratio(fits):
    fit = fits[AT_RHO]
    day, w = fit.problem.day, fit.problem.weights
    J, r = fit.parameters.jacobian(day), day.prices - fit.prices
    delta = -2 * np.einsum("k,kpq->pq", w * r, fit.parameters.hessian(day))
    expected = np.linalg.norm(delta) / np.linalg.norm(2 * J.T @ (w[:, None] * J))
    assert cs.diagnose(fit, "full").gauss_newton_ratio == pytest.approx(expected)


def test_the_ratio_is_blind_where_the_eigenvalue_is_not(fits):
    dx = cs.diagnose(fits[INTERIOR])
    assert dx.gauss_newton_ratio < 1e-5
    assert dx.gauss_newton_error > 0.3
    assert dx.flags.has_strong_curvature
    day, w = fits[INTERIOR].problem.day, fits[INTERIOR].problem.weights
    J = fits[INTERIOR].parameters.jacobian(day)
    r = day.prices - fits[INTERIOR].prices
    half_delta = -np.einsum("k,kpq->pq", w * r, fits[INTERIOR].parameters.hessian(day))
    relative = np.linalg.eigvals(np.linalg.solve(J.T @ (w[:, None] * J), half_delta))
    assert dx.gauss_newton_error == pytest.approx(np.abs(relative).max(), rel=1e-5)


# Thresholds


def test_the_usual_thresholds():
    """Those of the flags that readers of the paper and of its critique know."""
    usual = cs.DiagnosisSettings()
    assert (usual.rank_tolerance, usual.tikhonov) == (1.5e-8, 1e-8)
    assert (usual.leverage_near_one, usual.cooks_distance, usual.masking) == (0.95, 1.0, 2.0)
    assert (usual.curvature, usual.influence_disagreement) == (0.1, 0.1)
    assert (usual.unidentified_share, usual.edof_disagreement) == (0.05, 0.5)
    assert (usual.relative_offset, usual.outlier_probability, usual.level) == (1e-6, 0.05, 0.95)


@pytest.mark.parametrize(
    ("setting", "flag", "date", "value"),
    [
        ("leverage_near_one", "has_leverage_near_one", INTERIOR, lambda dx: dx.leverage.max()),
        (
            "cooks_distance", "has_influential_quote", INTERIOR,
            lambda dx: dx.cooks_distance_exact.max(),
        ),
        ("curvature", "has_strong_curvature", INTERIOR, lambda dx: dx.gauss_newton_error),
        ("masking", "has_masking", AT_SIGMA, lambda dx: dx.scale_mse / dx.scale_mad),
        (
            "edof_disagreement", "edof_depends_on_tolerance", INTERIOR,
            lambda dx: dx.edof - dx.effective_degrees.tikhonov,
        ),
        (
            "unidentified_share", "has_unidentified_parameters", AT_RHO,
            lambda dx: dx.identification.shares.max(),
        ),
    ],
)  # fmt: skip
def test_a_threshold_decides_its_flag(fits, setting, flag, date, value):
    limit = value(cs.diagnose(fits[date]))
    for factor, is_raised in ((1 - 1e-6, True), (1 + 1e-6, False)):
        settings = cs.DiagnosisSettings(**{setting: factor * limit})
        assert getattr(cs.diagnose(fits[date], settings=settings).flags, flag) == is_raised


# The entry points


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        ({"jacobian": np.ones((2, 1))}, r"residuals have shape \(3,\) and the jacobian \(2, 1\)"),
        ({"weights": [1.0, -1.0, 1.0]}, "a weight is negative"),
        ({"names": ["a", "a"]}, r"give 2 different ones"),
        ({"bounds": (0, 1), "mode": "strict"}, "strict mode needs values"),
        ({"values": [1.0, 2.0], "bounds": {"b3": (0, 1)}}, "'b3' is not a parameter"),
        ({"values": [1.0, 2.0], "bounds": (1, 0)}, "bounds of b1: the lower one, 1, is above 0"),
        ({"values": [1.0, 2.0], "bounds": (0, 1, 2)}, r"bounds are \(0, 1, 2\); give \(lower, up"),
        ({"values": [1.0, 2.0], "bounds": {"b1": 3}}, r"bounds of b1 are 3; give \(lower, upper\)"),
        ({"values": [1.0, 2.0], "bounds": (0, 1.5)}, "b2 is 2, outside its bounds 0 to 1.5"),
        ({"values": [-1.0, 2.0], "transforms": ["log", "log"]}, "b1 is -1, which has no log"),
        ({"transforms": ["log", "log"]}, "transforms mean nothing without values"),
        ({"transforms": ["log", "cube"]}, "give 2 out of log, arctanh, identity"),
        ({"hessian": np.zeros((3, 2))}, r"hessian: the shape is \(3, 2\); give \(3, 2, 2\)"),
        ({"labels": ["1Y"]}, "there are 1 labels; give 3"),
        ({"residuals": [0.1, np.nan, 0.1]}, "residuals: not all are finite"),
        ({"jacobian": np.full((3, 2), np.inf)}, "jacobian: not all are finite"),
        ({"mode": "loose"}, "mode is 'loose'; choose from active, full, strict"),
    ],
)
def test_errors_say_what_to_do(wishes, message):
    usual = {
        "residuals": [0.1, -0.2, 0.1],
        "jacobian": [[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]],
    }
    with pytest.raises(ValueError, match=message):
        cs.diagnose_least_squares(**usual | wishes)


def test_wrong_scales_levels_and_names():
    dx = line(np.array([0.1, -0.1, 0.1, -0.1]), values=[1.0, 1.0])
    with pytest.raises(ValueError, match="scale is 'MAD'; choose from mse, mad, mad_adjusted"):
        dx.covariance("MAD")
    with pytest.raises(ValueError, match="form is 'newton'"):
        dx.covariance(form="newton")
    with pytest.raises(ValueError, match="level is 95"):
        dx.intervals(95)
    with pytest.raises(ValueError, match="'b7' is not a parameter"):
        dx.intervals().of("b7")
    with pytest.raises(ValueError, match="give values="):
        line(np.array([0.1, -0.1, 0.1])).intervals()
    with pytest.raises(ValueError, match="there are no fits"):
        cs.diagnose_many([])


def test_the_same_least_squares_through_both_entry_points(fits):
    fit = fits[INTERIOR]
    day = fit.problem.day
    dx = cs.diagnose(fit)
    plain = cs.diagnose_least_squares(
        residuals=day.prices - fit.prices,
        jacobian=fit.parameters.jacobian(day),
        weights=fit.problem.weights,
        names=dx.problem.specs.names,
        values=fit.parameters.values,
        bounds=(fit.problem.lower, fit.problem.upper),
        hessian=fit.parameters.hessian(day),
        transforms=("log",) * 4 + ("arctanh",),
    )
    assert plain.leverage == pytest.approx(dx.leverage)
    assert plain.influence == pytest.approx(dx.influence, rel=1e-8)
    assert plain.influence_exact == pytest.approx(dx.influence_exact, rel=1e-6)
    assert plain.intervals().low == pytest.approx(dx.intervals(method="delta").low)
    assert isinstance(plain.problem, LeastSquares)


def test_the_weights_of_a_fit_are_its_own():
    day = MARKET.day(INTERIOR)
    for weights in ("absolute", "vega", {float(y): 1.0 + (y > 10) for y in day.maturities}):
        fit = cs.calibrate(day, weights=weights)
        dx = cs.diagnose(fit)
        assert not dx.flags.is_off_optimum
        assert dx.problem.weights == pytest.approx(Problem.of(day, weights).weights)


def test_what_a_diagnosis_says_when_printed(fits):
    text = repr(cs.diagnose(fits[INTERIOR]))
    assert text.startswith(
        "Diagnosis(active: All five parameters are identified; the fit is nearly"
    )
    assert "has_leverage_near_one" in text
    panel = cs.diagnose_many(list(fits.values()))
    assert repr(panel) == "Diagnoses(3 fits, active: EDoF 5 on 1, 4 on 1, 3 on 1)"
    assert repr(panel.batches[0]) == "Batch(active: 3 fits)"


def test_what_is_no_fit_is_named():
    with pytest.raises(TypeError, match=r"expected a Fit, as cs\.calibrate returns it, got a str"):
        cs.diagnose("2020-03-18")
