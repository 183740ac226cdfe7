"""Market against model, maturity by maturity, and what is left between them."""

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from calibscope.base.arrays import Array
from calibscope.base.numbers import BASIS_POINTS, PERCENT
from calibscope.calibration.solution import Fit
from calibscope.report.figures.style import BLUE, GREY, ORANGE, dressed

BP = 1e4
MARKET = {"color": BLUE, "symbol": "circle-open", "size": 10, "line": {"width": 2}}
MODEL = {"color": ORANGE, "symbol": "diamond", "size": 7}


def market_against_model(fit: Fit, note: str = "") -> go.Figure:
    """Normal vols of market and model, and the model's errors in price and in vol.

    Bars in grey reach from bid to ask, where the day has them. A price below the intrinsic value
    has no vol and leaves a gap.

    Parameters
    ----------
    fit : of `calibrate`
    note : what the reader must know about the data

    Returns
    -------
    go.Figure
        a Plotly figure; its title is its question
    """
    day = fit.problem.day
    names = list(day.labels)
    market = BP * day.normal_vols
    model = BP * day.implied_normal_vols(fit.prices)
    errors, vol_errors = 100 * fit.residuals, model - market
    figure = make_subplots(
        rows=3, cols=1, shared_xaxes=True, vertical_spacing=0.06, row_heights=[0.5, 0.25, 0.25]
    )
    if day.bid_ask is not None:
        quoted = day.bid_ask
        vols = BP * np.array([day.implied_normal_vols(quoted[:, side]) for side in (0, 1)])
        _add_bid_ask(figure, 1, names, market, vols[0], vols[1])
        prices = 100 * (quoted / day.prices[:, None] - 1)
        _add_bid_ask(figure, 2, names, np.zeros_like(market), prices[:, 0], prices[:, 1])
        _add_bid_ask(figure, 3, names, np.zeros_like(market), vols[0] - market, vols[1] - market)
    figure.add_scatter(
        x=names, y=market, name="market", mode="markers", marker=MARKET, row=1, col=1
    )
    figure.add_scatter(
        x=names, y=model, name="model", mode="lines+markers", marker=MODEL,
        line={"color": ORANGE, "width": 1.5}, row=1, col=1,
    )  # fmt: skip
    for row, name, values in ((2, "error in price", errors), (3, "error in vol", vol_errors)):
        figure.add_bar(
            x=names, y=values, name=name, width=0.35, marker={"color": ORANGE}, showlegend=False,
            row=row, col=1,
        )  # fmt: skip
    titles = ("normal vol, bp", "price error, %", "vol error, bp")
    for row, title in enumerate(titles, start=1):
        figure.update_yaxes(title={"text": title, "font": {"size": 12}}, row=row, col=1)
    figure.update_yaxes(zerolinecolor=GREY, zerolinewidth=1.5)
    figure.update_xaxes(type="category", categoryarray=names)
    figure.update_xaxes(title_text="quote", row=3, col=1)
    dressed(figure, "Does the model meet the market?", note, above=20)
    return figure.update_layout(
        height=640,
        legend={"y": 1.0, "yanchor": "bottom", "x": 1.0, "xanchor": "right"},
        meta={"alt": _alt(fit, names, errors, vol_errors)},
    )


def _add_bid_ask(
    figure: go.Figure, row: int, names: list[str], middle: Array, bid: Array, ask: Array
) -> None:
    """Bars from bid to ask; nothing where either is missing."""
    figure.add_scatter(
        x=names, y=middle, name="bid to ask", mode="markers", marker={"opacity": 0},
        showlegend=False, hoverinfo="skip",
        error_y={"array": ask - middle, "arrayminus": middle - bid, "symmetric": False,
                 "color": GREY, "thickness": 2, "width": 8},
        row=row, col=1,
    )  # fmt: skip
    if row == 1:
        figure.add_scatter(
            x=[None], y=[None], name="bid to ask", mode="markers", hoverinfo="skip",
            marker={"symbol": "line-ns", "size": 12, "line": {"color": GREY, "width": 2}},
            row=1, col=1,
        )  # fmt: skip


def _alt(fit: Fit, names: list[str], errors: Array, vol_errors: Array) -> str:
    worst = int(np.abs(errors).argmax())
    vols = vol_errors[np.isfinite(vol_errors)]
    quotes = f"{len(names)} {fit.problem.day.quoted_as}"
    text = (
        f"Normal vols of market and model for {quotes} from {names[0]} "
        f"to {names[-1]}; RMSRE {PERCENT.text(fit.rmsre)}, largest error "
        f"{PERCENT.text(errors[worst] / 100, '+.2g')} of "
        f"the price at {names[worst]}"
    )
    if not vols.size:
        return f"{text}."
    return f"{text}, {BASIS_POINTS.text(np.abs(vols).max() / 1e4, '.2g')} of vol at most."
