"""The forward rates of one curve under several interpolation schemes."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from calibscope.base.arrays import Array
from calibscope.market.curve import DiscountCurve
from calibscope.market.interpolation import Interpolation
from calibscope.report.figures.style import BLACK, COLOURS, dressed


def forwards(
    curve: DiscountCurve,
    schemes: Sequence[Interpolation],
    *,
    tenor: float = 0.5,
    years: float = 30.0,
    note: str = "",
) -> go.Figure:
    """Forward rates over consecutive periods, one panel per scheme, beside the nodes' own.

    Parameters
    ----------
    curve : its nodes are used, its own scheme is not
    tenor : length of the periods, in years
    years : where the picture ends
    note : what the reader must know about the data
    """
    figure = make_subplots(
        rows=len(schemes),
        cols=1,
        shared_xaxes=True,
        shared_yaxes="all",
        vertical_spacing=0.05,
        subplot_titles=[f"<b>{name}</b>" for name in schemes],
    )
    ends = np.arange(1, round(min(years, curve.last_time) / tenor) + 1) * tenor
    for row, name in enumerate(schemes, start=1):
        same = DiscountCurve(curve.times, curve.log_discounts, name)
        times, rates = _steps(ends, tenor, same)
        figure.add_scatter(
            x=times,
            y=rates,
            mode="lines",
            line={"color": COLOURS[(row - 1) % len(COLOURS)], "width": 2},
            showlegend=False,
            row=row,
            col=1,
        )
    nodes = curve.times[(curve.times > 0) & (curve.times <= years)]
    figure.add_scatter(
        x=nodes,
        y=np.full(len(nodes), 0.02),
        yaxis="y99",
        mode="markers",
        marker={"symbol": "line-ns-open", "size": 9, "color": BLACK},
        showlegend=False,
        hoverinfo="skip",
    )
    figure.update_layout(yaxis99={"overlaying": "y", "range": [0, 1], "visible": False})
    figure.update_xaxes(title_text="start of the period, years", row=len(schemes), col=1)
    figure.update_xaxes(range=[0, ends[-1]])
    figure.update_yaxes(title={"text": "forward rate, %", "font": {"size": 12}})
    figure.update_annotations(font={"size": 14, "color": BLACK}, x=0.0, xanchor="left")
    dressed(figure, "Which scheme gives forward rates that make sense?", note)
    return figure.update_layout(margin={"t": 120})


def _steps(ends: Array, tenor: float, curve: DiscountCurve) -> tuple[Array, Array]:
    """Simple forward rates over [end - tenor, end] in percent, drawn as steps."""
    growth = curve.log_discount(ends - tenor) - curve.log_discount(ends)
    rates = 100 * np.expm1(growth) / tenor
    return np.stack((ends - tenor, ends), axis=1).ravel(), np.repeat(rates, 2)
