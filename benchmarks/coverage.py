"""Do intervals cover the truth as often as they say? Simulated markets from eight known truths.

``python benchmarks/coverage.py`` takes about an hour on two cores. From each truth 1,500 markets
are simulated with independent relative noise of 0.1, 0.3 and 1 %, calibrated and diagnosed, and
every interval is the one that a user gets from ``dx.intervals(0.95)``. It covers if the true value
is between its ends; the factors are in canonical order, the faster one first, in the truth as in
the fit. A missing interval counts as a miss. The headline must reach a lower Wilson limit (95 %) of
92 % for every parameter of every truth, and 88 % in each cell of one noise; the script fails where
it does not.

The other tables are printed as they are: the same with the robust scale, `mad_adjusted`; under
noise that is autocorrelated from quote to quote (AR(1), 0.8), where no interval knows it, and with
the noise known; and the delta method, whose intervals are quick, in all its variants.
``--bootstraps 150`` adds the bootstrap, on so many of the markets of each truth.
"""

import argparse
import multiprocessing
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import calibscope as cs
from calibscope.base.arrays import Array, frozen
from calibscope.diagnosis.diagnose import in_mode
from calibscope.diagnosis.linear.intervals import Intervals
from calibscope.models.g2.parameters import PARAMETERS, SPECS

TRUTHS = {
    "interior": (0.6, 0.05, 0.012, 0.009, -0.6),
    "near rho = -1": (0.5, 0.04, 0.015, 0.012, -0.98),
    "ill-conditioned": (0.09, 0.06, 0.03, 0.025, -0.9),
    "near-equal speeds": (0.2, 0.1, 0.02, 0.025, -0.9),
    "speeds three to one": (0.3, 0.1, 0.015, 0.018, -0.85),
    "ordinary": (0.5, 0.05, 0.012, 0.011, -0.7),
    "on rho = -1": (0.5, 0.05, 0.012, 0.011, -1.0),
    "tiny slow speed": (0.5, 1e-4, 0.012, 0.009, -0.6),
}
NOISES = (0.001, 0.003, 0.01)
LEVEL, COUNT, REFITS, SEED = 0.95, 1_500, 200, 11
AUTOCORRELATION, ROBUST = 0.8, "mad_adjusted"
POOLED, CELL = 92.0, 88.0  # what is to be reached: the lower limit, and the share of a cell
NORMAL = 1.959964

Ends = tuple[Array, Array]  # low and high, (n, p) each


def simulated(
    truth: cs.G2, noise: float, count: int, seed: int, order: float
) -> list[cs.MarketDay]:
    """Markets with relative noise that is autocorrelated along the quotes."""
    market = cs.simulate_market(truth, days=count, noise=0.0, seed=seed)
    errors = np.random.default_rng(seed).standard_normal((count, len(market.days[0].prices)))
    for k in range(1, errors.shape[1]):
        errors[:, k] = order * errors[:, k - 1] + np.sqrt(1.0 - order**2) * errors[:, k]
    return [
        replace(day, prices=frozen(day.prices * (1.0 + noise * error)))
        for day, error in zip(market.days, errors, strict=True)
    ]


class Case:
    """The markets of one truth, and their diagnoses."""

    def __init__(self, truth: Sequence[float], count: int, seed: int, order: float = 0.0) -> None:
        model, each = cs.G2(*truth), count // len(NOISES)
        self.truth = model.values
        self.noises = np.repeat(NOISES, each)
        self.days = [
            day
            for i, noise in enumerate(NOISES)
            for day in simulated(model, noise, each, seed + i, order)
        ]
        self.fits = cs.calibrate_many(self.days)
        self.diagnoses = cs.diagnose_many(self.fits)

    def delta(self, scale: str = "mse", mode: str = "active", form: str = "gauss_newton") -> Ends:
        """Intervals by the delta method, of all markets at once."""
        (batch,) = in_mode(self.diagnoses, mode).batches  # type: ignore[arg-type]
        found = batch.intervals(LEVEL, scale, form)  # type: ignore[arg-type]
        return found.low, found.high

    def covers(self, ends: Ends) -> Array:
        """(n, p) whether intervals contain the truth; a missing one does not."""
        return (ends[0] <= self.truth) & (self.truth <= ends[1])

    def walked(self, pool: "multiprocessing.pool.Pool", scale: str = "mse") -> tuple[Ends, Array]:
        """The intervals that users get, and how many carry a mark of a gap or second minimum."""
        tasks = [
            (day, self.noises[i] if scale == "known" else scale) for i, day in enumerate(self.days)
        ]
        found = pool.starmap(interval, tasks, chunksize=10)
        low, high, marked = (np.array(part) for part in zip(*found, strict=True))
        return (low, high), marked

    def bootstrap(self, kind: str, count: int, refits: int) -> Array:
        """(count, p) coverage of percentile intervals, on some of the markets."""
        chosen = np.linspace(0, len(self.days) - 1, count).astype(int)
        found = [
            self.diagnoses[int(i)].refits.bootstrap(kind, refits, seed=SEED).intervals(LEVEL)
            for i in chosen
        ]
        return self.covers((np.array([f.low for f in found]), np.array([f.high for f in found])))


def interval(day: cs.MarketDay, scale: str | float) -> tuple[Array, Array, Array]:
    """What `dx.intervals(0.95)` says of one day, in a process of its own."""
    dx = cs.diagnose(cs.calibrate(day))
    object.__setattr__(dx.refit, "threads", 1)  # the other cores have days of their own
    found: Intervals = dx.intervals(LEVEL, scale)  # type: ignore[arg-type]
    return found.low, found.high, ~found.is_connected | ~np.isnan(found.second_minimum)


def wilson(share: Array, count: int) -> Array:
    """Lower limit of a share, at 95 %."""
    z2 = NORMAL**2 / count
    root = NORMAL * np.sqrt(share * (1.0 - share) / count + 0.25 * z2 / count)
    return np.asarray((share + 0.5 * z2 - root) / (1.0 + z2))


def lengths(ends: Ends) -> Array:
    """(n, p) lengths on the scales along which profiles are walked: logarithms, and an angle."""
    scale = SPECS.profile
    return np.asarray(scale.of(ends[1]) - scale.of(ends[0]))


def percent(values: Array) -> list[str]:
    """One cell a parameter."""
    return ["-" if np.isnan(value) else f"{100 * value:.1f}" for value in values]


def widths(ends: Ends) -> list[str]:
    """Median widths: high over low, of the correlation high minus low."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio, gap = (
            np.nanmedian(ends[1] / ends[0], axis=0),
            np.nanmedian(ends[1] - ends[0], axis=0),
        )
    return [*(f"x {value:,.3g}" for value in ratio[:-1]), f"{gap[-1]:.2g}"]


def table(title: str) -> Table:
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    made.add_column(title)
    for column in PARAMETERS:
        made.add_column(column, justify="right")
    return made


def coverage(case: Case, ends: Ends, marked: Array, title: str) -> tuple[Table, bool]:
    """Coverage by profile with all that belongs to it, and whether it is reached."""
    covers, found = case.covers(ends), table(f"{title}, %")
    pooled, cells = covers.mean(axis=0), []
    lowest = wilson(pooled, len(covers))
    found.add_row("coverage", *percent(pooled))
    found.add_row("lower limit", *percent(lowest))
    for noise in NOISES:
        cells.append(covers[case.noises == noise].mean(axis=0))
        found.add_row(f"at {100 * noise:g} % noise", *percent(cells[-1]))
    found.add_row("without interval", *percent(np.isnan(ends[0]).mean(axis=0)))
    spans = (ends[0] <= SPECS.lower) & (ends[1] >= SPECS.upper)
    found.add_row("spans the box", *percent(spans.mean(axis=0)))
    found.add_row("gap or second minimum", *percent(marked.mean(axis=0)))
    found.add_row("median width", *widths(ends))
    quick = case.delta()
    is_fair = case.covers(quick)
    with np.errstate(divide="ignore", invalid="ignore"):
        times = np.where(is_fair, lengths(ends) / lengths(quick), np.nan)
    found.add_row("delta covers", *percent(is_fair.mean(axis=0)))
    found.add_row("length over delta's, there", *(f"{t:.2f}" for t in np.nanmedian(times, axis=0)))
    is_reached = bool((100 * lowest >= POOLED).all() and (100 * np.array(cells) >= CELL).all())
    return found, is_reached


def quick_methods(case: Case) -> Table:
    """The delta method in its variants."""
    found = table("delta, coverage in %")
    for scale in ("mse", "mad_adjusted", "mad"):
        found.add_row(scale, *percent(case.covers(case.delta(scale)).mean(axis=0)))
    for mode in ("full", "strict"):
        found.add_row(f"mse, {mode}", *percent(case.covers(case.delta(mode=mode)).mean(axis=0)))
    exact = case.covers(case.delta(mode="full", form="exact")).mean(axis=0)
    found.add_row("mse, exact Hessian", *percent(exact))
    (batch,) = case.diagnoses.batches
    plain = batch.intervals(LEVEL)
    is_marked = (plain.at_bound != 0) | ~plain.is_identified | plain.is_collapsed
    is_marked |= plain.is_held.any(axis=-1, keepdims=True)
    covers, bent = case.covers((plain.low, plain.high)), batch.flags.has_strong_curvature[:, None]
    for words, chosen in (
        ("mse, unmarked", ~is_marked),
        ("mse, unmarked, curvature flagged", ~is_marked & bent),
        ("mse, unmarked, curvature not flagged", ~is_marked & ~bent),
    ):
        with np.errstate(invalid="ignore"):
            shares = (covers & chosen).sum(axis=0) / chosen.sum(axis=0)
        found.add_row(f"{words} ({100 * chosen.mean():.0f} %)", *percent(shares))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=COUNT, help="markets a truth")
    parser.add_argument("--others", type=int, help="markets a truth of the other tables")
    parser.add_argument("--truths", help="some of them, such as 1,3")
    parser.add_argument("--bootstraps", type=int, default=0)
    parser.add_argument("--refits", type=int, default=REFITS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--processes", type=int, default=multiprocessing.cpu_count())
    options = parser.parse_args()
    console, others = Console(width=120), options.others or options.count
    names = list(TRUTHS)
    if options.truths:
        names = [names[int(place) - 1] for place in options.truths.split(",")]
    short = []
    with multiprocessing.get_context("spawn").Pool(options.processes) as pool:
        for name in names:
            began, make = time.perf_counter(), partial(Case, TRUTHS[name], seed=options.seed)
            case = make(count=options.count)
            found, is_reached = coverage(case, *case.walked(pool), "profile")
            console.print(
                f"\n{name}: {cs.G2(*TRUTHS[name])}\n{len(case.days)} simulated (synthetic) "
                f"markets, {1e3 * (time.perf_counter() - began) / len(case.days):.0f} ms each"
            )
            console.print(found)
            console.print(quick_methods(case))
            if others:
                robust = case if others == options.count else make(count=others)
                walked = robust.walked(pool, ROBUST)
                console.print(coverage(robust, *walked, f"profile, scale {ROBUST}")[0])
                console.print(_others(make, others, pool))
            for kind in ("parametric", "residual") if options.bootstraps else ():
                covers = case.bootstrap(kind, options.bootstraps, options.refits)
                console.print(f"bootstrap, {kind}: {', '.join(percent(covers.mean(axis=0)))} %")
            if not is_reached:
                short.append(name)
    console.print(
        f"\nCoverage is short of {POOLED:g} % (lower limit) or {CELL:g} % (cell): "
        f"{', '.join(short) or 'nowhere'}."
    )
    sys.exit(bool(short))


def _others(make: Callable[..., Case], count: int, pool: "multiprocessing.pool.Pool") -> Table:
    """Profiles with known noise, and under noise that is not independent."""
    found, case = table(f"profile, {count} markets, %"), make(count=count)
    ends, _ = case.walked(pool, "known")
    found.add_row("known noise", *percent(case.covers(ends).mean(axis=0)))
    case = make(count=count, order=AUTOCORRELATION)
    found.add_row(
        f"delta, AR({AUTOCORRELATION}) noise", *percent(case.covers(case.delta()).mean(axis=0))
    )
    ends, _ = case.walked(pool)
    found.add_row(f"AR({AUTOCORRELATION}) noise", *percent(case.covers(ends).mean(axis=0)))
    for noise in NOISES:
        covers = case.covers(ends)[case.noises == noise].mean(axis=0)
        found.add_row(f"AR({AUTOCORRELATION}), at {100 * noise:g} %", *percent(covers))
    return found


if __name__ == "__main__":
    main()
