"""Do intervals cover the truth as often as they say? Simulated markets from three known truths.

``python benchmarks/coverage.py`` takes eleven minutes on two cores. From each truth 2,100
markets are simulated with relative noise of 0.1, 0.3 and 1 %, calibrated and diagnosed. A table
per truth shows how often the intervals of each method contain the true parameter, at 50, 75 and
95 %. The profile needs no walk here: it contains the truth where the fit with the parameter held
at its true value keeps the limit. Bootstrap intervals come from 150 of the markets, 200 refits
each. A second table asks whether the tool had warned: coverage where a parameter was marked (not
identified, at a bound, collapsed, given one that is held), and where not.
"""

import argparse
import time

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import calibscope as cs
from calibscope.base.arrays import Array, BoolArray
from calibscope.diagnosis.diagnose import in_mode
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.diagnosis.refit.profile import limits_of
from calibscope.diagnosis.refit.refit import sum_of_squares
from calibscope.models.g2.parameters import PARAMETERS

TRUTHS = {
    "interior": cs.G2(a_x=0.6, a_y=0.05, sigma_x=0.012, sigma_y=0.009, rho_xy=-0.6),
    "near rho = -1": cs.G2(a_x=0.5, a_y=0.04, sigma_x=0.015, sigma_y=0.012, rho_xy=-0.98),
    "ill-conditioned": cs.G2(a_x=0.09, a_y=0.06, sigma_x=0.03, sigma_y=0.025, rho_xy=-0.9),
}
NOISES = (0.001, 0.003, 0.01)
LEVELS = (0.5, 0.75, 0.95)
COUNT, BOOTSTRAPS, REFITS, SEED = 2_100, 150, 200, 11
TOLERATED = 3.0  # points of the nominal level


class Case:
    """The markets of one truth: fits, diagnoses, and who covers what."""

    def __init__(self, truth: cs.G2, count: int, seed: int) -> None:
        each = count // len(NOISES)
        days = [
            day
            for i, noise in enumerate(NOISES)
            for day in cs.simulate_market(truth, days=each, noise=noise, seed=seed + i).days
        ]
        self.truth = truth.values
        self.fits = cs.calibrate_many(days)
        self.diagnoses = cs.diagnose_many(self.fits)
        (self.active,) = self.diagnoses.batches
        (self.full,) = in_mode(self.diagnoses, "full").batches
        (self.strict,) = in_mode(self.diagnoses, "strict").batches

    def delta(
        self, stack: Diagnosis, scale: str, form: str = "gauss_newton"
    ) -> tuple[Array, BoolArray]:
        """Coverage (levels, n, 5) of intervals by the delta method, and where they are marked."""
        found = stack.intervals(LEVELS, scale, form)  # type: ignore[arg-type]
        covers = self._covers(found.low, found.high)
        marked = (found.at_bound != 0) | ~found.is_identified | found.is_collapsed
        marked |= found.is_held.any(axis=-1, keepdims=True)
        return covers, marked

    def _covers(self, low: Array, high: Array) -> Array:
        covers = ((low <= self.truth) & (self.truth <= high)).astype(float)
        return np.where(np.isnan(low), np.nan, covers)

    def profile(self) -> Array:
        """Coverage (levels, n, 5): whether the fit at the true value keeps the limit."""
        effective_degrees = np.atleast_1d(self.full.scales.degrees_of_freedom)  # all can move
        covers = np.empty((len(LEVELS), len(self.fits), len(PARAMETERS)))
        held = np.where(np.eye(len(PARAMETERS), dtype=bool), self.truth, np.nan)
        for i, (refit, values) in enumerate(
            zip(self.diagnoses.refits, self.fits.parameters, strict=True)
        ):
            problem = self.fits.problems[i]
            quotes = np.tile(problem.day.prices, (len(held), 1))
            weights = np.tile(problem.weights, (len(held), 1))
            near = refit.solve(quotes, weights, held, np.tile(values, (len(held), 1)))
            truly = refit.solve(quotes, weights, held, np.tile(self.truth, (len(held), 1)))
            at = [sum_of_squares(refit.predict(found), quotes, weights) for found in (near, truly)]
            lowest = float(sum_of_squares(refit.predict(values[None])[0], quotes[0], weights[0]))
            limits = limits_of(lowest, np.array(LEVELS), int(effective_degrees[i]))
            covers[:, i] = np.minimum(*at) <= limits[:, None]
        return covers

    def bootstrap(self, kind: str, count: int, refits: int) -> Array:
        """Coverage (levels, n, 5) of percentile intervals, on some of the markets."""
        chosen = np.linspace(0, len(self.fits) - 1, count).astype(int)
        covers = np.empty((len(LEVELS), count, len(PARAMETERS)))
        for place, i in enumerate(chosen):
            found = (
                self.diagnoses[int(i)].refits.bootstrap(kind, refits, seed=SEED).intervals(LEVELS)
            )
            covers[:, place] = self._covers(np.asarray(found.low), np.asarray(found.high))
        return covers


def shares(covers: Array) -> list[str]:
    """Percentages 50/75/95 per parameter, of those that have an interval."""
    with np.errstate(invalid="ignore"):
        given = np.nanmean(covers, axis=1) * 100.0
    return ["/".join(f"{value:.0f}" for value in given[:, p]) for p in range(len(PARAMETERS))]


def misses(covers: Array) -> str:
    """Parameters whose coverage misses a level by more than the tolerated points."""
    given = np.nanmean(covers, axis=1) * 100.0
    off = np.abs(given - 100.0 * np.array(LEVELS)[:, None]) > TOLERATED
    return ", ".join(name for p, name in enumerate(PARAMETERS) if off[:, p].any()) or "none"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--bootstraps", type=int, default=BOOTSTRAPS)
    parser.add_argument("--refits", type=int, default=REFITS)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    console = Console(width=120)
    for name, truth in TRUTHS.items():
        began = time.perf_counter()
        case = Case(truth, options.count, options.seed)
        plain, marked = case.delta(case.active, "mad_adjusted")
        rows = {
            "delta, mad (the paper's)": case.delta(case.full, "mad")[0],
            "delta, mad_adjusted (default)": plain,
            "delta, mse": case.delta(case.active, "mse")[0],
            "delta, mad_adjusted, full": case.delta(case.full, "mad_adjusted")[0],
            "delta, mad_adjusted, strict": case.delta(case.strict, "mad_adjusted")[0],
            "delta, mse, strict": case.delta(case.strict, "mse")[0],
            "delta, mad_adjusted, exact Hessian": case.delta(case.full, "mad_adjusted", "exact")[0],
            "delta, mse, exact Hessian": case.delta(case.full, "mse", "exact")[0],
            "profile": case.profile(),
        }
        for kind in ("parametric", "residual") if options.bootstraps else ():
            covers = case.bootstrap(kind, options.bootstraps, options.refits)
            rows[f"bootstrap, {kind} ({options.bootstraps} markets)"] = covers
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        table.add_column("coverage at 50/75/95 %, in %")
        for column in (*PARAMETERS, "has one"):
            table.add_column(column, justify="right")
        table.add_column("missed by more than 3 points")
        for method, covers in rows.items():
            has_one = f"{100 * (~np.isnan(covers[0])).mean():.0f} %"
            table.add_row(method, *shares(covers), has_one, misses(covers))
        at_bound = case.active.flags.has_parameters_at_bound.mean()
        console.print(
            f"\n{name}: {truth}\n{len(case.fits)} simulated (synthetic) markets, "
            f"{time.perf_counter() - began:.0f} s; {at_bound:.1%} at a bound, "
            f"{case.active.is_held.any(axis=1).mean():.1%} at one that holds"
        )
        console.print(table)
        warned = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for heading in ("95 %, default", *PARAMETERS):
            warned.add_column(heading, justify="right" if heading in PARAMETERS else "left")
        for words, chosen in (("marked by the tool", marked), ("not marked", ~marked)):
            cells = []
            for p in range(len(PARAMETERS)):
                of = plain[-1, chosen[:, p], p]
                of = of[~np.isnan(of)]
                share = f"{100 * chosen[:, p].mean():.0f} % of fits"
                cells.append(f"{share}, {100 * of.mean():.0f} % covered" if of.size else f"{share}")
            warned.add_row(words, *cells)
        console.print(warned)


if __name__ == "__main__":
    main()
