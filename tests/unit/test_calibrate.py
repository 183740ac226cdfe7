"""cs.calibrate and cs.calibrate_many: optima, order of factors, weights, bounds, odd days."""

import dataclasses
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import calibscope as cs
from calibscope.calibration import solvers
from calibscope.calibration.problem import Problem
from calibscope.calibration.solution import Status
from calibscope.calibration.solvers import SOLVERS
from calibscope.models.g2.parameters import SPECS

LOWER, UPPER = SPECS.lower, SPECS.upper

ROOT = Path(__file__).resolve().parents[2]
TRUTH = cs.G2(0.6, 0.04, 0.008, 0.009, -0.7)


@pytest.fixture(scope="module")
def sample():
    market = cs.demo_market()
    return [market.days[i] for i in range(0, len(market), 60)]


@pytest.fixture(scope="module")
def fits(sample):
    return cs.calibrate_many(sample)


def test_fits_are_optima_inside_the_bounds(fits):
    for fit in fits:
        assert (fit.parameters.values >= LOWER).all()
        assert (fit.parameters.values <= UPPER).all()
        assert fit.parameters.a_x >= fit.parameters.a_y
        assert fit.is_converged, fit
        assert fit.relative_offset < 1e-6
        assert fit.rmsre < 0.03


def test_no_newton_from_many_starts_ends_lower(fits):
    for fit in fits:
        others = cs.calibrate(fit.problem.day, "multistart")
        assert fit.objective <= others.objective * (1 + 1e-6)


def test_order_and_threads_change_no_bit(sample, fits):
    again = cs.calibrate_many(sample[::-1], threads=1)
    assert again.parameters[::-1].tolist() == fits.parameters.tolist()
    one = cs.calibrate(sample[3])
    assert one.parameters.values.tolist() == fits[3].parameters.values.tolist()
    assert one.evaluations == fits[3].evaluations


def test_a_panel_is_a_sequence_of_fits(fits, sample):
    assert len(fits) == len(sample)
    assert [fit.problem.day.date for fit in fits[2:5]] == [day.date for day in sample[2:5]]
    assert fits.rmsre == pytest.approx([fit.rmsre for fit in fits])
    assert fits[0].rmsre ** 2 * 13 == pytest.approx(fits[0].objective, rel=1e-12)
    assert fits[0].residuals == pytest.approx(fits[0].prices / sample[0].prices - 1)


@pytest.mark.parametrize("rho", [-1.0, -0.7, 0.2])
def test_exact_prices_give_the_truth_back(rho):
    truth = cs.G2(0.9, 0.03, 0.012, 0.009, rho)
    day = cs.simulate_market(truth, days=1, noise=0.0).days[0]
    fit = cs.calibrate(day)
    assert fit.rmsre < 1e-9
    assert fit.parameters.values == pytest.approx(truth.values, rel=1e-5)


def test_floors_and_notionals_give_the_same_parameters():
    day = cs.simulate_market(TRUTH, days=1, noise=0.002).days[0]
    floor = dataclasses.replace(day, kind="floor", notional=1e6, prices=1e6 * day.prices)
    one, other = cs.calibrate(day), cs.calibrate(floor)
    assert other.rmsre == pytest.approx(one.rmsre, rel=1e-2)  # at the money, up to parity


def test_weights_decide_what_is_minimised(sample):
    day = sample[10]
    by_name = {name: cs.calibrate(day, weights=name) for name in ("rmsre", "absolute", "vega")}
    for name, fit in by_name.items():
        assert fit.is_converged
        assert fit.rmsre >= by_name["rmsre"].rmsre * (1 - 1e-9)
        problem = Problem.of(day, name)
        for other in by_name.values():
            assert fit.objective <= problem.objective(other.parameters.values) * (1 + 1e-9)
    own = cs.calibrate(day, weights=day.prices**-2.0)
    assert own.parameters.values == pytest.approx(by_name["rmsre"].parameters.values, rel=1e-9)
    importance = {float(year): float(year > 3) for year in day.maturities}
    fit = cs.calibrate(day, weights=importance)
    assert fit.problem.weighting == "liability"
    assert fit.problem.weights == pytest.approx(np.where(day.maturities > 3, day.prices**-2.0, 0))
    assert np.abs(fit.residuals[1:]).max() <= np.abs(by_name["rmsre"].residuals).max() * 1.5


def test_bounds_fixed_parameters_and_anchor(sample):
    day = sample[20]
    free = cs.calibrate(day)
    tight = cs.calibrate(day, bounds={"sigma_x": (1e-4, 0.005), "a_x": (0.1, 2.0)})
    assert 1e-4 <= tight.parameters.sigma_x <= 0.005
    assert 0.1 <= tight.parameters.a_x <= 2.0
    assert tight.objective >= free.objective * (1 - 1e-9)
    held = cs.calibrate(day, fixed={"rho_xy": -0.5})
    assert held.parameters.rho_xy == -0.5
    assert held.parameters.a_x >= held.parameters.a_y  # still symmetric
    assert held.at_bound[4] == 0
    assert held.objective >= free.objective * (1 - 1e-9)
    anchor = cs.G2(0.4, 0.05, 0.006, 0.01, -0.6)
    pulled = cs.calibrate(day, anchor=anchor, anchor_strength=1e6)
    assert pulled.parameters.values == pytest.approx(anchor.values, rel=1e-3)
    assert pulled.anchor_cost == pytest.approx(pulled.rmsre - free.rmsre, rel=1e-9)
    assert "the anchor costs" in repr(pulled)
    mild = cs.calibrate(day, anchor=anchor, anchor_strength=1e-7)
    assert free.rmsre * (1 - 1e-9) <= mild.rmsre <= pulled.rmsre
    assert 0 < mild.anchor_cost < pulled.anchor_cost
    assert mild.relative_offset < 1e-6
    assert free.anchor_cost == 0.0


def test_one_sided_bounds_are_no_excuse():
    # The optimum of the free problem is at sigma = 1, far outside these bounds.
    day = cs.demo_market().day("2024-01-19")
    one = cs.calibrate(day, bounds={"sigma_x": (1e-5, 0.1)})
    both = cs.calibrate(day, bounds={"sigma_x": (1e-5, 0.1), "sigma_y": (1e-5, 0.1)})
    assert one.objective <= both.objective * (1 + 1e-9)
    assert one.is_converged


def test_multipliers_belong_to_the_active_bounds(sample):
    day = sample[20]
    free = cs.calibrate(day)
    fit = cs.calibrate(day, bounds={"sigma_x": (1e-4, 0.5 * free.parameters.sigma_x)})
    assert fit.at_bound[2] == 1
    assert fit.multipliers[2] > 0
    assert (fit.multipliers[fit.at_bound == 0] == 0).all()
    # The objective falls at that rate when the bound is moved a little.
    moved = cs.calibrate(day, bounds={"sigma_x": (1e-4, 0.5 * free.parameters.sigma_x * 1.0001)})
    rate = (fit.objective - moved.objective) / np.log(1.0001)
    assert fit.multipliers[2] == pytest.approx(rate, rel=1e-2)


def test_a_panel_takes_the_same_wishes_as_a_day(sample):
    seen = []
    days, bounds = sample[:4], {"sigma_x": (1e-5, 0.05), "sigma_y": (1e-5, 0.05)}
    panel = cs.calibrate_many(
        days, bounds=bounds, progress=lambda done, total: seen.append((done, total))
    )
    assert seen[-1] == (4, 4)
    for fit, day in zip(panel, days, strict=True):
        one = cs.calibrate(day, bounds=bounds)
        assert fit.parameters.values.tolist() == one.parameters.values.tolist()
    for wishes in ({"fixed": {"rho_xy": -0.5}}, {"solver": "newton"}):
        panel = cs.calibrate_many(days, **wishes)
        for fit, day, point in zip(panel, days, panel.parameters, strict=True):
            one = cs.calibrate(day, **wishes)
            assert fit.parameters.values.tolist() == one.parameters.values.tolist()
            assert point.tolist() == one.parameters.values.tolist()
            assert fit.solver == one.solver


def test_leverage_balanced_weights_by_name(sample):
    fit = cs.calibrate(sample[0], weights="leverage_balanced")
    assert fit.problem.weighting == "leverage_balanced"
    jacobian = fit.problem.task.root_weights[:, None] * fit.parameters.jacobian(sample[0])
    left, singular, _ = np.linalg.svd(jacobian, full_matrices=False)
    left = left[:, singular > 1.5e-8 * singular[0]]
    assert np.sum(left**2, axis=1).max() <= 0.9 + 2e-3
    assert fit.rmsre >= cs.calibrate(sample[0]).rmsre * (1 - 1e-9)


def test_evidence_is_computed_when_asked_for(sample):
    lazy, full = cs.calibrate(sample[0]), cs.calibrate(sample[0], evidence="full")
    assert "evidence" not in vars(lazy)
    assert "evidence" in vars(full)
    assert str(lazy.evidence) == str(full.evidence)


def test_the_solvers_order_of_the_factors_is_kept(sample):
    start = cs.G2(0.02, 0.8, 0.008, 0.01, -0.9)
    fit = cs.calibrate(sample[0], "newton", start=start)
    assert fit.is_swapped == (fit.as_found.a_x < fit.as_found.a_y)
    a_x, a_y, sigma_x, sigma_y, rho_xy = fit.as_found.values
    faster_first = cs.G2(a_y, a_x, sigma_y, sigma_x, rho_xy) if a_x < a_y else fit.as_found
    assert fit.parameters == faster_first
    assert fit.problem.objective(fit.as_found.values) == pytest.approx(fit.objective, rel=1e-12)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"solver": "bobyca"}, "choose from global, bobyqa"),
        ({"weights": "rmse"}, "choose from rmsre, absolute, vega"),
        ({"weights": [1.0, 2.0]}, "give 13 numbers"),
        ({"weights": np.zeros(13)}, "at least one quote must count"),
        ({"bounds": {"sigma": (0, 1)}}, "'sigma' is not a parameter"),
        ({"bounds": {"sigma_x": (0.1, 0.01)}}, "lower <= upper"),
        ({"bounds": {"a_x": 3}}, "give a lower and an upper"),
        ({"anchor_strength": 1.0}, "give an anchor"),
        ({"weights": {10.0: 1.0}}, "no importance is given for 3Y, 4Y"),
        ({"weights": "liability"}, "an importance per maturity"),
        ({"evidence": "some"}, "choose from lazy, full"),
    ],
)
def test_impossible_wishes_are_refused(sample, changes, message):
    with pytest.raises(ValueError, match=message):
        cs.calibrate(sample[0], **changes)
    with pytest.raises(TypeError, match="expected a MarketDay"):
        cs.calibrate("2020-03-18")
    with pytest.raises(ValueError, match="no days"):
        cs.calibrate_many([])


def test_odd_days_get_a_status_and_do_not_raise(sample):
    day = sample[5]
    few = dataclasses.replace(
        day, maturities=day.maturities[:3], period_counts=day.period_counts[:3],
        strikes=day.strikes[:3], prices=day.prices[:3],
    )  # fmt: skip
    assert cs.calibrate(few).status is Status.UNDERDETERMINED
    equal = dataclasses.replace(day, prices=np.full(13, 0.02))
    assert cs.calibrate(equal).status in (Status.AT_BOUND, Status.UNREACHABLE, Status.EQUAL_SPEEDS)
    absurd = dataclasses.replace(day, prices=1e3 * day.prices)
    assert cs.calibrate(absurd).status is Status.UNREACHABLE
    tiny = dataclasses.replace(day, prices=1e-7 * day.prices)
    assert cs.calibrate(tiny).status is Status.UNREACHABLE
    together = cs.calibrate_many([few, day, absurd])
    assert together[1].parameters.values.tolist() == cs.calibrate(day).parameters.values.tolist()


def test_every_solver_has_a_file_and_a_line_in_the_documentation():
    from calibscope.calibration.solvers import solver

    files = {path.stem for path in Path(solvers.__file__).parent.glob("*.py")} - {"__init__"}
    assert {spec.module for spec in SOLVERS.values()} == files
    for name in SOLVERS:
        assert callable(solver(name))
        assert f'"{name}"' in cs.calibrate.__doc__
    page = (ROOT / "docs" / "calibration.md").read_text(encoding="utf-8")
    table = re.search(r"^\| solver \| when \|\n\|---\|---\|\n((?:\|.*\n)+)", page, re.MULTILINE)[1]
    shown = dict(re.findall(r"^\| `(.*?)` \| (.*) \|$", table, re.MULTILINE))
    assert shown == {name: spec.when for name, spec in SOLVERS.items()}


def test_the_table_of_solvers_imports_nothing_heavy():
    code = "import sys; from calibscope.calibration.solvers import SOLVERS; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert not {"numpy", "numba", "scipy", "nlopt", "pydantic"} & set(loaded.stdout.split())
