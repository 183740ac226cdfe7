"""Hull-White once more, in NumPy: nothing here calls the kernels of the package.

Sigma = sigma C(a, T2 - T1) sqrt(C(2a, T1)),   C(a, t) = (1 - e^(-a t)) / a.
"""

import numpy as np
from scipy.special import ndtr

SMALL = 0.1  # below, differences lose digits and the series does not


class Book:
    """The caplets of a day, cap after cap: what depends on the market alone."""

    def __init__(self, day):
        counts, first = day.period_counts, day.first_period
        period = np.concatenate([np.arange(first, count) for count in counts])
        P, times = day.discounts, day.schedule.times
        self.starts = np.concatenate(([0], np.cumsum(counts - first)[:-1]))
        self.reset, self.span = times[period], times[period + 1] - times[period]
        growth = 1 + np.repeat(day.strikes, counts - first) * day.schedule.accruals[period]
        self.near = day.notional * P[period]
        self.far = day.notional * growth * P[period + 1]
        self.sign = 1.0 if day.kind == "cap" else -1.0

    def evaluate(self, a, sigma):
        """Prices (m,), Jacobian (m, 2) and Hessian (m, 2, 2) at one point."""
        shape, first, second = self.shape(a)
        Sigma = sigma * shape
        values, density, h_product = self._caplets(Sigma)
        by_a, by_sigma = sigma * shape * first, shape  # dSigma
        bent = np.array(  # d2Sigma
            [
                [sigma * shape * (second + first**2), shape * first],
                [shape * first, np.zeros_like(shape)],
            ]
        )
        slopes = np.array([by_a, by_sigma])
        curved = density * (h_product / Sigma * slopes[:, None] * slopes[None] + bent)
        prices, J, H = (self._summed(part) for part in (values, density * slopes, curved))
        return prices, J.T, np.moveaxis(H, -1, 0)

    def prices(self, points):
        """(n, m) prices at many points (n, 2)."""
        return np.array(
            [self._summed(self._caplets(sigma * self.shape(a)[0])[0]) for a, sigma in points]
        )

    def shape(self, a):
        """Sigma at sigma = 1, and the first two derivatives of its logarithm by a."""
        span, reset = self.span, self.reset
        (f, df, d2f), (g, dg, d2g) = log_decay(a * span), log_decay(2 * a * reset)
        shape = span * np.sqrt(reset) * np.exp(f + 0.5 * g)
        return shape, span * df + reset * dg, span**2 * d2f + 2 * reset**2 * d2g

    def _caplets(self, Sigma):
        """Values, their derivative by Sigma, and h+ h-; the caplet is a put on a bond."""
        h = np.log(self.near / self.far) / Sigma + 0.5 * Sigma
        s = self.sign
        values = s * (self.near * ndtr(s * h) - self.far * ndtr(s * (h - Sigma)))
        density = self.near * np.exp(-0.5 * h * h) / np.sqrt(2 * np.pi)
        return values, density, h * (h - Sigma)

    def _summed(self, caplets):
        return np.add.reduceat(caplets, self.starts, axis=-1)


def log_decay(x):
    """Of log((1 - e^-x) / x), x > 0, the value and two derivatives; near zero its series."""
    small = x < SMALL
    y = np.where(small, 1.0, x)
    E = np.expm1(-y)
    value = np.where(small, -x / 2 + x**2 / 24 - x**4 / 2880 + x**6 / 181440, np.log(-E / y))
    first = np.where(small, -1 / 2 + x / 12 - x**3 / 720 + x**5 / 30240, -np.exp(-y) / E - 1 / y)
    second = np.where(
        small, 1 / 12 - x**2 / 240 + x**4 / 6048 - x**6 / 172800, 1 / y**2 - np.exp(-y) / E**2
    )
    return value, first, second
