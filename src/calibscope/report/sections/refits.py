"""The section "Fitted again" of a day: refits, with what first order predicted."""

from calibscope.base.numbers import Unit, estimate, percent, share
from calibscope.diagnosis.refit.comparison import IntervalComparison
from calibscope.diagnosis.refit.leave_one_out import LeaveOneOut
from calibscope.diagnosis.refit.outliers import Outliers
from calibscope.diagnosis.refit.robust import Robust
from calibscope.report.document import (
    Callout,
    Column,
    Heading,
    Paragraph,
    Range,
    Section,
    Table,
    drawn,
    section,
    table,
)
from calibscope.report.refits import sentences
from calibscope.report.refits.answers import RefitAnswers
from calibscope.report.sections.consequences import followed

INTRODUCTION = (
    "The day was fitted again: without each quote, with each parameter held, to a thousand "
    "simulated days, and with robust losses. Where these answers differ from those above, believe "
    "these."
)
LEFT_OUT = (
    "Errs by: the gap between predicted and true shift of all parameters, over the true one, with "
    "the exact Hessian and with Gauss-Newton (G-N). PRESS: the quote minus what the others make it."
)
OUTLIERS = (
    "Studentised and PRESS in units of noise; Huber and Cauchy: what robust fits leave of the "
    "quote's weight."
)
WORTH = (
    "Factors by which the variance would grow without the quote, the noise unchanged: linear, not "
    "refitted."
)
NO_PROFILES = "There are no profiles: the fit leaves no noise, or has no degree of freedom."


def fitted_again(found: RefitAnswers, unit: Unit, note: str = "") -> Section:
    """What the day says when it is fitted again.

    Parameters
    ----------
    unit : of the weighted residuals
    note : what the reader of a figure must know about the data
    """
    better = sentences.better_sentence(found.profiles)
    delta = found.dx.intervals(found.intervals.level, method="delta")
    return section(
        "again",
        "Fitted again",
        INTRODUCTION,
        Heading("What is the fit without each quote?"),
        None if found.is_reproduced else Callout(sentences.NOT_REPRODUCED),
        sentences.left_out_sentence(found.leave_one_out),
        drawn("left_out_shifts", found.leave_one_out, note),
        _left_out(found.leave_one_out, unit),
        Paragraph(LEFT_OUT, is_note=True),
        Heading("Do intervals depend on how they are made?"),
        sentences.comparison_sentence(found.intervals),
        Callout(better) if better else None,
        drawn("profiles.profile_chart", found.profiles, delta, note)
        if found.has_profiles
        else NO_PROFILES,
        _compared(found.intervals),
        *sentences.curvature_sentences(found.bates_watts),
        Heading("Would robust fits say the same?"),
        sentences.robust_sentence(found.robust),
        _robust(found.robust),
        _outliers(found.outliers, unit),
        Paragraph(OUTLIERS, is_note=True),
        Heading("Which quotes drive the precision?"),
        table(
            "Quotes on which the variance of each parameter depends most",
            ("parameter", "without"),
            sentences.worth_rows(found.data_worth),
        ),
        Paragraph(WORTH, is_note=True),
        *([] if found.consequences is None else followed(found.consequences, note)),
    )


def _left_out(found: LeaveOneOut, unit: Unit) -> Table:
    errors = found.shifts.error("exact"), found.shifts.error("gauss_newton")
    shifts = [sentences.shift_text(found, k) for k in range(len(found.labels))]
    return table(
        "Errors, and the largest shift, without each quote",
        (
            Column("without", "s"),
            Column("rms of others", ".3g", unit),
            Column("moves most", is_whole=True),
            Column("exact errs by", share),
            Column("G-N errs by", share),
            Column("PRESS", "+.2g", unit),
            "mark",
        ),
        zip(
            found.labels, found.rms, shifts, *errors, found.weighted_press, found.marks,
            strict=True,
        ),
    )  # fmt: skip


def _compared(found: IntervalComparison) -> Table:
    level = percent(found.level, 0)
    return table(
        f"{level} intervals by method",
        (
            "parameter",
            *(Column(f"{method}, {level}", ".3g") for method in found.methods),
            "mark",
        ),
        [
            (name, *map(Range, found.low[:, p], found.high[:, p]), found.marks[p])
            for p, name in enumerate(found.names)
        ],
    )


def _robust(found: tuple[Robust, ...]) -> Table:
    losses = (Column(fit.loss.capitalize(), estimate) for fit in found)
    return table(
        "Robust fits",
        ("parameter", Column("plain", estimate), *losses),
        zip(found[0].specs.names, found[0].values, *(fit.parameters for fit in found), strict=True),
    )


def _outliers(found: Outliers, unit: Unit) -> Table:
    return table(
        "Is a quote out of line?",
        (
            Column("quote", "s"),
            Column("error", "+.2g", unit),
            Column("studentised", "+.1f"),
            Column("PRESS", "+.1f"),
            Column("Huber", ".2f"),
            Column("Cauchy", ".2f"),
            "verdict",
        ),
        zip(
            found.labels, found.residuals, found.studentised, found.press, found.huber,
            found.cauchy, found.verdicts, strict=True,
        ),
    )  # fmt: skip
