"""Is Hull-White's fit the global optimum, and are its prices right? All days of the demo market.

Every fit is compared with a dense grid over the whole box, refined twice around its lowest point,
and its prices with QuantLib's Hull-White on every hundredth day.

    .venv/bin/python benchmarks/hull_white.py [--days N]
"""

import argparse
import time

import numpy as np
import QuantLib as ql

import calibscope as cs
import peers

SPEEDS, SIGMAS = 64, 160
REFINED = 24
ALLOWED = 1e-9  # relative, in the objective


def grid_minimum(problem):
    """The lowest objective of the grid, refined around its lowest point."""
    low, high = np.log(problem.lower), np.log(problem.upper)
    best, counts = np.inf, (SPEEDS, SIGMAS)
    for _ in range(3):
        axes = [np.linspace(a, b, n) for a, b, n in zip(low, high, counts, strict=True)]
        points = np.exp(np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2))
        points = np.clip(points, problem.lower, problem.upper)
        values = np.concatenate([problem.objectives(part) for part in np.array_split(points, 8)])
        best, centre = min(best, values.min()), np.log(points[values.argmin()])
        steps = np.array([axis[1] - axis[0] for axis in axes])
        low = np.maximum(centre - 1.5 * steps, np.log(problem.lower))
        high = np.minimum(centre + 1.5 * steps, np.log(problem.upper))
        counts = (REFINED, REFINED)
    return best


def price_error(fit):
    """Largest differences from QuantLib's prices at the fitted parameters.

    Relative to the price, and to the sum of the absolute terms whose difference a caplet is: each
    of these is known to 1e-16 at best, whoever computes it.
    """
    day, model = fit.problem.day, fit.parameters
    owner = peers.quantlib_model(cs.G2(0.5, 0.05, 0.01, 0.01, 0.0), day)  # keeps the curve alive
    theirs = peers.quantlib_caplets(ql.HullWhite(owner.termStructure(), *model.values), day)
    gaps = np.array([ours - sum(legs) for ours, legs in zip(fit.prices, theirs, strict=True)])
    counts = day.period_counts
    legs = day.notional * np.cumsum(day.discounts[:-1] + day.discounts[1:])
    terms = np.array([legs[count - 1] - legs[day.first_period - 1] for count in counts]) / 2
    return np.abs(gaps / fit.prices).max(), np.abs(gaps / terms).max()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--days", type=int, default=None, help="only so many, evenly spread")
    chosen = parser.parse_args()
    days = list(cs.demo_market().days)
    days = days[:: max(len(days) // chosen.days, 1)] if chosen.days else days
    cs.calibrate_many(days[:2], model="hull-white")
    began = time.perf_counter()
    fits = cs.calibrate_many(days, model="hull-white")
    seconds = time.perf_counter() - began
    excess = np.array([fit.objective / grid_minimum(fit.problem) - 1 for fit in fits])
    errors = [price_error(fit) for fit in fits[::100]]
    speed = f"{1e3 * seconds / len(days):.1f} ms a day"
    print(f"SYNTHETIC demo market, {len(days):,} days, Hull-White, {speed}")
    worse = np.sum(excess > ALLOWED)
    print(f"beaten by the grid (by more than {ALLOWED:g}) on {worse} days; "
          f"largest excess {excess.max():.1e}")  # fmt: skip
    of_price, of_terms = np.max(errors, axis=0)
    print(f"prices against QuantLib on {len(errors)} days: within {of_price:.1e} of the price, "
          f"{of_terms:.1e} of the sum of its terms")  # fmt: skip


if __name__ == "__main__":
    main()
