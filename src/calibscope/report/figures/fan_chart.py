"""How uncertain a parameter is, day by day (paper, fan charts of confidence intervals).

A day whose interval is uninformative has no band: at a bound there is no interval, and where rank
was lost along the parameter a thin band would be misread as precision. Such days are ticks: at the
bound that holds the parameter, or below everything. Estimates are dots: a line would join days on
which the calibration found different optima, and draw values that it never took. A study with
`all_intervals`, such as one of the paper's preset, has the paper's charts: every interval that the
formula gives is a band, and the note says on how many days it would mislead.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from calibscope.base.numbers import percent
from calibscope.base.parameters import ParameterSpec
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
from calibscope.report.figures.parameters import axis_of, is_log, scale_of, spec_of, symbol_of
from calibscope.report.figures.style import BLACK, DARK_GREY, GREY
from calibscope.study.statistics.bounds import bounds_of_days
from calibscope.study.study import Study

SCALES = {
    "mad": "robust (MAD)",
    "mse": "classical (MSE)",
    "mad_adjusted": "robust, adjusted for parameters",
}
SHADES = ("#D6E8F5", "#94C4E3", "#4A98C9", "#1F6FA8")  # widest interval first
DAY = 86_400_000  # milliseconds
BOUND, LOST, NONE = "held by a bound", "not identified or collapsed", "no interval"
TICKS = {
    BOUND: (HELD, "line-ns-open"),
    LOST: (DARK_GREY, "x-thin-open"),
    NONE: (GREY, "line-ns-open"),
}


def fan_chart(
    study: Study,
    parameter: str,
    scales: Sequence[str] = ("mad", "mse", "mad_adjusted"),
    has_gaps: bool | None = None,
) -> go.Figure:
    """Estimate and confidence intervals of one parameter over time, a panel per scale of noise.

    Speeds and volatilities are on a log scale. Dashed lines are the bounds of the calibration.

    Parameters
    ----------
    study : the history
    parameter : by name
    scales : "mad" (robust), "mse" (classical), "mad_adjusted"
    has_gaps : whether days without an informative interval have no band; None: as the study's
        settings say (`diagnosis.all_intervals`)

    Returns
    -------
    go.Figure
        a Plotly figure; its title is its question
    """
    spec = spec_of(study.specs, parameter)
    for scale in scales:
        if scale not in SCALES:
            raise ValueError(f"scale is {scale!r}; give some of {', '.join(SCALES)}")
    if has_gaps is None:
        has_gaps = not study.settings.diagnosis.all_intervals
    figure = make_subplots(
        rows=len(scales), cols=1, shared_xaxes=True, vertical_spacing=0.25 / (2 + len(scales)),
        subplot_titles=[f"<b>{SCALES[scale]}</b>" for scale in scales],
    )  # fmt: skip
    figure.update_annotations(x=0, xanchor="left", font={"size": 14}, bgcolor="white")
    estimates = study.estimates[parameter].reindex(study.days["date"])
    bounds = bounds_of_days(study)
    bounds = bounds[bounds["parameter"] == parameter]
    below = _below(estimates, bounds, spec)
    counts: dict[str, int] = {}
    misleading: dict[str, int] = {}
    for row, scale in enumerate(scales, start=1):
        place: dict[str, Any] = {"row": row, "col": 1}
        kinds = interval_kinds(study, parameter, scale)
        if not has_gaps:
            drawn = has_interval(study, parameter, scale).reindex(kinds.index, fill_value=False)
            for kind in (BOUND, LOST):
                misleading.setdefault(kind, int((drawn & (kinds == kind)).sum()))
            kinds = kinds.mask(drawn, "")
        _add_bands(figure, study, parameter, scale, estimates, kinds, is_first=row == 1, **place)
        free = estimates[kinds.index[kinds != BOUND]]
        figure.add_scatter(
            x=as_text(free.index), y=short(free), name="estimate",
            mode="markers", marker={"color": BLACK, "size": 2.5}, cliponaxis=False,
            showlegend=row == 1, legendgroup="estimate", **place,
            hovertemplate="%{x|%Y-%m-%d}: %{y:.4g}<extra></extra>",
        )  # fmt: skip
        for kind, (colour, symbol) in TICKS.items():
            own = kinds.index[kinds == kind]
            heights = estimates[own] if kind == BOUND else np.full(len(own), below)
            add_ticks(
                figure, own, heights, kind, colour, symbol=symbol, size=7,
                showlegend=kind not in counts, legendgroup=kind, cliponaxis=False, **place,
            )  # fmt: skip
            if len(own):
                counts.setdefault(kind, len(own))
        _add_bounds(figure, bounds, **place)
        add_symbols(figure, study, estimates, **place)
    over_time(figure, study)
    figure.update_yaxes(
        title_text=axis_of(spec), zeroline=False, tickfont={"size": 12}, **scale_of(spec, step=2),
    )  # fmt: skip
    note = _note(study, counts, misleading)
    alt = (
        f"Panels of {parameter} over time with its confidence intervals, one per "
        f"scale of noise. {note}"
    )
    figure = answered(
        figure, study, f"How uncertain is {symbol_of(spec)}?", note, alt, 220 + 180 * len(scales)
    )
    return figure.update_layout(margin={"l": 80})


def interval_kinds(study: Study, parameter: str, scale: str) -> pd.Series:
    """Why a day has no band, by date; empty text where it has one. Only days with results."""
    frame = _intervals_of(study, parameter, scale)
    days = frame.groupby("date").agg(is_collapsed=("is_collapsed", "any"))
    marks = study.parameters[study.parameters["parameter"] == parameter].set_index("date")
    is_there = has_interval(study, parameter, scale)
    is_there = is_there.reindex(marks.index, fill_value=False).to_numpy(bool)
    is_collapsed = days["is_collapsed"].reindex(marks.index, fill_value=False).to_numpy(bool)
    is_identified = marks["is_identified"].to_numpy(bool, na_value=False)
    at_bound = marks["at_bound"].fillna(0).to_numpy(int) != 0
    kinds = np.select(
        [at_bound, ~is_there & is_identified, is_collapsed | ~is_identified],
        [BOUND, NONE, LOST],
        "",
    )
    return pd.Series(kinds, marks.index, dtype=object)


def has_interval(study: Study, parameter: str, scale: str) -> pd.Series:
    """Whether a day has both ends at all levels, by date."""
    low = _intervals_of(study, parameter, scale).groupby("date")["low"]
    return low.agg(lambda ends: bool(ends.notna().all())).astype(bool)


def _intervals_of(study: Study, parameter: str, scale: str) -> pd.DataFrame:
    frame = study.intervals
    return frame[(frame["parameter"] == parameter) & (frame["scale"] == scale)]


def _add_bands(
    figure: go.Figure,
    study: Study,
    parameter: str,
    scale: str,
    estimates: pd.Series,
    kinds: pd.Series,
    *,
    is_first: bool,
    **place: int,
) -> None:
    """An interval holds until the next day; where there is none, its ends meet and cannot be seen.

    Values lie on calendar days, so that no dates need to be stored with them: eighteen lines of
    ten years would be too large otherwise. Plotly cannot fill between lines with gaps.
    """
    frame = _intervals_of(study, parameter, scale)
    has_band = kinds.reindex(estimates.index, fill_value=NONE).to_numpy() == ""
    if not has_band.any():
        return
    meeting = _meeting(study.specs[parameter], estimates[has_band])
    calendar = pd.date_range(estimates.index[0], estimates.index[-1] + pd.Timedelta(days=1))
    latest = np.searchsorted(estimates.index.to_numpy(), calendar.to_numpy(), side="right") - 1
    levels = sorted(frame["level"].unique(), reverse=True)
    for level, shade in zip(levels, SHADES, strict=False):
        ends = frame[frame["level"] == level].set_index("date")[["low", "high"]]
        ends = ends.reindex(estimates.index)
        for side in ("low", "high"):
            values = np.where(has_band, ends[side], meeting)
            figure.add_scatter(
                x0=as_text(calendar[:1])[0], dx=DAY, y=short(values[latest]), mode="lines",
                line={"width": 0, "shape": "hv"}, name=f"{percent(level, 0)} interval",
                hoverinfo="skip",
                fill="tonexty" if side == "high" else None, fillcolor=shade,
                showlegend=is_first and side == "high", legendgroup=f"{level:g}", **place,
            )  # fmt: skip


def _meeting(spec: ParameterSpec, estimates: pd.Series) -> float:
    """Within the picture, and a number that is short in the figure's base64."""
    if not is_log(spec):
        return 0.0
    return float(2.0 ** np.round(np.log2(estimates.median())))


def _add_bounds(figure: go.Figure, bounds: pd.DataFrame, **place: int) -> None:
    for height in sorted({*bounds["lower"], *bounds["upper"]}):
        figure.add_hline(
            y=height, line={"color": GREY, "width": 1, "dash": "dash"}, layer="below", **place
        )


def _below(estimates: pd.Series, bounds: pd.DataFrame, spec: ParameterSpec) -> float:
    """A height below the lower bound."""
    low = float(min([*bounds["lower"], *estimates.dropna()], default=1.0))
    high = float(max([*bounds["upper"], *estimates.dropna()], default=2.0))
    if is_log(spec):
        return float(low * (low / high) ** 0.12)
    return low - 0.12 * (high - low)


def _note(study: Study, counts: dict[str, int], misleading: dict[str, int]) -> str:
    days = len(study.fitted)
    if not days:
        return "No day has results."
    without = sum(counts.values())
    if not without and not any(misleading.values()):
        return f"Every one of {days:,} days has intervals."
    if any(misleading.values()):
        shares = (f"{kind} {share_of(count, days)}" for kind, count in misleading.items() if count)
        return (
            f"Every interval of the formula is a band, also where it misleads: {', '.join(shares)} "
            f"of {days:,} days."
        )
    parts = ", ".join(f"{kind} {share_of(count, days)}" for kind, count in counts.items())
    return (
        f"No band on {share_of(without, days)} of {days:,} days, where it would mislead: {parts}."
    )
