"""Intervals of the parameters at several levels, with what must be said beside them."""

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from calibscope.base.arrays import Array, Indices
from calibscope.base.numbers import PERCENT, estimate, number, percent
from calibscope.diagnosis import settings
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.diagnosis.linear.intervals import Intervals
from calibscope.diagnosis.settings import Method
from calibscope.report.figures.style import BLACK, GREY, ORANGE, dressed

LEVELS = settings.LEVELS[::-1]  # the widest is drawn first
WIDTHS = (5, 10, 15)
PLAIN = ("#9CCBE8", "#4A9FD0", "#0072B2")  # light to dark blue
DOUBTFUL = ("#D5D5D5", "#B0B0B0", "#808080")  # greys, for intervals that mean little
FURTHEST = 10.0  # factor from the estimate at which the picture ends
TICKS = (
    (1.3, (0.8, 0.9, 1, 1.1, 1.2)),
    (2.5, (0.4, 0.6, 0.8, 1, 1.25, 1.6, 2.4)),
    (FURTHEST, (0.1, 0.2, 0.5, 1, 2, 5, 10)),
)  # by how far the axis reaches


def interval_chart(
    dx: Diagnosis, note: str = "", method: Method | None = None, known: Intervals | None = None
) -> go.Figure:
    """How far each parameter could be from its estimate, at 50, 75 and 95 %.

    Speeds and volatilities as multiples of the estimate, on a log axis that ends at a factor of
    ten (an arrow says that the interval goes on); correlations as differences. An interval that is
    short only because rank was lost is grey and says so. At a bound a profile has one end, and the
    delta method none.

    Parameters
    ----------
    dx : of `diagnose`
    note : what the reader must know about the data
    method : of the intervals; None: as `dx.intervals` chooses, profiles if it can
    known : intervals at 95, 75 and 50 %, if they are there already, such as those of a study

    Returns
    -------
    go.Figure
        a Plotly figure; its title is its question
    """
    intervals = dx.intervals(LEVELS, method=method) if known is None else known
    names, is_log = intervals.specs.names, intervals.specs.coordinates.is_log
    parts = [np.flatnonzero(part) for part in (is_log, ~is_log) if part.any()]
    figure = make_subplots(
        rows=len(parts), cols=1, vertical_spacing=0.08,
        row_heights=[len(part) for part in parts],
    )  # fmt: skip
    for row, part in enumerate(parts, start=1):
        scales = bool(is_log[part[0]])
        low, high = (
            relative(ends, intervals.values, scales) for ends in (intervals.low, intervals.high)
        )
        _add_part(figure, row, intervals, part, low, high, scales)
    for width, colour, level in zip(WIDTHS, PLAIN, LEVELS, strict=True):
        figure.add_scatter(
            x=[None], y=[None], mode="lines", line={"color": colour, "width": width},
            name=PERCENT.text(level), row=1, col=1,
        )  # fmt: skip
    if not (intervals.is_identified & ~intervals.is_collapsed).all():
        figure.add_scatter(
            x=[None], y=[None], mode="lines", line={"color": DOUBTFUL[1], "width": WIDTHS[1]},
            name="rank lost", row=1, col=1,
        )  # fmt: skip
    dressed(figure, "How uncertain are the parameters?", note, above=30)
    return figure.update_layout(
        height=280 + 72 * len(names),
        margin={"l": 185, "b": 95},
        legend={
            "yref": "container",
            "y": 0.01,
            "yanchor": "bottom",
            "xref": "container",
            "x": 0.02,
            "traceorder": "normal",
        },
        meta={"alt": _alt(intervals)},
    )


def relative(ends: Array, values: Array, scales: bool) -> Array:
    """Ends over the estimates, or less the estimates."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(ends / values if scales else ends - values)


def _add_part(
    figure: go.Figure,
    row: int,
    intervals: Intervals,
    part: Indices,
    low: Array,
    high: Array,
    scales: bool,
) -> None:
    place = {"row": row, "col": 1}
    limits = _limits(low[:, part], high[:, part], scales)
    is_doubtful = ~intervals.is_identified | intervals.is_collapsed
    for height, p in enumerate(part[::-1]):
        name, is_empty = intervals.specs.names[p], bool(np.isnan(intervals.low[:, p]).any())
        colours = DOUBTFUL if is_doubtful[p] else PLAIN
        for i, level in enumerate(LEVELS):
            figure.add_scatter(
                x=[low[i, p], high[i, p]], y=[height] * 2, mode="lines", showlegend=False,
                line={"color": colours[i], "width": WIDTHS[i]}, name=f"{name}, {percent(level, 0)}",
                **place,
            )  # fmt: skip
        for end, limit, symbol in (
            (low[0, p], limits[0], "triangle-left"),
            (high[0, p], limits[1], "triangle-right"),
        ):
            if (limit - end) * (1 if symbol == "triangle-left" else -1) > 0:
                figure.add_scatter(
                    x=[limit**0.94], y=[height], mode="markers", showlegend=False,
                    marker={"symbol": symbol, "size": 12, "color": "white"}, name=f"{name}, beyond",
                    hoverinfo="skip", **place,
                )  # fmt: skip
        figure.add_scatter(
            x=[1.0 if scales else 0.0], y=[height], mode="markers", showlegend=False, name=name,
            marker={"symbol": "x-thin" if is_empty else "line-ns", "size": 10 if is_empty else 14,
                    "line": {"color": BLACK, "width": 2}},
            **place,
        )  # fmt: skip
    figure.update_yaxes(
        tickvals=list(range(len(part))), ticktext=[label_of(intervals, p) for p in part[::-1]],
        range=[-0.55, len(part) - 0.45],
        showgrid=False, zeroline=False, **place,
    )  # fmt: skip
    if scales:
        figure.update_xaxes(
            type="log", range=np.log10(limits).tolist(),
            title={"text": "multiple of the estimate", "standoff": 4},
            side="top" if row == 1 else "bottom", tickangle=0,
            tickvals=next(ticks for most, ticks in TICKS if limits[1] <= most), **place,
        )  # fmt: skip
    else:
        figure.update_xaxes(
            range=list(limits), title_text="difference from the estimate", zerolinecolor=GREY,
            exponentformat="power", nticks=7, **place,
        )  # fmt: skip


def label_of(intervals: Intervals, p: int) -> str:
    """A parameter with its value, and below it what must be said."""
    text = f"{intervals.specs.names[p]} = {estimate(float(intervals.values[p]), 4)}"
    mark = intervals.marks[p]
    words = f'<br><span style="color:{ORANGE};font-size:11px"><i>{mark}</i></span>'
    return text + words if mark else text


def _limits(low: Array, high: Array, scales: bool) -> tuple[float, float]:
    """Where the axis ends: all intervals, with room; by at most a factor of ten."""
    ends = np.concatenate((low, high)).ravel()
    ends = ends[np.isfinite(ends)]
    if scales:
        reach = np.exp(np.max(np.abs(np.log(ends[ends > 0])), initial=np.log(1.1)))
        reach = min(float(reach) * 1.05, FURTHEST)
        return 1 / reach, reach
    reach = 1.1 * float(np.max(np.abs(ends), initial=0.0)) or 1.0
    return -reach, reach


def _alt(intervals: Intervals) -> str:
    parts = []
    for p, name in enumerate(intervals.specs.names):
        if intervals.marks[p]:
            parts.append(f"{name} {intervals.marks[p]}")
        else:
            parts.append(f"{name} {number(intervals.low[0, p])} to {number(intervals.high[0, p])}")
    return f"95 % intervals of the parameters: {'; '.join(parts)}."
