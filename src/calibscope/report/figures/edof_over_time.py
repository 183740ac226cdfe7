"""How many directions the quotes determine, over time (paper, figures on the EDoF)."""

import math

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from calibscope.base.numbers import number
from calibscope.report.figures.marks import (
    add_symbols,
    add_ticks,
    answered,
    as_text,
    no_results,
    over_time,
    share_of,
    short,
)
from calibscope.report.figures.style import BLACK, BLUE
from calibscope.study.statistics import edof_levels, edof_switches
from calibscope.study.study import Study

TITLES = ("<b>by rank</b> (SVD)", "<b>regularised</b> (Tikhonov)")


def edof_over_time(study: Study) -> go.Figure:
    """The effective degrees of freedom: integers by rank above, Tikhonov's trace below.

    By rank they count the parameters' directions that change prices at all. Tikhonov's trace fades
    from one level to the next, so that loss of rank and regularisation look alike.

    Parameters
    ----------
    study : the history

    Returns
    -------
    go.Figure
        a Plotly figure; its title is its question
    """
    figure = make_subplots(
        rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.13, subplot_titles=TITLES
    )
    figure.update_annotations(x=0, xanchor="left", font={"size": 14}, bgcolor="white")
    fitted = study.fitted
    top = len(study.specs.names)
    lowest = fitted[["edof", "edof_tikhonov"]].min(axis=None) if len(fitted) else 1.0
    bottom = max(math.floor(lowest) - 1, -1)  # where days without results lie
    looks = (
        {"symbol": "line-ns-open", "size": 11, "line": {"width": 1}},
        {"symbol": "circle", "size": 3},
    )
    for row, (column, look) in enumerate(zip(("edof", "edof_tikhonov"), looks, strict=True), 1):
        figure.add_scatter(
            x=as_text(fitted["date"]), y=short(fitted[column]), mode="markers", showlegend=False,
            marker={"color": BLUE, **look}, row=row, col=1,
            hovertemplate="%{x|%Y-%m-%d}: %{y:.3g}<extra></extra>",
        )  # fmt: skip
        add_ticks(
            figure, no_results(study), bottom + 0.1, "no results", size=7, showlegend=row == 1,
            row=row, col=1,
        )  # fmt: skip
        add_symbols(figure, study, fitted.set_index("date")[column], row=row, col=1)
    over_time(figure, study)
    figure.update_yaxes(
        title_text="EDoF", range=[bottom - 0.3, top + 0.6], zeroline=False,
        tickvals=list(range(bottom + 1, top + 1)),
    )  # fmt: skip
    levels = edof_levels(study)
    levels = levels[levels["variant"] == "edof"]
    for level, share in zip(levels["level"], levels["share"], strict=True):
        figure.add_annotation(
            x=1.005, xref="paper", xanchor="left", y=level, yref="y",
            text=share_of(share, 1),
            showarrow=False, font={"size": 12, "color": BLACK},
        )  # fmt: skip
    note = _note(study)
    alt = f"Two panels of the daily EDoF, as integers by rank and as Tikhonov's trace. {note}"
    figure = answered(figure, study, "How many parameters do the quotes determine?", note, alt, 600)
    return figure.update_layout(margin={"r": 75})


def _note(study: Study) -> str:
    fitted = study.fitted
    if fitted.empty:
        return "No day has results."
    full = int((fitted["lost_directions"] == 0).sum())
    switches = edof_switches(study)
    total = int(switches["switches"].sum())
    times = "once" if total == 1 else f"{total:,} times"
    text = f"The rank is full on {full:,} of {len(fitted):,} days and changes {times}"
    if total:
        most = switches.loc[switches["switches"].idxmax()]
        text += f", most in {most['quarter']} ({most['switches']})"
    low, high = fitted["edof_tikhonov"].min(), fitted["edof_tikhonov"].max()
    return f"{text}. Tikhonov's trace is between {number(low, '.2f')} and {number(high, '.2f')}."
