"""What `calibscope check study.db` shows: whether the file is what was written."""

import datetime
from pathlib import Path

from calibscope import __version__
from calibscope.base.numbers import counted
from calibscope.report.document import Callout, Document, Listing, section
from calibscope.study.damage import Damage

SOUND = "The structure of the file is sound, and every row is what was written."
REMEDY = (
    "Run the same calibscope run again: it removes what is damaged and computes those days anew. "
    "Or restore the file from a backup."
)


def store_document(path: Path, days: int, damage: Damage) -> Document:
    """The verdict, every damaged day with its tables, and what else is damaged.

    Parameters
    ----------
    path : of the store
    days : that it has
    damage : what is not what was written
    """
    if damage:
        title = f"{path}: damaged: {damage}."
        part = section("damage", "What is damaged", *_damaged(damage), Callout(REMEDY, "bad"))
    else:
        title = f"{path}: {counted(days, 'day')}, all as they were written."
        part = section("damage", "What was checked", Callout(SOUND, "good"))
    return Document(
        title=title,
        subtitle="",
        sections=(part,),
        footer=f"calibscope {__version__}, {datetime.date.today()}.",
    )


def _damaged(damage: Damage) -> list[Listing]:
    """Lists, since what a damaged file says may be anything."""
    days = tuple(f"{day}: {', '.join(tables)}" for day, tables in damage.days.items())
    found = (
        Listing("Damaged days, with their tables", days),
        Listing("Structure", damage.structure),
    )
    return [listing for listing in found if listing.lines]
