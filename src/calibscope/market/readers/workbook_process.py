"""The process in which a workbook is opened; run by `workbook.py`, not imported.

A stray cell in the last row and column makes the library ask for half a terabyte and end its
process; a date of -1e12 makes it panic. Neither may end the process of the user, so this one has a
limit of memory and hands its answers on, pickled, one after the other.

It starts in 25 ms because it imports nothing but the library, whose place it is told.
"""

import pickle
import sys

CELLS_AT_ONCE = 50_000  # rows are handed on in pieces


def main(place: str, path: str, memory: int, most_cells: int) -> None:
    """Tell the names of the sheets, then the cells of those whose numbers come on stdin."""
    sys.path.insert(0, place)
    from python_calamine import CalamineWorkbook, PasswordError

    answers = sys.stdout.buffer

    def tell(kind: str, content: object = None) -> None:
        pickle.dump((kind, content), answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()

    _limit_memory(memory)
    try:
        book = CalamineWorkbook.from_path(path)
        tell("sheets", list(book.sheet_names))
        for number in sys.stdin:
            sheet = book.get_sheet_by_index(int(number))
            height, width = (last + 1 for last in sheet.end or (-1, -1))
            if height * width > most_cells:
                tell("too large", (height, width))
                return
            grid = sheet.to_python(skip_empty_area=False)
            step = max(1, CELLS_AT_ONCE // max(1, width))
            for first in range(0, len(grid), step):
                tell("rows", grid[first : first + step])
            tell("end")
    except PasswordError:
        tell("password")
    except MemoryError:
        sys.exit(1)
    except BaseException as error:  # a panic of the library is no Exception
        tell("error", " ".join(str(error).split())[:200])


def _limit_memory(memory: int) -> None:
    try:
        import resource
    except ImportError:  # on Windows
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
