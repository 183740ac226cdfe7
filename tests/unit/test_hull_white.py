"""The worked example of a model of one's own: it is right, and the diagnosis takes it."""

import runpy
from pathlib import Path

import numpy as np
import pytest
import QuantLib as ql

import calibscope as cs
import peers

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def example():
    return runpy.run_path(str(EXAMPLES / "hull_white.py"))


@pytest.fixture(scope="module")
def market():
    return cs.demo_market()


@pytest.mark.parametrize("kind", ["cap", "floor"])
@pytest.mark.parametrize("a", [1e-5, 1e-3, 0.05, 0.4, 10.0])
def test_prices_and_derivatives_are_those_of_g2_without_its_second_factor(example, a, kind):
    day = cs.MarketDay.from_arrays(
        curve=cs.DiscountCurve.from_zero_rates([1, 10, 30], [0.01, 0.02, 0.025]),
        maturities=[2, 5, 30], vols=[0.008, 0.009, 0.007], kind=kind, notional=100,
    )  # fmt: skip
    model = example["HullWhite"](a, 0.009)
    own = [0, 2]  # a_x and sigma_x
    # Differences of normal probabilities lose digits that the kernel keeps.
    assert model.cap_prices(day) == pytest.approx(model.as_g2.cap_prices(day), rel=1e-10)
    assert model.jacobian(day) == pytest.approx(model.as_g2.jacobian(day)[:, own], rel=1e-10)
    hessian = model.as_g2.hessian(day)[:, own][:, :, own]
    assert model.hessian(day) == pytest.approx(hessian, rel=1e-8)


def test_prices_are_those_of_quantlib(example):
    day = cs.MarketDay.from_arrays(
        curve=cs.DiscountCurve.from_zero_rates([1, 30], [-0.004, 0.012]),
        maturities=[3, 10, 30], vols=[0.008, 0.009, 0.007],
    )  # fmt: skip
    model = example["HullWhite"](0.03, 0.008)
    owner = peers.quantlib_model(cs.G2(0.5, 0.05, 0.01, 0.01, 0.0), day)  # keeps the curve alive
    one = ql.HullWhite(owner.termStructure(), model.a, model.sigma)
    theirs = peers.quantlib_caplets(one, day)
    assert model.cap_prices(day) == pytest.approx([sum(caplets) for caplets in theirs], rel=1e-11)


def test_the_fit_is_that_of_g2_held_to_one_factor(example, market):
    day = market.day("2022-07-21")
    model = example["calibrate"](day)
    held = {"a_y": 1.0, "sigma_y": 1e-8, "rho_xy": 0.0}
    fit = cs.calibrate(day, fixed=held)
    assert (model.a, model.sigma) == pytest.approx(fit.parameters.values[[0, 2]], rel=1e-5)


def test_the_fit_is_the_best_of_a_fine_grid(example, market):
    """And a bound that holds the speed is met to the last bit."""
    for date, is_at_bound in (("2020-03-18", True), ("2024-01-19", False)):
        dx = example["diagnosis"](market.day(date))
        speeds, sigmas = np.geomspace(1e-5, 10, 60), np.geomspace(1e-3, 0.1, 60)
        points = np.array([(a, sigma) for a in speeds for sigma in sigmas])
        errors = dx.refit.predict(points) / dx.problem.observed - 1
        assert (errors**2).sum(axis=1).min() >= (dx.problem.weighted_residuals**2).sum()
        assert (dx.problem.at_bound[0] == -1) == is_at_bound
        assert dx.refits.is_reproduced


def test_exact_answers_of_a_model_of_ones_own(example, market):
    day = market.day("2024-01-19")
    dx = example["diagnosis"](day)
    best = dx.problem.values
    without = example["calibrate"](day.without([30]))
    left_out = dx.refits.leave_one_out().shifts.refitted[12]
    assert best + left_out == pytest.approx([without.a, without.sigma], rel=1e-6)
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


def test_a_second_factor_is_needed_or_not(example, market):
    model = cs.G2(0.04, 1.0, 0.01, 0.0, 0.0)
    simple = cs.simulate_market(model, days=1, noise=0.005, seed=3).days[0]
    tried = example["second_factor"](simple, size=39)
    assert tried.share_beyond > 0.05
    needed = example["second_factor"](market.day("2020-03-18"), size=19)
    assert needed.share_beyond == 1 / 20
    assert needed.level < 1e-8


def test_the_example_prints_what_the_page_shows(example, capsys):
    example["main"]()
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    page = EXAMPLES.parent / "docs" / "architecture" / "add-a-model.md"
    assert "\n".join(lines) in page.read_text(encoding="utf-8")


def test_a_caplet_that_is_fixed_today_is_refused(example, market):
    day = cs.MarketDay.from_arrays(
        curve=cs.DiscountCurve.from_zero_rates([1], [0.01]), maturities=[1], vols=[0.01],
        first_caplet=True,
    )  # fmt: skip
    with pytest.raises(ValueError, match="leave it out"):
        example["HullWhite"](0.03, 0.01).cap_prices(day)
