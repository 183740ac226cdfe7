"""Is the optimum found on markets that nobody chose? 15,000 random ones, half off the money.

scale, scaled = SPECS.coordinates.slopes, SPECS.coordinates.of

``python benchmarks/random_markets.py`` takes half an hour on two cores, ``--count 400`` a minute.

A market is made from its seed alone (`random_cases.py`).

The rival knows the truth: Newton's method from it, and from 20 points around it near and far, and
SciPy's least squares from the truth and from the best of these. A market is *missed* where the
default solver ends above the best of all that by more than 1e-6 of the sum of squares (and 1e-8 in
RMSRE: exact fits differ by rounding). Such seeds are printed with both fits.

Bounds on the share of misses are Clopper and Pearson's (1934), one-sided. They hold for markets
that the search was not improved on. Of the usual seeds it missed 9 when none had been looked at;
one of them, 20307491, was then mended. Take other seeds after the next improvement.
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
from calibscope.calibration.g2.search import compile_kernels
from calibscope.calibration.g2.solver import polished
from calibscope.calibration.problem import Problem
from calibscope.calibration.solvers.gauss_newton import moved
from calibscope.models.g2.parameters import SPECS
from random_cases import GROUPS, random_case

scale, scaled = SPECS.coordinates.slopes, SPECS.coordinates.of

COUNT, SEED = 15_000, 20_300_000
ALLOWED = 1e-6  # relative excess in the sum of squares
ROUNDING = 1e-8  # RMSRE: exact fits differ by so much
NEAR, FAR = 12, 8  # jiggled starts
PARAMETERS = ("a_x", "a_y", "sigma_x", "sigma_y", "rho_xy")


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
