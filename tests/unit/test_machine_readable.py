"""What `calibscope day --json` prints: complete, valid, and never a bare NaN."""

import json

import numpy as np
import pytest

import calibscope as cs
from calibscope.diagnosis.settings import MODES
from calibscope.report.bars import bar
from calibscope.report.machine_readable import day_as_data
from calibscope.report.sections.diagnosis import interval_lines


@pytest.fixture(scope="module", params=["2020-03-18", "2024-06-06"])
def fit(request):
    return cs.calibrate(cs.demo_market().day(request.param))


def test_it_is_valid_json_without_nan(fit):
    text = json.dumps(day_as_data(fit), allow_nan=False)
    again = json.loads(text)
    assert again["fit"]["parameters"]["a_x"] == fit.parameters.a_x
    assert again["fit"]["status"] == fit.status.name
    assert again["quotes"]["maturities"][0] == "3Y"


def test_numbers_are_those_of_the_diagnosis(fit):
    data = day_as_data(fit)["diagnosis"]
    assert list(data) == list(MODES)
    for mode in MODES:
        dx = cs.diagnose(fit, mode)
        assert data[mode]["leverage"] == dx.leverage.tolist()
        assert data[mode]["edof"] == dx.edof
        assert data[mode]["summary"] == dx.summary
        assert data[mode]["flags"]["has_rank_loss"] is bool(dx.flags.has_rank_loss)
        assert np.array(data[mode]["influence"]) == pytest.approx(dx.influence)
        covariance = np.array(data[mode]["covariance"]["mse/gauss_newton"])
        assert covariance == pytest.approx(dx.covariance("mse"))
        exact = dx.intervals((0.5, 0.75, 0.95), "mse", "exact")
        low = np.array(data[mode]["intervals_exact"]["mse"]["low"], dtype=float)
        assert low == pytest.approx(exact.low, nan_ok=True)
        assert data[mode]["settings"]["rank_tolerance"] == 1.5e-8


def test_delta_intervals_are_marked_as_on_the_page(fit):
    """The profiles of the same data are known to every mode and scale."""
    data = day_as_data(fit)
    names = fit.problem.specs.names
    (said,) = (line for line in interval_lines(*pair(fit)) if "have other ends" in line)
    wrong = [name for name in names if f" {name}" in said]
    for mode in MODES:
        quick = data["diagnosis"][mode]["intervals"]["mse"]
        dx = cs.diagnose(fit, mode)
        dx.intervals((0.5, 0.75, 0.95))
        own = dx.intervals((0.5, 0.75, 0.95), method="delta")
        assert quick["is_contradicted"] == own.is_contradicted.tolist()
        assert quick["marks"] == list(own.marks)
    quick = data["diagnosis"]["active"]["intervals"]["mse"]
    assert [
        name for name, is_so in zip(names, quick["is_contradicted"][2], strict=True) if is_so
    ] == wrong
    for scale in ("mad", "mad_adjusted"):
        quick = data["diagnosis"]["active"]["intervals"][scale]
        assert any("contradicted by the profile" in mark for mark in quick["marks"])


def pair(fit):
    dx = cs.diagnose(fit)
    dx.intervals((0.5, 0.75, 0.95))
    return dx, cs.diagnose(fit, "full")


def test_what_is_missing_is_null_and_marked():
    fit = cs.calibrate(cs.demo_market().day("2024-06-06"))
    intervals = day_as_data(fit)["diagnosis"]["full"]["intervals"]["mad_adjusted"]
    assert intervals["low"][2][4] is None
    assert intervals["marks"][4] == "at the lower bound, no delta interval"
    assert intervals["marks"][2].startswith("not identified")


def test_a_day_that_identifies_nothing_is_valid_too():
    truth = cs.G2(0.05, 0.05, 0.01, 0.01, -0.5)
    day = cs.simulate_market(truth, days=1, noise=0.0).days[0]
    json.dumps(day_as_data(cs.calibrate(day)), allow_nan=False)


def test_bars():
    assert bar(1.0, 3) == "███"
    assert bar(1e-9, 3) == "▏"
    assert bar(2.0, 3) == "███"
