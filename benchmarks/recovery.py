"""Are the parameters of noise-free markets found again? 1,000 random truths, rho = -1 included.

``python benchmarks/recovery.py`` takes about two minutes on two cores. Truths are drawn from the
whole box of the default bounds (`random_truths`), their exact cap prices on the built-in day's
curve are calibrated, and the errors are shown by condition number: how far quotes can tell the
parameters apart at all.
"""

import argparse
import itertools
import sys

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import calibscope as cs
from calibscope.base.arrays import Array
from calibscope.calibration.solution import IDENTIFIED, Fit
from calibscope.models.g2.parameters import SPECS

LOWER, UPPER = SPECS.lower, SPECS.upper

COUNT, SEED = 1_000, 7
ALLOWED_RMSRE, ALLOWED_ERROR = 1e-9, 1e-5
OPPOSITE = 0.2  # share of truths with rho = -1
EDGES = (1.0, 1e4, 1e5, 1e6, 1e7, 1e8, np.inf)


def random_truths(count: int, seed: int) -> list[cs.G2]:
    """Speeds and volatilities log-uniform between the default bounds, correlations uniform."""
    rng = np.random.default_rng(seed)
    low, high = np.log(LOWER[:4]), np.log(UPPER[:4])
    values = np.exp(low + (high - low) * rng.uniform(size=(count, 4)))
    rho = np.where(rng.uniform(size=count) < OPPOSITE, -1.0, rng.uniform(LOWER[4], UPPER[4], count))
    swap = values[:, 0] < values[:, 1]  # the faster factor first
    values = np.where(swap[:, None], values[:, [1, 0, 3, 2]], values)
    return [cs.G2(*four, one) for four, one in zip(values, rho, strict=True)]


def error(truth: cs.G2, fit: Fit) -> float:
    """Largest error of a parameter: relative, absolute for rho."""
    found, wanted = fit.parameters.values, truth.values
    relative: Array = np.append(found[:4] / wanted[:4] - 1.0, found[4] - wanted[4])
    return float(np.abs(relative).max())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    truths = random_truths(options.count, options.seed)
    fits = cs.calibrate_many(cs.simulate_market(truths, noise=0.0))
    errors = np.array([error(truth, fit) for truth, fit in zip(truths, fits, strict=True)])
    conditions = np.array([fit.condition_number for fit in fits])
    rmsre = fits.rmsre
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("condition number", "truths", "worst RMSRE", "median error", "worst error"):
        table.add_column(heading, justify="right")
    for low, high in itertools.pairwise(EDGES):
        chosen = (conditions >= low) & (conditions < high)
        if chosen.any():
            table.add_row(
                f"{low:.0e} to {high:.0e}", str(chosen.sum()), f"{rmsre[chosen].max():.1e}",
                f"{np.median(errors[chosen]):.1e}", f"{errors[chosen].max():.1e}",
            )  # fmt: skip
    identified = conditions <= IDENTIFIED
    lost = identified & (errors > ALLOWED_ERROR)
    missed = rmsre > ALLOWED_RMSRE
    console = Console(width=100)
    console.print(
        f"{len(truths)} noise-free markets (synthetic), fitted in {fits.seconds:.0f} s. "
        f"RMSRE above {ALLOWED_RMSRE:g}: {missed.sum()}.\n"
        f"Identified (condition number up to {IDENTIFIED:.0e}): {identified.sum()}, of these not "
        f"recovered to {ALLOWED_ERROR:g}: {lost.sum()}. "
        f"Flagged as not identified: {(~identified).sum()}."
    )
    console.print(table)
    sys.exit(bool(missed.any() or lost.any()))


if __name__ == "__main__":
    main()
