"""Excel workbooks (and OpenDocument sheets): one sheet per quantity, or a single sheet."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from calibscope.base.spelling import hint
from calibscope.market.errors import MarketDataError
from calibscope.market.readers.grid import table_of
from calibscope.market.readers.names import likely_quantity, quantity_of, resembled, setting
from calibscope.market.readers.reading import DEFAULT_QUANTITY, Reading, Role
from calibscope.market.readers.table import Table, listed, shown
from calibscope.market.readers.workbook import Workbook
from calibscope.market.settings import ALL_QUANTITIES

# How sheets of quotes and of curves are called, in English and German.
LIKELY: dict[Role, str] = {
    "caps": "cap|vol|pri|prei|quote",
    "curve": "curve|kurve|zins|zero|rate|ois|estr|dis",
}


def excel_tables(path: Path, reading: Reading) -> list[Table]:
    """The tables of the sheets that are asked for."""
    tables = []
    first = reading.settings.header_row
    with Workbook(path) as book:
        names = book.sheets()
        alone = len(names) == 1
        for name in _chosen(names, path, reading):
            grid = book.grid(names.index(name))
            source = path.name if alone else f"{path.name}, sheet {shown(name)}"
            sheet = None if alone else name
            table = table_of(grid[first - 1 :], first, source, reading, sheet=sheet)
            tables += [] if table is None else [replace(table, title=name)]
    return tables


def _chosen(names: Sequence[str], path: Path, reading: Reading) -> list[str]:
    """The sheet of the settings; or those named after quantities; or the only one."""
    settings, role = reading.settings, reading.role
    if settings.sheet is not None:
        if settings.sheet in names:
            return [settings.sheet]
        raise MarketDataError(
            path.name,
            [
                f"there is no sheet {shown(settings.sheet)}{hint(names, settings.sheet)}; "
                f"the sheets are {listed(names)}; correct sheet under [{role}]"
            ],
        )
    meanings = {name: quantity_of(name, settings) for name in names}
    unread = [name for name, meaning in meanings.items() if meaning is None]
    absent = [one for one in ALL_QUANTITIES if one not in meanings.values()]
    if len(names) == 1:
        return list(names)
    if len(unread) < len(names):
        reading.skipped.extend(unread)
        for name in unread:
            if near := resembled(name, absent):
                reading.problems.add(
                    "sheet",
                    f"sheet {shown(name)} may mean {near!r}; rename it, or map it in "
                    f"[{role}.quantities]",
                )
        return [name for name, one in meanings.items() if one is not None and reading.takes(one)]
    own = [name for name in names if name.strip().casefold() == role]
    if own:
        return own
    # Most workbooks have a sheet for quotes and one for the curve, in the user's words.
    one = next((name for name in names if re.search(LIKELY[role], name, re.IGNORECASE)), names[0])
    raise MarketDataError(
        path.name,
        [
            f"the sheets are {listed(names)}; choose one, such as {role}.sheet = {shown(one)}, or "
            "say what they contain, such as "
            f"{setting(f'{role}.quantities', one, likely_quantity(one, DEFAULT_QUANTITY[role]))}"
        ],
    )
