r"""The geometry of a calibration: market, model surface, fit and tangent plane in price space.

Weighted prices of m quotes are a point in m dimensions, and all prices that the model can give are
a curved surface there. The fit is the point of the surface that is nearest to the market, so that
what is left between them stands at a right angle to the tangent plane (paper, appendix on the
geometric interpretation of the hat matrix). Three quotes of a real fit are drawn, and two
directions of the surface, with the singular value decomposition :math:`U S V^T` of the Jacobian by
(log a, log sigma, rho): the two weakest along which prices still move further than the surface
bends away from its tangent plane. The right angle holds in all m quotes, not in any three.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from calibscope.base.arrays import Array, BoolArray, frozen
from calibscope.base.numbers import number
from calibscope.calibration.solution import Fit
from calibscope.market.maturity import SAME_MATURITY
from calibscope.report.figures.style import BLACK, BLUE, GREY, ORANGE, dressed

POINTS = 17  # of the surface along each direction
REACH = 1.5  # how far prices move along each direction, over the length of the residuals
LONGEST = 1.0  # step in scaled coordinates
SHORTER, MOST_TRIALS = 0.8, 80
ABOVE = 18  # pixels from a point to its name
VIEWS = 24  # from which the clearest is chosen
SIZE = 1.3  # of the picture in its frame
FLATTEST = 0.55  # of the longest axis of the picture
SMALLEST_ERROR = 1e-3  # relative: shorter residuals count as this long
ROUNDING = 1e-8  # smaller numbers are written as 0
CORNERS = frozen([-1.0, 1.0])


class Patch(NamedTuple):
    """A piece of the model surface around a fit, in weighted prices less those of the market."""

    quotes: tuple[int, ...]  # which three
    fitted: Array  # (m,)
    tangents: Array  # (2, m) how prices move along the two directions, to the end of the patch
    surface: Array  # (n, n, m) not a number beyond the bounds


def geometry(fit: Fit, note: str = "", quotes: Sequence[float] | None = None) -> go.Figure:
    """Market, model surface, tangent plane and fit, drawn for three quotes.

    The market is the origin, the blue surface is what the model can do around the fit, the grey
    plane its tangent, and the orange line what the fit leaves over. The surface ends where the
    bounds of the parameters do. The right angle between line and plane holds in all quotes
    together, not in any three.

    Parameters
    ----------
    fit : of `calibrate`
    note : what the reader must know about the data
    quotes : three maturities in years; without, those that show most of the picture

    Returns
    -------
    go.Figure
        a Plotly figure; its title is its question
    """
    day = fit.problem.day
    figure = go.Figure()
    dressed(figure, "How does the fit lie between model and market?", note)
    if len(day.prices) < 3:
        text = f"This picture needs three quotes; there {_are(len(day.prices))}."
        figure.add_annotation(text=text, showarrow=False, font={"size": 16})
        figure.update_xaxes(visible=False).update_yaxes(visible=False)
        return figure.update_layout(height=300, meta={"alt": text})
    patch = model_patch(fit, quotes)
    unit, factor = ("%", 100.0) if fit.problem.weighting == "rmsre" else ("weighted", 1.0)
    chosen = list(patch.quotes)
    names = [day.labels[k] for k in chosen]
    fitted = factor * patch.fitted[chosen]
    flat = CORNERS[:, None, None] * patch.tangents[0] + CORNERS[None, :, None] * patch.tangents[1]
    _add_surface(figure, fitted + factor * flat[..., chosen], GREY, 0.45, "tangent plane")
    _add_surface(figure, factor * patch.surface[..., chosen], BLUE, 0.6, "model surface")
    _add_mesh(figure, factor * patch.surface[..., chosen])
    line = np.stack((np.zeros(3), fitted))
    figure.add_scatter3d(
        x=line[:, 0], y=line[:, 1], z=line[:, 2], mode="lines", name="residual",
        line={"color": ORANGE, "width": 7},
    )  # fmt: skip
    shown = patch.surface[..., chosen].reshape(-1, 3)
    view = _view(factor * np.vstack((shown, np.zeros(3))))
    camera = _camera(view, patch.tangents[:, chosen], fitted)
    away = ABOVE if _is_below(fitted * view.scale, camera) else -ABOVE
    labels = []
    for point, name, symbol, colour, up in (
        (np.zeros(3), "market", "diamond", BLACK, away),
        (fitted, "fit", "circle", ORANGE, -away),
    ):
        figure.add_scatter3d(
            x=point[:1], y=point[1:2], z=point[2:], mode="markers", name=name, showlegend=False,
            marker={"size": 6, "symbol": symbol, "color": colour},
        )  # fmt: skip
        labels.append({
            **dict(zip("xyz", point.tolist(), strict=True)), "text": name, "showarrow": False,
            "yshift": up, "font": {"size": 14, "color": BLACK}, "bgcolor": "rgba(255,255,255,0.7)",
        })  # fmt: skip
    axes = {
        f"{axis}axis": {"title": {"text": f"{name}, {unit}", "font": {"size": 13}}, "nticks": 4,
                        "tickfont": {"size": 11}, "backgroundcolor": "#F7F7F7",
                        "gridcolor": "#DDDDDD", "zerolinecolor": GREY}
        for axis, name in zip("xyz", names, strict=True)
    }  # fmt: skip
    length = _number(factor * float(np.linalg.norm(patch.fitted)))
    alt = (
        f"Model less market in the {', '.join(names)} {day.quoted_as}. The fit is "
        f"at {', '.join(map(_number, fitted))} {unit}; in all {len(day.prices)} "
        f"quotes the residual is {length.lstrip('+')} {unit} long."
    )
    return figure.update_layout(
        height=620,
        scene={**axes, "aspectratio": dict(zip("xyz", (SIZE * view.sides).tolist(), strict=True)),
               "annotations": labels, "camera": camera},
        margin={"l": 10, "r": 10, "b": 50},
        legend={"yref": "container", "y": 0.01, "yanchor": "bottom"},
        meta={"alt": alt},
    )  # fmt: skip


def model_patch(fit: Fit, quotes: Sequence[float] | None = None) -> Patch:
    """The model surface around a fit along two directions, and three quotes to draw."""
    problem, scale = fit.problem, fit.problem.specs.coordinates
    centre = scale.of(fit.parameters.values)
    m, roots = len(problem.day.prices), problem.task.root_weights
    residuals, A = (part[:m] for part in problem.tangent(fit.parameters.values))
    length = max(
        float(np.linalg.norm(residuals)),
        SMALLEST_ERROR * float(np.linalg.norm(roots * problem.day.prices)),
    )

    def prices(point: Array) -> Array:
        inside = np.clip(scale.values(point), problem.lower, problem.upper)
        return roots * (problem.values(inside, order=0).prices - problem.day.prices)

    def moved(step: Array) -> Array:
        return prices(centre + step) - residuals

    directions = _directions(A, fit.is_free, REACH * length, moved)
    tangents = directions @ A.T
    shares = np.linspace(-1, 1, POINTS)
    surface = np.full((POINTS, POINTS, m), np.nan)
    lower, upper = scale.of(problem.lower), scale.of(problem.upper)
    for i, along in enumerate(shares):
        for j, across in enumerate(shares):
            point = centre + along * directions[0] + across * directions[1]
            # At the fit itself rounding must not count as leaving the box.
            if ((point >= lower - 1e-9) & (point <= upper + 1e-9)).all():
                surface[i, j] = prices(point)
    chosen = _chosen(fit, quotes) if quotes is not None else _telling(tangents, residuals)
    return Patch(chosen, residuals, tangents, surface)


def _directions(
    A: Array, is_free: BoolArray, reach: float, moved: Callable[[Array], Array]
) -> Array:
    """(2, 5) steps to the ends of the patch along its two directions; zeros where there is none."""
    directions = np.zeros((2, A.shape[1]))
    _, singular, right = np.linalg.svd(A[:, is_free], full_matrices=False)
    found: list[Array] = []
    for s, vector in zip(singular, right, strict=True):
        step = np.zeros(A.shape[1])
        step[is_free] = min(LONGEST, reach / max(float(s), 1e-300)) * vector
        for _ in range(MOST_TRIALS):
            ahead, back = moved(step), moved(-step)
            if max(np.linalg.norm(ahead), np.linalg.norm(back)) <= reach:
                break
            step = SHORTER * step
        is_bent = np.linalg.norm(ahead + back) > np.linalg.norm(ahead - back)
        if len(found) < 2 or not is_bent:
            found.append(step)
    for place, step in enumerate(found[-2:]):
        directions[place] = step
    return directions


def _chosen(fit: Fit, quotes: Sequence[float]) -> tuple[int, ...]:
    years = fit.problem.day.maturities
    places = [np.flatnonzero(np.abs(years - quote) <= SAME_MATURITY) for quote in quotes]
    if len(set(quotes)) != 3 or any(not place.size for place in places):
        raise ValueError(
            f"quotes are {list(quotes)}; give three maturities out of "
            f"{', '.join(f'{year:g}' for year in years)}"
        )
    return tuple(int(place[0]) for place in places)


def _telling(tangents: Array, residuals: Array) -> tuple[int, ...]:
    """The three quotes in which plane and residual span the largest volume."""
    vectors = np.vstack((tangents, residuals))
    lengths = np.linalg.norm(vectors, axis=1)
    vectors = vectors / np.where(lengths > 0, lengths, 1.0)[:, None]

    def volume(triple: tuple[int, ...]) -> float:
        return abs(float(np.linalg.det(vectors[:, triple])))

    ends = (0, len(residuals) // 2, len(residuals) - 1)
    best = max(combinations(range(len(residuals)), 3), key=volume)
    return best if volume(best) > 0 else ends


def _add_surface(figure: go.Figure, points: Array, colour: str, opacity: float, name: str) -> None:
    """One colour all over; in plain lists, rounded, to keep pages small."""
    x, y, z = np.moveaxis(points.astype(np.float32), -1, 0)
    figure.add_surface(
        x=x, y=y, z=z, surfacecolor=np.zeros_like(z), colorscale=[[0, colour], [1, colour]],
        opacity=opacity, showscale=False, name=name, showlegend=True, hoverinfo="name",
        lighting={"ambient": 0.75, "diffuse": 0.6, "specular": 0.1},
        contours={axis: {"highlight": False} for axis in "xyz"},
    )  # fmt: skip


def _add_mesh(figure: go.Figure, points: Array) -> None:
    """Every fourth line of the surface, so that its bend is seen."""
    gap = np.full((1, 3), np.nan)
    lines = [line for k in range(0, POINTS, 4) for line in (points[k], gap, points[:, k], gap)]
    x, y, z = np.concatenate(lines).astype(np.float32).T
    figure.add_scatter3d(
        x=x, y=y, z=z, mode="lines", line={"color": BLUE, "width": 2}, showlegend=False,
        name="mesh", hoverinfo="skip",
    )  # fmt: skip


class View(NamedTuple):
    """How the picture is seen: its sides, and what a step in prices is in units of them."""

    sides: Array  # (3,) in proportion to what is in the picture, so that angles are nearly true
    scale: Array  # (3,)


def _view(points: Array) -> View:
    """For points (n, 3), the market included."""
    spans = np.nanmax(points, axis=0) - np.nanmin(points, axis=0)
    longest = float(spans.max())
    if not longest > 0:
        return View(np.ones(3), np.ones(3))
    sides = np.maximum(spans / longest, FLATTEST)
    return View(sides, sides / np.where(spans > 0, spans, longest))


def _camera(view: View, tangents: Array, fitted: Array) -> dict[str, dict[str, float | str]]:
    """On the market's side, obliquely over the tangent plane; tangents (2, 3), fitted (3,)."""
    along, other = tangents * view.scale
    normal = np.cross(along, other)
    if not np.linalg.norm(normal) > 0:
        eye = np.array([1.3, 1.3, 0.8])
    else:
        normal, along = normal / np.linalg.norm(normal), along / np.linalg.norm(along)
        if normal @ (fitted * view.scale) > 0:
            normal = -normal
        across = np.cross(normal, along)
        # Of the oblique views all around, the one from above that looks along no wall.
        turns = np.linspace(0, 2 * np.pi, VIEWS, endpoint=False)
        views = [0.6 * normal + 0.8 * (np.cos(t) * along + np.sin(t) * across) for t in turns]
        eye = 1.9 * max(views, key=lambda eye: min(abs(eye[0]), abs(eye[1]), eye[2]))
    return {
        "eye": dict(zip("xyz", eye.tolist(), strict=True)),
        "center": {"x": 0.0, "y": 0.0, "z": -0.12},
        "projection": {"type": "orthographic"},
    }


def _is_below(point: Array, camera: dict[str, dict[str, float | str]]) -> bool:
    """Whether a point is seen below the origin, from a camera that stands upright."""
    eye = np.array([camera["eye"][axis] for axis in "xyz"], dtype=float)
    eye = eye / np.linalg.norm(eye)
    upwards = np.array([0.0, 0.0, 1.0]) - eye[2] * eye
    return bool(upwards @ point < 0)


def _number(value: float) -> str:
    return number(value, "+.2g") if abs(value) > ROUNDING else "0"


def _are(count: int) -> str:
    return {0: "are none", 1: "is one"}.get(count, "are two")
