"""The door: a user's file, or one file per quantity, to panels."""

import difflib
from collections.abc import Callable, Mapping
from pathlib import Path

from calibscope.market.errors import MarketDataError, raise_problems
from calibscope.market.panel import Panel, Quantity
from calibscope.market.readers.csv_file import csv_tables
from calibscope.market.readers.excel_file import excel_tables
from calibscope.market.readers.join import joined
from calibscope.market.readers.layouts import quotes_of
from calibscope.market.readers.names import did_you_mean, mapping_problems, quantity_of
from calibscope.market.readers.parquet_file import parquet_tables
from calibscope.market.readers.reading import DEFAULT_QUANTITY, QUANTITIES, Reading, Role
from calibscope.market.readers.table import Table, shown
from calibscope.market.settings import FileSettings

FileLike = str | Path

FORMATS: dict[str, Callable[[Path, Reading], list[Table]]] = {
    **dict.fromkeys((".csv", ".tsv", ".txt"), csv_tables),
    **dict.fromkeys((".xlsx", ".xlsm", ".xls", ".xlsb", ".ods"), excel_tables),
    **dict.fromkeys((".parquet", ".pq"), parquet_tables),
}


def read_panels(
    files: FileLike | Mapping[str, FileLike], settings: FileSettings, role: Role
) -> list[Panel]:
    """Read the caps or the curve, one panel per quantity.

    Parameters
    ----------
    files : a file with all quantities, or a file for each: {"price": "prices.csv", ...}
    settings : how the files are written, where the files do not say it themselves
    role : which quantities to take; a file may hold caps and curve together

    Raises
    ------
    MarketDataError
        with all problems of all files
    """
    if not isinstance(files, Mapping):
        return _read(Path(files), None, settings, role)
    panels, errors = [], []
    for word, file in files.items():
        try:
            panels += _read(Path(file), _quantity(word, settings, role), settings, role)
        except MarketDataError as error:
            errors.append(error)
    if not files:
        raise MarketDataError(role, ["there are no files; name at least one"])
    if len(errors) == 1:
        raise errors[0]
    raise_problems(role, [f"{error.where}: {text}" for error in errors for text in error.problems])
    return panels


def _quantity(word: str, settings: FileSettings, role: Role) -> Quantity:
    quantity = quantity_of(word, settings)
    if quantity in QUANTITIES[role]:
        return quantity
    raise MarketDataError(
        role,
        [
            f"{shown(word)} is no quantity of the {role}{did_you_mean(word, QUANTITIES[role])}; "
            f"use {', '.join(QUANTITIES[role])}"
        ],
    )


def _read(path: Path, wanted: Quantity | None, settings: FileSettings, role: Role) -> list[Panel]:
    reading = Reading(settings, role, wanted)
    try:
        tables = _format(path)(path, reading)
    except OSError as error:
        problem = f"the file cannot be read ({error.strerror}); check its name and permissions"
        raise MarketDataError(path.name, [problem]) from None
    headers = [table.header for table in tables]
    raise_problems(path.name, mapping_problems(headers, reading) if headers else [])
    quotes = []
    for table in tables:
        quantity = wanted or _declared(table, path, settings) or DEFAULT_QUANTITY[role]
        quotes += quotes_of(table, quantity, reading)
    panels = joined(quotes, reading)
    problems = reading.problems.lines()
    if not problems and not panels:
        only = f", only {', '.join(sorted(reading.seen))}" if reading.seen else ""
        asked = [wanted] if wanted else QUANTITIES[role]
        problems = [
            f"in all columns and rows there is no {' or '.join(asked)}{only}; is it the right file "
            f"for the {role}?"
        ]
    raise_problems(path.name, problems)
    return panels


def _declared(table: Table, path: Path, settings: FileSettings) -> Quantity | None:
    """What the numbers of a table are: as its sheet says, or the settings, or the file's name.

    The settings come first where they speak of a single sheet.
    """
    named = quantity_of(table.title, settings)
    first, second = (settings.quantity, named) if settings.sheet else (named, settings.quantity)
    return first or second or quantity_of(path.stem, settings)


def _format(path: Path) -> Callable[[Path, Reading], list[Table]]:
    """How to open the file, or an error that says why not."""
    suffix = path.suffix.lower()
    if path.is_dir():
        problem = "is a folder; give a file in it"
    elif not path.exists():
        folder = path.parent
        there = [file.name for file in folder.iterdir()] if folder.is_dir() else []
        near = difflib.get_close_matches(path.name, there, n=1)
        hint = f"did you mean {near[0]!r}?" if near else "check the name"
        problem = f"there is no such file in {str(folder)!r}; {hint}"
    elif suffix not in FORMATS:
        problem = f"the ending {suffix!r} is none of {', '.join(FORMATS)}; save it as one of these"
    else:
        return FORMATS[suffix]
    raise MarketDataError(path.name or str(path), [problem])
