"""Dates as people write them. What is ambiguous is never inferred: an error asks.

2024-06-03, 20240603, 03.06.2024 and Excel's 45446 have one meaning each. 03/06/2024 has two; any
other date of the table, such as 13/06/2024, settles it. All dates of a table must be written in
one way, because a spreadsheet that takes half of a column for dates, in the wrong order, leaves
the other half as text.
"""

import datetime
from collections.abc import Callable, Sequence

import numpy as np

from calibscope.base.arrays import BoolArray
from calibscope.market.panel import Dates
from calibscope.market.readers.reading import Reading
from calibscope.market.readers.table import Cell, Table, shown
from calibscope.market.written_dates import (
    FIRST,
    LAST,
    TIME_OF_DAY,
    YEAR_LAST,
    date_written,
    text_of,
    way_of,
)

EPOCH = datetime.date(1970, 1, 1)
NOT_A_DATE = int(np.datetime64("NaT", "D").astype(np.int64))

Place = Callable[[Cell], str]


def dates(
    table: Table, columns: Sequence[int], needed: Sequence[BoolArray], reading: Reading
) -> list[Dates]:
    """The columns as dates, NaT where none is needed; what is not a date becomes a problem."""
    rows = [np.flatnonzero(marks).tolist() for marks in needed]
    given = [
        cells if len(chosen) == len(cells) else [cells[i] for i in chosen]
        for cells, chosen in zip((table.columns[k] for k in columns), rows, strict=True)
    ]

    def place(cell: Cell) -> str:
        which = next(k for k, cells in enumerate(given) if cell in cells)
        return table.place(rows[which][given[which].index(cell)], columns[which])

    distinct = list(dict.fromkeys(cell for cells in given for cell in dict.fromkeys(cells)))
    way = _way_of_all(distinct, place, reading)
    days: dict[Cell, int] = {}
    faults: dict[Cell, str] = {}
    for cell in distinct:
        day = _day(cell, way, reading)
        days[cell] = NOT_A_DATE if isinstance(day, str) else day
        if isinstance(day, str):
            faults[cell] = day
    found = []
    for column, cells, chosen in zip(columns, given, rows, strict=True):
        values = np.full(len(table.rows), NOT_A_DATE)
        values[chosen] = list(map(days.__getitem__, cells))
        found.append(values.view("datetime64[D]"))
        for row, cell in zip(chosen, cells, strict=True) if faults else ():
            if faults.get(cell):
                reading.problems.add_cell("date", table, row, column, faults[cell])
    return found


def _way_of_all(cells: Sequence[Cell], place: Place, reading: Reading) -> str | None:
    """The one way in which the dates are written, or None, with a problem, if it is open."""
    examples: dict[str, Cell] = {}
    for cell in cells:
        way = way_of(cell)
        if way is not None:
            examples.setdefault(way, cell)
    explicit = reading.settings.date_format
    first, *others = examples or {explicit or "iso": ""}
    if others and (explicit is None or "date cells" in examples):
        one, other = examples[first], examples[others[0]]
        _add(
            reading,
            f"{place(one)}: {shown(one)} and {place(other)}: {shown(other)} are dates written in "
            "two ways, and days and months may have changed places; write all in one way",
        )
        return None
    if first == "date cells" or explicit is None:
        if first == "two digits":
            cell = examples[first]
            _add(
                reading,
                f"{place(cell)}: {shown(cell)} has a two-digit year; write four digits, or set "
                f'date_format under [{reading.role}], such as "%d.%m.%y"',
            )
            return None
        return _day_or_month_first(cells, place, reading) if first == "either" else first
    return explicit


def _day_or_month_first(cells: Sequence[Cell], place: Place, reading: Reading) -> str | None:
    refined: dict[str, Cell] = {}
    open_cell: Cell = ""
    for cell in cells:
        if match := YEAR_LAST.fullmatch(text_of(cell)):
            if int(match[1]) > 12:
                refined.setdefault("dmy", cell)
            elif int(match[3]) > 12:
                refined.setdefault("mdy", cell)
            else:
                open_cell = open_cell or cell
    if len(refined) == 1:
        return next(iter(refined))
    if refined:
        day, month = refined["dmy"], refined["mdy"]
        _add(
            reading,
            f"{place(day)}: {shown(day)} has the day first, but {place(month)}: {shown(month)} "
            "the month; write all dates in one way, such as 2024-06-03",
        )
    else:
        _add(
            reading,
            f"{place(open_cell)}: {shown(open_cell)} may be day/month or month/day, and no other "
            f'date decides; set date_format = "dmy" or "mdy" under [{reading.role}]',
        )
    return None


def _day(cell: Cell, way: str | None, reading: Reading) -> int | str:
    """Days since 1970, or what is wrong with the cell; '' if that is said elsewhere."""
    if reading.is_gap(cell):
        return "the date is blank, but the row has values; fill it in or remove the row"
    if TIME_OF_DAY.search(text_of(cell)):
        return f"{shown(cell)} has a time of day; give the date alone"
    if way is None:
        return "" if way_of(cell) else _no_date(cell, reading)
    try:
        day = date_written(cell, way)
    except (ValueError, OverflowError):
        return f"{shown(cell)} is not in the calendar; correct it"
    if day is None:
        return _no_date(cell, reading)
    if not FIRST <= day <= LAST:
        return f"{shown(cell)} is outside {FIRST.year} to {LAST.year}; correct it"
    return (day - EPOCH).days


def _no_date(cell: Cell, reading: Reading) -> str:
    explicit = reading.settings.date_format
    if explicit is not None:
        return (
            f"{shown(cell)} is not a date as date_format = {explicit!r} says; correct it or the "
            f"setting {reading.role}.date_format"
        )
    return (
        f"{shown(cell)} is not a date; write it like 2024-06-03, or describe it by "
        f"date_format under [{reading.role}]"
    )


def _add(reading: Reading, text: str) -> None:
    reading.problems.add("dates", text)
