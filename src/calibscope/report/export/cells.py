"""Cells of a sheet: numbers, flags, dates and texts as Excel has them.

A missing value is a blank cell, an infinite number is a word. A text is never a formula, a link or
markup, whatever it begins with.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from math import isfinite, isnan
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from xlsxwriter import Workbook
from xlsxwriter.worksheet import Worksheet

from calibscope.report.export.columns import Column, Kind

TOGETHER = 10_000  # rows
LONGEST = 32_767  # characters of a cell
CUT = " ... (cut here, too long for a cell)"
EPOCH = -25_569  # Excel's day 0, in days from 1970
DAY = 86_400e6  # microseconds
UNREADABLE = re.compile("[\ufffe\uffff]")  # what XML cannot hold, but for what XlsxWriter escapes

FORMATS = {
    "relative": "0.00 %", "share": "0.0 %", "per unit notional": "0.000000", "seconds": "0.000",
    "count": "#,##0",
}  # fmt: skip
KINDS = {Kind.DATE: "yyyy-mm-dd", Kind.MOMENT: "yyyy-mm-dd hh:mm:ss", Kind.INTEGER: "0"}

Writer = Callable[[int, int, Any], object]  # of a value that is there, to a row and a column


def write_rows(first: int, columns: Sequence[tuple[Writer, pa.ChunkedArray]]) -> Iterator[int]:
    """Write rows, the first of them here; yields the rows done, now and then."""
    count = len(columns[0][1])
    for start in range(0, count, TOGETHER):
        parts = [values.slice(start, TOGETHER).to_pylist() for _, values in columns]
        for row, cells in enumerate(zip(*parts, strict=True), first + start):
            for place, value in enumerate(cells):
                if value is not None:
                    columns[place][0](row, place, value)
        yield min(start + TOGETHER, count)


def cells_of(
    workbook: Workbook, sheet: Worksheet, values: pa.ChunkedArray, column: Column
) -> tuple[Writer, pa.ChunkedArray]:
    """How the values of a column are written, and which; dates are numbers of days."""
    if column.kind is Kind.TEXT:
        return text_writer(workbook, sheet), values
    if column.kind is Kind.FLAG:
        return sheet.write_boolean, values
    if column.kind is Kind.DATE:
        values = pc.subtract(values.cast(pa.int32()), EPOCH)
    elif column.kind is Kind.MOMENT:
        microseconds = values.cast(pa.int64()).cast(pa.float64())
        values = pc.subtract(pc.divide(microseconds, DAY), EPOCH)
    shown = FORMATS.get(column.unit) or KINDS.get(column.kind, "General")
    return number_writer(workbook, sheet, shown), values


def number_writer(workbook: Workbook, sheet: Worksheet, shown: str) -> Writer:
    """Of numbers in this format; an infinite one is a word."""
    style = workbook.add_format({"num_format": shown})

    def write(row: int, place: int, value: float) -> None:
        if isfinite(value):
            sheet.write_number(row, place, value, style)
        elif not isnan(value):
            sheet.write_string(row, place, str(value))

    return write


def text_writer(workbook: Workbook, sheet: Worksheet) -> Writer:
    """Of words, which stay words."""
    plain = workbook.add_format({"num_format": "@"})
    # The mark of a leading apostrophe: Excel keeps it a text when someone edits the cell, too.
    quoted = workbook.add_format({"num_format": "@", "quote_prefix": True})

    def write(row: int, place: int, value: str) -> None:
        text = readable(value)
        style = quoted if text.lstrip().startswith(("=", "+", "-", "@")) else plain
        if text.startswith("<r>") and text.endswith("</r>"):  # XlsxWriter's markup, but in parts
            sheet.write_rich_string(row, place, text[:1], plain, text[1:], style)
        elif text:
            sheet.write_string(row, place, text, style)

    return write


def readable(text: str) -> str:
    """As a cell can hold it."""
    text = UNREADABLE.sub("\ufffd", text)
    if len(text) > LONGEST // 2 and len(text.encode("utf-16-le")) // 2 > LONGEST:
        text = text[: LONGEST // 2 - len(CUT)] + CUT
    return text
