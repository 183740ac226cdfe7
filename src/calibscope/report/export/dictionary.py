"""What every exported column is: its kind, its unit and its meaning, in one place.

Units are those of the stored numbers; nothing is converted. "relative" is a share of the price or
of the quantity itself (0.01 is 1 %), "share" lies between 0 and 1, "1" has no unit, "own" is the
unit of the parameter in the same row (speeds 1/year, volatilities 1/year^1.5), and "mixed" adds up
numbers of different units, as the paper does.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from calibscope.diagnosis.flags import MEANINGS
from calibscope.models.g2.parameters import PARAMETERS


class Kind(Enum):
    """What the values of a column are."""

    TEXT = "text"
    FLAG = "true or false"
    INTEGER = "integer"
    NUMBER = "number"
    DATE = "date"
    MOMENT = "date and time, UTC"


@dataclass(frozen=True, slots=True)
class Column:
    """What a column is."""

    kind: Kind
    unit: str  # none for words, flags and dates
    meaning: str


@dataclass(frozen=True, slots=True)
class Description:
    """What a table is."""

    one_row_per: str
    columns: Mapping[str, Column]


def _text(meaning: str) -> Column:
    return Column(Kind.TEXT, "", meaning)


def _flag(meaning: str) -> Column:
    return Column(Kind.FLAG, "", meaning)


def _id(meaning: str) -> Column:
    return Column(Kind.INTEGER, "", meaning)


def _count(meaning: str) -> Column:
    return Column(Kind.INTEGER, "count", meaning)


def _number(unit: str, meaning: str) -> Column:
    return Column(Kind.NUMBER, unit, meaning)


def _share(meaning: str) -> Column:
    return _number("share", meaning)


def _seconds(meaning: str) -> Column:
    return _number("seconds", meaning)


_DATE = Column(Kind.DATE, "", "day of the quotes")
_MATURITY = _number("years", "maturity of the cap")
_LABEL = _text("the maturity as a word, such as 10Y")
_PARAMETER = _text("a_x, a_y, sigma_x, sigma_y or rho_xy")
_DAYS = _count("days with results")
_PERIOD = _text('a year, or "all"')
_RUN = _id("the run that computed it, in `runs`")
_RMSRE = _number("relative", "root mean squared relative price error of the fit")
_EDOF = _number("1", "effective degrees of freedom: directions that the quotes determine")
_READING = _text("the diagnosis in a sentence or two")
_SCALE = _text("estimate of the noise: mad_adjusted, mad or mse")
_LEVEL = _share("confidence level")
_UNITS = {
    "a_x": "1/year", "a_y": "1/year", "sigma_x": "1/year^1.5", "sigma_y": "1/year^1.5",
    "rho_xy": "1",
}  # fmt: skip
_WORDS = {
    "a_x": "mean reversion speed of the first factor, the faster one",
    "a_y": "mean reversion speed of the second factor",
    "sigma_x": "volatility of the first factor",
    "sigma_y": "volatility of the second factor",
    "rho_xy": "correlation of the factors",
}
_FIVE = {name: _number(unit, _WORDS[name]) for name, unit in _UNITS.items()}
_LARGEST = {
    "residual": ("relative", "relative price error (model/market - 1)"),
    "leverage": ("1", "leverage"),
    "influence": ("mixed", "influence score"),
    "cooks_distance": ("1", "Cook's distance"),
    "studentized": ("1", "externally studentised residual"),
}
_ENDS = {
    "min": "smallest", "q05": "5 % quantile", "q25": "25 % quantile", "median": "median",
    "q75": "75 % quantile", "q95": "95 % quantile", "max": "largest",
}  # fmt: skip
_COMPONENTS = [f"PC{i}" for i in range(1, 6)]


def _largest(*names: str) -> dict[str, Column]:
    columns = {}
    for name in names:
        unit, words = _LARGEST[name]
        columns[f"largest_{name}"] = _number(unit, f"{words} of largest size, with its sign")
        columns[f"largest_{name}_at"] = _text(f"the maturity that has it: {words}")
    return columns


def _quantiles(unit: str, of: str, prefix: str = "") -> dict[str, Column]:
    return {f"{prefix}{name}": _number(unit, f"{words} of {of}") for name, words in _ENDS.items()}


_DAY = {
    "day_id": _id("number of the row in the store"),
    "run_id": _RUN,
    "superseded_by": _id("the run that computed the date anew; none: current"),
    "date": _DATE,
    "data_hash": _text("hash of the day's quotes and curve"),
    "settings_hash": _text("hash of the settings on which results depend"),
    "status": _text("how the calibration ended; DROPPED: unusable data, FAILED: an error"),
    "reason": _text("the status in a sentence"),
    "warnings": _text("what the checks found in the day's data"),
    "solver": _text("the solver that found the fit"),
    "quote_count": _count("quotes of the day"),
    "rmsre": _RMSRE,
    "edof": _EDOF,
    "edof_scaled": _number("1", "EDoF by logarithms of the parameters"),
    "edof_strict": _number("1", "EDoF without the parameters that a bound holds"),
    "edof_tikhonov": _number("1", "EDoF with Tikhonov regularisation, no integer"),
    "tikhonov_lambda": _number(
        "mixed", "its lambda: a share of the largest squared singular value"
    ),
    "lost_directions": _count("parameters that were fitted, minus EDoF"),
    "condition_number": _number("1", "largest over smallest singular value of W^(1/2) J"),
    "condition_number_exact": _number("1", "the same of the exact Hessian; infinite: lost rank"),
    **{
        f"singular_{i}": _number("mixed", f"singular value {i} of W^(1/2) J, largest first")
        for i in range(1, 6)
    },
    "scale_mse": _number("weighted", "noise of weighted residuals, from squares (rmsre: relative)"),
    "scale_mad": _number("weighted", "the same from the median absolute deviation, the paper's"),
    "scale_mad_adjusted": _number("weighted", "the same of residuals over sqrt(1 - leverage)"),
    "relative_bias": _number("relative", "bias of fitted prices, because errors are relative"),
    "relative_offset": _share("part of the residuals that the parameters could still explain"),
    "gauss_newton_ratio": _number("relative", "what Gauss-Newton leaves out, the paper's ratio"),
    "gauss_newton_error": _number("relative", "how far Gauss-Newton errs in its worst direction"),
    **_largest(*_LARGEST),
    **{name: _flag(words) for name, words in MEANINGS.items()},
    "is_identified": _flag("quotes and active bounds determine the parameters"),
    "is_ridge": _flag("both factors have the same speed: a one-factor model"),
    "reading": _READING,
    "evaluations": _count("evaluations of the objective in the calibration"),
    "seconds": _seconds("time of the calibration"),
}

DICTIONARY: dict[str, Description] = {
    "days": Description("date", _DAY),
    "lights": Description(
        "date",
        {
            "date": _DATE,
            "light": _text("green, amber or red, by the rules of the last run"),
            "reasons": _text("why it is amber or red"),
        },
    ),
    "quotes": Description(
        "date and maturity",
        {
            "date": _DATE,
            "maturity": _MATURITY,
            "strike": _number("1/year", "strike as a decimal rate"),
            "weight": _number("1/price^2", "weight of the squared price error"),
            "market_price": _number("per unit notional", "quoted price"),
            "model_price": _number("per unit notional", "price of the fitted model"),
            "residual": _number("relative", "model_price/market_price - 1"),
            "leverage": _number("1", "how strongly the quote pulls the fit towards itself"),
            "leverage_strict": _number("1", "leverage on the parameters that no bound holds"),
            "influence_score": _number("mixed", "length of the influence on the five parameters"),
            "cooks_distance": _number("1", "how far the quote moves all parameters together"),
            "dffits": _number("1", "shift of the own fitted value, in its deviations"),
            "resid_studentized_internal": _number("1", "residual over its deviation, all quotes"),
            "resid_studentized_external": _number("1", "the same, scale from the other quotes"),
        },
    ),
    "parameters": Description(
        "date and parameter",
        {
            "date": _DATE,
            "parameter": _PARAMETER,
            "estimate": _number("own", "the calibrated value"),
            "se_mad_adjusted": _number("own", "standard error, noise from scale mad_adjusted"),
            "se_mad": _number("own", "standard error, noise from scale mad, the paper's"),
            "se_mse": _number("own", "standard error, noise from scale mse"),
            "se_exact": _number("own", "standard error with the exact Hessian, mad_adjusted"),
            "multiplier": _number("objective", "how fast the objective would fall past the bound"),
            "at_bound": _id("-1 at the lower bound, 1 at the upper, else 0"),
            "is_identified": _flag("no direction was lost along this parameter"),
        },
    ),
    "intervals": Description(
        "date, parameter, scale and level",
        {
            "date": _DATE,
            "parameter": _PARAMETER,
            "scale": _SCALE,
            "level": _LEVEL,
            "low": _number("own", "lower end; none for a parameter at a bound"),
            "high": _number("own", "upper end; none for a parameter at a bound"),
            "is_cut_low": _flag("the lower end was cut at the bound"),
            "is_cut_high": _flag("the upper end was cut at the bound"),
            "is_collapsed": _flag("too short, because rank was lost"),
        },
    ),
    "influence": Description(
        "date, maturity and parameter",
        {
            "date": _DATE,
            "maturity": _MATURITY,
            "parameter": _PARAMETER,
            "influence": _number("own", "residual times sensitivity of the parameter to the quote"),
            "influence_exact": _number("own", "the same with the exact Hessian"),
            "dfbetas": _number("1", "shift if the quote is left out, in standard deviations"),
        },
    ),
    "optima": Description(
        "date and local optimum",
        {
            "date": _DATE,
            "rank": _id("0 is the best"),
            "objective": _number("objective", "weighted sum of squared price errors"),
            "rmsre": _RMSRE,
            "basin_share": _share("part of the random starts that ended here"),
            **_FIVE,
        },
    ),
    "second_looks": Description(
        "red day and variant",
        {
            "date": _DATE,
            "variant": _text("without: the dominant quote left out; halved: with half its weight"),
            "run_id": _RUN,
            "maturity": _number("years", "maturity of the dominant quote"),
            "reasons": _text("why the day was red"),
            "rmsre": _RMSRE,
            **_FIVE,
            "largest_shift": _number("1", "move of largest size, by log a, log sigma and rho"),
            "largest_shift_of": _text("the parameter that moves so"),
        },
    ),
    "robustness": Description(
        "variant, on the same days",
        {
            "variant": _text("what is done differently; the baseline first"),
            "days": _count("days that were calibrated"),
            "rmsre": _number("relative", "median RMSRE"),
            "worse": _share("days that miss the baseline's optimum by more than 0.1 %"),
            "moved": _share("days on which a parameter moves by more than 0.1, by log or rho"),
            **{
                f"move_{name}": _number("1", f"median move of {name}, by log (rho as it is)")
                for name in PARAMETERS
            },
            "short_end": _share("leverage on the two shortest caps, mean"),
            "long_end": _share("leverage on the two longest caps, mean"),
            "leverage_move": _number("1", "largest change of a maturity's mean leverage"),
            "edof_5": _share("days with EDoF 5"),
            "edof_4": _share("days with EDoF 4"),
            "edof_3_or_less": _share("days with EDoF 3 or less"),
            "edof_same": _share("days with the baseline's EDoF"),
        },
    ),
    "superseded": Description("former result of a date that was computed anew", _DAY),
    "runs": Description(
        "run: the audit trail",
        {
            "run_id": _id("number of the run"),
            "started": Column(Kind.MOMENT, "UTC", "when it began"),
            "finished": Column(Kind.MOMENT, "UTC", "when it ended; none: running, or cut off"),
            "outcome": _text("complete, cut off, or what stopped it"),
            "market": _text("name of the market"),
            "is_synthetic": _flag("the quotes are no market's"),
            "market_hash": _text("hash of all quotes and curves"),
            "inputs": _text("JSON: SHA-256 of each file"),
            "conventions": _text("JSON: how quotes and curves were read"),
            "settings": _text("JSON: all settings"),
            "settings_hash": _text("hash of the settings on which results depend"),
            "software": _text("JSON: versions"),
            "engine": _text("where it was computed"),
            "days_in_market": _count("usable days of the market"),
            "days_kept": _count("days that were stored already"),
            "days_computed": _count("days that were computed"),
            "days_failed": _count("of those, days without results"),
            "seconds": _seconds("wall time"),
            "calibration_seconds": _seconds("of it, calibrating"),
            "diagnosis_seconds": _seconds("of it, diagnosing"),
            "store_seconds": _seconds("of it, storing"),
        },
    ),
    "fit_over_time": Description(
        "period",
        {
            "period": _PERIOD,
            "days": _DAYS,
            "days_without_results": _count("days without"),
            **_quantiles("relative", "the RMSRE"),
            **{
                f"days_above_{limit:g}": _count(f"days with an RMSRE above {limit:.0%}")
                for limit in (0.01, 0.02, 0.05)
            },
        },
    ),
    "leverage_by_maturity": Description(
        "maturity",
        {
            "maturity": _MATURITY,
            "label": _LABEL,
            "days": _count("days on which it was quoted"),
            **_quantiles("1", "the leverage"),
            **{
                f"share_above_{limit}": _share(f"part of the days with a leverage above {limit}")
                for limit in ("0.95", "0.99")
            },
        },
    ),
    "influence_by_maturity": Description(
        "maturity",
        {
            "maturity": _MATURITY,
            "label": _LABEL,
            "days": _count("days with a score"),
            "zero_days": _count("days whose score is zero, which has no logarithm"),
            **_quantiles("log10", "log10 of the influence score", "log10_"),
            "largest": _number("mixed", "largest influence score"),
            "largest_on": Column(Kind.DATE, "", "its date"),
            "tail_events": _count("how many of the largest 1 % of all scores"),
            "tail_share": _share("part of the largest 1 % of all scores"),
        },
    ),
    "boundary_dominance": Description(
        "kind of leverage, all days or those with rho_xy = -1",
        {
            "kind": _text("leverage, or leverage_strict"),
            "among": _text("which days"),
            "days": _DAYS,
            "short_share": _share("part of the leverage at the two shortest maturities, median"),
            "long_share": _share("part of the leverage at the longest maturity, median"),
            "end_share": _share("part of the leverage at both ends, median"),
            "count_share": _share("part of the quotes that lie there, median"),
            "above_count": _share("part of the days on which each end is above its share by count"),
            "dominated": _share("part of the days on which leverage peaks at both ends"),
            "above_half": _share("part of the days on which the ends carry more than half"),
        },
    ),
    "edof_levels": Description(
        "variant and level",
        {
            "variant": _text("edof, or one of its variants"),
            "level": _number("1", "EDoF; Tikhonov's rounded to the nearest half"),
            "days": _count("days on this level"),
            "share": _share("part of the days with results"),
        },
    ),
    "edof_switches": Description(
        "quarter",
        {
            "quarter": _text("such as 2022Q3"),
            "days": _DAYS,
            "switches": _count("days whose EDoF differs from that of the day before"),
            "share": _share("part of the days that have one before"),
        },
    ),
    "active_constraints": Description(
        "parameter and bound",
        {
            "parameter": _PARAMETER,
            "side": _text("lower or upper"),
            "bound": _number("own", "the bound"),
            "days": _count("days calibrated with this bound"),
            "exact": _share("part of these days with the parameter at the bound"),
            "near": _share("part of these days with the parameter within 1e-6 of it"),
        },
    ),
    "interval_shares": Description(
        "parameter, scale and level",
        {
            "parameter": _PARAMETER,
            "scale": _SCALE,
            "level": _LEVEL,
            "days": _DAYS,
            "no_interval": _share("part of the days without: at a bound, fixed, or no scale"),
            "collapsed": _share("part of the days with an interval too short, as rank was lost"),
            "full_range": _share("part of the days with an interval from bound to bound"),
            "not_identified": _share("part of the days on which rank was lost along it"),
        },
    ),
    "gauss_newton_adequacy": Description(
        "measure",
        {
            "measure": _text("gauss_newton_ratio or gauss_newton_error, see `days`"),
            "days": _DAYS,
            "days_not_finite": _count("days on which it is infinite or no number"),
            "mean": _number("relative", "mean of the others"),
            "median": _number("relative", "median of the others"),
            "q90": _number("relative", "90 % quantile of the others"),
            "max": _number("relative", "largest of the others"),
        },
    ),
    "pca_scores": Description(
        "date",
        {"date": _DATE, **{name: _number("1", f"score on {name}") for name in _COMPONENTS}},
    ),
    "pca_loadings": Description(
        "parameter",
        {
            "parameter": _PARAMETER,
            **{name: _number("1", f"weight in {name}, parameters standardised")
               for name in _COMPONENTS},
        },
    ),
    "pca_explained": Description(
        "principal component",
        {
            "component": _text("PC1 has the largest variance"),
            "variance": _number("1", "variance of its scores"),
            "share": _share("part of the whole variance"),
            "cumulative": _share("part of it and those before"),
        },
    ),
    "regime_summary": Description(
        "period",
        {
            "period": _PERIOD,
            "days": _DAYS,
            "rmsre_median": _number("relative", "median RMSRE"),
            **{
                f"{name}_{what}": _number(unit, f"{words} of {name}")
                for name, unit in _UNITS.items()
                for what, words in (("median", "median"), ("spread", "75 % minus 25 % quantile"))
            },
            "edof_full": _share("part of the days with full EDoF"),
            "edof_one_lost": _share("part of the days with one direction lost"),
            "edof_more_lost": _share("part of the days with more directions lost"),
            "edof_switches": _count("days whose EDoF differs from that of the day before"),
            "switch_share": _share("part of the days that have one before"),
            "at_bound": _share("part of the days with a parameter at a bound"),
            "pc1_spread": _number("1", "standard deviation of the scores on PC1"),
            "pc2_spread": _number("1", "standard deviation of the scores on PC2"),
        },
    ),
    "reference_dates": Description(
        "reference date of the paper",
        {
            "date": _DATE,
            "event": _text("what happened"),
            "rmsre": _RMSRE,
            "edof": _EDOF,
            **_largest("leverage", "influence", "residual"),
            "reading": _READING,
        },
    ),
    "columns": Description(
        "column of a table",
        {
            "table": _text("name of the table"),
            "column": _text("name of the column"),
            "unit": _text("unit of its numbers"),
            "kind": _text("what its values are"),
            "meaning": _text("what it says"),
        },
    ),
}  # fmt: skip


def header(name: str, unit: str) -> str:
    """A column's name with its unit, for tables that people read."""
    return f"{name} [{unit}]" if unit else name
