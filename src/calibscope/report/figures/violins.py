"""One violin with a box per quote, and the reference dates as symbols beside its middle.

The violin layer follows Hintze and Nelson, Violin plots: a box plot-density trace synergism, The
American Statistician 52 (1998), as the paper's figure does.
"""

import pandas as pd
import plotly.graph_objects as go

from calibscope.report.figures.marks import as_text, marks_of, short
from calibscope.report.figures.style import BLACK, SKY
from calibscope.study.study import Study

STEP = 0.2  # between symbols, so that they do not hide each other
UPRIGHT = 20  # quotes whose labels have room side by side
FEW = 5  # days, too few for a density: they are drawn as points


def violins(study: Study, column: pd.Series, hover: str) -> go.Figure:
    """Distribution over days of a column of `study.quotes`, one violin per quote.

    Parameters
    ----------
    column : as long as `study.quotes`; what is missing is left out
    hover : template of what a symbol says, after its date
    """
    figure = go.Figure()
    frame = study.quotes[["date", "label"]].assign(value=column).dropna()
    quoted = set(frame["label"])
    names = [name for name in study.labels["label"] if name in quoted]
    place = {name: i for i, name in enumerate(names)}
    groups = frame.groupby("label")["value"]
    for name in names:
        values = groups.get_group(name)
        figure.add_violin(
            y=short(values), x0=place[name], name=name, showlegend=False,
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
            x=[place[name] + shift for name in own["label"]], y=short(own["value"]),
            mode="markers", name=f"{mark.event}, {as_text([mark.date])[0]}", marker=mark.marker,
            text=list(own["label"]), cliponaxis=False,
            hovertemplate=f"{mark.event}, %{{text}}: {hover}<extra></extra>",
        )  # fmt: skip
    figure.update_xaxes(
        title_text="quote", tickvals=list(range(len(names))), ticktext=names,
        tickangle=0 if len(names) <= UPRIGHT else -90, range=[-0.6, len(names) - 0.4],
        showgrid=False, zeroline=False,
    )  # fmt: skip
    return figure
