"""A diagnosis on a page: what decides the fit, how uncertain it is, what to look at."""

from typing import NamedTuple

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table

from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.diagnosis.flags import meaning
from calibscope.diagnosis.linear.intervals import Intervals
from calibscope.diagnosis.settings import LEVELS
from calibscope.report.bars import bar
from calibscope.report.tables import (
    heading,
    indented,
    interval_text,
    number_text,
    plain_table,
    share_text,
)

LEVEL, SHORT_LEVEL = LEVELS[-1], LEVELS[0]


class Unit(NamedTuple):
    """How weighted residuals are written."""

    factor: float
    symbol: str

    def of(self, value: float) -> str:
        """A number in this unit; a dash if it is none."""
        return "-" if np.isnan(value) else f"{self.factor * value:.3g} {self.symbol}"


PERCENT = Unit(100.0, "%")
LEGEND = (
    "Leverage 1: the fit must meet the quote. Influence: what the quote's own error has done to "
    "the parameters (length, in mixed units). Cook's D: what leaving it out would do. "
    "Studentised: market minus model, in standard deviations."
)
WIDTH = 12  # of a bar


def diagnosed(dx: Diagnosis, full: Diagnosis, unit: Unit = PERCENT) -> RenderableType:
    """Summary, bars by quote, intervals with their marks, spectrum and flags.

    Parameters
    ----------
    dx, full : the diagnosis in active and in full mode, which differ where bounds hold
    unit : of the weighted residuals
    """
    has_held = dx.is_held.any()
    return Group(
        heading("Diagnosis"),
        indented(dx.summary),
        *([indented(f"As if all parameters could move: {full.summary}")] if has_held else []),
        heading("Which quotes decide the fit?"),
        quote_table(dx),
        indented(LEGEND),
        heading("How uncertain are the parameters?"),
        interval_table(dx, unit, full if has_held else None),
        *map(indented, bound_lines(dx)),
        *(indented(f"{sentence}.") for sentence in dx.unidentified_combinations),
        heading("What do the quotes determine?"),
        *map(indented, spectrum_lines(dx, unit)),
        heading("Flags"),
        flag_table(dx),
    )


def quote_table(dx: Diagnosis) -> Table:
    """Leverage and influence of every quote, with bars."""
    table = plain_table()
    table.add_column("", justify="right")
    table.add_column("leverage")
    table.add_column("", justify="right")
    table.add_column("influence")
    for title in ("", "Cook's D", "studentised"):
        table.add_column(title, justify="right")
    score = dx.influence_score
    highest = max(float(score.max()), np.finfo(float).tiny)
    for k, name in enumerate(dx.problem.labels):
        table.add_row(
            name,
            bar(dx.leverage[k], WIDTH),
            f"{dx.leverage[k]:.2f}",
            bar(score[k] / highest, WIDTH),
            f"{score[k]:.2g}",
            number_text(dx.cooks_distance[k], ".2g"),
            number_text(dx.resid_studentized_external[k], "+.1f"),
        )
    return table


def interval_table(dx: Diagnosis, unit: Unit = PERCENT, full: Diagnosis | None = None) -> Table:
    """Values with intervals and marks; the header has the noise behind them.

    With a diagnosis in full mode, its interval takes the place of the shorter one.
    """
    wide = dx.intervals(LEVEL)
    other = dx.intervals(SHORT_LEVEL) if full is None else full.intervals(LEVEL)
    title = f"{SHORT_LEVEL:.0%} interval" if full is None else f"{LEVEL:.0%}, all free"
    table = plain_table()
    table.add_column("")
    table.add_column("value", justify="right", no_wrap=True)
    for above, of in ((f"{LEVEL:.0%} interval", dx), (title, full or dx)):
        noise = unit.of(of.scale_mad_adjusted)
        table.add_column(f"{above}\nnoise {noise}", justify="right", no_wrap=True)
    table.add_column("")
    for p, name in enumerate(dx.problem.specs.names):
        intervals = (interval_text(each.low[p], each.high[p]) for each in (wide, other))
        table.add_row(name, f"{wide.values[p]:.5g}", *intervals, _marks(wide, other, p))
    return table


def _marks(wide: Intervals, other: Intervals, p: int) -> str:
    """What must be said of either interval."""
    if other.level != wide.level or other.marks[p] in wide.marks[p]:
        return wide.marks[p]
    return "; ".join(filter(None, (wide.marks[p], f"all free: {other.marks[p]}")))


def bound_lines(dx: Diagnosis) -> list[str]:
    """Which active bounds decide the fit, and which intervals to take there."""
    names, ratios = dx.problem.specs.names, dx.multiplier_ratios
    at_bound = np.flatnonzero(dx.problem.at_bound)
    if not at_bound.size:
        return []
    lines = [
        f"{names[p]} is at its bound: multiplier {ratios[p]:.2g} standard errors from zero, so "
        f"{'the bound holds' if dx.bounds.holds[p] else 'it may be there by chance'}."
        for p in at_bound
    ]
    return [*lines, "With a parameter at a bound, rely on profile intervals (--refits)."]


def spectrum_lines(dx: Diagnosis, unit: Unit = PERCENT) -> list[str]:
    """EDoF and its variants, singular values, and how good Gauss-Newton is."""
    degrees, counted = dx.effective_degrees, dx.singular_values[: dx.geometry.parameter_count]
    lines = [
        f"EDoF {dx.edof} of {dx.geometry.parameter_count} parameters, at a tolerance of "
        f"{dx.settings.rank_tolerance:g} on W^(1/2) J; in scaled coordinates {degrees.scaled}, "
        f"all parameters free {degrees.full}, without those at bounds {degrees.strict}, Tikhonov "
        f"{degrees.tikhonov:.2f} (lambda {degrees.tikhonov_lambda:.2g}).",
        f"Singular values {', '.join(f'{s:.2g}' for s in counted)}; condition number "
        f"{dx.condition_number:.1e}.",
        f"Scale of the noise: mse {unit.of(dx.scale_mse)}, mad {unit.of(dx.scale_mad)}, adjusted "
        f"for leverage {unit.of(dx.scale_mad_adjusted)}.",
    ]
    if not np.isnan(dx.relative_bias):
        lines.append(
            f"Minimising relative errors aims {-1e4 * dx.relative_bias:.2g} bp of the price below "
            "its mean."
        )
    if not dx.flags.lacks_second_derivatives:
        lines.append(
            f"Gauss-Newton against the exact Hessian: {100 * dx.gauss_newton_ratio:.2g} % in norm "
            f"(paper), {share_text(dx.gauss_newton_error)} in the worst direction."
        )
    return lines


def flag_table(dx: Diagnosis) -> Table:
    """Raised flags and what they mean."""
    table = plain_table(has_header=False)
    for name in dx.flags.raised:
        table.add_row(name, meaning(name, dx.settings))
    if not dx.flags.raised:
        table.add_row("none")
    return table
