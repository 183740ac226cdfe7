"""Does this day's market support a second factor? Hull-White against G2++, day by day.

The models are nested. With Q the sums of squared relative errors, m quotes, and 2 and 5 parameters,

    F = ((Q_1 - Q_2) / 3) / (Q_2 / (m - 5)),

compared with its distribution on markets that Hull-White itself has made.

    .venv/bin/python examples/second_factor.py
"""

from dataclasses import dataclass

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from scipy.stats import f as f_distribution

import calibscope as cs

DATES = ("2020-03-18", "2022-07-21", "2024-01-19", "2025-04-03")


@dataclass(frozen=True)
class SecondFactor:
    """Whether a second factor explains more than noise would, on one day."""

    one: cs.Fit
    two: cs.Fit
    statistic: float  # F
    level: float  # share of the F distribution beyond it: a first impression
    simulated: np.ndarray  # F on markets that were made by Hull-White, G2++ fitted globally

    @property
    def share_beyond(self):
        """How often one factor and noise alone give an F as large: between 0 and 1."""
        return (1 + np.sum(self.simulated >= self.statistic)) / (1 + len(self.simulated))


def second_factor(day, size=199, seed=20160901):
    """Compare the nested models.

    The usual distribution of F takes three things for granted that do not hold here: that the three
    further parameters mean something where one factor is true (they do not: with equal speeds any
    split of the variance gives the same prices), that no bound is active, and that errors are
    independent noise. The first two are answered by simulating from Hull-White and fitting both
    models again.
    """
    one, two = cs.calibrate(day, model="hull-white"), cs.calibrate(day)
    diagnoses = cs.diagnose(one), cs.diagnose(two)
    noise = np.random.default_rng(seed).standard_normal((size, len(day.prices)))
    simulated = one.prices * (1 + diagnoses[0].scale_mse * noise)
    quotes = np.vstack((day.prices, simulated))
    weights = diagnoses[0].refit.weigh(quotes)
    Q_1, Q_2 = (
        (weights * (quotes - dx.refit.predict(dx.refit.solve(quotes, weights))) ** 2).sum(axis=1)
        for dx in diagnoses
    )
    left = len(day.prices) - 5
    F = ((Q_1 - Q_2) / 3) / (Q_2 / left)
    return SecondFactor(one, two, float(F[0]), float(f_distribution.sf(F[0], 3, left)), F[1:])


def plain_table():
    """A table without borders, so that it can be read and copied."""
    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))


def comparison_table(market, dates, size):
    """One row per date: both fits, and whether the second factor is more than noise."""
    table = plain_table()
    titles = ("", "a", "sigma", "RMSRE, 1", "RMSRE, 2", "F", "F table", "simulated")
    for title in titles:
        table.add_column(title, justify="right")
    for date in dates:
        tried = second_factor(market.day(date), size)
        table.add_row(
            date, f"{tried.one.parameters.a:.3g}", f"{tried.one.parameters.sigma:.3g}",
            f"{tried.one.rmsre:.2%}", f"{tried.two.rmsre:.2%}",
            f"{tried.statistic:.2f}", f"{tried.level:.2g}", f"{tried.share_beyond:.2g}",
        )  # fmt: skip
    return table


def main():
    """Print what one factor can do on some days, and what a second one adds."""
    console, market = Console(width=80), cs.demo_market()
    console.print("Hull-White on the built-in (synthetic) market", style="bold")
    console.print(comparison_table(market, DATES, size=99))
    dx = cs.diagnose(cs.calibrate(market.day(DATES[-1]), model="hull-white"))
    console.print(f"\n{DATES[-1]}: {dx.summary}", highlight=False)
    intervals = {method: dx.intervals(0.95, method=method) for method in ("delta", "profile")}
    for method, found in intervals.items():
        ends = (f"{name} {found.of(name)[0]:.3g} to {found.of(name)[1]:.3g}"
                for name in ("a", "sigma"))  # fmt: skip
        console.print(f"{method}, 95 %: {', '.join(ends)}", highlight=False)


if __name__ == "__main__":
    main()
