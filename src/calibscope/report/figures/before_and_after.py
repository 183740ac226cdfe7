"""What a change does: leverage before and after, and shifts of parameters beside predictions."""

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from calibscope.base.arrays import Array
from calibscope.base.numbers import number
from calibscope.report.figures.parameters import symbol_of
from calibscope.report.figures.style import BLUE, GREY, ORANGE, SKY, dressed
from calibscope.study.what_if import WhatIf

PREDICTED = {"color": "white", "symbol": "diamond", "size": 10, "line": {"color": BLUE, "width": 2}}


def before_and_after(found: WhatIf, note: str = "") -> go.Figure:
    """Leverage of every quote, and the shift of every parameter, recalibrated and predicted.

    Shifts are in scaled coordinates: percent of a speed or volatility, hundredths of the
    correlation. The diamond is what the influence function predicts (exact Hessian); where it is
    far from the bar, the recalibration went somewhere that first order cannot see.

    Parameters
    ----------
    note : what the reader must know about the data
    """
    figure = make_subplots(rows=2, cols=1, vertical_spacing=0.2, row_heights=[0.55, 0.45])
    before, after = found.dx_before, found.dx_after
    for dx, word, colour in ((before, "before", SKY), (after, "after", BLUE)):
        figure.add_bar(
            x=list(map(str, dx.problem.labels)), y=dx.leverage, name=word,
            marker={"color": colour}, row=1, col=1,
        )  # fmt: skip
    names = list(map(str, before.problem.labels))
    figure.update_xaxes(type="category", categoryorder="array", categoryarray=names, row=1, col=1)
    scale = before.problem.coordinate_scale
    shifts, guessed = (
        100 * _scaled(values - found.before.parameters.values, scale)
        for values in (found.after.parameters.values, found.predicted())
    )
    symbols = [symbol_of(spec) for spec in before.problem.specs]
    figure.add_bar(
        x=symbols, y=shifts, name="recalibrated", width=0.35, marker={"color": ORANGE}, row=2, col=1
    )
    figure.add_scatter(
        x=symbols, y=guessed, name="predicted by influence", mode="markers", marker=PREDICTED,
        row=2, col=1,
    )  # fmt: skip
    figure.update_yaxes(title_text="leverage", range=[0, 1.04], row=1, col=1)
    figure.update_yaxes(title_text="shift, % (rho: /100)", zerolinecolor=GREY, row=2, col=1)
    dressed(figure, "What does the change do?", note, alt=_alt(found, shifts, guessed))
    return figure.update_layout(height=600, barmode="group", legend={"y": -0.08})


def _scaled(shift: Array, scale: Array) -> Array:
    return np.asarray(shift / scale)


def _alt(found: WhatIf, shifts: Array, guessed: Array) -> str:
    most = int(np.argmax(np.abs(shifts)))
    name = found.dx_before.problem.specs.names[most]
    text = (
        f"Leverage before and after. {name} moves most, by {number(shifts[most], '+.3g')} "
        f"percent; the prediction was {number(guessed[most], '+.3g')}."
    )
    gap = np.abs(_common(found))
    if gap.size:
        text += f" Leverages change by {number(gap.max(), '.2g')} at most."
    return text


def _common(found: WhatIf) -> Array:
    """Changes of leverage of the quotes that are in both fits."""
    first, second = found.dx_before.problem.labels, found.dx_after.problem.labels
    kept = np.isin(first, second)
    return np.asarray(found.dx_after.leverage - found.dx_before.leverage[kept])
