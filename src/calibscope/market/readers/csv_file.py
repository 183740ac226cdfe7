"""Text files: comma, semicolon, tab or bar between the cells, quotes around some of them."""

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from calibscope.market.errors import MarketDataError
from calibscope.market.limits import size_problem
from calibscope.market.readers.grid import rectangle, table_of
from calibscope.market.readers.reading import Reading
from calibscope.market.readers.table import Cell, Table

# In this order: there may be as many decimal commas as semicolons.
DELIMITERS = (";", "\t", "|", ",")
LINES_LOOKED_AT = 50

SIGNATURES = {
    b"PK\x03\x04": "is an Excel workbook or a zip file; give it its own ending, such as .xlsx",
    b"\xd0\xcf\x11\xe0": "is an Excel workbook; give it its own ending, such as .xls",
    b"PAR1": "is a Parquet file; give it its own ending, .parquet",
    b"%PDF": "is a PDF; export the numbers as CSV or Excel",
}


def csv_tables(path: Path, reading: Reading) -> list[Table]:
    """The one table of a text file."""
    settings = reading.settings
    text = _text(path, reading)
    _check_size(path, 1, text.count("\n") + text.count("\r"))
    # Line ends as they are: the csv module knows them all, and keeps those inside quotes.
    lines = list(io.StringIO(text, newline=""))[settings.header_row - 1 :]
    delimiter = settings.delimiter or _delimiter(lines)
    # Inside quotes there may be delimiters that separate nothing, but not many.
    columns = lines[0].count(delimiter) + 1 if lines else 0
    _check_size(path, columns, sum(line.count(delimiter) for line in lines) + len(lines))
    if '"' not in text:
        table = rectangle(lines, delimiter, settings.header_row, path.name)
        if table is not None:
            return [table]
    grid: list[tuple[Cell, ...]] = []
    try:
        # Tuples, because the garbage collector forgets tuples of text but keeps visiting lists.
        grid.extend(map(tuple, csv.reader(lines, delimiter=delimiter, strict=True)))
    except csv.Error as error:
        last = settings.header_row + len(grid)
        raise MarketDataError(
            path.name,
            [f"row {last}: the quotes do not close properly ({error}); repair or remove them"],
        ) from None
    table = table_of(grid, settings.header_row, path.name, reading, delimiter=delimiter)
    return [] if table is None else [table]


def _check_size(path: Path, columns: int, cells: int) -> None:
    if problem := size_problem(columns, cells):
        raise MarketDataError(path.name, [problem])


def _delimiter(lines: Sequence[str]) -> str:
    """The sign that most lines have equally often; there may be a title above the header."""
    used = (re.sub(r'"[^"]*"', "", line) for line in lines if line.strip())
    some = list(islice(used, LINES_LOOKED_AT))

    def alike(sign: str) -> int:
        counts = Counter(line.count(sign) for line in some if sign in line)
        return max(counts.values(), default=0)

    return max(DELIMITERS, key=alike)


def _text(path: Path, reading: Reading) -> str:
    content = path.read_bytes()
    for signature, problem in SIGNATURES.items():
        if content.startswith(signature):
            raise MarketDataError(path.name, [problem])
    encoding = reading.settings.encoding
    setting = f"encoding under [{reading.role}]"
    if content.startswith((b"\xff\xfe", b"\xfe\xff")) and "16" not in encoding:
        raise MarketDataError(path.name, [f'is UTF-16 text; set "utf-16" as {setting}'])
    try:
        text = content.decode(encoding)
    except UnicodeError as error:
        at = error.start if isinstance(error, UnicodeDecodeError) else 0
        row = content.count(b"\n", 0, at) + 1
        raise MarketDataError(
            path.name,
            [
                f"row {row} is not {encoding.removesuffix('-sig')} text; set the right {setting}, "
                'such as "cp1252"'
            ],
        ) from None
    if "\0" in text:
        row = text.count("\n", 0, text.index("\0")) + 1
        raise MarketDataError(
            path.name, [f"row {row} holds binary data; export the numbers as CSV, Excel or Parquet"]
        )
    return text.removeprefix("\ufeff")
