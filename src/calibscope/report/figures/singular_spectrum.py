"""The singular values, and how many of them count at which tolerance."""

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from calibscope.base.arrays import Array
from calibscope.base.numbers import number
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.diagnosis.linear.effective_degrees import edof_at
from calibscope.report.figures.style import BLACK, BLUE, ORANGE, dressed

LOWEST = 1e-17  # where a zero is drawn; no singular value can be told from zero there
TOLERANCES = np.logspace(-17, 0, 171)


def singular_spectrum(dx: Diagnosis, note: str = "") -> go.Figure:
    """Singular values relative to the largest, and EDoF at every tolerance.

    How many parameters the quotes determine is a statement about a tolerance and about units. So
    both are shown in the units of the diagnosis and in scaled coordinates (log a, log sigma,
    rho), with the tolerance in use as a dashed line. Triangles at the bottom are zeros.

    Parameters
    ----------
    dx : of `diagnose`
    note : what the reader must know about the data

    Returns
    -------
    go.Figure
        a Plotly figure; its title is its question
    """
    own = "natural units" if (dx.geometry.column_scale == 1).all() else "columns of length 1"
    tolerance, p = dx.settings.rank_tolerance, max(int(dx.geometry.parameter_count), 1)
    spectra = {  # of the parameters that are not held: the others have zeros at the end
        own: dx.singular_values[:p],
        "scaled coordinates": dx.effective_degrees.scaled_singular_values[:p],
    }
    figure = make_subplots(rows=1, cols=2, horizontal_spacing=0.13)
    styles = (
        (BLUE, "circle", 10, "solid", 4),
        (ORANGE, "diamond-open", 11, "dash", 2),
    )
    for (name, singular), (colour, symbol, size, dash, width) in zip(
        spectra.items(), styles, strict=True
    ):
        shares = relative(singular)
        symbols = [symbol if s > 0 else "triangle-down" for s in shares]
        line = {"color": colour, "dash": dash, "width": width / 2}
        figure.add_scatter(
            x=list(range(1, p + 1)), y=np.maximum(shares, LOWEST), name=name, legendgroup=name,
            mode="lines+markers", line=line, customdata=shares,
            marker={"color": colour, "symbol": symbols, "size": size},
            hovertemplate="%{x}: %{customdata:.2e}", row=1, col=1,
        )  # fmt: skip
        figure.add_scatter(
            x=TOLERANCES, y=edof_at(singular, TOLERANCES), name=name, legendgroup=name,
            showlegend=False, mode="lines",
            line={**line, "width": width, "shape": "hv"}, row=1, col=2,
        )  # fmt: skip
    line = {"color": BLACK, "dash": "dot", "width": 1.5}
    figure.add_scatter(
        x=[0.5, p + 0.5], y=[tolerance] * 2, mode="lines", line=line, legendgroup="tolerance",
        name=f"tolerance {number(tolerance, '.2g')}", row=1, col=1,
    )  # fmt: skip
    figure.add_scatter(
        x=[tolerance] * 2, y=[0, p + 0.4], mode="lines", line=line, legendgroup="tolerance",
        name="tolerance", showlegend=False, row=1, col=2,
    )  # fmt: skip
    decades = {
        "type": "log",
        "exponentformat": "power",
        "dtick": 4,
        "tickangle": 0,
        "tickfont": {"size": 12},
    }
    figure.update_yaxes(
        title={"text": "singular value / largest", "font": {"size": 13}},
        range=[-17.7, 0.7],
        row=1,
        col=1,
        **decades,
    )
    figure.update_xaxes(
        title_text="singular value, by size", dtick=1, range=[0.5, p + 0.5], row=1, col=1
    )
    figure.update_xaxes(title_text="tolerance", range=[-17, 0], row=1, col=2, **decades)
    figure.update_yaxes(
        title_text="EDoF", dtick=1, range=[-0.4, p + 0.4], zeroline=False, row=1, col=2
    )
    dressed(figure, "How many parameters do the quotes determine?", note)
    alt = (
        f"Singular values fall to {number(relative(dx.singular_values[:p])[-1], '.1e')} of the "
        "largest. EDoF "
        f"is {dx.edof} of {dx.geometry.parameter_count} at a tolerance of "
        f"{number(tolerance, '.2g')}, in "
        f"scaled coordinates {dx.effective_degrees.scaled}."
    )
    return figure.update_layout(
        height=480,
        margin={"b": 125},
        legend={"yref": "container", "y": 0.01, "yanchor": "bottom"},
        meta={"alt": alt},
    )


def relative(singular_values: Array) -> Array:
    """Over the largest; zeros stay zeros."""
    largest = singular_values[0]
    return singular_values / largest if largest > 0 else np.zeros_like(singular_values)
