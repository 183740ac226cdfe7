"""The parameters of the latest day within their bounds: how far does the market narrow them?"""

from collections.abc import Sequence

import numpy as np

from calibscope.base.numbers import estimate, interval, percent
from calibscope.base.parameters import ParameterSpec
from calibscope.report.document import Drawing
from calibscope.report.drawings.canvas import WIDTH, Canvas
from calibscope.report.drawings.scales import Axis
from calibscope.report.figures.parameters import is_log, symbol_of
from calibscope.report.figures.style import BLACK, BLUE, DARK_GREY, GREEN
from calibscope.study.statistics.bounds import bounds_of_days
from calibscope.study.statistics.stored_day import StoredDay
from calibscope.study.study import Study

LEFT, RIGHT, TOP, ROW = 64, WIDTH - 150, 62, 40
PLAUSIBLE = "#E4F1EA"
WIDE = 10.0  # times: an interval whose ends differ by more leaves the size open


def interval_ranges(study: Study, day: StoredDay) -> Drawing:
    """A row per parameter, from bound to bound: interval, best fit, plausible range and fit."""
    specs = [study.specs[name] for name in day.parameters.index]
    canvas = Canvas(TOP + ROW * len(specs) + 2)
    bounds = bounds_of_days(study)
    bounds = bounds[bounds["date"] == day.date].set_index("parameter")
    is_other = bool(day.row["is_implausible"])
    kind = "profile" if day.is_profiled else "delta"
    entries = [
        ("line", BLUE, f"{percent(day.level, 0)} interval ({kind})"), ("dot", BLACK, "best fit"),
        *([("diamond", GREEN, "best plausible fit")] if is_other else []),
        ("box", PLAUSIBLE, "plausible"),
    ]  # fmt: skip
    canvas.legend(LEFT, 36, entries)
    wide = []
    for k, spec in enumerate(specs):
        row = day.parameters.loc[spec.name]
        y = TOP + ROW * k + 10
        low, high = (float(bounds.loc[spec.name, end]) for end in ("lower", "upper"))
        if low >= high:
            canvas.text(LEFT, y + 4, f"fixed at {estimate(row['estimate'])}", size=12)
            continue
        axis = Axis(low, high, LEFT, RIGHT, is_log=is_log(spec) and low > 0, most=7)
        left, right = (axis(one) for one in np.clip(spec.plausible, low, high))
        canvas.rect(left, y - 9, right - left, 18, PLAUSIBLE)
        canvas.line(LEFT, y, RIGHT, y)
        for value, words in axis.ticks:
            canvas.line(axis(value), y - 4, axis(value), y + 4)
            canvas.text(axis(value), y + 20, words, "middle", size=10, colour=DARK_GREY)
        canvas.text(LEFT - 14, y + 4, symbol_of(spec), "end", size=14)
        if np.isfinite(row["low"]):
            ends = float(row["low"]), float(row["high"])
            canvas.line(axis(ends[0]), y, axis(ends[1]), y, BLUE, 5)
            canvas.text(RIGHT + 14, y + 4, interval(*ends), size=12)
            if _is_wide(spec, *ends):
                wide.append(spec.name)
        else:
            canvas.text(RIGHT + 14, y + 4, "no interval", size=12, colour=DARK_GREY)
        if is_other and np.isfinite(row["plausible"]):
            canvas.diamond(axis(row["plausible"]), y, GREEN, 6)
        canvas.circle(axis(row["estimate"]), y, BLACK)
    finding = _finding(day, wide, specs, kind)
    alt = f"Interval of each parameter between its bounds. {finding}"
    question = "How far does the market narrow the parameters?"
    return Drawing(canvas.svg(question, study.is_synthetic), alt, finding)


def _is_wide(spec: ParameterSpec, low: float, high: float) -> bool:
    """Whether the interval leaves open how large the parameter is: a factor, or half the range."""
    if is_log(spec):
        return low <= 0 or high / low > WIDE
    return high - low > 0.5 * (spec.bounds[1] - spec.bounds[0])


def _finding(day: StoredDay, wide: list[str], specs: Sequence[ParameterSpec], kind: str) -> str:
    level, factor = percent(day.level, 0), f"a factor of {WIDE:g}"
    if wide:
        spans = "interval of {} spans" if len(wide) == 1 else "intervals of {} span"
        text = f"The {level} {spans.format(' and '.join(wide))} more than {factor}"
        if any(not is_log(spec) for spec in specs if spec.name in wide):
            text += " (of a correlation: half its range)"
    else:
        text = f"Every parameter is known to within {factor} at {level}"
    held = day.parameters.index[day.parameters["at_bound"].fillna(0) != 0].tolist()
    ends = f"; {' and '.join(held)} {'is' if len(held) == 1 else 'are'} at a bound" if held else ""
    hint = " Delta intervals are quick and often too short." if kind == "delta" else ""
    return f"{text}{ends}.{hint}"
