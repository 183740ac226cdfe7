"""The example files are part of the built-in market, and are what the README says."""

import runpy
from pathlib import Path

import numpy as np
import pytest

import calibscope as cs

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_files_are_the_built_in_market():
    script = runpy.run_path(str(EXAMPLES / "make_files.py"))
    assert (EXAMPLES / "caps.csv").read_text(encoding="utf-8") == script["caps_text"]()
    assert (EXAMPLES / "ois.csv").read_text(encoding="utf-8") == script["curve_text"]()


def test_reading_them_gives_the_same_days():
    files, complete = (EXAMPLES / "caps.csv", EXAMPLES / "ois.csv"), {"incomplete": "drop"}
    assert len(cs.read_market(*files)) == 52
    market, demo = cs.read_market(*files, settings={"checks": complete}), cs.demo_market()
    assert len(market) == 51
    assert [str(finding) for finding in market.dropped] == [
        "caps.csv: 2020-03-06: price is missing at 8Y"
    ]
    expected = demo.between(market.dates[0], market.dates[-1])
    assert market.fingerprint == expected.fingerprint
    assert expected.is_synthetic
    assert not market.is_synthetic  # files cannot know


def test_the_svensson_example_prints_what_the_page_shows(capsys):
    script = runpy.run_path(str(EXAMPLES / "svensson_diagnosis.py"))
    script["main"]()
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    page = (EXAMPLES.parent / "docs" / "diagnosis.md").read_text(encoding="utf-8")
    assert "\n".join(lines) in page


def test_the_svensson_refits_are_what_the_page_shows(capsys, monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    script = runpy.run_path(str(EXAMPLES / "svensson_refit.py"))
    script["main"]()
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    page = (EXAMPLES.parent / "docs" / "refits.md").read_text(encoding="utf-8")
    assert "\n".join(lines) in page


def test_the_svensson_refit_keeps_what_is_held_and_heeds_weights(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    script = runpy.run_path(str(EXAMPLES / "svensson_refit.py"))
    dx = script["refittable"]("2022-07-21")
    y, w, best = dx.problem.observed[None], dx.problem.weights[None], dx.problem.values
    held = np.where(np.arange(6) == 4, best[4], np.nan)[None]
    assert dx.refit.solve(y, w, held, best[None])[0] == pytest.approx(best, rel=1e-6)
    assert dx.refits.is_reproduced
    # A weight that all but vanishes is as good as none.
    faint, none = np.array(w), np.array(w)
    faint[0, 3], none[0, 3] = 1e-4, 0.0
    two = [dx.refit.solve(y, weights)[0] for weights in (faint, none)]
    assert two[0] == pytest.approx(two[1], rel=1e-6)
    assert dx.refits.robust("cauchy").is_converged


def test_the_derivatives_of_the_svensson_example():
    """Against differences of the curve: 1e-6 steps leave some 1e-9 of first derivatives."""
    script = runpy.run_path(str(EXAMPLES / "svensson_diagnosis.py"))
    parameters, times = np.array([0.03, -0.02, 0.01, -0.01, 1.5, 6.0]), script["TIMES"]
    J, hessian = script["derivatives"](parameters, times)
    for p in range(6):
        step = 1e-6 * np.eye(6)[p]
        up, down = (script["svensson_zero_rates"](parameters + s, times) for s in (step, -step))
        assert J[:, p] == pytest.approx((up - down) / 2e-6, abs=1e-8)
        up, down = (script["derivatives"](parameters + s, times)[0] for s in (step, -step))
        assert hessian[:, :, p] == pytest.approx((up - down) / 2e-6, abs=1e-8)
