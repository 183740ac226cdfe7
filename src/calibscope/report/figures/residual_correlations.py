"""Which quotes are missed together: correlations of residuals over the history."""

import numpy as np
import plotly.graph_objects as go

from calibscope.base.numbers import number
from calibscope.report.figures.correlation_matrix import SIGNED
from calibscope.report.figures.marks import answered, short
from calibscope.study import statistics
from calibscope.study.study import Study


def residual_correlations(study: Study) -> go.Figure:
    """The correlation of the residuals of every two quotes, as colours.

    Pearson's, on the days that have both quotes; white where there are fewer than 20.

    Parameters
    ----------
    study : the history

    Returns
    -------
    go.Figure
        a Plotly figure; its title is its question
    """
    labels = study.labels["label"].tolist()
    pairs = statistics.residual_correlations(study)
    matrix = np.full((max(len(labels) - 1, 0),) * 2, np.nan)
    for pair in pairs.itertuples():
        matrix[labels.index(pair.other) - 1, labels.index(pair.label)] = pair.correlation
    figure = go.Figure()
    figure.add_heatmap(
        z=short(matrix), x=labels[:-1], y=labels[1:], zmin=-1, zmax=1, colorscale=SIGNED,
        text=[[_short(value) for value in row] for row in matrix], texttemplate="%{text}",
        textfont={"size": 11}, xgap=1, ygap=1, hoverongaps=False,
        colorbar={"title": {"text": "correlation", "side": "right"}, "thickness": 14},
        hovertemplate="%{y} with %{x}: %{z:.2f}<extra></extra>",
    )  # fmt: skip
    figure.update_xaxes(type="category", showgrid=False, title_text="quote")
    figure.update_yaxes(type="category", showgrid=False, autorange="reversed")
    known = pairs.dropna()
    note = "Too few days have two quotes."
    if len(known):
        most = known.loc[known["correlation"].abs().idxmax()]
        note = (
            f"The residuals of {most['label']} and {most['other']} are the most correlated "
            f"({number(most['correlation'], '+.2f')}); the median size of all pairs is "
            f"{number(known['correlation'].abs().median(), '.2f')}. Blue: missed on the same side; "
            "orange: on opposite sides."
        )
    alt = f"Matrix of the correlations of residuals between quotes. {note}"
    return answered(figure, study, "Which quotes are missed together?", note, alt)


def _short(value: float) -> str:
    """One digit with its sign, of which zero has none."""
    if value != value:
        return ""
    return "0" if abs(value) < 0.05 else number(value, "+.1f")
