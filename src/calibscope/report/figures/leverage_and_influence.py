"""Leverage and Cook's distance of every quote."""

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from calibscope.base.numbers import number
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.report.figures.style import BLACK, BLUE, SKY, dressed

WORDS = {
    "active": "as fitted",
    "full": "as if all parameters could move",
    "strict": "all bounds held",
}


def leverage_and_influence(
    dx: Diagnosis, note: str = "", *, beside: Diagnosis | None = None
) -> go.Figure:
    """Which quotes could move the fit (leverage), and which have (Cook's distance).

    Leverage 1: the fit must meet the quote. Cook's distance above 1: removing the quote would
    change the parameters substantially, by the linear approximation; the larger of two is written
    above the bars. A quote that is met whatever it says has no Cook's distance, and carries a
    cross.

    Parameters
    ----------
    dx : of `diagnose`
    note : what the reader must know about the data
    beside : the diagnosis in another mode, to be shown beside

    Returns
    -------
    go.Figure
        a Plotly figure; its title is its question
    """
    names = [str(name) for name in dx.problem.labels]
    modes = [(dx, WORDS[dx.mode], BLUE, "")]
    if beside is not None:
        modes.append((beside, WORDS[beside.mode], SKY, "/"))
    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.07)
    for each, word, colour, pattern in modes:
        hatch = {"shape": pattern, "fgcolor": "white", "size": 6}
        figure.add_bar(
            x=names, y=each.leverage, name=word, legendgroup=word,
            showlegend=beside is not None, marker={"color": colour, "pattern": hatch}, row=1, col=1,
        )  # fmt: skip
        cooks = each.cooks_distance
        figure.add_bar(
            x=names, y=np.where(np.isfinite(cooks), cooks, np.nan),
            name=word, legendgroup=word, showlegend=False,
            marker={"color": colour, "pattern": hatch}, row=2, col=1,
        )  # fmt: skip
        missing = [name for name, value in zip(names, cooks, strict=True) if not np.isfinite(value)]
        if missing:
            figure.add_scatter(
                x=missing, y=[0.0] * len(missing), mode="markers", cliponaxis=False,
                name="no Cook's distance", showlegend=each is dx,
                marker={"symbol": "x-thin", "size": 9, "line": {"color": colour, "width": 2}},
                row=2, col=1,
            )  # fmt: skip
    largest = np.fmax.reduce([each.cooks_distance for each, *_ in modes])
    is_far = np.isfinite(largest) & (largest >= dx.settings.cooks_distance)
    figure.add_scatter(
        x=np.array(names)[is_far], y=largest[is_far], mode="text",
        text=[number(x, ".2g") for x in largest[is_far]], textposition="top center",
        cliponaxis=False, showlegend=False, name="far", hoverinfo="skip", row=2, col=1,
    )  # fmt: skip
    mean = float(np.mean(dx.leverage))
    highest = np.max(np.append(_finite(dx), [] if beside is None else _finite(beside)), initial=1.0)
    limit = dx.settings.cooks_distance
    for row, height, name in (
        (1, mean, f"mean leverage {number(mean, '.2f')}"),
        (2, limit, f"Cook's distance {limit:g}: far"),
    ):
        figure.add_scatter(
            x=[names[0], names[-1]], y=[height] * 2, mode="lines", name=name, hoverinfo="skip",
            line={"color": BLACK, "width": 1.5, "dash": "dot" if row == 1 else "dash"},
            row=row, col=1,
        )  # fmt: skip
    figure.update_yaxes(title_text="leverage", range=[0, 1.04], row=1, col=1)
    figure.update_yaxes(title_text="Cook's distance", range=[0, 1.15 * highest], row=2, col=1)
    figure.update_xaxes(type="category", categoryarray=names)
    figure.update_xaxes(title_text="maturity", row=2, col=1)
    dressed(figure, "Which maturities decide the fit?", note)
    return figure.update_layout(
        height=600, barmode="group", bargap=0.3, margin={"b": 130},
        legend={"yref": "container", "y": 0.01, "yanchor": "bottom"}, meta={"alt": _alt(dx, names)},
    )  # fmt: skip


def _finite(dx: Diagnosis) -> np.ndarray:
    return dx.cooks_distance[np.isfinite(dx.cooks_distance)]


def _alt(dx: Diagnosis, names: list[str]) -> str:
    first = int(np.argmax(dx.leverage))
    text = (
        f"Leverage of {len(names)} quotes, {number(dx.leverage[first], '.2f')} at most, at "
        f"{names[first]}, "
        f"{number(float(np.mean(dx.leverage)), '.2f')} on average."
    )
    if not _finite(dx).size:
        return text + " No quote has a Cook's distance."
    second = int(np.nanargmax(np.where(np.isfinite(dx.cooks_distance), dx.cooks_distance, np.nan)))
    return text + (
        f" The largest Cook's distance is {number(dx.cooks_distance[second], '.2g')}, at "
        f"{names[second]}."
    )
