"""The words for columns and quantities, and what a misspelt one may have meant."""

import json
import re
from collections.abc import Iterable, Sequence

from calibscope.base.brief import LONGEST, cut
from calibscope.base.spelling import hint, nearest, plain
from calibscope.market.maturity import maturity
from calibscope.market.panel import Quantity
from calibscope.market.readers.reading import Reading, Role
from calibscope.market.readers.table import Table, shown
from calibscope.market.settings import ALL_QUANTITIES, FileSettings

COLUMNS = ("date", "maturity", "quantity", "value")
DETAILS = ("kind", "status", "interpolated")  # what a row of caps may say besides
IGNORE = "ignore"
SURE = 0.8  # likeness from which a column that nobody mapped is asked about
HINTS = 20  # entries for which the column that they may mean is looked for
SYNONYMS = {
    "datum": "date",
    "dates": "date",
    "maturity_years": "maturity",
    "laufzeit": "maturity",
    "atm_strike": "strike",
    "basispreis": "strike",
    "typ": "kind",
    "art": "kind",
    "interpoliert": "interpolated",
    "preis": "price",
    "normalvol": "normal_vol",
    "normalvola": "normal_vol",
    "normalvolatilität": "normal_vol",
    "diskontfaktor": "discount_factor",
    "nullzins": "zero_rate",
    "vol_status": "status",
    "price_status": "status",
    "quote_status": "status",
}

_UNIT = re.compile(r"[_ ]*[(\[]?(?:bp|bps|pct|percent|%|decimal|eur)[)\]]?$")


def quantity_of(word: str, settings: FileSettings) -> Quantity | None:
    """The quantity that a word names, singular or plural, in our words or the user's."""
    own = {plain(theirs): ours for theirs, ours in settings.quantities.items()}
    key = plain(word)
    if key in own:
        return own[key]
    return next(
        (quantity for quantity in ALL_QUANTITIES if key in (quantity, f"{quantity}s")), None
    )


def column_names(header: Sequence[str], settings: FileSettings) -> list[str]:
    """Our names of the columns; one that is no word of ours keeps its name."""
    own = {plain(theirs): ours for theirs, ours in settings.columns.items()}
    return [_column_name(own.get(plain(name), name)) for name in header]


def _column_name(name: str) -> str:
    key = plain(name)
    key = SYNONYMS.get(key, key)
    if key in (*COLUMNS, *DETAILS, IGNORE):
        return key
    return next(
        (quantity for quantity in ALL_QUANTITIES if key in (quantity, f"{quantity}s")), name
    )


def mapping_problems(
    headers: Iterable[Sequence[str]], settings: FileSettings, role: Role
) -> list[str]:
    """Entries of `columns` that name no column of any file, or mean nothing to us."""
    there = {plain(name): name for header in headers for name in header if name}
    problems: list[str] = []
    for theirs, ours in settings.columns.items():
        place = f"setting {role}.columns"
        words = (*COLUMNS, *DETAILS, IGNORE, *ALL_QUANTITIES)
        known = _column_name(ours) in words
        if not known and maturity(ours) is None:
            problems.append(
                f"{place}: {shown(theirs)} is mapped to {shown(ours)}, which is not one of our "
                f"columns{hint(words, ours)}; use "
                f"{', '.join((*COLUMNS, *DETAILS))}, a quantity, a maturity such as 3Y, or ignore"
            )
        if theirs and plain(theirs) not in there:
            problems.append(
                f"{place}: there is no column {shown(theirs)}"
                f"{hint(there.values(), theirs) if len(problems) < HINTS else ''}; "
                "correct or remove the entry"
            )
    return problems


def setting(place: str, word: str, meaning: str) -> str:
    """A setting that maps a word of the user's, ready to be copied.

    >>> print(setting("caps.columns", "CAP 3Y", "3Y"))
    caps.columns."CAP 3Y" = "3Y"
    """
    return f"{place}.{json.dumps(cut(word, LONGEST), ensure_ascii=False)} = {json.dumps(meaning)}"


def resembled(name: str, choices: Iterable[str]) -> str | None:
    """The choice that a name may stand for: misspelt, with its unit, or with a word before it.

    >>> [resembled(name, ["price", "strike"]) for name in ("Price (bp)", "atm_strike", "comment")]
    ['price', 'strike', None]
    """
    bare = _UNIT.sub("", plain(name))
    words = list(choices)
    near = [word for word in words if bare.endswith(f"_{word}")]
    return near[0] if near else nearest(bare, words, SURE)


def likely_quantity(word: str, usual: Quantity) -> Quantity:
    """What a name in the user's words may mean, where `usual` is what most such files have.

    >>> likely_quantity("Cap vols (bp)", "price"), likely_quantity("Zinskurve", "discount_factor")
    ('normal_vol', 'zero_rate')
    """
    if usual == "price":
        return "normal_vol" if "vol" in plain(word) else usual
    return "zero_rate" if re.search("zero|zins|rate|null", plain(word)) else usual


def unused_columns(
    table: Table, names: Sequence[str], used: Sequence[str], reading: Reading
) -> tuple[str, ...]:
    """Headings of columns that are neither read nor mapped to be ignored, as the file has them.

    What goes with caps is read where there are caps, if not in this reading.
    """
    known = {*used, *(DETAILS if reading.has_seen_caps else ()), IGNORE}
    headings = zip(table.header, names, strict=False)
    return tuple(str(own) for own, name in headings if name not in known and str(own))
