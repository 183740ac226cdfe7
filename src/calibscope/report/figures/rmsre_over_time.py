"""The fit over time (paper, figure on daily goodness of fit)."""

import numpy as np
import plotly.graph_objects as go

from calibscope.base.numbers import PERCENT
from calibscope.report.figures.marks import (
    add_symbols,
    add_ticks,
    answered,
    as_text,
    no_results,
    over_time,
    short,
)
from calibscope.report.figures.style import BLACK, BLUE, percent
from calibscope.study.metrics import RMSRE_AMBER
from calibscope.study.statistics import fit_over_time
from calibscope.study.study import Study

MARKED = 60  # days up to which each has a dot
LOG_FROM = 10.0  # largest over smallest RMSRE


def rmsre_over_time(study: Study) -> go.Figure:
    """How close the model came to the quotes, day by day, with the median of each year.

    The axis is logarithmic when the errors differ by more than a factor of ten. Days without
    results are ticks at the bottom and gaps in the line.

    Parameters
    ----------
    study : the history

    Returns
    -------
    go.Figure
        a Plotly figure; its title is its question
    """
    figure = go.Figure()
    days, fitted = study.days, study.fitted
    sizes = 100 * fitted["rmsre"]
    figure.add_scatter(
        x=as_text(days["date"]), y=short(100 * days["rmsre"]), name="RMSRE of the day",
        mode="lines" if len(days) > MARKED else "lines+markers", line={"color": BLUE, "width": 1},
        hovertemplate="%{x|%Y-%m-%d}: %{y:.3f} %<extra></extra>",
    )  # fmt: skip
    _add_medians(figure, study)
    is_log = bool(len(sizes)) and sizes.min() > 0 and sizes.max() > LOG_FROM * sizes.min()
    bottom = _bottom(sizes.min(), sizes.max(), is_log=is_log) if len(sizes) else 0.0
    add_ticks(figure, no_results(study), bottom, "no results", cliponaxis=False)
    add_symbols(figure, study, 100 * fitted.set_index("date")["rmsre"], " %")
    over_time(figure, study)
    log = {"type": "log", "dtick": "D2", "minor": {"showgrid": False}} if is_log else {}
    scale = " (log scale)" if is_log else ""
    figure.update_yaxes(title_text=f"RMSRE, %{scale}", tickformat="~g", **log)
    if not is_log:
        figure.update_yaxes(rangemode="tozero")
    note, alt = _words(study)
    return answered(figure, study, "How good is the fit?", note, alt)


def _add_medians(figure: go.Figure, study: Study) -> None:
    table = fit_over_time(study, thresholds=())
    table = table[(table["period"] != "all") & table["median"].notna()]
    x: list[str | None] = []
    y: list[float | None] = []
    dates = study.days["date"]
    for year, median in zip(table["period"], table["median"], strict=True):
        own = dates[dates.dt.year == int(year)]
        x += [*as_text([own.min(), own.max()]), None]
        y += [100 * median, 100 * median, None]
    figure.add_scatter(
        x=x, y=y, name="median of the year", mode="lines", hoverinfo="skip",
        line={"color": BLACK, "width": 3},
    )  # fmt: skip


def _bottom(lowest: float, highest: float, *, is_log: bool) -> float:
    """Where ticks lie: a little below the data."""
    return float(lowest * (lowest / highest) ** 0.08) if is_log else 0.0


def _words(study: Study) -> tuple[str, str]:
    rmsre = study.fitted["rmsre"]
    if rmsre.empty:
        return "No day has results.", "No day has results."
    lost = len(study.days) - len(rmsre)
    worst = study.fitted.loc[rmsre.idxmax(), "date"]
    above = int(np.sum(rmsre > RMSRE_AMBER))
    fact = (
        f"Median {percent(rmsre.median(), 2)}, highest {percent(rmsre.max(), 2)} on "
        f"{worst:%Y-%m-%d}; "
        f"above {PERCENT.text(RMSRE_AMBER)} on {above:,} of {len(rmsre):,} days."
    )
    note = fact + (f" {lost:,} days have no results." if lost else "")
    first, last = study.days["date"].iloc[0], study.days["date"].iloc[-1]
    alt = f"Line of the daily RMSRE from {first:%Y-%m-%d} to {last:%Y-%m-%d}. {fact}"
    return note, alt
