"""cs.calibrate and cs.calibrate_many: optima, order of factors, weights, bounds, odd days."""

import dataclasses

import numpy as np
import pytest

import calibscope as cs
from calibscope.calibration.problem import LOWER, UPPER, Problem
from calibscope.calibration.solution import Status, canonical
from calibscope.calibration.solvers import SOLVERS
from calibscope.calibration.weights import liability_weights

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
        # At a bound the objective pushes outwards: the multiplier has the right sign.
        outwards = -fit.gradient * fit.at_bound
        assert (outwards[fit.at_bound != 0] >= 0).all()


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
    assert canonical(cs.G2(0.1, 0.5, 0.01, 0.02, -0.5)) == cs.G2(0.5, 0.1, 0.02, 0.01, -0.5)


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
    ignoring = np.ones(13)
    ignoring[0] = 0.0
    fit = cs.calibrate(day, weights=liability_weights(day, ignoring))
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
    assert held.at_bound[4] == 0
    assert held.objective >= free.objective * (1 - 1e-9)
    anchor = cs.G2(0.4, 0.05, 0.006, 0.01, -0.6)
    pulled = cs.calibrate(day, anchor=anchor, anchor_strength=1e6)
    assert pulled.parameters.values == pytest.approx(anchor.values, rel=1e-3)
    mild = cs.calibrate(day, anchor=anchor, anchor_strength=1e-7)
    assert free.rmsre * (1 - 1e-9) <= mild.rmsre <= pulled.rmsre


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"solver": "bobyca"}, "choose from global, bobyqa"),
        ({"weights": "rmse"}, "choose from rmsre, absolute, vega"),
        ({"weights": [1.0, 2.0]}, "give 13 numbers"),
        ({"weights": np.zeros(13)}, "at least one quote must count"),
        ({"bounds": {"sigma": (0, 1)}}, "'sigma' is no parameter"),
        ({"bounds": {"sigma_x": (0.1, 0.01)}}, "lower <= upper"),
        ({"bounds": {"a_x": 3}}, "give a lower and an upper"),
        ({"anchor_strength": 1.0}, "give an anchor"),
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
    assert cs.calibrate(equal).status in (Status.AT_BOUND, Status.UNREACHABLE, Status.RIDGE)
    absurd = dataclasses.replace(day, prices=1e3 * day.prices)
    assert cs.calibrate(absurd).status is Status.UNREACHABLE
    tiny = dataclasses.replace(day, prices=1e-7 * day.prices)
    assert cs.calibrate(tiny).status is Status.UNREACHABLE
    together = cs.calibrate_many([few, day, absurd])
    assert together[1].parameters.values.tolist() == cs.calibrate(day).parameters.values.tolist()


def test_every_solver_has_a_file():
    from calibscope.calibration.solvers import solver

    for name in SOLVERS:
        assert callable(solver(name))
