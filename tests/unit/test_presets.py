"""Presets: what they say, and that whatever else is said counts more."""

import inspect
import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

import calibscope as cs
from calibscope.base.presets import PAPER, PRESETS, preset_settings, section_of
from calibscope.calibration.problem import Problem
from calibscope.cli import main
from calibscope.diagnosis.settings import diagnosis_settings
from calibscope.study.audit import changed_thresholds
from calibscope.study.read import market_settings
from calibscope.study.settings import AllSettings, StudySettings, study_settings

EXAMPLES = ("examples/caps.csv", "examples/ois.csv")


@pytest.fixture(scope="module")
def day():
    return cs.demo_market().day("2020-03-18")


@pytest.fixture(scope="module")
def swapped(day):
    """A fit whose slower factor comes first, as its start has it."""
    start = cs.G2(a_x=0.05, a_y=0.5, sigma_x=0.01, sigma_y=0.01, rho_xy=-0.7)
    return cs.calibrate(day, "newton", start=start, order="solver")


def test_every_preset_is_part_of_a_settings_file():
    for content in PRESETS.values():
        AllSettings(**content)


@pytest.mark.parametrize(
    "function",
    [
        cs.read_market, cs.demo_market, cs.calibrate, cs.calibrate_many, cs.diagnose,
        cs.diagnose_many, cs.run_study,
    ],
)  # fmt: skip
def test_every_entry_point_takes_a_preset(function):
    assert inspect.signature(function).parameters["preset"].default is None


@pytest.mark.parametrize("preset", ["papr", "the paper's", 3])
def test_an_unknown_preset_names_the_known_ones(day, preset):
    fit = cs.calibrate(day)
    for action in (
        lambda: cs.calibrate(day, preset=preset),
        lambda: cs.diagnose(fit, preset=preset),
        lambda: cs.read_market(*EXAMPLES, preset=preset),
        lambda: cs.run_study(cs.Market((day,)), "none.db", preset=preset),
    ):
        with pytest.raises(cs.SettingsError) as caught:
            action()
        assert str(caught.value).startswith(f"preset: {preset!r} is not a preset; choose from")
        assert "\n" not in str(caught.value)
    with pytest.raises(cs.SettingsError, match=r"did you mean 'paper'\?"):
        preset_settings("papr")
    assert preset_settings("Paper") is PAPER


def test_settings_count_more_than_a_preset():
    chosen = study_settings({"calibration": {"solver": "lm"}}, ["diagnosis.scale=mse"], "paper")
    assert (chosen.calibration.solver, chosen.calibration.order) == ("lm", "solver")
    assert (chosen.diagnosis.mode, chosen.diagnosis.scale) == ("full", "mse")
    said = StudySettings(diagnosis={"mode": "strict"})
    assert study_settings(said, preset="paper").diagnosis.mode == "strict"
    assert study_settings(said, preset="paper").calibration.solver == "bobyqa"
    read = market_settings({"checks": {"incomplete": "keep"}}, preset="paper")
    assert (read.conventions.interpolation, read.checks.incomplete) == ("paper", "keep")


def test_arguments_count_more_than_a_preset(day):
    fit = cs.calibrate(day, "newton", order="canonical", preset="paper")
    assert (fit.solver, fit.problem.order) == ("newton", "canonical")
    assert cs.diagnose(fit, "strict", preset="paper").mode == "strict"
    settings = cs.DiagnosisSettings(rank_tolerance=1e-6, scale=0.003)
    dx = cs.diagnose(fit, settings=settings, preset="paper")
    assert (dx.settings.rank_tolerance, dx.settings.scale, dx.mode) == (1e-6, 0.003, "full")
    assert diagnosis_settings(settings) == settings
    assert section_of(None, "calibration", solver=None) == {}


def test_a_preset_changes_the_hash_of_results_and_the_new_defaults_do_not():
    """Stores of before these settings were there stay valid."""
    usual = StudySettings()
    before = "ed768f6254"
    assert study_settings(None, preset="paper").results_hash != usual.results_hash
    for change in ("calibration.order=solver", "diagnosis.scale=mad", "diagnosis.method=delta",
                   "diagnosis.normal_quantiles=true", "diagnosis.all_intervals=true"):  # fmt: skip
        assert study_settings(None, [change]).results_hash != usual.results_hash
    assert usual.results_hash.startswith(before)


def test_what_an_older_run_could_not_set_has_not_changed():
    new = StudySettings().model_dump_json()
    old = StudySettings().model_dump(mode="json")
    for name in ("scale", "method", "normal_quantiles", "all_intervals"):
        del old["diagnosis"][name]
    assert changed_thresholds(json.dumps(old), new) == []


def test_a_scale_is_a_name_or_a_number():
    assert study_settings(None, ["diagnosis.scale=0.003"]).diagnosis.scale == 0.003
    with pytest.raises(cs.SettingsError, match=r"diagnosis.scale: is 'mat'; choose from mse, mad"):
        study_settings(None, ["diagnosis.scale=mat"])


# The order of the factors


def test_the_solvers_order_is_kept_and_else_the_models(day, swapped):
    assert swapped.parameters == swapped.as_found
    assert swapped.parameters.a_x < swapped.parameters.a_y
    assert not swapped.is_swapped
    usual = cs.calibrate(day, "newton", start=swapped.parameters)
    assert usual.parameters.a_x > usual.parameters.a_y
    many = cs.calibrate_many([day], "newton", start=swapped.parameters, order="solver")
    assert many.parameters[0].tolist() == many[0].parameters.values.tolist()
    assert many.parameters[0, 0] < many.parameters[0, 1]
    with pytest.raises(ValueError, match="order is 'sorted'; choose from canonical, solver"):
        cs.calibrate(day, order="sorted")


def test_refits_keep_the_order_of_the_fit(day, swapped):
    """Else every shift would be that of two factors that changed places."""
    dx, usual = cs.diagnose(swapped), cs.diagnose(cs.calibrate(day))
    places = [1, 0, 3, 2, 4]
    shifts = dx.refits.leave_one_out().shifts.refitted
    expected = usual.refits.leave_one_out().shifts.refitted[:, places]
    assert shifts == pytest.approx(expected, rel=1e-3, abs=1e-6)
    (many,) = cs.diagnose_many([swapped])
    assert many.refits.leave_one_out().shifts.refitted == pytest.approx(shifts, rel=1e-6, abs=1e-9)


def test_alike_swaps_no_factors_that_the_bounds_keep_apart(day):
    problem = Problem.of(day, bounds={"a_x": (0.3, 10.0)}, order="solver")
    point = np.array([[0.5, 0.05, 0.01, 0.02, -0.7]])
    assert problem.alike(point, point[0, [1, 0, 3, 2, 4]]).tolist() == point.tolist()
    free = replace(problem, lower=np.array([1e-5] * 4 + [-1.0]))
    assert free.alike(point, point[0, [1, 0, 3, 2, 4]])[0].tolist() == [0.05, 0.5, 0.02, 0.01, -0.7]


# Intervals of parameters at a bound


def test_a_parameter_at_a_bound_has_the_interval_of_the_formula():
    """Finite by the logarithm, and cut; of a correlation of -1 the limit, from -1 to 1."""
    fit = cs.calibrate(cs.demo_market().day("2024-06-03"), bounds={"sigma_x": (1e-5, 0.008)})
    assert fit.at_bound.tolist() == [0.0, 0.0, 1.0, 0.0, -1.0]
    usual = cs.diagnose(fit, "full").intervals(method="delta")
    assert np.isnan(usual.low[[2, 4]]).all()
    found = cs.diagnose(fit, preset="paper").intervals()
    low, high = found.of("sigma_x")
    step = 1.959963984540054 * found.standard_errors[2] / 0.008
    assert (low, high) == (pytest.approx(0.008 * np.exp(-step)), 0.008)
    assert found.of("rho_xy") == (-1.0, 1.0)
    assert found.marks[2].startswith("at the upper bound, ")
    assert "no delta interval" not in "".join(found.marks)
    held = cs.diagnose(fit, "strict", preset="paper").intervals()
    assert np.isnan(held.low[[2, 4]]).all()  # held: no standard error


def test_normal_quantiles_are_those_of_every_scale(day):
    fit = cs.calibrate(day)
    usual, normal = (
        cs.diagnose(fit, "full", cs.DiagnosisSettings(normal_quantiles=is_normal))
        for is_normal in (False, True)
    )
    for scale, is_same in {"mse": False, "mad_adjusted": False, "mad": True, 0.003: True}.items():
        ours, theirs = (dx.intervals(0.9, scale, method="delta") for dx in (normal, usual))
        assert (ours.low == theirs.low).all() == is_same
        assert (ours.low >= theirs.low).all()


# In the terminal


def test_the_terminal_takes_the_preset(tmp_path):
    """The paper's filter drops the incomplete day, unless a setting keeps it."""
    runner = CliRunner()
    arguments = ["check", EXAMPLES[0], "--curve", EXAMPLES[1], "--json"]
    days = [
        json.loads(runner.invoke(main, [*arguments, *more]).stdout)["days"]
        for more in ([], ["--preset", "paper"],
                     ["--preset", "paper", "--set", "checks.incomplete=keep"])
    ]  # fmt: skip
    assert days[0] == days[2] == days[1] + 1
    refused = runner.invoke(main, [*arguments, "--preset", "papr"])
    assert refused.exit_code == 2
    assert "paper" in refused.stderr
    for command in ("check", "day", "run", "robustness", "demo"):
        assert "--preset" in runner.invoke(main, [command, "--help"]).stdout


def test_a_day_on_a_page_is_diagnosed_as_the_preset_says():
    arguments = ["day", EXAMPLES[0], "--curve", EXAMPLES[1], "--date", "2020-03-18", "--json"]
    shown = json.loads(CliRunner().invoke(main, [*arguments, "--preset", "paper"]).stdout)
    assert shown["fit"]["solver"] == "bobyqa"
    settings = shown["diagnosis"]["full"]["settings"]
    assert (settings["mode"], settings["scale"]) == ("full", "mad")
    assert shown["date"] == "2020-03-18"
