"""Along which lines the parameters move (paper, PCA biplot of the calibration parameters)."""

import math

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from calibscope.report.figures.free_place import free_place
from calibscope.report.figures.marks import answered, as_text, marks_of, short
from calibscope.report.figures.parameters import symbol_of
from calibscope.report.figures.style import BLACK, percent
from calibscope.study.statistics.parameter_pca import Coordinates, ParameterPCA, parameter_pca
from calibscope.study.study import Study

# Cividis (Nunez, Anderton and Renslow 2018) without its palest end: from dark to light in grey too.
YEAR_SCALE = ["#00224E", "#35456C", "#666970", "#948E77", "#C8B866", "#E8D04F"]
MINUS = "\N{MINUS SIGN}"
NEGLIGIBLE = 0.1  # a loading that does not limit how long arrows are
TOGETHER = 0.12  # arrows whose tips are closer, in lengths of the longest, share a label
HALF_NAME = 14.0  # pixels: half of what the name of a parameter takes
ROOM = 0.95  # of the way to the edge of the cloud, for the arrow that gets there first


def parameter_biplot(study: Study, coordinates: Coordinates = "natural") -> go.Figure:
    """Every day as a point in the first two principal components, with the parameters as arrows.

    Points are coloured by year, from dark to light. An arrow shows how the components move when
    its parameter grows; a short one belongs to other components.

    Parameters
    ----------
    study : the history
    coordinates : "natural" or "scaled"

    Returns
    -------
    go.Figure
        a Plotly figure; its title is its question
    """
    pca = parameter_pca(study, coordinates)
    figure = go.Figure()
    scores = pca.scores
    years = scores["date"].dt.year
    figure.add_scatter(
        x=short(scores["PC1"]), y=short(scores["PC2"]), mode="markers", showlegend=False,
        text=as_text(scores["date"]), hovertemplate="%{text}<extra></extra>",
        marker={"size": 5, "opacity": 0.8, "color": years.to_numpy(np.int16),
                "colorscale": YEAR_SCALE, "line": {"width": 0}, **_year_bar(years)},
    )  # fmt: skip
    _add_arrows(figure, pca)
    add_scores(figure, study, pca)
    share = pca.explained.set_index("component")["share"].fillna(0)
    figure.update_xaxes(title_text=f"PC1 ({percent(share['PC1'])} of variance)")
    figure.update_yaxes(title_text=f"PC2 ({percent(share['PC2'])} of variance)")
    note = describe(pca, coordinates)
    alt = (
        f"Scatter plot of {len(scores):,} days in the first two principal components, coloured by "
        f"year, with an arrow for each parameter. {note}"
    )
    return answered(figure, study, "Along which lines do the parameters move?", note, alt, 640)


def add_scores(figure: go.Figure, study: Study, pca: ParameterPCA) -> None:
    """The reference dates, with their symbols."""
    scores = pca.scores.set_index("date")
    for mark in marks_of(study):
        if mark.date in scores.index:
            figure.add_scatter(
                x=[float(scores["PC1"][mark.date])], y=[float(scores["PC2"][mark.date])],
                mode="markers", marker=mark.marker, name=f"{mark.event}, {mark.date:%Y-%m-%d}",
                hovertemplate=f"{mark.event}, {mark.date:%Y-%m-%d}<extra></extra>",
            )  # fmt: skip


def describe(pca: ParameterPCA, coordinates: Coordinates) -> str:
    """What the components are made of."""
    if pca.explained["variance"].sum() == 0:
        return "Too few days: nothing moves."
    parts = []
    for name in ("PC1", "PC2"):
        loadings = pca.loadings.set_index("parameter")[name].dropna()
        main = loadings[loadings.abs() >= 0.6 * loadings.abs().max()]
        terms = [("+" if size > 0 else MINUS) + symbol_of(pca.specs[p]) for p, size in main.items()]
        if terms:
            parts.append(f"{name}: {' '.join(terms)}")
    kind = (
        "natural units"
        if coordinates == "natural"
        else "logarithms of a and \N{GREEK SMALL LETTER SIGMA}"
    )
    both = pca.explained["cumulative"].iloc[1]
    return (
        f"The first two components carry {percent(both)} of the variance, mainly "
        f"{'; '.join(parts)}. Standardised parameters, {kind}."
    )


def _year_bar(years: pd.Series) -> dict[str, object]:
    if years.nunique() < 2:
        return {}
    low, high = int(years.min()), int(years.max())
    bar = {
        "title": {"text": "year", "font": {"size": 13}}, "tickvals": list(range(low, high + 1)),
        "tickformat": "d", "outlinewidth": 0, "len": 1, "thickness": 14,
    }  # fmt: skip
    return {"cmin": low, "cmax": high, "showscale": True, "colorbar": bar}


def _add_arrows(figure: go.Figure, pca: ParameterPCA) -> None:
    """Loadings as arrows from the origin, as long as the picture allows."""
    loadings = pca.loadings.set_index("parameter")[["PC1", "PC2"]].dropna()
    if loadings.empty:
        return
    length = ROOM * _reach(pca.scores[["PC1", "PC2"]], loadings)
    tips = loadings * length
    for parameter, tip in tips.iterrows():
        figure.add_annotation(
            x=float(tip["PC1"]), y=float(tip["PC2"]), ax=0, ay=0, axref="x", ayref="y", text="",
            arrowhead=2, arrowsize=1.2, arrowwidth=2, arrowcolor=BLACK, name=parameter,
        )  # fmt: skip
    scores = pca.scores[["PC1", "PC2"]].to_numpy(float)
    shafts = np.linspace(0, 1, 50)[:, None, None] * tips.to_numpy(float)
    low, room = scores.min(axis=0), np.ptp(scores, axis=0)
    taken = (np.vstack((scores, shafts.reshape(-1, 2))) - low) / np.where(room > 0, room, 1.0)
    for names, x, y in _labels(tips, TOGETHER * length):
        tip = (np.array([x, y]) - low) / np.where(room > 0, room, 1.0)
        right, up = free_place(tip, math.atan2(y, x), HALF_NAME * len(names), taken)
        figure.add_annotation(
            x=x, y=y, text=", ".join(f"<b>{symbol_of(pca.specs[name])}</b>" for name in names),
            showarrow=False, xshift=right, yshift=up, font={"size": 15, "color": BLACK},
        )  # fmt: skip


def _reach(scores: pd.DataFrame, loadings: pd.DataFrame) -> float:
    """How far all arrows can be stretched within the range of the points."""
    edges = np.where(loadings > 0, scores.max(), scores.min())
    with np.errstate(divide="ignore", invalid="ignore"):
        reaches = (edges / loadings.to_numpy())[loadings.abs().to_numpy() > NEGLIGIBLE]
    return float(reaches.min())


def _labels(tips: pd.DataFrame, near: float) -> list[tuple[list[str], float, float]]:
    """Names of arrows that end close to each other, and where."""
    groups: list[tuple[list[str], float, float]] = []
    for name, x, y in zip(tips.index, tips["PC1"], tips["PC2"], strict=True):
        for names, there, height in groups:
            if math.hypot(x - there, y - height) < near:
                names.append(name)
                break
        else:
            groups.append(([name], float(x), float(y)))
    return groups
