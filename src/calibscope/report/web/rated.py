"""The RAG status of what the page shows: of a day as its study has it, and of a changed fit."""

import datetime
from dataclasses import dataclass
from typing import Any

from dash import html

from calibscope.calibration.solution import Fit
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.study.rag import Rag, Raised, rating
from calibscope.study.rated_alone import OF_QUOTES, rated_alone
from calibscope.study.study import Study
from calibscope.study.what_if import WhatIf

NOT_RATED = "not rated"
BEST_FIRST = tuple(rag.value for rag in (Rag.GREEN, Rag.AMBER, Rag.RED, Rag.GREY))
NOT_ASKED = (
    "The status is by the rules that a fit alone can answer. Data warnings and the screening of "
    "quotes against their history are not among them: they are about the quotes as they were read."
)


@dataclass(frozen=True, slots=True)
class Side:
    """A fit before or after a change, or on one of two dates."""

    fit: Fit
    dx: Diagnosis
    word: str  # its RAG status
    reasons: tuple[str, ...] = ()


def sides(
    study: Study, date: datetime.date, found: WhatIf, *, has_change: bool
) -> tuple[Side, Side]:
    """The fit of the study, and the one that is asked for, rated by the same rules.

    Without a change they are one.
    """
    rag, reasons = _of_study(study, date)
    if rag is Rag.GREY:  # it has no results there
        before = _rated(study, found.before, found.dx_before)
    else:
        before = Side(found.before, found.dx_before, rag.value, reasons)
    if not has_change:
        return before, before
    return before, _rated(study, found.after, found.dx_after)


def pill(word: str) -> Any:
    """A RAG status in its colour."""
    return html.Span(word, className=f"rag {word}")


def change_of_rag(before: Side, after: Side) -> str:
    """Whether the status became better or worse."""
    if before.word == after.word or NOT_RATED in (before.word, after.word):
        return ""
    return "worse" if BEST_FIRST.index(after.word) > BEST_FIRST.index(before.word) else "better"


def _rated(study: Study, fit: Fit, dx: Diagnosis) -> Side:
    try:
        rag, reasons = rated_alone(fit, study.settings, dx)
    except LookupError as error:  # a metric of another package
        return Side(fit, dx, NOT_RATED, (str(error.args[0]),))
    return Side(fit, dx, rag.value, reasons)


def _of_study(study: Study, date: datetime.date) -> tuple[Rag, tuple[str, ...]]:
    rules = study.raised_rules
    own = rules[(rules["date"].dt.date == date) & ~rules["rule"].isin(OF_QUOTES)]
    every = zip(own["rule"], own["reason"], own["colour"], strict=True)
    return rating([Raised(rule, reason, Rag(colour)) for rule, reason, colour in every])
