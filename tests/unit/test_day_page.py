"""The page of one calibrated day: what it says about bounds, plausibility and identification."""

import io

import numpy as np
import pytest
from rich.console import Console

import calibscope as cs
from calibscope.report.render.terminal import on_terminal
from calibscope.report.sections.day import day_document


def page(day, **wishes):
    console = Console(width=80, file=io.StringIO(), color_system=None)
    console.print(on_terminal(day_document(cs.calibrate(day, **wishes), "synthetic")))
    return console.file.getvalue()


@pytest.fixture(scope="module")
def absurd():
    return page(cs.demo_market().day("2024-01-19"))


def test_bounds_and_the_plausible_alternative_are_shown(absurd):
    assert "at the upper bound" in absurd
    assert "plausible" in absurd
    assert "The fit is implausible: sigma_x = 1.00 is above 0.1" in " ".join(absurd.split())


def test_no_row_of_a_parameter_is_broken(absurd):
    lines = absurd.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("a_x"))
    names = [line.split()[0] for line in lines[first : first + 5]]
    assert names == ["a_x", "a_y", "sigma_x", "sigma_y", "rho_xy"]


def test_a_day_that_identifies_nothing_says_so():
    truth = cs.G2(0.05, 0.05, 0.01, 0.01, -0.5)  # one factor
    text = page(cs.simulate_market(truth, days=1, noise=0.0).days[0])
    assert "do not identify all parameters" in " ".join(text.split())
    tame = page(cs.demo_market().day("2020-03-18"))
    assert "do not identify" not in tame


def test_the_diagnosis_is_on_the_page():
    tame = page(cs.demo_market().day("2020-03-18"))
    words = " ".join(tame.split())
    assert "nearly forced through" in words
    assert " 3Y ███████████▊ 0.98" in words
    assert "a_x 0.53438 0.126 to 1 0.361 to 0.778" in words
    assert "Studentised: market minus model" in words
    assert "EDoF 5 of 5 parameters, at a tolerance of 1.5e-08" in words
    assert "has_leverage_near_one one quote all but decides a direction" in words


def test_intervals_are_marked_on_the_page():
    text = page(cs.demo_market().day("2024-06-06"))
    words = " ".join(text.split())
    assert "by profile: all else is fitted again with the parameter held; noise 0.84 %." in words
    assert "a_x 6.7791 0.58 to 10 2.48 to 7.75 cut at the upper" in words
    assert "sigma_x 0.057059 0.00218 to 0.116 0.0075 to 0.0852 not identified" in words
    assert "rho_xy -1 -1 to -0.508 -1 to -0.716 at the lower bound," in words
    assert "The delta method's intervals have other ends: a_x, sigma_x, sigma_y." in words
    assert "multiplier 16 standard errors from zero, so the bound holds." in words
    assert "a_x up and sigma_x up together leave all prices unchanged." in words
    assert "Reduced EDoF (3 of 4 free parameters)" in words
    assert "As if all parameters could move: Reduced EDoF (4 of 5)" in words


@pytest.mark.parametrize(
    ("weights", "factor", "symbol"),
    [("absolute", 1e4, "bp price"), ("vega", 1e4, "bp vol"), (np.ones(13), 1, "(weighted)")],
)
def test_the_noise_has_the_unit_of_what_is_minimised(weights, factor, symbol):
    day = cs.demo_market().day("2020-03-18")
    noise = factor * cs.diagnose(cs.calibrate(day, weights=weights)).scale_mse
    assert f"noise {noise:.3g} {symbol}." in " ".join(page(day, weights=weights).split())
