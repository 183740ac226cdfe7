"""How large a file may be. A century of business days has 26,000 rows; no market needs more.

Without limits a typing error (a stray cell in the last row of a sheet) or a file of another kind
fills the memory instead of being refused with a reason.
"""

MOST_CELLS = 5_000_000  # of a table, gaps included
MOST_COLUMNS = 16_384  # as in Excel
LONGEST_TEXT = 32_767  # signs in a cell, as in Excel
LARGEST_FILE = 200_000_000  # bytes
REMEDY = "is it the right file, with nothing but the table in it?"


def size_problem(columns: int, cells: int) -> str | None:
    """Why a table of this size is not read; None if it is."""
    if columns > MOST_COLUMNS:
        return f"there are {columns:,} columns, and up to {MOST_COLUMNS:,} are read; {REMEDY}"
    if cells > MOST_CELLS:
        return f"there are {cells:,} cells, and up to {MOST_CELLS:,} are read; {REMEDY}"
    return None
