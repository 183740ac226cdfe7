"""What is stored of one day, behind a line with its status."""

import pandas as pd

from calibscope.base.numbers import estimate, percent
from calibscope.report.document import Collapsible, Column, Range, Table, collapsible, table
from calibscope.report.sections.committee.days import anchor_of
from calibscope.report.sections.committee.decides import quote_table
from calibscope.study.statistics.stored_day import StoredDay, stored_day
from calibscope.study.study import Study


def day_panel(study: Study, date: pd.Timestamp) -> Collapsible:
    """Status and reasons, the summary, parameters with intervals, and quotes."""
    day = stored_day(study, date)
    reasons = "; ".join(day.raised.loc[day.raised["colour"] == day.rag, "reason"])
    return collapsible(
        f"{date:%Y-%m-%d}: {day.rag}, RMSRE {percent(day.row['rmsre'])}",
        f"{day.rag.capitalize()} because: {reasons}." if reasons else None,
        str(day.row["summary"]),
        _parameters(day),
        quote_table(study, day),
        anchor=anchor_of(date),
    )


def _parameters(day: StoredDay) -> Table:
    method = "profile" if day.is_profiled else "delta method"
    rows = [
        (str(name), row["estimate"], Range(row["low"], row["high"]), row["plausible"],
         str(row["mark"]) if row["mark"] == row["mark"] else "")
        for name, row in day.parameters.iterrows()
    ]  # fmt: skip
    columns = (
        Column("parameter", is_whole=True), Column("best fit", estimate),
        Column(f"{percent(day.level, 0)} interval", ".3g"),
        Column("best plausible fit", estimate), Column("mark of the interval"),
    )  # fmt: skip
    return table(f"Parameters of {day.date:%Y-%m-%d}, intervals by {method}", columns, rows)
