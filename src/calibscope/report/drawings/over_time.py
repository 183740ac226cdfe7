"""The axis of time of drawings: years or months, the events of a study, its valuation date."""

import datetime

import pandas as pd

from calibscope.report.drawings.canvas import Canvas
from calibscope.report.drawings.scales import Axis, months, years
from calibscope.report.figures.marks import marks_of
from calibscope.report.figures.style import DARK_GREY
from calibscope.study.study import Study

LONG = 900  # days, from which on years are named


def time_axis(study: Study, left: float, right: float) -> Axis:
    """From the first day to the last, by ordinals."""
    dates = study.days["date"]
    return Axis(dates.iloc[0].toordinal(), dates.iloc[-1].toordinal(), left, right)


def draw_time(canvas: Canvas, study: Study, axis: Axis, top: float, bottom: float) -> None:
    """Ticks below, and events as dotted lines with their names above."""
    first, last = (study.days["date"].iloc[k].date() for k in (0, -1))
    is_long = (last - first).days > LONG
    for day in years(first, last) if is_long else months(first, last):
        place = axis(day.toordinal())
        canvas.line(place, top, place, bottom)
        words = f"{day:%Y}" if is_long else f"{day:%b %Y}"
        canvas.text(place, bottom + 14, words, "middle", size=11, colour=DARK_GREY)
    for mark in marks_of(study):
        place = axis(mark.date.toordinal())
        canvas.line(place, top - 2, place, bottom, mark.colour, 1.5, "2 3")
        anchor = "end" if place > axis.end - 60 else "middle"
        canvas.text(place, top - 6, mark.event, anchor, size=11, colour=DARK_GREY)


def place_of(axis: Axis, date: pd.Timestamp | datetime.date) -> float:
    """Where a date is."""
    return axis(date.toordinal())
