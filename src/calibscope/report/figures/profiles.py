"""Profiles: how fast the fit gets worse as one parameter is moved and all others follow."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from calibscope.base.arrays import Array, BoolArray
from calibscope.base.numbers import interval, number, percent
from calibscope.diagnosis.linear.intervals import Intervals
from calibscope.diagnosis.refit.profile import Profile, Profiles
from calibscope.report.figures.panels import arranged, panels
from calibscope.report.figures.parameters import axis_of
from calibscope.report.figures.style import BLACK, BLUE, GREY, ORANGE, dressed

DOUBTFUL = "#B0B0B0"  # grey, for intervals that mean little
HEIGHT = 170  # pixels of a panel
BAR = 6  # pixels
ABOVE = 1.35  # height of a panel over that of the highest limit
BELOW = {"profile": -0.12, "delta": -0.26}  # where bars lie, in the same unit
ROOM = 0.15  # of the interval, on both sides of it
FURTHEST = 0.6  # of the interval: how far a delta interval may widen a panel
DIGITS = (1, 2, 5, 3, 1.5, 2.5, 4, 7, 6, 8, 9)  # the roundest first
CORRELATIONS = [
    sign * size
    for size in (1, 0, 0.5, 0.9, 0.8, 0.99, 0.95, 0.97, 0.999, 0.9999, 0.7, 0.3, 0.98, 0.96, 0.94)
    for sign in (-1.0, 1.0)
]  # likewise
APART = 0.27  # of a panel: ticks that are closer would touch


def profile_chart(found: Profiles, delta: Intervals, note: str = "") -> go.Figure:
    """The objective over its minimum against each parameter, all others at their best.

    Speeds and volatilities on log axes, correlations as angles. A parameter belongs to its interval
    where the curve is below the line of the level. Orange points: another parameter has reached a
    bound at which it is not in the fit. Below the curve is the profile's interval, and that of
    the delta method for comparison.

    Parameters
    ----------
    found : of a fit that leaves noise, or there is nothing to draw
    delta : intervals at the highest of the profile's levels
    note : what the reader must know about the data

    Returns
    -------
    go.Figure
        a Plotly figure; its title is its question
    """
    heights = found.limits / found.lowest
    figure, places = panels(
        [axis_of(found.problem.specs[curve.name]) for curve in found.curves], HEIGHT
    )
    for curve, place in zip(found.curves, places, strict=True):
        _add_curve(figure, place, curve, found, delta, float(heights[-1]) - 1.0)
        for level, height in zip(found.levels, heights, strict=True):
            figure.add_hline(
                y=height, line={"color": GREY, "width": 1, "dash": "dot"}, **place,
                annotation={"text": percent(level, 0), "font": {"size": 11, "color": GREY},
                            "bgcolor": "rgba(255,255,255,0.75)", "borderpad": 0,
                            "xanchor": "right", "yanchor": "bottom"},
            )  # fmt: skip
    _add_legend(figure, found, delta)
    return arranged(dressed(figure, "How far can each parameter go?", note, alt=_alt(found)))


def _add_curve(
    figure: go.Figure,
    place: dict[str, int],
    curve: Profile,
    found: Profiles,
    delta: Intervals,
    span: float,
) -> None:
    specs, p = found.problem.specs, found.problem.specs.place(curve.name)
    is_log = bool(specs.coordinates.is_log[p])
    x, y = _coordinates(curve.values, is_log), curve.objectives / found.lowest
    reached = _reached(curve, found)
    is_held = reached.any(axis=1)
    held = [" and ".join(specs.names[q] for q in np.flatnonzero(row)) for row in reached[is_held]]
    value = f"{curve.name} = %{{customdata}}: Q %{{y:.4g}} times its minimum"
    figure.add_scatter(
        x=x, y=y, mode="lines", line={"color": BLACK, "width": 2}, name=curve.name,
        showlegend=False, customdata=_texts(curve.values),
        hovertemplate=f"{value}<extra></extra>", **place,
    )  # fmt: skip
    figure.add_scatter(
        x=x[is_held], y=y[is_held], mode="markers", name=f"{curve.name}, others at bounds",
        marker={"color": ORANGE, "size": 6}, showlegend=False, text=held,
        customdata=_texts(curve.values[is_held]),
        hovertemplate=f"{value}; %{{text}} at a bound<extra></extra>", **place,
    )  # fmt: skip
    low, high = _coordinates(np.array([curve.low[-1], curve.high[-1]]), is_log)
    first, last = _range(low, high, _coordinates(np.array([delta.low[p], delta.high[p]]), is_log))
    for method, ends, colour in (
        ("profile", (curve.low[-1], curve.high[-1]), BLACK),
        ("delta", (delta.low[p], delta.high[p]), _colour(delta, p)),
    ):
        _add_bar(figure, place, f"{curve.name}, {method}", np.array(ends), is_log,
                 1.0 + BELOW[method] * span, (first, last), colour)  # fmt: skip
    estimate = _coordinates(found.problem.values[p : p + 1], is_log)
    estimated = found.problem.values[p]
    figure.add_scatter(
        x=estimate, y=[1.0], mode="markers", showlegend=False, name=f"{curve.name}, fit",
        marker={"color": BLACK, "size": 8, "symbol": "diamond"}, cliponaxis=False,
        hovertemplate=f"fit: {curve.name} = {number(estimated, '.4g')}<extra></extra>",
        **place,
    )  # fmt: skip
    figure.update_xaxes(
        range=[first, last], tickangle=0, tickfont_size=12, **_ticks(first, last, is_log), **place
    )
    figure.update_yaxes(
        range=[1.0 + 1.5 * min(BELOW.values()) * span, 1.0 + ABOVE * span], nticks=5,
        title_text="Q / minimum" if place["col"] == 1 else None, **place,
    )  # fmt: skip


def _add_bar(
    figure: go.Figure,
    place: dict[str, int],
    name: str,
    ends: Array,
    is_log: bool,
    height: float,
    limits: tuple[float, float],
    colour: str,
) -> None:
    """An interval; where it goes on beyond the panel, an arrow."""
    if np.isnan(ends).any():
        return
    x = _coordinates(ends, is_log)
    figure.add_scatter(
        x=x, y=[height] * 2, mode="lines+markers", name=name, line={"color": colour, "width": BAR},
        marker={"color": colour, "size": BAR, "symbol": "square", "opacity": 1},
        showlegend=False, customdata=_texts(ends),
        hovertemplate=f"{name}: %{{customdata}}<extra></extra>", **place,
    )  # fmt: skip
    for is_beyond, limit, symbol in (
        (x[0] < limits[0], limits[0], "triangle-left"),
        (x[1] > limits[1], limits[1], "triangle-right"),
    ):
        if is_beyond:
            figure.add_scatter(
                x=[limit], y=[height], mode="markers", showlegend=False, hoverinfo="skip",
                marker={"symbol": symbol, "size": 12, "color": colour}, cliponaxis=False,
                name=f"{name}, beyond", **place,
            )  # fmt: skip


def _add_legend(figure: go.Figure, found: Profiles, delta: Intervals) -> None:
    level, bar = percent(found.levels[-1], 0), {"mode": "lines"}
    has_held = any(_reached(curve, found).any() for curve in found.curves)
    is_doubtful = any(_colour(delta, p) == DOUBTFUL for p in range(len(delta.values)))
    entries: list[tuple[str, dict[str, Any], bool]] = [
        ("fit", {"mode": "markers", "marker": {"color": BLACK, "symbol": "diamond"}}, True),
        (f"{level} profile", bar | {"line": {"color": BLACK, "width": BAR}}, True),
        (f"{level} delta", bar | {"line": {"color": BLUE, "width": BAR}}, True),
        ("delta, rank lost", bar | {"line": {"color": DOUBTFUL, "width": BAR}}, is_doubtful),
        ("another one reaches a bound", {"mode": "markers", "marker": {"color": ORANGE}}, has_held),
    ]
    for name, look, is_wanted in entries:
        if is_wanted:
            figure.add_scatter(x=[None], y=[None], name=name, row=1, col=1, **look)


def _reached(curve: Profile, found: Profiles) -> BoolArray:
    """(k, p) which other parameters lie at a bound where the fit does not have them."""
    return np.asarray((curve.at_bound != 0) & (curve.at_bound != found.problem.at_bound))


def _colour(delta: Intervals, p: int) -> str:
    return BLUE if delta.is_identified[p] and not delta.is_collapsed[p] else DOUBTFUL


def _coordinates(values: Array, is_log: bool) -> Array:
    """Logarithms to base 10, or angles."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log10(values) if is_log else np.arcsin(np.clip(values, -1.0, 1.0)))


def _range(low: float, high: float, delta: Array) -> tuple[float, float]:
    """Where a panel ends: the profile's interval, and the delta method's as far as it fits in."""
    length = (high - low) or 1.0
    ends = np.array([low, high, *delta[np.isfinite(delta)]])
    first = max(float(ends.min()), low - FURTHEST * length)
    last = min(float(ends.max()), high + FURTHEST * length)
    room = ROOM * (last - first)
    return first - room, last + room


def _ticks(first: float, last: float, is_log: bool) -> dict[str, list[Any]]:
    """Round numbers as labels, the roundest first, as far as there is room."""
    decades = range(int(np.floor(first)), int(np.ceil(last)))
    powers = [digit * 10.0**decade for digit in DIGITS for decade in decades]
    kept: list[float] = []
    for tick in powers if is_log else CORRELATIONS:
        x = float(_coordinates(np.array([tick]), is_log)[0])
        others = _coordinates(np.array(kept), is_log)
        if first <= x <= last and (np.abs(others - x) > APART * (last - first)).all():
            kept.append(tick)
    if len(kept) < 2:  # a panel between two round numbers
        inner = np.linspace(first, last, 4)[1:3]
        numbers = 10**inner if is_log else np.sin(inner)
        kept = [float(tick) for tick in interval(*numbers).split(" to ")]
    kept.sort()
    return {
        "tickvals": _coordinates(np.array(kept), is_log).tolist(),
        "ticktext": [number(tick, ".6g") for tick in kept],
    }


def _texts(values: Array) -> list[str]:
    return [number(value, ".4g") for value in values]


def _alt(found: Profiles) -> str:
    parts = [
        f"{curve.name} {number(curve.low[-1])} to {number(curve.high[-1])}"
        + ("" if curve.is_connected else " with a gap")
        for curve in found.curves
    ]
    level = percent(found.levels[-1], 0)
    return f"Profiles of the objective, with {level} intervals: {'; '.join(parts)}."
