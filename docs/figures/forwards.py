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
    schemes : names of interpolations, one panel each
    tenor : length of the periods, in years
    years : where the picture ends
    note : what the reader must know about the data

    Returns
    -------
    go.Figure
        a Plotly figure; its title is its question
    """
    figure = make_subplots(
        rows=len(schemes),
        cols=1,
        shared_xaxes=True,
        vertical_spacing=0.05,
        subplot_titles=[f"<b>{name}</b>" for name in schemes],
    )
    periods = int(min(years, curve.last_time) / tenor)
    ends = np.linspace(tenor, tenor * periods, periods)
    rates = {
        name: _simple_rates(DiscountCurve(curve.times, curve.log_discounts, name), ends, tenor)
        for name in schemes
    }
    lowest, highest = (f(list(rates.values())) for f in (np.min, np.max))
    room = 0.08 * (highest - lowest)
    nodes = curve.times[(curve.times > 0) & (curve.times <= ends[-1])]
    ticks = {"symbol": "line-ns-open", "size": 7, "color": BLACK}
    for row, name in enumerate(schemes, start=1):
        place = {"row": row, "col": 1}
        colour = COLOURS[(row - 1) % len(COLOURS)]
        figure.add_scatter(
            x=np.stack((ends - tenor, ends), axis=1).ravel(),
            y=np.repeat(rates[name], 2),
            mode="lines",
            line={"color": colour, "width": 2},
            **place,
        )
        at_bottom = np.full(len(nodes), lowest - 2 * room)
        figure.add_scatter(x=nodes, y=at_bottom, mode="markers", marker=ticks, **place)
    figure.update_xaxes(title_text="time, years", row=len(schemes), col=1)
    figure.update_xaxes(range=[0, ends[-1]])
    figure.update_yaxes(
        title={"text": "forward rate, %", "font": {"size": 12}},
        range=[lowest - 3 * room, highest + room],
    )
    figure.update_traces(showlegend=False)
    figure.update_annotations(font={"size": 14, "color": BLACK}, x=0.0, xanchor="left")
    dressed(figure, "Which scheme gives forward rates that make sense?", note, above=20)
    return figure.update_layout(height=120 + 190 * len(schemes))


def _simple_rates(curve: DiscountCurve, ends: Array, tenor: float) -> Array:
    """Simple forward rates over [end - tenor, end], percent."""
    growth = curve.log_discount(ends - tenor) - curve.log_discount(ends)
    return 100 * np.expm1(growth) / tenor
