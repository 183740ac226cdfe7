"""The parameters over time, with their intervals where they are known."""

import numpy as np

from calibscope.base.numbers import estimate, percent
from calibscope.report.document import Drawing
from calibscope.report.drawings.canvas import WIDTH, Canvas
from calibscope.report.drawings.over_time import draw_time, place_of, time_axis
from calibscope.report.drawings.scales import Axis
from calibscope.report.figures.parameters import is_log, symbol_of
from calibscope.report.figures.plausible import plausible_of
from calibscope.report.figures.style import BLUE, GREEN
from calibscope.study.study import Study

LEFT, TOP, PANEL, GAP = 58, 56, 46, 16
BAND = "#C9DDEC"


def parameter_history(study: Study) -> Drawing:
    """A panel per parameter: best fits as dots, profile intervals as strokes behind them."""
    names = study.specs.names
    bottom = TOP + len(names) * (PANEL + GAP) - GAP
    canvas = Canvas(bottom + 22)
    across = time_axis(study, LEFT, WIDTH - 4)
    draw_time(canvas, study, across, TOP, bottom)
    level = study.profiles["level"].max() if len(study.profiles) else None
    for k, name in enumerate(names):
        spec = study.specs[name]
        top = TOP + k * (PANEL + GAP)
        values = study.estimates[name].dropna()
        other = plausible_of(study, name)
        own = study.profiles[(study.profiles["parameter"] == name)]
        own = own[(own["level"] == level) & own["low"].notna()]
        shown = [*values, *other, *own["low"], *own["high"]]
        is_logarithmic = is_log(spec) and min(shown) > 0
        low, high = min(shown), max(shown)
        if low == high:
            low, high = low - 0.5 * abs(low) - 1e-6, high + 0.5 * abs(high) + 1e-6
        axis = Axis(low, high, top + PANEL, top, is_logarithmic, most=3)
        canvas.upright(axis, LEFT, WIDTH - 4)
        canvas.text(0, top + PANEL / 2 + 4, symbol_of(spec), size=13)
        canvas.ticks(
            (
                (place_of(across, date), axis(one), axis(two))
                for date, one, two in zip(own["date"], own["low"], own["high"], strict=True)
            ),
            BAND,
        )
        for series, colour in ((values, BLUE), (other, GREEN)):
            points = ((place_of(across, date), axis(value)) for date, value in series.items())
            canvas.dots(points, colour, 1.6)
    entries = [("dot", BLUE, "best fit")]
    if len(study.profiles):
        entries.append(("box", BAND, f"{percent(level, 0)} profile interval, where stored"))
    if study.fitted["is_implausible"].any():
        entries.append(("dot", GREEN, "best plausible fit, where the best is implausible"))
    canvas.legend(LEFT, 34, entries)
    finding = _finding(study)
    alt = f"One panel per parameter with its calibrated values over time. {finding}"
    return Drawing(canvas.svg("What were the parameters?", study.is_synthetic), alt, finding)


def _finding(study: Study) -> str:
    """Which parameter moved furthest between yearly medians, and how often they are implausible."""
    years = study.estimates.groupby(study.estimates.index.year).median()
    parts = []
    spans = {}
    for name in years:
        low, high = years[name].min(), years[name].max()
        if is_log(study.specs[name]) and low > 0:
            spans[name] = float(np.log(high / low))
    if spans and len(years) > 1:
        name = max(spans, key=lambda each: spans[each])
        low, high = years[name].idxmin(), years[name].idxmax()
        parts.append(
            f"{name} moved most: its yearly median was {estimate(years[name][low], 2)} in {low} "
            f"and {estimate(years[name][high], 2)} in {high}"
        )
    share = study.fitted["is_implausible"].mean()
    parts.append(f"the best fit is implausible on {percent(share, 0)} of the days")
    text = "; ".join(parts)
    return f"{text[0].upper() if not spans else text[0]}{text[1:]}."
