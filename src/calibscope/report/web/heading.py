"""The top of the live page: which study, which day, and the time series to choose another from."""

import datetime
from functools import lru_cache
from typing import Any

import plotly.graph_objects as go
from dash import dcc, html

from calibscope.base.numbers import counted
from calibscope.report.document import SYNTHETIC
from calibscope.report.figures.rmsre_over_time import rmsre_over_time
from calibscope.report.figures.style import BLACK
from calibscope.report.web.components import PLOT
from calibscope.report.web.controls import text_field
from calibscope.report.web.rated import pill
from calibscope.study.study import Study

HEIGHT = 145  # pixels of the time series


Date = datetime.date | None


def heading(study: Study, date: Date, other: Date = None) -> list[Any]:
    """Title, time series, dates and RAG status.

    Parameters
    ----------
    date, other : the day that is open, and the one it is compared with; they may have no data
    """
    return [
        html.Header(_title(study)),
        html.Nav(_days(study, date, other), **{"aria-label": "Days"}),
    ]


def _title(study: Study) -> list[Any]:
    first, last = (study.days["date"].iloc[place].date() for place in (0, -1))
    market = str(study.runs["market"].iloc[-1])
    days = f"{counted(len(study.days), 'day')} from {first} to {last}"
    lead = f"{study.model_of(study.model).title} fitted to {market}, {days}"
    label = [html.Span(SYNTHETIC, className="label")] if study.is_synthetic else []
    return [
        html.H1("What if?"),
        html.P([lead, " ", *label], className="lead"),
        *([html.P(study.unfinished_run)] if study.unfinished_run else []),
    ]


def _days(study: Study, date: Date, other: Date) -> list[Any]:
    words = "RMSRE of every day, to click in; or write a date below"
    graph = dcc.Graph(
        id="history", figure=_history(study, date, other), config=PLOT,
        style={"height": f"{HEIGHT}px"},
    )  # fmt: skip
    return [
        html.Div(graph, role="img", **{"aria-label": words}),
        html.Div(
            [
                html.Button(
                    "\N{LEFTWARDS ARROW} day before", id={"type": "go", "where": "previous"}
                ),
                html.Label(["Date ", text_field("date", str(date or ""))]),
                html.Button("day after \N{RIGHTWARDS ARROW}", id={"type": "go", "where": "next"}),
                html.Label(["compare with ", text_field("other", str(other or ""), "no date")]),
                html.Span(_status(study, date), className="status"),
            ],
            className="days",
        ),
    ]  # fmt: skip


def _status(study: Study, date: Date) -> list[Any]:
    """How the study rates the day, quotes and fit, and why."""
    if date is None:
        return []
    row = study.rag[study.rag["date"].dt.date == date]
    if row.empty:
        return ["not in the study"]
    rag, reasons = str(row["rag"].iloc[0]), str(row["reasons"].iloc[0])
    return ["in the study ", pill(rag), html.Span(reasons, className="reasons", title=reasons)]


def _history(study: Study, date: Date, other: Date) -> go.Figure:
    """The fit over time, small, with lines at the days that are open and inside it."""
    figure = go.Figure(_series(study))
    first, last = (study.days["date"].iloc[place].date() for place in (0, -1))
    for day, dash in ((date, "solid"), (other, "dash")):
        if day is not None and first <= day <= last:
            figure.add_shape(
                type="line", x0=str(day), x1=str(day), y0=0, y1=1, yref="paper",
                line={"color": BLACK, "width": 2, "dash": dash},
            )  # fmt: skip
    return figure


@lru_cache(maxsize=4)
def _series(study: Study) -> go.Figure:
    figure = rmsre_over_time(study)
    figure.update_xaxes(title_text=None, ticks="outside", ticklen=4, tickfont={"size": 12})
    figure.update_yaxes(nticks=5, tickfont={"size": 11}, title_font={"size": 12})
    return figure.update_layout(
        height=HEIGHT, title=None, showlegend=False, hovermode="x", hoverdistance=-1,
        margin={"l": 70, "r": 20, "t": 36, "b": 34},
    )  # fmt: skip
