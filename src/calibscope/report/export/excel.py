"""One workbook: the results for people, a sheet per table, and last a manifest.

The sheet of a table has its title in the first row, headers with units in the second (both stay in
view), and filters. A blank cell is a missing value, an infinite one is a word, for Excel has no
number for it. Words are never formulas or links, whatever they begin with. Numbers have 16 digits.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from xlsxwriter import Workbook
from xlsxwriter.exceptions import FileCreateError
from xlsxwriter.worksheet import Worksheet

from calibscope.report.export.cells import cells_of, number_writer, text_writer, write_rows
from calibscope.report.export.columns import Column, Kind, header
from calibscope.report.export.manifest import flat, label_of
from calibscope.report.export.results_sheet import Sheet, write_results
from calibscope.report.export.tables import Table
from calibscope.report.export.target import FORMAT, ExportError

ROWS = 1_048_576  # of a sheet
HEADERS = 2  # title and names
NARROWEST, WIDEST = 11, 60  # characters
HEIGHT = 48  # points: three lines of header
PRINTED = 15  # columns that go on one sheet of paper
SAMPLE = 500  # rows that decide a column's width


def write_excel(
    file: Path,
    results: Sheet,
    tables: list[Table],
    content: dict[str, Any],
    progress: Callable[[int, int], None],
) -> None:
    """A workbook of these tables.

    Parameters
    ----------
    results : the first sheet

    Raises
    ------
    ExportError
        if a table is longer than a sheet
    """
    _check_lengths(file, tables)
    title = f"{content['study']}, {content['data']}"
    label = label_of(content)
    options = {"constant_memory": True, "tmpdir": str(file.parent)}
    try:
        with Workbook(file, options) as workbook:
            workbook.set_properties({"title": title, "comments": FORMAT, "author": "calibscope"})
            write_results(workbook, results)
            done, total = 0, sum(map(len, tables))
            for table in tables:
                for row in _write_table(workbook, table, label):
                    progress(done + row, total)
                done += len(table)
            _write_manifest(workbook, content, label)
    except FileCreateError as error:  # wraps the one that says why
        raise OSError(*error.args[0].args) from error


def _check_lengths(file: Path, tables: list[Table]) -> None:
    long = [f"{t.name} ({len(t):,} rows)" for t in tables if len(t) > ROWS - HEADERS]
    if long:
        raise ExportError(
            f"{file.name}: {', '.join(long)}: a sheet of Excel ends after {ROWS:,} rows; export to "
            "Parquet instead (--parquet DIR, or format='parquet')"
        )


def _write_manifest(workbook: Workbook, content: dict[str, Any], label: str) -> None:
    sheet = workbook.add_worksheet("manifest")
    bold = workbook.add_format({"bold": True})
    sheet.write_string(0, 0, f"{label}manifest: what this file is", bold)
    sheet.write_string(1, 0, "name", bold)
    sheet.write_string(1, 1, "value", bold)
    _finish(sheet, f"{label}manifest", [WIDEST, WIDEST])
    write_text, write_number = (
        text_writer(workbook, sheet),
        number_writer(workbook, sheet, "General"),
    )
    for row, (name, value) in enumerate(flat(content), HEADERS):
        write_text(row, 0, name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            write_number(row, 1, value)
        elif value is not None:
            write_text(row, 1, str(value))


def _write_table(workbook: Workbook, table: Table, label: str) -> Iterator[int]:
    """Yields the rows done, now and then."""
    sheet = workbook.add_worksheet(table.name)
    bold = workbook.add_format({"bold": True})
    head = workbook.add_format({"bold": True, "text_wrap": True, "valign": "top", "bottom": 1})
    sheet.write_string(0, 0, f"{label}{table.name}: one row per {table.one_row_per}", bold)
    sheet.set_row(1, HEIGHT)
    widths, cells = [], []
    for place, (name, column) in enumerate(table.columns.items()):
        title, values = header(name, column.unit), table.data[name]
        sheet.write_string(1, place, title, head)
        widths.append(_width(title, values, column))
        cells.append(cells_of(workbook, sheet, values, column))
    _finish(sheet, f"{label}{table.name}", widths)
    sheet.autofilter(1, 0, max(len(table), 1) + 1, len(cells) - 1)
    yield from write_rows(HEADERS, cells)


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


def _width(name: str, values: pa.ChunkedArray, column: Column) -> float:
    """Of the longest word of the header, or of the texts."""
    longest = max(map(len, name.split(" ")))
    if column.kind is Kind.TEXT and not name.endswith("_hash"):  # nobody reads these
        texts = values.slice(0, SAMPLE).to_pylist()
        longest = max(longest, *(len(text or "") for text in texts), 0)
    if column.kind is Kind.MOMENT:
        longest = max(longest, len("2020-03-18 12:00:00"))
    return min(max(longest + 2, NARROWEST), WIDEST)
