"""What follows from the parameters, with every range that is known, in panels by unit."""

from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from calibscope.base.arrays import Array, BoolArray
from calibscope.base.measures import PRICE, Measure
from calibscope.base.numbers import percent
from calibscope.diagnosis.propagate.consequences import Consequences
from calibscope.report.figures.style import BLACK, BLUE, ORANGE, dressed, wrapped

ESTIMATE = {"symbol": "line-ns", "size": 14, "line": {"color": BLACK, "width": 2}}

DOUBTFUL = "#B0B0B0"  # grey, for intervals that mean little
NEAR_OPTIMAL = "#F5D9A8"  # a light yellow
ROW, MARKED_ROW, GAP = 30, 38, 78  # pixels of a quantity, and between panels
REACH = 1.5  # lengths of the bars by which a delta interval may widen a panel


def consequences(found: Consequences, note: str = "", *, is_synthetic: bool = False) -> go.Figure:
    """Estimate, delta interval, bootstrap interval and near-optimal set of every quantity.

    A broad bar spans the fits that are nearly as good, a black one the bootstrap, a thin line the
    delta method: grey if it means little, because rank was lost. A panel shows all bars; a delta
    interval that goes on far beyond them ends in an arrow. Prices differ too much in size for one
    axis, so theirs is the distance from the estimate.

    Parameters
    ----------
    found : of `Diagnosis.consequences`
    note : what the reader must know about the data
    is_synthetic : say so

    Returns
    -------
    go.Figure
        a Plotly figure; its title is its question
    """
    panels = list(dict.fromkeys(found.measures))
    members = [[q for q, own in enumerate(found.measures) if own is panel] for panel in panels]
    row = MARKED_ROW if _is_doubtful(found).any() else ROW
    height = row * len(found.labels) + GAP * len(panels) + 150
    figure = make_subplots(
        rows=len(panels), cols=1, row_heights=[len(part) for part in members],
        vertical_spacing=0.0 if len(panels) == 1 else GAP / (height - 190),
    )  # fmt: skip
    for number, (panel, part) in enumerate(zip(panels, members, strict=True), start=1):
        _add_panel(figure, number, found, panel, part)
    _add_legend(figure, found)
    dressed(
        figure, "What does the uncertainty mean?",
        wrapped(f"{note} {_note(found)}".strip()), alt=_alt(found), is_synthetic=is_synthetic,
    )  # fmt: skip
    return figure.update_layout(
        height=height,
        title={"y": 1.0, "yanchor": "top", "pad": {"t": 22}},
        margin={"l": 215, "t": 125, "b": 95},
        legend={
            "yref": "container", "y": 0.005, "yanchor": "bottom", "xref": "container", "x": 0.02,
            "traceorder": "normal",
        },
    )  # fmt: skip


def _add_panel(
    figure: go.Figure, row: int, found: Consequences, measure: Measure, part: list[int]
) -> None:
    place = {"row": row, "col": 1}
    first, last = _limits(found, part)
    for height, q in enumerate(part[::-1]):
        name, colour = found.labels[q], DOUBTFUL if _is_doubtful(found)[q] else BLUE
        mark = f" ({found.marks[q]})" if found.marks[q] else ""
        for what, low, high, line in (
            (
                "near-optimal set",
                found.near_optimal_low,
                found.near_optimal_high,
                _line(NEAR_OPTIMAL, 16),
            ),
            ("bootstrap", found.bootstrap_low, found.bootstrap_high, _line(BLACK, 6)),
            (f"delta{mark}", found.low, found.high, _line(colour, 2.5)),
        ):
            ends = np.array([low[q], high[q]])
            if np.isnan(ends).any():
                continue
            shown = _shown(found, q, ends)
            figure.add_scatter(
                x=shown, y=[height] * 2, showlegend=False, name=f"{name}, {what}",
                customdata=[measure.text(end) for end in ends],
                hovertemplate=f"{name}, {what}: %{{customdata}}<extra></extra>", **line, **place,
            )  # fmt: skip
            for is_beyond, limit, symbol in (
                (shown[0] < first, first, "triangle-left"),
                (shown[1] > last, last, "triangle-right"),
            ):
                if is_beyond:
                    figure.add_scatter(
                        x=[limit], y=[height], mode="markers", showlegend=False, hoverinfo="skip",
                        marker={"symbol": symbol, "size": 11, "color": colour}, cliponaxis=False,
                        name=f"{name}, beyond", **place,
                    )  # fmt: skip
        figure.add_scatter(
            x=_shown(found, q, found.estimates[q : q + 1]), y=[height], mode="markers",
            showlegend=False, name=name, marker=ESTIMATE,
            hovertemplate=f"{name}: {measure.text(found.estimates[q])}<extra></extra>", **place,
        )  # fmt: skip
    figure.update_yaxes(
        tickvals=list(range(len(part))), ticktext=[_label(found, q) for q in part[::-1]],
        range=[-0.6, len(part) - 0.4], showgrid=False, zeroline=False, **place,
    )  # fmt: skip
    title = "price, % above the estimate" if measure is PRICE else f"{measure.name}, {measure.unit}"
    figure.update_xaxes(
        title={"text": title, "standoff": 4, "font": {"size": 14}}, range=[first, last],
        zerolinecolor=DOUBTFUL, **place,
    )  # fmt: skip


def _shown(found: Consequences, q: int, values: Array) -> Array:
    """Decimals as the panel shows them: in units, or prices in percent above the estimate."""
    if found.measures[q] is PRICE:
        return np.asarray(100.0 * (values / found.estimates[q] - 1.0))
    return np.asarray(found.measures[q].factor * values)


def _limits(found: Consequences, part: list[int]) -> tuple[float, float]:
    """Where a panel ends: at its bars, and at delta intervals as far as they do not dwarf these."""

    def all_of(*ends: Array) -> Array:
        shown = [_shown(found, q, np.array([end[q] for end in ends])) for q in part]
        return np.asarray([value for values in shown for value in values if np.isfinite(value)])

    bars = all_of(
        found.estimates, found.near_optimal_low, found.near_optimal_high, found.bootstrap_low,
        found.bootstrap_high,
    )  # fmt: skip
    deltas = all_of(found.low, found.high)
    if not (found.has_near_optimal or found.has_bootstrap):
        bars = np.append(bars, deltas)
    low, high = float(bars.min()), float(bars.max())
    span = (high - low) or abs(high) or 1.0
    near = deltas[(deltas >= low - REACH * span) & (deltas <= high + REACH * span)]
    low, high = float(np.min(near, initial=low)), float(np.max(near, initial=high))
    room = 0.04 * ((high - low) or abs(high) or 1.0)
    return low - room, high + room


def _is_doubtful(found: Consequences) -> BoolArray:
    return np.asarray(~found.is_identified | found.is_collapsed)


def _label(found: Consequences, q: int) -> str:
    """The quantity, prices with their value, and below it what makes its interval mean little."""
    text = found.labels[q].replace("<", "&lt;")
    if found.measures[q] is PRICE:
        text += f": {PRICE.text(found.estimates[q])}"
    if not _is_doubtful(found)[q]:
        return text
    word = "collapsed (rank lost)" if found.is_identified[q] else "not identified"
    return f'{text}<br><span style="color:{ORANGE};font-size:11px"><i>{word}</i></span>'


def _add_legend(figure: go.Figure, found: Consequences) -> None:
    entries = [
        ("estimate", {"mode": "markers", "marker": ESTIMATE}, True),
        (f"{percent(found.level, 0)} delta", _line(BLUE, 2.5), True),
        ("delta, rank lost", _line(DOUBTFUL, 2.5), bool(_is_doubtful(found).any())),
        (f"{percent(found.level, 0)} bootstrap", _line(BLACK, 6), found.has_bootstrap),
        (
            f"fits within {found.factor:g} x {found.error}",
            _line(NEAR_OPTIMAL, 16),
            found.has_near_optimal,
        ),
    ]
    for name, look, is_wanted in entries:
        if is_wanted:
            figure.add_scatter(x=[None], y=[None], name=name, row=1, col=1, **look)


def _line(colour: str, width: float) -> dict[str, Any]:
    return {"mode": "lines", "line": {"color": colour, "width": width}}


def _note(found: Consequences) -> str:
    held = {word for mark in found.marks for word in mark.split(", ") if "bound" in word}
    return f"Delta intervals: {'; '.join(sorted(held))}." if held else ""


def _alt(found: Consequences) -> str:
    parts = []
    for q, (label, measure) in enumerate(zip(found.labels, found.measures, strict=True)):
        text = f"{label.replace('<', 'below')} {measure.text(found.estimates[q])}"
        if found.has_near_optimal:
            ends = measure.text(found.near_optimal_low[q]), measure.text(found.near_optimal_high[q])
            text += f", among nearly equal fits {ends[0]} to {ends[1]}"
        parts.append(f"{text}, {found.marks[q]}" if found.marks[q] else text)
    return f"Estimates with their ranges: {'; '.join(parts)}."
