"""The built-in synthetic market over time: rates above, cap volatilities below.

The facts it was tied to are shown with it: the ECB's policy rate as a line, known levels of rates
and volatilities as dots.
"""

import datetime

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from calibscope.market.curve import DiscountCurve
from calibscope.market.market import Market
from calibscope.market.synthetic import anchors
from calibscope.report.figures.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, dressed

VOL_YEARS = {3.0: (BLUE, "circle"), 10.0: (ORANGE, "square"), 30.0: (GREEN, "diamond")}
NOTE = (
    "<b>SYNTHETIC market</b>: lines are invented, except the policy rate; dots are known levels of "
    "the real market"
)


def market_history(market: Market) -> go.Figure:
    """The 10-year OIS rate and normal vols of 3-, 10- and 30-year caps, day by day.

    Parameters
    ----------
    market : days of the built-in market

    Returns
    -------
    go.Figure
        a Plotly figure; its title is its question
    """
    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.05)
    _add_policy_rate(figure, market.dates[0], market.dates[-1])
    _add_ten_year_rate(figure, market)
    _add_vols(figure, market)
    _add_known_levels(figure)
    figure.update_yaxes(title_text="rate, %", zerolinecolor=GREY, row=1, col=1)
    figure.update_yaxes(title_text="normal vol, bp", rangemode="tozero", row=2, col=1)
    figure.update_xaxes(dtick="M12", tickformat="%Y", range=[market.dates[0], market.dates[-1]])
    figure = dressed(figure, "What has the market been through?", NOTE)
    return figure.update_layout(height=760, legend={"y": -0.06})


def par_rate(curve: DiscountCurve, years: int) -> float:
    """The fixed rate of an OIS with yearly payments, decimal."""
    discounts = curve.discount(np.arange(1.0, years + 1))
    return float((1 - discounts[-1]) / np.sum(discounts))


def _add_policy_rate(figure: go.Figure, first: datetime.date, last: datetime.date) -> None:
    steps = [(datetime.date.fromisoformat(date), rate) for date, rate in anchors.POLICY_RATES]
    dates = [max(date, first) for date, _ in steps if date <= last]
    rates = [rate for date, rate in steps if date <= last]
    figure.add_scatter(
        x=[*dates, last], y=[*rates, rates[-1]], name="ECB deposit rate (fact)",
        line={"color": BLACK, "width": 1.5, "shape": "hv"}, row=1, col=1,
    )  # fmt: skip


def _add_ten_year_rate(figure: go.Figure, market: Market) -> None:
    figure.add_scatter(
        x=market.dates, y=[100 * par_rate(day.curve, 10) for day in market], name="10Y OIS",
        line={"color": PURPLE, "width": 1.2}, row=1, col=1,
    )  # fmt: skip


def _add_vols(figure: go.Figure, market: Market) -> None:
    vols = [dict(zip(day.maturities, 1e4 * day.normal_vols, strict=True)) for day in market]
    for years, (colour, _) in VOL_YEARS.items():
        figure.add_scatter(
            x=market.dates, y=[levels.get(years) for levels in vols], name=f"{years:g}Y cap",
            line={"color": colour, "width": 1.2}, row=2, col=1,
        )  # fmt: skip


def _add_known_levels(figure: go.Figure) -> None:
    for mean in anchors.TEN_YEAR_MEANS:
        start = "2016-09-01" if mean.year == 2016 else f"{mean.year}-01-01"
        figure.add_scatter(
            x=[start, f"{mean.year}-12-31"], y=[mean.percent] * 2, mode="lines", opacity=0.45,
            name="10Y, known mean of the year", showlegend=mean.year == 2016, hoverinfo="skip",
            line={"color": BLACK, "width": 4}, row=1, col=1,
        )  # fmt: skip
    levels = anchors.TEN_YEAR_LEVELS
    dates = [level.date for level in levels]
    _add_dots(figure, 1, dates, [level.percent for level in levels], PURPLE, "circle", "10Y")
    for years, (colour, symbol) in VOL_YEARS.items():
        known = [(fact.date, fact.bp[int(years)]) for fact in anchors.CAP_VOLS if years in fact.bp]
        dates, vols = [date for date, _ in known], [level for _, level in known]
        _add_dots(figure, 2, dates, vols, colour, symbol, f"{years:g}Y")


def _add_dots(
    figure: go.Figure,
    row: int,
    dates: list[str],
    levels: list[float],
    colour: str,
    symbol: str,
    maturity: str,
) -> None:
    figure.add_scatter(
        x=dates, y=levels, mode="markers", name=f"{maturity}, known level", cliponaxis=False,
        marker={"color": colour, "symbol": symbol, "size": 9,
                "line": {"color": "white", "width": 1.5}},
        row=row, col=1,
    )  # fmt: skip
