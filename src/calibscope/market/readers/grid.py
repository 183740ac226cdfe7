"""From rows of cells, as CSV and Excel have them, to a table: header, shape, blank rows."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibscope.market.readers.names import column_names
from calibscope.market.readers.reading import Reading
from calibscope.market.readers.table import Cell, Table, clean, cleaned

Grid = Sequence[Sequence[Cell]]


def table_of(
    grid: Grid,
    first_row: int,
    source: str,
    reading: Reading,
    *,
    sheet: str | None = None,
    delimiter: str = "",
) -> Table | None:
    """The table whose header is the first row of `grid`, which is row `first_row` of the file.

    Blank rows are left out. A row of another length than the header is a problem, because no one
    can know which cell was lost; if most rows are, the header is. None, with a problem, if there
    is no header or no row.
    """
    table = Table(source, sheet, (), (), np.empty(0, np.int64), first_row, delimiter=delimiter)
    header = [_name(cell) for cell in grid[0]] if grid else []
    while header and not header[-1]:
        header.pop()
    if not header:
        reading.problems.add(
            "header",
            f"{table.within(f'row {first_row}')}: there is no header; give a row of column names, "
            f"or its number as header_row under [{reading.role}]",
        )
        return None
    table = replace(table, header=tuple(header))
    regular = _regular(grid[1:], table, reading)
    if regular is None:
        return None
    rows, numbers = regular
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


def rectangle(lines: Sequence[str], delimiter: str, first_row: int, source: str) -> Table | None:
    """The table of unquoted lines that all have as many cells as the header; else None.

    Most files are like that, and all their cells can be split at once, which is much quicker than
    row by row.
    """
    bare = [line.rstrip("\r\n") for line in lines]
    while bare and not bare[-1]:
        bare.pop()
    if len(bare) < 2:
        return None
    gaps = bare[0].count(delimiter)
    if not gaps or any(line.count(delimiter) != gaps for line in bare):
        return None
    text = delimiter.join(bare)
    cells: list[Cell] = [*text.split(delimiter)]
    if not text.isascii() or " " in text or "\t" in text:
        cells = cleaned(cells)
    columns = [cells[j :: gaps + 1] for j in range(gaps + 1)]
    header = tuple(str(column[0]) for column in columns)
    rows = [column[1:] for column in columns]
    # A blank name or what may be a blank row wants the other way.
    if not all(header) or "" in rows[0]:
        return None
    numbers = np.arange(first_row + 1, first_row + len(bare))
    return Table(source, None, header, rows, numbers, first_row, delimiter=delimiter)


def _name(cell: Cell) -> str:
    """A column name as text; Excel may hold maturities as numbers, 3.0 for 3."""
    return f"{cell:.12g}" if isinstance(cell, float) else str(cell).strip()


def _regular(grid: Grid, table: Table, reading: Reading) -> tuple[Grid, Sequence[int]] | None:
    """The rows as long as the header, and their numbers; others are cut if blank, or a problem.

    None if it is the header that differs.
    """
    width, start = len(table.header), table.header_row + 1
    if all(length == width for length in set(map(len, grid))):
        return grid, range(start, start + len(grid))
    rows, numbers, odd = [], [], {}
    for number, row in enumerate(grid, start):
        length = len(row)
        while length > width and clean(row[length - 1]) == "":
            length -= 1
        if length == width:
            rows.append(row[:width])
            numbers.append(number)
        elif _is_used(row):
            odd[number] = length
    if len(odd) > max(1, sum(map(_is_used, rows))):
        reading.problems.add("header", _odd_header(odd, table, reading))
        return None
    for number, length in odd.items():
        place = table.within(f"row {number}")
        text = f"{place} has {_cells(length)}, the header has {width}; {_remedy(length, table)}"
        reading.problems.add("ragged", text)
    return rows, numbers


def _is_used(row: Sequence[Cell]) -> bool:
    return any(clean(cell) != "" for cell in row)


def _odd_header(odd: dict[int, int], table: Table, reading: Reading) -> str:
    """A title, or a header that lacks names, above rows of another length."""
    ((usual, _),) = Counter(odd.values()).most_common(1)
    if "date" in column_names(table.header, reading.settings):
        remedy = _remedy(usual, table)
    else:
        first = next(number for number, length in odd.items() if length >= usual)
        remedy = f"is the header further down? Set header_row = {first} under [{reading.role}]"
    place = table.within(f"row {table.header_row}")
    return f"{place} has {_cells(len(table.header))}, but most rows have {usual}; {remedy}"


def _remedy(length: int, table: Table) -> str:
    if length < len(table.header):
        return "was the line cut off? write a blank for every gap"
    if table.delimiter == ",":
        return "a decimal comma in a comma-separated file needs quotes"
    return "name every column"


def _cells(count: int) -> str:
    return f"{count} cell{'s' if count > 1 else ''}"
