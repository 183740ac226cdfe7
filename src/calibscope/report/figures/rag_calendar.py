"""Which days need review, as a calendar of RAG statuses."""

import textwrap

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from calibscope.report.colours import RAGS
from calibscope.report.figures.marks import answered, marks_of
from calibscope.report.figures.style import BLACK, GREY, percent
from calibscope.study.study import Study

WORDS = {"grey": "without results"}  # and a cross
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
LONGEST_REASON = 160  # characters


def rag_calendar(study: Study) -> go.Figure:
    """Every day as a cell: a block per year, a column per week, a row per weekday.

    The darker, the more a day needs review. Hover to see the reasons.

    Parameters
    ----------
    study : the history

    Returns
    -------
    go.Figure
        a Plotly figure; its title is its question
    """
    cells = calendar_cells(study)
    counts = cells["rag"].value_counts()
    figure = go.Figure()
    years = sorted(cells["date"].dt.year.unique(), reverse=True)
    height = 1 + (7 if len(cells) and cells["weekday"].max() > 4 else 5)
    rows = pd.Series({year: i * height for i, year in enumerate(years)}, dtype=int)
    if len(cells):
        cells["y"] = cells["date"].dt.year.map(rows) + (height - 2 - cells["weekday"])
        shape = (len(years) * height - 1, 54)
        z = np.full(shape, np.nan, dtype=np.float32)
        text = np.full(shape, "", dtype=object)
        place = cells["y"].to_numpy(), cells["week"].to_numpy()
        z[place] = cells["rag"].map({name: i for i, name in enumerate(RAGS)}).to_numpy(float)
        text[place] = cells["hover"].to_numpy()
        scale = [
            [share, colour]
            for i, colour in enumerate(RAGS.values())
            for share in (i / len(RAGS), (i + 1) / len(RAGS))
        ]
        figure.add_heatmap(
            z=z, text=text.tolist(), zmin=-0.5, zmax=len(RAGS) - 0.5, colorscale=scale,
            showscale=False, xgap=1, ygap=1, hoverongaps=False,
            hovertemplate="%{text}<extra></extra>",
        )  # fmt: skip
    _add_legend_and_crosses(figure, cells, counts)
    for mark in marks_of(study):
        own = cells[cells["date"] == mark.date]
        figure.add_scatter(
            x=own["week"], y=own["y"], mode="markers", marker={**mark.marker, "size": 10},
            name=f"{mark.event}, {mark.date:%Y-%m-%d}", hoverinfo="skip",
        )  # fmt: skip
    middles = [rows[year] + (height - 2) / 2 for year in years]
    figure.update_yaxes(
        tickvals=middles, ticktext=[str(year) for year in years], showgrid=False, zeroline=False,
        range=[-0.8, max(len(years) * height - 1, 1) - 0.2], title_text="year, Monday on top",
    )  # fmt: skip
    starts = [pd.Timestamp(2021, month, 15).day_of_year / 7 for month in range(1, 13)]
    figure.update_xaxes(
        tickvals=starts, ticktext=MONTHS, showgrid=False, zeroline=False, range=[-0.8, 53.8]
    )
    days = max(len(cells), 1)
    parts = ", ".join(
        f"{counts.get(name, 0):,} {WORDS.get(name, name)} ({percent(counts.get(name, 0) / days)})"
        for name in RAGS
    )
    worst = ""
    red = cells[cells["rag"] == "red"]["date"].dt.year.value_counts()
    if len(red):
        worst = f" Most red days in {red.idxmax()} ({red.max()})."
    note = f"{parts}.{worst}"
    alt = f"Calendar of {len(cells):,} days. {note}"
    return answered(figure, study, "Which days need review?", note, alt, 220 + 60 * len(years))


def calendar_cells(study: Study) -> pd.DataFrame:
    """One row per day: date, RAG status , hover, and its place in the year."""
    ratings = study.rag
    dates = ratings["date"]
    first = dates.dt.to_period("Y").dt.start_time
    rag = ratings["rag"]
    reasons = [_folded(reason) for reason in ratings["reasons"]]
    names = [f"{date:%Y-%m-%d}, {DAYS[date.weekday()]}" for date in dates]
    hover = [
        f"{name}: {own}{'<br>' if why else ''}{why}"
        for name, own, why in zip(names, rag, reasons, strict=True)
    ]
    return pd.DataFrame(
        {
            "date": dates,
            "rag": rag,
            "hover": hover,
            "weekday": dates.dt.day_of_week,
            "week": (dates.dt.day_of_year - 1 + first.dt.day_of_week) // 7,
        }
    )


def _folded(reason: str) -> str:
    return "<br>".join(
        textwrap.wrap(textwrap.shorten(reason, LONGEST_REASON, placeholder=" ..."), 70)
    )


def _add_legend_and_crosses(figure: go.Figure, cells: pd.DataFrame, counts: pd.Series) -> None:
    for name, colour in RAGS.items():
        if name in counts and name != "grey":
            figure.add_scatter(
                x=[None], y=[None], mode="markers", name=name,
                marker={"symbol": "square", "size": 12, "color": colour,
                        "line": {"color": GREY, "width": 0.5}},
            )  # fmt: skip
    lost = cells[cells["rag"] == "grey"]
    if len(lost):
        figure.add_scatter(
            x=lost["week"], y=lost["y"], mode="markers", name="no results", hoverinfo="skip",
            marker={"symbol": "x-thin", "size": 5, "line": {"color": BLACK, "width": 1}},
        )  # fmt: skip
