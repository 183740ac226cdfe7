"""The G2++ model: two correlated Gaussian factors plus a shift that fits today's curve."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from calibscope.base.arrays import Array, ArrayLike, BoolArray
from calibscope.base.measures import Quantities
from calibscope.base.parameters import Specs
from calibscope.market.curve import DiscountCurve
from calibscope.market.day import MarketDay
from calibscope.market.quotes import Kind
from calibscope.models.g2 import bonds
from calibscope.models.g2.book import CapBook
from calibscope.models.g2.caplet_sensitivities import CapletSensitivities
from calibscope.models.g2.caps import evaluate
from calibscope.models.g2.downstream import Downstream
from calibscope.models.g2.parameters import (
    EQUAL_SPEEDS,
    PARAMETERS,
    SPECS,
    SWAP,
    checked_parameters,
)
from calibscope.models.g2.pricer import CapPricer, batched
from calibscope.models.model import Model, Pricer, Values


@dataclass(frozen=True, slots=True)
class G2(Model):
    r"""One set of G2++ parameters, with the prices and moments that follow.

    .. math::

        r = x + y + \psi, \qquad d\langle W_1, W_2\rangle = \rho_{xy} dt,

        dx = -a_x x\,dt + \sigma_x dW_1, \qquad dy = -a_y y\,dt + \sigma_y dW_2

    Speeds and volatilities may be zero, and rho_xy may be -1 or 1; bounds belong to calibration.

    Source: Brigo and Mercurio (2006), section 4.2; paper, section 2.1.

    Examples
    --------
    >>> model = G2(a_x=0.5, a_y=0.05, sigma_x=0.01, sigma_y=0.01, rho_xy=-0.7)
    >>> float(model.short_rate_variance(10.0).round(8))
    0.00047861
    """

    name: ClassVar[str] = "g2++"
    title: ClassVar[str] = "G2++"
    specs: ClassVar[Specs] = SPECS
    horizons: ClassVar[tuple[float, ...]] = (1.0, 5.0, 10.0, 20.0)

    a_x: float  # speed of mean reversion of x, per year
    a_y: float
    sigma_x: float  # volatility of x, decimal per square root of a year
    sigma_y: float
    rho_xy: float  # correlation of the two factors

    def __post_init__(self) -> None:
        values = checked_parameters([self._raw], days=1)[0]
        for name, value in zip(PARAMETERS, values, strict=True):
            object.__setattr__(self, name, float(value))

    @property
    def values(self) -> Array:
        """(5,) a_x, a_y, sigma_x, sigma_y, rho_xy."""
        return np.array(self._raw, dtype=float)

    @property
    def _raw(self) -> tuple[float, ...]:
        return self.a_x, self.a_y, self.sigma_x, self.sigma_y, self.rho_xy

    @classmethod
    def pricer(cls, day: MarketDay) -> Pricer:
        """The day's caps or floors, packed for the kernel."""
        return CapPricer(CapBook.from_days([day]))

    @classmethod
    def evaluate_days(
        cls, days: Sequence[MarketDay], parameters: Array, order: int, threads: int | None = 1
    ) -> Values:
        """All days in one call of the kernel; see `Model.evaluate_days`."""
        return batched(evaluate(parameters, CapBook.from_days(days), order, threads), len(days))

    @classmethod
    def equivalents(cls, point: Array) -> tuple[Array, ...]:
        """The point, and the same model with its factors swapped."""
        return point, point[..., SWAP]

    @classmethod
    def is_canonical(cls, points: Array) -> BoolArray:
        """Whether the faster factor is the first."""
        return np.asarray(~(points[..., 0] < points[..., 1]))

    @classmethod
    def has_equal_speeds(cls, point: Array) -> bool:
        """Whether both factors have the same speed: a one-factor model."""
        a_x, a_y = point[0], point[1]
        return bool(abs(a_x - a_y) <= EQUAL_SPEEDS * max(a_x, a_y))

    @classmethod
    def quantities(
        cls, day: MarketDay, horizons: ArrayLike, instruments: Sequence[Any]
    ) -> Quantities:
        """The outlook at horizons, and prices of instruments."""
        return Downstream.of(day, horizons, instruments)

    def prices(self, day: MarketDay) -> Array:
        r"""(m,) model prices of the day's caps or floors, for the day's notional.

        .. math::

            \text{Cap} = \sum_i N\,[P(t_{i-1})\,\Phi(h_{+,i})
            - (1 + K\delta_i)\,P(t_i)\,\Phi(h_{-,i})],

            h_\pm = \frac{1}{\Sigma} \log\frac{P(t_{i-1})}{(1 + K\delta_i) P(t_i)}
            \pm \frac{\Sigma}{2}

        with Sigma^2 the integrated variance of `models/g2/variance.py`.

        Source: paper, eq. analytical_cap_price.

        Parameters
        ----------
        day : quotes, curve and conventions of the day

        Returns
        -------
        Array
            (m,) prices, in the order of the day's maturities
        """
        return self._evaluated(day, 0).prices

    def jacobian(self, day: MarketDay) -> Array:
        r"""(m, 5) exact derivatives of the prices; the same for caps and for floors.

        .. math::

            \frac{\partial\,\text{Cap}}{\partial p}
            = \sum_i M_i\,\frac{\partial \Sigma_i^2}{\partial p}, \qquad
            M_i = \frac{N P(t_{i-1})\,\varphi(h_{+,i})}{2 \Sigma_i}

        Source: paper, eq. jacobian_factorization.

        Parameters
        ----------
        day : quotes, curve and conventions of the day

        Returns
        -------
        Array
            (m, 5) columns a_x, a_y, sigma_x, sigma_y, rho_xy
        """
        return self._evaluated(day, 1).jacobian

    def hessian(self, day: MarketDay) -> Array:
        r"""(m, 5, 5) exact second derivatives of the prices.

        .. math::

            \frac{\partial^2 \text{Cap}}{\partial p\,\partial q} = \sum_i M'_i\,
            \frac{\partial \Sigma_i^2}{\partial p}\frac{\partial \Sigma_i^2}{\partial q}
            + M_i\,\frac{\partial^2 \Sigma_i^2}{\partial p\,\partial q}, \qquad
            M'_i = M_i\,\frac{h_{+,i} h_{-,i} - 1}{2 \Sigma_i^2}

        Source: paper, eq. hessian_caplet_factorized.

        Parameters
        ----------
        day : quotes, curve and conventions of the day

        Returns
        -------
        Array
            (m, 5, 5) symmetric in the last two axes
        """
        return self._evaluated(day, 2).hessian

    def caplet_sensitivities(self, day: MarketDay) -> CapletSensitivities:
        r"""The factors M_i and M'_i of every caplet, with the derivatives of its variance.

        .. math::

            M_i = \frac{\partial\,\text{Caplet}_i}{\partial \Sigma_i^2}
            = \frac{N P(t_{i-1})\,\varphi(h_{+,i})}{2 \Sigma_i}, \qquad
            M'_i = \frac{\partial M_i}{\partial \Sigma_i^2}
            = \frac{N P(t_{i-1})\,\varphi(h_{+,i})}{4 \Sigma_i^3}\,(h_{+,i} h_{-,i} - 1)

        `jacobian` and `hessian` are their sums over the caplets of each quote; caplet and floorlet
        have the same.

        Source: paper, eq. factor_M and eq. hessian_caplet_factorized.

        Parameters
        ----------
        day : quotes, curve and conventions of the day

        Returns
        -------
        CapletSensitivities
            one entry per caplet, quote after quote

        Examples
        --------
        >>> from calibscope.market.demo import demo_market
        >>> day = demo_market().day("2020-03-18")
        >>> model = G2(a_x=0.5, a_y=0.05, sigma_x=0.01, sigma_y=0.01, rho_xy=-0.7)
        >>> found = model.caplet_sensitivities(day)
        >>> three_years = found.quote == 0
        >>> J = found.M[three_years] @ found.gradient[three_years]
        >>> bool(np.allclose(J, model.jacobian(day)[0], rtol=1e-12))
        True
        """
        return CapletSensitivities.of(self.values, CapBook.from_days([day]))

    def caplet_prices(
        self,
        curve: DiscountCurve,
        resets: ArrayLike,
        payments: ArrayLike,
        strikes: ArrayLike,
        *,
        accruals: ArrayLike | None = None,
        kind: Kind = "cap",
        notional: float = 1.0,
    ) -> Array:
        """(n,) prices of single caplets (or floorlets), each with its own dates and strike.

        The terms of the sum in `prices` (paper, eq. analytical_cap_price).

        Parameters
        ----------
        curve : today's discount curve
        resets, payments : years from today, 0 <= reset < payment
        strikes : decimal
        accruals : years; None means payment minus reset
        kind : "cap" or "floor"
        notional : of every caplet

        Returns
        -------
        Array
            (n,) prices

        Examples
        --------
        >>> model = G2(a_x=0.5, a_y=0.05, sigma_x=0.01, sigma_y=0.01, rho_xy=-0.7)
        >>> curve = DiscountCurve.from_zero_rates([10], [0.02])
        >>> model.caplet_prices(curve, [1, 2, 5], [1.5, 2.5, 5.5], 0.02).round(6)
        array([0.001382, 0.001903, 0.002895])
        """
        book = CapBook.from_caplets(curve, resets, payments, strikes, accruals, kind, notional)
        return evaluate([self.values], book, order=0).prices

    def is_degenerate(self, day: MarketDay) -> BoolArray:
        """(m,) whether a cap has a caplet without variance, beyond one that is fixed today.

        Such a caplet is priced at its intrinsic value with derivatives zero, although the true
        derivatives do not exist: the factors cancel (equal speeds and volatilities with
        rho_xy = -1) or both volatilities are zero.

        Parameters
        ----------
        day : quotes, curve and conventions of the day

        Returns
        -------
        BoolArray
            (m,) marks
        """
        return self._evaluated(day, 0).is_degenerate

    def psi(self, curve: DiscountCurve, t: ArrayLike) -> Array:
        r"""The shift that fits the curve; also the mean of the short rate r(t) under Q.

        .. math:: \psi(t) = f(0, t) + \tfrac12 \sigma_x^2 C_x^2 + \tfrac12 \sigma_y^2 C_y^2
            + \rho_{xy}\,\sigma_x \sigma_y C_x C_y, \qquad C_x = \frac{1 - e^{-a_x t}}{a_x}

        Source: paper, eq. psi.

        Parameters
        ----------
        curve : today's discount curve
        t : years from today

        Returns
        -------
        Array
            of the shape of t, decimals per year
        """
        return bonds.shift(self.values, curve, t)

    def short_rate_variance(self, t: ArrayLike) -> Array:
        r"""Variance of r(t) under Q (paper, section 2.1).

        .. math:: \sigma_x^2 \frac{1 - e^{-2 a_x t}}{2 a_x}
            + \sigma_y^2 \frac{1 - e^{-2 a_y t}}{2 a_y}
            + 2 \rho_{xy}\,\sigma_x \sigma_y \frac{1 - e^{-(a_x + a_y) t}}{a_x + a_y}

        Parameters
        ----------
        t : years from today

        Returns
        -------
        Array
            of the shape of t
        """
        return bonds.short_rate_variance(self.values, t)

    def integral_variance(self, t: ArrayLike, T: ArrayLike) -> Array:
        r"""V(t, T), the variance of the integral of x + y from t to T (paper, section 2.1).

        .. math:: V(t, T) = \int_0^{T-t} [\sigma_x^2 C(a_x, s)^2 + \sigma_y^2 C(a_y, s)^2
            + 2 \rho_{xy}\,\sigma_x \sigma_y\,C(a_x, s)\,C(a_y, s)]\, ds

        Parameters
        ----------
        t, T : years from today, t <= T

        Returns
        -------
        Array
            of the common shape of t and T
        """
        return bonds.integral_variance(self.values, t, T)

    def bond_price(
        self, curve: DiscountCurve, t: ArrayLike, T: ArrayLike, x: ArrayLike, y: ArrayLike
    ) -> Array:
        r"""Price P(t, T) of a zero-coupon bond at time t, given the factors x(t) and y(t).

        .. math:: P(t, T) = \frac{P(0, T)}{P(0, t)} \exp\{-C(a_x, T - t)\,x - C(a_y, T - t)\,y
            - \tfrac12 [V(0, T) - V(0, t) - V(t, T)]\}

        Source: paper, eq. ZeroBondPrice.

        Parameters
        ----------
        curve : today's discount curve
        t, T : years from today, t <= T
        x, y : the factors at time t

        Returns
        -------
        Array
            of the common shape of the arguments
        """
        return bonds.bond_price(self.values, curve, t, T, x, y)
