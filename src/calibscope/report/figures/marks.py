"""What all figures of a history share: its reference dates, its axis of time, its label.

A reference date has the same symbol and colour in every figure. In a picture over time it is a
dotted line with its name on top, and the symbol where the line meets the data; elsewhere the symbol
is explained by the legend.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from calibscope.report.figures.style import (
    DARK_GREY,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    YELLOW,
    dressed,
    percent,
)
from calibscope.study.study import Study

HELD = YELLOW  # days on which a bound holds a parameter, in every figure
CLOSE = 0.3  # of the axis: names of reference dates that are closer stand at two heights
RAISED = 18  # pixels


@dataclass(frozen=True, slots=True)
class Mark:
    """A reference date and how it is drawn."""

    date: pd.Timestamp
    event: str
    colour: str
    symbol: str  # of Plotly
    glyph: str  # the same symbol as a character, for labels

    @property
    def label(self) -> str:
        """The event with its symbol."""
        return f'<span style="color:{self.colour}">{self.glyph}</span> {self.event}'

    @property
    def marker(self) -> dict[str, Any]:
        """The symbol, with a white rim that sets it off from the data."""
        return {
            "color": self.colour, "symbol": self.symbol, "size": 11,
            "line": {"color": "white", "width": 1.5},
        }  # fmt: skip


LOOKS = ((PURPLE, "circle", "●"), (ORANGE, "square", "■"), (GREEN, "diamond", "◆"))
COVERED = pd.Timedelta(days=7)  # how far the nearest day of a study may be from a reference date


def marks_of(study: Study) -> list[Mark]:
    """The reference dates of the settings, as far as the study has days around them."""
    dates = study.days["date"]
    if dates.empty:
        return []
    every = sorted(study.settings.report.reference_dates.items())
    marks = [
        Mark(pd.Timestamp(date), event, *look)
        for (date, event), look in zip(every, cycle(LOOKS), strict=False)
    ]
    return [
        mark
        for mark in marks
        if dates.min() <= mark.date <= dates.max() and (dates - mark.date).abs().min() <= COVERED
    ]


def answered(
    figure: go.Figure, study: Study, question: str, note: str, alt: str, height: int = 560
) -> go.Figure:
    """The figure with question, facts, alt text and, where it applies, the word SYNTHETIC.

    Parameters
    ----------
    height : in pixels; the width is that of the page
    """
    labels = [label for label in figure.layout.annotations if label.yref == "paper"]
    above = (20 if labels else 0) + (RAISED if any(label.showarrow for label in labels) else 0)
    dressed(figure, question, note, alt=alt, is_synthetic=study.is_synthetic, above=above)
    has_legend = any(
        trace.type == "scatter" and trace.showlegend is not False for trace in figure.data
    )
    figure.update_xaxes(title_font_size=14)
    figure.update_yaxes(title_font_size=14)
    return figure.update_layout(
        height=height,
        legend={"yref": "container", "y": 0, "yanchor": "bottom"},
        margin={"b": 70 if has_legend else 45},
    )


def over_time(figure: go.Figure, study: Study, layer: str = "below") -> None:
    """An axis of dates as long as the study, with the reference dates as dotted lines.

    How many years the axis names is left to Plotly, which knows how wide the page is.

    Parameters
    ----------
    layer : of the lines; "above" where data fill the picture
    """
    dates = study.days["date"]
    if dates.empty:
        return
    day = pd.Timedelta(days=1)
    first, last = dates.min(), dates.max()
    margin = max(day, 0.01 * (last - first))
    axis: dict[str, Any] = {"type": "date", "range": as_text([first - margin, last + margin])}
    if len(dates) < 8:
        axis |= {"tickvals": as_text(dates), "tickformat": "%Y-%m-%d", "showgrid": False}
    figure.update_xaxes(**axis)
    before, is_raised = None, False
    for mark in marks_of(study):
        date = f"{mark.date:%Y-%m-%d}"
        is_close = before is not None and mark.date - before < CLOSE * (last - first)
        before, is_raised = mark.date, is_close and not is_raised
        figure.add_shape(
            type="line", x0=date, x1=date, y0=0, y1=1, yref="paper", layer=layer,
            line={"color": mark.colour, "width": 1.5, "dash": "dot"},
        )  # fmt: skip
        figure.add_annotation(
            x=date, y=1, yref="paper", yanchor="bottom", text=mark.label, showarrow=is_raised,
            ax=0, ay=-RAISED, arrowhead=0, arrowwidth=1.5, arrowcolor=mark.colour,
            font={"color": DARK_GREY, "size": 12},
        )  # fmt: skip


def add_symbols(
    figure: go.Figure, study: Study, values: pd.Series, unit: str = "", **place: int
) -> None:
    """The symbols where the reference dates meet the values, which are indexed by date."""
    for mark in marks_of(study):
        value = values.get(mark.date, np.nan)
        if np.isfinite(value):
            figure.add_scatter(
                x=as_text([mark.date]), y=[float(value)], mode="markers", name=mark.event,
                marker=mark.marker, showlegend=False, cliponaxis=False,
                hovertemplate=f"{mark.event}, %{{x|%Y-%m-%d}}: %{{y:.4g}}{unit}<extra></extra>",
                **place,
            )  # fmt: skip


def as_text(dates: Iterable[pd.Timestamp]) -> list[str]:
    """Dates without a time: Plotly reads them the same in every time zone, and they are short."""
    return [f"{date:%Y-%m-%d}" for date in dates]


def short(values: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Seven digits are plenty for a picture, and half as long."""
    return np.asarray(values, dtype=np.float32)


def share_of(part: float, whole: float) -> str:
    """A share for a sentence: 12 %, under 1 %, none."""
    share = part / whole if whole else 0.0
    if share == 0:
        return "none"
    return "under 1\N{NO-BREAK SPACE}%" if share < 0.01 else percent(share)


def no_results(study: Study) -> pd.Series:
    """The dates of days without results."""
    return study.days.loc[study.days["rmsre"].isna(), "date"]


def add_ticks(
    figure: go.Figure,
    dates: Iterable[pd.Timestamp],
    heights: npt.ArrayLike,
    name: str,
    colour: str = GREY,
    *,
    symbol: str = "line-ns-open",
    size: int = 9,
    **options: Any,
) -> None:
    """Days as ticks, at one height or one each; where there is none, no name in the legend."""
    texts = as_text(dates)
    if texts:
        figure.add_scatter(
            x=texts, y=np.broadcast_to(short(heights), len(texts)).copy(), mode="markers",
            name=name, marker={"symbol": symbol, "size": size, "color": colour},
            marker_line_width=1, hovertemplate=f"%{{x|%Y-%m-%d}}: {name}<extra></extra>", **options,
        )  # fmt: skip
