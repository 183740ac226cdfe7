"""Fit the Svensson curve again: refits for another least-squares problem.

`SvenssonRefit` is all that a client has to write: solve, predict, weigh. What the diagnosis then
makes of it (leave-one-out, bumps, profiles, bootstrap, robust fits) knows nothing about curves.

    .venv/bin/python examples/svensson_refit.py
"""

from dataclasses import dataclass, replace

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from scipy.optimize import least_squares
from svensson_diagnosis import TIMES, derivatives, diagnosis

from calibscope.market.svensson import svensson_zero_rates
from calibscope.market.svensson_fit import fit_svensson_panel
from calibscope.market.svensson_search import TAU_BOUNDS

WEIGHT = 1e8  # errors in basis points
LOWER = np.array([-np.inf] * 4 + [TAU_BOUNDS[0]] * 2)
UPPER = np.array([np.inf] * 4 + [TAU_BOUNDS[1]] * 2)


@dataclass(frozen=True)
class SvenssonRefit:
    """Zero rates at given times, fitted again by a Svensson curve."""

    times: np.ndarray

    def solve(self, quotes, weights, held=None, starts=None):
        """Points without weight are left out; uneven weights and held parameters are polished."""
        if held is not None:
            return np.array(list(map(self._polished, quotes, weights, starts, held)))
        found = np.array(
            fit_svensson_panel(self.times, np.where(weights > 0, quotes, np.nan)).parameters
        )
        highest = weights.max(axis=1, keepdims=True)
        for i in np.flatnonzero(((weights > 0) & (weights < highest)).any(axis=1)):
            found[i] = self._polished(quotes[i], weights[i], found[i], np.full(6, np.nan))
        return found

    def predict(self, parameters):
        """Zero rates of many curves."""
        return svensson_zero_rates(parameters, self.times)

    def weigh(self, quotes):
        """The same weight for all."""
        return np.full_like(quotes, WEIGHT)

    def _polished(self, quotes, weights, start, held):
        """The optimum near a start, by SciPy, with some parameters held."""
        point, free, roots = np.where(np.isnan(held), start, held), np.isnan(held), weights**0.5

        def whole(some):
            point[free] = some
            return point

        found = least_squares(
            lambda some: roots * (self.predict(whole(some)) - quotes),
            np.clip(point[free], LOWER[free], UPPER[free]),
            lambda some: roots[:, None] * derivatives(whole(some), self.times)[0][:, free],
            bounds=(LOWER[free], UPPER[free]),
            x_scale="jac",
            xtol=1e-14,
            ftol=1e-14,
            gtol=1e-14,
        )
        return whole(found.x).copy()


def refittable(date):
    """The diagnosis of a day's curve, which may now fit again."""
    return replace(diagnosis(date), refit=SvenssonRefit(TIMES))


def plain_table():
    """A table without borders, so that it can be read and copied."""
    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))


def leave_one_out_table(loo):
    """What leaving out each rate does to level and speeds, and how well that was predicted."""
    table, shifts = plain_table(), loo.shifts
    chosen = ("beta_0", "tau_1", "tau_2")
    for title in ("without", "missed by", *chosen, "Gauss-Newton", "exact", ""):
        table.add_column(title, justify="right")
    places = [shifts.specs.names.index(name) for name in chosen]
    for k, name in enumerate(loo.labels):
        table.add_row(
            name,
            f"{loo.weighted_press[k]:+.1f} bp",
            *(f"{shifts.refitted[k, p]:+.2g}" for p in places),
            *(f"{shifts.error(form)[k]:.0%}" for form in ("gauss_newton", "exact")),
            loo.marks[k],
        )
    return table


def interval_comparison(methods):
    """Intervals of several methods side by side; rates in percent, taus in years."""
    table = plain_table()
    for title in ("95 %", *methods):
        table.add_column(title, justify="right")
    for p, name in enumerate(next(iter(methods.values())).specs.names):
        unit, factor = ("%", 100.0) if name.startswith("beta") else ("years", 1.0)
        ends = (factor * np.array([found.low[p], found.high[p]]) for found in methods.values())
        table.add_row(f"{name}, {unit}", *(f"{low:.3g} to {high:.3g}" for low, high in ends))
    return table


def main():
    """Print what one curve would be without each rate, and how it scatters."""
    console, date = Console(width=80), "2022-07-21"
    dx = refittable(date)
    console.print(f"Svensson curve of the built-in (synthetic) market, {date}", style="bold")
    console.print(leave_one_out_table(dx.refits.leave_one_out()))
    boots = [dx.refits.bootstrap(kind) for kind in ("parametric", "residual")]
    methods = {
        "delta": dx.intervals(0.95, method="delta"),
        "profile": dx.intervals(0.95),
        "parametric": boots[0].intervals(0.95),
        "residual": boots[1].intervals(0.95),
    }
    console.print()
    console.print(interval_comparison(methods))
    for boot in boots:
        swapped = np.mean(boot.parameters[:, 4] < boot.parameters[:, 5])
        console.print(f"{boot}\n  tau_1 below tau_2 in {swapped:.0%} of them", highlight=False)


if __name__ == "__main__":
    main()
