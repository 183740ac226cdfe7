"""The paper's formulas, in the paper's order, against what `preset="paper"` gives.

Mahler and Ruckdeschel, "Advanced Calibration Analysis and Tools", section 3 with what it needs of
sections 2 and 4 and of the appendix. Every formula is written here once more, in mpmath with 50
digits and with nothing of the package but the quotes, the curve and the calibrated parameters, and
is compared on the paper's three reference dates of the synthetic market.

Tolerances. Prices and their derivatives are sums of some fifty terms, each right to an ulp or two,
of which some cancel with correlations near -1: `ROUNDING`. Whatever inverts the Jacobian multiplies
their rounding by its condition number, about 1e5 to 1e7 here; a covariance, by its square.
"""

import math
from functools import cached_property

import mpmath
import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.stats import norm

import calibscope as cs

DIGITS = 50
MATURITIES = (3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30)
DATES = ("2020-03-18", "2022-07-21", "2024-06-06")
NAMES = ("a_x", "a_y", "sigma_x", "sigma_y", "rho_xy")
RANK = mpf("1.5e-8")  # of the largest singular value; the paper prints none
ROUNDING = 1e-13  # some five hundred ulps


@pytest.fixture(autouse=True)
def digits():
    with mp.workdps(DIGITS):
        yield


# Section 2: the price of a cap


def C(alpha, length):
    return (1 - mp.exp(-alpha * length)) / alpha


def C_slope(alpha, length):
    """Appendix, final expressions for parameter sensitivities."""
    return (mp.exp(-alpha * length) * (alpha * length + 1) - 1) / alpha**2


def variance(parameters, T_1, T_2):
    """Sigma(0, T_1, T_2)^2."""
    a_x, a_y, s_x, s_y, rho = parameters
    C_x, C_y = C(a_x, T_2 - T_1), C(a_y, T_2 - T_1)
    return (
        s_x**2 * C_x**2 * C(2 * a_x, T_1)
        + s_y**2 * C_y**2 * C(2 * a_y, T_1)
        + 2 * rho * s_x * s_y * C_x * C_y * C(a_x + a_y, T_1)
    )


def variance_gradient(parameters, T_1, T_2):
    """The brackets of the appendix, final expressions for parameter sensitivities."""
    a_x, a_y, s_x, s_y, rho = parameters
    C_x, C_y = C(a_x, T_2 - T_1), C(a_y, T_2 - T_1)
    dC_x, dC_y = C_slope(a_x, T_2 - T_1), C_slope(a_y, T_2 - T_1)
    both, dboth = C(a_x + a_y, T_1), C_slope(a_x + a_y, T_1)
    by_a_x = s_x**2 * (
        2 * C_x * dC_x * C(2 * a_x, T_1) + C_x**2 * C_slope(2 * a_x, T_1) * 2
    ) + 2 * rho * s_x * s_y * (dC_x * C_y * both + C_x * C_y * dboth)
    by_a_y = s_y**2 * (
        2 * C_y * dC_y * C(2 * a_y, T_1) + C_y**2 * C_slope(2 * a_y, T_1) * 2
    ) + 2 * rho * s_x * s_y * (C_x * dC_y * both + C_x * C_y * dboth)
    by_s_x = 2 * s_x * C_x**2 * C(2 * a_x, T_1) + 2 * rho * s_y * C_x * C_y * both
    by_s_y = 2 * s_y * C_y**2 * C(2 * a_y, T_1) + 2 * rho * s_x * C_x * C_y * both
    return [by_a_x, by_a_y, by_s_x, by_s_y, 2 * s_x * s_y * C_x * C_y * both]


def variance_hessian(parameters, T_1, T_2):
    """Second derivatives as differences of the first, exact to 25 of the 50 digits."""
    step, columns = mpf(10) ** -25, []
    for q in range(5):
        ends = [[p + side * step * (i == q) for i, p in enumerate(parameters)] for side in (-1, 1)]
        low, high = (variance_gradient(end, T_1, T_2) for end in ends)
        columns.append([(b - a) / (2 * step) for a, b in zip(low, high, strict=True)])
    return columns


def phi(x):
    return mp.exp(-(x**2) / 2) / mp.sqrt(2 * mp.pi)


class Paper:
    """What the paper prints, for one date."""

    def __init__(self, date):
        self.market = cs.demo_market(preset="paper")
        self.day = self.market.day(date)
        self.fit = cs.calibrate(self.day, preset="paper")
        self.dx = cs.diagnose(self.fit, preset="paper")
        self.point = [mpf(value) for value in self.fit.as_found.values.tolist()]
        self.y = [mpf(price) for price in self.day.prices.tolist()]
        self.delta = mpf(1) / 2
        discounts = self.day.curve.discount(np.arange(0, 61) / 2).tolist()
        self.P = [mpf(discount) for discount in discounts]  # P(0, i/2)

    @cached_property
    def periods(self):
        """Sigma_i^2, its gradient and its Hessian of the periods from i/2 to (i + 1)/2."""
        return {
            i: [
                function(self.point, mpf(i) / 2, mpf(i + 1) / 2)
                for function in (variance, variance_gradient, variance_hessian)
            ]
            for i in range(1, 60)
        }

    def caplet(self, k, i):
        """Price, M_i and M'_i of a caplet of cap k."""
        K = mpf(self.day.strikes[k])
        sigma = mp.sqrt(self.periods[i][0])
        L = mp.log(self.P[i] / ((1 + K * self.delta) * self.P[i + 1]))
        plus, minus = L / sigma + sigma / 2, L / sigma - sigma / 2
        price = self.P[i] * mp.ncdf(plus) - (1 + K * self.delta) * self.P[i + 1] * mp.ncdf(minus)
        M = self.P[i] * phi(plus) / (2 * sigma)
        M_slope = self.P[i] * phi(plus) / (4 * sigma**3) * (plus * minus - 1)
        return price, M, M_slope

    @cached_property
    def caps(self):
        """The caplets of each cap, the first one left out: its rate is fixed."""
        return [
            [(i, *self.caplet(k, i)) for i in range(1, 2 * years)]
            for k, years in enumerate(MATURITIES)
        ]

    @cached_property
    def g(self):
        """Eq. analytical_cap_price."""
        return [mp.fsum(price for _, price, _, _ in cap) for cap in self.caps]

    @cached_property
    def J(self):
        """Eq. jacobian_factorization."""
        rows = [
            [mp.fsum(M * self.periods[i][1][p] for i, _, M, _ in cap) for p in range(5)]
            for cap in self.caps
        ]
        return mp.matrix(rows)

    @cached_property
    def hessians(self):
        """Eq. hessian_caplet_factorized, summed over each cap."""

        def entry(cap, u, v):
            return mp.fsum(
                slope * self.periods[i][1][u] * self.periods[i][1][v] + M * self.periods[i][2][u][v]
                for i, _, M, slope in cap
            )

        return [[[entry(cap, u, v) for v in range(5)] for u in range(5)] for cap in self.caps]

    @cached_property
    def w(self):
        """Eq. wls_form."""
        return [1 / price**2 for price in self.y]

    @cached_property
    def A(self):
        """W^(1/2) J."""
        rows = [[mp.sqrt(self.w[k]) * self.J[k, p] for p in range(5)] for k in range(13)]
        return mp.matrix(rows)

    @cached_property
    def inverse(self):
        """(J^T W J)^+ by the decomposition of W^(1/2) J, small singular values dropped."""
        _, S, V = mp.svd_r(self.A)
        kept = [j for j in range(5) if S[j] > RANK * S[0]]
        rows = [
            [mp.fsum(V[j, p] * V[j, q] / S[j] ** 2 for j in kept) for q in range(5)]
            for p in range(5)
        ]
        return mp.matrix(rows)

    @cached_property
    def condition(self):
        """Of the Jacobian, without what was dropped: what rounding is multiplied by."""
        S = mp.svd_r(self.A, compute_uv=False)
        kept = [s for s in S if s > RANK * S[0]]
        return float(S[0] / kept[-1])

    @cached_property
    def e(self):
        """Weighted residuals: relative pricing errors."""
        return [mp.sqrt(w) * (y - g) for w, y, g in zip(self.w, self.y, self.g, strict=True)]

    @cached_property
    def mse(self):
        """Mean squared error, with p = 5."""
        return mp.fsum(e**2 for e in self.e) / (13 - 5)

    @cached_property
    def mad(self):
        """Median absolute deviation; 13 residuals have a middle one."""
        middle = sorted(self.e)[6]
        return mpf("1.4826") * sorted(abs(e - middle) for e in self.e)[6]


@pytest.fixture(scope="module", params=DATES)
def paper(request):
    return Paper(request.param)


def numbers(values):
    """mpmath's numbers as NumPy's, once all digits have been used."""
    if isinstance(values, mpmath.matrix):
        values = values.tolist()
    return np.array(values, dtype=object).astype(float)


def assert_close(found, printed, tolerance, size=None):
    """To a share of the printed number, or of the largest one of its kind."""
    printed = numbers(printed)
    scale = np.abs(printed) if size is None else size
    worst = np.max(np.abs(np.asarray(found) - printed) / scale)
    assert worst <= tolerance, worst


# Section 4: the term structure, the solver, and the setup


def test_observed_maturities_have_observed_factors_and_others_are_on_a_svensson_curve(paper):
    published = cs.demo_market().day(paper.day.date).curve  # the same nodes, another rule
    curve, times = paper.day.curve, published.times[1:]
    assert curve.discount(times).tolist() == published.discount(times).tolist()
    fitted = curve.svensson_fit().parameters
    between = np.array([t for t in np.arange(1, 61) / 2 if np.abs(times - t).min() > 1e-3])
    b_0, b_1, b_2, b_3, tau_1, tau_2 = fitted
    x_1, x_2 = between / tau_1, between / tau_2
    loading_1, loading_2 = -np.expm1(-x_1) / x_1, -np.expm1(-x_2) / x_2
    rates = b_0 + b_1 * loading_1 + b_2 * (loading_1 - np.exp(-x_1))
    rates += b_3 * (loading_2 - np.exp(-x_2))
    assert len(between)
    assert curve.discount(between) == pytest.approx(np.exp(-rates * between), rel=1e-14)


def test_the_solver_is_bobyqa_and_its_order_is_kept(paper):
    assert paper.fit.solver == "bobyqa"
    assert paper.fit.parameters == paper.fit.as_found
    assert paper.fit.evaluations <= 20_000
    same = cs.calibrate(paper.day, "bobyqa")
    assert same.as_found == paper.fit.as_found
    bounds = paper.fit.problem.lower.tolist(), paper.fit.problem.upper.tolist()
    assert bounds == ([1e-5, 1e-5, 1e-5, 1e-5, -1.0], [10.0, 10.0, 1.0, 1.0, 1.0])


def test_only_complete_days_are_kept(paper):
    assert paper.market.settings.checks.incomplete == "drop"
    assert all(len(day.prices) == 13 for day in paper.market.days)


# Section 3.1: RMSRE and weighted least squares


def test_rmsre_is_weighted_least_squares(paper):
    assert_close(paper.fit.problem.weights, paper.w, ROUNDING)
    assert_close(paper.fit.prices, paper.g, ROUNDING)
    rmsre = mp.sqrt(mp.fsum(((y - g) / y) ** 2 for y, g in zip(paper.y, paper.g, strict=True)) / 13)
    # A residual is a small difference of prices that are right to some ulps.
    rounding = ROUNDING / float(rmsre)
    assert_close(paper.fit.rmsre, [rmsre], rounding)
    assert_close(paper.fit.objective, [13 * rmsre**2], 2 * rounding)


# Section 3.3: the Jacobian


def test_the_price_to_variance_sensitivity(paper):
    """Eq. factor_M, and that it is the derivative of a caplet's price."""
    found = paper.fit.parameters.caplet_sensitivities(paper.day)
    every = [(k, i, M, slope) for k, cap in enumerate(paper.caps) for i, _, M, slope in cap]
    assert found.quote.tolist() == [k for k, _, _, _ in every]
    assert found.reset.tolist() == [i / 2 for _, i, _, _ in every]
    assert found.payment.tolist() == [(i + 1) / 2 for _, i, _, _ in every]
    assert_close(found.variance, [paper.periods[i][0] for _, i, _, _ in every], ROUNDING)
    assert_close(found.M, [M for _, _, M, _ in every], ROUNDING)
    assert_close(found.dM, [slope for _, _, _, slope in every], ROUNDING)


def test_the_jacobian_is_factorised(paper):
    """Eq. jacobian_factorization, by the package's factors and by the printed ones."""
    assert_close(paper.fit.parameters.jacobian(paper.day), paper.J, ROUNDING)
    found = paper.fit.parameters.caplet_sensitivities(paper.day)
    for k in range(13):
        own = found.quote == k
        assert_close(found.M[own] @ found.gradient[own], paper.J[k, :].tolist()[0], ROUNDING)


# Section 3.4: the Hessian


def test_the_hessian_is_factorised(paper):
    """Eq. hessian_caplet_factorized; entries are differences, so the largest of a cap counts."""
    hessians = numbers(paper.hessians)
    sizes = np.sqrt(np.abs(np.einsum("kuu,kvv->kuv", hessians, hessians)))
    sizes = np.maximum(sizes, np.abs(hessians))
    sizes = np.where(sizes > 0, sizes, 1.0)
    found = paper.fit.parameters.hessian(paper.day)
    assert_close(found, hessians, ROUNDING, sizes)
    factors = paper.fit.parameters.caplet_sensitivities(paper.day)
    first = factors.quote == 0
    outer = np.einsum("i,iu,iv->uv", factors.dM[first], *[factors.gradient[first]] * 2)
    bent = np.einsum("i,iuv->uv", factors.M[first], factors.hessian[first])
    assert_close(outer + bent, hessians[0], ROUNDING, sizes[0])


# Section 3.5.1: the weighted hat matrix


def test_the_weighted_hat_matrix(paper):
    """Eq. hat_matrix, leverage scores, and the trace that counts degrees of freedom."""
    H = paper.A * paper.inverse * paper.A.T
    tolerance = ROUNDING * paper.condition
    assert_close(paper.dx.hat_matrix, H, tolerance, size=1.0)
    assert_close(paper.dx.leverage, [H[k, k] for k in range(13)], tolerance, size=1.0)
    trace = mp.fsum(H[k, k] for k in range(13))
    assert abs(trace - mp.nint(trace)) < mpf(10) ** -20
    assert paper.dx.edof == mp.nint(trace)
    assert paper.dx.mode == "full"
    assert not paper.dx.is_held.any()
    oblique = paper.J * paper.inverse * paper.J.T * mp.diag(paper.w)
    assert [oblique[k, k] for k in range(13)] == pytest.approx(
        [H[k, k] for k in range(13)], rel=1e-30
    )


def test_tikhonov_does_not_count_in_integers(paper):
    """Appendix on the pseudo-inverse and Tikhonov EDoF."""
    lambda_ = mpf(paper.dx.effective_degrees.tikhonov_lambda)
    regularised = (paper.A.T * paper.A + lambda_ * mp.eye(5)) ** -1
    smoother = paper.A * regularised * paper.A.T
    trace = mp.fsum(smoother[k, k] for k in range(13))
    assert_close(paper.dx.effective_degrees.tikhonov, [trace], 1e-9)
    assert abs(trace - mp.nint(trace)) > 1e-6


# Section 3.5.2: uncertainty


def test_the_two_scales_of_the_residuals(paper):
    rounding = ROUNDING / float(min(abs(e) for e in (mp.sqrt(paper.mse), paper.mad)))
    assert_close(paper.dx.scale_mse, [mp.sqrt(paper.mse)], rounding)
    assert_close(paper.dx.scale_mad, [paper.mad], rounding)
    assert paper.dx.noise() == paper.dx.scale_mad


def test_the_fisher_information(paper):
    printed = paper.J.T * mp.diag(paper.w) * paper.J
    rounding = ROUNDING / float(paper.mad)
    information = {"mad": paper.mad**2, "mse": paper.mse, 0.003: mpf(0.003) ** 2}
    for scale, square in information.items():
        assert_close(paper.dx.fisher_information(scale), printed / square, 2 * rounding)
    assert_close(paper.dx.fisher_information(), printed / paper.mad**2, 2 * rounding)


def test_the_covariance(paper):
    """Eq. cov: its sizes are those of the standard errors."""
    errors = [mp.sqrt(paper.inverse[p, p]) for p in range(5)]
    sizes = numbers([[a * b for a in errors] for b in errors])
    tolerance = 2 * ROUNDING * (paper.condition + 1 / float(paper.mad))
    unscaled = paper.dx.covariance() / paper.dx.scale_mad**2
    assert_close(unscaled, paper.inverse, tolerance, sizes)
    assert_close(
        paper.dx.covariance("mse") / paper.dx.scale_mse**2, paper.inverse, tolerance, sizes
    )


@pytest.mark.parametrize("scale", ["mad", "mse"])
@pytest.mark.parametrize("level", [0.5, 0.75, 0.95])
def test_intervals_by_transformation_and_delta_method(paper, level, scale):
    """Normal quantiles on the scales log and arctanh, and back; inside the admissible region."""
    noise = {"mad": paper.mad, "mse": mp.sqrt(paper.mse)}[scale]
    found = paper.dx.intervals(level) if scale == "mad" else paper.dx.intervals(level, scale)
    assert found.form == "gauss_newton"  # not a profile
    z = mpf(norm.ppf(0.5 + level / 2))
    tolerance = 1e-6 + 10 * ROUNDING * paper.condition
    for p, name in enumerate(NAMES):
        value, se = paper.point[p], noise * mp.sqrt(paper.inverse[p, p])
        if name == "rho_xy" and abs(value) == 1:  # the limit of arctanh
            ends = [value, value] if se == 0 else [mpf(-1), mpf(1)]
        elif name == "rho_xy":
            step = z * se / (1 - value**2)
            ends = [mp.tanh(mp.atanh(value) + side * step) for side in (-1, 1)]
        else:
            ends = [mp.exp(mp.log(value) + side * z * se / value) for side in (-1, 1)]
        lower, upper = paper.fit.problem.lower[p], paper.fit.problem.upper[p]
        printed = [min(max(float(end), lower), upper) for end in ends]
        assert found.of(name) == pytest.approx(printed, rel=tolerance)
        assert not math.isnan(found.of(name)[0])


# Section 3.5.3: influence


def test_the_influence_function(paper):
    """Eq. influence_function: residual times sensitivity, and its norm."""
    sensitivity = paper.inverse * paper.J.T * mp.diag(paper.w)
    printed = [[(paper.y[k] - paper.g[k]) * sensitivity[p, k] for p in range(5)] for k in range(13)]
    influence = numbers(printed)
    tolerance = ROUNDING * (paper.condition + 1 / float(min(map(abs, paper.e))))
    sizes = np.abs(influence).max(axis=0)
    assert_close(paper.dx.influence, influence, tolerance, sizes)
    norms = [mp.sqrt(mp.fsum(x**2 for x in row)) for row in printed]
    assert_close(paper.dx.influence_score, norms, tolerance, float(max(norms)))


# Appendix: the adequacy of Gauss-Newton


def test_what_gauss_newton_leaves_out(paper):
    left_out = mp.matrix(5, 5)
    for k in range(13):
        left_out -= 2 * paper.w[k] * (paper.y[k] - paper.g[k]) * mp.matrix(paper.hessians[k])
    gram = 2 * paper.A.T * paper.A
    ratio = mp.mnorm(left_out, "f") / mp.mnorm(gram, "f")
    assert_close(paper.dx.gauss_newton_ratio, [ratio], 1e-6)
