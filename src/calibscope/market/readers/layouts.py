"""Which layout a table has, by its header alone, and what is missing when none fits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

from calibscope.base.spelling import hint, nearest
from calibscope.market.maturity import maturity
from calibscope.market.panel import Quantity
from calibscope.market.readers import blocks, long, tidy, wide
from calibscope.market.readers.join import Quotes
from calibscope.market.readers.names import (
    COLUMNS,
    DETAILS,
    IGNORE,
    column_names,
    likely_quantity,
    setting,
)
from calibscope.market.readers.problems import LISTED
from calibscope.market.readers.reading import DEFAULT_QUANTITY, Reading
from calibscope.market.readers.table import Table, listed, shown
from calibscope.market.settings import ALL_QUANTITIES

HINTS = 3
LOOKED_AT = 100  # strange names: a file of another kind may have thousands


@dataclass(frozen=True, slots=True)
class Layout:
    """A way to arrange quotes in a table."""

    needs: str  # for messages
    fits: Callable[[Sequence[str], Reading], bool]
    quotes: Callable[[Table, Sequence[str], Quantity | None, Reading], list[Quotes]]


# The first that fits is taken.
LAYOUTS = {
    "long": Layout(long.NEEDS, long.fits, long.quotes),
    "tidy": Layout(tidy.NEEDS, tidy.fits, tidy.quotes),
    "blocks": Layout(blocks.NEEDS, blocks.fits, blocks.quotes),
    "wide": Layout(wide.NEEDS, wide.fits, wide.quotes),
}


def quotes_of(table: Table, quantity: Quantity, reading: Reading) -> list[Quotes]:
    """The quotes of a table; `quantity` is what its numbers are if the table does not say."""
    names = column_names(table.header, reading.settings)
    declared = reading.settings.layout
    choices = LAYOUTS if declared is None else {declared: LAYOUTS[declared]}
    layout = next((one for one in choices.values() if one.fits(names, reading)), None)
    if layout is None:
        needs = ", or ".join(f"{one.needs} ({name})" for name, one in choices.items())
        reading.problems.add(
            "layout",
            f"{table.within(f'row {table.header_row}')}: no layout fits the columns "
            f"{listed([name for name in table.header if name])}; {_hints(names)}needed: {needs}; "
            f"rename the columns or map them in [{reading.role}.columns]"
            f"{f', such as {_example(names, reading)}' if len(names) > 1 else ''}",
        )
        return []
    if layout is not LAYOUTS["blocks"] and _has_twins(table, names, reading):
        return []
    return layout.quotes(table, names, quantity, reading)


def _absent(names: Sequence[str]) -> list[str]:
    there = set(names)
    return [word for word in (*COLUMNS, *ALL_QUANTITIES) if word not in there]


def _strangers(names: Sequence[str]) -> list[str]:
    return [
        name
        for name in names
        if name
        and name not in (*COLUMNS, *DETAILS, *ALL_QUANTITIES, IGNORE)
        and maturity(name) is None
    ]


def _hints(names: Sequence[str]) -> str:
    absent = _absent(names)
    near = ((name, hint(absent, name)) for name in _strangers(names)[:LOOKED_AT])
    hints = list(islice((f"{shown(name)}{meant}" for name, meant in near if meant), HINTS))
    if len(names) == 1:
        hints.append("with a single column, is the delimiter right?")
    return "".join(f"{one}; " for one in hints)


def _example(names: Sequence[str], reading: Reading) -> str:
    """A mapping of the first column that we do not know, with a meaning that it may have."""
    name = next(iter(_strangers(names)), "Stichtag")
    within = [word for word in name.split() if maturity(word) is not None and not word.isdigit()]
    usual = "3Y" if "date" in names else "date"
    if {"date", "maturity"} <= set(names):
        usual = likely_quantity(name, DEFAULT_QUANTITY[reading.role])
    meaning = nearest(name, _absent(names)) or next(iter(within), usual)
    return setting(f"{reading.role}.columns", name, meaning)


def _has_twins(table: Table, names: Sequence[str], reading: Reading) -> bool:
    places_of: dict[str, list[int]] = {}
    for k, name in enumerate(names):
        places_of.setdefault(name, []).append(k + 1)
    twins = {
        name: places
        for name, places in places_of.items()
        if name not in ("", IGNORE, "status", "interpolated") and len(places) > 1
    }
    for name in sorted(twins):
        places = " and ".join(map(str, twins[name][:LISTED]))
        reading.problems.add(
            "header",
            f"{table.within(f'row {table.header_row}')}: columns {places} are both {shown(name)}; "
            "rename or remove one",
        )
    return bool(twins)
