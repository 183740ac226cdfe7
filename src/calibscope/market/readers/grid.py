"""From rows of cells, as CSV and Excel have them, to a table: header, shape, blank rows."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibscope.market.readers.reading import Reading
from calibscope.market.readers.table import Cell, Table, clean, cleaned

Grid = Sequence[Sequence[Cell]]


def table_of(
    grid: Grid, first_row: int, source: str, sheet: str | None, reading: Reading
) -> Table | None:
    """The table whose header is the first row of `grid`, which is row `first_row` of the file.

    Blank rows are left out. A row of another length than the header is a problem, because no one
    can know which cell was lost. None, with a problem, if there is no header or no row.
    """
    table = Table(source, sheet, (), (), np.empty(0, np.int64), first_row)
    header = [_name(cell) for cell in grid[0]] if grid else []
    while header and not header[-1]:
        header.pop()
    if not header:
        reading.problems.add(
            "header",
            f"{table.within(f'row {first_row}')}: there is no header; give a row of column names, "
            f"or say where it is by header_row under [{reading.role}]",
        )
        return None
    table = replace(table, header=tuple(header))
    rows, numbers = _regular(grid[1:], table, reading)
    columns = [cleaned(column) for column in zip(*rows, strict=True)]
    blank = np.full(len(rows), True)
    for column in columns:
        blank[blank] = [column[i] == "" for i in np.flatnonzero(blank).tolist()]
    if blank.all():
        reading.problems.add(
            "header",
            f"{table.within(f'row {first_row}')}: there are no values below the header; give at "
            "least one row",
        )
        return None
    return replace(table, columns=columns, rows=np.array(numbers, dtype=np.int64)).where(~blank)


def _name(cell: Cell) -> str:
    """A column name as text; Excel may hold maturities as numbers, 3.0 for 3."""
    return f"{cell:.12g}" if isinstance(cell, float) else str(cell).strip()


def _regular(grid: Grid, table: Table, reading: Reading) -> tuple[Grid, Sequence[int]]:
    """The rows as long as the header, and their numbers; others are cut if blank, or a problem."""
    width, start = len(table.header), table.header_row + 1
    if all(length == width for length in set(map(len, grid))):
        return grid, range(start, start + len(grid))
    rows, numbers = [], []
    for number, row in enumerate(grid, start):
        length = len(row)
        while length > width and clean(row[length - 1]) == "":
            length -= 1
        if length == width:
            rows.append(row[:width])
            numbers.append(number)
        elif any(clean(cell) != "" for cell in row):
            remedy = (
                "a decimal comma in a comma-separated file needs quotes"
                if length > width
                else "was the line cut off? write a blank for every gap"
            )
            place = table.within(f"row {number}")
            reading.problems.add(
                "ragged", f"{place} has {length} cells, the header has {width}; {remedy}"
            )
    return rows, numbers
