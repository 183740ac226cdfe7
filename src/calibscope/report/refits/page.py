"""Refits in the terminal, with what first order predicted."""

from rich.console import Group, RenderableType
from rich.table import Table

from calibscope.diagnosis.refit.comparison import IntervalComparison
from calibscope.diagnosis.refit.leave_one_out import LeaveOneOut
from calibscope.diagnosis.refit.outliers import Outliers
from calibscope.diagnosis.refit.robust import Robust
from calibscope.report.consequences import followed
from calibscope.report.diagnosis import Unit
from calibscope.report.refits.answers import RefitAnswers
from calibscope.report.refits.sentences import (
    NOT_REPRODUCED,
    better_sentence,
    comparison_sentence,
    curvature_sentences,
    left_out_sentence,
    robust_sentence,
    shift_text,
    worth_rows,
)
from calibscope.report.tables import (
    heading,
    indented,
    interval_text,
    number_text,
    plain_table,
    share_text,
)

LEFT_OUT = (
    "Errs by: the gap between predicted and true shift of all parameters, over the true one, with "
    "the exact Hessian and with Gauss-Newton (G-N). PRESS: the quote minus what the others make it."
)
OUTLIERS = (
    "Studentised and PRESS in units of noise; Huber and Cauchy: what robust fits leave of the "
    "quote's weight."
)


def fitted_again(found: RefitAnswers, unit: Unit) -> RenderableType:
    """All refits.

    Parameters
    ----------
    unit : of the weighted residuals
    """
    return Group(
        heading("What is the fit without each quote?"),
        *([] if found.is_reproduced else [indented(NOT_REPRODUCED)]),
        left_out_table(found.leave_one_out, unit),
        indented(LEFT_OUT),
        indented(left_out_sentence(found.leave_one_out)),
        heading("Do intervals depend on how they are made?"),
        comparison_table(found.intervals),
        *_sentences(comparison_sentence(found.intervals), better_sentence(found.profiles)),
        *_sentences(*curvature_sentences(found.bates_watts)),
        heading("Would robust fits say the same?"),
        robust_table(found.robust),
        indented(robust_sentence(found.robust)),
        outlier_table(found.outliers, unit),
        indented(OUTLIERS),
        heading("Which quotes drive the precision?"),
        worth_table(worth_rows(found.data_worth)),
        indented(
            "Factors by which the variance would grow without the quote, the noise unchanged: "
            "linear, not refitted."
        ),
        *([followed(found.consequences)] if found.consequences is not None else []),
    )


def left_out_table(found: LeaveOneOut, unit: Unit) -> Table:
    """A row per quote: error of the others, the largest shift, predictions, PRESS, mark."""
    table, shifts = plain_table(), found.shifts
    table.add_column("", justify="right")
    table.add_column(f"rms of others\n{unit.symbol}", justify="right", no_wrap=True)
    table.add_column("\nmoves most", no_wrap=True)
    table.add_column("exact\nerrs by", justify="right", no_wrap=True)
    table.add_column("G-N\nerrs by", justify="right", no_wrap=True)
    table.add_column(f"PRESS\n{unit.symbol}", justify="right")
    table.add_column("")
    exact, plain = shifts.error("exact"), shifts.error("gauss_newton")
    for k, (name, mark) in enumerate(zip(found.labels, found.marks, strict=True)):
        table.add_row(
            name,
            number_text(unit.factor * found.rms[k], ".3g"),
            shift_text(found, k),
            share_text(exact[k]),
            share_text(plain[k]),
            number_text(unit.factor * found.weighted_press[k], "+.2g"),
            mark,
        )
    return table


def comparison_table(found: IntervalComparison) -> Table:
    """A row per parameter: the interval of each method, and where they disagree."""
    table = plain_table()
    table.add_column("")
    for method in found.methods:
        table.add_column(f"{method}, {found.level:.0%}", justify="right", no_wrap=True)
    table.add_column("")
    for p, (name, mark) in enumerate(zip(found.names, found.marks, strict=True)):
        ends = zip(found.low[:, p], found.high[:, p], strict=True)
        table.add_row(name, *(interval_text(low, high) for low, high in ends), mark)
    return table


def robust_table(found: tuple[Robust, ...]) -> Table:
    """A row per parameter: the plain fit and the robust ones."""
    table = plain_table()
    table.add_column("")
    for title in ("plain", *(fit.loss.capitalize() for fit in found)):
        table.add_column(title, justify="right")
    for p, name in enumerate(found[0].specs.names):
        values = (found[0].values[p], *(fit.parameters[p] for fit in found))
        table.add_row(name, *(number_text(value, ".5g") for value in values))
    return table


def outlier_table(found: Outliers, unit: Unit) -> Table:
    """A row per quote: its error seen four ways, and the verdict."""
    table = plain_table()
    for title in ("", f"error, {unit.symbol}", "studentised", "PRESS", "Huber", "Cauchy"):
        table.add_column(title, justify="right")
    table.add_column("")
    for k, (name, verdict) in enumerate(zip(found.labels, found.verdicts, strict=True)):
        table.add_row(
            name,
            number_text(unit.factor * found.residuals[k], "+.2g"),
            number_text(found.studentised[k], "+.1f"),
            number_text(found.press[k], "+.1f"),
            number_text(found.huber[k], ".2f"),
            number_text(found.cauchy[k], ".2f"),
            verdict,
        )
    return table


def worth_table(rows: list[tuple[str, str]]) -> Table:
    """A row per parameter."""
    table = plain_table(has_header=False)
    for row in rows:
        table.add_row(*row)
    return table


def _sentences(*texts: str) -> list[RenderableType]:
    return [indented(text) for text in texts if text]
