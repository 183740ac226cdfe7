"""A model of your own: Hull-White with one factor, priced, calibrated, diagnosed and fitted again.

The short rate is r = x + psi with dx = -a x dt + sigma dW: G2++ with one factor. A caplet from T1
to T2 depends on two parameters through one number,

    Sigma = sigma C(a, T2 - T1) sqrt(C(2a, T1)),   C(a, t) = (1 - e^(-a t)) / a.

Nothing here calls the kernels of G2++, so that each can be checked against the other. What the
diagnosis needs of a model is at the end of `diagnosis`: residuals, derivatives, and a `Refit`.

    .venv/bin/python examples/hull_white.py
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from rich.console import Console
from scipy.optimize import least_squares
from scipy.special import ndtr
from scipy.stats import f as f_distribution

import calibscope as cs
from calibscope.market.maturity import label
from calibscope.report.tables import plain_table

PARAMETERS = ("a", "sigma")
LOWER, UPPER = np.array([1e-5, 1e-5]), np.array([10.0, 1.0])  # as those of G2++
SMALL = 0.1  # below, differences lose digits and the series does not
DATES = ("2020-03-18", "2022-07-21", "2024-01-19", "2025-04-03")


@dataclass(frozen=True)
class HullWhite:
    """One set of parameters, and what the model says with them: the same names as `cs.G2`."""

    a: float
    sigma: float

    def cap_prices(self, day):
        """(m,) prices of the day's caps or floors."""
        return Book(day).evaluate(self.a, self.sigma)[0]

    def jacobian(self, day):
        """(m, 2) derivatives by a and sigma."""
        return Book(day).evaluate(self.a, self.sigma)[1]

    def hessian(self, day):
        """(m, 2, 2) second derivatives."""
        return Book(day).evaluate(self.a, self.sigma)[2]

    @property
    def as_g2(self):
        """The same model as a G2++ whose second factor never moves."""
        return cs.G2(a_x=self.a, a_y=1.0, sigma_x=self.sigma, sigma_y=0.0, rho_xy=0.0)


class Book:
    """The caplets of a day, cap after cap: what depends on the market alone."""

    def __init__(self, day):
        if day.has_first_caplet:
            raise ValueError("a caplet that is fixed today has no variance; leave it out")
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


@dataclass(frozen=True)
class HullWhiteRefit:
    """The caps of one day, fitted again: all that refits ask of a model."""

    day: cs.MarketDay

    @cached_property
    def book(self):
        """The caplets, laid out once."""
        return Book(self.day)

    @cached_property
    def grid(self):
        """Points all over the box, and their prices: where to start, whatever the quotes are."""
        speeds, sigmas = np.geomspace(1e-5, 10, 13), np.geomspace(5e-4, 0.2, 27)
        points = np.array([(a, sigma) for a in speeds for sigma in sigmas])
        return points, self.book.prices(points)

    def solve(self, quotes, weights, held=None, starts=None):
        """(n, 2) best parameters. The grid says where to start, so `starts` are not needed."""
        held = np.full((len(quotes), 2), np.nan) if held is None else held
        return np.array(list(map(self._best, quotes, weights, held)))

    def predict(self, parameters):
        """(n, m) prices."""
        points = np.atleast_2d(parameters)
        return self.book.prices(points).reshape(*np.shape(parameters)[:-1], -1)

    def weigh(self, quotes):
        """Relative errors count."""
        return 1 / np.asarray(quotes) ** 2

    def _best(self, quotes, weights, held):
        """Least squares in log a and log sigma, with some of them held."""
        points, prices = self.grid
        free, roots = np.isnan(held), np.sqrt(weights)
        if not free.any():
            return held
        misfit = (weights * (prices - quotes) ** 2).sum(axis=1)
        away = np.abs(np.where(free, 0.0, np.log(points / np.where(free, 1.0, held)))).max(axis=1)
        near = away <= away.min() + 1e-9  # with a parameter held, only the nearest row of the grid
        point = np.where(free, points[near][misfit[near].argmin()], held)

        def at(logs):
            point[free] = np.exp(logs)
            return self.book.evaluate(*point)

        found = least_squares(
            lambda logs: roots * (at(logs)[0] - quotes),
            np.log(np.clip(point, LOWER, UPPER))[free],
            lambda logs: roots[:, None] * (at(logs)[1] * point)[:, free],
            bounds=(np.log(LOWER[free]), np.log(UPPER[free])),
            method="dogbox",  # ends exactly at a bound
            xtol=1e-12,
            ftol=1e-14,
            gtol=1e-14,
        )
        at_bound = np.where(found.active_mask < 0, LOWER[free], UPPER[free])  # to the last bit
        point[free] = np.where(found.active_mask == 0, np.exp(found.x), at_bound)
        return point


def calibrate(day):
    """The best fit of relative errors, as `cs.calibrate` finds it for G2++."""
    best = HullWhiteRefit(day).solve(day.prices[None], day.prices[None] ** -2.0)[0]
    return HullWhite(*best.tolist())


def rmsre(day):
    """Root mean squared relative error of the best fit."""
    return float(np.sqrt(np.mean((calibrate(day).cap_prices(day) / day.prices - 1) ** 2)))


def diagnosis(day):
    """The same diagnosis as that of G2++; refits included."""
    model = calibrate(day)
    return cs.diagnose_least_squares(
        residuals=day.prices - model.cap_prices(day),
        jacobian=model.jacobian(day),
        hessian=model.hessian(day),
        weights=day.prices**-2.0,
        names=PARAMETERS,
        values=(model.a, model.sigma),
        bounds=(LOWER, UPPER),
        transforms=("log", "log"),
        observed=day.prices,
        labels=[label(years) for years in day.maturities],
        refit=HullWhiteRefit(day),
    )


@dataclass(frozen=True)
class SecondFactor:
    """Whether a second factor explains more than noise would, on one day."""

    statistic: float  # F
    level: float  # share of the F distribution beyond it: a first impression
    simulated: np.ndarray  # F on markets that were made by Hull-White, G2++ fitted globally

    @property
    def share_beyond(self):
        """How often one factor and noise alone give an F as large: between 0 and 1."""
        return (1 + np.sum(self.simulated >= self.statistic)) / (1 + len(self.simulated))


def second_factor(day, size=199, seed=20160901):
    """Compare the nested models.

    F = ((Q_1 - Q_2) / 3) / (Q_2 / (m - 5)), Q the sums of squared relative errors. Its usual
    distribution takes three things for granted that do not hold here: that the three further
    parameters mean something where one factor is true (they do not: with a_x = a_y any split of the
    variance gives the same prices), that no bound is active, and that errors are independent noise.
    The first two are answered by simulating from Hull-White and fitting both models again.
    """
    one, two = diagnosis(day), cs.diagnose(cs.calibrate(day))
    fitted = one.problem.observed - one.problem.residuals
    noise = np.random.default_rng(seed).standard_normal((size, len(fitted)))
    quotes = np.vstack((day.prices, fitted * (1 + one.scale_mse * noise)))
    weights = one.refit.weigh(quotes)
    Q_1, Q_2 = (
        (weights * (quotes - refit.predict(refit.solve(quotes, weights))) ** 2).sum(axis=1)
        for refit in (one.refit, two.refit)
    )
    effective_degrees = len(fitted) - 5
    F = ((Q_1 - Q_2) / 3) / (Q_2 / effective_degrees)
    return SecondFactor(float(F[0]), float(f_distribution.sf(F[0], 3, effective_degrees)), F[1:])


def comparison_table(market, dates, size):
    """One row per date: both fits, and whether the second factor is more than noise."""
    table = plain_table()
    titles = ("", "a", "sigma", "RMSRE, 1", "RMSRE, 2", "F", "F table", "simulated")
    for title in titles:
        table.add_column(title, justify="right")
    for date in dates:
        day = market.day(date)
        model, tried = calibrate(day), second_factor(day, size)
        table.add_row(
            date, f"{model.a:.3g}", f"{model.sigma:.3g}",
            f"{rmsre(day):.2%}", f"{cs.calibrate(day).rmsre:.2%}",
            f"{tried.statistic:.2f}", f"{tried.level:.2g}", f"{tried.share_beyond:.2g}",
        )  # fmt: skip
    return table


def main():
    """Print what one factor can do on some days, and what a second one adds."""
    console, market = Console(width=80), cs.demo_market()
    console.print("Hull-White on the built-in (synthetic) market", style="bold")
    console.print(comparison_table(market, DATES, size=99))
    dx = diagnosis(market.day(DATES[-1]))
    console.print(f"\n{DATES[-1]}: {dx.summary}", highlight=False)
    intervals = {method: dx.intervals(0.95, method=method) for method in ("delta", "profile")}
    for method, found in intervals.items():
        ends = (f"{name} {found.of(name)[0]:.3g} to {found.of(name)[1]:.3g}" for name in PARAMETERS)
        console.print(f"{method}, 95 %: {', '.join(ends)}", highlight=False)


if __name__ == "__main__":
    main()
