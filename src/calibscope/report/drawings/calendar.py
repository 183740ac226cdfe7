"""The history of a study as a calendar of RAG statuses."""

from collections.abc import Iterable

import pandas as pd

from calibscope.base.numbers import counted, percent
from calibscope.report.colours import RAGS
from calibscope.report.document import Drawing
from calibscope.report.drawings.canvas import WIDTH, Canvas
from calibscope.report.figures.marks import marks_of
from calibscope.report.figures.rag_calendar import MONTHS, calendar_cells
from calibscope.report.figures.style import DARK_GREY
from calibscope.study.study import Study

LEFT, TOP, WEEKS, GAP = 44, 44, 54, 5
CELL = (WIDTH - LEFT - 4) / WEEKS
HEIGHT_OF_DAY = 4.0


def rag_calendar(study: Study) -> Drawing:
    """A strip per year, a column per week, a row per weekday; the darker, the more to review."""
    cells = calendar_cells(study)
    years = sorted(cells["date"].dt.year.unique())
    rows = 7 if cells["weekday"].max() > 4 else 5
    block = rows * HEIGHT_OF_DAY + GAP
    canvas = Canvas(TOP + block * len(years) + 18)
    _months(canvas, TOP + block * len(years) + 8)
    for k, year in enumerate(years):
        own = cells[cells["date"].dt.year == year]
        top = TOP + block * k
        canvas.text(LEFT - 8, top + block / 2 + 2, str(year), "end", size=11, colour=DARK_GREY)
        for name, colour in RAGS.items():
            _squares(canvas, own[own["rag"] == name], top, colour)
    for mark in marks_of(study):
        own = cells[cells["date"] == mark.date]
        for week, weekday, year in zip(
            own["week"], own["weekday"], own["date"].dt.year, strict=True
        ):
            x, y = _corner(week, weekday, TOP + block * years.index(year))
            canvas.circle(x + CELL / 2, y + HEIGHT_OF_DAY / 2, mark.colour, 4)
    counts = cells["rag"].value_counts()
    words = {"grey": "no results"}
    canvas.legend(
        LEFT, 34,
        [("box", colour, words.get(name, name)) for name, colour in RAGS.items() if name in counts]
        + [("dot", mark.colour, mark.event) for mark in marks_of(study)],
    )  # fmt: skip
    finding = _finding(cells)
    alt = f"Calendar of {counted(len(cells), 'day')}, coloured by RAG status. {finding}"
    return Drawing(canvas.svg("Which days need review?", study.is_synthetic), alt, finding)


def _squares(canvas: Canvas, own: pd.DataFrame, top: float, colour: str) -> None:
    corners = (
        _corner(week, weekday, top)
        for week, weekday in zip(own["week"], own["weekday"], strict=True)
    )
    spans: Iterable[tuple[float, float, float]] = (
        (x + CELL / 2, y + 0.3, y + HEIGHT_OF_DAY - 0.3) for x, y in corners
    )
    canvas.ticks(spans, colour, CELL - 1.2)


def _corner(week: int, weekday: int, top: float) -> tuple[float, float]:
    return LEFT + CELL * week, top + HEIGHT_OF_DAY * weekday


def _months(canvas: Canvas, y: float) -> None:
    for month, name in enumerate(MONTHS, start=1):
        week = pd.Timestamp(2021, month, 15).day_of_year / 7
        canvas.text(LEFT + CELL * week, y + 4, name, "middle", size=11, colour=DARK_GREY)


def _finding(cells: pd.DataFrame) -> str:
    """Counts of the calibrated days, and the year with the largest share of red ones."""
    rated = cells[cells["rag"] != "grey"]
    red = rated["rag"] == "red"
    years = rated["date"].dt.year
    text = (
        f"{counted(int(red.sum()), 'day is', 'days are')} red, {percent(red.mean(), 0)} of "
        f"{counted(len(rated), 'calibrated day')}"
    )
    shares = red.groupby(years).mean()
    if shares.max() > 0 and len(shares) > 1:
        worst = shares.idxmax()
        text += (
            f"; the largest share is that of {worst} ({percent(shares[worst], 0)}, "
            f"{counted(int(red[years == worst].sum()), 'day')})"
        )
    is_calm = (rated["rag"] == "green").groupby(years).mean()
    if len(is_calm) > 1 and is_calm.max() - is_calm.min() > 0.5:
        text += (
            f". In {is_calm.idxmax()} {percent(is_calm.max(), 0)} of the days are green, in "
            f"{is_calm.idxmin()} {percent(is_calm.min(), 0) if is_calm.min() > 0 else 'none'}"
        )
    return f"{text}."
