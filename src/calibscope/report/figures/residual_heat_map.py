"""Where the model misses the quotes: relative residuals by date and quote."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from calibscope.base.numbers import PERCENT, number
from calibscope.report.figures.heat_map import heat_map, quantile
from calibscope.report.figures.marks import answered
from calibscope.report.figures.style import percent
from calibscope.study.study import Study

TYPICAL = 0.99  # of all residuals lie within the scale of colours
# Orange to blue by white: the sign is told by hue, the size by lightness.
SCALE = ["#7F3000", "#D55E00", "#F3C9AC", "#FFFFFF", "#B3D3E8", "#0072B2", "#00324F"]


def residual_heat_map(study: Study) -> go.Figure:
    """Model price against market price, relative, day by day and quote by quote.

    Blue: the model is too dear, orange: too cheap. The colours end where 99 % of the residuals do.

    Parameters
    ----------
    study : the history

    Returns
    -------
    go.Figure
        a Plotly figure; its title is its question
    """
    quotes = study.quotes
    limit = 100 * quantile(quotes["residual"].abs(), TYPICAL)
    bar = {
        "title": {"text": "residual, %", "font": {"size": 13}}, "thickness": 14, "outlinewidth": 0,
        **_ticks(limit),
    }  # fmt: skip
    figure = heat_map(
        study, "residual", 100.0, "%{z:+.2f} %", zmin=-limit, zmax=limit, zmid=0,
        colorscale=SCALE, colorbar=bar,
    )  # fmt: skip
    note = "No day has results."
    if len(quotes):
        worst = quotes.loc[quotes["residual"].abs().idxmax()]
        typical = quotes.groupby("label")["residual"].apply(lambda values: values.abs().median())
        note = (
            f"{typical.idxmax()} is missed most (median size {percent(typical.max(), 2)}); the "
            f"largest error of all is {PERCENT.text(worst['residual'], '+.1f')} at "
            f"{worst['label']} on {worst['date']:%Y-%m-%d}. Blue: model too dear; orange: too "
            "cheap."
        )
    alt = f"Heat map of the relative residuals by date and quote. {note}"
    return answered(figure, study, "Where does the model miss the quotes?", note, alt)


def _ticks(limit: float) -> dict[str, Any]:
    """Round numbers with their signs, of which zero has none."""
    if not 0 < limit < np.inf:
        return {}
    power = 10.0 ** np.floor(np.log10(limit / 2))
    step = power * max(digit for digit in (1, 2, 5) if digit * power <= limit / 2)
    most = int(limit / step)
    values = [step * k for k in range(-most, most + 1)]
    minus = "\N{MINUS SIGN}"
    words = [number(value, "+.6g").replace("-", minus) if value else "0" for value in values]
    return {"tickvals": values, "ticktext": words}
