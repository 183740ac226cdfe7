"""How uncertain a parameter is, day by day (paper, fan charts of confidence intervals).

Bands are profile intervals on the days that have them, blue, and the delta method's elsewhere,
hatched in grey; other local minima inside a profile interval are dots of their own. With `scales`,
and in a study whose intervals are the delta method's, there is a panel of delta intervals for each
scale of the noise, as in the paper.

A day whose delta interval is uninformative has no band: at a bound there is none, and where rank
was lost along the parameter a thin band would be misread as precision. Such days are ticks: at the
bound that holds the parameter, or below everything. Estimates are dots: a line would join days on
which the calibration found different optima, and draw values that it never took. A study with
`all_intervals`, such as one of the paper's preset, has the paper's charts: every interval that the
formula gives is a band, and the note says on how many days it would mislead.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
from calibscope.report.figures.plausible import PLAUSIBLE, plausible_of
from calibscope.report.figures.style import BLACK, DARK_GREY, GREEN, GREY, ORANGE
from calibscope.study import statistics
from calibscope.study.statistics.bounds import bounds_of_days
from calibscope.study.statistics.interval_shares import delta_scale
from calibscope.study.study import Study

SCALES = {
    "mad": "robust (MAD)",
    "mse": "classical (MSE)",
    "mad_adjusted": "robust, adjusted for parameters",
}
SHADES = ("#D6E8F5", "#94C4E3", "#4A98C9", "#1F6FA8")  # widest interval first
HATCHED = ("#E3E3E3", "#C4C4C4", "#A2A2A2", "#7D7D7D")  # the same for the delta method
PROFILE, DELTA, SECOND = "by profile", "by delta method", "second minimum"
DAY = 86_400_000  # milliseconds
BOUND, LOST, NONE = "held by a bound", "not identified or collapsed", "no interval"
TICKS = {
    BOUND: (HELD, "line-ns-open"),
    LOST: (DARK_GREY, "x-thin-open"),
    NONE: (GREY, "line-ns-open"),
}


@dataclass(frozen=True, slots=True)
class _Bands:
    """Intervals by one method, on the days that have them."""

    frame: pd.DataFrame  # of one parameter: date, level, low, high
    has_band: "pd.Series[bool]"  # by date
    words: str = ""  # the method, for the legend
    shades: tuple[str, ...] = SHADES
    pattern: str = ""  # of hatched bands


@dataclass(frozen=True, slots=True)
class _Panel:
    """A row of the chart."""

    title: str
    bands: tuple[_Bands, ...]
    kinds: "pd.Series[str]"  # why a day has no band, by date; "" where it has one
    misleading: Mapping[str, int]  # days whose band misleads, by kind
    second: "pd.Series[float]"  # another local minimum inside, by date


def fan_chart(
    study: Study,
    parameter: str,
    scales: Sequence[str] | None = None,
    has_gaps: bool | None = None,
    levels: Sequence[float] | None = None,
) -> go.Figure:
    """Estimate and confidence intervals of one parameter over time.

    Profile intervals where they are stored, {t: Q_j(t) <= limit} (Bates and Watts, 1988, section
    6.1), and delta intervals elsewhere. Speeds and volatilities are on a log scale. Dashed lines
    are the bounds of the calibration.

    Parameters
    ----------
    study : the history
    parameter : by name
    scales : "mad" (robust), "mse" (classical), "mad_adjusted": delta intervals alone, a panel per
        scale of noise; None: profiles and delta together, or all three where the study's
        intervals are the delta method's (`diagnosis.method`)
    has_gaps : whether days without an informative interval have no band; None: as the study's
        settings say (`diagnosis.all_intervals`)
    levels : of the intervals that are drawn; None: all that are stored

    Returns
    -------
    go.Figure
        a Plotly figure; its title is its question
    """
    spec = spec_of(study.specs, parameter)
    settings = study.settings.diagnosis
    for scale in scales or ():
        if scale not in SCALES:
            raise ValueError(f"scale is {scale!r}; give some of {', '.join(SCALES)}")
    if has_gaps is None:
        has_gaps = not settings.all_intervals
    is_paper = settings.method == "delta"
    if scales is None and not is_paper:
        panels = [_both(study, parameter, has_gaps)]
    else:
        panels = [_by_delta(study, parameter, scale, has_gaps) for scale in scales or SCALES]
    if levels is not None:
        panels = [_at(panel, levels) for panel in panels]
    figure = make_subplots(
        rows=len(panels), cols=1, shared_xaxes=True, vertical_spacing=0.25 / (2 + len(panels)),
        subplot_titles=[f"<b>{panel.title}</b>" for panel in panels if panel.title] or None,
    )  # fmt: skip
    figure.update_annotations(x=0, xanchor="left", font={"size": 14}, bgcolor="white")
    estimates = study.estimates[parameter].reindex(study.days["date"])
    bounds = bounds_of_days(study)
    bounds = bounds[bounds["parameter"] == parameter]
    below = _below(estimates, bounds, spec)
    named: set[str] = set()
    for row, panel in enumerate(panels, start=1):
        place: dict[str, Any] = {"row": row, "col": 1}
        for bands in panel.bands:
            _add_bands(figure, bands, spec, estimates, is_first=row == 1, **place)
        _add_days(figure, panel, estimates, below, named, **place)
        if not is_paper:
            _add_plausible(figure, study, parameter, is_first=row == 1, **place)
        _add_bounds(figure, bounds, **place)
        add_symbols(figure, study, estimates, **place)
    over_time(figure, study)
    figure.update_yaxes(
        title_text=axis_of(spec), zeroline=False, tickfont={"size": 12}, **scale_of(spec, step=2),
    )  # fmt: skip
    note = " ".join(filter(None, (_methods(study, parameter, panels[0]), _note(study, panels))))
    alt = (
        f"Panels of {parameter} over time with its confidence intervals, one per "
        f"scale of noise. {note}"
        if panels[0].title
        else f"{parameter} over time with its confidence intervals. {note}"
    )
    height = 220 + 180 * len(panels) if panels[0].title else 560
    figure = answered(figure, study, f"How uncertain is {symbol_of(spec)}?", note, alt, height)
    return figure.update_layout(margin={"l": 80})


def _by_delta(study: Study, parameter: str, scale: str, has_gaps: bool) -> _Panel:
    """Delta intervals of a scale, on every day that has one."""
    kinds, misleading = _kinds(study, parameter, scale, has_gaps)
    bands = _Bands(_intervals_of(study, parameter, scale), kinds == "")
    none = pd.Series(dtype=float)
    return _Panel(SCALES[scale], (bands,), kinds, misleading, none)


def _both(study: Study, parameter: str, has_gaps: bool) -> _Panel:
    """Profile intervals where they are stored, delta intervals on the other days."""
    profiles = study.profiles[study.profiles["parameter"] == parameter]
    profiles = profiles[profiles["low"].notna()]
    kinds, misleading = _kinds(study, parameter, delta_scale(study), has_gaps)
    is_known = pd.Series(kinds.index.isin(profiles["date"]), kinds.index)
    kinds = kinds.mask(is_known, "")
    delta = _intervals_of(study, parameter, delta_scale(study))
    last = profiles[profiles["level"] == profiles["level"].max()].set_index("date")
    return _Panel(
        "",
        (
            _Bands(delta, (kinds == "") & ~is_known, DELTA, HATCHED, "/"),
            _Bands(profiles, is_known, PROFILE),
        ),
        kinds,
        misleading if not has_gaps else {},
        last["second_minimum"].dropna(),
    )


def _at(panel: _Panel, levels: Sequence[float]) -> _Panel:
    """The same with intervals of these levels only."""
    bands = (
        replace(one, frame=one.frame[one.frame["level"].isin(list(levels))]) for one in panel.bands
    )
    return replace(panel, bands=tuple(bands))


def _kinds(
    study: Study, parameter: str, scale: str, has_gaps: bool
) -> tuple["pd.Series[str]", dict[str, int]]:
    """Why days have no band, and how many have one that misleads."""
    kinds = interval_kinds(study, parameter, scale)
    if has_gaps:
        return kinds, {}
    drawn = has_interval(study, parameter, scale).reindex(kinds.index, fill_value=False)
    misleading = {kind: int((drawn & (kinds == kind)).sum()) for kind in (BOUND, LOST)}
    return kinds.mask(drawn, ""), misleading


def _add_days(
    figure: go.Figure,
    panel: _Panel,
    estimates: pd.Series,
    below: float,
    named: set[str],
    **place: int,
) -> None:
    """Estimates and other minima as dots, days without a band as ticks."""
    free = estimates[panel.kinds.index[panel.kinds != BOUND]]
    dots = {
        "estimate": (free, {"color": BLACK, "size": 2.5}),
        SECOND: (panel.second, {"color": ORANGE, "size": 4, "symbol": "diamond-open"}),
    }
    for name, (values, marker) in dots.items():
        if len(values) or name == "estimate":
            figure.add_scatter(
                x=as_text(values.index), y=short(values), name=name,
                mode="markers", marker=marker, cliponaxis=False,
                showlegend=name not in named, legendgroup=name, **place,
                hovertemplate="%{x|%Y-%m-%d}: %{y:.4g}<extra></extra>",
            )  # fmt: skip
            named.add(name)
    for kind, (colour, symbol) in TICKS.items():
        own = panel.kinds.index[panel.kinds == kind]
        heights = estimates[own] if kind == BOUND else np.full(len(own), below)
        add_ticks(
            figure, own, heights, kind, colour, symbol=symbol, size=7,
            showlegend=kind not in named, legendgroup=kind, cliponaxis=False, **place,
        )  # fmt: skip
        if len(own):
            named.add(kind)


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
    bands: _Bands,
    spec: ParameterSpec,
    estimates: pd.Series,
    *,
    is_first: bool,
    **place: int,
) -> None:
    """An interval holds until the next day; where there is none, its ends meet and cannot be seen.

    Values lie on calendar days, so that no dates need to be stored with them: eighteen lines of
    ten years would be too large otherwise. Plotly cannot fill between lines with gaps.
    """
    has_band = bands.has_band.reindex(estimates.index, fill_value=False).to_numpy(bool)
    if not has_band.any():
        return
    meeting = _meeting(spec, estimates[has_band])
    calendar = pd.date_range(estimates.index[0], estimates.index[-1] + pd.Timedelta(days=1))
    latest = np.searchsorted(estimates.index.to_numpy(), calendar.to_numpy(), side="right") - 1
    levels = sorted(bands.frame["level"].unique().tolist(), reverse=True)
    fill = {"fillpattern": {"shape": bands.pattern, "size": 5, "fgopacity": 0.6}}
    for level, shade in zip(levels, bands.shades, strict=False):
        ends = bands.frame[bands.frame["level"] == level].set_index("date")[["low", "high"]]
        ends = ends.reindex(estimates.index)
        name = f"{percent(level, 0)} interval"
        if bands.words:  # one name for all levels
            name = f"{', '.join(percent(one, 0) for one in levels[::-1])} {bands.words}"
        for side in ("low", "high"):
            values = np.where(has_band, ends[side], meeting)
            is_top = side == "high"
            figure.add_scatter(
                x0=as_text(calendar[:1])[0], dx=DAY, y=short(values[latest]), mode="lines",
                line={"width": 0, "shape": "hv"}, name=name, hoverinfo="skip",
                fill="tonexty" if is_top else None, fillcolor=shade,
                showlegend=is_first and is_top and (not bands.words or level == levels[-1]),
                legendgroup=name,
                **(fill if is_top and bands.pattern else {}), **place,
            )  # fmt: skip


def _add_plausible(
    figure: go.Figure, study: Study, parameter: str, *, is_first: bool, **place: int
) -> None:
    """The best plausible fit, on the days whose best fit is implausible."""
    values = plausible_of(study, parameter)
    if len(values):
        figure.add_scatter(
            x=as_text(values.index), y=short(values), name=PLAUSIBLE, mode="markers",
            marker={"color": GREEN, "size": 3}, cliponaxis=False,
            showlegend=is_first, legendgroup=PLAUSIBLE, **place,
            hovertemplate="%{x|%Y-%m-%d}: plausible %{y:.4g}<extra></extra>",
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


def _methods(study: Study, parameter: str, panel: _Panel) -> str:
    """Which intervals are shown, and what profiles say of the delta method."""
    if panel.title:
        return ""
    days, shares = len(study.fitted), statistics.profile_shares(study)
    own = shares[(shares["parameter"] == parameter) & (shares["level"] == shares["level"].max())]
    if own.empty:
        return "No day has profile intervals: all are the delta method's."
    row = own.iloc[0]
    text = f"By profile on {int(row['days']):,} of {days:,} days, by delta method elsewhere."
    if row["contradicted"] == row["contradicted"]:
        text += (
            " The profile contradicts "
            f"{share_of(row['contradicted'], 1.0)} of the delta intervals there."
        )
    return f"{text} A second minimum is inside on {share_of(row['second_minimum'], 1.0)}."


def _note(study: Study, panels: Sequence[_Panel]) -> str:
    days = len(study.fitted)
    if not days:
        return "No day has results."
    counts: dict[str, int] = {}
    misleading: dict[str, int] = {}
    for panel in panels:
        for kind in TICKS:
            if count := int((panel.kinds == kind).sum()):
                counts.setdefault(kind, count)
        for kind, count in panel.misleading.items():
            misleading.setdefault(kind, count)
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
