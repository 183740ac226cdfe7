"""Draw docs/landing.png, the picture of the README: one close fit, and what it leaves open."""

from pathlib import Path

import plotly.graph_objects as go
from plotly.subplots import make_subplots
from render import render

import calibscope as cs
from calibscope.base.numbers import percent
from calibscope.report.figures.style import BLUE, GREY, ORANGE, dressed

DATE = "2020-03-18"
SHOWN = ("a_x", "a_y", "sigma_x", "sigma_y")  # positive, so that one logarithmic axis fits all
SYMBOLS = (
    "a<sub>x</sub>",
    "a<sub>y</sub>",
    "\N{GREEK SMALL LETTER SIGMA}<sub>x</sub>",
    "\N{GREEK SMALL LETTER SIGMA}<sub>y</sub>",
)
HIGH = 0.95  # leverage from here on is drawn in another colour


def landing() -> go.Figure:
    """Fit, leverage and intervals of one day, side by side."""
    day = cs.demo_market().day(DATE)
    fit = cs.calibrate(day)
    dx = cs.diagnose(fit)
    profile, delta = dx.intervals(0.95), dx.intervals(0.95, method="delta")
    labels = list(day.labels)
    first, top = labels[int(dx.leverage.argmax())], dx.leverage.max()
    widest = f"{SYMBOLS[2]} is known only to be between {profile.of('sigma_x')[0]:.3f} and 1"
    figure = make_subplots(
        cols=3,
        column_widths=[0.32, 0.32, 0.36],
        horizontal_spacing=0.085,
        subplot_titles=[
            f"<b>The fit is close</b><br>RMSRE {percent(fit.rmsre, 2)} over {len(labels)} caps",
            f"<b>One quote decides it</b><br>leverage {top:.2f} at {first}",
            f"<b>Parameters stay open</b><br>{widest}",
        ],
    )
    errors = [
        100 * (model - market) / market
        for model, market in zip(fit.prices, day.prices, strict=True)
    ]
    figure.add_bar(x=labels, y=errors, marker={"color": BLUE}, showlegend=False, row=1, col=1)
    figure.update_yaxes(title_text="model minus market, %", range=[-3, 3], row=1, col=1)
    colours = [ORANGE if share > HIGH else BLUE for share in dx.leverage]
    figure.add_bar(
        x=labels, y=dx.leverage, marker={"color": colours}, showlegend=False, row=1, col=2
    )
    figure.update_yaxes(title_text="leverage", range=[0, 1.02], row=1, col=2)
    for intervals, name, colour, width, shift in (
        (profile, "95 % profile interval", BLUE, 9, 0.14),
        (delta, "95 % delta interval, the usual formula", GREY, 5, -0.18),
    ):
        for place, parameter in enumerate(SHOWN):
            low, high = intervals.of(parameter)
            figure.add_scatter(
                x=[low, high], y=[shift - place] * 2, name=name, legendgroup=name,
                showlegend=place == 0, mode="lines", line={"color": colour, "width": width},
                row=1, col=3,
            )  # fmt: skip
    figure.add_scatter(
        x=[getattr(fit.parameters, name) for name in SHOWN], y=[0.14 - k for k in range(4)],
        name="estimate", mode="markers",
        marker={"color": "white", "size": 8, "line": {"color": BLUE, "width": 2}}, row=1, col=3,
    )  # fmt: skip
    ticks = [0.01, 0.1, 1]
    figure.update_xaxes(
        type="log", tickvals=ticks, ticktext=[f"{tick:g}" for tick in ticks],
        title_text="1/year; volatilities 1/year<sup>1.5</sup>", range=[-2.35, 0.45], row=1, col=3,
    )  # fmt: skip
    figure.update_yaxes(
        tickvals=[-k for k in range(4)], ticktext=list(SYMBOLS), range=[-3.5, 0.6],
        tickfont={"size": 17}, showgrid=False, zeroline=False, row=1, col=3,
    )  # fmt: skip
    for column in (1, 2):
        figure.update_xaxes(title_text="maturity of the cap", tickangle=-90, row=1, col=column)
    figure.update_xaxes(title_font={"size": 14})
    figure.update_yaxes(title_font={"size": 14})
    figure.update_annotations(font={"size": 15})
    dressed(
        figure,
        "How far can this calibration be trusted?",
        f"G2++ on {DATE}.",
        is_synthetic=True,
        above=48,
    )
    return figure.update_layout(legend={"x": 1, "xanchor": "right", "y": -0.33}, bargap=0.35)


if __name__ == "__main__":
    render(landing(), Path(__file__).with_name("landing.png"), width=1200, height=410)
