"""Laws of the hat matrix, on every day of the demo market and on constructed ranks."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import calibscope as cs
from calibscope.diagnosis.settings import MODES

# Products of orthonormal bases: some 10 roundings of 1e-16.
LAW = 1e-10


@pytest.fixture(scope="module")
def panel():
    fits = cs.calibrate_many(cs.demo_market())
    return fits, {mode: cs.diagnose_many(fits, mode) for mode in MODES}


def assert_projector(dx):
    H, oblique, h = dx.hat_matrix, dx.oblique_projector, dx.leverage
    transposed = np.swapaxes(H, -1, -2)
    assert np.abs(H @ H - H).max() <= LAW
    assert np.abs(H - transposed).max() <= LAW
    assert np.abs(np.trace(H, axis1=-2, axis2=-1) - dx.edof).max() <= LAW
    assert h.min() >= 0.0
    assert h.max() <= 1.0
    assert np.abs(np.einsum("...kk->...k", H) - h).max() <= LAW
    assert np.abs(np.einsum("...kk->...k", oblique) - h).max() <= LAW
    # The oblique form is a projector of prices; its entries grow with ratios of prices.
    size = np.abs(oblique).max()
    assert np.abs(oblique @ oblique - oblique).max() <= LAW * max(1.0, size**2)


@pytest.mark.parametrize("mode", MODES)
def test_the_laws_hold_on_every_demo_day(panel, mode):
    diagnoses = panel[1][mode]
    assert len(diagnoses) == 2157
    for stack in diagnoses.batches:
        assert_projector(stack)


def test_the_oblique_diagonal_to_the_last_day(panel):
    """Computed as the paper prints it, J (J^T W J)^+ J^T W, by NumPy's pseudo-inverse."""
    full = panel[1]["full"]
    for day in range(0, len(full), 40):
        dx = full[day]
        A = dx.problem.design
        plain = A @ np.linalg.pinv(A, rcond=dx.settings.rank_tolerance)
        assert np.einsum("kk->k", plain) == pytest.approx(dx.leverage, abs=1e-8)


def test_the_mean_leverage_is_edof_over_m(panel):
    for diagnoses in panel[1].values():
        total = diagnoses.of_all("leverage").sum(axis=1)
        assert total == pytest.approx(diagnoses.of_all("edof"), abs=LAW)


@pytest.mark.parametrize("units", [1.0, 1e-6])
@pytest.mark.parametrize(
    ("rank", "shape"),
    [
        (rank, shape)
        for shape in [(13, 5), (5, 5), (3, 5), (1, 1)]
        for rank in range(min(shape) + 1)
    ],
)
def test_constructed_ranks(rank, shape, units):
    m, p = shape
    rng = np.random.default_rng(10 * rank + m)
    J = rng.normal(size=(m, rank)) @ rng.normal(size=(rank, p)) * units
    weights = rng.uniform(0.1, 10.0, m)
    dx = cs.diagnose_least_squares(rng.normal(size=m), J, weights=weights)
    assert dx.edof == rank
    assert_projector(dx)
    assert dx.flags.has_rank_loss == (rank < p)
    assert dx.flags.has_no_information == (rank == 0)
    # Along what was dropped, nothing changes.
    directions = dx.identification.directions
    assert np.count_nonzero(np.linalg.norm(directions, axis=0) > 0.5) == p - rank
    assert np.abs(J @ directions).max() <= LAW * max(np.abs(J).max(), 1e-300)


def test_a_single_day_is_the_same_as_in_a_panel(panel):
    fits, full = panel[0], panel[1]["active"]
    for day in range(0, len(fits), 300):
        alone, together = cs.diagnose(fits[day]), full[day]
        for name in ("leverage", "influence", "dfbetas", "correlation", "influence_exact"):
            assert getattr(alone, name) == pytest.approx(getattr(together, name), nan_ok=True)
        assert alone.summary == together.summary
        assert alone.flags.raised == together.flags.raised


def test_panels_with_other_numbers_of_quotes():
    days = cs.demo_market().days[100:106]
    fewer = [
        cs.MarketDay.from_arrays(
            curve=day.curve, maturities=day.maturities[::2], prices=day.prices[::2],
            strikes=day.strikes[::2], date=day.date,
        )
        for day in days[::2]
    ]  # fmt: skip
    mixed = [days[0], fewer[0], days[1], fewer[1], fewer[2]]
    fits = cs.calibrate_many(mixed)
    diagnoses = cs.diagnose_many(fits)
    assert [len(dx.leverage) for dx in diagnoses] == [13, 7, 13, 7, 7]
    for fit, dx in zip(fits, diagnoses, strict=True):
        assert dx.leverage == pytest.approx(cs.diagnose(fit).leverage)
    assert diagnoses.of_all("edof").shape == (5,)
    with pytest.raises(ValueError, match="leverage has another shape on some days"):
        diagnoses.of_all("leverage")
    with pytest.raises(ValueError, match="summary is in words; take"):
        diagnoses.of_all("summary")
    assert [dx.edof for dx in diagnoses[1:3]] == [diagnoses[1].edof, diagnoses[2].edof]
    assert len(cs.diagnose_many(list(fits))) == 5


@pytest.mark.parametrize("mode", MODES)
def test_cap_and_floor_at_the_money_have_the_same_hat_matrix(mode):
    """Paper, appendix on the floor's Jacobian: at the money J and W coincide, so H_w does."""
    for day in cs.demo_market().days[::60]:
        strikes = cs.MarketDay.from_arrays(
            curve=day.curve, maturities=day.maturities, prices=day.prices
        ).strikes
        cap = cs.calibrate(dataclasses.replace(day, strikes=strikes))
        floors = dataclasses.replace(cap.problem.day, kind="floor")
        floor = dataclasses.replace(cap, problem=type(cap.problem).of(floors))
        one, other = cs.diagnose(cap, mode), cs.diagnose(floor, mode)
        assert (one.problem.jacobian == other.problem.jacobian).all()
        assert (one.problem.weights == other.problem.weights).all()
        assert np.abs(one.hat_matrix - other.hat_matrix).max() <= 1e-12
        again = cs.diagnose(cs.calibrate(floors), mode)
        # Calibrated anew, flat directions of the optimum amplify the rounding of the prices.
        assert np.abs(one.hat_matrix - again.hat_matrix).max() <= 1e-6


problems = st.tuples(
    st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(1, 5), st.sampled_from([1.0, 1e-4])
)


@settings(max_examples=60)
@given(problems, st.randoms(use_true_random=False))
def test_reordering_quotes_reorders_the_diagnosis(problem, random):
    seed, m, p, units = problem
    rng = np.random.default_rng(seed)
    r, J, w = rng.normal(size=m), rng.normal(size=(m, p)) * units, rng.uniform(0.5, 2.0, m)
    H = rng.normal(size=(m, p, p))
    order = list(range(m))
    random.shuffle(order)
    one = cs.diagnose_least_squares(r, J, weights=w, hessian=H + np.swapaxes(H, 1, 2))
    other = cs.diagnose_least_squares(
        r[order], J[order], weights=w[order], hessian=(H + np.swapaxes(H, 1, 2))[order]
    )
    condition = one.condition_number
    per_quote = ("leverage", "influence", "influence_score", "dfbetas", "cooks_distance", "dffits")
    if condition < 1e4:
        for name in per_quote:
            ours, theirs = getattr(one, name)[order], getattr(other, name)
            size = np.nan_to_num(np.abs(ours)).max(initial=1e-300)
            assert theirs == pytest.approx(ours, rel=1e-6, abs=1e-8 * size, nan_ok=True), name
        assert other.singular_values == pytest.approx(one.singular_values)
        assert other.covariance("mse") == pytest.approx(one.covariance("mse"), rel=1e-6,
                                                        nan_ok=True)  # fmt: skip
        assert other.flags.raised == one.flags.raised


@settings(max_examples=25)
@given(st.integers(0, 2156), st.sampled_from([2.0**-7, 2.0**10, 2.0**20]))
def test_rescaling_the_notional_changes_nothing_but_prices(number, factor):
    """By powers of two, which are exact: only sensitivities by prices change, by the factor."""
    day = cs.demo_market().days[number]
    scaled = dataclasses.replace(day, notional=factor * day.notional, prices=factor * day.prices)
    fit = cs.calibrate(day)
    same = dataclasses.replace(fit, problem=type(fit.problem).of(scaled))
    one, other = cs.diagnose(fit), cs.diagnose(same)
    for name in ("leverage", "influence", "influence_exact", "dfbetas", "singular_values",
                 "scale_mse", "scale_mad_adjusted", "gauss_newton_ratio"):  # fmt: skip
        assert getattr(other, name) == pytest.approx(getattr(one, name), rel=1e-9, nan_ok=True)
    assert other.sensitivity * factor == pytest.approx(one.sensitivity, rel=1e-9)
    assert other.summary == one.summary
