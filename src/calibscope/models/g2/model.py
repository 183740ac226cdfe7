"""The G2++ model: two correlated Gaussian factors plus a shift that fits today's curve."""

from dataclasses import dataclass

import numpy as np

from calibscope.base.arrays import Array, ArrayLike, Marks
from calibscope.market.curve import DiscountCurve
from calibscope.market.day import MarketDay
from calibscope.market.quotes import Kind
from calibscope.models.g2 import bonds
from calibscope.models.g2.book import CapBook
from calibscope.models.g2.caps import evaluate
from calibscope.models.g2.parameters import PARAMETERS, checked_parameters


@dataclass(frozen=True, slots=True)
class G2:
    r"""One set of G2++ parameters, and what the model says with them.

    .. math::

        r = x + y + \psi, \quad dx = -a_x x\,dt + \sigma_x dW_1, \quad
        dy = -a_y y\,dt + \sigma_y dW_2, \quad d\langle W_1, W_2\rangle = \rho_{xy} dt

    Speeds and volatilities may be zero, and rho_xy may be -1 or 1; bounds belong to calibration.

    Examples
    --------
    >>> model = G2(a_x=0.5, a_y=0.05, sigma_x=0.01, sigma_y=0.01, rho_xy=-0.7)
    >>> float(model.short_rate_variance(10.0).round(8))
    0.00047861
    """

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

    def cap_prices(self, day: MarketDay) -> Array:
        """(m,) model prices of the day's caps or floors, for the day's notional.

        Source: paper, eq. analytical_cap_price.
        """
        return evaluate([self.values], CapBook.from_days([day]), order=0).prices

    def jacobian(self, day: MarketDay) -> Array:
        """(m, 5) exact derivatives of the prices; the same for caps and for floors.

        Source: paper, eq. jacobian_factorization.
        """
        return evaluate([self.values], CapBook.from_days([day]), order=1).jacobian

    def hessian(self, day: MarketDay) -> Array:
        """(m, 5, 5) exact second derivatives of the prices.

        Source: paper, eq. hessian_caplet_factorized.
        """
        return evaluate([self.values], CapBook.from_days([day]), order=2).hessian

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

        Parameters
        ----------
        resets, payments : years from today, 0 <= reset < payment
        strikes : decimal
        accruals : years; None means payment minus reset

        Examples
        --------
        >>> model = G2(a_x=0.5, a_y=0.05, sigma_x=0.01, sigma_y=0.01, rho_xy=-0.7)
        >>> curve = DiscountCurve.from_zero_rates([10], [0.02])
        >>> model.caplet_prices(curve, [1, 2, 5], [1.5, 2.5, 5.5], 0.02).round(6)
        array([0.001382, 0.001903, 0.002895])
        """
        book = CapBook.from_caplets(curve, resets, payments, strikes, accruals, kind, notional)
        return evaluate([self.values], book, order=0).prices

    def is_degenerate(self, day: MarketDay) -> Marks:
        """(m,) whether a cap has a caplet without variance, beyond one that is fixed today.

        Such a caplet is priced at its intrinsic value with derivatives zero, although the true
        derivatives do not exist: the factors cancel (equal speeds and volatilities with
        rho_xy = -1) or both volatilities are zero.
        """
        return evaluate([self.values], CapBook.from_days([day]), order=0).is_degenerate

    def psi(self, curve: DiscountCurve, t: ArrayLike) -> Array:
        """The shift that fits the curve; also the mean of the short rate r(t) under Q.

        Source: paper, eq. psi.
        """
        return bonds.shift(self.values, curve, t)

    def short_rate_variance(self, t: ArrayLike) -> Array:
        """Variance of r(t) under Q (paper, section 2.1)."""
        return bonds.short_rate_variance(self.values, t)

    def integral_variance(self, t: ArrayLike, T: ArrayLike) -> Array:
        """V(t, T), the variance of the integral of x + y from t to T (paper, section 2.1)."""
        return bonds.integral_variance(self.values, t, T)

    def bond_price(
        self, curve: DiscountCurve, t: ArrayLike, T: ArrayLike, x: ArrayLike, y: ArrayLike
    ) -> Array:
        """Price P(t, T) of a zero-coupon bond at time t, given the factors x(t) and y(t).

        Source: paper, eq. ZeroBondPrice.
        """
        return bonds.bond_price(self.values, curve, t, T, x, y)
