"""Every table of a study, described once: what its rows and its columns are.

The schema of the store (`schema.py`) and the dictionary of exports follow from these records. What
a fit and its diagnosis say are metrics (`metrics.py`), whose records have a formula too; here they
are columns like others.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from calibscope.study.metric import Kind, Metric
from calibscope.study.metrics import (
    DAY_METRICS,
    DIRECTION_METRICS,
    PAIR_METRICS,
    PARAMETER_METRICS,
    QUOTE_METRICS,
)

StoredKind = Kind | Literal["date", "moment", "bytes"]


@dataclass(frozen=True, slots=True)
class Stored:
    """A column: its name, its kind, what it is, and in which unit."""

    name: str
    kind: StoredKind
    text: str  # without capital and full stop
    unit: str = ""  # none for words, flags, dates and numbers by which rows are found
    is_key: bool = False
    is_required: bool = False  # a row without it is refused
    refers: str = ""  # to the column of another table


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table: what a row is of, and its columns, those of the key first."""

    name: str
    one_row_per: str
    columns: tuple[Stored, ...]
    is_of_days: bool = True  # a row belongs to one of `days`


def _text(name: str, text: str) -> Stored:
    return Stored(name, "text", text)


def _flag(name: str, text: str) -> Stored:
    return Stored(name, "flag", text)


def _number(name: str, unit: str, text: str) -> Stored:
    return Stored(name, "number", text, unit)


def _share(name: str, text: str) -> Stored:
    return _number(name, "share", text)


def _seconds(name: str, text: str) -> Stored:
    return _number(name, "seconds", text)


def _count(name: str, text: str) -> Stored:
    return Stored(name, "count", text, "count")


def _place(name: str, text: str) -> Stored:
    """A number by which rows are found."""
    return Stored(name, "integer", text)


def _moment(name: str, text: str) -> Stored:
    return Stored(name, "moment", text, "UTC")


def _key(column: Stored) -> Stored:
    return replace(column, is_key=True)


def _required(column: Stored) -> Stored:
    return replace(column, is_required=True)


def _of(metrics: Iterable[Metric], required: tuple[str, ...] = ()) -> tuple[Stored, ...]:
    """Metrics as columns."""
    return tuple(
        Stored(one.name, one.kind, one.text, one.unit, is_required=one.name in required)
        for one in metrics
    )


LABEL = _key(_text("label", "the quote's name within its day: 10Y, 10Y floor, 10Y @2%"))
PARAMETER = _key(_text("parameter", "of the model, by name: a_x, a_y, sigma_x, sigma_y or rho_xy "
                       "of G2++"))  # fmt: skip
LEVEL = _key(_share("level", "confidence level"))
RUN = Stored("run_id", "integer", "the run that computed it, in `runs`", is_required=True,
             refers="runs.run_id")  # fmt: skip
RMSRE = next(column for column in _of(DAY_METRICS) if column.name == "rmsre")
CUT = (
    _flag("is_cut_low", "the bound is the lower end"),
    _flag("is_cut_high", "the bound is the upper end"),
)
AT_BOUND = (
    _flag("is_low_at_bound", "the bound is the lower end"),
    _flag("is_high_at_bound", "the bound is the upper end"),
)
NEAR_OPTIMAL = (
    _number("low", "own", "lower end of the near-optimal range"),
    _number("high", "own", "upper end of the near-optimal range"),
    *AT_BOUND,
)

DAYS = StoredTable("days", "date", (
    _key(_place("day_id", "number of the row in the store")),
    RUN,
    Stored("superseded_by", "integer", "the run that computed the date again; none: current",
           refers="runs.run_id"),
    Stored("date", "date", "day of the quotes", is_required=True),
    _required(_text("model", "the model that was fitted, by name")),
    _required(_text("data_hash", "hash of the day's quotes and curve")),
    _required(_text("settings_hash", "hash of the settings on which results depend")),
    _required(_text("warnings", "what the checks found in the day's data")),
    _text("gaps", "which of the market's quotes or curve nodes are missing that day"),
    _flag("is_incomplete", "some of the market's quotes or curve nodes are missing that day"),
    *_of(DAY_METRICS, ("status", "reason")),
), is_of_days=False)  # fmt: skip
QUOTES = StoredTable("quotes", "date and quote", (
    LABEL,
    _required(_place("place", "in the day, from 0 on")),
    _required(_text("kind", "cap, floor, or the class of another instrument")),
    _number("maturity", "years", "from today to the last payment"),
    _number("expiry", "years", "from today; none for caps and floors, which have many"),
    _number("strike", "1/year", "strike as a decimal rate"),
    _flag("is_interpolated", "interpolated, as its file says"),
    *_of(QUOTE_METRICS),
))  # fmt: skip
PARAMETERS = StoredTable("parameters", "date and parameter", (PARAMETER, *_of(PARAMETER_METRICS)))
INTERVALS = StoredTable("intervals", "date, parameter, scale and level", (
    PARAMETER,
    _key(_text("scale", "estimate of the noise: mad_adjusted, mad or mse")),
    LEVEL,
    _number("low", "own", "lower end by delta method; none for a parameter at a bound"),
    _number("high", "own", "upper end by delta method; none for a parameter at a bound"),
    _flag("is_cut_low", "the lower end was cut at the bound"),
    _flag("is_cut_high", "the upper end was cut at the bound"),
    _flag("is_collapsed", "too short, because rank was lost"),
))  # fmt: skip
DIRECTIONS = StoredTable("directions", "date and direction", (
    _key(_place("number", "1 is the direction that the quotes determine best")),
    *_of(DIRECTION_METRICS),
))  # fmt: skip
INFLUENCE = StoredTable(
    "influence", "date, quote and parameter", (LABEL, PARAMETER, *_of(PAIR_METRICS))
)
METRICS = StoredTable("metrics", "date, metric of another package, quote and parameter", (
    _key(_text("metric", "its name")),
    _key(_text("label", "the quote; none where the metric is not of a quote")),
    _key(_text("parameter", "the parameter; none where the metric is not of a parameter")),
    _number("value", "see unit", "in the metric's unit"),
))  # fmt: skip
OPTIMA = StoredTable("optima", "date and local optimum", (
    _key(_place("rank", "0 is the best")),
    _number("objective", "objective", "weighted sum of squared price errors"),
    RMSRE,
    _share("share_of_starts", "part of the random starts that ended here"),
))  # fmt: skip
CHALLENGER_FITS = StoredTable("challenger_fits", "red day and variant", (
    _key(_text("variant", "without the dominant quote, or halved: with half its weight")),
    RUN,
    _text("label", "the dominant quote"),
    _required(_text("reasons", "why the day was red")),
    RMSRE,
    _number("largest_shift", "1", "move of largest size, by log a, log sigma and rho"),
    _text("largest_shift_of", "the parameter that moves so"),
))  # fmt: skip
LEFT_OUT = StoredTable("left_out", "date and quote that was left out", (
    replace(LABEL, text="the quote that was left out"),
    RUN,
    _number("rms", "weighted", "rms of the others' weighted residuals"),
    _number("press", "per unit notional", "quote minus its price in the fit without it"),
    _number("cooks_distance", "1", "how far the fit moves, by the objective with all quotes"),
    _share("confidence", "level of the confidence region at whose edge the fit without it is"),
    _number("error_gauss_newton", "relative", "error of the shift predicted by Gauss-Newton"),
    _number("error_exact", "relative", "the same by the exact Hessian"),
    _required(_text("mark", "bounds that are reached or left, another basin, lost identification")),
))  # fmt: skip
FURTHER_FITS = StoredTable("further_fits", "parameter of a fit other than the day's own", (
    _key(_text("fit", "the table that it belongs to")),
    _key(_text("key", "rank of an optimum, variant of a challenger fit, label of a quote left "
               "out")),
    PARAMETER,
    _number("value", "own", "the parameter; where a quote is left out, its shift"),
))  # fmt: skip
PROFILES = StoredTable("profiles", "date, parameter and level", (
    PARAMETER,
    LEVEL,
    RUN,
    _text("scale", "of the noise: mse, mad, mad_adjusted, bid_ask, or a number"),
    _number("low", "own", "lower end of the profile interval"),
    _number("high", "own", "upper end of the profile interval"),
    *CUT,
    _flag("is_connected", "no gap inside: false where the profile exceeds the limit in between"),
    _number(
        "second_minimum", "own",
        "its value at another local minimum that keeps the limit; none: no such is known",
    ),
    _text("mark", "mark of the interval"),
))  # fmt: skip
RANGES = StoredTable(
    "near_optimal", "date of a sample, and parameter", (PARAMETER, RUN, *NEAR_OPTIMAL)
)
FAILED_REFITS = StoredTable("failed_refits", "date that could not be fitted again, and task", (
    _key(_text("task", "left_out: without each quote; profiles: along each parameter")),
    RUN,
    _required(_text("reason", "why it could not")),
))  # fmt: skip
ROBUSTNESS = StoredTable("robustness", "variant, on the same days", (
    _key(_place("place", "0 is the baseline")),
    _required(_text("variant", "what is done differently; the baseline first")),
    _required(_count("days", "days that were calibrated")),
    _number("rmsre", "relative", "median RMSRE"),
    _share("worse", "days that miss the baseline's optimum by more than 0.1 %"),
    _share("moved", "days on which a parameter moves by more than 0.1, by log or rho"),
    _share("short_end", "leverage on the two shortest caps, mean"),
    _share("long_end", "leverage on the two longest caps, mean"),
    _number("leverage_move", "1", "largest change of a quote's mean leverage"),
    _share("edof_full", "days with full EDoF"),
    _share("edof_one_less", "days with one direction less"),
    _share("edof_fewer", "days with fewer directions still"),
    _share("edof_same", "days with the baseline's EDoF"),
), is_of_days=False)  # fmt: skip
ROBUSTNESS_MOVES = StoredTable("robustness_moves", "variant and parameter", (
    _key(_place("place", "of the variant")),
    PARAMETER,
    _required(_place("number", "of the parameter, in the model's order")),
    _number("move", "1", "median move, by log (rho as it is)"),
), is_of_days=False)  # fmt: skip
SCREENING = StoredTable("screening", "date and quote, whatever the model", (
    _key(_text("date", "day of the quotes, like 2020-03-18")),
    LABEL,
    _number("score", "1", "log of vol over expected vol, in standard deviations"),
    _number("p_value", "1", "of the score alone, two-sided"),
    _number("q_value", "1", "probability that the quote is right"),
    _number("vol", "1/year", "normal vol, as a decimal rate"),
    _number("expected_vol", "1/year", "what the past and the other quotes predict"),
    _required(_text("verdict", "in line, likely wrong, one of several, and others")),
), is_of_days=False)  # fmt: skip
THRESHOLD_CHANGES = StoredTable("threshold_changes", "threshold that a run changed", (
    _key(replace(RUN, text="the first run with the new value")),
    _key(_text("setting", "its full name, such as governance.limits.rmsre.amber")),
    _required(_moment("changed", "when that run began")),
    _required(_text("who", "the user, as the operating system says")),
    _required(_text("old", "value before, as JSON")),
    _required(_text("new", "value since, as JSON")),
), is_of_days=False)  # fmt: skip
MARKET_DAYS = StoredTable("market_days", "different data of a day", (
    _key(_text("data_hash", "hash of the quotes and the curve")),
    _required(Stored("content", "bytes", "quotes and curve, see `market_days.py`")),
), is_of_days=False)  # fmt: skip
RUNS = StoredTable("runs", "run: the audit trail", (
    _key(_place("run_id", "number of the run")),
    _required(_moment("started", "when it began")),
    _moment("finished", "when it ended; none: running, or cut off"),
    _text("outcome", "complete, failed, cut off, or what stopped it"),
    _required(_text("market", "name of the market")),
    _required(_flag("is_synthetic", "the quotes are not from a real market")),
    _required(_text("market_hash", "hash of all quotes and curves")),
    _required(_text("inputs", "JSON: SHA-256 of each file")),
    _required(_text("conventions", "JSON: how quotes and curves were read")),
    _required(_text("settings", "JSON: all settings")),
    _required(_text("settings_hash", "hash of the settings on which results depend")),
    _text("effective_settings", "JSON: all that was set, as it counts, market included"),
    _text("effective_hash", "hash of these"),
    _required(_text("software", "JSON: versions")),
    _required(_text("engine", "where it was computed")),
    _required(_count("days_in_market", "usable days of the market")),
    _count("days_kept", "days that were stored already"),
    _count("days_computed", "days that were computed"),
    _count("days_failed", "of those, days without results"),
    _seconds("seconds", "wall time"),
    _seconds("calibration_seconds", "of it, calibrating"),
    _seconds("diagnosis_seconds", "of it, diagnosing"),
    _seconds("store_seconds", "of it, storing"),
    _text("repaired", "what was damaged in the store before; removed, computed again"),
), is_of_days=False)  # fmt: skip
