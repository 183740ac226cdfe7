"""How large a file may be. A century of business days has 26,000 rows; no market needs more.

Without limits a typing error (a stray cell in the last row of a sheet) or a file of another kind
fills the memory instead of being refused with a reason.
"""

import stat
from pathlib import Path

MOST_CELLS = 5_000_000  # of a table, gaps included
MOST_COLUMNS = 16_384  # as in Excel
LONGEST_TEXT = 32_767  # signs in a cell, as in Excel
LARGEST_FILE = 200_000_000  # bytes
REMEDY = "is it the right file, with nothing but the table in it?"


def file_problem(path: Path, largest: int = LARGEST_FILE) -> str | None:
    """Why a file that exists is not opened at all; None if it is."""
    found = path.stat()
    if stat.S_ISDIR(found.st_mode):
        return "is a folder; give a file in it"
    if not stat.S_ISREG(found.st_mode):  # reading a pipe or a device may never end
        return "is a pipe or a device; save its content as a file, and give that"
    if found.st_size > largest:
        return (
            f"has {found.st_size / 1e6:,.0f} MB, and files of up to {largest / 1e6:,.0f} MB are "
            "read; keep only the quotes that are needed"
        )
    return None


def size_problem(columns: int, cells: int) -> str | None:
    """Why a table of this size is not read; None if it is."""
    if columns > MOST_COLUMNS:
        return f"there are {columns:,} columns, and up to {MOST_COLUMNS:,} are read; {REMEDY}"
    if cells > MOST_CELLS:
        return f"there are {cells:,} cells, and up to {MOST_CELLS:,} are read; {REMEDY}"
    return None
