"""Every number that a study stores, described once: name, unit, sentence, formula, limits.

Columns of the store, results, the dictionary of exports, JSON and RAG limits follow from these
records, in this order. A new one needs nothing else, but for its formula in `diagnosis/`.
"""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, get_args

import numpy as np

from calibscope.base.arrays import Array
from calibscope.calibration.near_optimal.reach import FULL, Reach
from calibscope.diagnosis.flags import MEANINGS
from calibscope.diagnosis.linear.uncertainty import Scale
from calibscope.study.columns import without_nan
from calibscope.study.diagnosed import Diagnosed
from calibscope.study.metric import Metric, Per, further_metrics

RMSRE_AMBER, RMSRE_RED = 0.02, 0.05
BOUND_COST = RMSRE_AMBER / 2  # a bound that alone uses up half of what is tolerated
SCALES: tuple[Scale, ...] = ("mad_adjusted", "mad", "mse")


def _of_fits(name: str) -> Callable[[Diagnosed], list[Any]]:
    return lambda sample: [getattr(fit, name) for fit in sample.fits]


def _of_own(name: str) -> Callable[[Diagnosed], Any]:
    return lambda sample: getattr(sample.own, name)


def _of_flags(name: str) -> Callable[[Diagnosed], Any]:
    return lambda sample: getattr(sample.own.flags, name)


def _effective_degrees(name: str) -> Callable[[Diagnosed], Any]:
    return lambda sample: getattr(sample.full.effective_degrees, name)


def _standard_errors(scale: Scale) -> Callable[[Diagnosed], Any]:
    return lambda sample: sample.own.standard_errors(scale)


def _observed(sample: Diagnosed) -> Array:
    assert sample.own.problem.observed is not None
    return sample.own.problem.observed


def _residuals(sample: Diagnosed) -> Array:
    return -sample.own.problem.residuals / _observed(sample)


def _place(sizes: Array) -> Any:
    """Where the largest size is; what is not a number does not count."""
    return np.nan_to_num(np.abs(sizes), nan=-1.0).argmax(axis=-1)


def _largest(
    name: str,
    unit: str,
    words: str,
    values: Callable[[Diagnosed], Array],
    phrase: str,
    amber: float | None = None,
    red: float | None = None,
) -> tuple[Metric, Metric]:
    """The entry of largest size of a day, with its sign, and the label of its quote."""

    def size(sample: Diagnosed) -> Array:
        sizes = values(sample)
        return np.take_along_axis(sizes, _place(sizes)[:, None], axis=-1)[:, 0]

    def where(sample: Diagnosed) -> list[str | None]:
        sizes = values(sample)
        return [
            day.labels[place] if place < len(day.labels) and row[place] == row[place] else None
            for day, row, place in zip(sample.days, sizes, _place(sizes), strict=True)
        ]

    return (
        Metric(f"largest_{name}", "day", unit, f"{words} of largest size, with its sign", size,
               amber=amber, red=red, phrase=phrase),
        Metric(f"largest_{name}_at", "day", "", f"label of the quote that has it: {words}", where,
               "text"),
    )  # fmt: skip


def _pressed(sample: Diagnosed) -> list[str | None]:
    """Of each day the parameter whose bound has the largest multiplier."""
    ratios = np.nan_to_num(sample.own.multiplier_ratios)
    return [
        sample.parameter_names[p] if row[p] > 0 else None
        for row, p in zip(ratios, ratios.argmax(axis=-1), strict=True)
    ]


def _bound_costs(sample: Diagnosed) -> Array:
    r"""(n, p) by how much the RMSRE would fall beyond each bound, the others held.

    With the multiplier's t-statistic and its d degrees of freedom, by the share
    :math:`1 - \sqrt{d/(d + t^2)}` of a linear problem: what one more column takes from the sum of
    squares.
    """
    problem = sample.own.problem
    degrees = (problem.weights > 0).sum(axis=-1) - problem.is_free.sum(axis=-1) - 1
    t = np.maximum(np.nan_to_num(sample.own.multiplier_ratios), 0.0)
    left = np.sqrt(np.maximum(degrees, 0))[:, None]
    left = left / np.hypot(np.sqrt(np.maximum(degrees, 1))[:, None], t)
    rmsre = np.array([fit.rmsre for fit in sample.fits])[:, None]
    return np.where(degrees[:, None] > 0, rmsre * (1.0 - left), np.nan)


def _ranges(found: Sequence[Reach]) -> str | None:
    """Those that reach a whole unit."""
    return ", ".join(str(one) for one in found if one.units >= FULL) or None


def _day(name: str, unit: str, text: str, compute: Any, **more: Any) -> Metric:
    return Metric(name, "day", unit, text, compute, **more)


def _small_is_bad(name: str, unit: str, text: str, compute: Any) -> Metric:
    return Metric(name, "day", unit, text, compute, can_be_limited=False)


DAY_METRICS: tuple[Metric, ...] = (
    _day("status", "", "how the calibration ended; DROPPED: unusable data, FAILED: an error",
         lambda sample: [fit.status.name for fit in sample.fits], kind="text"),
    _day("reason", "", "the status in a sentence",
         lambda sample: [fit.status.value for fit in sample.fits], kind="text"),
    _day("solver", "", "the solver that found the fit", _of_fits("solver"), kind="text"),
    _day("quote_count", "count", "quotes of the day",
         lambda sample: [sample.quote_count] * len(sample.fits), kind="count",
         can_be_limited=False),
    _day("rmsre", "relative", "root mean squared relative price error of the fit",
         _of_fits("rmsre"), amber=RMSRE_AMBER, red=RMSRE_RED, phrase="RMSRE {value:.2%}"),
    _day("objective", "weighted", "weighted sum of squared price errors, what was minimised",
         lambda sample: (sample.own.problem.weights * sample.own.problem.residuals**2).sum(axis=-1),
         can_be_limited=False),
    _small_is_bad("edof", "1",
                  "effective degrees of freedom: directions that the quotes determine",
                  _effective_degrees("edof")),
    _small_is_bad("edof_scaled", "1", "EDoF by logarithms of the parameters",
                  _effective_degrees("scaled")),
    _small_is_bad("edof_strict", "1", "EDoF without the parameters at a bound",
                  _effective_degrees("strict")),
    _small_is_bad("edof_tikhonov", "1", "EDoF with Tikhonov regularisation, not an integer",
                  _effective_degrees("tikhonov")),
    _small_is_bad("tikhonov_lambda", "mixed",
                  "its lambda: a share of the largest squared singular value",
                  _effective_degrees("tikhonov_lambda")),
    _day("condition_number", "1", "largest over smallest singular value of W^(1/2) J",
         _of_own("condition_number")),
    _day("condition_number_exact", "1", "the same of the exact Hessian; infinite: lost rank",
         _of_own("condition_number_exact")),
    _day("scale_mse", "weighted", "noise of weighted residuals, from squares (rmsre: relative)",
         _of_own("scale_mse")),
    _day("scale_mad", "weighted", "the same from the median absolute deviation, the paper's",
         _of_own("scale_mad")),
    _day("scale_mad_adjusted", "weighted", "the same of residuals over sqrt(1 - leverage)",
         _of_own("scale_mad_adjusted")),
    _day("relative_bias", "relative", "bias of fitted prices, because errors are relative",
         _of_own("relative_bias")),
    _day("relative_offset", "share",
         "part of the residuals that the parameters could still explain",
         _of_own("relative_offset")),
    _day("gauss_newton_ratio", "relative", "size of what Gauss-Newton omits, the paper's ratio",
         _of_own("gauss_newton_ratio")),
    _day("gauss_newton_error", "relative", "error of Gauss-Newton in the worst direction",
         _of_own("gauss_newton_error"), phrase="linear approximation up to {value:.0%} off"),
    *_largest("residual", "relative", "relative price error (model/market - 1)", _residuals,
              "residual {value:+.1%} at {at}", 0.05, 0.10),
    *_largest("studentized", "1", "externally studentised residual",
              _of_own("resid_studentized_external"), "studentised residual {value:+.1f} at {at}"),
    *_largest("leverage", "1", "leverage", _of_own("leverage"), "leverage {value:.3f} at {at}"),
    _day("largest_multiplier", "1", "multiplier of an active bound, in its standard errors",
         lambda sample: np.nan_to_num(sample.own.multiplier_ratios).max(axis=-1),
         phrase="the bound holds {at} (multiplier of {value:.0f} standard errors)"),
    _day("largest_multiplier_at", "", "the parameter at that bound",
         lambda sample: _pressed(sample), kind="text"),
    _day("largest_bound_cost", "relative",
         "by how much an active bound raises the RMSRE, to first order",
         lambda sample: _bound_costs(sample).max(axis=-1), amber=BOUND_COST,
         phrase="the bound of {at} adds {value:.1%} to RMSRE, to first order"),
    _day("largest_bound_cost_at", "", "the parameter at that bound",
         lambda sample: _pressed(sample), kind="text"),
    _day("lost_directions", "count", "parameters that were fitted, minus EDoF",
         lambda sample: sample.full.geometry.parameter_count - sample.full.effective_degrees.edof,
         kind="count", amber=1, red=2,
         phrase="one parameter combination is not identified",
         several="{value:.0f} parameter combinations are not identified"),
    *_largest("influence", "mixed", "influence score", _of_own("influence_score"),
              "influence score {value:.3g} at {at}"),
    *_largest("cooks_distance", "1", "Cook's distance", _of_own("cooks_distance"),
              "Cook's distance {value:.3g} at {at}"),
    *_largest("refit_confidence", "share",
              "level of the confidence region at whose edge the fit without a quote is",
              lambda sample: sample.left_out.confidence(sample.quote_count),
              "without {at} the fit moves to the edge of its confidence region of level "
              "{value:.1%}", 0.95),
    _day("widest_reach", "powers of ten",
         "orders of magnitude over which fits with an RMSRE within 10 % of the best spread a "
         "parameter (a correlation: halves of its range), by quarters, at most one to each side",
         lambda sample: [max((one.units for one in found), default=np.nan)
                         for found in sample.reaches],
         amber=FULL, phrase="an RMSRE within 10 % of the best allows {at}"),
    _day("widest_reach_at", "", "the parameters that reach so far, and their ranges",
         lambda sample: list(map(_ranges, sample.reaches)), kind="text"),
    *(_day(name, "", words, _of_flags(name), kind="flag") for name, words in MEANINGS.items()),
    _day("has_outlier", "", "the fits without each quote call one quote, or one of a few, wrong",
         lambda sample: [bool(name) for name in sample.outliers], kind="flag",
         phrase="{outlier} is an outlier: the others are met well only without it"),
    _day("outlier", "", "the quote that they call wrong, such as 3Y or one of 3Y, 4Y",
         lambda sample: [name or None for name in sample.outliers], kind="text"),
    _day("is_identified", "", "quotes and active bounds determine the parameters",
         _of_fits("is_identified"), kind="flag"),
    _day("has_equal_speeds", "", "both factors have the same speed: a one-factor model",
         _of_fits("has_equal_speeds"), kind="flag"),
    _day("is_implausible", "", "a parameter is outside what is plausible",
         lambda sample: [bool(why) for why in sample.plausible.reasons], kind="flag",
         phrase="implausible: {implausible_because}"),
    _day("implausible_because", "", "which parameter, and how far",
         lambda sample: list(sample.plausible.reasons), kind="text"),
    _day("plausible_rmsre", "relative", "RMSRE of the best plausible fit",
         lambda sample: sample.plausible.rmsre, can_be_limited=False),
    _day("summary", "", "the diagnosis in a sentence or two",
         lambda sample: list(sample.summaries), kind="text"),
    _day("evaluations", "count", "evaluations of the objective in the calibration",
         _of_fits("evaluations"), kind="count", can_be_limited=False),
    _day("seconds", "seconds", "time of the calibration", _of_fits("seconds")),
)  # fmt: skip

QUOTE_METRICS: tuple[Metric, ...] = (
    Metric("weight", "quote", "1/price^2", "weight of the squared price error",
           lambda sample: sample.own.problem.weights),
    Metric("market_price", "quote", "per unit notional", "quoted price", _observed),
    Metric("model_price", "quote", "per unit notional", "price of the fitted model",
           lambda sample: _observed(sample) - sample.own.problem.residuals),
    Metric("residual", "quote", "relative", "model_price/market_price - 1",
           lambda sample: (_observed(sample) - sample.own.problem.residuals) / _observed(sample)
           - 1.0),
    Metric("leverage", "quote", "1", "how strongly the quote pulls the fit towards itself",
           lambda sample: sample.full.leverage),
    Metric("leverage_strict", "quote", "1", "leverage on the parameters at no bound",
           lambda sample: sample.strict.leverage),
    Metric("influence_score", "quote", "mixed", "length of the influence on the parameters",
           _of_own("influence_score")),
    Metric("cooks_distance", "quote", "1", "how far the quote moves all parameters together",
           _of_own("cooks_distance")),
    Metric("dffits", "quote", "1", "shift of the own fitted value, in its deviations",
           _of_own("dffits")),
    Metric("resid_studentized_internal", "quote", "1", "residual over its deviation, all quotes",
           _of_own("resid_studentized_internal")),
    Metric("resid_studentized_external", "quote", "1", "the same, scale from the other quotes",
           _of_own("resid_studentized_external")),
)  # fmt: skip

PARAMETER_METRICS: tuple[Metric, ...] = (
    Metric("estimate", "parameter", "own", "the calibrated value",
           lambda sample: sample.own.problem.values),
    Metric("plausible", "parameter", "own", "value in the best plausible fit",
           lambda sample: sample.plausible.parameters),
    Metric("se_mad_adjusted", "parameter", "own", "standard error, noise from scale mad_adjusted",
           _standard_errors("mad_adjusted")),
    Metric("se_mad", "parameter", "own", "standard error, noise from scale mad, the paper's",
           _standard_errors("mad")),
    Metric("se_mse", "parameter", "own", "standard error, noise from scale mse",
           _standard_errors("mse")),
    Metric("se_exact", "parameter", "own", "standard error with the exact Hessian, mad_adjusted",
           lambda sample: sample.own.standard_errors(form="exact")),
    Metric("multiplier", "parameter", "objective",
           "how fast the objective would fall past the bound",
           lambda sample: np.array([fit.multipliers for fit in sample.fits])),
    Metric("at_bound", "parameter", "", "-1 at the lower bound, 1 at the upper, else 0",
           lambda sample: sample.own.problem.at_bound, "integer"),
    Metric("is_identified", "parameter", "", "no direction was lost along this parameter",
           lambda sample: sample.own.identification.is_identified, "flag"),
)  # fmt: skip

PAIR_METRICS: tuple[Metric, ...] = (
    Metric("influence", "pair", "own", "residual times sensitivity of the parameter to the quote",
           _of_own("influence")),
    Metric("influence_exact", "pair", "own", "the same with the exact Hessian",
           _of_own("influence_exact")),
    Metric("dfbetas", "pair", "1", "shift if the quote is left out, in standard deviations",
           _of_own("dfbetas")),
)  # fmt: skip

DIRECTION_METRICS: tuple[Metric, ...] = (
    Metric("singular_value", "direction", "mixed", "singular value of W^(1/2) J, largest first",
           lambda sample: sample.full.singular_values),
)  # fmt: skip

METRICS = (
    *DAY_METRICS, *QUOTE_METRICS, *PARAMETER_METRICS, *PAIR_METRICS, *DIRECTION_METRICS
)  # fmt: skip


def marks(metrics: Sequence[Metric]) -> dict[str, Metric]:
    """Flags of a day, by name: the rules on RAG statuses can name them."""
    return {one.name: one for one in metrics if one.per == "day" and one.kind == "flag"}


def limited(metrics: Sequence[Metric]) -> dict[str, Metric]:
    """Those of a day on whose size a limit can be set, by name."""
    return {metric.name: metric for metric in metrics if metric.is_limited}


def values_of(metric: Metric, sample: Diagnosed) -> list[Any]:
    """One entry per row of its table, day after day: Python's own numbers, words and None.

    What is not a number becomes None, for a database has no NaN.
    """
    found = metric.compute(sample)
    if metric.kind == "text":
        return list(found)
    wanted = shape_of(metric.per, sample)
    values = np.asarray(found)
    if metric.per in ("quote", "pair") and values.ndim == len(wanted):
        values = values[:, : sample.quote_count]  # an anchor's rows come after the quotes
    if values.shape != wanted:
        raise ValueError(f"{metric.name} has the shape {values.shape}; {wanted} is needed")
    if metric.kind == "flag":
        return list(values.astype(bool).ravel().tolist())
    flat = values.astype(np.int64 if metric.kind in ("count", "integer") else float).ravel()
    return without_nan(flat)


def metrics_of(sample: Diagnosed) -> dict[Per, dict[str, Any]]:
    """Every metric of the first day of a sample, as lists: what JSON and pages show of a day."""
    found: dict[Per, dict[str, Any]] = {per: {} for per in get_args(Per)}
    for metric in (*METRICS, *further_metrics().values()):
        values, shape = values_of(metric, sample), shape_of(metric.per, sample)[1:]
        count = int(np.prod(shape, dtype=int))
        found[metric.per][metric.name] = values[:count] if shape else values[0]
    return found


def shape_of(per: Per, sample: Diagnosed) -> tuple[int, ...]:
    """Of the values of a metric: the day first, then quotes, then parameters (or directions)."""
    n, m, p = len(sample.fits), sample.quote_count, len(sample.parameter_names)
    shapes: dict[Per, tuple[int, ...]] = {
        "day": (n,), "quote": (n, m), "parameter": (n, p), "pair": (n, m, p), "direction": (n, p)
    }  # fmt: skip
    return shapes[per]


def rows_of_day(metric: Metric, sample: Diagnosed, day: int) -> list[tuple[str, str]]:
    """Which quote and which parameter (or direction) each value of a day is of; "" for none."""
    labels = sample.days[day].labels if metric.per in ("quote", "pair") else ("",)
    others: tuple[str, ...] = ("",)
    if metric.per in ("parameter", "pair"):
        others = sample.parameter_names
    elif metric.per == "direction":
        others = tuple(str(number + 1) for number in range(len(sample.parameter_names)))
    return list(product(labels, others))
