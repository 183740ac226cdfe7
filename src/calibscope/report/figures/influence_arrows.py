"""Influence as arrows: where each quote's own error has pushed two parameters."""

from itertools import permutations

import numpy as np
import plotly.graph_objects as go

from calibscope.base.arrays import Array, frozen
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.diagnosis.least_squares import LOG
from calibscope.report.figures.style import BLACK, GREY, ORANGE, dressed

FORMS = (
    ("Gauss-Newton", GREY, {"dash": "dot", "width": 1.5}, "arrow-open", 10),
    ("exact Hessian", ORANGE, {"dash": "solid", "width": 2.5}, "arrow", 12),
)
ROOM = frozen([0.07, 0.055])  # of the picture: width and height that a label takes
APART = 1.5
SHORT = 0.04  # of the picture: arrows shorter than that carry no label


def influence_arrows(
    dx: Diagnosis, note: str = "", *, x: str | None = None, y: str | None = None
) -> go.Figure:
    """What the error of each quote has done to two parameters, one arrow per quote.

    Arrows are the influence function in scaled coordinates: percent of a speed or of a volatility,
    hundredths of a correlation. Where the two forms differ, believe the exact Hessian. Short
    arrows carry no label.

    Parameters
    ----------
    note : what the reader must know about the data
    x, y : parameters, such as "a_x" and "sigma_x"; without, the pair over which the arrows
        spread the furthest
    """
    names = list(dx.problem.words.names)
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
    reach = np.abs(tips).max(axis=0)
    for k in _labelled(tips, reach, len(labels)):
        figure.add_annotation(
            x=tips[k, 0], y=tips[k, 1], text=labels[k % len(labels)], showarrow=False,
            font={"size": 13, "color": colours[k]}, **_anchors(tips[k] / reach),
        )  # fmt: skip
    room = 1.2 * np.where(reach > 0, reach, 1.0)
    for update, axis, most in zip(
        (figure.update_xaxes, figure.update_yaxes), axes, room, strict=True
    ):
        is_log = dx.problem.words.codes[axis] == LOG
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
            raise ValueError(f"{name!r} is no parameter; choose from {', '.join(names)}")
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
        if lengths[k] > SHORT and not (gaps < far * ROOM).all(axis=1).any():
            kept.append(k)
    return kept


def _anchors(direction: Array) -> dict[str, str]:
    """On which side of its tip a label stands: further along the arrow."""
    x, y = direction
    sides = ("left" if x > 0 else "right", "bottom" if y > 0 else "top")
    return {
        "xanchor": "center" if abs(y) > 2 * abs(x) else sides[0],
        "yanchor": "middle" if abs(x) > 2 * abs(y) else sides[1],
    }


def _alt(
    labels: list[str], names: list[str], axes: tuple[int, int], shown: Array, forms: list[Array]
) -> str:
    tips = shown[:, list(axes)]
    k = int(np.argmax(np.linalg.norm(tips, axis=1)))
    x, y = (names[axis] for axis in axes)
    text = (
        f"Influence of {len(labels)} quotes on {x} and {y}. The longest arrow is that of "
        f"{labels[k]}: {tips[k, 0]:+.2g} % in {x}, {tips[k, 1]:+.2g} % in {y}."
    )
    if not np.isfinite(forms[1]).all():
        text += " There is no exact Hessian to compare with."
    return text
