"""Leverage on idealised markets: laws of projectors, of polynomials, and what the page says."""

import numpy as np
import pytest
from figures.leverage_theory import leverage_theory
from idealised_leverage import idealised_leverage, nearest_power, polynomial_leverage

import calibscope as cs

CAPS = [3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30]
USUAL = cs.G2(a_x=0.5, a_y=0.05, sigma_x=0.01, sigma_y=0.01, rho_xy=-0.7)
FAST = cs.G2(a_x=3.0, a_y=0.05, sigma_x=0.02, sigma_y=0.01, rho_xy=-0.7)
SLOW = cs.G2(a_x=0.1, a_y=0.02, sigma_x=0.01, sigma_y=0.01, rho_xy=-0.7)
NEAR = cs.G2(a_x=0.06, a_y=0.05, sigma_x=0.01, sigma_y=0.01, rho_xy=-0.7)
CURVE = cs.DiscountCurve.from_zero_rates([30], [0.02])


@pytest.mark.parametrize("weights", ["rmsre", "absolute", "vega"])
def test_leverage_is_the_diagonal_of_the_hat_matrix(weights):
    shape = cs.MarketDay.from_arrays(curve=CURVE, maturities=CAPS, vols=[0.01] * len(CAPS))
    prices = USUAL.prices(shape)
    day = cs.MarketDay.from_arrays(curve=CURVE, maturities=CAPS, prices=prices)
    vegas = day.caplets.vegas(day.normal_vols)
    w = {"rmsre": 1 / prices**2, "absolute": np.ones(13), "vega": 1 / vegas**2}[weights]
    A = np.sqrt(w)[:, None] * USUAL.jacobian(day)
    ideal = idealised_leverage(USUAL, CAPS, weights=weights)
    # A has a condition number of 1e4 in its own units, and pinv squares nothing.
    assert ideal.leverage == pytest.approx(np.diag(A @ np.linalg.pinv(A)), abs=1e-8)
    assert ideal.leverage.sum() == pytest.approx(5.0, abs=1e-12)


def test_a_calibrated_day_has_the_leverage_of_its_own_ideal():
    ideal_day = cs.simulate_market(USUAL, days=1, noise=0.0).days[0]
    fit = cs.calibrate(ideal_day)
    ideal = idealised_leverage(fit.parameters, ideal_day.maturities, curve=ideal_day.curve)
    assert ideal.leverage == pytest.approx(cs.diagnose(fit).leverage, abs=1e-6)


def test_a_flat_rate_is_a_curve():
    one, other = (idealised_leverage(USUAL, CAPS, curve=curve) for curve in (0.02, CURVE))
    assert one.leverage == pytest.approx(other.leverage, abs=1e-12)


def test_the_order_of_the_factors_does_not_matter():
    swapped = cs.G2(a_x=0.05, a_y=0.5, sigma_x=0.01, sigma_y=0.01, rho_xy=-0.7)
    ideal = idealised_leverage(swapped, CAPS)
    assert ideal.leverage == pytest.approx(idealised_leverage(USUAL, CAPS).leverage, abs=1e-9)


def test_no_more_quotes_than_parameters_are_all_met():
    ideal = idealised_leverage(USUAL, [3, 7, 10, 20, 30])
    assert ideal.leverage == pytest.approx(1.0)
    assert ideal.annihilators.shape == (0, 6)


@pytest.mark.parametrize("model", [USUAL, FAST, SLOW])
def test_annihilators_span_what_cannot_be_fitted(model):
    ideal = idealised_leverage(model, CAPS)
    m, p = ideal.basis.shape
    patterns = np.zeros((m - p, m))
    for k, row in enumerate(ideal.annihilators):
        patterns[k, k : k + p + 1] = row
    assert np.abs(patterns @ ideal.basis).max() < 1e-12
    residual = np.linalg.pinv(patterns) @ patterns
    assert 1 - np.diag(residual) == pytest.approx(ideal.leverage, abs=1e-10)


def test_annihilators_of_polynomials_are_binomial():
    z = np.linspace(-1, 1, 9)
    basis, _ = np.linalg.qr(np.vander(z, 5))
    regular = type(idealised_leverage(USUAL, CAPS))(z, np.sum(basis**2, axis=1), basis)
    binomial = np.array([1, -5, 10, -10, 5, -1]) / np.sqrt(252)
    assert regular.annihilators == pytest.approx(np.tile(binomial, (4, 1)))
    assert regular.is_alternating


def test_leverage_of_polynomials():
    z = np.linspace(1.0, 3.0, 4001)
    regular = polynomial_leverage(z, 1)
    assert regular == pytest.approx(regular[::-1], abs=1e-12)  # the ends are alike
    assert regular.sum() == pytest.approx(5)
    # Legendre: sum of 2k + 1 at the ends, 1 + 5/4 + 81/64 in the middle; to the grid's 1 %.
    assert 4001 * regular[[0, 2000, -1]] == pytest.approx([25, 3.515625, 25], rel=0.01)
    straight = polynomial_leverage([1.0, 2.0, 3.0, 4.0], 1, degree=1)
    assert straight == pytest.approx([0.7, 0.3, 0.3, 0.7])
    assert polynomial_leverage(CAPS, 1e-7) == pytest.approx(polynomial_leverage(CAPS, 0), abs=1e-6)
    geometric = polynomial_leverage(2.0 ** np.arange(8), 0)
    assert geometric == pytest.approx(geometric[::-1])  # regular in the logarithm


def test_the_power_of_polynomials_is_found_again():
    ideal = idealised_leverage(USUAL, CAPS)
    for power in (-1.0, 0.3, 1.0):
        known = type(ideal)(ideal.maturities, polynomial_leverage(CAPS, power), ideal.basis)
        assert nearest_power(known) == pytest.approx(power, abs=1e-4)


@pytest.mark.parametrize(
    ("model", "first", "last", "power"),
    [(FAST, 1.00, 0.62, -0.90), (USUAL, 0.96, 0.74, -0.27), (SLOW, 0.76, 0.95, 0.56),
     (NEAR, 0.73, 0.96, 0.68)],
)  # fmt: skip
def test_regimes_are_as_the_page_says(model, first, last, power):
    ideal = idealised_leverage(model, CAPS)
    assert ideal.leverage[[0, -1]] == pytest.approx([first, last], abs=0.006)
    assert nearest_power(ideal) == pytest.approx(power, abs=0.006)
    likeness = polynomial_leverage(CAPS, nearest_power(ideal))
    assert np.abs(likeness - ideal.leverage).max() < 0.06
    assert ideal.is_alternating == (model is not FAST)


def test_the_next_quote_takes_the_place_of_an_end():
    whole, cut = idealised_leverage(USUAL, CAPS), idealised_leverage(USUAL, CAPS[1:])
    assert whole.leverage[1] < 0.6
    assert cut.leverage[0] > 0.9
    assert cut.end_share > whole.end_share > 2 / 13


def test_denser_quotes_have_the_same_density_in_the_middle():
    grids = [np.arange(3, 30.01, step) for step in (0.5, 0.25)]
    coarse, fine = (idealised_leverage(USUAL, grid, tenor=0.25) for grid in grids)
    # Sums of 55 and 109 terms for one integral.
    assert np.interp(12.0, fine.maturities, fine.density) == pytest.approx(
        np.interp(12.0, coarse.maturities, coarse.density), rel=0.05
    )
    assert coarse.frame["density"].tolist() == coarse.density.tolist()
    assert coarse.frame["label"].iloc[-1] == "30Y"


def test_the_picture():
    cases = {"usual": idealised_leverage(USUAL, CAPS), "slow": idealised_leverage(SLOW, CAPS)}
    figure = leverage_theory(cases, note="idealised")
    assert figure.layout.title.text.endswith("?")
    assert figure.layout.yaxis.title.text == "leverage"
    shown = [np.asarray(trace.y) for trace in figure.data if trace.name == "G2++"]
    assert shown[0] == pytest.approx(cases["usual"].leverage)
    assert shown[1] == pytest.approx(cases["slow"].leverage)
    assert "0.05" in figure.layout.meta["alt"]
