"""The map of all fits over the two parameters that lead, with the optima on it."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from calibscope.base.arrays import Array
from calibscope.base.numbers import PERCENT, number, percent
from calibscope.calibration.bench import Grid
from calibscope.calibration.problem import Problem
from calibscope.calibration.search import search_for
from calibscope.calibration.solution import Fit
from calibscope.models.model import Model
from calibscope.report.figures.parameters import is_log
from calibscope.report.figures.style import BLACK, BLUE, GREY, ORANGE, YELLOW, dressed

MAPPED = (0, 1)  # parameters on the axes
LEVELS = (1.0, 1.1, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0)  # times the best
NEAR_OPTIMAL = 1.1
SMALLEST_ERROR = 5e-4  # relative: the grid of speeds is too coarse to tell better fits apart
UNDER_STAR = 0.15  # powers of ten: what is nearer is hidden by the star of the best
TICKS = tuple(10.0**k for k in range(-8, 4))
MOST_OPTIMA = 5  # that the legend names one by one
SHADES = (
    "#08306B", "#1F5A97", "#3B82BB", "#5FA2CE", "#8ABFDD", "#B3D5E9", "#D3E5F2", "#EAF2F9",
)  # fmt: skip


def local_minima_map(fit: Fit, note: str = "") -> go.Figure:
    """Where else a fit could be: the best error for any two leading parameters, and the optima.

    For G2++ these are the speeds. The darkest part is the near-optimal set, all speeds that fit
    within 1.1 times the best error once the other parameters are fitted to them; fits better than
    0.05 % count as that. Small dots are its extremes, the furthest that any parameter goes. Below
    the diagonal the first speed is the faster one; the other half is its mirror image.

    Parameters
    ----------
    fit : of `calibrate`
    note : what the reader must know about the data

    Returns
    -------
    go.Figure
        a Plotly figure; its title is its question
    """
    problem, evidence = fit.problem, fit.evidence
    best, floor = min(fit.objective, evidence.local_minima.best.objective), _floor(problem)
    measure = "the best" if best >= floor else PERCENT.text(SMALLEST_ERROR)
    best = max(best, floor)
    bench = search_for(problem.model).bench(problem)
    profile = bench.grid(evidence.local_minima.best.parameters.values)
    figure = go.Figure()
    if profile is not None:
        _add_contours(figure, profile, best, measure)
    if bench.is_symmetric:
        _add_mirror(figure, problem)
    _add_points(figure, fit)
    points = _shown_points(fit)
    for p, update in zip(MAPPED, (figure.update_xaxes, figure.update_yaxes), strict=True):
        update(
            **_range(problem, p, points[:, p], profile),
            title_text=_axis(problem, p), showgrid=profile is None,
            ticks="outside", ticklen=5, tickcolor="white",
        )  # fmt: skip
    dressed(figure, "Is there another fit as good?", note)
    return figure.update_layout(
        height=640,
        margin={"b": 150},
        legend={"yref": "container", "y": 0.01, "yanchor": "bottom"},
        meta={"alt": _alt(fit)},
    )


def _range(problem: Problem, p: int, points: Array, profile: Grid | None) -> dict[str, Any]:
    """Where an axis begins and ends: at the bounds, or around what is shown."""
    if not is_log(problem.specs.parameters[p]):
        seen = points if profile is None else np.append(points, (profile.x, profile.y)[p])
        margin = 0.03 * (float(np.ptp(seen)) or 1.0)
        return {"type": "linear", "range": [float(seen.min()) - margin, float(seen.max()) + margin]}
    low = min(1e-3, points.min() / 2) if profile is not None else points.min() / 2
    low = max(low, problem.lower[p] / 1.3)
    high = problem.upper[p] * 1.3 if problem.lower[p] < problem.upper[p] < np.inf else 2 * low
    high = max(high, points.max() * 1.3)
    return {
        "type": "log",
        "range": [float(np.log10(low)), float(np.log10(high))],
        "tickvals": TICKS,
        "ticktext": [number(tick, ".5f").rstrip("0").rstrip(".") for tick in TICKS],
    }


def _floor(problem: Problem) -> float:
    scale = float(np.mean(problem.weights * problem.day.prices**2))
    return SMALLEST_ERROR**2 * len(problem.weights) * scale


def level_of(multiples: Array) -> Array:
    """Where multiples lie among the levels: 1 at the second level, 1.5 half-way to the third."""
    places = np.interp(np.log(multiples), np.log(LEVELS), np.arange(float(len(LEVELS))))
    return np.asarray(places)


def _add_contours(figure: go.Figure, profile: Grid, best: float, measure: str) -> None:
    multiples = np.sqrt(np.maximum(profile.values / best, 1.0))
    z, last = level_of(multiples), len(LEVELS) - 1
    steps = np.repeat(np.linspace(0, 1, len(SHADES) + 1), 2)[1:-1]
    scale = [[float(s), c] for s, c in zip(steps, np.repeat(SHADES, 2), strict=True)]
    shared = {"x": profile.x, "y": profile.y, "z": z.astype(np.float32)}
    figure.add_contour(
        **shared, zmin=0, zmax=last, colorscale=scale, name="best error for given values",
        contours={"start": 0, "end": last, "size": 1}, line={"width": 0}, hoverinfo="skip",
        colorbar={"title": {"text": f"error, times {measure}", "side": "right",
                            "font": {"size": 12}},
                  "tickvals": list(range(last + 1)), "thickness": 14,
                  "ticktext": [f"{level:g}" for level in LEVELS]},
    )  # fmt: skip
    figure.add_contour(
        **shared,
        contours={"type": "constraint", "operation": "=", "value": LEVELS.index(NEAR_OPTIMAL)},
        line={"color": YELLOW, "width": 2.5}, showlegend=True, hoverinfo="skip",
        name=f"near-optimal set: within {NEAR_OPTIMAL:g} times {measure}",
    )  # fmt: skip


def _add_mirror(figure: go.Figure, problem: Problem) -> None:
    """White over the half that repeats, and the line of equal speeds."""
    low, high = float(problem.lower[0]) / 2, 2 * float(problem.upper[0])
    figure.add_scatter(
        x=[low, high, low, low], y=[low, high, high, low], fill="toself", fillcolor="white",
        mode="lines", line={"color": GREY, "width": 1.5}, showlegend=False, hoverinfo="skip",
        name="mirror image",
    )  # fmt: skip
    figure.add_annotation(
        x=0.02, y=0.98, xref="paper", yref="paper", xanchor="left", yanchor="top", showarrow=False,
        text=f"above {' = '.join(problem.specs.names[:2])} (one factor):<br>the mirror image",
        align="left", font={"size": 13, "color": GREY},
    )  # fmt: skip


def _add_points(figure: go.Figure, fit: Fit) -> None:
    evidence = fit.evidence
    optima = evidence.local_minima.optima
    ends = evidence.near_optimal.extremes.reshape(-1, len(fit.problem.specs))
    figure.add_scatter(
        x=ends[:, 0], y=ends[:, 1], mode="markers", name="extremes of the near-optimal set",
        cliponaxis=False,
        marker={"symbol": "circle", "size": 6, "color": YELLOW,
                "line": {"color": BLACK, "width": 1}},
    )  # fmt: skip
    for rank, optimum in enumerate(optima[1:MOST_OPTIMA], start=2):
        _add_point(
            figure, optimum.parameters, "circle", 19, "white",
            f"{rank}: {_percent(optimum.rmsre)}, {percent(optimum.share_of_starts, 0)} of starts",
            str(rank),
        )  # fmt: skip
    others = optima[MOST_OPTIMA:]
    if others:
        figure.add_scatter(
            x=[o.parameters.values[0] for o in others],
            y=[o.parameters.values[1] for o in others],
            name=f"{len(others)} more optima", mode="markers", cliponaxis=False,
            marker={"symbol": "circle-open", "size": 9, "color": BLACK},
        )  # fmt: skip
    plausible = evidence.plausible_fit
    if plausible is not None and not evidence.is_plausible:
        _add_point(
            figure, plausible, "diamond", 15, ORANGE,
            f"best plausible fit: {_percent(evidence.plausible_rmsre)}",
        )  # fmt: skip
    led = {
        f"<b>{rank}</b>": optimum.parameters
        for rank, optimum in enumerate(optima[1:MOST_OPTIMA], start=2)
    }
    if plausible is not None and not evidence.is_plausible:
        led[f'<span style="color:{ORANGE}">◆</span>'] = plausible
    _add_leaders(figure, optima[0].parameters, led)
    words = " (plausible)" if evidence.is_plausible and evidence.is_best else ""
    best = optima[0]
    _add_point(
        figure, best.parameters, "star", 20, ORANGE,
        f"best{words}: RMSRE {_percent(best.rmsre)}, {percent(best.share_of_starts, 0)} of starts",
    )  # fmt: skip
    if not evidence.is_best:
        _add_point(figure, fit.parameters, "x", 12, BLUE, f"the fit: {_percent(fit.rmsre)}")


def _add_leaders(figure: go.Figure, best: Model, models: dict[str, Model]) -> None:
    """Signs of what is under the best one's star, led out to free space."""
    logs = np.array([is_log(spec) for spec in best.specs.parameters[:2]])

    def place_of(model: Model) -> Array:
        """As annotations count: powers of ten on a logarithmic axis."""
        values = model.values[:2]
        return np.where(logs, np.log10(np.where(logs, values, 1.0)), values)

    star, near = place_of(best), UNDER_STAR * np.where(logs, 1.0, best.specs.sizes[:2] / 2)
    places = {text: place_of(model) for text, model in models.items()}
    hidden = [text for text, place in places.items() if (abs(place - star) < near).all()]
    for k, text in enumerate(hidden):
        figure.add_annotation(
            x=places[text][0], y=places[text][1], text=text, bgcolor="white",
            ax=-32, ay=-24 - 30 * k, arrowhead=0, arrowwidth=1.5, arrowcolor=BLACK,
            font={"size": 12, "color": BLACK}, bordercolor=BLACK, borderpad=2,
        )  # fmt: skip


def _add_point(
    figure: go.Figure, model: Model, symbol: str, size: int, colour: str, name: str, text: str = ""
) -> None:
    figure.add_scatter(
        x=model.values[:1], y=model.values[1:2], name=name, cliponaxis=False, text=[text],
        mode="markers+text" if text else "markers", textfont={"size": 12, "color": BLACK},
        marker={"symbol": symbol, "size": size, "color": colour,
                "line": {"color": BLACK, "width": 1.5}},
    )  # fmt: skip


def _shown_points(fit: Fit) -> Array:
    evidence = fit.evidence
    models = [fit.parameters, *(optimum.parameters for optimum in evidence.local_minima.optima)]
    if evidence.plausible_fit is not None:
        models.append(evidence.plausible_fit)
    return np.vstack(
        (
            [model.values for model in models],
            evidence.near_optimal.extremes.reshape(-1, len(fit.problem.specs)),
        )
    )


def _percent(value: float) -> str:
    return PERCENT.text(value) if value > 1e-10 else "0 %"


def _axis(problem: Problem, p: int) -> str:
    spec = problem.specs.parameters[p]
    return f"{spec.name}, {spec.unit}" if spec.unit else spec.name


def _alt(fit: Fit) -> str:
    evidence, names = fit.evidence, fit.problem.specs.names
    ranges = (evidence.near_optimal.range_of(names[p]) for p in MAPPED)
    told = " and ".join(
        f"{names[p]} from {number(low, '.2g')} to {number(high, '.2g')}"
        for p, (low, high) in zip(MAPPED, ranges, strict=True)
    )
    return f"{evidence.sentences[0]} Nearly as good fits have {told}."
