"""One Parquet or CSV file per table, and a manifest in JSON.

Parquet keeps the plain names and has units and meanings in the metadata of its fields. CSV has
units in its header, ISO dates, and blanks for what is missing. A spreadsheet takes a text that
begins with = + - @ for a formula, whoever wrote it; there it gets an apostrophe before it.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from calibscope.report.export.columns import Kind, header
from calibscope.report.export.tables import Table
from calibscope.report.export.target import FORMAT, MANIFEST

RISKY = r"^[\t\r\n]|^\s*[=+\-@]"  # what a spreadsheet may take for a formula


def write_parquet(table: Table, file: Path, about: dict[str, Any]) -> None:
    """A file with types; `about` goes into its metadata."""
    fields = [
        field.with_metadata({"unit": column.unit, "meaning": column.meaning})
        for field, column in zip(table.data.schema, table.columns.values(), strict=True)
    ]
    metadata = {FORMAT: json.dumps({**about, "one_row_per": table.one_row_per})}
    schema = pa.schema(fields, metadata)
    pyarrow.parquet.write_table(table.data.cast(schema), file)


def write_csv(table: Table, file: Path, about: dict[str, Any]) -> None:
    """A file for any tool."""
    arrays = [
        pc.replace_substring_regex(values, f"({RISKY})", r"'\1") if is_text else values
        for values, is_text in (
            (table.data[name], column.kind is Kind.TEXT) for name, column in table.columns.items()
        )
    ]
    names = [header(name, column.unit) for name, column in table.columns.items()]
    pyarrow.csv.write_csv(pa.table(arrays, names), file)


WRITERS: dict[str, Callable[[Table, Path, dict[str, Any]], None]] = {
    "parquet": write_parquet,
    "csv": write_csv,
}


def write_folder(
    folder: Path,
    format: str,  # noqa: A002
    tables: list[Table],
    content: dict[str, Any],
    progress: Callable[[int, int], None],
) -> None:
    """All tables, and the manifest with their files and columns."""
    about = {name: content[name] for name in ("data", "study", "exported", "calibscope")}
    done, total = 0, sum(map(len, tables))
    for table in tables:
        file = folder / f"{table.name}.{format}"
        WRITERS[format](table, file, about)
        content["tables"][table.name] |= {
            "file": file.name,
            "columns": {
                name: {"unit": column.unit, "kind": column.kind.value, "meaning": column.meaning}
                for name, column in table.columns.items()
            },
        }
        done += len(table)
        progress(done, total)
    text = json.dumps(content, indent=1, ensure_ascii=False)
    (folder / MANIFEST).write_text(text, encoding="utf-8")
