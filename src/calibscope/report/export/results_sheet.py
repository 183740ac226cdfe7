"""The first sheet of a workbook, for people: every day with its status, fit and parameters.

The latest day comes first. A strip above the table shows the RMSRE of all days in the colours of
their statuses, and stays in sight. Cells hold whole numbers and show the digits of the terminal and
of the report (`base/numbers.py`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from xlsxwriter import Workbook
from xlsxwriter.chart import Chart
from xlsxwriter.format import Format
from xlsxwriter.utility import xl_col_to_name
from xlsxwriter.worksheet import Worksheet

from calibscope.base.numbers import estimate, interval, number, percent
from calibscope.report.answer import latest_rated, steps_of_study
from calibscope.report.colours import RAGS
from calibscope.report.export.cells import Writer, text_writer
from calibscope.report.export.columns import header
from calibscope.study.shown_intervals import shown_intervals, shown_level
from calibscope.study.study import Study

NAME = "results"
TITLE, WHY, NEXT, STRIP, GROUPS, HEADERS, FIRST = 0, 1, 2, 3, 10, 11, 12  # rows
FROZEN = 2  # columns: date and status
WIDTHS = {"date": 11, "status": 9, "reason": 60, "RMSRE": 9, "EDoF": 7, "marks": 60}
NARROW = 10
WORDY = ("date", "status", "reason", "intervals by", "marks")
SHARE = "0.00 %"
WORDS = {"green": "#000000", "amber": "#000000", "red": "#FFFFFF", "grey": "#000000"}
MARKERS = {"green": "circle", "amber": "triangle", "red": "diamond"}
DOUBTFUL = ("not identified", "collapsed")  # marks of delta intervals that look precise
PALE = "#8A8A8A"
PALE_WORDS = "grey intervals only look precise: see their marks at the end"
FEW = 60  # days whose markers are large


@dataclass(frozen=True, slots=True)
class Cell:
    """A number, and the text that it is to be read as."""

    value: float
    text: str
    is_doubtful: bool = False  # an interval that must not be read without its mark


@dataclass(frozen=True, slots=True)
class Sheet:
    """What the sheet shows, before it is written."""

    title: str
    why: str
    steps: str
    names: tuple[str, ...]  # of the parameters, with their units
    level: str
    rows: tuple[Mapping[str, Any], ...]  # the latest day first


def results_sheet(study: Study, label: str) -> Sheet:
    """All days of a study.

    Parameters
    ----------
    label : "SYNTHETIC " or nothing
    """
    days = study.days
    title = f"{label}{NAME}: {study.model_of(study.model).title}"
    if days.empty:
        return Sheet(f"{title}, no days", "", "", (), "", ())
    last, rated = days["date"].iloc[-1].date(), latest_rated(study)
    title += f", {days['date'].iloc[0].date()} to {last}, the latest day first"
    why = f"{last} is {rated.rag.name}{': ' if rated.reasons else '.'}{'; '.join(rated.reasons)}"
    steps = f"Next: {' '.join(steps_of_study(study, rated))}"
    names = tuple(header(one.name, one.unit if one.unit != "1" else "") for one in study.specs)
    rows = tuple(_rows(study))
    return Sheet(title, why, steps, names, percent(shown_level(study), 0), rows[::-1])


def _rows(study: Study) -> Iterator[dict[str, Any]]:
    """One per day, oldest first."""
    found = shown_intervals(study)
    ends = {(row["date"], row["parameter"]): row for row in found.to_dict("records")}
    best, other = study.estimates, study.plausible_estimates
    for day, rated in zip(study.days.to_dict("records"), study.rag.to_dict("records"), strict=True):
        date = day["date"]
        row = {"date": date, "status": rated["rag"], "reason": rated["reasons"]}
        if rated["rag"] == "grey":
            yield row
            continue
        mine = [ends.get((date, name)) for name in study.specs.names]
        marks = (f"{one['parameter']}: {one['mark']}" for one in mine if one and one["mark"])
        methods = {one["method"] for one in mine if one}
        has_other = bool(day["is_implausible"])
        yield {
            **row,
            "RMSRE": Cell(day["rmsre"], percent(day["rmsre"])),
            "EDoF": Cell(day["edof"], number(day["edof"], ".0f")),
            "parameters": [
                (
                    _estimate(best.loc[date, name]),
                    *_ends(one),
                    _estimate(other.loc[date, name]) if has_other else None,
                )
                for name, one in zip(study.specs.names, mine, strict=True)
            ],
            "plausible": Cell(day["plausible_rmsre"], percent(day["plausible_rmsre"]))
            if has_other and day["plausible_rmsre"] == day["plausible_rmsre"]
            else None,
            "method": ", ".join(sorted(methods)),
            "marks": "; ".join(marks),
        }


def _estimate(value: float) -> Cell | None:
    return Cell(value, estimate(value)) if value == value else None


def _ends(one: Mapping[str, Any] | None) -> tuple[Cell | None, Cell | None]:
    """Low and high end, with the digits of `interval`."""
    if one is None or one["low"] != one["low"]:
        return None, None
    low, high = interval(one["low"], one["high"]).split(" to ")
    is_doubtful = one["method"] == "delta" and any(word in one["mark"] for word in DOUBTFUL)
    return Cell(one["low"], low, is_doubtful), Cell(one["high"], high, is_doubtful)


def shown_as(text: str) -> str:
    """Excel's format that writes a number with the digits of a text.

    >>> shown_as("0.038123"), shown_as("-1"), shown_as("1.2e-05")
    ('0.000000', '0', '0.0E+00')
    """
    mantissa, _, exponent = text.partition("e")
    digits = len(mantissa.partition(".")[2])
    form = f"0.{'0' * digits}" if digits else "0"
    return f"{form}E+00" if exponent else form


def write_results(workbook: Workbook, shown: Sheet) -> None:
    """The sheet, its strip and its layout."""
    sheet = workbook.add_worksheet(NAME)
    writer = _Writer(workbook, sheet)
    columns = _columns(shown)
    helpers = len(columns)
    bold = workbook.add_format({"bold": True})
    sheet.write_string(TITLE, 0, shown.title, bold)
    writer.text(WHY, 0, shown.why)
    writer.text(NEXT, 0, shown.steps)
    head = workbook.add_format({"bold": True, "text_wrap": True, "valign": "top", "bottom": 1})
    group = workbook.add_format({"bold": True, "left": 1})
    pale = workbook.add_format({"font_color": PALE, "italic": True})
    if any(_has_doubt(row) for row in shown.rows):
        sheet.write_string(GROUPS, WORDY.index("reason"), PALE_WORDS, pale)
    for place, name in enumerate(shown.names):
        sheet.write_string(GROUPS, _first(place), name, group)
    right = workbook.add_format(
        {"bold": True, "text_wrap": True, "valign": "top", "bottom": 1, "align": "right"}
    )
    for place, name in enumerate(columns):
        sheet.write_string(HEADERS, place, name, head if name in WORDY else right)
        sheet.set_column(place, place, WIDTHS.get(name, NARROW))
    sheet.set_row(HEADERS, 32)
    sheet.set_column(helpers, helpers + len(MARKERS) - 1, None, None, {"hidden": True})
    for place, row in enumerate(shown.rows, FIRST):
        writer.row(place, row, len(shown.names), helpers)
    fitted = sum("RMSRE" in row for row in shown.rows)
    if fitted:
        sheet.insert_chart(STRIP, 0, _strip(workbook, shown, helpers, fitted), {"y_offset": 2})
    sheet.freeze_panes(FIRST, FROZEN)
    if columns:
        sheet.autofilter(HEADERS, 0, max(FIRST, FIRST + len(shown.rows) - 1), helpers - 1)
    sheet.set_landscape()
    sheet.fit_to_pages(2, 0)
    sheet.repeat_columns(0, FROZEN - 1)
    sheet.repeat_rows(GROUPS, HEADERS)
    sheet.set_header(f"&L{shown.title}")
    sheet.set_footer("&R&P of &N")


def _has_doubt(row: Mapping[str, Any]) -> bool:
    return any(cell and cell.is_doubtful for cells in row.get("parameters", ()) for cell in cells)


def _first(parameter: int) -> int:
    """The first column of a parameter: best, low, high, plausible."""
    return 5 + 4 * parameter


def _columns(shown: Sheet) -> list[str]:
    each = ("best fit", f"{shown.level} low", f"{shown.level} high", "plausible fit")
    if not shown.names:
        return []
    return [
        "date", "status", "reason", "RMSRE", "EDoF", *(each * len(shown.names)),
        "plausible RMSRE", "intervals by", "marks",
    ]  # fmt: skip


class _Writer:
    """Cells of the sheet, whose formats are made once."""

    def __init__(self, workbook: Workbook, sheet: Worksheet) -> None:
        self.workbook, self.sheet = workbook, sheet
        self.text: Writer = text_writer(workbook, sheet)
        self.date = workbook.add_format({"num_format": "yyyy-mm-dd"})
        self.statuses = {
            name: workbook.add_format(
                {
                    "bg_color": colour,
                    "font_color": WORDS[name],
                    "bold": True,
                    "align": "center",
                }
            )
            for name, colour in RAGS.items()
        }
        self.numbers: dict[tuple[str, bool, bool], Format] = {}

    def row(self, line: int, row: Mapping[str, Any], parameters: int, helpers: int) -> None:
        """A day; its RMSRE once more in the column of its colour, for the strip."""
        self.sheet.write_datetime(line, 0, row["date"].to_pydatetime(), self.date)
        self.sheet.write_string(line, 1, row["status"], self.statuses[row["status"]])
        self.text(line, 2, row["reason"])
        if "RMSRE" not in row:
            return
        self.cell(line, 3, row["RMSRE"], SHARE)
        self.cell(line, 4, row["EDoF"])
        for place, cells in enumerate(row["parameters"]):
            for k, cell in enumerate(cells):
                self.cell(line, _first(place) + k, cell, is_first=k == 0)
        after = _first(parameters)
        self.cell(line, after, row["plausible"], SHARE)
        self.text(line, after + 1, row["method"])
        self.text(line, after + 2, row["marks"])
        for k, name in enumerate(MARKERS):
            if name == row["status"]:
                self.cell(line, helpers + k, row["RMSRE"], SHARE)

    def cell(
        self, row: int, place: int, cell: Cell | None, form: str = "", is_first: bool = False
    ) -> None:
        """A number with the digits of its text; the first of a group has a line at its left."""
        if cell is None:
            return
        key = form or shown_as(cell.text), is_first, cell.is_doubtful
        if key not in self.numbers:
            layout: dict[str, Any] = {"num_format": key[0], "left": int(is_first)}
            pale = {"font_color": PALE, "italic": True} if cell.is_doubtful else {}
            self.numbers[key] = self.workbook.add_format({**layout, **pale})
        self.sheet.write_number(row, place, cell.value, self.numbers[key])


def _strip(workbook: Workbook, shown: Sheet, helpers: int, fitted: int) -> Chart:
    """RMSRE of all days, a marker each."""
    chart = workbook.add_chart({"type": "scatter"})
    last = FIRST + len(shown.rows)
    size = 6 if fitted <= FEW else 3
    dates = f"={NAME}!$A${FIRST + 1}:$A${last}"
    for k, (name, marker) in enumerate(MARKERS.items()):
        column = xl_col_to_name(helpers + k)
        fill = {"color": RAGS[name]}
        chart.add_series(
            {
                "name": name,
                "categories": dates,
                "values": f"={NAME}!${column}${FIRST + 1}:${column}${last}",
                "marker": {
                    "type": marker, "size": size, "fill": fill, "border": {"none": True},
                },
            }
        )  # fmt: skip
    days = [row["date"].to_pydatetime() for row in shown.rows]
    is_short = (days[0] - days[-1]).days < 120
    chart.set_x_axis({
        "date_axis": True, "num_format": "yyyy-mm-dd" if is_short else "yyyy",
        "min": days[-1], "max": days[0], "num_font": {"size": 8},
        "major_gridlines": {"visible": False},
    } if len(days) > 1 else {"num_format": "yyyy-mm-dd", "num_font": {"size": 8}})  # fmt: skip
    chart.set_y_axis({
        "num_format": "0.0 %", "min": 0, "num_font": {"size": 8},
        "major_gridlines": {"visible": True, "line": {"color": "#D9D9D9"}},
    })  # fmt: skip
    chart.set_title({"name": "RMSRE by date", "name_font": {"size": 9}, "overlay": False})
    chart.set_legend({"position": "right", "font": {"size": 8}})
    chart.show_hidden_data()
    chart.set_size({"width": 1100, "height": 20 * (GROUPS - STRIP) - 4})
    return chart
