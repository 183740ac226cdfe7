"""Hull-White: its prices, its global optimum, and everything that follows from a fit."""

import runpy
from pathlib import Path

import numpy as np
import pytest
import QuantLib as ql
from click.testing import CliRunner
from hull_white_oracle import Book

import calibscope as cs
import peers
from calibscope.cli import main

ROOT = Path(__file__).parents[2]
FILES = (str(ROOT / "examples" / "caps.csv"), "--curve", str(ROOT / "examples" / "ois.csv"))


@pytest.fixture(scope="module")
def market():
    return cs.demo_market()


@pytest.mark.parametrize("kind", ["cap", "floor"])
@pytest.mark.parametrize("a", [1e-5, 1e-3, 0.05, 0.4, 10.0])
def test_prices_and_derivatives_are_those_of_a_program_that_shares_no_code(a, kind):
    day = cs.MarketDay.from_arrays(
        curve=cs.DiscountCurve.from_zero_rates([1, 10, 30], [0.01, 0.02, 0.025]),
        maturities=[2, 5, 30], vols=[0.008, 0.009, 0.007], kind=kind, notional=100,
    )  # fmt: skip
    model = cs.HullWhite(a, 0.009)
    prices, jacobian, hessian = Book(day).evaluate(a, 0.009)
    # Differences of normal probabilities lose digits that the kernel keeps.
    assert model.prices(day) == pytest.approx(prices, rel=1e-10)
    assert model.jacobian(day) == pytest.approx(jacobian, rel=1e-10)
    assert model.hessian(day) == pytest.approx(hessian, rel=1e-8)


def test_prices_are_those_of_quantlib():
    day = cs.MarketDay.from_arrays(
        curve=cs.DiscountCurve.from_zero_rates([1, 30], [-0.004, 0.012]),
        maturities=[3, 10, 30], vols=[0.008, 0.009, 0.007],
    )  # fmt: skip
    model = cs.HullWhite(0.03, 0.008)
    owner = peers.quantlib_model(cs.G2(0.5, 0.05, 0.01, 0.01, 0.0), day)  # keeps the curve alive
    one = ql.HullWhite(owner.termStructure(), model.a, model.sigma)
    theirs = [sum(caplets) for caplets in peers.quantlib_caplets(one, day)]
    assert model.prices(day) == pytest.approx(theirs, rel=1e-12)


def test_it_takes_its_own_parameters_only():
    with pytest.raises(ValueError, match=r"sigma is -0\.01; give a finite number"):
        cs.HullWhite(0.03, -0.01)
    with pytest.raises(ValueError, match="model is 'vasicek'; choose from g2"):
        cs.calibrate(cs.demo_market().day("2024-01-19"), model="vasicek")


def test_no_dense_grid_is_better(market):
    """All days: benchmarks/hull_white.py."""
    speeds, sigmas = np.geomspace(1e-5, 10, 120), np.geomspace(1e-4, 1, 240)
    points = np.stack(np.meshgrid(speeds, sigmas), axis=-1).reshape(-1, 2)
    for day in market.days[7::400]:
        fit = cs.calibrate(day, model="hull-white")
        lowest = fit.problem.objectives(points).min()
        assert fit.objective <= lowest * (1 + 1e-9)
        assert fit.evidence.is_best
        assert fit.relative_offset < 1e-6


def test_the_fit_is_that_of_g2_held_to_one_factor(market):
    day = market.day("2022-07-21")
    fit = cs.calibrate(day, model="hull-white")
    same = cs.calibrate(day, fixed={"a_y": 1.0, "sigma_y": 1e-8, "rho_xy": 0.0})
    assert fit.parameters.values == pytest.approx(same.parameters.values[[0, 2]], rel=1e-5)
    assert fit.rmsre == pytest.approx(same.rmsre, rel=1e-8)


def test_bounds_fixed_and_anchor(market):
    day = market.day("2020-03-18")
    fit = cs.calibrate(day, model="hull-white")
    assert fit.parameters.a == 1e-5  # to the last bit
    assert fit.status.name == "AT_BOUND"
    inside = cs.calibrate(day, model="hull-white", bounds={"a": (0.02, 0.5)})
    assert inside.parameters.a == 0.02
    fixed = cs.calibrate(day, model="hull-white", fixed={"a": 0.02})
    assert fixed.parameters.sigma == pytest.approx(inside.parameters.sigma, rel=1e-9)
    anchor = cs.HullWhite(0.1, 0.02)
    pulled = cs.calibrate(day, model="hull-white", anchor=anchor, anchor_strength=1e7)
    assert pulled.parameters.values == pytest.approx(anchor.values, rel=1e-4)
    assert pulled.anchor_cost > 0


def test_bounds_are_met_to_the_last_bit(market):
    """Where rounding of a coordinate, or of the objective, would leave the fit beside them."""
    day = market.day("2024-01-19")
    for bound in np.linspace(0.005, 0.044, 14):
        fit = cs.calibrate(day, model="hull-white", bounds={"a": (1e-5, bound)})
        assert fit.parameters.a == bound
        assert fit.status.name == "AT_BOUND"
    lower = cs.calibrate(market.day("2025-04-03"), model="hull-white", bounds={"a": (0.1, 10)})
    assert lower.parameters.a == 0.1
    high = cs.calibrate(day, model="hull-white", bounds={"sigma": (0.5, 1.0)})
    assert high.parameters.values.tolist() == [10.0, 0.5]


def test_far_from_the_money_no_grid_is_better():
    curve = cs.DiscountCurve.from_zero_rates([1, 10, 30], [-0.01, -0.005, -0.002])
    for strike in (0.03, 0.08):
        day = cs.MarketDay.from_arrays(
            curve=curve, maturities=[2, 5, 10, 30], vols=[0.006, 0.008, 0.009, 0.007],
            strikes=[strike] * 4,
        )  # fmt: skip
        fit = cs.calibrate(day, model="hull-white")
        points = np.stack(np.meshgrid(np.geomspace(1e-5, 10, 60), np.geomspace(1e-4, 1, 120)), -1)
        assert fit.objective <= fit.problem.objectives(points.reshape(-1, 2)).min() * (1 + 1e-9)


def test_quotes_without_weight_do_not_make_optima(market):
    weights = np.zeros(13)
    weights[5] = 1.0
    fit = cs.calibrate(market.day("2024-01-19"), model="hull-white", weights=weights)
    assert len(fit.evidence.local_minima.optima) == 1


def test_refits(market):
    day = market.day("2024-01-19")
    dx = cs.diagnose(cs.calibrate(day, model="hull-white"))
    best = dx.problem.values
    assert dx.refits.is_reproduced
    without = cs.calibrate(day.without([30]), model="hull-white").parameters
    left_out = dx.refits.leave_one_out().shifts.refitted[12]
    assert best + left_out == pytest.approx(without.values, rel=1e-6)
    profile = dx.refits.profiles([0.95]).of("a")
    for end in (profile.low, profile.high):
        held = dx.refit.solve(
            dx.problem.observed[None], dx.problem.weights[None], np.array([[end[0], np.nan]])
        )
        residuals = (dx.refit.predict(held)[0] / dx.problem.observed - 1) ** 2
        # Q_min (1 + F / (m - p)), F the 95 % quantile with 1 and 11 degrees of freedom.
        rise = residuals.sum() / (dx.problem.weighted_residuals**2).sum() - 1
        assert rise == pytest.approx(4.844336 / 11, rel=1e-3)
    low, high = dx.refits.bootstrap(size=60).intervals(0.95).of("a")
    assert low < best[0] < high


def test_consequences_are_those_of_g2_with_one_factor(market):
    day = market.day("2024-01-19")
    fit = cs.calibrate(day, model="hull-white")
    found = cs.diagnose(fit).consequences(horizons=(1, 10), instruments=[cs.Cap(25)])
    q = found.labels.index("sd of r(10Y)")
    expected = np.sqrt(fit.parameters.as_g2.short_rate_variance(10.0))
    assert found.estimates[q] == pytest.approx(expected, rel=1e-12)
    assert found.near_optimal_low[q] < found.estimates[q] < found.near_optimal_high[q]


@pytest.fixture(scope="module")
def example():
    return runpy.run_path(str(ROOT / "examples" / "second_factor.py"))


def test_a_second_factor_is_needed_or_not(example, market):
    model = cs.G2(0.04, 1.0, 0.01, 0.0, 0.0)
    simple = cs.simulate_market(model, days=1, noise=0.005, seed=3).days[0]
    assert example["second_factor"](simple, size=39).share_beyond > 0.05
    needed = example["second_factor"](market.day("2020-03-18"), size=19)
    assert needed.share_beyond == 1 / 20
    assert needed.level < 1e-8


def test_the_example_prints_what_the_page_shows(example, capsys):
    example["main"]()
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    page = ROOT / "docs" / "guide" / "second-factor.md"
    assert "\n".join(lines) in page.read_text(encoding="utf-8")


def test_the_terminal_prints_a_page(tmp_path):
    run = ("day", *FILES, "--date", "2020-03-18", "--model", "hull-white")
    result = CliRunner().invoke(main, run, catch_exceptions=False)
    assert result.exit_code == 0
    assert "Hull-White fitted to 13 caps" in result.stdout
    assert "mean reversion" not in result.stdout.split("Parameters")[0]
    assert "sigma_x" not in result.stdout
    html = tmp_path / "day.html"
    result = CliRunner().invoke(main, (*run, "--html", str(html)), catch_exceptions=False)
    assert result.exit_code == 0
    assert "Hull-White" in html.read_text(encoding="utf-8")
    bounded = CliRunner().invoke(main, (*run, "--set", "calibration.bounds.a=[0.02, 1]"))
    assert bounded.exit_code == 0, bounded.output
    assert "0.02" in bounded.stdout
    wrong = CliRunner().invoke(main, (*run[:-1], "hull-whit"))
    assert wrong.exit_code == 1
    assert "did you mean 'hull-white'?" in wrong.stderr


def test_robustness_of_another_model_compares_its_own_parameters(tmp_path):
    store = str(tmp_path / "s.db")
    more = ("--set", "calibration.model=hull-white", "--store", store)
    assert CliRunner().invoke(main, ("run", *FILES, *more)).exit_code == 0
    result = CliRunner().invoke(main, ("robustness", *FILES, *more, "--sample", "10"))
    assert result.exit_code == 0, result.output
    assert "start" not in result.stdout  # the paper's other starts are those of G2++
    kept = cs.open_study(store).robustness
    moves = [name for name in kept if name.startswith("move_")]
    assert moves == ["move_a", "move_sigma"]
    assert kept["variant"].tolist()[:3] == ["baseline", "BOBYQA", "Nelder-Mead"]
    assert (kept[["edof_2", "edof_1", "edof_0_or_less"]].sum(axis=1) == 1).all()
