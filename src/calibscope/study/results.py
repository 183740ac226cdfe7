"""Some days calibrated and diagnosed, as columns of the study's tables.

A chunk is what one call computes and one transaction stores. Days do not depend on each other, so
that neither the size of a chunk nor where it was computed changes a number.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from calibscope.base.arrays import Array, Indices
from calibscope.calibration.calibrate import calibrate_many
from calibscope.calibration.solution import Fit
from calibscope.diagnosis.batch import Batch
from calibscope.diagnosis.diagnose import diagnose_many, in_mode
from calibscope.diagnosis.diagnoses import Diagnoses
from calibscope.diagnosis.flags import MEANINGS
from calibscope.diagnosis.linear.uncertainty import Scale
from calibscope.market.day import MarketDay
from calibscope.market.maturity import label
from calibscope.study.model import PARAMETERS
from calibscope.study.settings import StudySettings

Columns = dict[str, list[Any]]  # of one table; "day" is the place in the chunk

SCALES: tuple[Scale, ...] = ("mad_adjusted", "mad", "mse")
FAILED = "FAILED"


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """The rows of a chunk, by table."""

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
    own = diagnose_many(fits, section.mode, section.thresholds, threads)
    full, strict = (
        own if mode == section.mode else in_mode(own, mode) for mode in ("full", "strict")
    )
    every = list(fits)
    tables = {"days": _days(every, own, full)}
    for number, stack in enumerate(own.batches):
        places = np.flatnonzero(own.batch_of == number)
        chosen = [fits.problems[place].day for place in places]
        for name, columns in {
            "quotes": _quotes(places, chosen, stack, full.batches[number], strict.batches[number]),
            "parameters": _parameters(places, every, stack),
            "intervals": _intervals(places, stack, section.levels),
            "influence": _influence(places, chosen, stack),
        }.items():
            tables[name] = _stacked(tables[name], columns) if name in tables else columns
    if settings.calibration.optima:
        tables["optima"] = _optima(every)
    ended = time.perf_counter()
    return Results(tables, calibrated - began, ended - calibrated)


def _days(fits: Sequence[Fit], own: Diagnoses, full: Diagnoses) -> Columns:
    summaries = [dx.summary for dx in own]
    labels = [[label(year) for year in fit.problem.day.maturities] for fit in fits]

    def of_all(name: str) -> list[Any]:
        return list(own.of_all(name).tolist())

    def effective_degrees(name: str) -> list[float]:
        return _in_order(full, lambda stack: getattr(stack.effective_degrees, name))

    columns: Columns = {
        "day": list(range(len(fits))),
        "status": [fit.status.name for fit in fits],
        "reason": [fit.status.value for fit in fits],
        "solver": [fit.solver for fit in fits],
        "quote_count": [len(names) for names in labels],
        "rmsre": [fit.rmsre for fit in fits],
        "edof": effective_degrees("edof"),
        "edof_scaled": effective_degrees("scaled"),
        "edof_strict": effective_degrees("strict"),
        "edof_tikhonov": effective_degrees("tikhonov"),
        "tikhonov_lambda": effective_degrees("tikhonov_lambda"),
        "lost_directions": _in_order(
            full, lambda stack: stack.geometry.parameter_count - stack.effective_degrees.edof
        ),
    }
    for name in (
        "condition_number", "condition_number_exact", "scale_mse", "scale_mad",
        "scale_mad_adjusted", "relative_bias", "relative_offset", "gauss_newton_ratio",
        "gauss_newton_error", *MEANINGS,
    ):  # fmt: skip
        columns[name] = of_all(name)
    spectrum = full.of_all("singular_values")
    for p in range(len(PARAMETERS)):
        columns[f"singular_{p + 1}"] = spectrum[:, p].tolist()
    largest: dict[str, Callable[[Batch], Array]] = {
        "residual": lambda stack: -stack.problem.residuals / _observed(stack),
        "leverage": lambda stack: stack.leverage,
        "influence": lambda stack: stack.influence_score,
        "cooks_distance": lambda stack: stack.cooks_distance,
        "studentized": lambda stack: stack.resid_studentized_external,
    }
    for name, values in largest.items():
        columns[f"largest_{name}"], places = _largest(own, values)
        columns[f"largest_{name}_at"] = [
            names[place] if place < len(names) else None
            for names, place in zip(labels, places, strict=True)
        ]
    columns["is_identified"] = [fit.is_identified for fit in fits]
    columns["has_equal_speeds"] = [fit.has_equal_speeds for fit in fits]
    columns["summary"] = summaries
    columns["evaluations"] = [fit.evaluations for fit in fits]
    columns["seconds"] = [fit.seconds for fit in fits]
    return columns


def _in_order(diagnoses: Diagnoses, values: Callable[[Batch], Any]) -> list[Any]:
    """One number per fit, in the order of the fits."""
    pieces = [np.asarray(values(stack)) for stack in diagnoses.batches]
    result = np.empty(len(diagnoses), pieces[0].dtype)
    for number, piece in enumerate(pieces):
        result[diagnoses.batch_of == number] = piece
    return list(result.tolist())


def _largest(
    diagnoses: Diagnoses, values: Callable[[Batch], Array]
) -> tuple[list[float], list[int]]:
    """The entry of largest size per fit, with its sign, and where; NaN does not count."""

    def place(stack: Batch) -> Indices:
        return np.asarray(np.nan_to_num(np.abs(values(stack)), nan=-1.0).argmax(axis=-1))

    def size(stack: Batch) -> Array:
        return np.take_along_axis(values(stack), place(stack)[:, None], axis=-1)[:, 0]

    return _in_order(diagnoses, size), _in_order(diagnoses, place)


def _observed(stack: Batch) -> Array:
    assert stack.problem.observed is not None
    return stack.problem.observed


def _quotes(
    places: Indices,
    days: Sequence[MarketDay],
    own: Batch,
    full: Batch,
    strict: Batch,
) -> Columns:
    market = _observed(own)
    model = market - own.problem.residuals
    m = len(days[0].prices)  # an anchor's rows come after the quotes
    per_quote = {
        "maturity": np.array([day.maturities for day in days]),
        "strike": np.array([day.strikes for day in days]),
        "weight": own.problem.weights,
        "market_price": market,
        "model_price": model,
        "residual": model / market - 1.0,
        "leverage": full.leverage,
        "leverage_strict": strict.leverage,
        "influence_score": own.influence_score,
        "cooks_distance": own.cooks_distance,
        "dffits": own.dffits,
        "resid_studentized_internal": own.resid_studentized_internal,
        "resid_studentized_external": own.resid_studentized_external,
    }
    return {
        "day": np.repeat(places, m).tolist(),
        **{name: values[:, :m].ravel().tolist() for name, values in per_quote.items()},
    }


def _parameters(places: Indices, fits: Sequence[Fit], stack: Batch) -> Columns:
    n = len(places)
    per_parameter = {
        "estimate": stack.problem.values,
        **{f"se_{scale}": stack.standard_errors(scale) for scale in SCALES},
        "se_exact": stack.standard_errors(form="exact"),
        "multiplier": np.array([fits[place].multipliers for place in places]),
        "at_bound": stack.problem.at_bound,
        "is_identified": stack.identification.is_identified,
    }
    return {
        "day": np.repeat(places, len(PARAMETERS)).tolist(),
        "parameter": list(PARAMETERS) * n,
        **{name: values.ravel().tolist() for name, values in per_parameter.items()},
    }


def _intervals(places: Indices, stack: Batch, levels: Iterable[float]) -> Columns:
    n, p = len(places), len(PARAMETERS)
    columns: Columns = {}
    for scale, level in product(SCALES, levels):
        found = stack.intervals(level, scale)
        piece: Columns = {
            "day": np.repeat(places, p).tolist(),
            "parameter": list(PARAMETERS) * n,
            "scale": [scale] * (n * p),
            "level": [level] * (n * p),
        }
        for name in ("low", "high", "is_cut_low", "is_cut_high", "is_collapsed"):
            piece[name] = getattr(found, name).ravel().tolist()
        columns = _stacked(columns, piece) if columns else piece
    return columns


def _influence(places: Indices, days: Sequence[MarketDay], stack: Batch) -> Columns:
    m, p = len(days[0].prices), len(PARAMETERS)
    per_pair = {
        "influence": stack.influence,
        "influence_exact": stack.influence_exact,
        "dfbetas": stack.dfbetas,
    }
    return {
        "day": np.repeat(places, m * p).tolist(),
        "maturity": np.repeat([day.maturities for day in days], p).tolist(),
        "parameter": list(PARAMETERS) * (m * len(days)),
        **{name: values[:, :m].ravel().tolist() for name, values in per_pair.items()},
    }


def _optima(fits: Sequence[Fit]) -> Columns:
    columns: Columns = {
        name: [] for name in ("day", "rank", "objective", "rmsre", "share_of_starts", *PARAMETERS)
    }
    for place, fit in enumerate(fits):
        for rank, optimum in enumerate(fit.evidence.local_minima.optima):
            row = (
                place, rank, optimum.objective, optimum.rmsre, optimum.share_of_starts,
                *optimum.parameters.values.tolist(),
            )  # fmt: skip
            for name, value in zip(columns, row, strict=True):
                columns[name].append(value)
    return columns
