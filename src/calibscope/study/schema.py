"""The tables of a study, and the version by which an older or newer store is recognised.

Every number of a day hangs on a row of `days`. A row is never changed or deleted: when a date is
computed anew, because its quotes or the settings changed, `superseded_by` names the run that did
it, and the old results stay for the auditor. Current rows have none, and there is one per date and
model. What the tables and their columns are is in `tables.py`; parameters are rows, whatever the
model. What was written has a hash (`day_hashes`, `row_hashes`; `sealed.py` says of what).
"""

from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    Date,
    DateTime,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
)

from calibscope.study import tables
from calibscope.study.database import KEYED, only_where
from calibscope.study.tables import Stored, StoredKind, StoredTable

VERSION = 6
metadata = MetaData()
TYPES: dict[StoredKind, Any] = {
    "number": Float, "count": Integer, "integer": Integer, "flag": Boolean, "text": String,
    "date": Date, "moment": DateTime, "bytes": LargeBinary,
}  # fmt: skip


def _table(described: StoredTable) -> Table:
    """With a day in front, where rows are results of one."""
    columns = [_column(column) for column in described.columns]
    if not described.is_of_days:
        return Table(described.name, metadata, *columns)
    day: Column[int] = Column("day_id", ForeignKey("days.day_id"), primary_key=True)
    return Table(described.name, metadata, day, *columns, **KEYED)


def _column(described: Stored) -> "Column[Any]":
    return Column(
        described.name,
        ForeignKey(described.refers) if described.refers else TYPES[described.kind],
        primary_key=described.is_key,
        nullable=not (described.is_key or described.is_required),
    )


store = Table(
    "store",
    metadata,
    Column("version", Integer, primary_key=True),
    Column("created", DateTime, nullable=False),
)

runs = _table(tables.RUNS)
days = _table(tables.DAYS)
is_current = days.c.superseded_by.is_(None)
Index("current_days", days.c.date, days.c.model, unique=True, **only_where(is_current))
market_days = _table(tables.MARKET_DAYS)
quotes = _table(tables.QUOTES)
parameters = _table(tables.PARAMETERS)
intervals = _table(tables.INTERVALS)
directions = _table(tables.DIRECTIONS)
influence = _table(tables.INFLUENCE)
metrics = _table(tables.METRICS)
optima = _table(tables.OPTIMA)
challenger_fits = _table(tables.CHALLENGER_FITS)
left_out = _table(tables.LEFT_OUT)
further_fits = _table(tables.FURTHER_FITS)
profiles = _table(tables.PROFILES)
near_optimal = _table(tables.RANGES)
failed_refits = _table(tables.FAILED_REFITS)
robustness = _table(tables.ROBUSTNESS)
robustness_moves = _table(tables.ROBUSTNESS_MOVES)
screening = _table(tables.SCREENING)
threshold_changes = _table(tables.THRESHOLD_CHANGES)

RESULTS = (quotes, parameters, intervals, directions, influence, metrics, optima, further_fits)
REFITS = (left_out, profiles, failed_refits)
OF_DAYS = (days, *RESULTS, challenger_fits, *REFITS[:2], near_optimal, failed_refits)
OF_ROWS = (runs, robustness, robustness_moves, market_days, screening, threshold_changes)
WRITTEN = (runs, *OF_DAYS, *OF_ROWS[1:])  # in an order that keeps references valid

day_hashes = Table(
    "day_hashes",
    metadata,
    Column("day_id", Integer, primary_key=True),
    *(Column(table.name, LargeBinary) for table in OF_DAYS),  # none: no rows there
)

row_hashes = Table(
    "row_hashes",
    metadata,
    Column("table_name", String, primary_key=True),  # of OF_ROWS
    Column("key", String, primary_key=True),
    Column("hash", LargeBinary, nullable=False),
    **KEYED,
)
