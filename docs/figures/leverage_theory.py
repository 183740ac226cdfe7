"""Whose leverage is it: that of G2++, or that of any model with five parameters?"""

from collections.abc import Mapping

import plotly.graph_objects as go
from idealised_leverage import IdealisedLeverage, nearest_power, polynomial_leverage
from plotly.subplots import make_subplots

from calibscope.report.figures.style import BLACK, BLUE, GREY, ORANGE, dressed

COLUMNS = 2
LIKENESS = "polynomials with as many coefficients, in a power of maturity"
TICKS = [1, 3, 5, 10, 30]


def leverage_theory(cases: Mapping[str, IdealisedLeverage], *, note: str = "") -> go.Figure:
    """Leverage of idealised caps beside that of polynomials, a panel per case.

    Parameters
    ----------
    cases : by name, the title of the panel
    note : what the reader must know

    Returns
    -------
    go.Figure
        a Plotly figure; its title is its question
    """
    powers = {name: nearest_power(ideal) for name, ideal in cases.items()}
    figure = make_subplots(
        rows=-(-len(cases) // COLUMNS),
        cols=COLUMNS,
        shared_xaxes="all",
        shared_yaxes=True,
        horizontal_spacing=0.05,
        vertical_spacing=0.15,
        subplot_titles=[
            f"<b>{name}</b><br>power {power:.1f}".replace("-", "\N{MINUS SIGN}")
            for name, power in powers.items()
        ],
    )
    gaps = []
    for number, (name, ideal) in enumerate(cases.items()):
        place = {"row": number // COLUMNS + 1, "col": number % COLUMNS + 1}
        years, degree = ideal.maturities, ideal.basis.shape[1] - 1
        likeness = polynomial_leverage(years, powers[name], degree)
        gaps.append(abs(likeness - ideal.leverage).max())
        figure.add_scatter(
            x=years, y=ideal.leverage, name="G2++", mode="lines+markers",
            line={"color": BLUE, "width": 2}, marker={"size": 7}, showlegend=number == 0,
            **place,
        )  # fmt: skip
        figure.add_scatter(
            x=years, y=likeness, name=LIKENESS, mode="lines+markers",
            line={"color": ORANGE, "width": 2, "dash": "dash"},
            marker={"size": 8, "symbol": "circle-open"}, showlegend=number == 0, **place,
        )  # fmt: skip
        mean = ideal.leverage.mean()
        figure.add_hline(y=mean, line={"color": GREY, "width": 1, "dash": "dot"}, **place)
    figure.update_xaxes(
        type="log", tickvals=TICKS, ticktext=[f"{year}Y" for year in TICKS], tickangle=0
    )
    figure.update_xaxes(title_text="maturity of the cap", row=-(-len(cases) // COLUMNS))
    figure.update_yaxes(range=[0, 1.05])
    figure.update_yaxes(title_text="leverage", col=1)
    figure.update_annotations(font={"size": 13, "color": BLACK})
    alt = (
        f"Leverage by maturity in {len(cases)} idealised markets: high at both ends, low between. "
        f"Polynomials follow it to {max(gaps):.2f}."
    )
    question = "Would the ends decide in any model?"
    dressed(figure, question, note, alt=alt, above=35)
    return figure.update_layout(height=130 + 310 * -(-len(cases) // COLUMNS))
