"""Does the influence predict what a moved quote does? 100 demo days, every quote, weights fixed.

Each quote is moved by 1e-4 of its price, up and on its own, with the weights of the unmoved day,
and the day is calibrated anew by Newton's method from the old optimum, so that the same optimum is
followed. Predicted is the sensitivity times the move, in strict mode: parameters at active bounds
are held. A prediction is one parameter's shift after one quote's move; those of parameters held at
a bound do not count. It is bad when it is off by more than 20 % of the true shift.

Flagged beforehand is what the diagnosis of the unmoved day says: of a whole day (rank loss, strong
curvature, no strict minimum), or of one entry (`is_influence_doubtful`).

    python benchmarks/influence.py
"""

import dataclasses

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import calibscope as cs
from calibscope.base.arrays import Array, BoolArray

DAYS = 100
MOVE = 1e-4  # of the price
BAD = 0.2  # of the true shift


def true_shifts(fit: cs.Fit) -> tuple[Array, BoolArray]:
    """(m, 5) shifts of the parameters after each quote's move, and which calibrations converged."""
    day, start = fit.problem.day, fit.parameters
    shifts, is_followed = np.empty((len(day.prices), 5)), np.empty(len(day.prices), dtype=bool)
    for k, price in enumerate(day.prices):
        prices = np.array(day.prices)
        prices[k] = price * (1 + MOVE)
        moved = dataclasses.replace(day, prices=prices)
        again = cs.calibrate(moved, "newton", start=start, weights=fit.problem.weights)
        shifts[k] = again.parameters.values - start.values
        is_followed[k] = again.is_converged and (again.at_bound == fit.at_bound).all()
    return shifts, is_followed


def main() -> None:
    days = cs.demo_market().days
    chosen = [days[i] for i in np.linspace(0, len(days) - 1, DAYS).astype(int)]
    fits = cs.calibrate_many(chosen)
    diagnoses = cs.diagnose_many(fits, "strict")
    columns: dict[str, list[Array]] = {}
    lost = 0
    for fit, dx in zip(fits, diagnoses, strict=True):
        true, is_followed = true_shifts(fit)
        lost += int((~is_followed).sum())
        moves = MOVE * fit.problem.day.prices
        is_day_flagged = (
            dx.flags.has_rank_loss
            or dx.flags.has_strong_curvature
            or dx.flags.has_indefinite_hessian
        )
        entries = np.ix_(is_followed, fit.is_free)
        scale = np.append(fit.parameters.values[:4], 1.0)  # shifts as shares of a and sigma
        for name, values in {
            "true": true / scale,
            "Gauss-Newton": (dx.sensitivity * moves).T / scale,
            "exact Hessian": (dx.sensitivity_exact * moves).T / scale,
            "entry": dx.is_influence_doubtful,
            "day": np.full(true.shape, is_day_flagged),
        }.items():
            columns.setdefault(name, []).append(np.asarray(values)[entries].ravel())
    table = {name: np.concatenate(pieces) for name, pieces in columns.items()}
    console = Console(width=100)
    bounds = np.mean([fit.has_parameters_at_bound for fit in fits])
    losses = np.mean([dx.flags.has_rank_loss for dx in diagnoses])
    console.print(
        f"{DAYS} demo days, {DAYS * 13:,} moves of a quote by {MOVE:g} of its price, weights fixed;"
        f" {len(table['true']):,} predicted shifts."
        f"\n{lost} moves changed the set of active bounds or did not converge, and are left out."
        f"\n{bounds:.0%} of days have an active bound, {losses:.0%} lose rank (strict mode).\n"
    )
    show(console, table, "all days", np.ones(len(table["true"]), dtype=bool))
    show(console, table, "days that were not flagged", ~table["day"].astype(bool))


def show(console: Console, table: dict[str, Array], title: str, rows: BoolArray) -> None:
    true = table["true"][rows]
    result = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False)
    result.add_column("")
    for form in ("Gauss-Newton", "exact Hessian"):
        result.add_column(form, justify="right")
    lines: dict[str, list[str]] = {}
    for form in ("Gauss-Newton", "exact Hessian"):
        predicted = table[form][rows]
        error = np.abs(predicted - true) / np.maximum(np.abs(true), 1e-300)
        bad = error > BAD
        ranks = [np.argsort(np.argsort(values)) for values in (predicted, true)]
        for name, text in {
            "correlation of predicted and true shifts": f"{np.corrcoef(predicted, true)[0, 1]:.4f}",
            "correlation of their ranks": f"{np.corrcoef(*ranks)[0, 1]:.4f}",
            "median relative error": f"{np.median(error):.2e}",
            "bad predictions (off by more than 20 %)": f"{bad.mean():.1%}",
            "bad ones whose day was flagged": share(table["day"][rows], bad),
            "good ones whose day was flagged": share(table["day"][rows], ~bad),
            "bad ones that were flagged themselves": share(table["entry"][rows], bad),
            "good ones that were flagged themselves": share(table["entry"][rows], ~bad),
        }.items():
            lines.setdefault(name, []).append(text)
    for name, texts in lines.items():
        result.add_row(name, *texts)
    console.print(result)


def share(flags: Array, among: BoolArray) -> str:
    if not among.any():
        return "none"
    return f"{np.mean(flags[among]):.1%} of {among.sum():,}"


if __name__ == "__main__":
    main()
