"""Every day that is not green: why, and what is stored of it."""

from collections.abc import Sequence

import pandas as pd

from calibscope.base.numbers import counted
from calibscope.report.document import (
    Cell,
    Collapsible,
    Column,
    Heading,
    Linked,
    Section,
    Table,
    collapsible,
    section,
    table,
)
from calibscope.report.sections import study_blocks as shared
from calibscope.report.sections.appendix.day_panel import day_panel
from calibscope.report.sections.committee.days import anchor_of
from calibscope.report.sections.study_refits import refit_blocks
from calibscope.study.statistics.periods import is_small
from calibscope.study.study import Study

LISTED = 25  # red days and amber days with a panel of their own
CHALLENGED = (
    "Red days are fitted again as challenger fits; the table shows the one without the dominant "
    "quote."
)


def review(study: Study) -> Section:
    """Rules, red days, amber days, reference dates, and panels."""
    every = {*study.fitted["date"]}
    rated = study.rag[study.rag["date"].isin(every)]
    panels = set(rated["date"].tail(1))
    for rag in ("red", "amber"):
        panels.update(rated.loc[rated["rag"] == rag, "date"].tail(LISTED))
    dates = study.settings.report.reference_dates
    panels.update(date for date in every if date.date() in dates)
    if is_small(study):
        panels = every

    def cell(date: pd.Timestamp) -> Cell:
        return Linked(date, anchor_of(date)) if date in panels else date

    return section(
        "review",
        "Days that need review",
        shared.rag_sentence(study),
        shared.rule_table(study),
        CHALLENGED if len(study.challenger_fits) else None,
        shared.red_day_table(study, LISTED, cell),
        _earlier(study, "red"),
        shared.amber_day_table(study, LISTED, cell),
        _earlier(study, "amber"),
        _without_results(study),
        *shared.reference_blocks(study),
        Heading("Day by day, the latest first"),
        *(day_panel(study, date) for date in sorted(panels, reverse=True)),
    )


def refits(study: Study) -> Section | None:
    """Days fitted again without each quote, and their profile intervals."""
    blocks = refit_blocks(study)
    return section("refits", "Refits", *blocks) if blocks else None


def _earlier(study: Study, rag: str) -> Collapsible | None:
    """The days of a status that the table above leaves out."""
    own = study.rag[study.rag["rag"] == rag].iloc[:-LISTED]
    if own.empty:
        return None
    words = counted(len(own), f"earlier {rag} day")
    rows = [(day["date"], day["reasons"]) for day in shared.records(own)]
    return collapsible(f"The {words}", _reasons(words.capitalize(), rows))


def _without_results(study: Study) -> Collapsible | None:
    lost = study.days[study.days["rmsre"].isna()]
    if lost.empty:
        return None
    words = counted(len(lost), "day without a result", "days without a result")
    rows = [(day["date"], day["reason"]) for day in shared.records(lost)]
    return collapsible(f"The {words}", _reasons(words, rows))


def _reasons(caption: str, rows: Sequence[tuple[Cell, ...]]) -> Table:
    return table(caption, (Column("date", is_whole=True), "why"), rows)
