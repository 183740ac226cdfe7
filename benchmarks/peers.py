"""The same day priced by others: QuantLib, and plain vectorised NumPy.

Both serve twice: as peers that `make bench` measures against, and as independent twins of the
kernel in the tests.
"""

import numpy as np
import QuantLib as ql
from scipy.special import ndtr

from calibscope.base.arrays import Array
from calibscope.market.day import MarketDay
from calibscope.models.g2.model import G2


def quantlib_model(model: G2, day: MarketDay) -> ql.G2:
    """The model in QuantLib, whose parameter order is a, sigma, b, eta, rho.

    QuantLib's curve knows whole days only, so the dates of the schedule must be multiples of
    1/360 year, as those of the regular grid are.
    """
    today = ql.Date(1, 1, 2024)
    ql.Settings.instance().evaluationDate = today
    times = np.union1d([0.0], day.schedule.times)
    days = np.rint(360 * times).astype(int)
    if (days / 360 != times).any():
        raise ValueError("give times in multiples of 1/360 year")
    curve = ql.DiscountCurve(
        [today + int(count) for count in days], list(day.curve.discount(times)), ql.Actual360()
    )
    handle = ql.YieldTermStructureHandle(curve)
    return ql.G2(handle, model.a_x, model.sigma_x, model.a_y, model.sigma_y, model.rho_xy)


def quantlib_caplets(quantlib_g2: ql.G2, day: MarketDay) -> list[list[float]]:
    """Prices of the caplets (or floorlets) of each cap, unit notional."""
    option = ql.Option.Put if day.kind == "cap" else ql.Option.Call
    times, accruals = day.schedule.times.tolist(), day.schedule.accruals.tolist()
    prices = []
    for count, strike in zip(day.period_counts.tolist(), day.strikes.tolist(), strict=True):
        growths = [1 + strike * accruals[i] for i in range(day.first_period, count)]
        prices.append(
            [
                growth * quantlib_g2.discountBondOption(option, 1 / growth, *times[i : i + 2])
                for i, growth in enumerate(growths, start=day.first_period)
            ]
        )
    return prices


class NumpyDay:
    """Plain vectorised NumPy over all caplets of a day: the paper's printed formulas."""

    def __init__(self, day: MarketDay) -> None:
        """Gather what depends on the market alone, so that only the model is timed."""
        start = day.first_period
        lengths = day.period_counts - start
        self.period = np.concatenate([start + np.arange(length) for length in lengths])
        self.starts = np.cumsum(lengths) - lengths
        times, discounts = day.schedule.times, day.discounts
        self.resets, self.spans = times[:-1], np.diff(times)
        growth = 1 + np.repeat(day.strikes, lengths) * day.schedule.accruals[self.period]
        self.P1, self.KP2 = discounts[self.period], growth * discounts[self.period + 1]
        self.L = np.log(self.P1 / self.KP2)
        self.notional = day.notional

    def prices(self, parameters: Array) -> Array:
        """(m,) prices."""
        return self._prices(self._sigma(VarianceTerms(parameters, self.resets, self.spans)))

    def prices_and_jacobian(self, parameters: Array) -> tuple[Array, Array]:
        """(m,) prices and (m, 5) Jacobian."""
        terms = VarianceTerms(parameters, self.resets, self.spans)
        Sigma = self._sigma(terms)
        rows = self._M(Sigma)[:, None] * terms.gradient()[self.period]
        return self._prices(Sigma), self._summed(rows)

    def prices_jacobian_and_hessian(self, parameters: Array) -> tuple[Array, Array, Array]:
        """(m,) prices, (m, 5) Jacobian and (m, 5, 5) Hessian."""
        terms = VarianceTerms(parameters, self.resets, self.spans)
        Sigma = self._sigma(terms)
        M, dSigma2 = self._M(Sigma), terms.gradient()[self.period]
        h_plus = self.L / Sigma + Sigma / 2
        dM = M / (2 * Sigma**2) * (h_plus * (h_plus - Sigma) - 1)
        matrices = (
            dM[:, None, None] * dSigma2[:, :, None] * dSigma2[:, None, :]
            + M[:, None, None] * terms.hessian()[self.period]
        )
        return self._prices(Sigma), self._summed(M[:, None] * dSigma2), self._summed(matrices)

    def _sigma(self, terms: "VarianceTerms") -> Array:
        return np.sqrt(terms.value())[self.period]

    def _prices(self, Sigma: Array) -> Array:
        h_plus = self.L / Sigma + Sigma / 2
        return self._summed(self.P1 * ndtr(h_plus) - self.KP2 * ndtr(h_plus - Sigma))

    def _M(self, Sigma: Array) -> Array:
        h_plus = self.L / Sigma + Sigma / 2
        return self.P1 * np.exp(-h_plus * h_plus / 2) / np.sqrt(2 * np.pi) / (2 * Sigma)

    def _summed(self, caplets: Array) -> Array:
        return self.notional * np.add.reduceat(caplets, self.starts)


class VarianceTerms:
    """Sigma^2 of many periods and its derivatives, as the paper prints them."""

    def __init__(self, parameters: Array, resets: Array, spans: Array) -> None:
        """Evaluate C and Gamma with their derivatives."""
        self.parameters = a_x, a_y, *_ = parameters
        self.C_x, self.dC_x, self.d2C_x = printed_decay(a_x, spans)
        self.C_y, self.dC_y, self.d2C_y = printed_decay(a_y, spans)
        self.G_x, self.dG_x, self.d2G_x = printed_decay(2 * a_x, resets)
        self.G_y, self.dG_y, self.d2G_y = printed_decay(2 * a_y, resets)
        self.G_xy, self.dG_xy, self.d2G_xy = printed_decay(a_x + a_y, resets)

    def value(self) -> Array:
        """(n,) Sigma^2."""
        _, _, sigma_x, sigma_y, rho = self.parameters
        return (
            sigma_x**2 * self.C_x**2 * self.G_x
            + sigma_y**2 * self.C_y**2 * self.G_y
            + 2 * rho * sigma_x * sigma_y * self.C_x * self.C_y * self.G_xy
        )

    def gradient(self) -> Array:
        """(n, 5) first derivatives."""
        _, _, sigma_x, sigma_y, rho = self.parameters
        D = self.C_x * self.C_y * self.G_xy
        return np.stack(
            [
                sigma_x**2 * self._speed_slope_x() + 2 * rho * sigma_x * sigma_y * self._D_x(),
                sigma_y**2 * self._speed_slope_y() + 2 * rho * sigma_x * sigma_y * self._D_y(),
                2 * sigma_x * self.C_x**2 * self.G_x + 2 * rho * sigma_y * D,
                2 * sigma_y * self.C_y**2 * self.G_y + 2 * rho * sigma_x * D,
                2 * sigma_x * sigma_y * D,
            ],
            axis=1,
        )

    def hessian(self) -> Array:
        """(n, 5, 5) second derivatives."""
        _, _, sigma_x, sigma_y, rho = self.parameters
        D, D_x, D_y = self.C_x * self.C_y * self.G_xy, self._D_x(), self._D_y()
        D_xx = self.C_y * (
            self.d2C_x * self.G_xy + 2 * self.dC_x * self.dG_xy + self.C_x * self.d2G_xy
        )
        D_yy = self.C_x * (
            self.d2C_y * self.G_xy + 2 * self.dC_y * self.dG_xy + self.C_y * self.d2G_xy
        )
        D_xy = (
            self.dC_x * self.dC_y * self.G_xy
            + (self.dC_x * self.C_y + self.C_x * self.dC_y) * self.dG_xy
            + self.C_x * self.C_y * self.d2G_xy
        )
        A_xx = (
            2 * (self.dC_x**2 + self.C_x * self.d2C_x) * self.G_x
            + 8 * self.C_x * self.dC_x * self.dG_x
            + 4 * self.C_x**2 * self.d2G_x
        )
        B_yy = (
            2 * (self.dC_y**2 + self.C_y * self.d2C_y) * self.G_y
            + 8 * self.C_y * self.dC_y * self.dG_y
            + 4 * self.C_y**2 * self.d2G_y
        )
        cross = 2 * rho * sigma_x * sigma_y
        H = np.zeros((len(D), 5, 5))
        H[:, 0, 0] = sigma_x**2 * A_xx + cross * D_xx
        H[:, 0, 1] = H[:, 1, 0] = cross * D_xy
        H[:, 0, 2] = H[:, 2, 0] = 2 * sigma_x * self._speed_slope_x() + 2 * rho * sigma_y * D_x
        H[:, 0, 3] = H[:, 3, 0] = 2 * rho * sigma_x * D_x
        H[:, 0, 4] = H[:, 4, 0] = 2 * sigma_x * sigma_y * D_x
        H[:, 1, 1] = sigma_y**2 * B_yy + cross * D_yy
        H[:, 1, 2] = H[:, 2, 1] = 2 * rho * sigma_y * D_y
        H[:, 1, 3] = H[:, 3, 1] = 2 * sigma_y * self._speed_slope_y() + 2 * rho * sigma_x * D_y
        H[:, 1, 4] = H[:, 4, 1] = 2 * sigma_x * sigma_y * D_y
        H[:, 2, 2] = 2 * self.C_x**2 * self.G_x
        H[:, 2, 3] = H[:, 3, 2] = 2 * rho * D
        H[:, 2, 4] = H[:, 4, 2] = 2 * sigma_y * D
        H[:, 3, 3] = 2 * self.C_y**2 * self.G_y
        H[:, 3, 4] = H[:, 4, 3] = 2 * sigma_x * D
        return H

    def _speed_slope_x(self) -> Array:
        return 2 * self.C_x * self.dC_x * self.G_x + 2 * self.C_x**2 * self.dG_x

    def _speed_slope_y(self) -> Array:
        return 2 * self.C_y * self.dC_y * self.G_y + 2 * self.C_y**2 * self.dG_y

    def _D_x(self) -> Array:
        return self.C_y * (self.dC_x * self.G_xy + self.C_x * self.dG_xy)

    def _D_y(self) -> Array:
        return self.C_x * (self.dC_y * self.G_xy + self.C_y * self.dG_xy)


def printed_decay(alpha: float, times: Array) -> tuple[Array, Array, Array]:
    """C, C' and C'' as the paper prints them; fine for speeds that are not small."""
    x = alpha * times
    decayed = np.exp(-x)
    return (
        (1 - decayed) / alpha,
        (decayed * (x + 1) - 1) / alpha**2,
        (2 - decayed * ((x + 1) ** 2 + 1)) / alpha**3,
    )
