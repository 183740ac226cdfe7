"""A row per day: what a small study shows in place of a history."""

import pandas as pd

from calibscope.base.numbers import PERCENT
from calibscope.report.document import Column, Linked, Noted, Table, table
from calibscope.study.study import Study


def anchor_of(date: pd.Timestamp) -> str:
    """By which the panel of a day is found in the appendix."""
    return f"day-{date:%Y-%m-%d}"


def day_table(study: Study, caption: str) -> Table:
    """Fit, EDoF, highest leverage and status of every day."""
    frame = study.days.merge(study.rag, on="date")
    rows = [
        (
            Linked(day["date"], anchor_of(day["date"])),
            day["rag"] if day["rag"] != "grey" else "no result",
            day["quote_count"],
            day["rmsre"],
            Noted(day["largest_residual"], str(day["largest_residual_at"])),
            day["edof"],
            Noted(day["largest_leverage"], str(day["largest_leverage_at"])),
            Noted(day["largest_cooks_distance"], str(day["largest_cooks_distance_at"])),
        )
        for day in frame.astype(object).where(frame.notna(), None).to_dict("records")
    ]
    columns = (
        Column("date", is_whole=True), Column("status"), Column("quotes", ".0f"),
        Column("RMSRE", ".2f", PERCENT), Column("largest residual", "+.1f", PERCENT),
        Column("EDoF", ".0f"), Column("highest leverage", ".2f"),
        Column("largest Cook's distance", ".2f"),
    )  # fmt: skip
    return table(caption, columns, rows)
