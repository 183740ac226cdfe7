"""The page of one calibrated day: what it says about bounds, plausibility and identification."""

import io

import pytest
from rich.console import Console

import calibscope as cs
from calibscope.report.day import calibrated_day


def page(day, **wishes):
    console = Console(width=80, file=io.StringIO(), color_system=None)
    console.print(calibrated_day(cs.calibrate(day, **wishes), "synthetic"))
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
