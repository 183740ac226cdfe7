"""Leave-one-out: where the parameters go without each quote, beside what was predicted."""

import numpy as np
import plotly.graph_objects as go

from calibscope.base.arrays import Array
from calibscope.base.numbers import number
from calibscope.diagnosis.refit.leave_one_out import LeaveOneOut
from calibscope.report.figures.panels import arranged, panels
from calibscope.report.figures.parameters import symbol_of
from calibscope.report.figures.style import BLACK, GREY, ORANGE, dressed

FORMS = (
    ("Gauss-Newton", GREY, "x-thin", 7),
    ("exact Hessian", ORANGE, "circle-open", 9),
    ("fitted again", BLACK, "circle", 6),
)
FURTHEST = 1.3  # of the largest true shift: predictions beyond end in an arrow
ROW = 16  # pixels of a quote


def left_out_shifts(found: LeaveOneOut, note: str = "") -> go.Figure:
    """Shifts of each parameter without each quote: the truth, and two predictions of it.

    Percent of a speed or of a volatility, hundredths of a correlation. A line joins the truth with
    the prediction of the exact Hessian: the longer, the less first order can be trusted.

    Parameters
    ----------
    found : of `Refits.leave_one_out`
    note : what the reader must know about the data

    Returns
    -------
    go.Figure
        a Plotly figure; its title is its question
    """
    shifts, labels = found.shifts, [str(label) for label in found.labels]
    names = shifts.specs.names
    moving = [p for p in range(len(names)) if np.nanmax(np.abs(shifts.refitted[:, p]), initial=0)]
    shown = moving or list(range(len(names)))
    units = ["%" if shifts.specs.coordinates.is_log[p] else "hundredths" for p in shown]
    figure, places = panels(
        [
            f"{symbol_of(shifts.specs[names[p]])}, {unit}"
            for p, unit in zip(shown, units, strict=True)
        ],
        ROW * len(labels),
    )
    forms = [
        100 * form / shifts.scale
        for form in (shifts.gauss_newton, shifts.exact_hessian, shifts.refitted)
    ]
    for p, place in zip(shown, places, strict=True):
        _add_panel(figure, place, [form[:, p] for form in forms], labels, names[p])
    for name, colour, symbol, size in FORMS:
        figure.add_scatter(
            x=[None], y=[None], mode="markers", name=name, row=1, col=1,
            marker=_marker(colour, symbol, size),
        )  # fmt: skip
    question = "Where do the parameters go without each quote?"
    return arranged(dressed(figure, question, note, alt=_alt(found)))


def _add_panel(
    figure: go.Figure, place: dict[str, int], forms: list[Array], labels: list[str], name: str
) -> None:
    _, predicted, true = forms
    reach = FURTHEST * float(np.nanmax(np.abs(true), initial=0.0)) or 1.0
    heights = np.arange(len(labels), dtype=float)
    gap = np.full(len(labels), np.nan)
    figure.add_scatter(
        x=np.stack((np.clip(predicted, -reach, reach), true, gap), axis=1).ravel(),
        y=np.repeat(heights, 3), mode="lines", line={"color": ORANGE, "width": 1.5},
        showlegend=False, hoverinfo="skip", name=f"{name}, gap", **place,
    )  # fmt: skip
    for values, (what, colour, symbol, size) in zip(forms, FORMS, strict=True):
        is_beyond = np.abs(values) > reach
        arrows = np.where(values > 0, "triangle-right", "triangle-left")
        marker = _marker(colour, np.where(is_beyond, arrows, symbol).tolist(), size)
        figure.add_scatter(
            x=np.clip(values, -reach, reach), y=heights, mode="markers", showlegend=False,
            marker=marker, name=f"{name}, {what}", customdata=np.stack((labels, _texts(values)), 1),
            hovertemplate=f"{name} without %{{customdata[0]}}, {what}: %{{customdata[1]}}"
            "<extra></extra>", cliponaxis=False, **place,
        )  # fmt: skip
    figure.update_xaxes(range=[-1.08 * reach, 1.08 * reach], zerolinecolor=GREY, nticks=6, **place)
    figure.update_yaxes(
        tickvals=heights, ticktext=labels, range=[len(labels) - 0.4, -0.6], zeroline=False,
        tickfont={"size": 11}, **place,
    )  # fmt: skip


def _marker(colour: str, symbol: str | list[str], size: int) -> dict[str, object]:
    return {"color": colour, "symbol": symbol, "size": size, "line": {"color": colour, "width": 2}}


def _texts(values: Array) -> list[str]:
    return [number(value, "+.3g") for value in values]


def _alt(found: LeaveOneOut) -> str:
    shifts = found.shifts
    sizes = np.nan_to_num(np.abs(shifts.refitted / shifts.scale)).max(axis=1)
    k = int(sizes.argmax())
    p = int(shifts.moves_most[k])
    return (
        f"Shifts of {len(shifts.specs.names)} parameters without each of {len(found.labels)} "
        f"quotes. The largest is that of {shifts.specs.names[p]} without {found.labels[k]}: "
        f"{number(shifts.values[p])} to {number(shifts.parameters[k, p])}."
    )
