"""What `calibscope check study.db` shows: whether the file is what was written."""

from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from calibscope.study.damage import Damage

REMEDY = (
    "Run the same calibscope run again: it removes what is damaged and computes those days anew. "
    "Or restore the file from a backup."
)


def checked_store(path: Path, days: int, damage: Damage) -> RenderableType:
    """The verdict, and every damaged day with its tables."""
    count = f"{days:,} {'day' if days == 1 else 'days'}"
    if not damage:
        return Text(f"{path}: {count}, all as they were written.", style="bold green")
    parts: list[RenderableType] = [Text(f"{path}: damaged: {damage}.", style="bold red")]
    parts += [Text(f"  {day}: {', '.join(tables)}") for day, tables in damage.days.items()]
    return Group(*parts, Text(f"\n{REMEDY}", style="bold"))


def store_as_data(path: Path, days: int, damage: Damage) -> dict[str, Any]:
    """The same, as data."""
    return {
        "store": path,
        "days": days,
        "is_sound": not damage,
        "damaged_days": {day: list(tables) for day, tables in damage.days.items()},
        "damaged_rows": {table: list(keys) for table, keys in damage.rows.items()},
        "structure": list(damage.structure),
    }
