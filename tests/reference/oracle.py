"""Reference values: what a caplet in the G2++ model is worth, to at least fifty digits.

Use it to judge fast code, never to price a book. Each function evaluates the closed form of
the paper (sections 2, 3.3, 3.4 and appendix A.1) in mpmath and shares no code with the package.

Precision. Floats are taken as the exact numbers they are. Work starts at `WORKING_DIGITS`
decimal digits, or at the caller's `mp.dps` if that is larger. Two things can eat digits, and
both are met with more of them: small arguments of the decay function cost three digits per
decade, which `decay` adds back; and a variance that nearly vanishes (correlation near -1, equal
mean reversions) costs the digits of its condition number, which `_settled_form` measures.

Parameters are always ordered a_x, a_y, sigma_x, sigma_y, rho_xy; the notional is one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mpmath import mp, mpf  # type: ignore[import-untyped]

WORKING_DIGITS = 120
PROMISED_DIGITS = 60  # kept free of cancellation, ten more than callers may rely on

Vector = tuple[mpf, ...]
Matrix = tuple[Vector, ...]
Sums = tuple[mpf, mpf]  # a sum of terms, and the sum of their moduli


@dataclass(frozen=True, slots=True)
class Caplet:
    """One caplet with exact derivatives, and the size that rounding errors are measured by.

    A scale is the value with every printed term replaced by its modulus: double precision
    cannot be asked for an error much below one unit in the last place of the scale.
    """

    price: mpf
    floorlet: mpf
    variance: mpf  # Sigma^2
    kappa: mpf  # condition number of the sum that gives Sigma^2; at least one
    gradient: Vector  # (5,)
    gradient_scale: Vector  # (5,)
    hessian: Matrix  # (5, 5)
    hessian_scale: Matrix  # (5, 5)


def decay(x: float) -> Vector:
    """Value, slope and curvature of f(x) = (1 - e^-x) / x, for x >= 0, with f(0) = 1."""
    with mp.workdps(_digits()):
        x = mpf(x)
        if x == 0:
            return mpf(1), mpf(-1) / 2, mpf(1) / 3
        with mp.workprec(mp.prec + max(0, -3 * mp.mag(x))):  # the curvature loses x^3
            tail = mp.exp(-x)
            value = (1 - tail) / x
            slope = (tail * (x + 1) - 1) / x**2
            curvature = (2 - tail * ((x + 1) ** 2 + 1)) / x**3
        return +value, +slope, +curvature


def mills_ratio(x: float) -> mpf:
    """Upper tail of the standard normal law over its density, (1 - Phi(x)) / phi(x)."""
    with mp.workdps(_digits()):
        x = mpf(x)
        with mp.workprec(mp.prec + 2 * max(0, mp.mag(x) if x else 0)):  # x^2 / 2 is an exponent
            ratio = _upper_tail(x) / mp.npdf(x)
        return +ratio


def caplet(
    parameters: Sequence[float],
    reset: float,
    payment: float,
    accrual: float,
    strike: float,
    reset_discount: float,
    payment_discount: float,
) -> Caplet:
    """Caplet and floorlet price with all first and second derivatives.

    The model sees the time from `reset` to `payment`; the contract pays on `accrual`, which a
    day count may make different. Without variance the price is the intrinsic value, and the
    derivatives are zero by convention. Source: eq. hessian_caplet_factorized of the paper.
    """

    def weights() -> Vector:
        return _bond_weights(parameters, reset, payment)

    digits, variance = _settled_form(parameters, weights)
    with mp.workdps(digits):
        start, end = mpf(reset_discount), (1 + mpf(strike) * mpf(accrual)) * mpf(payment_discount)
        if start <= 0 or end <= 0:
            raise ValueError("caplet: discounts and 1 + strike * accrual must be positive")
        if variance == 0:
            return _certain_caplet(start - end)
        # A tiny variance makes h large and its exponential touchy, and at the money it makes the
        # two parts of the Hessian cancel: each costs up to the digits of 1 / Sigma^2.
        with mp.workdps(digits + 2 * max(0, -int(mp.log10(variance)))):
            return _uncertain_caplet(parameters, mpf(reset), mpf(payment), start, end)


def short_rate_variance(parameters: Sequence[float], t: float) -> mpf:
    """Variance of the short rate at time t."""

    def weights() -> Vector:
        a_x, a_y, *_ = _exact(parameters)
        return tuple(_C(alpha, mpf(t))[0] for alpha in (2 * a_x, 2 * a_y, a_x + a_y))

    return _settled_form(parameters, weights)[1]


def shift(parameters: Sequence[float], forward: float, t: float) -> mpf:
    """The psi(t) that makes the model fit the market forward rate f(0, t) (eq. psi)."""

    def weights() -> Vector:
        a_x, a_y, *_ = _exact(parameters)
        C_x, C_y = _C(a_x, mpf(t))[0], _C(a_y, mpf(t))[0]
        return C_x * C_x, C_y * C_y, C_x * C_y

    with mp.workdps(_digits()):
        return mpf(forward) + _quadratic_form(parameters, weights())[0] / 2


def variance_of_integral(parameters: Sequence[float], t: float, T: float) -> mpf:
    """V(t, T): variance of the integral of x + y from t to T, as seen at t."""

    def weights() -> Vector:
        a_x, a_y, *_ = _exact(parameters)
        span = mpf(T) - mpf(t)
        return tuple(_overlap(*pair, span) for pair in ((a_x, a_x), (a_y, a_y), (a_x, a_y)))

    return _settled_form(parameters, weights)[1]


def bond_price(
    parameters: Sequence[float], P0t: float, P0T: float, t: float, T: float, x: float, y: float
) -> mpf:
    """Price at t of one unit paid at T, in the state (x, y), for the market discounts P0t, P0T.

    The integral of psi is taken from the fit to the market:
    exp(-int_t^T psi) = P(0,T) / P(0,t) * exp(-(V(0,T) - V(0,t)) / 2).
    """
    with mp.workdps(_digits()):
        a_x, a_y, *_ = _exact(parameters)
        span = mpf(T) - mpf(t)
        convexity = (
            variance_of_integral(parameters, t, T)
            - variance_of_integral(parameters, 0, T)
            + variance_of_integral(parameters, 0, t)
        ) / 2
        state = _C(a_x, span)[0] * mpf(x) + _C(a_y, span)[0] * mpf(y)
        return mpf(P0T) / mpf(P0t) * mp.exp(convexity - state)


def _digits() -> int:
    return max(WORKING_DIGITS, int(mp.dps))


def _exact(parameters: Sequence[float]) -> Vector:
    a_x, a_y, sigma_x, sigma_y, rho_xy = (mpf(parameter) for parameter in parameters)
    return a_x, a_y, sigma_x, sigma_y, rho_xy


def _C(alpha: mpf, span: mpf) -> Vector:
    """C of the paper over a time span, with its first two derivatives in alpha."""
    value, slope, curvature = decay(alpha * span)
    return span * value, span**2 * slope, span**3 * curvature


def _overlap(a: mpf, b: mpf, span: mpf) -> mpf:
    """Integral over s from 0 to span of C(a, s) C(b, s), with its limits at zero a or b."""
    if a == 0 and b == 0:
        return span**3 / 3
    if span == 0:
        return mpf(0)
    lost = sum(max(0, -mp.mag(speed * span)) for speed in (a, b) if speed)
    with mp.workprec(mp.prec + lost):
        if a == 0 or b == 0:
            integral = (span**2 / 2 + _C(a + b, span)[1]) / (a + b)
        else:
            integral = (span - _C(a, span)[0] - _C(b, span)[0] + _C(a + b, span)[0]) / (a * b)
    return +integral


def _bond_weights(parameters: Sequence[float], reset: float, payment: float) -> Vector:
    """What u, v and 2w are multiplied by in Sigma^2: A, B and D."""
    a_x, a_y, *_ = _exact(parameters)
    end = mpf(reset)
    C_x, C_y = (_C(alpha, mpf(payment) - end)[0] for alpha in (a_x, a_y))
    G_x, G_y, G_xy = (_C(alpha, end)[0] for alpha in (2 * a_x, 2 * a_y, a_x + a_y))
    return C_x * C_x * G_x, C_y * C_y * G_y, C_x * C_y * G_xy


def _quadratic_form(parameters: Sequence[float], weights: Vector) -> Sums:
    """sigma_x^2 A + sigma_y^2 B + 2 rho sigma_x sigma_y D, and the same in moduli."""
    _, _, sigma_x, sigma_y, rho_xy = _exact(parameters)
    A, B, D = weights
    return _sums(sigma_x**2 * A, sigma_y**2 * B, 2 * rho_xy * sigma_x * sigma_y * D)


def _sums(*terms: mpf) -> Sums:
    return mp.fsum(terms), mp.fsum(terms, absolute=True)


def _settled_form(parameters: Sequence[float], weights: Callable[[], Vector]) -> tuple[int, mpf]:
    """The quadratic form, and the digits at which its cancellation leaves enough of them."""
    digits = _digits()
    while True:
        with mp.workdps(digits):
            a_x, a_y, sigma_x, sigma_y, rho_xy = _exact(parameters)
            if abs(rho_xy) > 1:
                raise ValueError(f"rho_xy is {rho_xy}; a correlation is between -1 and 1")
            # Two opposed factors of one shape vanish exactly; no precision would resolve that.
            if a_x == a_y and abs(rho_xy) == 1 and sigma_x == -rho_xy * sigma_y:
                return digits, mpf(0)
            value, size = _quadratic_form(parameters, weights())
            # Squared, because what uses the form can amplify its error once more.
            bound = mpf(10) ** (digits - PROMISED_DIGITS)
            if size == 0 or (value > 0 and (size / value) ** 2 < bound):
                return digits, value
        digits *= 2


def _certain_caplet(intrinsic: mpf) -> Caplet:
    zero = mpf(0)
    vector, matrix = (zero,) * 5, ((zero,) * 5,) * 5
    return Caplet(
        price=max(intrinsic, zero),
        floorlet=max(-intrinsic, zero),
        variance=zero,
        kappa=mp.inf,
        gradient=vector,
        gradient_scale=vector,
        hessian=matrix,
        hessian_scale=matrix,
    )


def _uncertain_caplet(
    parameters: Sequence[float], reset: mpf, payment: mpf, start: mpf, end: mpf
) -> Caplet:
    """Price and derivatives for a positive variance; start and end are the two legs' values."""
    (variance, size), first, second = _variance_derivatives(parameters, reset, payment)
    Sigma = mp.sqrt(variance)
    L = mp.log(start / end)
    h_plus, h_minus = L / Sigma + Sigma / 2, L / Sigma - Sigma / 2
    M = start * mp.npdf(h_plus) / (2 * Sigma)
    dM = M / (2 * variance) * (h_plus * h_minus - 1)
    dM_scale = M / (2 * variance) * (abs(h_plus * h_minus) + 1)

    hessian, hessian_scale = {}, {}
    for (i, j), (second_order, bend_size) in second.items():
        (slope, slope_size), (other, other_size) = first[i], first[j]
        hessian[i, j] = dM * slope * other + M * second_order
        hessian_scale[i, j] = dM_scale * slope_size * other_size + M * bend_size
    return Caplet(
        price=start * _upper_tail(-h_plus) - end * _upper_tail(-h_minus),
        floorlet=end * _upper_tail(h_minus) - start * _upper_tail(h_plus),
        variance=variance,
        kappa=size / variance,
        gradient=tuple(M * slope for slope, _ in first),
        gradient_scale=tuple(M * slope_size for _, slope_size in first),
        hessian=_symmetric(hessian),
        hessian_scale=_symmetric(hessian_scale),
    )


def _upper_tail(x: mpf) -> mpf:
    """1 - Phi(x), without the overflow that mpmath's erfc runs into at about 1e154."""
    if x < mpf(10) ** 100:
        return mp.erfc(x / mp.sqrt(2)) / 2
    terms = ((-1) ** k * mp.fac2(2 * k - 1) / x ** (2 * k + 1) for k in range(mp.dps // 100 + 1))
    return mp.npdf(x) * mp.fsum(terms)


def _symmetric(upper: dict[tuple[int, int], mpf]) -> Matrix:
    return tuple(tuple(upper[min(i, j), max(i, j)] for j in range(5)) for i in range(5))


def _variance_derivatives(
    parameters: Sequence[float], reset: mpf, payment: mpf
) -> tuple[Sums, list[Sums], dict[tuple[int, int], Sums]]:
    """Sigma^2 with its first and second derivatives, each next to the sum of its terms' moduli.

    A suffix 1 or 2 counts derivatives: C_x1 is C_i'(a_x), G_x2 the second derivative of
    Gamma_x in a_x. Those of Gamma_xy are the same in a_x, in a_y and mixed.
    """
    a_x, a_y, sigma_x, sigma_y, rho_xy = _exact(parameters)
    u, v, w = sigma_x**2, sigma_y**2, 2 * rho_xy * sigma_x * sigma_y
    C_x, C_x1, C_x2 = _C(a_x, payment - reset)
    C_y, C_y1, C_y2 = _C(a_y, payment - reset)
    G_x, G_x1, G_x2 = (2**n * part for n, part in enumerate(_C(2 * a_x, reset)))
    G_y, G_y1, G_y2 = (2**n * part for n, part in enumerate(_C(2 * a_y, reset)))
    G_xy, G_xy1, G_xy2 = _C(a_x + a_y, reset)

    A, A1 = C_x * C_x * G_x, (2 * (C_x1 * C_x * G_x), C_x * C_x * G_x1)
    B, B1 = C_y * C_y * G_y, (2 * (C_y1 * C_y * G_y), C_y * C_y * G_y1)
    A2 = (2 * C_x1**2 * G_x, 2 * C_x * C_x2 * G_x, 4 * C_x * C_x1 * G_x1, C_x**2 * G_x2)
    B2 = (2 * C_y1**2 * G_y, 2 * C_y * C_y2 * G_y, 4 * C_y * C_y1 * G_y1, C_y**2 * G_y2)
    D = C_x * C_y * G_xy
    D_x = (C_x1 * C_y * G_xy, C_x * C_y * G_xy1)
    D_y = (C_y1 * C_x * G_xy, C_x * C_y * G_xy1)
    D_xx = (C_x2 * C_y * G_xy, 2 * C_x1 * C_y * G_xy1, C_x * C_y * G_xy2)
    D_yy = (C_y2 * C_x * G_xy, 2 * C_y1 * C_x * G_xy1, C_x * C_y * G_xy2)
    D_xy = (C_x1 * C_y1 * G_xy, C_x1 * C_y * G_xy1, C_x * C_y1 * G_xy1, C_x * C_y * G_xy2)

    def times(factor: mpf, terms: Vector) -> Vector:
        return tuple(factor * term for term in terms)

    rho_y, rho_x, both = 2 * rho_xy * sigma_y, 2 * rho_xy * sigma_x, 2 * sigma_x * sigma_y
    first = [
        _sums(*times(u, A1), *times(w, D_x)),
        _sums(*times(v, B1), *times(w, D_y)),
        _sums(2 * sigma_x * A, rho_y * D),
        _sums(2 * sigma_y * B, rho_x * D),
        _sums(both * D),
    ]
    second = {
        (0, 0): _sums(*times(u, A2), *times(w, D_xx)),
        (0, 1): _sums(*times(w, D_xy)),
        (0, 2): _sums(*times(2 * sigma_x, A1), *times(rho_y, D_x)),
        (0, 3): _sums(*times(rho_x, D_x)),
        (0, 4): _sums(*times(both, D_x)),
        (1, 1): _sums(*times(v, B2), *times(w, D_yy)),
        (1, 2): _sums(*times(rho_y, D_y)),
        (1, 3): _sums(*times(2 * sigma_y, B1), *times(rho_x, D_y)),
        (1, 4): _sums(*times(both, D_y)),
        (2, 2): _sums(2 * A),
        (2, 3): _sums(2 * rho_xy * D),
        (2, 4): _sums(2 * sigma_y * D),
        (3, 3): _sums(2 * B),
        (3, 4): _sums(2 * sigma_x * D),
        (4, 4): _sums(mpf(0)),
    }
    return _quadratic_form(parameters, (A, B, D)), first, second
