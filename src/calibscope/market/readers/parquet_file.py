"""Parquet files: one table, with typed columns."""

from pathlib import Path
from typing import Any

import numpy as np

from calibscope.base.brief import cut
from calibscope.market.errors import MarketDataError
from calibscope.market.limits import LARGEST_FILE, LONGEST_TEXT, REMEDY, size_problem
from calibscope.market.readers.reading import Reading
from calibscope.market.readers.table import Cell, Table, cleaned

ROWS_AT_ONCE = 10_000


def parquet_tables(path: Path, reading: Reading) -> list[Table]:
    """The one table of a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            content = _content(path, file, pa, pq)
        columns = [_cells(content.column(k), pa) for k in range(content.num_columns)]
    except MarketDataError:
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        reason = " ".join(str(error).replace(str(path), path.name).split())
        raise MarketDataError(
            path.name, [f"cannot be opened as Parquet ({cut(reason, 120)}); write it again"]
        ) from None
    if not content.num_rows or not columns:
        raise MarketDataError(path.name, ["row 1: there are no values; give at least one row"])
    header = tuple(str(name).strip() for name in content.column_names)
    rows = np.arange(1, content.num_rows + 1)
    return [Table(path.name, None, header, columns, rows)]


def _content(path: Path, file: Any, pa: Any, pq: Any) -> Any:
    """The whole table, if it is not too large: a few bytes may stand for gigabytes."""
    schema, count = file.schema_arrow, len(file.schema_arrow.names)
    problem = size_problem(count, count * file.metadata.num_rows)
    # A text that is repeated a million times is kept once.
    texts = [field.name for field in schema if _is_text(field.type, pa)]
    batches, size = [], 0
    if problem is None:
        with pq.ParquetFile(path, read_dictionary=texts) as again:
            for batch in again.iter_batches(ROWS_AT_ONCE, use_threads=False):
                batches.append(batch)
                size += batch.nbytes
                if size > 2 * LARGEST_FILE:
                    problem = f"unpacks to more than {2 * LARGEST_FILE / 1e6:,.0f} MB; {REMEDY}"
                    break
    if problem is not None:
        raise MarketDataError(path.name, [problem])
    content = pa.Table.from_batches(batches, batches[0].schema if batches else schema)
    content.validate(full=True)  # codes of words that there are, texts that are text
    return content


def _is_text(kind: Any, pa: Any) -> bool:
    return kind in (pa.string(), pa.large_string(), pa.binary(), pa.large_binary())


def _cells(column: Any, pa: Any) -> list[Cell]:
    if pa.types.is_dictionary(column.type):
        return [cell for chunk in column.chunks for cell in _coded_cells(chunk, pa)]
    if pa.types.is_timestamp(column.type):
        # Whole microseconds become Python's own datetimes, nanoseconds would need pandas.
        column = column.cast(pa.timestamp("us", column.type.tz), safe=False)
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    cells = column.to_pylist()
    if column.type in (pa.binary(), pa.large_binary()) or pa.types.is_nested(column.type):
        cells = [str(cell) for cell in cells]  # to be shown in the message
    return cleaned(cells)


def _coded_cells(chunk: Any, pa: Any) -> list[Cell]:
    """Cells that are numbers of words; each word is made once."""
    words = [*_cells(pa.chunked_array([chunk.dictionary]), pa), ""]
    longest = max(len(word) if isinstance(word, str) else 0 for word in words)
    if longest > LONGEST_TEXT:
        raise ValueError(f"a text of {longest:,} characters")
    return [words[-1 if code is None else code] for code in chunk.indices.to_pylist()]
