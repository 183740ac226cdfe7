"""The figures of one day: their data against numbers computed here, and days with little to show.

2020-03-18 is tame; 2022-07-21 has lost rank and holds sigma_x at its bound; on 2024-06-06 rho_xy is
at its bound, one interval has collapsed and one is cut at both bounds.
"""

import dataclasses

import numpy as np
import pytest

import calibscope as cs
from calibscope.base.numbers import estimate
from calibscope.calibration.g2.bench import Workbench
from calibscope.market.maturity import label
from calibscope.models.g2.parameters import SPECS
from calibscope.report.figures.correlation_matrix import correlation_matrix
from calibscope.report.figures.geometry import POINTS, geometry, model_patch
from calibscope.report.figures.hat_matrix import hat_matrix
from calibscope.report.figures.influence_arrows import influence_arrows
from calibscope.report.figures.interval_chart import interval_chart
from calibscope.report.figures.leverage_and_influence import leverage_and_influence
from calibscope.report.figures.local_minima import level_of, local_minima_map
from calibscope.report.figures.market_against_model import market_against_model
from calibscope.report.figures.singular_spectrum import singular_spectrum
from calibscope.report.figures.style import LINE_HEIGHT

scaled, unscaled = SPECS.coordinates.of, SPECS.coordinates.values

TAME, RANK_LOST, AT_BOUND = "2020-03-18", "2022-07-21", "2024-06-06"
OF_FITS = (market_against_model, local_minima_map, geometry)
OF_DIAGNOSES = (
    hat_matrix, singular_spectrum, correlation_matrix, influence_arrows, leverage_and_influence,
    interval_chart,
)  # fmt: skip


@pytest.fixture(scope="module")
def fits():
    market = cs.demo_market()
    return {date: cs.calibrate(market.day(date)) for date in (TAME, RANK_LOST, AT_BOUND)}


@pytest.fixture(scope="module")
def diagnoses(fits):
    return {date: cs.diagnose(fit) for date, fit in fits.items()}


def drawn(fit, note=""):
    """All figures of a fit by name."""
    dx = cs.diagnose(fit)
    figures = {draw.__name__: draw(fit, note) for draw in OF_FITS}
    return figures | {draw.__name__: draw(dx, note) for draw in OF_DIAGNOSES}


def trace(figure, name, place=0):
    """The traces of a name, in the order in which they were drawn."""
    return [each for each in figure.data if each.name == name][place]


def said_of(figure):
    """The marks beside intervals, in the order of the parameters."""
    labels = [text for axis in figure.select_yaxes() for text in axis.ticktext[::-1]]
    return [text.split("<i>")[1].split("</i>")[0] for text in labels if "<i>" in text]


def with_prices(day, prices, **changes):
    return dataclasses.replace(day, prices=prices, **changes)


def only(day, maturities):
    return day.without([year for year in day.maturities if year not in maturities])


# What all have in common


@pytest.mark.parametrize("date", [TAME, RANK_LOST, AT_BOUND])
def test_every_figure_asks_a_question_and_has_an_alt_text(fits, date):
    for name, figure in drawn(fits[date], "SYNTHETIC market").items():
        assert figure.layout.title.text.endswith("?"), name
        assert figure.layout.title.subtitle.text == "SYNTHETIC market", name
        alt = figure.layout.meta["alt"]
        assert alt.endswith("."), (name, alt)
        assert "nan" not in alt, (name, alt)
        assert any(letter.isdigit() for letter in alt), (name, alt)
        # About ten kilobytes of these are the template's; the local minima holds two maps of 64 x
        # 64.
        assert len(figure.to_json()) < (80_000 if name == "local_minima_map" else 30_000), name


def test_two_dimensional_figures_name_both_axes(fits):
    for name, figure in drawn(fits[TAME]).items():
        if name in ("geometry", "interval_chart", "correlation_matrix"):
            continue  # a scene; parameters on the other axis
        titles = [axis.title.text for axis in figure.select_xaxes()]
        assert titles[-1], name
        assert all(axis.title.text for axis in figure.select_yaxes()), name


# Market against model


def test_errors_are_those_of_the_fit(fits):
    fit = fits[AT_BOUND]
    figure = market_against_model(fit)
    day = fit.problem.day
    assert list(trace(figure, "market").x) == [label(year) for year in day.maturities]
    assert trace(figure, "market").y == pytest.approx(1e4 * day.normal_vols)
    shown = dataclasses.replace(day, prices=fit.prices).normal_vols
    assert trace(figure, "model").y == pytest.approx(1e4 * shown)
    errors = 100 * (fit.prices - day.prices) / day.prices
    assert trace(figure, "error in price").y == pytest.approx(errors)
    assert trace(figure, "error in vol").y == pytest.approx(1e4 * (shown - day.normal_vols))
    worst = label(day.maturities[np.abs(errors).argmax()])
    assert f"at {worst}" in figure.layout.meta["alt"]


def test_bid_and_ask_are_bars_around_the_market(fits):
    day = fits[TAME].problem.day
    quoted = np.column_stack((0.98 * day.prices, 1.01 * day.prices))
    figure = market_against_model(cs.calibrate(dataclasses.replace(day, bid_ask=quoted)))
    bars = [each.error_y for each in figure.data if each.error_y.array is not None]
    assert len(bars) == 3
    assert bars[1].array == pytest.approx(np.full(13, 1.0))
    assert bars[1].arrayminus == pytest.approx(np.full(13, 2.0))
    ask_vols = dataclasses.replace(day, prices=quoted[:, 1]).normal_vols
    assert bars[0].array == pytest.approx(1e4 * (ask_vols - day.normal_vols))
    assert bars[2].array == pytest.approx(1e4 * (ask_vols - day.normal_vols))


# Hat matrix, spectrum, correlation


def test_hat_matrix_is_the_projector(diagnoses):
    dx = diagnoses[TAME]
    z = np.asarray(hat_matrix(dx).data[0].z)
    A = dx.problem.design
    assert z == pytest.approx(A @ np.linalg.pinv(A), abs=1e-6)
    assert len(hat_matrix(dx).layout.shapes) == len(A)


def test_spectrum_and_edof_at_every_tolerance(fits):
    dx = cs.diagnose(fits[AT_BOUND], "full")
    figure = singular_spectrum(dx)
    A = dx.problem.design
    for name, columns in (
        ("natural units", A),
        ("scaled coordinates", A * np.append(dx.problem.values[:4], 1.0)),
    ):
        singular = np.linalg.svd(columns, compute_uv=False)
        # Squares of 1e-9 are lost in rounding of 1e-16: three digits of the smallest remain.
        assert trace(figure, name).y == pytest.approx(singular / singular[0], rel=1e-3)
        steps = trace(figure, name, 1)
        counts = [(singular > tolerance * singular[0]).sum() for tolerance in steps.x]
        assert (np.asarray(steps.y) == counts).mean() > 0.98  # beside a step, rounding decides
    assert trace(figure, "tolerance 1.5e-08").y[0] == dx.settings.rank_tolerance
    # A parameter that is held has no singular value.
    held = singular_spectrum(cs.diagnose(fits[AT_BOUND]))
    singular = np.linalg.svd(A[:, :4], compute_uv=False)
    assert trace(held, "natural units").y == pytest.approx(singular / singular[0], rel=1e-3)


def test_correlations_and_why_some_are_missing(fits):
    dx = cs.diagnose(fits[AT_BOUND], "full")
    figure = correlation_matrix(dx)
    inverse = dx.covariance()
    deviations = np.sqrt(np.diag(inverse))
    expected = inverse / np.outer(deviations, deviations)
    assert np.asarray(figure.data[0].z) == pytest.approx(expected, abs=1e-9)
    exact, missing = figure.data[1], figure.data[2]
    assert np.isnan(np.asarray(exact.z)[4]).all()  # rho_xy is at its bound
    assert list(missing.text[4]) == ["bound"] * 5
    assert missing.text[0][1] == ""
    assert exact.text[4][0] == ""
    assert exact.text[0][1] == f"{dx.correlation_exact[0, 1]:.2f}"
    assert "none for rho_xy" in figure.layout.meta["alt"]


# Influence, leverage, intervals


def test_arrows_end_at_the_influence_in_percent(diagnoses):
    dx = diagnoses[TAME]
    figure = influence_arrows(dx, x="a_x", y="rho_xy")
    a_x = dx.problem.values[0]
    for name, values in (("Gauss-Newton", dx.influence), ("exact Hessian", dx.influence_exact)):
        arrows = trace(figure, name)
        assert np.asarray(arrows.x)[1::3] == pytest.approx(100 * values[:, 0] / a_x)
        assert np.asarray(arrows.y)[1::3] == pytest.approx(100 * values[:, 4])
        assert not np.asarray(arrows.x)[::3].any()
    assert figure.layout.xaxis.title.text == "shift of a_x, % of its value"
    assert figure.layout.yaxis.title.text == "shift of rho_xy, hundredths"
    longest = np.argmax(np.hypot(dx.influence_exact[:, 0] / a_x, dx.influence_exact[:, 4]))
    assert f"that of {dx.problem.labels[longest]}:" in figure.layout.meta["alt"]


def test_axes_are_those_over_which_the_arrows_spread(diagnoses):
    dx = diagnoses[TAME]
    values = 100 * dx.influence_exact / np.append(dx.problem.values[:4], 1.0)
    areas = {
        (p, q): np.prod(np.linalg.svd(values[:, [p, q]], compute_uv=False))
        for p in range(5)
        for q in range(p + 1, 5)
    }
    first, second = max(areas, key=areas.get)
    figure = influence_arrows(dx)
    assert np.asarray(trace(figure, "exact Hessian").x)[1::3] == pytest.approx(values[:, first])
    assert np.asarray(trace(figure, "exact Hessian").y)[1::3] == pytest.approx(values[:, second])
    # With one axis chosen, the other is the best beside it.
    figure = influence_arrows(dx, y="a_x")
    assert figure.layout.yaxis.title.text.startswith("shift of a_x")
    beside = max((pair for pair in areas if 0 in pair), key=areas.get)[1]
    assert figure.layout.xaxis.title.text.startswith(f"shift of {dx.problem.specs.names[beside]}")


def test_arrows_ask_for_two_parameters(diagnoses):
    with pytest.raises(ValueError, match="not a parameter"):
        influence_arrows(diagnoses[TAME], x="kappa")
    with pytest.raises(ValueError, match="choose two"):
        influence_arrows(diagnoses[TAME], x="a_x", y="a_x")


def test_labels_of_arrows_keep_their_distance(diagnoses):
    for dx in diagnoses.values():
        figure = influence_arrows(dx)
        room = [
            axis.range[1] - axis.range[0] for axis in (figure.layout.xaxis, figure.layout.yaxis)
        ]
        labels = [note for note in figure.layout.annotations if note.xref != "paper"]
        places = np.array([[note.x, note.y] for note in labels]) / room
        gaps = np.abs(places[:, None] - places[None]) + 9 * np.eye(len(places))[..., None]
        assert ((gaps > [0.07, 0.055]).any(axis=-1)).all()


def test_labels_of_arrows_cover_no_arrow(diagnoses):
    width, height = 400, 380  # of the axes on a page of 500 pixels
    for dx in diagnoses.values():
        figure = influence_arrows(dx)
        ends = [axis.range[1] for axis in (figure.layout.xaxis, figure.layout.yaxis)]
        arrows = trace(figure, "exact Hessian")
        tips = np.column_stack((arrows.x, arrows.y))[1::3] / ends
        shafts = (np.linspace(0, 1, 200)[:, None, None] * tips).reshape(-1, 2)
        shafts = shafts * [width / 2, height / 2]
        for note in figure.layout.annotations:
            if note.xref != "paper":
                middle = [note.x / ends[0] * width / 2, note.y / ends[1] * height / 2]
                gaps = np.abs(shafts - middle - [note.xshift, note.yshift])
                assert not (gaps < [10, 6]).all(axis=1).any(), note.text


def test_gauss_newton_does_not_set_the_scale_of_arrows():
    fit = cs.calibrate(cs.demo_market().day("2022-04-21"))  # nearly one factor
    dx = cs.diagnose(fit, "full")
    figure = influence_arrows(dx)
    exact, newton = (
        np.nanmax(np.abs(np.asarray(trace(figure, name).x, dtype=float)))
        for name in ("exact Hessian", "Gauss-Newton")
    )
    assert newton > 100 * exact
    assert figure.layout.xaxis.range[1] == pytest.approx(1.2 * 3 * exact)
    (words,) = [note.text for note in figure.layout.annotations if note.xref == "paper"]
    assert words.startswith("beyond the picture, by Gauss-Newton: ")


def test_leverage_and_cooks_distance_in_two_modes(fits, diagnoses):
    dx, full = diagnoses[AT_BOUND], cs.diagnose(fits[AT_BOUND], "full")
    figure = leverage_and_influence(dx, beside=full)
    words = ("as fitted", "as if all parameters could move")
    for each, name in zip((dx, full), words, strict=True):
        assert trace(figure, name).y == pytest.approx(np.diag(each.hat_matrix))
        assert trace(figure, name, 1).y == pytest.approx(each.cooks_distance)
    assert trace(figure, "mean leverage 0.23").y[0] == pytest.approx(3 / 13)
    # One number above both bars, the larger one: on narrow pages two would run together.
    far = trace(figure, "far")
    assert list(far.text) == ["33", "1.5"]
    larger = np.maximum(dx.cooks_distance, full.cooks_distance)
    assert far.y == pytest.approx(larger[larger > 1])
    # The legend explains both panels: a mode has one colour.
    for name in words:
        assert trace(figure, name).marker.color == trace(figure, name, 1).marker.color


def test_intervals_carry_their_marks(fits, diagnoses):
    dx = diagnoses[AT_BOUND]
    by_profile = dx.intervals(0.95)
    low, high = by_profile.of("a_y")
    value = dx.problem.values[1]
    figure = interval_chart(dx)
    assert trace(figure, "a_y, 95 %").x == pytest.approx((low / value, high / value))
    assert said_of(figure) == [mark for mark in by_profile.marks if mark]
    figure = interval_chart(dx, method="delta")
    wide = dx.intervals(0.95, method="delta")
    low, high = wide.of("a_y")
    assert trace(figure, "a_y, 95 %").x == pytest.approx((low / value, high / value))
    assert said_of(figure) == [mark for mark in wide.marks if mark]
    assert len(said_of(figure)) == 5  # given rho_xy, all of them
    wide = interval_chart(cs.diagnose(fits[AT_BOUND], "full"), method="delta")
    assert len(said_of(wide)) == 3
    assert len([each for each in wide.data if each.name == "sigma_x, beyond"]) == 2
    assert not [each for each in figure.data if each.name == "a_y, beyond"]
    # What has collapsed is grey, never the colour of an interval that means something.
    assert trace(figure, "a_x, 50 %").line.color != trace(figure, "a_y, 50 %").line.color


def test_a_correlation_near_its_bound_does_not_look_as_if_at_it():
    assert [estimate(value, 4) for value in (-1.0, -0.99998177, 0.053, 1.0, 0.98765)] == [
        "-1", "-0.99998", "0.053", "1", "0.9877",
    ]  # fmt: skip


# Local minima


def test_profile_is_the_best_fit_for_given_speeds(fits):
    fit = fits[TAME]
    profile = Workbench(fit.problem).grid(fit.parameters.values)
    multiples = np.sqrt(profile.values / fit.objective)
    assert multiples.min() == pytest.approx(1.0, abs=0.01)  # the grid is nowhere far
    i, j = np.unravel_index(multiples.argmin(), multiples.shape)
    best = sorted((profile.x[j], profile.y[i]))
    assert best == pytest.approx([fit.parameters.a_y, fit.parameters.a_x], rel=0.15)
    fast, slow = 50, 20
    fixed = cs.calibrate(fit.problem.day, fixed={"a_x": profile.x[fast], "a_y": profile.y[slow]})
    # The scan is linear in the variances; far from the best fit that costs some percent.
    expected = np.sqrt(fixed.objective / fit.objective)
    assert multiples[slow, fast] == pytest.approx(expected, rel=0.1)


def test_optima_stand_where_they_were_found(fits):
    fit = fits[RANK_LOST]
    figure = local_minima_map(fit)
    optima = fit.evidence.local_minima.optima
    stars = [each for each in figure.data if each.name and each.name.startswith("best:")]
    assert (stars[0].x[0], stars[0].y[0]) == (optima[0].parameters.a_x, optima[0].parameters.a_y)
    ranks = [each for each in figure.data if each.text and each.text[0].isdigit()]
    assert [(each.x[0], each.text[0]) for each in ranks] == [
        (optimum.parameters.a_x, str(rank)) for rank, optimum in enumerate(optima[1:], start=2)
    ]
    plausible = [each for each in figure.data if "plausible" in (each.name or "")]
    assert plausible[0].x[0] == fit.evidence.plausible_fit.a_x
    ends = trace(figure, "extremes of the near-optimal set")
    assert min(ends.y) == fit.evidence.near_optimal.low[1]


def test_an_optimum_under_the_star_has_its_number_beside_it(fits):
    figure = local_minima_map(fits[RANK_LOST])
    leader, diamond = [note for note in figure.layout.annotations if note.arrowcolor]
    (hidden,) = [each for each in figure.data if each.text and each.text[0] == "2"]
    assert leader.text == "<b>2</b>"
    assert (leader.x, leader.y) == pytest.approx((np.log10(hidden.x[0]), np.log10(hidden.y[0])))
    plausible = fits[RANK_LOST].evidence.plausible_fit
    assert "◆" in diamond.text
    assert (diamond.x, diamond.y) == pytest.approx(
        (np.log10(plausible.a_x), np.log10(plausible.a_y))
    )


def test_a_long_note_is_wrapped(fits):
    figure = local_minima_map(fits[TAME], "quotes of a house with a very long name " * 4)
    lines = figure.layout.title.subtitle.text.split("<br>")
    assert len(lines) == 3
    assert max(map(len, lines)) <= 70
    room = figure.layout.margin.t - local_minima_map(fits[TAME], "short").layout.margin.t
    assert room == 2 * LINE_HEIGHT  # and does not lie on the picture


def test_levels_of_contours():
    assert level_of(np.array([1.0, 1.1, 2.0, 50.0, 1e6])).tolist() == [0, 1, 3, 8, 8]


# Geometry


def test_patch_touches_its_tangent_plane_at_the_fit(fits):
    fit = fits[TAME]
    patch = model_patch(fit)
    middle = POINTS // 2
    assert patch.surface[middle, middle] == pytest.approx(fit.residuals, abs=1e-12)
    # The residual stands at a right angle on the plane, to the accuracy of the optimum.
    lengths = np.linalg.norm(patch.tangents, axis=1) * np.linalg.norm(fit.residuals)
    assert np.abs(patch.tangents @ patch.fitted / lengths).max() < 1e-6
    # Off the plane by the square of the step: a quarter at half the way.
    off = [
        np.linalg.norm(patch.surface[middle + k, middle] - patch.fitted
                       - patch.tangents[0] * k / middle)
        for k in (2, 4)
    ]  # fmt: skip
    assert off[1] / off[0] == pytest.approx(4.0, rel=0.1)
    ends = np.linalg.norm(patch.surface[-1, middle] - patch.fitted)
    assert 0 < ends <= 1.5 * np.linalg.norm(fit.residuals) * (1 + 1e-9)


def test_surface_holds_prices_of_the_model(fits):
    fit = fits[TAME]
    figure = geometry(fit, quotes=(3, 10, 30))
    day = fit.problem.day
    places = [int(np.flatnonzero(day.maturities == year)[0]) for year in (3, 10, 30)]
    point = trace(figure, "fit")
    expected = 100 * fit.residuals[places]
    assert [point.x[0], point.y[0], point.z[0]] == pytest.approx(expected)
    assert [figure.layout.scene[f"{axis}axis"].title.text for axis in "xyz"] == [
        "3Y, %", "10Y, %", "30Y, %",
    ]  # fmt: skip
    # One corner, priced here: the directions are found again from the plane of the figure.
    patch = model_patch(fit, (3, 10, 30))
    _, A = fit.problem.tangent(fit.parameters.values)
    step = np.linalg.lstsq(A, patch.tangents.sum(axis=0), rcond=None)[0]
    corner = fit.problem.values(unscaled(scaled(fit.parameters.values) + step), 0).prices
    surface = trace(figure, "model surface")
    relative = 100 * (corner / day.prices - 1)[places]
    # Single precision.
    assert [surface[axis][-1][-1] for axis in "xyz"] == pytest.approx(relative, rel=1e-4)


def test_names_in_the_geometry_stand_on_both_sides_of_the_residual(fits):
    for fit in fits.values():
        market, own = geometry(fit).layout.scene.annotations
        assert (market.text, own.text) == ("market", "fit")
        assert market.yshift == -own.yshift != 0


def test_quotes_of_the_geometry_are_checked(fits):
    for wrong in ((3, 10), (3, 3, 10), (3, 10, 11)):
        with pytest.raises(ValueError, match="three maturities"):
            geometry(fits[TAME], quotes=wrong)


# Days with little to show


def test_three_quotes(fits):
    fit = cs.calibrate(only(fits[TAME].problem.day, (3, 10, 30)))
    figures = drawn(fit)
    crosses = trace(figures["leverage_and_influence"], "no Cook's distance")
    assert len(crosses.x) == 3  # each quote is met whatever it says
    assert np.diag(np.asarray(figures["hat_matrix"].data[0].z)) == pytest.approx(np.ones(3))
    assert len(said_of(figures["interval_chart"])) == 5  # no interval without its mark


def test_two_quotes_have_no_geometry(fits):
    fit = cs.calibrate(only(fits[TAME].problem.day, (3, 30)))
    figure = drawn(fit)["geometry"]
    assert "needs three quotes; there are two" in figure.layout.annotations[0].text


def test_perfect_fit(fits):
    fit = fits[TAME]
    perfect = cs.calibrate(with_prices(fit.problem.day, fit.prices))
    figures = drawn(perfect)
    assert np.abs(figures["market_against_model"].data[2].y).max() < 1e-5  # percent
    assert "is at 0, 0, 0 %" in figures["geometry"].layout.meta["alt"]
    assert figures["local_minima_map"].data[0].z.min() < 1.0  # the near-optimal set is on the map
    near = trace(figures["local_minima_map"], "near-optimal set: within 1.1 times 0.05 %")
    assert near.z.shape == (64, 64)


def test_fixed_parameters_and_bounds(fits):
    day = fits[TAME].problem.day
    fit = cs.calibrate(day, fixed={"rho_xy": -0.7})
    figures = drawn(fit)
    assert figures["correlation_matrix"].data[1].text[4][0] == "fixed"
    assert said_of(figures["interval_chart"])[-1] == "fixed"
    contours = [each for each in figures["local_minima_map"].data if each.type == "contour"]
    assert contours[0].z.shape == (48, 48)  # a fit per pair, since the search does not apply
    assert contours[0].z.min() < 2
    held = local_minima_map(cs.calibrate(day, fixed={"a_x": 0.5}))
    assert not [each for each in held.data if each.type == "contour"]


def test_all_parameters_fixed(fits):
    values = {"a_x": 0.5, "a_y": 0.04, "sigma_x": 0.015, "sigma_y": 0.011, "rho_xy": -0.9}
    figures = drawn(cs.calibrate(fits[TAME].problem.day, fixed=values))
    assert "No two parameters" in figures["correlation_matrix"].layout.meta["alt"]


def test_other_weights_and_anchor(fits):
    fit = fits[TAME]
    absolute = cs.calibrate(fit.problem.day, weights="absolute")
    assert geometry(absolute).layout.scene.xaxis.title.text.endswith("weighted")
    assert np.asarray(local_minima_map(absolute).data[0].z).min() < 1.0
    anchored = cs.calibrate(fit.problem.day, anchor=fit.parameters, anchor_strength=1e-3)
    figures = drawn(anchored)
    assert "anchor of a_x" in figures["hat_matrix"].data[0].x


def test_without_second_derivatives():
    rng = np.random.default_rng(7)
    x = np.linspace(0, 1, 9)
    J = np.column_stack((np.ones(9), x, x**2))
    dx = cs.diagnose_least_squares(
        rng.normal(size=9), J, names=["level", "slope", "second_order"], values=[1.0, 0.0, -2.0]
    )
    for draw in OF_DIAGNOSES:
        assert draw(dx).layout.meta["alt"].endswith(".")
    arrows = influence_arrows(dx)
    assert not [each for each in arrows.data if each.name == "exact Hessian"]
    assert "not given" in correlation_matrix(dx).layout.annotations[1].text
