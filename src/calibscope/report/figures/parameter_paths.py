"""The parameters over time, where a bound holds them, and plausible ones beside implausible."""

from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from calibscope.base.numbers import counted
from calibscope.report.figures.active_bounds_over_time import held_by_bounds
from calibscope.report.figures.marks import (
    HELD,
    add_symbols,
    add_ticks,
    answered,
    as_text,
    over_time,
    share_of,
    short,
)
from calibscope.report.figures.parameters import axis_of, scale_of, symbol_of
from calibscope.report.figures.plausible import PLAUSIBLE, plausible_of
from calibscope.report.figures.style import BLUE, GREEN
from calibscope.study.study import Study


def parameter_paths(study: Study) -> go.Figure:
    """What was calibrated, day by day: one panel per parameter, with ticks at active bounds.

    On days whose best fit is implausible, the best plausible fit is beside it. Speeds and
    volatilities are on a log scale. Days without results have no point.

    Parameters
    ----------
    study : the history

    Returns
    -------
    go.Figure
        a Plotly figure; its title is its question
    """
    names = study.specs.names
    figure = make_subplots(rows=len(names), cols=1, shared_xaxes=True, vertical_spacing=0.025)
    estimates = study.estimates.reindex(study.days["date"])
    held = held_by_bounds(study)
    is_named = has_plausible = False
    for row, parameter in enumerate(names, start=1):
        place: dict[str, Any] = {"row": row, "col": 1}
        spec = study.specs[parameter]
        figure.add_scatter(
            x=as_text(estimates.index), y=short(estimates[parameter]), showlegend=False,
            mode="markers", name=parameter, marker={"color": BLUE, "size": 3}, **place,
            hovertemplate="%{x|%Y-%m-%d}: %{y:.4g}<extra></extra>",
        )  # fmt: skip
        values = plausible_of(study, parameter)
        if len(values):
            figure.add_scatter(
                x=as_text(values.index), y=short(values), name=PLAUSIBLE, mode="markers",
                marker={"color": GREEN, "size": 3}, showlegend=not has_plausible,
                legendgroup=PLAUSIBLE, cliponaxis=False, **place,
                hovertemplate="%{x|%Y-%m-%d}: plausible %{y:.4g}<extra></extra>",
            )  # fmt: skip
            has_plausible = True
        own = held[held["parameter"] == parameter]
        for bound, dates in own.groupby("bound")["date"]:
            add_ticks(
                figure, dates, float(bound), "held by a bound", HELD, size=9,
                showlegend=not is_named, legendgroup="bound", cliponaxis=False, **place,
            )  # fmt: skip
            is_named = True
        add_symbols(figure, study, estimates[parameter], **place)
        figure.update_yaxes(
            title_text=axis_of(spec), zeroline=False, tickfont={"size": 12}, **scale_of(spec),
            **place,
        )  # fmt: skip
    over_time(figure, study)
    days = len(study.fitted)
    counts = held.groupby("parameter")["date"].nunique().reindex(names, fill_value=0)
    parts = [
        f"{symbol_of(study.specs[name])}\N{NO-BREAK SPACE}{share_of(count, days)}"
        for name, count in counts.items()
        if count
    ]
    note = f"Share of {days:,} days at a bound: {', '.join(parts) or 'none'}."
    odd = int(study.fitted["is_implausible"].eq(True).sum())
    note += f" Implausible: {share_of(odd, days)}; the best plausible fit is green." if odd else ""
    alt = f"{counted(len(names), 'panel')} with the calibrated parameters over time. {note}"
    figure = answered(figure, study, "What were the parameters?", note, alt, 110 + 150 * len(names))
    return figure.update_layout(margin={"l": 90})
