"""Cells as a sheet's XML has them, a column at a time.

XlsxWriter takes six microseconds for a cell, a quarter of a minute for the two million of ten
years. Here Arrow joins the texts of whole columns, and XlsxWriter does all the rest. A cell's tail
is what follows its name: style, type and value; where there is none, the cell is blank.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from html import escape

import pyarrow as pa
import pyarrow.compute as pc
import xlsxwriter
from xlsxwriter.utility import xl_col_to_name
from xlsxwriter.worksheet import Worksheet

from calibscope.report.export.columns import Column, Kind

TOGETHER = 10_000  # rows
LONGEST = 32_767  # characters of a cell
CUT = " ... (cut here, too long for a cell)"
EPOCH = -25_569  # Excel's day 0, in days from 1970
DAY = 86_400e6  # microseconds
UNREADABLE = re.compile("[\ufffe\uffff]")  # what XML cannot hold, but for what is escaped
ESCAPED = re.compile(r"[\x00-\x08\x0b-\x1f]|_(?=x[0-9a-fA-F]{4}_)")  # as Excel escapes: _x0001_

FORMATS = {
    "relative": "0.00%", "share": "0.0%", "per unit notional": "0.000000", "seconds": "0.000",
    "count": "#,##0",
}  # fmt: skip
KINDS = {Kind.DATE: "yyyy-mm-dd", Kind.MOMENT: "yyyy-mm-dd hh:mm:ss", Kind.INTEGER: "0"}


def write_rows(sheet: Worksheet, first: int, tails: Sequence[pa.ChunkedArray]) -> Iterator[int]:
    """Write rows below those that the sheet has; yields the rows done, now and then."""
    count = len(tails[0])
    sheet._check_dimensions(first + count - 1, len(tails) - 1)  # of which the sheet takes note
    sheet._write_single_row(first + count)  # the header, which waits for the next row
    for start in range(0, count, TOGETHER):
        size = min(TOGETHER, count - start)
        numbers = pa.array(range(first + start + 1, first + start + size + 1)).cast(pa.string())
        cells = [
            _joined(f'<c r="{xl_col_to_name(place)}', numbers, column.slice(start, size))
            for place, column in enumerate(tails)
        ]
        rows = _joined('<row r="', numbers, '">', *cells, "</row>", blank="")
        sheet.row_data_fh.write("".join(rows.to_pylist()))
        yield start + size


def tails_of(
    workbook: xlsxwriter.Workbook, values: pa.ChunkedArray, column: Column
) -> pa.ChunkedArray:
    """Of the cells of a column; dates are numbers of days, as Excel has them."""
    if column.kind is Kind.TEXT:
        return text_tails(workbook, values)
    if column.kind is Kind.FLAG:
        return _joined('" t="b"><v>', values.cast(pa.int8()).cast(pa.string()), "</v></c>")
    if column.kind is Kind.DATE:
        values = pc.subtract(values.cast(pa.int32()), EPOCH)
    elif column.kind is Kind.MOMENT:
        microseconds = values.cast(pa.int64()).cast(pa.float64())
        values = pc.subtract(pc.divide(microseconds, DAY), EPOCH)
    shown = FORMATS.get(column.unit) or KINDS.get(column.kind, "General")
    return number_tails(workbook, values, shown)


def number_tails(
    workbook: xlsxwriter.Workbook, values: pa.ChunkedArray, shown: str
) -> pa.ChunkedArray:
    """Of numbers, all digits; an infinite one is a word."""
    style, words = _style(workbook, num_format=shown), values.cast(pa.string())
    return pc.if_else(
        pc.is_finite(values),
        _joined(f'" s="{style}"><v>', words, "</v></c>"),
        _joined('" t="inlineStr"><is><t>', words, "</t></is></c>"),
    )


def text_tails(workbook: xlsxwriter.Workbook, values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Of words, each distinct one made once."""
    tail_of = _text_tail(workbook)
    distinct = values.unique()
    tails = pa.array([tail_of(text) if text else None for text in distinct.to_pylist()], "string")
    return tails.take(pc.index_in(values, distinct))


def _text_tail(workbook: xlsxwriter.Workbook) -> Callable[[str], str]:
    # The mark of a leading apostrophe: Excel keeps it a text when someone edits the cell, too.
    plain = _style(workbook, num_format="@")
    quoted = _style(workbook, num_format="@", quote_prefix=True)

    def tail(text: str) -> str:
        style = quoted if text.lstrip()[:1] in tuple("=+-@") else plain
        kept = escape(ESCAPED.sub(lambda sign: f"_x{ord(sign[0]):04X}_", readable(text)), False)
        return f'" s="{style}" t="inlineStr"><is><t xml:space="preserve">{kept}</t></is></c>'

    return tail


def readable(text: str) -> str:
    """As a cell can hold it."""
    text = UNREADABLE.sub("\ufffd", text)
    if len(text.encode("utf-16-le")) // 2 > LONGEST:
        text = text[: LONGEST // 2 - len(CUT)] + CUT
    return text


def _style(workbook: xlsxwriter.Workbook, **looks: str | bool) -> int:
    return int(workbook.add_format(looks)._get_xf_index())


def _joined(*parts: pa.ChunkedArray | str, blank: str | None = None) -> pa.ChunkedArray:
    """Texts put together, row by row; `blank` stands for what is missing, or all is."""
    handling = "emit_null" if blank is None else "replace"
    return pc.binary_join_element_wise(
        *parts, "", null_handling=handling, null_replacement=blank or ""
    )
