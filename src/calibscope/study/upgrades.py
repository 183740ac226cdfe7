"""How a store that an older version has written becomes one of the present version.

All that it has is copied into a new store, column by column under the present names. What an older
version did not keep is derived (labels of quotes from their maturities) or stays empty. Where rows
are not what was written, as far as the old store has hashes to tell, their hashes are left out, so
that they count as damaged in the new one too.
"""

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import compress
from typing import Any

from sqlalchemy import Connection, MetaData, Table, select

from calibscope.market.maturity import label
from calibscope.models.g2.parameters import SPECS
from calibscope.models.model import DEFAULT
from calibscope.study import schema
from calibscope.study.database import insert_columns, rows_of
from calibscope.study.further_fits import KEYS, FurtherFits
from calibscope.study.robustness_rows import EDOF_COLUMNS
from calibscope.study.rows import Rows, read_rows
from calibscope.study.sealed import damaged_keys, seal_everything, unseal

OLDEST = 1  # version that can be upgraded

# Tables and columns that had other names.
TABLES = {"challenger_fits": "second_looks"}
COLUMNS = {
    "days": {
        "summary": "reading",
        "has_equal_speeds": "is_ridge",
        "has_large_residual": "has_outlier",  # which is a verdict now
    },
    "optima": {"share_of_starts": "basin_share"},
}
STATUS = {"RIDGE": "EQUAL_SPEEDS"}

Columns = dict[str, Any]


Tables = Mapping[str, Table]
Copied = Iterable[tuple[Table, Columns]]


def copy_upgraded(old: Connection, new: Connection) -> None:
    """Copy an older store into an empty one of the present version."""
    there = _tables(old)
    kinds = _kinds(old, there)

    def upgraded(table: Table, rows: Rows) -> Copied:
        yield table, _derived(table, rows, kinds)
        yield from _as_rows(table, rows, kinds)

    _copy(old, new, there, upgraded)


def copy_completed(old: Connection, new: Connection) -> None:
    """Copy a store of this version into an empty one that has more columns."""
    _copy(old, new, _tables(old), lambda table, rows: [(table, dict(rows.columns))])


def _tables(connection: Connection) -> Tables:
    metadata = MetaData()
    metadata.reflect(connection)
    return metadata.tables


def _copy(
    old: Connection, new: Connection, there: Tables, copied: Callable[[Table, Rows], Copied]
) -> None:
    wrong: dict[str, list[Any]] = {}
    for table in schema.WRITTEN:
        before = there.get(table.name, there.get(TABLES.get(table.name, "")))
        if before is None:
            continue
        rows = read_rows(old, before)
        if "day_hashes" in there:
            wrong[table.name] = damaged_keys(old, rows)
        for target, columns in copied(table, rows):
            insert_columns(new, target, columns, "skip")
    seal_everything(new)
    for name, keys in wrong.items():
        unseal(new, schema.metadata.tables[name], keys)


def _derived(table: Table, rows: Rows, kinds: Mapping[Any, str]) -> Columns:
    """The columns of the present table, as far as there is anything to fill them with."""
    names = {new: old for new, old in COLUMNS.get(table.name, {}).items() if old in rows.columns}
    columns: Columns = {
        name: rows.columns[names.get(name, name)]
        for name in table.columns.keys()  # noqa: SIM118
        if names.get(name, name) in rows.columns
    }
    if "label" in table.columns and "label" not in columns:
        of_days = [kinds.get(day, "cap") for day in rows.keys]
        columns["label"] = [
            _label(year, kind) for year, kind in zip(rows.columns["maturity"], of_days, strict=True)
        ]
        if table is schema.quotes:
            columns["kind"] = of_days
            columns["place"] = _places(rows.keys)
            columns["is_interpolated"] = [0] * rows.count
    if table is schema.robustness:
        old = ("edof_5", "edof_4", "edof_3_or_less")
        columns |= {
            name: rows.columns[before] for name, before in zip(EDOF_COLUMNS, old, strict=True)
        }
    if table is schema.profiles:
        columns.setdefault("scale", ["mse"] * rows.count)  # there was one scale
    if table is schema.failed_refits:
        columns.setdefault("task", ["left_out"] * rows.count)  # there was one task
    if table is schema.days:
        if "outlier" not in columns:
            columns.pop("has_outlier", None)
        columns["model"] = [DEFAULT] * rows.count
        dropped = [int(status == "DROPPED") for status in columns["status"]]
        columns.setdefault("is_incomplete", dropped)  # only complete days had results
        columns["status"] = [STATUS.get(word, word) for word in columns["status"]]
        for name in (name for name in columns if name.endswith("_at")):
            columns[name] = [
                f"{word} floor" if kinds.get(day) == "floor" and word else word
                for word, day in zip(columns[name], rows.keys, strict=True)
            ]
    return columns


def _as_rows(table: Table, rows: Rows, kinds: Mapping[Any, str]) -> Iterator[tuple[Table, Columns]]:
    """What was a column per parameter of G2++, or per direction, and is a row of another table."""
    names, count = SPECS.names, rows.count
    if table is schema.days and "singular_1" in rows.columns:
        directions: Columns = {"day_id": [], "number": [], "singular_value": []}
        for number in range(1, len(names) + 1):
            values = rows.columns[f"singular_{number}"]
            is_there = [value is not None for value in values]
            directions["day_id"] += compress(rows.columns["day_id"], is_there)
            directions["number"] += [number] * sum(is_there)
            directions["singular_value"] += compress(values, is_there)
        yield schema.directions, directions
    if table.name in KEYS:
        further, key = FurtherFits(), KEYS[table.name]
        for k, day in enumerate(rows.keys):
            of_fit = (
                rows.columns[key][k]
                if key in rows.columns
                else _label(rows.columns["maturity"][k], kinds.get(day, "cap"))
            )
            further.add(day, table.name, of_fit, {name: rows.columns[name][k] for name in names})
        yield schema.further_fits, further.columns
    if table is schema.robustness:
        moves: Columns = {
            "place": list(rows.columns["place"]) * len(names),
            "number": [number for number in range(len(names)) for _ in range(count)],
            "parameter": [name for name in names for _ in range(count)],
            "move": [value for name in names for value in rows.columns[f"move_{name}"]],
        }
        yield schema.robustness_moves, moves


def _label(year: Any, kind: str) -> str | None:
    if not isinstance(year, int | float):
        return None if year is None else str(year)  # damaged, and counts as such
    return label(year) + (" floor" if kind == "floor" else "")


def _places(days: Any) -> list[int]:
    """0, 1, 2, ... for the rows of each day; they come in the order of maturities."""
    places: list[int] = []
    for number, day in enumerate(days):
        places.append(places[-1] + 1 if number and day == days[number - 1] else 0)
    return places


def _kinds(connection: Connection, there: Mapping[str, Table]) -> dict[Any, str]:
    """Whether the quotes of a day are caps or floors, by day_id; without a kept day, caps."""
    if "market_days" not in there:
        return {}
    days, kept = there["days"].c, there["market_days"].c
    wanted = select(days.day_id, kept.content).where(days.data_hash == kept.data_hash)
    return {day: _kind(content) for day, content in rows_of(connection, wanted)}


def _kind(content: Any) -> str:
    try:
        return str(json.loads(zlib.decompress(content))["kind"])
    except (zlib.error, ValueError, TypeError, KeyError):
        return "cap"  # damaged, and counts as such
