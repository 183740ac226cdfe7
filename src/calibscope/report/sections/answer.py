"""The answer on a page: the status, why, the parameters with their intervals, what to do."""

from collections.abc import Iterator, Sequence

import numpy as np

from calibscope.base.numbers import PERCENT, counted, estimate, number, percent
from calibscope.report.answer import Answer, Calibrated
from calibscope.report.document import (
    SYNTHETIC,
    Block,
    Callout,
    Cell,
    Column,
    Document,
    Heading,
    Listing,
    Paragraph,
    Quantity,
    Range,
    Section,
    Table,
    section,
    table,
)
from calibscope.study.rag import Rag

MOST_BARS = 15  # quotes, so that the answer fits a screen
MOST_REASONS = 4
HINT = "--full lists them"
RMSRE = ".2f"
VERDICTS = {
    Rag.GREEN: ("GREEN: yes. No rule asks for a review.", "good"),
    Rag.AMBER: ("AMBER: yes, once the points below are decided.", "warning"),
    Rag.RED: ("RED: no, not before the points below are reviewed.", "bad"),
    Rag.GREY: ("GREY: no, there is none.", "bad"),
}


def answer_screen(
    answer: Answer, *below: Section, beside: Sequence[str] = (), is_full: bool = False
) -> Document:
    """One screen: the answer, and what may follow it.

    Parameters
    ----------
    below : sections below the answer
    beside : sentences below what to do next
    is_full : give every reason, also if there are many
    """
    name = answer.date or "this day"
    return Document(
        title=f"May the calibration of {name} be used?",
        subtitle=_subtitle(answer),
        sections=(*_screen(answer, beside, is_full), *below),
        label=SYNTHETIC if answer.is_synthetic else "",
    )


def _screen(answer: Answer, beside: Sequence[str], is_full: bool) -> Iterator[Section]:
    """The verdict with the parameters; below, leverage beside what to do."""
    found = answer.calibrated
    yield section("answer", "", *_verdict(answer, None if is_full else MOST_REASONS))
    if found is not None:
        yield section("bars", "Which quotes decide the fit?", leverage_bars(found), is_beside=True)
    blocks: list[Block | str] = [*_numbered(answer.steps)]
    if found is not None and answer.rag is Rag.GREEN:
        blocks += [Heading("What to know"), found.dx.summary]
    if beside:
        blocks += [Heading("All days"), *beside]
    yield section("next", "What to do next", *blocks)


def answer_section(answer: Answer) -> Section:
    """The same above a page that goes on with all figures: what to do is below the parameters."""
    return section(
        "answer",
        "May it be used?",
        *_verdict(answer),
        Heading("What to do next"),
        *_numbered(answer.steps),
    )


def _numbered(steps: tuple[str, ...]) -> list[str]:
    if len(steps) == 1:
        return list(steps)
    return [f"{k}. {step}" for k, step in enumerate(steps, 1)]


def _subtitle(answer: Answer) -> str:
    if answer.calibrated is None:
        return answer.source
    fit = answer.calibrated.fit
    day = fit.problem.day
    return f"{fit.problem.model.title} fitted to {len(day.prices)} {day.quoted_as}: {answer.source}"


def _verdict(answer: Answer, most: int | None = None) -> list[Block | str | None]:
    words, kind = VERDICTS[answer.rag]
    blocks: list[Block | str | None] = [
        Callout(words, kind),  # type: ignore[arg-type]
        Listing("Reasons", answer.reasons, most, HINT) if answer.reasons else None,
        Paragraph(f"{answer.note.capitalize()}.", is_note=True) if answer.note else None,
    ]
    if answer.calibrated is not None:
        blocks += [fit_sentence(answer.calibrated), parameter_table(answer.calibrated)]
    return blocks


def fit_sentence(found: Calibrated) -> str:
    """How well the quotes are met, and how much they determine."""
    problem = found.fit.problem
    errors = found.fit.residuals[: len(problem.day.prices)]
    worst = int(np.abs(errors).argmax())
    fitted = counted(int(found.dx.problem.is_movable.sum()), "parameter")
    return (
        f"RMSRE {percent(found.fit.rmsre)}; the largest error is {percent(errors[worst], 1, '+')}, "
        f"at {problem.day.labels[worst]}. Effective degrees of freedom (EDoF): "
        f"{number(found.edof, '.0f')} of {fitted}."
    )


def parameter_table(found: Calibrated) -> Table:
    """Best fit with intervals, and the best plausible fit where that is another one."""
    intervals, plausible = found.intervals, found.plausible
    rows: list[tuple[Cell, ...]] = [
        (
            spec.name,
            intervals.values[p],
            Range(intervals.low[p], intervals.high[p]),
            "" if plausible is None else plausible[p],
            intervals.marks[p],
        )
        for p, spec in enumerate(intervals.specs)
    ]
    other = "" if plausible is None else Quantity(found.plausible_rmsre, PERCENT, RMSRE)
    rows.append(("RMSRE", Quantity(found.fit.rmsre, PERCENT, RMSRE), "", other, ""))
    level = percent(float(intervals.level), 0)  # type: ignore[arg-type]
    columns = (
        Column("parameter", is_whole=True),
        Column("best fit", estimate),
        Column(f"{level} interval", number),
        Column("plausible", estimate),
        "mark",
    )
    return table(f"Parameters, with intervals by {_method(found)}", columns, rows)


def _method(found: Calibrated) -> str:
    return "profile" if found.intervals.form == "profile" else "the delta method"


def leverage_bars(found: Calibrated) -> Table:
    """How strongly each quote pulls the fit towards itself; of many, the strongest."""
    labels, leverage = found.fit.problem.day.labels, found.dx.leverage
    rows = list(zip(labels, leverage[: len(labels)].tolist(), strict=True))
    caption = ""
    if len(rows) > MOST_BARS:
        caption = f"The {MOST_BARS} highest of {len(rows)}"
        rows = sorted(rows, key=lambda row: -row[1])[:MOST_BARS]
    return table(caption, (Column("quote", "s"), Column("leverage", ".2f", full=1.0)), rows)
