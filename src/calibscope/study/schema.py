"""The tables of a study, and the version by which an older or newer store is recognised.

Every number of a day hangs on a row of `days`. A row is never changed or deleted: when a date is
computed anew, because its quotes or the settings changed, `superseded_by` names the run that did
it, and the old results stay for the auditor. Current rows have none, and there is one per date.
What was written has a hash (`day_hashes`, `row_hashes`; `sealed.py` says of what).
"""

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

from calibscope.diagnosis.flags import MEANINGS
from calibscope.study.model import PARAMETERS

VERSION = 5
metadata = MetaData()


def _numbers(*names: str) -> list[Column[float]]:
    return [Column(name, Float) for name in names]


def _table(name: str, *columns: Column, keys: tuple[Column, ...]) -> Table:  # type: ignore[type-arg]
    """Results of a day, one row per combination of the keys."""
    day: Column[int] = Column("day_id", ForeignKey("days.day_id"), primary_key=True)
    return Table(name, metadata, day, *keys, *columns, sqlite_with_rowid=False)


def _maturity() -> Column[float]:
    return Column("maturity", Float, primary_key=True)  # years


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
    Column("data_hash", String, nullable=False),
    Column("settings_hash", String, nullable=False),
    Column("status", String, nullable=False),  # a name of `Status`, DROPPED or FAILED
    Column("reason", String, nullable=False),  # the status in a sentence
    Column("warnings", String, nullable=False),  # of the checks on its data
    Column("solver", String),
    Column("quote_count", Integer),
    *_numbers("rmsre", "edof", "edof_scaled", "edof_strict", "edof_tikhonov", "tikhonov_lambda"),
    Column("lost_directions", Integer),  # parameters that were fitted, minus EDoF
    *_numbers("condition_number", "condition_number_exact"),
    *_numbers("singular_1", "singular_2", "singular_3", "singular_4", "singular_5"),
    *_numbers("scale_mse", "scale_mad", "scale_mad_adjusted", "relative_bias", "relative_offset"),
    *_numbers("gauss_newton_ratio", "gauss_newton_error"),
    *(
        column
        for name in ("residual", "leverage", "influence", "cooks_distance", "studentized")
        for column in (Column(f"largest_{name}", Float), Column(f"largest_{name}_at", String))
    ),
    *(Column(name, Boolean) for name in MEANINGS),
    Column("is_identified", Boolean),
    Column("has_equal_speeds", Boolean),
    Column("summary", String),
    Column("evaluations", Integer),
    Column("seconds", Float),  # of the calibration
)
is_current = days.c.superseded_by.is_(None)
Index(
    "current_days", days.c.date, unique=True, sqlite_where=is_current, postgresql_where=is_current
)

market_days = Table(
    "market_days",
    metadata,
    Column("data_hash", String, primary_key=True),
    Column("content", LargeBinary, nullable=False),  # quotes and curve, see `market_days.py`
)

quotes = _table(
    "quotes",
    *_numbers("strike", "weight", "market_price", "model_price", "residual"),
    *_numbers("leverage", "leverage_strict", "influence_score", "cooks_distance", "dffits"),
    *_numbers("resid_studentized_internal", "resid_studentized_external"),
    keys=(_maturity(),),
)

parameters = _table(
    "parameters",
    *_numbers("estimate", "se_mad_adjusted", "se_mad", "se_mse", "se_exact", "multiplier"),
    Column("at_bound", Integer),  # -1 lower, 1 upper, else 0
    Column("is_identified", Boolean),
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

influence = _table(
    "influence",
    *_numbers("influence", "influence_exact", "dfbetas"),
    keys=(_maturity(), _parameter()),
)

optima = _table(
    "optima",
    *_numbers("objective", "rmsre", "share_of_starts", *PARAMETERS),
    keys=(Column("rank", Integer, primary_key=True),),  # 0 is the best
)

challenger_fits = _table(
    "challenger_fits",
    Column("run_id", ForeignKey("runs.run_id"), nullable=False),
    Column("maturity", Float),  # the dominant quote's
    Column("reasons", String, nullable=False),  # why the day was red
    *_numbers("rmsre", *PARAMETERS, "largest_shift"),
    Column("largest_shift_of", String),
    keys=(Column("variant", String, primary_key=True),),  # without, halved
)

left_out = _table(
    "left_out",
    Column("run_id", ForeignKey("runs.run_id"), nullable=False),
    *_numbers("rms", *PARAMETERS, "press"),
    *_numbers("error_gauss_newton", "error_exact"),  # of the first-order predictions
    Column("mark", String, nullable=False),
    keys=(_maturity(),),
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

failed_refits = _table(
    "failed_refits",
    Column("run_id", ForeignKey("runs.run_id"), nullable=False),
    Column("reason", String, nullable=False),  # why the day could not be fitted again
    keys=(),
)

robustness = Table(
    "robustness",
    metadata,
    Column("place", Integer, primary_key=True),  # 0 is the baseline
    Column("variant", String, nullable=False),
    Column("days", Integer, nullable=False),
    *_numbers("rmsre", "worse", "moved"),
    *_numbers(*(f"move_{name}" for name in PARAMETERS)),
    *_numbers("short_end", "long_end", "leverage_move"),
    *_numbers("edof_5", "edof_4", "edof_3_or_less", "edof_same"),
)

RESULTS = (quotes, parameters, intervals, influence, optima)
OF_DAYS = (days, *RESULTS, challenger_fits, left_out, profiles, failed_refits)
OF_ROWS = (runs, robustness, market_days)

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
    sqlite_with_rowid=False,
)
