"""Which bound holds which parameter, and when (paper, section on EDoF and constraints)."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from calibscope.report.figures.marks import (
    HELD,
    add_ticks,
    answered,
    no_results,
    over_time,
    share_of,
)
from calibscope.report.figures.parameters import symbol_of
from calibscope.report.figures.style import BLACK, DARK_GREY, GREY
from calibscope.study.statistics.bounds import bounds_of_days
from calibscope.study.study import Study

SIDES = {-1: "lower", 1: "upper"}


def active_bounds_over_time(study: Study) -> go.Figure:
    """One row per bound that was ever active, those that hold most often on top, a tick per day.

    Days without results are a row of their own.

    Parameters
    ----------
    study : the history

    Returns
    -------
    go.Figure
        a Plotly figure; its title is its question
    """
    figure = go.Figure()
    held = held_by_bounds(study)
    counts = held.groupby(["parameter", "side", "bound"]).size().sort_values()
    lost = no_results(study)
    names: list[tuple[str, str]] = []  # and on what share of days
    if len(lost):
        add_ticks(figure, lost, len(names), "no results", GREY, size=16, showlegend=False)
        names.append(("no results", share_of(len(lost), len(study.days))))
    for (parameter, side, bound), count in counts.items():
        own = held[(held["parameter"] == parameter) & (held["side"] == side)]
        own = own[own["bound"] == bound]
        text = f"{symbol_of(study.specs[parameter])} = {_number(bound)}"
        add_ticks(figure, own["date"], len(names), text, HELD, size=16, showlegend=False)
        names.append((text, share_of(count, len(study.fitted))))
    figure.update_yaxes(
        tickvals=list(range(len(names))), ticktext=[name for name, _ in names], zeroline=False,
        range=[-0.6, max(len(names), 1) - 0.4], showgrid=False, title_text="bound that holds",
    )  # fmt: skip
    for row, (_, share) in enumerate(names):
        figure.add_annotation(
            x=1.01, xref="paper", xanchor="left", y=row, text=share, showarrow=False,
            font={"size": 12, "color": BLACK},
        )  # fmt: skip
    figure.add_annotation(
        x=1.01, xref="paper", xanchor="left", y=max(len(names), 1) - 0.5, text="of days",
        showarrow=False, font={"size": 12, "color": DARK_GREY},
    )  # fmt: skip
    over_time(figure, study)
    note = _note(study, held, counts)
    alt = f"One row of daily ticks for each bound that is active on some day. {note}"
    figure = answered(figure, study, "Which bounds hold the parameters, and when?", note, alt)
    return figure.update_layout(margin={"l": 120, "r": 75})


def held_by_bounds(study: Study) -> pd.DataFrame:
    """Date, parameter, side and bound of every parameter that is at a bound, as in the store."""
    at = study.parameters.loc[
        study.parameters["at_bound"].isin(list(SIDES)), ["date", "parameter", "at_bound"]
    ]
    frame = at.merge(bounds_of_days(study), on=["date", "parameter"])
    frame = frame[frame["lower"] < frame["upper"]]
    side = frame["at_bound"].astype(int).map(SIDES)
    bound = frame["lower"].where(side == "lower", frame["upper"])
    return frame[["date", "parameter"]].assign(side=side, bound=bound)


def _number(bound: float) -> str:
    """0.00001, not 1e-05."""
    return np.format_float_positional(bound, trim="-").replace("-", "\N{MINUS SIGN}")


def _note(study: Study, held: pd.DataFrame, counts: "pd.Series[int]") -> str:
    days = len(study.fitted)
    if not len(counts):
        return f"No bound is active on any of {days:,} days."
    parameter, _, bound = counts.index[-1]
    touched = held["date"].nunique()
    several = int((held.groupby("date").size() > 1).sum())
    return (
        f"{symbol_of(study.specs[parameter])} is at {_number(bound)} on "
        f"{share_of(counts.iloc[-1], days)} of {days:,} days; some bound is "
        f"active on {share_of(touched, days)}, several at once on {share_of(several, days)}."
    )
