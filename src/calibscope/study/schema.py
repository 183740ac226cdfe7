"""The tables of a study, and the version by which an older or newer store is recognised.

Every number of a day hangs on a row of `days`. A row is never changed or deleted: when a date is
computed anew, because its quotes or the settings changed, `superseded_by` names the run that did
it, and the old results stay for the auditor. Current rows have none, and there is one per date and
model. Columns of results are those of `metrics.py`; parameters are rows, whatever the model. What
was written has a hash (`day_hashes`, `row_hashes`; `sealed.py` says of what).
"""

from collections.abc import Sequence
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

from calibscope.study.database import KEYED, only_where
from calibscope.study.metric import Kind, Metric
from calibscope.study.metrics import (
    DAY_METRICS,
    DIRECTION_METRICS,
    PAIR_METRICS,
    PARAMETER_METRICS,
    QUOTE_METRICS,
)

VERSION = 6
metadata = MetaData()
TYPES: dict[Kind, Any] = {
    "number": Float, "count": Integer, "integer": Integer, "flag": Boolean, "text": String,
}  # fmt: skip


def _numbers(*names: str) -> list[Column[float]]:
    return [Column(name, Float) for name in names]


def _metrics(metrics: Sequence[Metric], required: Sequence[str] = ()) -> list[Column[Any]]:
    """A column for each."""
    return [
        Column(metric.name, TYPES[metric.kind], nullable=metric.name not in required)
        for metric in metrics
    ]


def _table(name: str, *columns: Column, keys: tuple[Column, ...]) -> Table:  # type: ignore[type-arg]
    """Results of a day, one row per combination of the keys."""
    day: Column[int] = Column("day_id", ForeignKey("days.day_id"), primary_key=True)
    return Table(name, metadata, day, *keys, *columns, **KEYED)


def _label() -> Column[str]:
    return Column("label", String, primary_key=True)  # of a quote, unique within its day


def _parameter() -> Column[str]:
    return Column("parameter", String, primary_key=True)


store = Table(
    "store",
    metadata,
    Column("version", Integer, primary_key=True),
    Column("created", DateTime, nullable=False),
)

runs = Table(
    "runs",
    metadata,
    Column("run_id", Integer, primary_key=True),
    Column("started", DateTime, nullable=False),
    Column("finished", DateTime),  # none: running, or cut off
    Column("outcome", String),  # of a finished one
    Column("market", String, nullable=False),
    Column("is_synthetic", Boolean, nullable=False),
    Column("market_hash", String, nullable=False),
    Column("inputs", String, nullable=False),  # JSON: file -> SHA-256
    Column("conventions", String, nullable=False),  # JSON: how the quotes were read
    Column("settings", String, nullable=False),  # JSON
    Column("settings_hash", String, nullable=False),
    Column("effective_settings", String),  # JSON: all that was set, as it counts, market included
    Column("effective_hash", String),  # of these
    Column("software", String, nullable=False),  # JSON: versions
    Column("engine", String, nullable=False),
    Column("days_in_market", Integer, nullable=False),
    Column("days_kept", Integer),  # valid already
    Column("days_computed", Integer),
    Column("days_failed", Integer),  # of those computed
    *_numbers("seconds", "calibration_seconds", "diagnosis_seconds", "store_seconds"),
    Column("repaired", String),  # what the store had lost, and this run has made good
)

days = Table(
    "days",
    metadata,
    Column("day_id", Integer, primary_key=True),
    Column("run_id", ForeignKey("runs.run_id"), nullable=False),
    Column("superseded_by", ForeignKey("runs.run_id")),
    Column("date", Date, nullable=False),
    Column("model", String, nullable=False),  # by name
    Column("data_hash", String, nullable=False),
    Column("settings_hash", String, nullable=False),
    Column("warnings", String, nullable=False),  # of the checks on its data
    Column("is_incomplete", Boolean),  # some of the market's quotes or curve nodes are missing
    *_metrics(DAY_METRICS, required=("status", "reason")),
)
is_current = days.c.superseded_by.is_(None)
Index("current_days", days.c.date, days.c.model, unique=True, **only_where(is_current))

market_days = Table(
    "market_days",
    metadata,
    Column("data_hash", String, primary_key=True),
    Column("content", LargeBinary, nullable=False),  # quotes and curve, see `market_days.py`
)

quotes = _table(
    "quotes",
    Column("place", Integer, nullable=False),  # in the day, from 0 on
    Column("kind", String, nullable=False),  # cap, floor, or the class of another instrument
    *_numbers("maturity", "expiry", "strike"),  # coordinates: years from today, decimal
    Column("is_interpolated", Boolean),  # as its file says, not quoted
    *_metrics(QUOTE_METRICS),
    keys=(_label(),),
)

parameters = _table(
    "parameters",
    *_metrics(PARAMETER_METRICS),
    keys=(_parameter(),),
)

intervals = _table(
    "intervals",
    *_numbers("low", "high"),
    Column("is_cut_low", Boolean),
    Column("is_cut_high", Boolean),
    Column("is_collapsed", Boolean),  # too short, because rank was lost
    keys=(
        _parameter(),
        Column("scale", String, primary_key=True),
        Column("level", Float, primary_key=True),
    ),
)

directions = _table(
    "directions",
    *_metrics(DIRECTION_METRICS),
    keys=(Column("number", Integer, primary_key=True),),  # from 1 on, the best determined first
)

influence = _table(
    "influence",
    *_metrics(PAIR_METRICS),
    keys=(_label(), _parameter()),
)

metrics = _table(
    "metrics",
    Column("value", Float),
    keys=(
        Column("metric", String, primary_key=True),
        Column("label", String, primary_key=True),  # "" where it is not of a quote
        Column("parameter", String, primary_key=True),  # "" where it is not of a parameter
    ),
)

optima = _table(
    "optima",
    *_numbers("objective", "rmsre", "share_of_starts"),
    keys=(Column("rank", Integer, primary_key=True),),  # 0 is the best
)

challenger_fits = _table(
    "challenger_fits",
    Column("run_id", ForeignKey("runs.run_id"), nullable=False),
    Column("label", String),  # of the dominant quote
    Column("reasons", String, nullable=False),  # why the day was red
    *_numbers("rmsre", "largest_shift"),
    Column("largest_shift_of", String),
    keys=(Column("variant", String, primary_key=True),),  # without, halved
)

left_out = _table(
    "left_out",
    Column("run_id", ForeignKey("runs.run_id"), nullable=False),
    *_numbers("rms", "press"),
    *_numbers("cooks_distance", "confidence"),  # how far the fit moves, by the objective
    *_numbers("error_gauss_newton", "error_exact"),  # of the first-order predictions
    Column("mark", String, nullable=False),
    keys=(_label(),),
)

# Parameters of fits other than the day's own: values of an optimum, by its rank, and of a
# challenger fit, by its variant; shifts where a quote is left out, by its label.
further_fits = _table(
    "further_fits",
    Column("value", Float),
    keys=(
        Column("fit", String, primary_key=True),  # the table that it belongs to
        Column("key", String, primary_key=True),
        _parameter(),
    ),
)

profiles = _table(
    "profiles",
    Column("run_id", ForeignKey("runs.run_id"), nullable=False),
    *_numbers("low", "high"),
    Column("is_cut_low", Boolean),
    Column("is_cut_high", Boolean),
    Column("is_connected", Boolean),  # else the profile exceeds the limit inside
    keys=(_parameter(), Column("level", Float, primary_key=True)),
)

near_optimal = _table(
    "near_optimal",
    Column("run_id", ForeignKey("runs.run_id"), nullable=False),
    *_numbers("low", "high"),
    Column("is_low_at_bound", Boolean),
    Column("is_high_at_bound", Boolean),
    keys=(_parameter(),),
)

failed_refits = _table(
    "failed_refits",
    Column("run_id", ForeignKey("runs.run_id"), nullable=False),
    Column("reason", String, nullable=False),  # why the day could not be fitted again
    keys=(Column("task", String, primary_key=True),),  # left_out, profiles
)

robustness = Table(
    "robustness",
    metadata,
    Column("place", Integer, primary_key=True),  # 0 is the baseline
    Column("variant", String, nullable=False),
    Column("days", Integer, nullable=False),
    *_numbers("rmsre", "worse", "moved"),
    *_numbers("short_end", "long_end", "leverage_move"),
    *_numbers("edof_full", "edof_one_less", "edof_fewer", "edof_same"),
)

robustness_moves = Table(
    "robustness_moves",
    metadata,
    Column("place", Integer, primary_key=True),
    Column("parameter", String, primary_key=True),
    Column("number", Integer, nullable=False),  # of the parameter, in the model's order
    *_numbers("move"),
)

screening = Table(
    "screening",
    metadata,
    Column("date", String, primary_key=True),  # as text, like 2020-03-18: whatever the model
    Column("label", String, primary_key=True),
    *_numbers("score", "p_value", "q_value", "vol", "expected_vol"),
    Column("verdict", String, nullable=False),
)

threshold_changes = Table(
    "threshold_changes",
    metadata,
    Column("run_id", ForeignKey("runs.run_id"), primary_key=True),  # the first with the new value
    Column("setting", String, primary_key=True),  # such as governance.limits.rmsre.amber
    Column("changed", DateTime, nullable=False),
    Column("who", String, nullable=False),
    Column("old", String, nullable=False),  # JSON
    Column("new", String, nullable=False),
)

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
