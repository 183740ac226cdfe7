"""The hat matrix: how strongly each quote pulls each fitted price."""

import numpy as np
import plotly.graph_objects as go

from calibscope.base.numbers import number
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.report.figures.style import BLACK, BLUE, ORANGE, dressed

SIGNED = [[0.0, ORANGE], [0.5, "#FFFFFF"], [1.0, BLUE]]
MOST_NUMBERS = 16  # quotes up to which cells carry numbers


def hat_matrix(dx: Diagnosis, note: str = "") -> go.Figure:
    """By how much each fitted price moves with each quote, in percent of the quote's move.

    Rows are fitted prices, columns quotes, both weighted. The diagonal, framed, is the leverage:
    100 means that the fit must meet the quote. Off the diagonal, maturities that stand in for
    each other.

    Parameters
    ----------
    dx : of `diagnose`
    note : what the reader must know about the data

    Returns
    -------
    go.Figure
        a Plotly figure; its title is its question
    """
    names, values = [str(name) for name in dx.problem.labels], dx.hat_matrix
    m = len(names)
    figure = go.Figure(
        go.Heatmap(
            x=names, y=names, z=values, zmin=-1, zmax=1, colorscale=SIGNED, xgap=1, ygap=1,
            text=np.round(100 * values), texttemplate="%{text:.0f}" if m <= MOST_NUMBERS else "",
            hovertemplate="fitted %{y} per quote %{x}: %{z:.3f}<extra></extra>",
            colorbar={"title": {"text": "%", "side": "top"}, "thickness": 14,
                      "tickvals": [-1, -0.5, 0, 0.5, 1], "ticktext": [-100, -50, 0, 50, 100]},
        )
    )  # fmt: skip
    for k in range(m):
        figure.add_shape(
            type="rect", x0=k - 0.5, x1=k + 0.5, y0=k - 0.5, y1=k + 0.5,
            line={"color": BLACK, "width": 1.5},
        )  # fmt: skip
    figure.update_xaxes(
        title_text="quote that moves", type="category", showgrid=False, autotickangles=[0, 90]
    )
    figure.update_yaxes(
        title_text="fitted price", type="category", autorange="reversed", showgrid=False
    )
    dressed(figure, "Which quotes pull which fitted prices?", note)
    highest = int(np.argmax(dx.leverage))
    alt = (
        f"Hat matrix of {m} quotes. The leverages on its diagonal sum to {dx.edof}; the highest is "
        f"{number(dx.leverage[highest], '.2f')} at {names[highest]}."
    )
    return figure.update_layout(height=560, meta={"alt": alt})
