"""Where the parameters were, year by year (paper, temporal evolution of the calibration regime)."""

import math

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from calibscope.base.numbers import number
from calibscope.report.figures.marks import answered, as_text, marks_of, short
from calibscope.report.figures.style import BLUE, percent
from calibscope.study.statistics.parameter_pca import Coordinates, parameter_pca
from calibscope.study.study import Study

COLUMNS = 5
BACKGROUND = "#CFCFCF"


def parameter_biplot_by_year(study: Study, coordinates: Coordinates = "natural") -> go.Figure:
    """The days of each year in the first two principal components, over all days in grey.

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
    scores = pca.scores.set_index("date")[["PC1", "PC2"]]
    years = sorted(scores.index.year.unique()) or [0]
    columns = min(COLUMNS, len(years))
    rows = math.ceil(len(years) / columns)
    figure = make_subplots(
        rows=rows, cols=columns, shared_xaxes="all", shared_yaxes="all",
        subplot_titles=[f"<b>{year}</b>" if year else "" for year in years],
        horizontal_spacing=0.02, vertical_spacing=0.1,
    )  # fmt: skip
    for i, year in enumerate(years):
        place = {"row": i // columns + 1, "col": i % columns + 1}
        own = scores[scores.index.year == year]
        figure.add_scatter(
            x=short(scores["PC1"]), y=short(scores["PC2"]), mode="markers", name="all days",
            marker={"color": BACKGROUND, "size": 3}, hoverinfo="skip", showlegend=i == 0,
            legendgroup="all", **place,
        )  # fmt: skip
        figure.add_scatter(
            x=short(own["PC1"]), y=short(own["PC2"]), mode="markers", name="days of the year",
            marker={"color": BLUE, "size": 4}, text=as_text(own.index), showlegend=i == 0,
            legendgroup="own", hovertemplate="%{text}<extra></extra>", **place,
        )  # fmt: skip
        for mark in marks_of(study):
            if mark.date in own.index:
                figure.add_scatter(
                    x=[float(own["PC1"][mark.date])], y=[float(own["PC2"][mark.date])],
                    mode="markers", marker={**mark.marker, "size": 9},
                    name=f"{mark.event}, {mark.date:%Y-%m-%d}",
                    hovertemplate=f"{mark.event}, {mark.date:%Y-%m-%d}<extra></extra>", **place,
                )  # fmt: skip
    share = pca.explained.set_index("component")["share"].fillna(0)
    middle = (columns + 1) // 2
    figure.update_xaxes(
        title_text=f"PC1 ({percent(share['PC1'])} of variance)", row=rows, col=middle
    )
    for row in range(1, rows + 1):
        figure.update_yaxes(title_text=f"PC2 ({percent(share['PC2'])})", row=row, col=1)
    spread = scores.groupby(scores.index.year).std().fillna(0)
    note = "No day has results."
    if len(spread):
        total = (spread**2).sum(axis=1) ** 0.5
        widest, narrowest = total.idxmax(), total.idxmin()
        note = (
            f"Spread (standard deviation in the plane) {number(total[narrowest], '.2f')} in "
            f"{narrowest}, the "
            f"quietest year, and {number(total[widest], '.2f')} in {widest}, the widest."
        )
    alt = f"One scatter plot per year, over all days in grey. {note}"
    return answered(figure, study, "When did the parameters move?", note, alt, 640)
