"""The quotes of the latest day: how they are met, and how much they decide."""

import numpy as np
import pandas as pd

from calibscope.base.numbers import counted, number, percent
from calibscope.report.document import Drawing
from calibscope.report.drawings.canvas import WIDTH, Canvas
from calibscope.report.drawings.scales import Axis
from calibscope.report.figures.style import BLACK, BLUE, DARK_GREY, GREY
from calibscope.study.statistics.own_leverage import own_leverage
from calibscope.study.statistics.periods import is_small
from calibscope.study.statistics.stored_day import StoredDay
from calibscope.study.study import Study

LEFT, TOP, BOTTOM, HEIGHT = 44, 46, 140, 160
BAND, RED = "#DCE9F3", "#8C1D18"


def price_errors(study: Study, day: StoredDay) -> Drawing:
    """Pricing errors of the latest day over what is usual for each quote."""
    canvas, errors = Canvas(HEIGHT), 100 * day.quotes["residual"]
    usual = None if is_small(study) else _quantiles(study, day, "residual") * 100
    every = [0.0, *errors, *([] if usual is None else usual.to_numpy().ravel())]
    reach = 1.08 * max(0.1, np.nanmax(np.abs(every)))
    axis = Axis(-reach, reach, BOTTOM, TOP)
    canvas.upright(axis, LEFT, WIDTH - 4)
    canvas.text(0, TOP - 8, "model minus market, %", size=11, colour=DARK_GREY)
    places = _places(len(errors), LEFT, WIDTH - 4)
    half = 0.32 * (places[1] - places[0] if len(places) > 1 else 60)
    canvas.line(LEFT, axis(0), WIDTH - 4, axis(0), GREY, 1.5)
    if usual is not None:
        for place, label in zip(places, day.quotes.index, strict=True):
            low, middle, high = usual.loc[label]
            canvas.rect(place - half, axis(high), 2 * half, axis(low) - axis(high), BAND)
            canvas.line(place - half, axis(middle), place + half, axis(middle), DARK_GREY, 1.5)
        canvas.legend(
            220, TOP - 8,
            [("dot", BLUE, f"{day.date:%Y-%m-%d}"), ("box", BAND, "90 % of all days, with median")],
        )  # fmt: skip
    for place, error in zip(places, errors, strict=True):
        canvas.line(place, axis(0), place, axis(error), BLUE, 2)
        canvas.circle(place, axis(error), BLUE)
    _name_quotes(canvas, places, list(day.quotes.index))
    worst = errors.abs().idxmax()
    finding = (
        f"On {day.date:%Y-%m-%d} the RMSRE is {percent(day.row['rmsre'])}; {worst} is met worst "
        f"({percent(errors[worst] / 100, 2, '+')})."
    )
    if usual is not None:
        outside = [
            label for label in errors.index
            if not usual.loc[label, 0.05] <= errors[label] <= usual.loc[label, 0.95]
        ]  # fmt: skip
        finding += f" {_outside(outside)}"
    alt = f"Pricing error of each quote on {day.date:%Y-%m-%d}. {finding}"
    return Drawing(
        canvas.svg("Which quotes does the model miss?", study.is_synthetic), alt, finding
    )


def influence_bars(study: Study, day: StoredDay) -> Drawing:
    """Leverage and Cook's distance of each quote, side by side."""
    canvas, labels = Canvas(HEIGHT), list(day.quotes.index)
    leverage, distance = day.leverage, day.quotes["cooks_distance"]
    limit = study.settings.diagnosis.thresholds.cooks_distance
    middle = WIDTH / 2
    one = Axis(0, 1, BOTTOM, TOP)
    far = max(1.15 * limit, 1.08 * float(np.nanmax([*distance, 0.0])))
    two = Axis(0, far, BOTTOM, TOP)
    medians = None if is_small(study) else _medians(study)
    for axis, values, left, right, title in (
        (one, leverage, LEFT, middle - 18, "leverage"),
        (two, distance, middle + 34, WIDTH - 4, "Cook's distance"),
    ):
        canvas.upright(axis, left, right)
        canvas.text(left - 44 if axis is one else left - 34, TOP - 8, title, size=11,
                    colour=DARK_GREY)  # fmt: skip
        places = _places(len(labels), left, right)
        half = 0.3 * (places[1] - places[0] if len(places) > 1 else 60)
        for place, label in zip(places, labels, strict=True):
            value = values[label]
            if np.isfinite(value):
                canvas.rect(place - half, axis(value), 2 * half, BOTTOM - axis(value), BLUE)
            if axis is one and medians is not None:
                height = axis(medians[label])
                canvas.line(place - half - 2, height, place + half + 2, height, BLACK, 2)
        _name_quotes(canvas, places, labels)
    canvas.line(middle + 34, two(limit), WIDTH - 4, two(limit), RED, 1.5, "6 4")
    canvas.legend(middle + 130, TOP - 8, [("line", RED, f"substantial from {limit:g}")])
    if medians is not None:
        canvas.legend(110, TOP - 8, [("line", BLACK, "median of all days")])
    first, most = leverage.idxmax(), distance.fillna(0.0).idxmax()
    usual = "" if medians is None else f", median of all days {number(medians[first], '.2f')}"
    finding = (
        f"{first} has the highest leverage ({number(leverage[first], '.2f')}{usual}). Removing "
        f"{most} would move the parameters most (Cook's distance {number(distance[most], '.2f')}); "
        f"{_above(int((distance > limit).sum()), limit)}."
    )
    alt = f"Bars of leverage and Cook's distance by quote on {day.date:%Y-%m-%d}. {finding}"
    return Drawing(canvas.svg("Which quotes decide the fit?", study.is_synthetic), alt, finding)


def _medians(study: Study) -> "pd.Series[float]":
    """Of the leverage of each quote, over all days."""
    return own_leverage(study).groupby(study.quotes["label"]).median()


def _above(count: int, limit: float) -> str:
    if not count:
        return f"no quote is above {limit:g}"
    return f"{counted(count, 'quote is', 'quotes are')} above {limit:g}"


def _outside(labels: list[str]) -> str:
    if not labels:
        return "Every error is within the usual range of its quote."
    if len(labels) == 1:
        return f"{labels[0]} is outside the usual range of its quote."
    return f"{', '.join(labels[:-1])} and {labels[-1]} are outside the usual range of their quotes."


def _quantiles(study: Study, day: StoredDay, column: str) -> pd.DataFrame:
    """(quotes, 3) 5 %, 50 % and 95 % of all days."""
    wide = study.quotes.groupby("label")[column].quantile([0.05, 0.5, 0.95]).unstack()
    return wide.reindex(day.quotes.index)


def _places(count: int, left: float, right: float) -> list[float]:
    step = (right - left) / count
    return [left + step * (k + 0.5) for k in range(count)]


def _name_quotes(canvas: Canvas, places: list[float], labels: list[str]) -> None:
    """As many names as have room, those of the ends among them."""
    room = places[1] - places[0] if len(places) > 1 else WIDTH
    longest = max(map(len, labels))
    every = max(1, int(np.ceil((6.2 * longest + 4) / room)))
    for k, (place, label) in enumerate(zip(places, labels, strict=True)):
        if (len(labels) - 1 - k) % every == 0:
            canvas.text(place, BOTTOM + 15, label, "middle", size=11, colour=DARK_GREY)
