"""The entry point: a user's file, or one file per quantity, to panels."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from calibscope.base.brief import brief
from calibscope.base.file_problem import file_problem
from calibscope.base.spelling import choose_from, did_you_mean, nearest
from calibscope.market.errors import MarketDataError, raise_problems
from calibscope.market.limits import LARGEST_FILE
from calibscope.market.panel import QUOTES, Panel, Quantity
from calibscope.market.quotes import Kind
from calibscope.market.readers.csv_file import csv_tables
from calibscope.market.readers.excel_file import excel_tables
from calibscope.market.readers.join import joined
from calibscope.market.readers.layouts import quotes_of
from calibscope.market.readers.names import mapping_problems, quantity_of, setting
from calibscope.market.readers.parquet_file import parquet_tables
from calibscope.market.readers.reading import DEFAULT_QUANTITY, QUANTITIES, Reading, Role
from calibscope.market.readers.table import Table, listed, shown
from calibscope.market.settings import FileSettings

FileLike = str | Path

FORMATS: dict[str, Callable[[Path, Reading], list[Table]]] = {
    **dict.fromkeys((".csv", ".tsv", ".txt"), csv_tables),
    **dict.fromkeys((".xlsx", ".xlsm", ".xls", ".xlsb", ".ods"), excel_tables),
    **dict.fromkeys((".parquet", ".pq"), parquet_tables),
}


def read_panels(
    files: FileLike | Mapping[str, FileLike],
    settings: FileSettings,
    role: Role,
    kind: Kind = "cap",
) -> list[Panel]:
    """Read the caps or the curve, one panel per quantity.

    Parameters
    ----------
    files : a file with all quantities, or a file for each: {"price": "prices.csv", ...}
    settings : how the files are written, where the files do not say it themselves
    role : which quantities to take; a file may hold caps and curve together
    kind : what quotes are whose file does not say whether they are caps or floors

    Raises
    ------
    MarketDataError
        with all problems of all files
    """
    named: list[tuple[str | None, object]] = (
        list(files.items()) if isinstance(files, Mapping) else [(None, files)]
    )
    sources: list[Source] = []
    panels: list[Panel] = []
    errors: list[MarketDataError] = []
    for word, file in named:
        try:
            sources.append(_opened(file, word, settings, role, kind))
        except MarketDataError as error:
            errors.append(error)
    if not named:
        raise MarketDataError(role, ["there are no files; name at least one"])
    if not errors and not any(source.reading.problems.lines() for source in sources):
        headers = [table.header for source in sources for table in source.tables]
        where = sources[0].path.name if len(sources) == 1 else role
        raise_problems(where, mapping_problems(headers, settings, role) if headers else [])
    for source in sources:
        try:
            panels += _panels(source)
        except MarketDataError as error:
            errors.append(error)
    if len(errors) == 1:
        raise errors.pop()  # not errors[0], which would keep this frame and its tables alive
    raise_problems(role, [f"{error.where}: {text}" for error in errors for text in error.problems])
    return panels


@dataclass(frozen=True, slots=True)
class Source:
    """A file that could be opened."""

    path: Path
    tables: list[Table]
    reading: Reading


def _opened(
    file: object, word: str | None, settings: FileSettings, role: Role, kind: Kind
) -> Source:
    """The tables of a file; `word` names its quantity, where each has its own file."""
    wanted = None if word is None else _quantity(str(word), settings, role)
    reading = Reading(settings, role, wanted, kind)
    if not isinstance(file, str | os.PathLike):
        problem = (
            f"{type(file).__name__} is not a file; give the name of a file, or one per quantity"
        )
        raise MarketDataError(role, [problem])
    path = Path(file)
    try:
        return Source(path, _format(path)(path, reading), reading)
    except OSError as error:
        problem = f"the file cannot be read ({error.strerror}); check its name and permissions"
        raise MarketDataError(path.name, [problem]) from None


def _quantity(word: str, settings: FileSettings, role: Role) -> Quantity:
    quantity = quantity_of(word, settings)
    if quantity in QUANTITIES[role]:
        return quantity
    raise MarketDataError(
        role,
        [f"{shown(word)} is not a quantity of the {role}; {choose_from(QUANTITIES[role], word)}"],
    )


def _panels(source: Source) -> list[Panel]:
    """The panels of a file, or an error with all its problems."""
    reading = source.reading
    quotes = []
    for table in source.tables:
        declared = reading.wanted or _declared(table, source.path, reading.settings)
        quotes += quotes_of(table, declared or DEFAULT_QUANTITY[reading.role], reading)
    panels = joined(quotes, reading)
    problems = reading.problems.lines() or _nothing_found(panels, reading)
    raise_problems(source.path.name, problems)
    return panels


def _nothing_found(panels: Sequence[Panel], reading: Reading) -> list[str]:
    """That there is nothing of use, and where it may be."""
    role, skipped = reading.role, reading.skipped
    # Strikes alone are of no use, and there is no need to wait for the other files to say so.
    asked = (reading.wanted,) if reading.wanted else QUANTITIES[role]
    needed = QUOTES if role == "caps" and skipped and not reading.wanted else asked
    if any(panel.quantity in needed for panel in panels):
        return []
    only = f", only {', '.join(sorted(reading.seen))}" if reading.seen else ""
    remedy = f"is it the right file for the {role}?"
    if skipped:
        example = setting(f"{role}.quantities", skipped[0], needed[0])
        remedy = f"skipped sheets: {listed(skipped)}; map them in [{role}.quantities]: {example}"
    return [f"in all columns and rows there is no {' or '.join(needed)}{only}; {remedy}"]


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
    if not path.exists():
        folder = path.parent
        there = [file.name for file in folder.iterdir()] if folder.is_dir() else []
        near = nearest(path.name, there)
        remedy = did_you_mean([repr(near)]) if near else "check the name"
        problem = f"there is no such file in {brief(str(folder))}; {remedy}"
    elif unfit := file_problem(path, LARGEST_FILE):
        problem = unfit
    elif suffix not in FORMATS:
        problem = (
            f"the ending {brief(suffix)} is none of {', '.join(FORMATS)}; save it as one of these"
        )
    else:
        return FORMATS[suffix]
    raise MarketDataError(path.name or str(path), [problem])
