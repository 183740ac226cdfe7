"""Numbers as people write them: 0.0123, 0,0123, 1.234,56, 1e-3, and the words for a gap.

Whether a comma is a decimal comma is decided by the file as a whole. A cell such as 1,234 that
may be either is an error unless other cells settle it, or semicolons between the cells: a factor
of a thousand is not guessed.
"""

import datetime
import re
from collections.abc import Sequence
from typing import Literal, cast

import numpy as np

from calibscope.base.arrays import Array
from calibscope.market.readers.reading import Reading
from calibscope.market.readers.table import Cell, Table, shown

Decimal = Literal[".", ","]


def _numeral(point: str, comma: str) -> re.Pattern[str]:
    whole = rf"(?:\d*|[1-9]\d{{0,2}}(?:{comma}\d{{3}})+)"
    return re.compile(rf"[+-]?(?={point}?\d){whole}(?:{point}\d*)?(?:[eE][+-]?\d+)?", re.ASCII)


NUMERALS: dict[Decimal, re.Pattern[str]] = {
    ".": _numeral(r"\.", ","),
    ",": _numeral(",", r"\."),
}
OTHER: dict[Decimal, Decimal] = {".": ",", ",": "."}
GROUPED = {".": re.compile(r"\.\d{3}\."), ",": re.compile(r",\d{3},")}  # 1.329.861: thousands

_SIGN = r"(?:[$€£¥]|EUR|USD|GBP|CHF|JPY|Euro)"
_DIGITS = r"[-+\d.,' ]+"
CURRENCY = re.compile(rf"[+-]?{_SIGN}{_DIGITS}|{_DIGITS}{_SIGN}", re.ASCII | re.IGNORECASE)


def numbers(table: Table, columns: Sequence[int], reading: Reading) -> list[Array]:
    """The columns as numbers, gaps as NaN; cells that are no numbers become problems."""
    decimal = reading.settings.decimal or _decimal(table, columns, reading)
    if decimal is None:
        return [np.full(len(table.rows), np.nan) for _ in columns]
    return [_column(table, column, decimal, reading) for column in columns]


def _column(table: Table, column: int, decimal: Decimal, reading: Reading) -> Array:
    cells = table.columns[column]
    values = _clean_column(cells, decimal)
    if values is None:
        values = _cell_by_cell(table, column, decimal, reading)
    for i in np.flatnonzero(np.isinf(values)).tolist():
        text = f"{shown(cells[i])} is not a finite number; correct it, or leave the cell blank"
        reading.problems.add_cell("infinite", table, i, column, text)
    return values


def _clean_column(cells: Sequence[Cell], decimal: Decimal) -> Array | None:
    """The usual case at once: numbers and blanks, without grouping; None if it is another one."""
    kinds = set(map(type, cells))
    if kinds <= {float, int}:
        return np.array(cells, dtype=float)
    if kinds != {str}:
        return None
    words = cast(Sequence[str], cells)
    text = " ".join(words)
    # What Python takes for a number but we do not: 1_000, digits of other scripts, nan, inf.
    if OTHER[decimal] in text or "_" in text or "n" in text.casefold() or not text.isascii():
        return None
    try:
        if decimal != ".":
            words = [word.replace(decimal, ".") for word in words]
        return np.array([float(word) if word else np.nan for word in words])
    except ValueError:
        return None


def _cell_by_cell(table: Table, column: int, decimal: Decimal, reading: Reading) -> Array:
    fits, grouping = NUMERALS[decimal].fullmatch, OTHER[decimal]
    cells = table.columns[column]
    values = np.full(len(cells), np.nan)
    for i, cell in enumerate(cells):
        if isinstance(cell, str) and fits(cell):
            values[i] = float(cell.replace(grouping, "").replace(decimal, "."))
        elif isinstance(cell, float | int) and not isinstance(cell, bool):
            values[i] = cell
        elif not reading.is_gap(cell):
            reading.problems.add_cell("number", table, i, column, _fault(cell, reading))
    return values


def _fault(cell: Cell, reading: Reading) -> str:
    if isinstance(cell, datetime.date | datetime.time | datetime.timedelta):
        return f"{cell} is a date or time where a number belongs; format the cell as a number"
    if isinstance(cell, str) and cell.endswith("%"):
        return (
            f"{shown(cell)} carries a percent sign; remove the signs and declare percent in "
            f"[{reading.role}.units]"
        )
    if isinstance(cell, str) and CURRENCY.fullmatch(cell.replace("\xa0", " ")):
        declared = "declare currency in [caps.units] and conventions.notional"
        return (
            f"{shown(cell)} carries a currency sign; remove the signs"
            f"{f', {declared}' if reading.role == 'caps' else ''}"
        )
    if isinstance(cell, str) and any(fits.fullmatch(cell) for fits in NUMERALS.values()):
        return (
            f"{shown(cell)} is not a number with decimal = {reading.settings.decimal!r}; correct "
            f"it or the setting {reading.role}.decimal"
        )
    return (
        f"{shown(cell)} is not a number; correct it, or list the word under {reading.role}.missing "
        "if it means a gap"
    )


def _decimal(table: Table, columns: Sequence[int], reading: Reading) -> Decimal | None:
    """Point or comma, or None, with a problem, if the cells leave it open."""
    texts = [cell for k in columns for cell in table.columns[k] if isinstance(cell, str)]
    text = "\n".join(texts)
    grouped = any(sign in text and GROUPED[sign].search(text) for sign in GROUPED)
    if "," not in text and not grouped:
        return "."
    distinct = dict.fromkeys(texts)
    if (
        "." not in text
        and not grouped
        and not all(map(NUMERALS["."].fullmatch, filter(NUMERALS[","].fullmatch, distinct)))
    ):
        return ","
    sure: dict[Decimal, list[str]] = {".": [], ",": []}
    either = []
    for text in distinct:
        point, comma = (NUMERALS[sign].fullmatch(text) for sign in (".", ","))
        if point and comma:
            either.append(text)
        elif point or comma:
            sure["." if point else ","].append(text)
    if sure["."] and sure[","]:
        reading.problems.add(
            "decimal", _open(table, columns, (sure["."][0], sure[","][0]), reading)
        )
        return None
    if table.delimiter == ";" and not sure["."] and not any("." in text for text in either):
        return ","  # it is why there are semicolons
    decimal: Decimal = "," if sure[","] else "."
    grouping = OTHER[decimal]
    doubtful = [text for text in either if grouping in text]
    if doubtful and not any(grouping in text for text in sure[decimal]):
        reading.problems.add("decimal", _open(table, columns, doubtful[:1], reading))
        return None
    return decimal


def _open(table: Table, columns: Sequence[int], texts: Sequence[str], reading: Reading) -> str:
    places = []
    for text in texts:
        column = next(k for k in columns if text in table.columns[k])
        row = table.columns[column].index(text)
        places.append(f"{table.place(row, column)}: {shown(text)}")
    return (
        f"{' and '.join(places)}: is the comma or the point the decimal sign? "
        f"""Set decimal = "," or "." under [{reading.role}]"""
    )
