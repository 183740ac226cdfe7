"""A model from outside: Ho-Lee whose volatility grows or fades, sigma(t) = sigma e^(-b t).

dr = theta(t) dt + sigma e^(-b t) dW. A caplet from T to T + tau has the variance

    Sigma^2 = tau^2 sigma^2 C(2b, T),   C(b, t) = (1 - e^(-b t)) / b,

and is a put on a bond: P(T) Phi(h) - (1 + K delta) P(T + tau) Phi(h - Sigma). Nothing here is
calibscope's but the market's data and the two classes a model is made of.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from calibscope.base.parameters import ParameterSpec, Specs
from calibscope.base.transforms import Scale
from calibscope.models.model import Model, Values

SERIES = 1e-2  # below, C and its derivatives come from their series


def decay(b, t):
    """C(b, t) with two derivatives by b; b may be negative or zero."""
    x = b * t
    near = np.abs(x) < SERIES
    y = np.where(near, 1.0, x)
    E = np.exp(-y)
    value = np.where(near, 1 - x / 2 + x**2 / 6 - x**3 / 24, (1 - E) / y)
    first = np.where(near, -1 / 2 + x / 3 - x**2 / 8 + x**3 / 30, (E * (1 + y) - 1) / y**2)
    second = np.where(
        near, 1 / 3 - x / 4 + x**2 / 10 - x**3 / 36, (2 - E * (2 + 2 * y + y**2)) / y**3
    )
    return t * value, t**2 * first, t**3 * second


@dataclass(frozen=True)
class HoLee(Model):
    """One set of parameters."""

    name = "ho-lee"
    title = "Ho-Lee"
    specs = Specs(
        (
            ParameterSpec(
                "sigma", r"\sigma", "1/year^1.5", "volatility today",
                bounds=(1e-5, 1.0), limits=(1e-8, 10.0), plausible=(1e-4, 0.1), start=0.01,
                solver_scale=Scale("log"), interval_scale=Scale("log"),
            ),
            ParameterSpec(
                "fading", "b", "1/year", "speed at which the volatility fades",
                bounds=(-0.2, 1.0), limits=(-1.0, 10.0), plausible=(-0.1, 0.5), start=0.05,
            ),
        ),
        quotes="quotes",
        outputs="prices",
    )  # fmt: skip

    sigma: float
    fading: float

    @classmethod
    def pricer(cls, day):
        """The caplets of a day."""
        return Caplets(day)


class Caplets:
    """The caplets of a day, cap after cap."""

    def __init__(self, day):
        counts, first = day.period_counts, day.first_period
        period = np.concatenate([np.arange(first, count) for count in counts])
        times, P = day.schedule.times, day.discounts
        self.starts = np.concatenate(([0], np.cumsum(counts - first)[:-1]))
        self.reset, self.span = times[period], times[period + 1] - times[period]
        growth = 1 + np.repeat(day.strikes, counts - first) * day.schedule.accruals[period]
        self.near = day.notional * P[period]
        self.far = day.notional * growth * P[period + 1]
        self.sign = 1.0 if day.kind == "cap" else -1.0

    def evaluate(self, parameters, order, threads=1):
        """Prices (n, m), Jacobian (n, m, 2) and Hessian (n, m, 2, 2) at parameters (n, 2)."""
        sigma, b = (column[:, None] for column in np.atleast_2d(parameters).T)
        C, dC, d2C = decay(2 * b, self.reset)  # by 2b
        Sigma = self.span * sigma * np.sqrt(C)
        h = np.log(self.near / self.far) / Sigma + 0.5 * Sigma
        s = self.sign
        values = s * (self.near * ndtr(s * h) - self.far * ndtr(s * (h - Sigma)))
        density = self.near * np.exp(-0.5 * h * h) / np.sqrt(2 * np.pi)
        slope, bend = dC / C, 2 * d2C / C - (dC / C) ** 2  # dSigma/db = Sigma slope
        slopes = np.stack((Sigma / sigma, Sigma * slope), axis=-1)
        cross = Sigma * slope / sigma
        second = np.stack(
            (np.stack((0 * Sigma, cross), -1), np.stack((cross, Sigma * bend), -1)), axis=-1
        )
        curved = (
            (h * (h - Sigma) / Sigma)[..., None, None] * slopes[..., None] * slopes[..., None, :]
        )
        jacobian = density[..., None] * slopes
        hessian = density[..., None, None] * (curved + second)
        prices, J, H = (
            np.add.reduceat(part, self.starts, axis=1) for part in (values, jacobian, hessian)
        )
        return Values(prices, J, H, np.zeros(prices.shape, dtype=bool))
