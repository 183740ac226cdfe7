"""The top of the live page: which study, which day, and the time series to choose another from."""

import datetime
from functools import lru_cache
from typing import Any

import plotly.graph_objects as go
from dash import dcc, html

from calibscope.report.document import SYNTHETIC
from calibscope.report.figures.rmsre_over_time import rmsre_over_time
from calibscope.report.figures.style import BLACK
from calibscope.report.web.components import PLOT
from calibscope.report.web.controls import text_field
from calibscope.study.study import Study

HEIGHT = 205  # pixels of the time series


def heading(study: Study, date: datetime.date) -> list[Any]:
    """Title, time series, date and RAG status."""
    return [html.Header(_title(study)), html.Nav(_days(study, date), **{"aria-label": "Days"})]


def _title(study: Study) -> list[Any]:
    first, last = (study.days["date"].iloc[place].date() for place in (0, -1))
    market = str(study.runs["market"].iloc[-1])
    days = f"{len(study.days):,} days from {first} to {last}"
    lead = f"{study.model_of(study.model).title} fitted to {market}, {days}"
    label = [html.Span(SYNTHETIC, className="label")] if study.is_synthetic else []
    return [
        html.H1("How far can a calibration be trusted?"),
        html.P([lead, " ", *label], className="lead"),
        *([html.P(study.unfinished_run)] if study.unfinished_run else []),
    ]


def _days(study: Study, date: datetime.date) -> list[Any]:
    rag, reasons = _rag(study, date)
    words = "RMSRE of every day, to click in; or write a date below"
    graph = dcc.Graph(
        id="history", figure=_history(study, date), config=PLOT, style={"height": f"{HEIGHT}px"}
    )
    return [
        html.Div(graph, role="img", **{"aria-label": words}),
        html.Div(
            [
                html.Button(
                    "\N{LEFTWARDS ARROW} day before", id={"type": "go", "where": "previous"}
                ),
                html.Label(["Date ", text_field("date", str(date))]),
                html.Button("day after \N{RIGHTWARDS ARROW}", id={"type": "go", "where": "next"}),
                html.Span(["in the study ", html.Span(rag, className=f"rag {rag}")]),
                html.Span(reasons, className="reasons"),
            ],
            className="days",
        ),
    ]


def _rag(study: Study, date: datetime.date) -> tuple[str, str]:
    ratings = study.rag
    row = ratings[ratings["date"].dt.date == date]
    return (str(row["rag"].iloc[0]), str(row["reasons"].iloc[0])) if len(row) else ("none", "")


def _history(study: Study, date: datetime.date) -> go.Figure:
    """The fit over time, small, with a line at the day that is open."""
    return go.Figure(_series(study)).add_shape(
        type="line", x0=str(date), x1=str(date), y0=0, y1=1, yref="paper",
        line={"color": BLACK, "width": 2},
    )  # fmt: skip


@lru_cache(maxsize=4)
def _series(study: Study) -> go.Figure:
    figure = rmsre_over_time(study)
    figure.update_xaxes(title_text=None)
    return figure.update_layout(
        height=HEIGHT, title=None, showlegend=False, hovermode="x", hoverdistance=-1,
        margin={"l": 70, "r": 20, "t": 44, "b": 28},
    )  # fmt: skip
