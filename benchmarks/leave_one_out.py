"""How long refits take, and how well first order predicts them.

Time: leave-one-out of single demo days, and 1,000 bootstrap refits of some. Truth: on 100 demo days
every quote is left out and the day fitted again; predicted is the shift of all parameters, with
those at active bounds held. The error is the length of the gap over that of the true shift, in
shares of a and sigma and units of rho. A prediction is bad when it is off by more than 25 %.
Flagged beforehand is what the diagnosis of the whole day says; marked afterwards is what the refit
finds: another basin, or parameters that came to a bound or left one.

    python benchmarks/leave_one_out.py
"""

import argparse
import time
from functools import partial

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import calibscope as cs
from calibscope.base.arrays import Array, BoolArray
from calibscope.diagnosis.flags import MEANINGS
from calibscope.diagnosis.linear.geometry import length
from calibscope.diagnosis.refit.leave_one_out import leave_one_out
from calibscope.diagnosis.refit.refit import sum_of_squares

DAYS, TIMED, BOOTSTRAPPED = 100, 30, 5
BAD = 0.25  # of the true shift
MISSED = 1e-6  # of the sum of squares
LARGE = 0.1  # a predicted shift, in shares of a and sigma and units of rho
FORMS = {"gauss_newton": "Gauss-Newton", "exact": "exact Hessian"}
RARE, COMMON = 0.02, 0.98  # shares of days between which a flag tells days apart


def spread(count: int) -> list[cs.MarketDay]:
    days = cs.demo_market().days
    return [days[i] for i in np.linspace(0, len(days) - 1, count).astype(int)]


def seconds(task) -> float:  # type: ignore[no-untyped-def]
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def show_times(console: Console) -> None:
    diagnoses = list(cs.diagnose_many(cs.calibrate_many(spread(TIMED))))
    for dx in diagnoses:  # kernels are compiled, or loaded, once
        dx.refits.leave_one_out()
    loo = 1e3 * np.array([seconds(partial(leave_one_out, dx)) for dx in diagnoses])
    boot = np.array([seconds(dx.refits.bootstrap) for dx in diagnoses[:: TIMED // BOOTSTRAPPED]])
    console.print(
        f"Leave-one-out of one day, 13 refits: median {np.median(loo):.0f} ms, 90 % quantile "
        f"{np.quantile(loo, 0.9):.0f} ms ({TIMED} demo days; target 50 ms).\n"
        f"1,000 bootstrap refits: median {np.median(boot):.1f} s, longest {boot.max():.1f} s "
        f"({len(boot)} days; target 5 s).\n"
    )


def show_misses(console: Console, diagnoses: list[cs.Diagnosis]) -> None:
    """How often the search for all rows finds better fits, and how long both take."""
    excess, times = [], np.zeros(2)
    for dx in diagnoses:
        problem, refit = dx.problem, dx.refit
        quotes = np.tile(problem.observed, (len(problem.weights), 1))
        weights = np.tile(problem.weights, (len(quotes), 1))
        np.fill_diagonal(weights, 0.0)
        objectives = []
        for way, solve in enumerate((refit.solve_nearby, refit.solve)):
            began = time.process_time()
            ends = solve(quotes, weights)
            times[way] += time.process_time() - began
            objectives.append(sum_of_squares(refit.predict(ends), quotes, weights))
        excess.append(objectives[0] / objectives[1] - 1.0)
    found = np.concatenate(excess)
    console.print(
        f"Refits from the minima of the day against the whole search, {len(found):,} rows: above "
        f"it by more than 1e-6 of the sum of squares in {np.sum(found > MISSED)}, by at most "
        f"{100 * max(found.max(), 0.0):.2f} %; below it in {np.sum(found < -MISSED)}, by at most "
        f"{-100 * min(found.min(), 0.0):.2f} %. Processor time: {times[0] / times[1]:.2f} of it.\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--days", type=int, default=DAYS)
    options = parser.parse_args()
    console = Console(width=100)
    show_times(console)
    diagnoses = list(cs.diagnose_many(cs.calibrate_many(spread(options.days))))
    show_misses(console, diagnoses)
    found = [dx.refits.leave_one_out() for dx in diagnoses]
    errors = {
        form: np.concatenate([loo.shifts.error(form) for loo in found])  # type: ignore[arg-type]
        for form in FORMS
    }
    sizes = {
        form: np.concatenate(
            [length(loo.shifts.predicted(form) / loo.shifts.scale) for loo in found]  # type: ignore[arg-type]
        )
        for form in FORMS
    }
    jumped = np.concatenate([loo.shifts.is_elsewhere for loo in found])
    changed = np.concatenate([loo.shifts.has_changed_bound.any(axis=1) for loo in found])
    flags = {
        name: np.repeat([bool(getattr(dx.flags, name)) for dx in diagnoses], len(found[0].labels))
        for name in MEANINGS
    }
    console.print(f"{options.days} demo days, {len(jumped):,} quotes left out.")
    show_errors(console, errors, jumped, changed)
    cook = np.concatenate([dx.cooks_distance for dx in diagnoses])
    quotes = {
        "the quote: Cook's distance above 1": dict.fromkeys(FORMS, cook > 1),
        "the quote: predicted shift above 10 %": {form: sizes[form] > LARGE for form in FORMS},
        "afterwards: another basin": dict.fromkeys(FORMS, jumped),
        "afterwards: other bounds": dict.fromkeys(FORMS, changed),
    }
    show_flags(console, errors, flags, quotes)


def show_errors(
    console: Console, errors: dict[str, Array], jumped: BoolArray, changed: BoolArray
) -> None:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("")
    for title in FORMS.values():
        table.add_column(title, justify="right")
    groups = {
        "all": np.ones_like(jumped),
        "same basin, same bounds": ~jumped & ~changed,
    }
    for group, rows in groups.items():
        for what, text in {
            "median error": lambda error: f"{np.nanmedian(error):.1%}",
            "bad predictions (off by more than 25 %)": lambda error: f"{is_bad(error).mean():.1%}",
        }.items():
            table.add_row(f"{what}, {group}", *(text(errors[form][rows]) for form in FORMS))
    console.print(table)
    console.print(
        f"{jumped.mean():.1%} of refits end in another basin, {changed.mean():.1%} change bounds.\n"
    )


def is_bad(error: Array) -> BoolArray:
    """What is not a number was not predicted, either."""
    return np.asarray(~(error <= BAD))


def show_flags(
    console: Console,
    errors: dict[str, Array],
    flags: dict[str, BoolArray],
    quotes: dict[str, dict[str, BoolArray]],
) -> None:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title="What predicts a bad one?")
    table.add_column("share that was flagged")
    for title in FORMS.values():
        table.add_column(f"{title}\nbad", justify="right")
        table.add_column("\ngood", justify="right")
    days = {
        f"the day: {name}": dict.fromkeys(FORMS, marks)
        for name, marks in flags.items()
        if RARE < marks.mean() < COMMON
    }
    for name, marks in {**days, **quotes}.items():
        shares = []
        for form in FORMS:
            bad = is_bad(errors[form])
            shares += [f"{marks[form][bad].mean():.0%}", f"{marks[form][~bad].mean():.0%}"]
        table.add_row(name, *shares)
    console.print(table)


if __name__ == "__main__":
    main()
