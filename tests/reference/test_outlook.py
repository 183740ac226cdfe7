"""The outlook of G2++ against simulated paths, and against the printed forms at 60 digits."""

import mpmath
import numpy as np
import pytest
from mpmath import mp

import calibscope as cs
from calibscope.models.g2.outlook import BLOCK, outlook

INTERIOR = (0.5, 0.05, 0.01, 0.012, -0.7)
NEAR_MINUS_ONE = (0.31, 0.27, 0.09, 0.08, -0.9995)
SLOW = (3e-4, 1e-5, 0.006, 0.007, -0.4)
MINUS_ONE = (0.53, 0.038, 0.016, 0.011, -1.0)
FAST = (9.0, 0.03, 0.06, 0.009, 0.8)
CURVE = cs.DiscountCurve.from_zero_rates([1, 5, 20, 60], [-0.006, -0.002, 0.004, 0.006])
HORIZONS = (1.0, 5.0, 10.0, 20.0)


def paths(parameters, count, seed):
    """The factors at the horizons, (horizons, 2, count), by exact Gaussian steps."""
    rng = np.random.default_rng(seed)
    a, sigma = np.array(parameters[:2]), np.array(parameters[2:4])
    correlation = np.array([[1.0, parameters[4]], [parameters[4], 1.0]])
    factors, seen = np.zeros((2, count)), []
    for step in np.diff((0.0, *HORIZONS)):
        sums = a[:, None] + a
        covariance = correlation * np.outer(sigma, sigma) * -np.expm1(-sums * step) / sums
        shocks = np.linalg.cholesky(covariance) @ rng.standard_normal((2, count))
        factors = np.exp(-a * step)[:, None] * factors + shocks
        seen.append(factors)
    return np.array(seen)


@pytest.mark.parametrize("parameters", [INTERIOR, NEAR_MINUS_ONE, SLOW])
def test_every_number_is_within_three_standard_errors_of_a_million_paths(parameters):
    model, count = cs.G2(*parameters), 1_000_000
    ours = outlook([parameters], CURVE, HORIZONS)
    for i, (t, (x, y)) in enumerate(zip(HORIZONS, paths(parameters, count, 11), strict=True)):
        rate = float(model.psi(CURVE, t)) + x + y
        long, short = (
            -np.log(model.bond_price(CURVE, np.full(1, t), np.full(1, t + span), x, y)) / span
            for span in (10.0, 1.0)
        )
        slope = long - short
        for name, sample, is_share in (
            ("rate_deviation", rate, False),
            ("negative", rate < 0, True),
            ("slope", slope, False),
            ("slope_deviation", slope, False),
            ("inverted", slope < 0, True),
        ):
            value = getattr(ours, name)[0, 0, i]
            if name.endswith("deviation"):
                estimate, error = sample.std(), value / np.sqrt(2 * count)
            else:
                spread = np.sqrt(value * (1 - value)) if is_share else sample.std()
                estimate, error = sample.mean(), spread / np.sqrt(count)
            assert abs(value - estimate) <= 3 * error, (name, t, value, estimate, error)


def printed(parameters, t):
    """The five numbers from the paper's closed forms, in the precision of mpmath."""
    a, sigma, rho = parameters[:2], parameters[2:4], parameters[4]
    pairs = [(i, j, sigma[i] * sigma[j] * (1 if i == j else rho)) for i in (0, 1) for j in (0, 1)]

    def C(alpha, span):
        return -mp.expm1(-alpha * span) / alpha

    def V(span):
        def part(b, c):
            return (span - C(b, span) - C(c, span) + C(b + c, span)) / (b * c)

        return sum(weight * part(a[i], a[j]) for i, j, weight in pairs)

    def variance(loads):
        return sum(w * loads[i] * loads[j] * C(a[i] + a[j], t) for i, j, w in pairs)

    def mean_yield(span):
        forward = (float(CURVE.log_discount(t)) - float(CURVE.log_discount(t + span))) / span
        return forward + (V(t + span) - V(t) - V(span)) / (2 * span)

    tilts = [C(speed, 10) / 10 - C(speed, 1) for speed in a]
    psi = float(CURVE.forward_rate(t))
    psi += sum(w * C(a[i], t) * C(a[j], t) for i, j, w in pairs) / 2
    deviation, slope = mp.sqrt(variance([1, 1])), mean_yield(10) - mean_yield(1)
    slope_deviation = mp.sqrt(variance(tilts))
    return [
        deviation, mp.ncdf(-psi / deviation), slope, slope_deviation,
        mp.ncdf(-slope / slope_deviation),
    ]  # fmt: skip


@pytest.mark.parametrize("parameters", [INTERIOR, NEAR_MINUS_ONE, SLOW, MINUS_ONE, FAST])
@pytest.mark.parametrize("t", [0.25, 20.0])
def test_values_and_gradients_equal_the_printed_forms_at_sixty_digits(parameters, t):
    ours = outlook([parameters], CURVE, [t])
    with mp.workdps(60):
        point = [mpmath.mpf(value) for value in parameters]
        exact = [float(value) for value in printed(point, t)]
        for k, jet in enumerate(ours):
            assert jet[0, 0, 0] == pytest.approx(exact[k], rel=1e-11, abs=1e-300)
            slopes = [
                float(mp.diff(lambda v, p=p, k=k: printed([*point[:p], v, *point[p + 1 :]], t)[k],
                              point[p], h=mpmath.mpf(10) ** -20))
                for p in range(5)
            ]  # fmt: skip
            # Derivatives by a parameter that hardly matters cancel; the others set the scale.
            scale = max(abs(s * v) for s, v in zip(slopes, parameters, strict=True))
            sizes = np.abs(parameters)
            gaps = np.abs(jet[1:, 0, 0] - slopes) * sizes
            assert gaps.max() <= 1e-9 * scale, (k, jet[1:, 0, 0], slopes)


def test_points_are_computed_alike_alone_and_together():
    rng = np.random.default_rng(3)
    count = BLOCK + 7
    points = np.column_stack(
        (rng.uniform(0.01, 2, (count, 2)), rng.uniform(0.001, 0.03, (count, 2)),
         rng.uniform(-1, 1, count))
    )  # fmt: skip
    together = outlook(points, CURVE, HORIZONS)
    for i in (0, BLOCK - 1, BLOCK, count - 1):
        alone = outlook(points[i], CURVE, HORIZONS[2])
        for one, all_ in zip(alone, together, strict=True):
            assert one[:, 0, 0] == pytest.approx(all_[:, i, 2], rel=1e-12, abs=1e-18)


def test_the_model_agrees_and_speeds_may_be_zero():
    zero = (0.0, 0.0, 0.01, 0.02, 0.5)
    for parameters in (INTERIOR, zero):
        model, seen = cs.G2(*parameters), outlook([parameters], CURVE, HORIZONS)
        assert seen.rate_deviation[0, 0] ** 2 == pytest.approx(
            model.short_rate_variance(HORIZONS), rel=1e-13
        )
    # All yields then move in parallel: the slope is certain, and has no derivative.
    assert (seen.slope_deviation[0] == 0).all()
    assert np.isnan(seen.slope_deviation[1:]).any(axis=0).all()
    assert set(seen.inverted[0].ravel()) <= {0.0, 1.0}


def test_horizons_must_be_positive_and_inside_the_curve():
    for horizons, words in (
        ([0.0], "positive"), ([[1.0, 2.0]], "positive"), ([float("nan")], "positive"),
        ([1.0, 55.0], "55Y: its 10Y yield needs the curve up to 65 years"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            outlook([INTERIOR], CURVE, horizons)
