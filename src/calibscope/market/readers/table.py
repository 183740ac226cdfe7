"""A sheet of cells under a header, whatever file it came from.

Rows keep the numbers that a user sees in the file, and columns their names, so that a problem can
be pointed at.
"""

import datetime
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from calibscope.base.arrays import BoolArray, Indices

Cell = str | float | bool | datetime.date | datetime.datetime | datetime.time | datetime.timedelta

LONGEST_SHOWN = 40
LONGEST_LIST = 200


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Named columns of cells; text is stripped, an empty cell is ''."""

    source: str  # file name, with the sheet where there are several
    sheet: str | None  # where there are several
    header: tuple[str, ...]
    columns: Sequence[Sequence[Cell]]  # (number of columns) x (number of rows)
    rows: Indices  # (n,) row numbers in the file
    header_row: int = 1
    title: str = ""  # of the sheet, also of an only one: it may name the quantity
    delimiter: str = ""  # of a text file
    twins: frozenset[str] = field(init=False)  # names of several columns

    def __post_init__(self) -> None:
        counts = Counter(self.header)
        twins = frozenset(name for name, count in counts.items() if count > 1)
        object.__setattr__(self, "twins", twins)

    def label(self, column: int) -> str:
        """How messages name a column: by its name, and its number where that is not enough."""
        name = self.header[column]
        if name and name not in self.twins:
            return f"column {shown(name)}"
        return f"column {column + 1} ({shown(name)})" if name else f"column {column + 1}"

    def place(self, row: int, column: int | None = None) -> str:
        """How messages name a cell, or a whole row."""
        parts = [f"row {self.rows[row]}"]
        if column is not None:
            parts.append(self.label(column))
        return self.within(", ".join(parts))

    def within(self, place: str) -> str:
        """The place, with the sheet where there are several."""
        return place if self.sheet is None else f"sheet {shown(self.sheet)}, {place}"

    def where(self, keep: BoolArray) -> "Table":
        """Only the marked rows."""
        if keep.all():
            return self
        chosen = np.flatnonzero(keep).tolist()
        columns = [[cells[i] for i in chosen] for cells in self.columns]
        return replace(self, columns=columns, rows=self.rows[keep])

    def fault(self, column: int, text: str) -> str:
        """A problem of a whole column."""
        return f"{self.within(f'row {self.header_row}')}, {self.label(column)} {text}"


def shown(cell: Cell) -> str:
    """A cell as messages show it: on one line, and not too long."""
    text = repr(cell) if isinstance(cell, str) else str(cell)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}...{text[-1]}"


def listed(words: Sequence[str]) -> str:
    """Words for a message: as many as one can take in."""
    text = ""
    for word in words:
        if len(text) + len(shown(word)) > LONGEST_LIST:
            return f"{text}, ..."
        text += f"{', ' if text else ''}{shown(word)}"
    return text


def clean(cell: Cell | None) -> Cell:
    """A typed cell as tables hold it: no blanks around text, no midnight after a date."""
    if isinstance(cell, str):
        return cell.strip()
    if isinstance(cell, datetime.datetime) and cell.time() == datetime.time():
        return cell.date()
    return "" if cell is None else cell


def cleaned(cells: Sequence[Cell | None]) -> list[Cell]:
    """A column of cells as tables hold them."""
    if set(map(type, cells)) == {str}:
        return list(map(str.strip, cast(Sequence[str], cells)))
    return list(map(clean, cells))
