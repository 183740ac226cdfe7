"""One workbook: a manifest, then a sheet per table.

A sheet has its title in the first row, headers with units in the second (both stay in view), and
filters. A blank cell is a missing value, an infinite one is a word, for Excel has no number for it.
Words are never formulas or links, whatever they begin with. Numbers have 16 digits.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import xlsxwriter
from xlsxwriter.exceptions import FileCreateError
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from calibscope.report.export.columns import Column, Kind, header
from calibscope.report.export.manifest import FORMAT, QUOTED, flat
from calibscope.report.export.tables import Table
from calibscope.report.export.target import ExportError

ROWS = 1_048_576  # of a sheet
HEADERS = 2  # title and names
LONGEST = 32_767  # characters of a cell
CUT = " ... (cut here, too long for a cell)"
NEWS = 2_000  # rows after which progress is reported
EPOCH = -25_569  # Excel's day 0, in days from 1970
DAY = 86_400e6  # microseconds
NARROWEST, WIDEST = 11, 60  # characters
HEIGHT = 48  # points: three lines of header
PRINTED = 15  # columns that go on one sheet of paper
SAMPLE = 500  # rows that decide a column's width
UNREADABLE = re.compile("[\ufffe\uffff]")  # what XML cannot hold, but for what is escaped

FORMATS = {
    "relative": "0.00%", "share": "0.0%", "per unit notional": "0.000000", "seconds": "0.000",
    "count": "#,##0",
}  # fmt: skip
KINDS = {Kind.DATE: "yyyy-mm-dd", Kind.MOMENT: "yyyy-mm-dd hh:mm:ss", Kind.INTEGER: "0"}

Write = Callable[[int, int, Any], None]


def write_excel(
    file: Path, tables: list[Table], content: dict[str, Any], progress: Callable[[int, int], None]
) -> None:
    """A workbook of all tables.

    Raises
    ------
    ExportError
        if a table is longer than a sheet
    """
    _check_lengths(file, tables)
    workbook = xlsxwriter.Workbook(
        file, {"constant_memory": True, "tmpdir": str(file.parent), "strings_to_numbers": False}
    )
    title = f"{content['study']}, {content['data']}"
    workbook.set_properties({"title": title, "comments": FORMAT, "author": "calibscope"})
    label = "" if content["data"] == QUOTED else "SYNTHETIC "
    try:
        _write_manifest(workbook, content, label)
        done, total = 0, sum(map(len, tables))
        for table in tables:
            for row in _write_table(workbook, table, label):
                progress(done + row, total)
            done += len(table)
        workbook.close()
    except FileCreateError as error:  # wraps the one that says why
        raise OSError(*error.args[0].args) from error
    finally:
        for sheet in workbook.worksheets():  # its files can only be removed when they are closed
            with suppress(OSError):
                sheet.row_data_fh.close()


def _check_lengths(file: Path, tables: list[Table]) -> None:
    long = [f"{t.name} ({len(t):,} rows)" for t in tables if len(t) > ROWS - HEADERS]
    if long:
        raise ExportError(
            f"{file.name}: {', '.join(long)}: a sheet of Excel ends after {ROWS:,} rows; export to "
            "Parquet instead (--parquet DIR, or format='parquet')"
        )


def _write_manifest(workbook: xlsxwriter.Workbook, content: dict[str, Any], label: str) -> None:
    sheet = workbook.add_worksheet("manifest")
    text = _text_writer(workbook, sheet)
    bold = workbook.add_format({"bold": True})
    sheet.write_string(0, 0, f"{label}manifest: what this file is", bold)
    sheet.write_string(1, 0, "name", bold)
    sheet.write_string(1, 1, "value", bold)
    _finish(sheet, f"{label}manifest", [WIDEST, WIDEST])
    for row, (name, value) in enumerate(flat(content), start=HEADERS):
        text(row, 0, name)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if is_number:
            sheet.write_number(row, 1, value)
        else:
            text(row, 1, "" if value is None else str(value))


def _write_table(workbook: xlsxwriter.Workbook, table: Table, label: str) -> Iterator[int]:
    """Yields the rows done, now and then."""
    sheet = workbook.add_worksheet(table.name)
    bold = workbook.add_format({"bold": True})
    head = workbook.add_format({"bold": True, "text_wrap": True, "valign": "top", "bottom": 1})
    sheet.write_string(0, 0, f"{label}{table.name}: one row per {table.one_row_per}", bold)
    names = [header(name, column.unit) for name, column in table.columns.items()]
    sheet.set_row(1, HEIGHT)
    for place, name in enumerate(names):
        sheet.write_string(1, place, name, head)
    writers = [_writer(workbook, sheet, column) for column in table.columns.values()]
    columns = [_values(table.data[name], column.kind) for name, column in table.columns.items()]
    pairs = list(zip(names, columns, table.columns.values(), strict=True))
    _finish(sheet, f"{label}{table.name}", [_width(*pair) for pair in pairs])
    sheet.autofilter(1, 0, max(len(table), 1) + 1, len(names) - 1)
    for row, values in enumerate(zip(*columns, strict=True), start=HEADERS):
        for place, value in enumerate(values):
            if value is not None:
                writers[place](row, place, value)
        if row % NEWS == 0:
            yield row - HEADERS
    yield len(table)


def _finish(sheet: Worksheet, title: str, widths: Sequence[float]) -> None:
    """What stays in view, how wide columns are, and how it is printed."""
    sheet.freeze_panes(HEADERS, 1)
    for place, width in enumerate(widths):
        sheet.set_column(place, place, width)
    sheet.set_landscape()
    if len(widths) <= PRINTED:
        sheet.fit_to_pages(1, 0)
    sheet.repeat_rows(0, HEADERS - 1)
    sheet.set_header(f"&L{title}")
    sheet.set_footer("&R&P of &N")


def _width(name: str, values: list[Any], column: Column) -> float:
    """Of the longest word of the header, or of the texts."""
    longest = max(map(len, name.split(" ")))
    if column.kind is Kind.TEXT and not name.endswith("_hash"):  # nobody reads these
        longest = max(longest, *(len(text or "") for text in values[:SAMPLE]), 0)
    if column.kind is Kind.MOMENT:
        longest = max(longest, len("2020-03-18 12:00:00"))
    return min(max(longest + 2, NARROWEST), WIDEST)


def _values(values: pa.ChunkedArray, kind: Kind) -> list[Any]:
    """As Python's own; dates as Excel's numbers, which are days."""
    if kind is Kind.DATE:
        values = pc.subtract(values.cast(pa.int32()), EPOCH)
    elif kind is Kind.MOMENT:
        microseconds = values.cast(pa.int64()).cast(pa.float64())
        values = pc.subtract(pc.divide(microseconds, DAY), EPOCH)
    return list(values.to_pylist())


def _writer(workbook: xlsxwriter.Workbook, sheet: Worksheet, column: Column) -> Write:
    if column.kind is Kind.TEXT:
        return _text_writer(workbook, sheet)
    if column.kind is Kind.FLAG:
        return sheet.write_boolean  # type: ignore[no-any-return]
    shown = FORMATS.get(column.unit) or KINDS.get(column.kind, "General")
    return _number_writer(sheet, workbook.add_format({"num_format": shown}))


def _number_writer(sheet: Worksheet, shown: Format) -> Write:
    def write(row: int, place: int, value: float) -> None:
        if math.isfinite(value):
            sheet.write_number(row, place, value, shown)
        else:
            sheet.write_string(row, place, str(value))

    return write


def _text_writer(workbook: xlsxwriter.Workbook, sheet: Worksheet) -> Write:
    # The mark of a leading apostrophe: Excel keeps it a text when someone edits the cell, too.
    plain = workbook.add_format({"num_format": "@"})
    quoted = workbook.add_format({"num_format": "@", "quote_prefix": True})

    def write(row: int, place: int, text: str) -> None:
        if text:
            is_risky = text.lstrip()[:1] in tuple("=+-@")
            sheet.write_string(row, place, readable(text), quoted if is_risky else plain)

    return write


def readable(text: str) -> str:
    """As a cell can hold it."""
    text = UNREADABLE.sub("\ufffd", text)
    if text.startswith("<r>") and text.endswith("</r>"):
        text += " "  # XlsxWriter takes it for markup of its own otherwise
    if len(text.encode("utf-16-le")) // 2 > LONGEST:
        text = text[: LONGEST // 2 - len(CUT)] + CUT
    return text
