"""One violin with a box per maturity, and the reference dates as symbols beside its middle.

The violin layer follows Hintze and Nelson, Violin plots: a box plot-density trace synergism, The
American Statistician 52 (1998), as the paper's figure does.
"""

import pandas as pd
import plotly.graph_objects as go

from calibscope.market.maturity import label
from calibscope.report.figures.marks import as_text, marks_of, short
from calibscope.report.figures.style import BLACK, SKY
from calibscope.study.study import Study

STEP = 0.2  # between symbols, so that they do not hide each other
FEW = 5  # days, too few for a density: they are drawn as points


def violins(study: Study, column: pd.Series, hover: str) -> go.Figure:
    """Distribution over days of a column of `study.quotes`, one violin per maturity.

    Parameters
    ----------
    column : as long as `study.quotes`; what is missing is left out
    hover : template of what a symbol says, after its date
    """
    figure = go.Figure()
    frame = study.quotes[["date", "maturity"]].assign(value=column).dropna()
    maturities = sorted(frame["maturity"].unique())
    place = {years: i for i, years in enumerate(maturities)}
    for years, values in frame.groupby("maturity")["value"]:
        figure.add_violin(
            y=short(values), x0=place[years], name=label(years), showlegend=False,
            scalemode="width", spanmode="hard", width=0.9, hoverinfo="y",
            points="all" if len(values) < FEW else False, pointpos=0, jitter=0,
            line={"color": BLACK, "width": 1}, fillcolor=SKY,
            marker={"color": BLACK, "size": 4},
            box={"visible": len(values) >= FEW, "width": 0.3, "fillcolor": "white"},
        )  # fmt: skip
    marks = marks_of(study)
    for i, mark in enumerate(marks):
        own = frame[frame["date"] == mark.date]
        if own.empty:
            continue
        shift = STEP * (i - (len(marks) - 1) / 2)
        figure.add_scatter(
            x=[place[years] + shift for years in own["maturity"]], y=short(own["value"]),
            mode="markers", name=f"{mark.event}, {as_text([mark.date])[0]}", marker=mark.marker,
            text=[label(years) for years in own["maturity"]], cliponaxis=False,
            hovertemplate=f"{mark.event}, %{{text}}: {hover}<extra></extra>",
        )  # fmt: skip
    figure.update_xaxes(
        title_text="maturity of the cap", tickvals=list(range(len(maturities))), tickangle=0,
        ticktext=[label(years) for years in maturities], range=[-0.6, len(maturities) - 0.4],
        showgrid=False, zeroline=False,
    )  # fmt: skip
    return figure
