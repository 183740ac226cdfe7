"""Parquet files: one table, with typed columns."""

from pathlib import Path
from typing import Any

import numpy as np

from calibscope.market.errors import MarketDataError
from calibscope.market.readers.reading import Reading
from calibscope.market.readers.table import Cell, Table, cleaned


def parquet_tables(path: Path, reading: Reading) -> list[Table]:
    """The one table of a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        content = pq.ParquetFile(path).read()
        columns = [_cells(content.column(k), pa) for k in range(content.num_columns)]
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = " ".join(str(error).replace(str(path), path.name).split())
        raise MarketDataError(
            path.name, [f"cannot be opened as Parquet ({reason[:120]}); write it again"]
        ) from None
    if not content.num_rows or not columns:
        raise MarketDataError(path.name, ["row 1: there are no values; give at least one row"])
    header = tuple(str(name).strip() for name in content.column_names)
    rows = np.arange(1, content.num_rows + 1)
    return [Table(path.name, None, header, columns, rows)]


def _cells(column: Any, pa: Any) -> list[Cell]:
    if pa.types.is_timestamp(column.type):
        # Whole microseconds become Python's own datetimes, nanoseconds would need pandas.
        column = column.cast(pa.timestamp("us", column.type.tz), safe=False)
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    cells = column.to_pylist()
    if pa.types.is_nested(column.type) or pa.types.is_binary(column.type):
        cells = [str(cell) for cell in cells]  # to be shown in the message
    return cleaned(cells)
