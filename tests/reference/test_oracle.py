"""Is the oracle itself right? Every value is reached a second time by another road.

Derivatives come from numerical differentiation of the printed price, variances and the shift
from quadrature of what they are integrals of, and limits from expansions done by hand.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence

import pytest
from mpmath import mp, mpf  # type: ignore[import-untyped]
from oracle import (
    bond_price,
    caplet,
    decay,
    mills_ratio,
    shift,
    short_rate_variance,
    variance_of_integral,
)

DIGITS = 40
# Quadrature and differentiation run at forty digits and may lose a few to cancellation.
TOLERANCE = mpf(10) ** -28

Contract = tuple[float, float, float, float, float, float]
Parameters = tuple[float, float, float, float, float]

PARAMETERS: list[Parameters] = [
    (0.5, 0.04, 0.01, 0.012, -0.8),
    (0.3, 0.31, 0.009, 0.0091, -0.999),
    (0.2, 0.05, 0.01, 0.008, -1.0),
    (1e-5, 0.4, 0.006, 0.01, -0.6),
    (1e-6, 2e-6, 0.01, 0.004, 0.7),
    (2.5, 0.1, 0.03, 0.01, 0.0),
    (0.1, 0.1, 0.02, 0.01, -1.0),
]
CONTRACTS: list[Contract] = [
    (5.0, 5.5, 0.5, 0.02, 0.909, 0.9),  # at the money to the last bits: h+ h- < 0
    (5.0, 5.5, 0.511, 0.02, 0.9, 0.89),
    (0.25, 0.5, 0.25, -0.004, 1.001, 1.0021),
    (29.0, 29.01, 0.01, 0.03, 0.5, 0.4999),
]


def _random_cases(count: int) -> Iterator[tuple[Parameters, Contract]]:
    draw = random.Random(20260101)
    for _ in range(count):
        parameters = (
            10 ** draw.uniform(-5, 0.5),
            10 ** draw.uniform(-5, 0.5),
            10 ** draw.uniform(-2.5, -1.5),
            10 ** draw.uniform(-2.5, -1.5),
            draw.uniform(-0.99, 0.99),
        )
        reset, span = draw.uniform(0.25, 25), draw.choice((0.01, 0.25, 0.5, 1.0))
        forward, strike = draw.uniform(-0.005, 0.04), draw.uniform(-0.005, 0.04)
        start = math.exp(-0.02 * reset)
        contract = (reset, reset + span, span * 365 / 360, strike, start, start - forward * span)
        yield parameters, contract


CASES = [(p, CONTRACTS[k % 4]) for k, p in enumerate(PARAMETERS)] + list(_random_cases(6))


@pytest.fixture(autouse=True)
def _forty_digits() -> Iterator[None]:
    with mp.workdps(DIGITS):
        yield


def _close(left: mpf, right: mpf, tolerance: mpf = TOLERANCE) -> bool:
    return bool(abs(left - right) <= tolerance * max(abs(left), abs(right)))


def _printed_C(alpha: mpf, span: mpf) -> mpf:
    return (1 - mp.exp(-alpha * span)) / alpha


def _printed_variance(reset: float, payment: float, *parameters: mpf) -> mpf:
    a_x, a_y, sigma_x, sigma_y, rho_xy = parameters
    T_1, span = mpf(reset), mpf(payment) - mpf(reset)
    C_x, C_y = _printed_C(a_x, span), _printed_C(a_y, span)
    return (
        sigma_x**2 * C_x**2 * _printed_C(2 * a_x, T_1)
        + sigma_y**2 * C_y**2 * _printed_C(2 * a_y, T_1)
        + 2 * rho_xy * sigma_x * sigma_y * C_x * C_y * _printed_C(a_x + a_y, T_1)
    )


def _legs(contract: Contract) -> tuple[mpf, mpf]:
    _, _, accrual, strike, start, end = (mpf(number) for number in contract)
    return start, (1 + strike * accrual) * end


def _printed_h(contract: Contract, variance: mpf) -> tuple[mpf, mpf]:
    start, end = _legs(contract)
    L, Sigma = mp.log(start / end), mp.sqrt(variance)
    return (L + variance / 2) / Sigma, (L - variance / 2) / Sigma


def _printed_price(contract: Contract, *parameters: mpf) -> mpf:
    start, end = _legs(contract)
    variance = _printed_variance(contract[0], contract[1], *parameters)
    h_plus, h_minus = _printed_h(contract, variance)
    return start * mp.ncdf(h_plus) - end * mp.ncdf(h_minus)


def _exact(parameters: Sequence[float]) -> list[mpf]:
    return [mpf(parameter) for parameter in parameters]


def _unit(*places: int) -> tuple[int, ...]:
    """How often to differentiate in each parameter."""
    return tuple(places.count(place) for place in range(5))


@pytest.mark.parametrize(("parameters", "contract"), CASES)
def test_price_is_the_expected_payoff(parameters: Parameters, contract: Contract) -> None:
    result = caplet(parameters, *contract)
    start, end = _legs(contract)
    Sigma = mp.sqrt(result.variance)
    edge = (mp.log(end / start) + result.variance / 2) / Sigma  # the rate meets the strike here

    def payoff(z: mpf) -> mpf:
        return (start * mp.exp(Sigma * z - result.variance / 2) - end) * mp.npdf(z)

    with mp.workdps(60):  # the payoff of a short period cancels by about 1 / Sigma
        # Beyond edge + k the density is below e^(-k^2 / 2) of its size at the edge.
        width = 18 if abs(edge) < 1 else max(18, 2 * abs(edge))
        call = mp.quad(payoff, mp.linspace(edge, edge + width, 9))
        put = -mp.quad(payoff, mp.linspace(edge - width, edge, 9))
    assert _close(result.price, call)
    assert _close(result.floorlet, put)


@pytest.mark.parametrize(("parameters", "contract"), CASES)
def test_variance_is_the_integrated_squared_bond_volatility(
    parameters: Parameters, contract: Contract
) -> None:
    a_x, a_y, sigma_x, sigma_y, rho_xy = _exact(parameters)
    reset, payment = mpf(contract[0]), mpf(contract[1])

    def squared_volatility(s: mpf) -> mpf:
        x = sigma_x * (mp.exp(-a_x * (reset - s)) - mp.exp(-a_x * (payment - s))) / a_x
        y = sigma_y * (mp.exp(-a_y * (reset - s)) - mp.exp(-a_y * (payment - s))) / a_y
        return x**2 + y**2 + 2 * rho_xy * x * y

    integral = mp.quad(squared_volatility, mp.linspace(0, reset, 7))
    assert _close(caplet(parameters, *contract).variance, integral)


@pytest.mark.parametrize(("parameters", "contract"), CASES)
def test_gradient_is_the_derivative_of_the_printed_price(
    parameters: Parameters, contract: Contract
) -> None:
    gradient = caplet(parameters, *contract).gradient
    for place in range(5):
        derivative = mp.diff(
            lambda *point: _printed_price(contract, *point), _exact(parameters), _unit(place)
        )
        assert _close(gradient[place], derivative), place


@pytest.mark.parametrize(("parameters", "contract"), CASES)
def test_hessian_is_the_second_derivative_of_the_printed_price(
    parameters: Parameters, contract: Contract
) -> None:
    hessian = caplet(parameters, *contract).hessian
    for i in range(5):
        for j in range(i, 5):
            derivative = mp.diff(
                lambda *point: _printed_price(contract, *point), _exact(parameters), _unit(i, j)
            )
            assert _close(hessian[i][j], derivative), (i, j)
            assert hessian[i][j] == hessian[j][i]


@pytest.mark.parametrize(("parameters", "contract"), CASES)
def test_scales_are_the_derivatives_without_cancellation(
    parameters: Parameters, contract: Contract
) -> None:
    # Within one derivative of Sigma^2 only the correlation gives terms different signs, so
    # the sum of moduli is the modulus of the derivative at |rho|.
    result = caplet(parameters, *contract)
    reset, payment, *_ = contract
    point = [*_exact(parameters)[:4], abs(mpf(parameters[4]))]

    def size(*places: int) -> mpf:
        return abs(mp.diff(lambda *p: _printed_variance(reset, payment, *p), point, _unit(*places)))

    h_plus, h_minus = _printed_h(contract, result.variance)
    Sigma = mp.sqrt(result.variance)
    density = _legs(contract)[0] * mp.npdf(h_plus)
    for i in range(5):
        assert _close(result.gradient_scale[i], density / (2 * Sigma) * size(i)), i
        for j in range(i, 5):
            curved = density / (4 * Sigma**3) * (abs(h_plus * h_minus) + 1) * size(i) * size(j)
            expected = curved + density / (2 * Sigma) * size(i, j)
            assert _close(result.hessian_scale[i][j], expected), (i, j)


@pytest.mark.parametrize(("parameters", "contract"), CASES)
def test_parity_and_condition_number(parameters: Parameters, contract: Contract) -> None:
    result = caplet(parameters, *contract)
    with mp.workdps(60):
        start, end = _legs(contract)
        error = result.price - result.floorlet - (start - end)
    assert abs(error) < mpf(10) ** -55 * start
    free = _printed_variance(contract[0], contract[1], *_exact(parameters)[:4], mpf(0))
    size = 2 * free - result.variance if parameters[4] < 0 else result.variance
    assert result.kappa >= 1
    assert _close(result.kappa, size / result.variance)


def test_time_to_payment_and_accrual_play_different_roles() -> None:
    parameters = PARAMETERS[0]
    plain = caplet(parameters, 5.0, 5.5, 0.5, 0.02, 0.9, 0.89)
    same_leg = caplet(parameters, 5.0, 5.5, 0.25, 0.04, 0.9, 0.89)
    later = caplet(parameters, 5.0, 5.75, 0.5, 0.02, 0.9, 0.89)
    assert _close(plain.price, same_leg.price)  # only strike * accrual enters the contract
    assert later.variance > plain.variance  # only payment - reset enters the model


def test_zero_mean_reversion_is_the_limit() -> None:
    contract = CONTRACTS[0]
    for place in (0, 1):
        at_zero = [0.3, 0.3, 0.01, 0.02, -0.5]
        near_zero = list(at_zero)
        at_zero[place], near_zero[place] = 0.0, mpf(10) ** -60
        limit, neighbour = caplet(at_zero, *contract), caplet(near_zero, *contract)
        assert _close(limit.price, neighbour.price)
        for i in range(5):
            assert _close(limit.gradient[i], neighbour.gradient[i])
            for j in range(5):
                assert _close(limit.hessian[i][j], neighbour.hessian[i][j])
    ho_lee = caplet((0.0, 0.0, 0.5, 0.25, -0.5), 5.0, 5.5, 0.5, 0.02, 0.9, 0.89)
    assert ho_lee.variance == mpf(3) / 16 * 5 / 4


def test_nearly_opposed_factors_keep_fifty_digits() -> None:
    # With a_x = 0 and a_y = e, the two volatilities differ by e * span * (span / 2 + reset - s)
    # up to a relative error of order e; the square of that is integrated by hand.
    e, sigma, reset, span = mpf(10) ** -200, mpf(1) / 64, mpf(4), mpf(1) / 2
    result = caplet((0, e, sigma, sigma, -1), reset, reset + span, span, 0.02, 0.9, 0.89)
    with mp.workdps(60):
        lower, upper = span / 2, span / 2 + reset
        expected = (sigma * e * span) ** 2 * (upper**3 - lower**3) / 3
        assert _close(result.variance, expected, mpf(10) ** -50)
        # Sigma^2 is homogeneous of degree two in e here, up to terms of order e.
        assert _close(result.gradient[1] * e, 2 * expected * _vega(result.variance, 0.9, 0.89))


@pytest.mark.parametrize(
    ("parameters", "contract"),
    [
        ((1e-5, 1e-5, 0.01, 0.01, math.nextafter(-1, 0)), (5.0, 5.01, 0.01, 0.02, 0.9, 0.8998)),
        ((0.1, math.nextafter(0.1, 1), 0.01, 0.01, -1.0), (5.0, 5.01, 0.01, 0.02, 0.9, 0.8998)),
        ((1e-12, 3e-9, 0.01, 0.01, -1.0), (0.01, 0.02, 0.01, 0.02, 0.9, 0.8998)),
        ((0.2, 0.3, 1e-120, 1e-120, 0.5), (5.0, 5.5, 0.5, 0.0, 0.9, 0.9)),  # at the money
        ((0.2, 0.3, 1e-9, 1e-9, 0.5), (5.0, 5.5, 0.5, 0.9, 0.9, 0.9)),  # 1e9 deviations out
    ],
)
def test_fifty_digits_do_not_depend_on_the_precision(
    parameters: Parameters, contract: Contract
) -> None:
    result = caplet(parameters, *contract)
    with mp.workdps(1000):
        better = caplet(parameters, *contract)
    pairs = [
        (result.price, better.price),
        (result.floorlet, better.floorlet),
        (result.variance, better.variance),
        *zip(result.gradient, better.gradient, strict=True),
    ]
    for row, better_row in zip(result.hessian, better.hessian, strict=True):
        pairs += zip(row, better_row, strict=True)
    with mp.workdps(60):
        for value, better_value in pairs:
            assert _close(value, better_value, mpf(10) ** -50)


def _vega(variance: mpf, start: float, end: float) -> mpf:
    with mp.workdps(900):  # h is of order 1e200
        contract = (0.0, 0.0, 0.5, 0.02, start, end)
        h_plus, _ = _printed_h(contract, variance)
        return start * mp.npdf(h_plus) / (2 * mp.sqrt(variance))


@pytest.mark.parametrize(
    ("parameters", "reset"),
    [
        ((0.1, 0.2, 0.0, 0.0, -0.5), 5.0),
        ((0.1, 0.1, 0.3, 0.3, -1.0), 5.0),
        ((0.1, 0.2, 0.01, 0.01, -0.5), 0.0),
    ],
)
def test_without_variance_only_the_intrinsic_value_remains(
    parameters: Parameters, reset: float
) -> None:
    in_the_money = caplet(parameters, reset, reset + 0.5, 0.5, 0.0, 0.75, 0.5)
    out_of_the_money = caplet(parameters, reset, reset + 0.5, 0.5, 2.0, 0.75, 0.5)
    assert (in_the_money.price, in_the_money.floorlet) == (0.25, 0)
    assert (out_of_the_money.price, out_of_the_money.floorlet) == (0, 0.25)
    for result in (in_the_money, out_of_the_money):
        assert result.variance == 0
        assert result.kappa == mp.inf
        assert result.gradient == result.gradient_scale == (0,) * 5
        assert result.hessian == result.hessian_scale == ((0,) * 5,) * 5


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="rho_xy"):
        caplet((0.1, 0.1, 0.01, 0.01, -1.5), *CONTRACTS[0])
    with pytest.raises(ValueError, match="strike"):
        caplet(PARAMETERS[0], 5.0, 5.5, 0.5, -2.0, 0.9, 0.89)


@pytest.mark.parametrize("x", [0.0, 5e-324, 1e-8, 0.1, 3.0, 40.0])
def test_decay_is_an_average_of_exponentials(x: float) -> None:
    for order, value in enumerate(decay(x)):
        average = mp.quad(lambda s, n=order: (-s) ** n * mp.exp(-mpf(x) * s), mp.linspace(0, 1, 5))
        assert _close(value, average), order


@pytest.mark.parametrize("x", [-3.0, 0.0, 0.5, 4.0, 50.0, 1e3])
def test_mills_ratio_is_an_integral(x: float) -> None:
    # (1 - Phi(x)) / phi(x) = integral over s > 0 of exp(-x s - s^2 / 2)
    reach = 20 if x < 5 else 100 / mpf(x)
    integral = mp.quad(lambda s: mp.exp(-mpf(x) * s - s * s / 2), mp.linspace(0, reach, 9))
    assert _close(mills_ratio(x), integral)


@pytest.mark.parametrize("x", [1e20, 1e99, 1e101, 1e200])
def test_mills_ratio_far_out(x: float) -> None:
    ratio = mills_ratio(x)
    # x m(x) = 1 - 1/x^2 + ...; one term leaves an error below 1e-40.
    assert abs(ratio * x - 1) < mpf(10) ** -38


def test_mills_ratio_is_seamless_where_its_method_changes() -> None:
    # Here mpmath's erfc still works; 900 digits reach the fourth term of the expansion.
    x = mpf(10) ** 101
    with mp.workdps(900):
        ratio = mills_ratio(x)
    with mp.workdps(1200):
        direct = mp.erfc(x / mp.sqrt(2)) / (2 * mp.npdf(x))
        assert _close(ratio, direct, mpf(10) ** -890)


@pytest.mark.parametrize(
    "parameters", [*PARAMETERS, (0.0, 0.3, 0.01, 0.02, -0.4), (0.3, 0.0, 0.01, 0.02, 0.4)]
)
def test_variances_are_quadratures(parameters: Parameters) -> None:
    a_x, a_y, sigma_x, sigma_y, rho_xy = _exact(parameters)
    t, T = mpf("1.5"), mpf(7)

    def squared(x: mpf, y: mpf) -> mpf:
        return x**2 + y**2 + 2 * rho_xy * x * y

    def reach(alpha: mpf, s: mpf) -> mpf:
        return _printed_C(alpha, s) if alpha else s

    def of_integral(s: mpf) -> mpf:
        return squared(sigma_x * reach(a_x, s), sigma_y * reach(a_y, s))

    def of_rate(s: mpf) -> mpf:
        return squared(sigma_x * mp.exp(-a_x * s), sigma_y * mp.exp(-a_y * s))

    assert _close(variance_of_integral(parameters, t, T), mp.quad(of_integral, [0, 2, T - t]))
    assert _close(short_rate_variance(parameters, T), mp.quad(of_rate, [0, 2, 4, T]))


def test_variances_survive_tiny_and_nearly_equal_mean_reversions() -> None:
    t, T, tolerance = mpf("1.5"), mpf(7), mpf(10) ** -39
    limit = variance_of_integral((0.0, 0.3, 0.01, 0.02, -0.4), t, T)
    tiny = variance_of_integral((mpf(10) ** -60, 0.3, 0.01, 0.02, -0.4), t, T)
    assert _close(limit, tiny, tolerance)
    # Opposed factors with speeds 0 and e leave e s^2 / 2 in the integral and e s in the rate,
    # up to a relative error of order e.
    e, sigma = mpf(10) ** -42, mpf(1) / 64
    opposed = (0, e, sigma, sigma, -1)
    expected = (sigma * e) ** 2 * (T - t) ** 5 / 20
    assert _close(variance_of_integral(opposed, t, T), expected, tolerance)
    assert _close(short_rate_variance(opposed, T), (sigma * e) ** 2 * T**3 / 3, tolerance)


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_bond_price_agrees_with_the_integrated_shift(parameters: Parameters) -> None:
    a_x, a_y, *_ = _exact(parameters)
    rate, t, T, x, y = mpf(1) / 32, mpf("1.5"), mpf(7), mpf("0.013"), mpf("-0.004")
    # The identity that bond_price uses is not used here: psi is integrated itself.
    integrated_shift = mp.quad(lambda u: shift(parameters, rate, u), [t, 3, 5, T])
    exponent = (
        -integrated_shift
        - _printed_C(a_x, T - t) * x
        - _printed_C(a_y, T - t) * y
        + variance_of_integral(parameters, t, T) / 2
    )
    price = bond_price(parameters, mp.exp(-rate * t), mp.exp(-rate * T), t, T, x, y)
    assert _close(price, mp.exp(exponent))


def test_shift_has_the_printed_form() -> None:
    a_x, a_y, sigma_x, sigma_y, rho_xy = _exact(PARAMETERS[0])
    t = mpf(3)
    e_x, e_y = 1 - mp.exp(-a_x * t), 1 - mp.exp(-a_y * t)
    printed = (
        mpf("0.02")
        + sigma_x**2 / (2 * a_x**2) * e_x**2
        + sigma_y**2 / (2 * a_y**2) * e_y**2
        + rho_xy * sigma_x * sigma_y / (a_x * a_y) * e_x * e_y
    )
    assert _close(shift(PARAMETERS[0], mpf("0.02"), 3.0), printed)
