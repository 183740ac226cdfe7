"""How well do the modes describe a fit at a bound? Every demo day with one, against refits.

Each quote of such a day is left out and the day fitted again inside the bounds; that is the truth.
Compared are the modes "active" (the default), "full" (the paper's) and "strict", and "full" as it
was before, with the residuals e - H e in place of e.

- DFBETAS: the predicted shift of a parameter over its standard deviation, the true shift over the
  same one; so the ratio of the two is that of the shifts. Free parameters only, that moved by more
  than 1e-9 of their own scale. Counted are the signs that are right, and the median of
  |predicted - true| / |true|.
- Cook's distance: the true one is |W^(1/2) (g - g_(k))|^2 / (p s^2), from the fitted values with
  and without the quote (Cook, 1977), p and s of the mode. Counted are the median relative error,
  and the days on which the quote with the largest distance is the true one.
- Sentences: of the days on which a quote's distance is above 1, so that the summary would name it,
  the share on which the true distance of that quote is above 1, too, with p and s of the mode
  "active" for all. Twice: with the distance from fitted values as above, and with that of the
  parameters' shift d, d^T A^T A d / (p s^2). The last row is the flag `has_influential_quote` as
  it is: with the exact Hessian where there is one.

Days are also told apart by whether a bound holds. It takes three minutes on two cores.

    python benchmarks/active_bounds.py
"""

import argparse
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Table

import calibscope as cs
from calibscope.base.arrays import Array, BoolArray
from calibscope.diagnosis.diagnose import in_mode
from calibscope.diagnosis.diagnoses import Diagnoses
from calibscope.diagnosis.diagnosis import Diagnosis

MOVED = 1e-9  # of a parameter's scale: less is the solver's
FAR = 1.0  # Cook's distance
BEFORE, FLAG = "full, e - H e (before)", "exact Hessian (the flag)"


@dataclass(frozen=True)
class Left:
    """What leaving out each quote of n days does."""

    shifts: Array  # (n, m, p) of the parameters
    squares: Array  # (n, m) |W^(1/2) (g - g_(k))|^2


@dataclass(frozen=True)
class Answer:
    """What a mode says about n days."""

    dfbeta: Array  # (n, m, p) parameters minus those without the quote
    cooks_distance: Array  # (n, m)
    unit: Array  # (n, 1) p s^2


def left_out(diagnoses: Diagnoses, threads: int) -> Left:
    """Refits, a day at a time on each thread."""

    def one(dx: Diagnosis) -> tuple[Array, Array]:
        found, problem = dx.refits.leave_one_out().shifts, dx.problem
        assert problem.observed is not None
        gaps = found.fitted - (problem.observed - problem.residuals)
        return found.refitted, np.asarray((problem.weights * gaps**2).sum(axis=1))

    with ThreadPoolExecutor(threads) as pool:
        found = list(
            track(
                pool.map(one, diagnoses), "leaving out each quote", len(diagnoses), transient=True
            )
        )
    shifts, squares = map(np.array, zip(*found, strict=True))
    return Left(shifts, squares)


def answers(diagnoses: Diagnoses) -> Iterator[tuple[str, Answer]]:
    """What each mode says, and what full mode said before."""
    for mode in ("active", "full", "strict"):
        (stack,) = in_mode(diagnoses, mode).batches
        e = stack.problem.weighted_residuals
        p = stack.scales.count - stack.deletion.degrees_of_freedom
        unit = (p * (e**2).sum(axis=1) / stack.deletion.degrees_of_freedom)[:, None]
        yield mode, Answer(stack.dfbeta, stack.cooks_distance, unit)
        if mode == "full":
            yield BEFORE, _before(stack)
        if mode == "active":
            flag = Answer(stack.dfbeta, stack.deletion.believed_distance, unit)
    yield FLAG, flag


def _before(stack: Diagnosis) -> Answer:
    """Deletion with e - H e."""
    e, left = stack.problem.weighted_residuals, stack.geometry.left
    e = e - (left @ (left.mT @ e[..., None]))[..., 0]
    h = stack.leverage
    p, effective_degrees = stack.geometry.parameter_count, stack.scales.degrees_of_freedom
    unit = (p * (e**2).sum(axis=1) / effective_degrees)[:, None]
    shift = (e / (1.0 - h))[..., None] * (left @ stack.geometry.root_inverse.mT)
    return Answer(shift, e**2 * h / (1.0 - h) ** 2 / unit, unit)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--every", type=int, default=1, help="take every n-th day")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    days = cs.demo_market().days[:: options.every]
    fits = cs.calibrate_many(days, threads=options.threads)
    at_bound = [fit for fit in fits if fit.at_bound.any()]
    diagnoses = cs.diagnose_many(at_bound, threads=options.threads)
    truth = left_out(diagnoses, options.threads)
    (stack,) = diagnoses.batches
    found = dict(answers(diagnoses))
    console = Console(width=110)
    is_held = stack.is_held.any(axis=1)
    console.print(
        f"{len(diagnoses):,} of {len(days):,} demo days have an active bound, on "
        f"{is_held.sum():,} it holds; {truth.squares.size:,} refits."
    )
    for title, chosen in (
        ("all days with an active bound", np.ones_like(is_held)),
        ("a bound holds", is_held),
        ("no bound holds", ~is_held),
    ):
        console.print(quote_table(f"{title}: {chosen.sum():,}", stack, found, truth, chosen))
    console.print(sentence_table(stack, found, truth))


def quote_table(
    title: str, stack: Diagnosis, found: dict[str, Answer], truth: Left, days: BoolArray
) -> Table:
    """DFBETAS and Cook's distance on some of the days."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=title, title_justify="left")
    table.add_column("mode")
    for heading in (
        "DFBETAS\nsign right",
        "\nmedian error",
        "Cook's distance\nmedian error",
        "\nfirst quote right",
    ):
        table.add_column(heading, justify="right")
    scale, free = stack.problem.coordinate_scale[:, None], stack.problem.is_free[:, None]
    is_moved = free & (np.abs(truth.shifts) > MOVED * scale) & days[:, None, None]
    true = truth.shifts[is_moved]
    for name, answer in found.items():
        said = -answer.dfbeta[is_moved]
        distance = truth.squares / answer.unit
        error = np.abs(answer.cooks_distance / distance - 1.0)[days]
        first = _first(answer.cooks_distance) == _first(distance)
        shift = (f"{np.mean(np.sign(said) == np.sign(true)):.1%}",
                 f"{np.nanmedian(np.abs(said / true - 1.0)):.0%}")  # fmt: skip
        table.add_row(
            name,
            *(("", "") if name == FLAG else shift),
            f"{np.nanmedian(error):.0%}",
            f"{np.mean(first[days]):.1%}",
        )
    return table


def sentence_table(stack: Diagnosis, found: dict[str, Answer], truth: Left) -> Table:
    """How many sentences on influential quotes refits confirm."""
    title = "removing a quote would change the parameters substantially"
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=title, title_justify="left")
    for heading in ("mode", "said", "confirmed by\nfitted values", "\nparameters"):
        table.add_column(heading, justify="left" if heading == "mode" else "right")
    moved = ((stack.problem.design @ truth.shifts.mT) ** 2).sum(axis=1)
    for name, answer in found.items():
        first = _first(answer.cooks_distance)[:, None]
        is_said = np.take_along_axis(answer.cooks_distance, first, 1)[:, 0] > FAR
        shares = (
            np.take_along_axis(squares / found["active"].unit, first, 1)[is_said, 0] > FAR
            for squares in (truth.squares, moved)
        )
        table.add_row(name, f"{is_said.sum():,}", *(f"{share.mean():.1%}" for share in shares))
    return table


def _first(distances: Array) -> Array:
    """(n,) the quote with the largest distance."""
    return np.asarray(np.nan_to_num(distances, nan=0.0, posinf=0.0).argmax(axis=1))


if __name__ == "__main__":
    main()
