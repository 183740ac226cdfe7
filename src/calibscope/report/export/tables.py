"""The tables of a study with the types, units and meanings of their columns.

All formats are written from these: a value that is not a number or not there is null, a date is a
date, a flag may be true, false or null.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial

import pandas as pd
import pyarrow as pa

from calibscope.base.spelling import choose_from
from calibscope.diagnosis.flags import MEANINGS, meaning
from calibscope.report.export.columns import Column, Description, Kind, of_described
from calibscope.report.export.dictionary import dictionary
from calibscope.study import statistics
from calibscope.study.study import Study

TYPES = {
    Kind.TEXT: pa.string(),
    Kind.FLAG: pa.bool_(),
    Kind.INTEGER: pa.int64(),
    Kind.NUMBER: pa.float64(),
    Kind.DATE: pa.date32(),
    Kind.MOMENT: pa.timestamp("us", "UTC"),
}


def _of_several(statistic: Callable[[Study], pd.DataFrame], study: Study) -> pd.DataFrame:
    """Nothing to compare without a second model."""
    found = statistic(study)
    return found if len(study.models) > 1 else found.iloc[:0]


def _with_units(study: Study) -> pd.DataFrame:
    """Metrics of other packages, which have a unit each."""
    units = {name: one.unit for name, one in study.described_metrics.items()}
    return study.metrics.assign(unit=study.metrics["metric"].map(units).astype(object))


FRAMES: dict[str, Callable[[Study], pd.DataFrame]] = {
    "days": lambda study: study.days,
    "rag": lambda study: study.rag,
    "quotes": lambda study: study.quotes,
    "parameters": lambda study: study.parameters,
    "intervals": lambda study: study.intervals,
    "influence": lambda study: study.influence,
    "directions": lambda study: study.directions,
    "screening": lambda study: study.screening,
    "metrics": lambda study: _with_units(study),
    "optima": lambda study: study.optima,
    "challenger_fits": lambda study: study.challenger_fits,
    "left_out": lambda study: study.left_out,
    "profiles": lambda study: study.profiles,
    "near_optimal": lambda study: study.near_optimal,
    "failed_refits": lambda study: study.failed_refits,
    "robustness": lambda study: study.robustness,
    "superseded": lambda study: study.superseded,
    "runs": lambda study: study.runs,
    "threshold_changes": lambda study: study.threshold_changes,
    "fit_over_time": statistics.fit_over_time,
    "completeness": statistics.completeness,
    "misfit": statistics.misfit,
    "residual_correlations": statistics.residual_correlations,
    "leverage_by_maturity": statistics.leverage_by_maturity,
    "influence_by_maturity": statistics.influence_by_maturity,
    "boundary_dominance": statistics.boundary_dominance,
    "edof_levels": statistics.edof_levels,
    "edof_switches": statistics.edof_switches,
    "active_constraints": statistics.active_constraints,
    "profile_shares": statistics.profile_shares,
    "interval_shares": statistics.interval_shares,
    "gauss_newton_adequacy": statistics.gauss_newton_adequacy,
    "pca_scores": lambda study: statistics.parameter_pca(study).scores,
    "pca_loadings": lambda study: statistics.parameter_pca(study).loadings,
    "pca_explained": lambda study: statistics.parameter_pca(study).explained,
    "regime_summary": statistics.regime_summary,
    "reference_dates": statistics.reference_dates,
    **{
        name: partial(_of_several, getattr(statistics, name))
        for name in ("model_comparison", "nested_models", "days_by_model", "near_optimal_ranges")
    },
}
USUAL = {  # of a workbook for people, below its first sheet; the others make it ten times as large
    "days", "reference_dates", "fit_over_time", "completeness", "misfit", "leverage_by_maturity",
    "influence_by_maturity", "edof_levels", "active_constraints", "profile_shares",
    "regime_summary", "challenger_fits", "robustness", "model_comparison", "nested_models", "runs",
    "threshold_changes",
}  # fmt: skip
ONLY_WITH_ROWS = {  # most studies have none
    "metrics", "optima", "challenger_fits", "left_out", "profiles", "failed_refits", "robustness",
    "profile_shares",
    "threshold_changes", "near_optimal", "model_comparison", "nested_models", "days_by_model",
    "near_optimal_ranges",
}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """What is written as one sheet or one file."""

    name: str
    one_row_per: str
    columns: Mapping[str, Column]
    data: pa.Table

    def __len__(self) -> int:
        return int(self.data.num_rows)


def tables_of(
    study: Study,
    leave_out: Collection[str],
    progress: Callable[[int, int], None],
    is_usual: bool = False,
) -> list[Table]:
    """Everything there is, and last the table that describes all columns.

    Parameters
    ----------
    is_usual : only what people open a workbook for
    """
    strangers = [name for name in leave_out if name not in FRAMES]
    if strangers:
        raise ValueError(f"there is no table {strangers[0]!r}; {choose_from(FRAMES, *strangers)}")
    tables, described = [], dictionary(study.specs)
    wanted = USUAL if is_usual else FRAMES.keys()
    chosen = {
        name: frame for name, frame in FRAMES.items() if name in wanted and name not in leave_out
    }
    for number, (name, frame_of) in enumerate(chosen.items()):
        frame = frame_of(study)
        if len(frame) or name not in ONLY_WITH_ROWS:
            tables.append(_table(name, frame, study, described[name]))
        progress(number + 1, len(chosen))
    return [*tables, _columns_of(tables, described["columns"], study)]


def _table(name: str, frame: pd.DataFrame, study: Study, described: Description) -> Table:
    first = ["date"] if "date" in frame else []
    names = [*first, *(column for column in frame if column not in first)]
    thresholds = study.settings.diagnosis.thresholds
    columns = {
        column: replace(described.columns[column], meaning=meaning(column, thresholds))
        if column in MEANINGS
        else described.columns[column]
        for column in names
    }
    arrays = [_typed(frame[column], TYPES[columns[column].kind]) for column in names]
    return Table(name, described.one_row_per, columns, pa.table(arrays, names))


def _described(table: Table, study: Study) -> Mapping[str, Column]:
    """The columns of a table, and what is below each other in its column of values."""
    if table.name != "metrics":
        return table.columns
    return {**table.columns, **of_described(study.described_metrics)}


def _typed(values: pd.Series, kind: pa.DataType) -> pa.Array:
    if pa.types.is_timestamp(kind):
        values = pd.to_datetime(values, utc=True)
    return pa.array(values, from_pandas=True).cast(kind)


def _columns_of(tables: list[Table], described: Description, study: Study) -> Table:
    rows = [
        (table.name, name, column.unit, column.kind.value, column.meaning)
        for table in tables
        for name, column in _described(table, study).items()
    ]
    arrays = [pa.array(values, pa.string()) for values in zip(*rows, strict=True)]
    data = pa.table(arrays, list(described.columns))
    return Table("columns", described.one_row_per, described.columns, data)
