"""Some days calibrated and diagnosed, as columns of the study's tables.

A chunk is what one call computes and one transaction stores. Days do not depend on each other, so
that neither the size of a chunk nor where it was computed changes a number.
"""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from calibscope.base.arrays import Indices
from calibscope.calibration.calibrate import calibrate_many
from calibscope.calibration.solution import Fit
from calibscope.market.day import MarketDay
from calibscope.market.instruments.kept import expiries, interpolated, kinds
from calibscope.study.columns import Columns, without_nan
from calibscope.study.diagnosed import Diagnosed, diagnosed
from calibscope.study.further_fits import FurtherFits
from calibscope.study.metric import Metric
from calibscope.study.metrics import (
    DAY_METRICS,
    DIRECTION_METRICS,
    PAIR_METRICS,
    PARAMETER_METRICS,
    QUOTE_METRICS,
    SCALES,
    rows_of_day,
    values_of,
)
from calibscope.study.refitted import left_out_columns
from calibscope.study.settings import StudySettings

FAILED = "FAILED"


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """The rows of a chunk, by table; the column "day" is the place in the chunk."""

    tables: dict[str, Columns]
    calibration_seconds: float
    diagnosis_seconds: float

    @property
    def count(self) -> int:
        """How many days."""
        return len(self.tables["days"]["day"])


def compute(
    days: Sequence[MarketDay], settings: StudySettings, threads: int | None = None
) -> Results:
    """Calibrate and diagnose; a day that cannot be computed becomes a row with the reason."""
    try:
        return _compute(days, settings, threads)
    except Exception as error:  # whatever it is, the other days must go on
        if len(days) == 1:
            return failure(f"{type(error).__name__}: {error}")
        return joined([compute([day], settings, threads) for day in days])


def failure(reason: str, status: str = FAILED) -> Results:
    """A day without results, and why."""
    row: Columns = {"day": [0], "status": [status], "reason": [reason]}
    return Results({"days": row}, 0.0, 0.0)


def joined(pieces: Sequence[Results]) -> Results:
    """Several chunks as one."""
    tables: dict[str, Columns] = {}
    offset = 0
    for piece in pieces:
        for name, columns in piece.tables.items():
            moved = {**columns, "day": [offset + day for day in columns["day"]]}
            tables[name] = _stacked(tables[name], moved) if name in tables else moved
        offset += piece.count
    return Results(
        tables,
        sum(piece.calibration_seconds for piece in pieces),
        sum(piece.diagnosis_seconds for piece in pieces),
    )


def _stacked(above: Columns, below: Columns) -> Columns:
    """One table below the other; a column that only one of them has is empty in the other."""
    first, second = len(above["day"]), len(below["day"])
    return {
        name: above.get(name, [None] * first) + below.get(name, [None] * second)
        for name in dict.fromkeys((*above, *below))
    }


def _compute(days: Sequence[MarketDay], settings: StudySettings, threads: int | None) -> Results:
    section = settings.diagnosis
    began = time.perf_counter()
    fits = calibrate_many(days, **settings.calibration.arguments(), threads=threads)
    calibrated = time.perf_counter()
    further = settings.further_metrics
    tables: dict[str, Columns] = {}
    for places, sample in diagnosed(fits, section.mode, section.thresholds, threads):
        for name, columns in {
            "days": _of_days(places, sample),
            "quotes": _of_quotes(places, sample),
            "parameters": _of_parameters(places, sample),
            "intervals": _intervals(places, sample, section.levels),
            "directions": _of_directions(places, sample),
            "influence": _of_pairs(places, sample),
            "metrics": further_rows(places, sample, further),
            **left_out_columns(places.tolist(), sample.fits, sample.left_out),
        }.items():
            tables[name] = _stacked(tables[name], columns) if name in tables else columns
    tables["days"] = _sorted(tables["days"])
    if settings.calibration.optima:
        for name, columns in _optima(list(fits)).items():
            tables[name] = _stacked(tables[name], columns) if name in tables else columns
    ended = time.perf_counter()
    return Results(tables, calibrated - began, ended - calibrated)


def _of_days(places: Indices, sample: Diagnosed) -> Columns:
    return {"day": places.tolist(), **_values(DAY_METRICS, sample)}


def _values(metrics: Iterable[Metric], sample: Diagnosed) -> Columns:
    return {metric.name: values_of(metric, sample) for metric in metrics}


def _sorted(columns: Columns) -> Columns:
    """In the order of the days."""
    order = np.argsort(columns["day"], kind="stable").tolist()
    return {name: [values[k] for k in order] for name, values in columns.items()}


def _of_quotes(places: Indices, sample: Diagnosed) -> Columns:
    days, m = sample.days, sample.quote_count
    coordinates = {
        "maturity": np.array([day.maturities for day in days]),
        "expiry": np.array([expiries(day) for day in days]),
        "strike": np.array([day.strikes for day in days]),
    }
    return {
        "day": np.repeat(places, m).tolist(),
        "label": [label for day in days for label in day.labels],
        "place": list(range(m)) * len(days),
        "kind": [kind for day in days for kind in kinds(day)],
        **{name: without_nan(values) for name, values in coordinates.items()},
        "is_interpolated": [mark for day in days for mark in interpolated(day)],
        **_values(QUOTE_METRICS, sample),
    }


def _of_parameters(places: Indices, sample: Diagnosed) -> Columns:
    names = sample.parameter_names
    return {
        "day": np.repeat(places, len(names)).tolist(),
        "parameter": list(names) * len(places),
        **_values(PARAMETER_METRICS, sample),
    }


def _of_pairs(places: Indices, sample: Diagnosed) -> Columns:
    names, m = sample.parameter_names, sample.quote_count
    return {
        "day": np.repeat(places, m * len(names)).tolist(),
        "label": [label for day in sample.days for label in day.labels for _ in names],
        "parameter": list(names) * (m * len(places)),
        **_values(PAIR_METRICS, sample),
    }


def _of_directions(places: Indices, sample: Diagnosed) -> Columns:
    p = len(sample.parameter_names)
    return {
        "day": np.repeat(places, p).tolist(),
        "number": list(range(1, p + 1)) * len(places),
        **_values(DIRECTION_METRICS, sample),
    }


def further_rows(places: Indices, sample: Diagnosed, metrics: Sequence[Metric]) -> Columns:
    """Metrics from outside, one below the other; a row has what they are of, and else ""."""
    columns: Columns = {name: [] for name in ("day", "metric", "label", "parameter", "value")}
    for metric in metrics:
        try:
            values = values_of(metric, sample)
        except Exception as error:
            raise ValueError(f"metric {metric.name}: {type(error).__name__}: {error}") from error
        for k in range(len(sample.days)):
            pairs = rows_of_day(metric, sample, k)
            columns["day"] += [int(places[k])] * len(pairs)
            columns["metric"] += [metric.name] * len(pairs)
            columns["label"] += [label for label, _ in pairs]
            columns["parameter"] += [parameter for _, parameter in pairs]
        columns["value"] += values
    return columns


def _intervals(places: Indices, sample: Diagnosed, levels: Iterable[float]) -> Columns:
    names = sample.parameter_names
    count = len(places) * len(names)
    columns: Columns = {}
    for scale, level in product(SCALES, levels):
        found = sample.own.intervals(level, scale)
        piece: Columns = {
            "day": np.repeat(places, len(names)).tolist(),
            "parameter": list(names) * len(places),
            "scale": [scale] * count,
            "level": [level] * count,
            "low": without_nan(found.low),
            "high": without_nan(found.high),
        }
        for name in ("is_cut_low", "is_cut_high", "is_collapsed"):
            piece[name] = getattr(found, name).ravel().tolist()
        columns = _stacked(columns, piece) if columns else piece
    return columns


def _optima(fits: Sequence[Fit]) -> dict[str, Columns]:
    """Every local optimum of each fit, and its parameters."""
    optima: Columns = {
        name: [] for name in ("day", "rank", "objective", "rmsre", "share_of_starts")
    }
    further = FurtherFits("day")
    for place, fit in enumerate(fits):
        for rank, optimum in enumerate(fit.evidence.local_minima.optima):
            row = (place, rank, optimum.objective, optimum.rmsre, optimum.share_of_starts)
            for column, value in zip(optima.values(), row, strict=True):
                column.append(value)
            values = optimum.parameters.values.tolist()
            further.add(
                place, "optima", rank, dict(zip(fit.problem.specs.names, values, strict=True))
            )
    return {"optima": optima, "further_fits": further.columns}
