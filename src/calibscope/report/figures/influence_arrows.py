"""Influence as arrows: where each quote's own error has pushed two parameters."""

import math
from itertools import permutations

import numpy as np
import plotly.graph_objects as go

from calibscope.base.arrays import Array, frozen
from calibscope.base.numbers import PERCENT
from calibscope.base.spelling import choose_from
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.report.figures.free_place import HALF_HEIGHT, PLOTS, free_place
from calibscope.report.figures.style import BLACK, DARK_GREY, GREY, ORANGE, dressed

FORMS = (
    ("Gauss-Newton", GREY, {"dash": "dot", "width": 1.5}, "arrow-open", 10),
    ("exact Hessian", ORANGE, {"dash": "solid", "width": 2.5}, "arrow", 12),
)
ROOM = frozen([0.07, 0.055])  # of the picture: width and height that a label takes
APART = 1.5
HALF_LABEL = 15.0  # pixels: half of what a label takes
FURTHEST = 3.0  # times the exact form's reach, where arrows by Gauss-Newton are cut
MOST_CUT = 4  # arrows that are named
SHORT = 0.04  # of the picture: arrows shorter than that carry no label


def influence_arrows(
    dx: Diagnosis, note: str = "", *, x: str | None = None, y: str | None = None
) -> go.Figure:
    """What the error of each quote has done to two parameters, one arrow per quote.

    Arrows are the influence function in scaled coordinates: percent of a speed or of a volatility,
    hundredths of a correlation. Where the two forms differ, believe the exact Hessian, which also
    sets the scale: arrows by Gauss-Newton that go on beyond the picture are named in it. Short
    arrows carry no label.

    Parameters
    ----------
    dx : of `diagnose`
    note : what the reader must know about the data
    x, y : names of parameters; without, the pair over which the arrows
        spread the furthest

    Returns
    -------
    go.Figure
        a Plotly figure; its title is its question
    """
    names = list(dx.problem.specs.names)
    forms = [scaled_influence(dx, form) for form in (dx.influence, dx.influence_exact)]
    shown = forms[1] if np.isfinite(forms[1]).all() else forms[0]
    axes = _axes(names, shown, x, y)
    labels = [str(name) for name in dx.problem.labels]
    figure = go.Figure()
    for values, (name, colour, line, symbol, size) in zip(forms, FORMS, strict=True):
        if not np.isfinite(values).all():
            continue
        tips = values[:, list(axes)]
        # From the origin to each tip, with a gap after it; only tips carry heads.
        path = np.stack((np.zeros_like(tips), tips, np.full_like(tips, np.nan)), axis=1)
        figure.add_scatter(
            x=path[:, :, 0].ravel(), y=path[:, :, 1].ravel(), name=name, mode="lines+markers",
            line={"color": colour, **line}, customdata=np.repeat(labels, 3),
            marker={"symbol": symbol, "angleref": "previous", "color": colour, "opacity": 1,
                    "size": [0, size, 0] * len(tips)},
            hovertemplate="%{customdata}: %{x:.3g}, %{y:.3g}",
        )  # fmt: skip
    figure.add_scatter(
        x=[0.0], y=[0.0], mode="markers", showlegend=False, hoverinfo="skip", name="fit",
        marker={"symbol": "circle", "size": 8, "color": BLACK},
    )  # fmt: skip
    # Labels of the exact form first, and of Gauss-Newton where there is room left.
    ends = [(form[:, list(axes)], colour) for form, colour in
            ((forms[1], BLACK), (forms[0], GREY)) if np.isfinite(form).all()]  # fmt: skip
    tips = np.concatenate([tips for tips, _ in ends])
    colours = [colour for tips, colour in ends for _ in tips]
    reach = _reach([tips for tips, _ in ends])
    room = 1.2 * np.where(reach > 0, reach, 1.0)
    cut = [labels[k % len(labels)] for k in np.flatnonzero((np.abs(tips) > room).any(axis=1))]
    if cut:
        more = f" and {len(cut) - MOST_CUT} more" if len(cut) > MOST_CUT else ""
        figure.add_annotation(
            x=0.01, y=0.01, xref="paper", yref="paper", xanchor="left", yanchor="bottom",
            text=f"beyond the picture, by Gauss-Newton: {', '.join(cut[:MOST_CUT])}{more}",
            showarrow=False, font={"size": 12, "color": DARK_GREY}, bgcolor="white",
        )  # fmt: skip
    chosen = _labelled(tips, reach, len(labels))
    for k, (right, up) in zip(chosen, _label_places(tips / room, chosen), strict=True):
        figure.add_annotation(
            x=tips[k, 0], y=tips[k, 1], text=labels[k % len(labels)], showarrow=False,
            font={"size": 13, "color": colours[k]}, xshift=right, yshift=up,
        )  # fmt: skip
    for update, axis, most in zip(
        (figure.update_xaxes, figure.update_yaxes), axes, room, strict=True
    ):
        is_log = dx.problem.specs.coordinates.is_log[axis]
        unit = "% of its value" if is_log else "hundredths"
        update(title_text=f"shift of {names[axis]}, {unit}", range=[-most, most],
               zerolinecolor=GREY)  # fmt: skip
    dressed(figure, "Where does each quote push the parameters?", note)
    return figure.update_layout(
        height=560, meta={"alt": _alt(labels, names, axes, shown, forms)}, margin={"b": 100},
        legend={"yref": "container", "y": 0.01, "yanchor": "bottom"},
    )  # fmt: skip


def scaled_influence(dx: Diagnosis, influence: Array) -> Array:
    """(m, p) influence in scaled coordinates, times 100."""
    scale = np.where(dx.problem.coordinate_scale > 0, dx.problem.coordinate_scale, 1.0)
    return np.asarray(100 * influence / scale)


def _axes(names: list[str], values: Array, x: str | None, y: str | None) -> tuple[int, int]:
    """The chosen parameters, or those whose arrows span the largest area."""
    for name in (x, y):
        if name is not None and name not in names:
            raise ValueError(f"{name!r} is not a parameter; {choose_from(names, name)}")
    lengths = values.T @ values

    def area(pair: tuple[int, int]) -> float:
        return float(np.linalg.det(lengths[np.ix_(pair, pair)]))

    pairs = [
        (first, second)
        for first, second in permutations(range(len(names)), 2)
        if (names[first] == x if x is not None else y is not None or first < second)
        and (names[second] == y if y is not None else True)
    ]
    if not pairs:
        raise ValueError(f"x and y are both {x!r}; choose two parameters")
    return max(pairs, key=area)


def _labelled(tips: Array, reach: Array, count: int) -> list[int]:
    """Tips whose labels have room: the first `count` before the others, the longest first."""
    places = tips / np.where(reach > 0, 2.4 * reach, 1.0)  # in shares of the picture
    lengths = np.linalg.norm(places, axis=1)
    order = sorted(range(len(tips)), key=lambda k: (k >= count, -lengths[k]))
    kept: list[int] = []
    for k in order:
        gaps = np.abs(places[kept] - places[k])
        is_told = any(other % count == k % count for other in kept)
        far = APART if is_told else 1.0  # a second label of a quote only well away
        is_inside = bool((np.abs(places[k]) <= 0.5).all())
        if is_inside and lengths[k] > SHORT and not (gaps < far * ROOM).all(axis=1).any():
            kept.append(k)
    return kept


def _reach(ends: list[Array]) -> Array:
    """How far the picture reaches along both axes: the first form decides, if it has any length."""
    first = np.abs(ends[0]).max(axis=0)
    furthest = np.max([np.abs(tips).max(axis=0) for tips in ends], axis=0)
    return np.asarray(np.where(first > 0, np.minimum(furthest, FURTHEST * first), furthest))


def _label_places(tips: Array, chosen: list[int]) -> list[tuple[float, float]]:
    """Pixels from tips to labels, which cover no arrow and no other label; axes end at +-1."""
    shafts = np.linspace(0, 1, 60)[:, None, None] * tips
    taken = list((1 + shafts.reshape(-1, 2)) / 2)
    half = np.array([HALF_LABEL, HALF_HEIGHT])
    found = []
    for k in chosen:
        tip = (1 + tips[k]) / 2
        offset = free_place(tip, math.atan2(tips[k, 1], tips[k, 0]), HALF_LABEL, np.array(taken))
        corners = np.array([[i, j] for i in (-1, 0, 1) for j in (-1, 0, 1)]) * half
        for size in PLOTS:
            taken.extend(tip + (np.array(offset) + corners) / size)
        found.append(offset)
    return found


def _shift(percent: float) -> str:
    return PERCENT.text(percent / 100, "+.2g")


def _alt(
    labels: list[str], names: list[str], axes: tuple[int, int], shown: Array, forms: list[Array]
) -> str:
    tips = shown[:, list(axes)]
    k = int(np.argmax(np.linalg.norm(tips, axis=1)))
    x, y = (names[axis] for axis in axes)
    text = (
        f"Influence of {len(labels)} quotes on {x} and {y}. The longest arrow is that of "
        f"{labels[k]}: {_shift(tips[k, 0])} in {x}, {_shift(tips[k, 1])} in {y}."
    )
    if not np.isfinite(forms[1]).all():
        text += " There is no exact Hessian to compare with."
    return text
