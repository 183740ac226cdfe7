"""A workbook, opened in a process of its own, which may fail without failing ours."""

import pickle
import re
import subprocess
import sys
import threading
import zipfile
import zlib
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any

from calibscope.market.errors import MarketDataError
from calibscope.market.limits import MOST_CELLS, REMEDY, size_problem
from calibscope.market.readers import workbook_process
from calibscope.market.readers.table import Cell, shown

MOST_MEMORY = 1_500_000_000  # bytes that the process may have
# Seconds until it is given up: a megabyte takes a quarter of a second, a small one that unpacks to
# gigabytes takes for ever.
PATIENCE, PATIENCE_PER_MEGABYTE = 8.0, 2.0
MOST_SCANNED = 50_000_000  # bytes of sheets in which the cause of a failure is looked for

_REFERENCE = re.compile(rb'<c r="([A-Z]{1,3})(\d{1,7})"')


class Workbook:
    """The sheets of a workbook; to be closed, which `with` does."""

    def __init__(self, path: Path) -> None:
        self._path = path
        found = find_spec("python_calamine")
        assert found is not None
        assert found.origin is not None
        place = Path(found.origin).parents[1]
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-I", "-S", workbook_process.__file__),
                *(str(place), str(path.absolute()), str(MOST_MEMORY), str(MOST_CELLS)),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        patience = PATIENCE + PATIENCE_PER_MEGABYTE * path.stat().st_size / 1e6
        self._is_late = False
        self._timer = threading.Timer(patience, self._give_up)
        self._timer.start()

    def __enter__(self) -> "Workbook":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        self._process.kill()
        self._process.communicate()

    def sheets(self) -> list[str]:
        """The names of all sheets; to be asked first."""
        names: list[str] = self._answer("sheets")
        if not names:
            raise self._error("has no sheets; save it again in Excel, with the numbers on a sheet")
        return names

    def grid(self, number: int) -> list[list[Cell]]:
        """The cells of a sheet, from the first row and column on."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(b"%d\n" % number)
            self._process.stdin.flush()
        except OSError:
            raise self._lost() from None
        grid: list[list[Cell]] = []
        while rows := self._answer("rows", "end"):
            grid += rows
        return grid

    def _answer(self, *expected: str) -> Any:
        assert self._process.stdout is not None
        try:
            kind, content = pickle.load(self._process.stdout)
        except (EOFError, pickle.UnpicklingError):
            raise self._lost() from None
        if kind in expected:
            return content
        if kind == "password":
            raise self._error("is protected by a password; save a copy without it")
        if kind == "too large":
            rows, columns = content
            problem = size_problem(columns, rows * columns) or REMEDY
            raise self._error(problem + self._furthest_cell())
        raise self._error(f"cannot be opened as a workbook ({content}); save it again in Excel")

    def _give_up(self) -> None:
        self._is_late = True
        self._process.kill()

    def _lost(self) -> MarketDataError:
        if self._is_late:
            return self._error(
                f"takes longer to open than {self._timer.interval:.0f} s, unusual for its "
                "size; save it again in Excel, or as CSV"
            )
        memory = f"{MOST_MEMORY / 1e9:g} GB"
        return self._error(f"needs more than {memory} to open; {REMEDY}{self._furthest_cell()}")

    def _furthest_cell(self) -> str:
        """Where the sheets of an .xlsx end, in words; nothing where that is not found quickly."""
        row, column, left = 0, "", MOST_SCANNED
        try:
            with zipfile.ZipFile(self._path) as archive:
                for name in archive.namelist():
                    if not name.startswith("xl/worksheets/") or left <= 0:
                        continue
                    with archive.open(name) as sheet:
                        content = sheet.read(left)
                    left -= len(content)
                    for letters, digits in _REFERENCE.findall(content):
                        row = max(row, int(digits))
                        column = max(column, letters.decode(), key=lambda word: (len(word), word))
        # The failure itself is told anyway; an archive that is damaged, or packed in a way that
        # Python does not know (NotImplementedError), leaves out this hint alone.
        except (OSError, ValueError, NotImplementedError, zipfile.BadZipFile, zlib.error):
            return ""
        if not row:
            return ""
        return (
            f" Its sheets end at {shown(column + str(row))[1:-1]}; delete the rows and columns "
            "beyond the table, then save it"
        )

    def _error(self, problem: str) -> MarketDataError:
        return MarketDataError(self._path.name, [problem])
