"""From rows of cells, as CSV and Excel have them, to a table: header, shape, blank rows."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibscope.market.readers.reading import Reading
from calibscope.market.readers.table import Cell, Table


def table_of(
    grid: Sequence[Sequence[Cell]], first_row: int, source: str, sheet: str | None, reading: Reading
) -> Table | None:
    """The table whose header is the first row of `grid`, which is row `first_row` of the file.

    Blank rows and columns without a name or cells are left out; a row of another length than the
    header is a problem, because no one can know which cell was lost.
    """
    empty = Table(source, sheet, (), (), np.empty(0, np.int64), first_row)
    header = [header_text(cell) for cell in grid[0]] if grid else []
    while header and not header[-1]:
        header.pop()
    if not header:
        what = "is empty" if not grid else "has no header"
        reading.problems.add(
            "header",
            f"{empty.within(f'row {first_row}')} {what}; give a row of column names there, or say "
            f"where it is by header_row under [{reading.role}]",
        )
        return None
    width, rows, numbers = len(header), [], []
    for number, row in enumerate(grid[1:], start=first_row + 1):
        if row.count("") == len(row):
            continue
        if len(row) != width:
            row = list(row)
            while len(row) > width and row[-1] == "":
                row.pop()
            if len(row) != width:
                reading.problems.add("ragged", _ragged(empty, number, len(row), width))
                continue
        rows.append(row)
        numbers.append(number)
    if not rows:
        reading.problems.add(
            "header",
            f"{empty.within(f'row {first_row}')}: there are no values below the header; give at "
            "least one row",
        )
        return None
    columns = list(zip(*rows, strict=True))
    return replace(
        empty, header=tuple(header), columns=columns, rows=np.array(numbers, dtype=np.int64)
    )


def header_text(cell: Cell) -> str:
    """A column name as text; Excel may hold maturities as numbers, 3.0 for 3."""
    return f"{cell:.12g}" if isinstance(cell, float) else str(cell).strip()


def _ragged(table: Table, row: int, length: int, width: int) -> str:
    remedy = (
        "a decimal comma in a comma-separated file needs quotes"
        if length > width
        else "was the line cut off? write a blank for every gap"
    )
    return table.within(f"row {row} has {length} cells, the header has {width}; {remedy}")
