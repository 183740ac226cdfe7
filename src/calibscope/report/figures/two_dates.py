"""Two dates on common axes: market and model, errors, and leverage."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from calibscope.base.arrays import Array
from calibscope.base.numbers import PERCENT, number
from calibscope.calibration.solution import Fit
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.market.maturity import maturity
from calibscope.report.figures.style import BLUE, GREY, ORANGE, dressed

BP = 1e4
LOOKS = ((BLUE, "circle-open", "solid", ""), (ORANGE, "diamond-open", "dash", "/"))


def two_dates(sides: Sequence[tuple[str, Fit, Diagnosis]], note: str = "") -> go.Figure:
    """Normal vols of market (symbols) and model (lines), price errors and leverage of two dates.

    A quote that only one of the dates has is there with a gap for the other.

    Parameters
    ----------
    sides : name, fit and diagnosis of each date
    note : what the reader must know about the data

    Returns
    -------
    go.Figure
        a Plotly figure; its title is its question
    """
    figure = make_subplots(
        rows=3, cols=1, shared_xaxes=True, vertical_spacing=0.05, row_heights=[0.46, 0.27, 0.27]
    )
    for (name, fit, dx), (colour, symbol, dash, pattern) in zip(sides, LOOKS, strict=True):
        day = fit.problem.day
        names, bars = list(day.labels), {"color": colour, "pattern": _hatch(pattern)}
        figure.add_scatter(
            x=names, y=BP * day.normal_vols, name=f"{name}: market", mode="markers",
            marker={"color": colour, "symbol": symbol, "size": 10, "line": {"width": 2}},
            row=1, col=1,
        )  # fmt: skip
        figure.add_scatter(
            x=names, y=BP * day.implied_normal_vols(fit.prices), name=f"{name}: model",
            mode="lines", line={"color": colour, "width": 2, "dash": dash}, row=1, col=1,
        )  # fmt: skip
        for row, values in ((2, 100 * fit.residuals), (3, dx.leverage[: len(names)])):
            figure.add_bar(
                x=names, y=values, name=name, marker=bars, showlegend=False, row=row, col=1
            )
    order = sorted({label for _, fit, _ in sides for label in fit.problem.day.labels}, key=_length)
    figure.update_xaxes(type="category", categoryorder="array", categoryarray=order)
    for row, title in enumerate(("normal vol, bp", "price error, %", "leverage"), start=1):
        figure.update_yaxes(title={"text": title, "font": {"size": 12}}, row=row, col=1)
    figure.update_yaxes(zerolinecolor=GREY, zerolinewidth=1.5)
    figure.update_yaxes(range=[0, 1.04], row=3, col=1)
    dressed(figure, "How do the two dates differ?", note, alt=_alt(sides), above=24)
    return figure.update_layout(
        height=620, barmode="group", bargap=0.3, margin={"b": 40},
        legend={"y": 1.0, "yanchor": "bottom", "x": 0.0, "xanchor": "left"},
    )  # fmt: skip


def _hatch(shape: str) -> dict[str, object]:
    return {"shape": shape, "fgcolor": "white", "size": 6}


def _length(label: str) -> tuple[float, str]:
    return maturity(label.split()[0]) or float("inf"), label


def _alt(sides: Sequence[tuple[str, Fit, Diagnosis]]) -> str:
    said = [
        f"Normal vols, price errors and leverage of {' and '.join(name for name, *_ in sides)}."
    ]
    for name, fit, dx in sides:
        first = int(np.argmax(dx.leverage))
        vols = _finite(BP * fit.problem.day.normal_vols)
        spread = (
            f"vols from {number(vols.min(), '.1f')} to {number(vols.max(), '.1f')} bp, "
            if vols.size
            else ""
        )
        said.append(
            f"{name}: {spread}RMSRE {PERCENT.text(fit.rmsre)}, highest leverage "
            f"{number(dx.leverage[first], '.2f')} at {dx.problem.labels[first]}."
        )
    return " ".join(said)


def _finite(values: Array) -> Array:
    return values[np.isfinite(values)]
