"""Refits of a day in the terminal, as data and in figures: the same numbers everywhere."""

import dataclasses
import io
import json

import numpy as np
import pytest
from rich.console import Console

import calibscope as cs
from calibscope.base.numbers import PERCENT
from calibscope.report.document import Callout
from calibscope.report.figures import profiles
from calibscope.report.figures.left_out_shifts import left_out_shifts
from calibscope.report.figures.profiles import profile_chart
from calibscope.report.refits.answers import STEPS, refit_answers
from calibscope.report.refits.data import refits_as_data
from calibscope.report.refits.sentences import NOT_REPRODUCED, curvature_sentences, worth_rows
from calibscope.report.render.terminal import shown
from calibscope.report.sections.refits import fitted_again

TAME, AT_BOUND = "2020-03-18", "2024-06-06"


@pytest.fixture(scope="module")
def steps():
    return []


@pytest.fixture(scope="module")
def answers(steps):
    market = cs.demo_market()
    return {
        date: refit_answers(
            cs.diagnose(cs.calibrate(market.day(date))), lambda *step: steps.append(step)
        )
        for date in (TAME, AT_BOUND)
    }


def printed(found):
    console = Console(width=80, file=io.StringIO(), color_system=None)
    console.print(shown(fitted_again(found, PERCENT)))
    return " ".join(console.file.getvalue().split())


def trace(figure, name):
    (found,) = (each for each in figure.data if each.name == name)
    return found


def test_the_terminal_has_every_answer(answers):
    found = answers[TAME]
    said, left = printed(found), found.leave_one_out
    k = 12
    assert left.labels[k] == "30Y"
    a_y = found.dx.problem.values[1], left.shifts.parameters[k, 1]
    assert f"30Y {100 * left.rms[k]:.3g} a_y {a_y[0]:.3g} to {a_y[1]:.3g} " in said
    assert f"{100 * left.shifts.error('exact')[k]:.2g} % " in said
    low, high = found.intervals.low[:, 0], found.intervals.high[:, 0]
    ends = " ".join(f"{a:.3g} to {b:.3g}" for a, b in zip(low, high, strict=True))
    assert f"a_x {ends} delta: longer" in said
    assert "The methods disagree on a_x, sigma_x" in said
    assert "The model itself is curved within the region" in said
    assert "30Y +0.61 +1.5 +1.6 1.00 0.97 in line" in said
    assert f"sigma_x {dict(worth_rows(found.data_worth))['sigma_x']}" in said
    assert "P(r(1Y) < 0)" in said


def test_a_lost_parameter_is_named_not_multiplied(answers):
    worth = answers[AT_BOUND].data_worth
    for p, (name, text) in enumerate(worth_rows(worth)):
        assert ("not identified without it" in text) == np.isinf(worth.factors[:, p]).any(), name


def test_curvature_is_read_in_the_order_of_its_harm(answers):
    numbers, meaning = curvature_sentences(answers[TAME].bates_watts)
    intrinsic = answers[TAME].bates_watts.intrinsic
    assert f"intrinsic {intrinsic.rms_at_level:.3g} and {intrinsic.maximum_at_level:.3g}" in numbers
    assert answers[TAME].bates_watts.has_strong_intrinsic
    assert meaning.startswith("The model itself is curved")
    truth = cs.G2(0.5, 0.05, 0.01, 0.01, -0.7)
    quiet = cs.diagnose(cs.calibrate(cs.simulate_market(truth, days=1, noise=1e-9).days[0]))
    assert "nearly linear" in curvature_sentences(quiet.bates_watts())[1]


def test_data_are_those_of_the_answers(answers):
    found = answers[AT_BOUND]
    data = json.loads(json.dumps(refits_as_data(found), allow_nan=False))
    np.testing.assert_allclose(data["leave_one_out"]["press"], found.leave_one_out.press)
    assert data["intervals"]["delta"]["low"]["rho_xy"] is None
    assert data["intervals"]["delta"]["disagrees"]["rho_xy"] is True
    assert data["intervals"]["marks"]["a_x"] == found.intervals.marks[0]
    curve = found.profiles.of("sigma_x")
    np.testing.assert_allclose(data["profiles"]["curves"]["sigma_x"]["values"], curve.values)
    assert data["outliers"]["verdict"] == list(found.outliers.verdicts)
    lost = np.isinf(found.data_worth.factors)
    assert data["data_worth"]["is_lost"] == lost.tolist()
    assert data["consequences"]["estimate"] == found.consequences.estimates.tolist()


def test_progress_is_reported_to_the_end(answers, steps):
    of_one = steps[: len(steps) // 2]
    assert (of_one[0], of_one[-1]) == ((0, STEPS), (STEPS, STEPS))
    assert of_one == sorted(of_one) == steps[len(steps) // 2 :]


def test_a_fit_that_is_not_the_best_says_so_before_its_shifts(answers):
    found = answers[TAME]
    assert "are met better" not in printed(found)
    assert refits_as_data(found)["leave_one_out"]["is_reproduced"] is True
    missed = dataclasses.replace(found, is_reproduced=False)
    assert "the fit is not the best one, and every shift below includes" in printed(missed)
    assert Callout(NOT_REPRODUCED) in fitted_again(missed, PERCENT).blocks


def test_ticks_are_round_apart_and_never_alone(answers):
    ticks = profiles._ticks
    assert ticks(-2.2, 0.3, True)["ticktext"] == ["0.01", "0.1", "1"]
    assert ticks(np.log10(0.0091), np.log10(0.0098), True)["ticktext"] == [
        "0.00933",
        "0.00956",
    ]
    close = ticks(np.arcsin(-0.99996), np.arcsin(-0.9999), False)
    assert len(close["ticktext"]) == 2
    np.testing.assert_allclose(np.sin(close["tickvals"]), [float(x) for x in close["ticktext"]])


@pytest.mark.parametrize("date", [TAME, AT_BOUND])
def test_the_profile_chart_shows_the_profiles(answers, date):
    found = answers[date]
    delta = found.dx.intervals(0.95, method="delta")
    figure = profile_chart(found.profiles, delta, "note")
    for curve in found.profiles.curves:
        p = found.dx.problem.specs.names.index(curve.name)
        to_axis = np.log10 if curve.name != "rho_xy" else np.arcsin
        line = trace(figure, curve.name)
        np.testing.assert_allclose(line.x, to_axis(curve.values))
        np.testing.assert_allclose(line.y, curve.objectives / found.profiles.lowest)
        marked = trace(figure, f"{curve.name}, others at bounds")
        own = found.dx.problem.at_bound
        reached = ((curve.at_bound != 0) & (curve.at_bound != own)).any(axis=1)
        np.testing.assert_allclose(marked.x, to_axis(curve.values[reached]))
        bar = trace(figure, f"{curve.name}, profile")
        np.testing.assert_allclose(bar.x, to_axis([curve.low[-1], curve.high[-1]]))
        bars = [each.name for each in figure.data if each.name == f"{curve.name}, delta"]
        assert len(bars) == (0 if own[p] else 1)  # a parameter at its bound has none
    heights = [shape.y0 for shape in figure.layout.shapes]
    np.testing.assert_allclose(heights[:3], found.profiles.limits / found.profiles.lowest)
    low, high = found.profiles.of("a_y").low[-1], found.profiles.of("a_y").high[-1]
    assert f"a_y {low:.3g} to {high:.3g}" in figure.layout.meta["alt"]


def test_doubtful_delta_intervals_are_grey(answers):
    found = answers[AT_BOUND]
    figure = profile_chart(found.profiles, found.dx.intervals(0.95, method="delta"))
    colours = {name: trace(figure, f"{name}, delta").line.color for name in ("a_x", "a_y")}
    assert colours["a_x"] == trace(figure, "delta, rank lost").line.color
    assert colours["a_y"] == trace(figure, "95 % delta").line.color


@pytest.mark.parametrize("date", [TAME, AT_BOUND])
def test_the_shifts_are_those_of_the_refits(answers, date):
    left = answers[date].leave_one_out
    figure = left_out_shifts(left, "note")
    for p, name in enumerate(left.shifts.specs.names):
        if not left.shifts.refitted[:, p].any():
            assert not any(each.name.startswith(f"{name},") for each in figure.data)
            continue
        true = 100 * left.shifts.refitted[:, p] / left.shifts.scale[p]
        np.testing.assert_allclose(trace(figure, f"{name}, fitted again").x, true)
        predicted = 100 * left.shifts.exact_hessian[:, p] / left.shifts.scale[p]
        reach = 1.3 * np.abs(true).max()
        shown = trace(figure, f"{name}, exact Hessian")
        np.testing.assert_allclose(shown.x, np.clip(predicted, -reach, reach))
        beyond = [symbol.startswith("triangle") for symbol in shown.marker.symbol]
        assert beyond == (np.abs(predicted) > reach).tolist()
    assert "Shifts of 5 parameters without each of 13 quotes" in figure.layout.meta["alt"]


def test_days_without_noise_or_freedom_have_no_curves_but_a_section():
    truth = cs.G2(0.5, 0.05, 0.01, 0.01, -0.7)
    day = cs.simulate_market(truth, days=1, noise=0.0).days[0]
    few = cs.MarketDay.from_arrays(
        curve=day.curve, maturities=day.maturities[:5], prices=day.prices[:5] * [1, 1.1, 1, 1, 0.9]
    )
    for each in (day, few):
        found = refit_answers(cs.diagnose(cs.calibrate(each)))
        assert not found.has_profiles
        assert "There are no profiles" in printed(found)
        json.dumps(refits_as_data(found), allow_nan=False)
