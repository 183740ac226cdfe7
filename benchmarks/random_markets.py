"""Is the optimum found on markets that nobody chose? 15,000 random ones, half off the money.

``python benchmarks/random_markets.py`` takes half an hour on two cores, ``--count 400`` a minute.

A market is made from its seed alone (`random_case`): a curve with rates from -3 to 7 %, 3 to 25
caps or floors of 1 to 30 years, at the money or with strikes up to 100 or 200 bp away from it,
priced by a random G2++ truth with correlations from -1 to 1, both ends included, and spoilt by
noise of up to 3 % and by a smooth misfit. On some, bounds, fixed parameters or weights are the
user's own.

The rival knows the truth: Newton's method from it, and from 20 points around it near and far, and
SciPy's least squares from the truth and from the best of these. A market is *missed* where the
default solver ends above the best of all that by more than 1e-6 of the sum of squares (and 1e-8 in
RMSRE: exact fits differ by rounding). Such seeds are printed with both fits.

Bounds on the share of misses are Clopper and Pearson's (1934), one-sided. They hold for markets
that the search was not improved on. Its misses on the first 9,000 of the usual seeds were looked at
and mended; ``--seed 20270118 --count 6000`` are the others, until somebody mends those too.
"""

import argparse
import multiprocessing
import os
import sys
import time
from dataclasses import dataclass

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from scipy.optimize import least_squares
from scipy.stats import beta

import calibscope as cs
from calibscope.base.arrays import Array
from calibscope.calibration.calibrate import posed_problem
from calibscope.calibration.coordinates import scale, scaled
from calibscope.calibration.problem import Problem
from calibscope.calibration.search import compile_kernels
from calibscope.calibration.solvers.gauss_newton import moved
from calibscope.calibration.solvers.global_search import polished

COUNT, SEED = 15_000, 20_261_118
ALLOWED = 1e-6  # relative excess in the sum of squares
ROUNDING = 1e-8  # RMSRE: exact fits differ by so much
NEAR, FAR = 12, 8  # jiggled starts
MATURITIES = np.arange(1.0, 31.0)
SMALLEST_PRICE = 1e-8  # of notional: a millionth of a percent; nobody quotes less
GROUPS = {"at the money": 0.0, "within 100 bp": 0.01, "within 200 bp": 0.02}
PARAMETERS = ("a_x", "a_y", "sigma_x", "sigma_y", "rho_xy")


@dataclass(frozen=True)
class Case:
    """A market with the truth behind it, and how it is to be calibrated."""

    seed: int
    group: str
    day: cs.MarketDay
    truth: cs.G2
    options: dict[str, object]  # of `calibrate`
    is_custom: bool


def random_case(seed: int) -> Case:
    """The market of a seed; every fourth is within 100 bp of the money, every fourth within 200."""
    rng = np.random.default_rng(seed)
    group = ("at the money", "within 100 bp", "at the money", "within 200 bp")[seed % 4]
    while True:
        day, truth = random_day(rng, GROUPS[group])
        if day is not None:
            options, is_custom = random_options(rng, len(day.prices))
            return Case(seed, group, day, truth, options, is_custom)


def random_day(rng: np.random.Generator, away: float) -> tuple[cs.MarketDay | None, cs.G2]:
    """A day and its truth; None where fewer than three of its quotes are worth a quote."""
    nodes = np.arange(0.25, 31.0, 0.25)
    level, slope, bend = rng.uniform(-0.01, 0.05), rng.uniform(-0.02, 0.02), rng.uniform(1, 10)
    curve = cs.DiscountCurve.from_zero_rates(nodes, level + slope * (1 - np.exp(-nodes / bend)))
    years = np.sort(rng.choice(MATURITIES, rng.integers(3, 26), replace=False))
    kind, tenor = "floor" if rng.uniform() < 0.1 else "cap", rng.choice([0.5, 0.25])
    draft = cs.MarketDay.from_arrays(
        curve=curve, maturities=years, vols=np.full(len(years), 0.01), tenor=tenor, kind=kind
    )
    strikes = draft.strikes + away * rng.uniform(-1, 1, len(years))
    truth = random_truth(rng)
    exact = truth.cap_prices(with_prices(draft, strikes, draft.prices))
    x = np.log(years / 8.0)
    misfit = rng.choice([0.0, 0.0, 0.02]) * (rng.standard_normal(3) @ [x, x**2 - 1, np.sin(3 * x)])
    noise = rng.choice([0.0, 0.001, 0.003, 0.01, 0.03]) * rng.standard_normal(len(years))
    prices = exact * np.exp(misfit + noise)
    kept = exact > SMALLEST_PRICE
    if kept.sum() < 3:
        return None, truth
    day = cs.MarketDay.from_arrays(
        curve=curve, maturities=years[kept], strikes=strikes[kept], prices=prices[kept],
        tenor=tenor, kind=kind,
    )  # fmt: skip
    return day, truth


def with_prices(draft: cs.MarketDay, strikes: Array, prices: Array) -> cs.MarketDay:
    return cs.MarketDay(
        curve=draft.curve, schedule=draft.schedule, maturities=draft.maturities,
        period_counts=draft.period_counts, strikes=strikes, prices=prices, kind=draft.kind,
        notional=1.0, has_first_caplet=False, bid_ask=None, date=None,
    )  # fmt: skip


def random_truth(rng: np.random.Generator) -> cs.G2:
    """Speeds 0.001 to 5, volatilities 0.2 to 5 %, and a third of the correlations at either end."""
    a_x, a_y = np.exp(rng.uniform(np.log(1e-3), np.log(5.0), 2))
    sigma_x, sigma_y = np.exp(rng.uniform(np.log(2e-3), np.log(0.05), 2))
    kind = rng.uniform()
    if kind < 0.65:
        rho = rng.uniform(-1, 1)
    elif kind < 0.75:
        rho = -1.0
    elif kind < 0.8:
        rho = 1.0
    else:
        rho = rng.choice([-1, 1]) * (1 - 10 ** rng.uniform(-5, -1))
    return cs.G2(a_x, a_y, sigma_x, sigma_y, rho)


def random_options(rng: np.random.Generator, quotes: int) -> tuple[dict[str, object], bool]:
    """Bounds or fixed parameters of the user's own on 15 %, weights on another 15 %."""
    kind = rng.uniform()
    if kind < 0.1:
        high, fast = 10 ** rng.uniform(-2, -0.5), 10 ** rng.uniform(-1, 0.7)
        choices: list[dict[str, tuple[float, float]]] = [
            {"sigma_x": (1e-5, high), "sigma_y": (1e-5, high)},
            {"a_x": (1e-5, fast), "a_y": (1e-5, fast)},
            {"sigma_x": (1e-4, high)},
            {"a_y": (1e-3, fast)},
            {"rho_xy": (-0.95, rng.uniform(-0.5, 1.0))},
            {"a_x": (0.05, 5.0), "sigma_y": (1e-5, high), "rho_xy": (-1.0, 0.0)},
        ]
        return {"bounds": choices[rng.integers(len(choices))]}, True
    if kind < 0.15:
        fixed = [{"rho_xy": rng.uniform(-1, 0.5)}, {"a_y": 10 ** rng.uniform(-3, 0)}]
        return {"fixed": fixed[rng.integers(2)]}, True
    if kind < 0.3:
        own = rng.uniform(0.2, 5.0, quotes)
        if quotes > 6 and rng.uniform() < 0.3:
            own[rng.integers(quotes)] = 0.0
        return {"weights": "absolute" if rng.uniform() < 0.4 else own}, True
    return {}, False


# --- The rival


def rival(problem: Problem, truth: Array, ours: Array, seed: int) -> tuple[float, Array]:
    """The best fit found by somebody who knows where to look."""
    rng = np.random.default_rng([seed, 1])
    starts = np.vstack(
        [
            truth,
            ours,
            *(jiggled(truth, 0.3, rng) for _ in range(NEAR)),
            *(jiggled(truth, 1.5, rng) for _ in range(FAR)),
        ]
    )
    ends = polished(problem, starts, evaluations=0)
    scipy_ends = [scipy_polished(problem, start) for start in (starts[0], ends.parameters[0])]
    ends = polished(problem, np.vstack([ends.parameters[:1], scipy_ends]), evaluations=0)
    return float(ends.objectives[0]), ends.parameters[0]


def jiggled(point: Array, size: float, rng: np.random.Generator) -> Array:
    """Another point at some distance: factors for speeds and volatilities, a shift of rho."""
    factors = np.exp(size * rng.standard_normal(4))
    return np.append(point[:4] * factors, point[4] + 0.5 * size * rng.standard_normal())


def scipy_polished(problem: Problem, start: Array) -> Array:
    """The end of SciPy's least squares in the free ones of (log a, log sigma, rho)."""
    task, is_free = problem.task, problem.lower < problem.upper
    start = np.clip(start, problem.lower, problem.upper)
    lower, upper = scaled(problem.lower)[is_free], scaled(problem.upper)[is_free]

    def point(q: Array) -> Array:
        step = np.zeros(len(is_free))
        step[is_free] = q - scaled(start)[is_free]
        return moved(problem, start, step)

    def residuals(q: Array) -> Array:
        return task.root_weights * (problem.values(point(q), 0).prices - task.quotes)

    def jacobian(q: Array) -> Array:
        here = point(q)
        A = task.root_weights[:, None] * problem.values(here, 1).jacobian * scale(here)
        return A[:, is_free]

    # Far from sums of squares of 1e-12, at which its tolerances are absolute.
    size = np.sqrt(max(problem.objective(start), 1e-24))
    result = least_squares(
        lambda q: residuals(q) / size,
        np.clip(scaled(start)[is_free], lower + 1e-9, upper - 1e-9),
        lambda q: jacobian(q) / size,
        bounds=(lower, upper), ftol=1e-12, xtol=1e-12, gtol=1e-14, max_nfev=60,
    )  # fmt: skip
    return point(result.x)


# --- One market


@dataclass(frozen=True)
class Outcome:
    """How the default solver did on one market."""

    seed: int
    group: str
    is_custom: bool
    is_missed: bool
    is_converged: bool  # as its status says
    excess: float  # in the sum of squares
    rmsre: float
    best_rmsre: float
    ours: Array
    best: Array
    status: str
    seconds: float


def outcome(seed: int) -> Outcome:
    case = random_case(seed)
    fit = cs.calibrate(case.day, **case.options)
    problem = posed_problem(
        case.day, case.options.get("weights", "rmsre"), case.options.get("bounds"),
        case.options.get("fixed"),
    )  # fmt: skip
    best, point = rival(problem, case.truth.values, fit.parameters.values, seed)
    rounding = ROUNDING**2 * float(problem.weights @ case.day.prices**2)
    gap = fit.objective - best
    return Outcome(
        seed, case.group, case.is_custom, gap > ALLOWED * best + rounding, fit.is_converged,
        gap / max(best, rounding), fit.rmsre, problem.rmsre(point), fit.parameters.values, point,
        fit.status.name, fit.seconds,
    )  # fmt: skip


def upper_limit(misses: int, count: int, level: float = 0.95) -> float:
    """The largest share of misses under which so few are not surprising."""
    return float(beta.ppf(level, misses + 1, count - misses)) if misses < count else 1.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    options = parser.parse_args()
    compile_kernels()
    outcome(options.seed)
    console, began = Console(width=100), time.perf_counter()
    seeds = range(options.seed, options.seed + options.count)
    found: list[Outcome] = []
    with multiprocessing.get_context("fork").Pool(options.processes) as pool:
        for one in pool.imap_unordered(outcome, seeds, chunksize=20):
            found.append(one)
            if one.is_missed:
                console.print(
                    f"seed {one.seed} ({one.group}{', custom' if one.is_custom else ''}): missed, "
                    f"RMSRE {one.rmsre:.4%} instead of {one.best_rmsre:.4%} "
                    f"(excess {one.excess:.1e}), {one.status}\n"
                    f"  found {np.array2string(one.ours, precision=5, max_line_width=200)}\n"
                    f"  best  {np.array2string(one.best, precision=5, max_line_width=200)}",
                    highlight=False, soft_wrap=True,
                )  # fmt: skip
            if len(found) % 500 == 0:
                print(f"{len(found)} of {options.count}", file=sys.stderr, flush=True)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("markets", "count", "missed", "at most (95 %)", "status converged"):
        table.add_column(heading, justify="left" if heading == "markets" else "right")
    groups = [(name, lambda one, name=name: one.group == name) for name in GROUPS]
    groups += [("with bounds, weights", lambda one: one.is_custom), ("all", lambda one: True)]
    for name, belongs in groups:
        own = [one for one in found if belongs(one)]
        misses = [one for one in own if one.is_missed]
        table.add_row(
            name, f"{len(own):,}", str(len(misses)),
            f"{100 * upper_limit(len(misses), len(own)):.3f} %",
            str(sum(one.is_converged for one in misses)),
        )  # fmt: skip
    console.print(table)
    print(f"{time.perf_counter() - began:.0f} s")
    sys.exit(any(one.is_missed for one in found))


if __name__ == "__main__":
    main()
