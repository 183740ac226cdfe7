"""The columns of a study's own tables."""

from calibscope.base.parameters import Specs
from calibscope.report.export.columns import (
    Column,
    Description,
    Kind,
    count,
    flag,
    number,
    number_of,
    of_metrics,
    seconds,
    share,
    text,
)
from calibscope.report.export.shared_columns import (
    DATE,
    LABEL,
    LEVEL,
    MATURITY,
    MODEL,
    PARAMETER,
    RANGE,
    RMSRE,
    RUN,
    SCALE,
    parameters,
)
from calibscope.study.metrics import (
    DAY_METRICS,
    DIRECTION_METRICS,
    PAIR_METRICS,
    PARAMETER_METRICS,
    QUOTE_METRICS,
)
from calibscope.study.robustness_rows import MOVE, edof_columns

_DAY = {
    "day_id": number_of("number of the row in the store"),
    "run_id": RUN,
    "superseded_by": number_of("the run that computed the date anew; none: current"),
    "date": DATE,
    "model": MODEL,
    "data_hash": text("hash of the day's quotes and curve"),
    "settings_hash": text("hash of the settings on which results depend"),
    "warnings": text("what the checks found in the day's data"),
    "is_incomplete": flag("some of the market's quotes or curve nodes are missing that day"),
    **of_metrics(DAY_METRICS),
}


def stored_tables(specs: Specs) -> dict[str, Description]:
    """Those of a study of a model with these parameters."""
    p = len(specs.names)
    full, one_less, fewer = edof_columns(p)
    return {
        "days": Description("date", _DAY),
        "rag": Description(
            "date",
            {
                "date": DATE,
                "rag": text("green, amber, red, or grey: no results; by the rules of the last run"),
                "reasons": text("why it is amber or red"),
            },
        ),
        "quotes": Description(
            "date and quote",
            {
                "date": DATE,
                "label": LABEL,
                "kind": text("cap, floor, or the class of another instrument"),
                "maturity": MATURITY,
                "expiry": number("years", "from today; none for caps and floors, which have many"),
                "strike": number("1/year", "strike as a decimal rate"),
                "is_interpolated": flag("somebody has interpolated it, as its file says"),
                **of_metrics(QUOTE_METRICS),
            },
        ),
        "parameters": Description(
            "date and parameter",
            {
                "date": DATE,
                "parameter": PARAMETER,
                **of_metrics(PARAMETER_METRICS),
            },
        ),
        "intervals": Description(
            "date, parameter, scale and level",
            {
                "date": DATE,
                "parameter": PARAMETER,
                "scale": SCALE,
                "level": LEVEL,
                "low": number("own", "lower end; none for a parameter at a bound"),
                "high": number("own", "upper end; none for a parameter at a bound"),
                "is_cut_low": flag("the lower end was cut at the bound"),
                "is_cut_high": flag("the upper end was cut at the bound"),
                "is_collapsed": flag("too short, because rank was lost"),
            },
        ),
        "influence": Description(
            "date, quote and parameter",
            {
                "date": DATE,
                "label": LABEL,
                "maturity": MATURITY,
                "parameter": PARAMETER,
                **of_metrics(PAIR_METRICS),
            },
        ),
        "directions": Description(
            "date and direction",
            {
                "date": DATE,
                "number": number_of("1 is the direction that the quotes determine best"),
                **of_metrics(DIRECTION_METRICS),
            },
        ),
        "screening": Description(
            "date and quote, whatever the model",
            {
                "date": DATE,
                "label": LABEL,
                "score": number("1", "log of vol over expected vol, in standard deviations"),
                "p_value": number("1", "of the score alone, two-sided"),
                "q_value": number("1", "probability that the quote is right"),
                "vol": number("1/year", "normal vol, as a decimal rate"),
                "expected_vol": number("1/year", "what the past and the other quotes predict"),
                "verdict": text("in line, likely wrong, one of several, and others"),
            },
        ),
        "metrics": Description(
            "date, metric of another package, quote and parameter",
            {
                "date": DATE,
                "metric": text("its name"),
                "label": text("the quote; none where the metric is not of a quote"),
                "parameter": text("the parameter; none where the metric is not of a parameter"),
                "value": number("see unit", "in the metric's unit"),
                "unit": text("the metric's unit; what it is, is in the table of columns"),
            },
        ),
        "optima": Description(
            "date and local optimum",
            {
                "date": DATE,
                "rank": number_of("0 is the best"),
                "objective": number("objective", "weighted sum of squared price errors"),
                "rmsre": RMSRE,
                "share_of_starts": share("part of the random starts that ended here"),
                **parameters(specs),
            },
        ),
        "challenger_fits": Description(
            "red day and variant",
            {
                "date": DATE,
                "variant": text("without the dominant quote, or halved: with half its weight"),
                "run_id": RUN,
                "label": text("the dominant quote"),
                "reasons": text("why the day was red"),
                "rmsre": RMSRE,
                **parameters(specs),
                "largest_shift": number("1", "move of largest size, by log a, log sigma and rho"),
                "largest_shift_of": text("the parameter that moves so"),
            },
        ),
        "left_out": Description(
            "date and quote that was left out",
            {
                "date": DATE,
                "label": text("the quote that was left out"),
                "maturity": MATURITY,
                "run_id": RUN,
                "rms": number("weighted", "rms of the others' weighted residuals"),
                **parameters(specs, "shift without the quote: "),
                "press": number("per unit notional", "quote minus its price in the fit without it"),
                "cooks_distance": number(
                    "1", "how far the fit moves, by the objective with all quotes"
                ),
                "confidence": number(
                    "share", "level of the confidence region at whose edge the fit without it is"
                ),
                "error_gauss_newton": number(
                    "relative", "error of the shift predicted by Gauss-Newton"
                ),
                "error_exact": number("relative", "the same by the exact Hessian"),
                "mark": text("bounds that are reached or left, another basin, lost identification"),
            },
        ),
        "profiles": Description(
            "date, parameter and level",
            {
                "date": DATE,
                "parameter": PARAMETER,
                "level": LEVEL,
                "run_id": RUN,
                "low": number("own", "lower end of the profile interval"),
                "high": number("own", "upper end of the profile interval"),
                "is_cut_low": flag("the bound is the lower end"),
                "is_cut_high": flag("the bound is the upper end"),
                "is_connected": flag(
                    "no gap inside: false where the profile exceeds the limit in between"
                ),
            },
        ),
        "near_optimal": Description(
            "date of a sample, and parameter",
            {"date": DATE, "parameter": PARAMETER, "run_id": RUN, **RANGE},
        ),
        "failed_refits": Description(
            "date that could not be fitted again, and task",
            {
                "date": DATE,
                "task": text("left_out: without each quote; profiles: along each parameter"),
                "run_id": RUN,
                "reason": text("why it could not"),
            },
        ),
        "robustness": Description(
            "variant, on the same days",
            {
                "variant": text("what is done differently; the baseline first"),
                "days": count("days that were calibrated"),
                "rmsre": number("relative", "median RMSRE"),
                "worse": share("days that miss the baseline's optimum by more than 0.1 %"),
                "moved": share("days on which a parameter moves by more than 0.1, by log or rho"),
                **{
                    f"{MOVE}{name}": number("1", f"median move of {name}, by log (rho as it is)")
                    for name in specs.names
                },
                "short_end": share("leverage on the two shortest caps, mean"),
                "long_end": share("leverage on the two longest caps, mean"),
                "leverage_move": number("1", "largest change of a quote's mean leverage"),
                full: share(f"days with EDoF {p}"),
                one_less: share(f"days with EDoF {p - 1}"),
                fewer: share(f"days with EDoF {p - 2} or less"),
                "edof_same": share("days with the baseline's EDoF"),
            },
        ),
        "superseded": Description("former result of a date that was computed anew", _DAY),
        "threshold_changes": Description(
            "threshold that a run changed",
            {
                "run_id": number_of("the first run with the new value"),
                "setting": text("its full name"),
                "changed": Column(Kind.MOMENT, "UTC", "when that run began"),
                "who": text("the user, as the operating system says"),
                "old": text("value before, as JSON"),
                "new": text("value since, as JSON"),
            },
        ),
        "runs": Description(
            "run: the audit trail",
            {
                "run_id": number_of("number of the run"),
                "started": Column(Kind.MOMENT, "UTC", "when it began"),
                "finished": Column(Kind.MOMENT, "UTC", "when it ended; none: running, or cut off"),
                "outcome": text("complete, failed, cut off, or what stopped it"),
                "market": text("name of the market"),
                "is_synthetic": flag("the quotes are not from a real market"),
                "market_hash": text("hash of all quotes and curves"),
                "inputs": text("JSON: SHA-256 of each file"),
                "conventions": text("JSON: how quotes and curves were read"),
                "settings": text("JSON: all settings"),
                "settings_hash": text("hash of the settings on which results depend"),
                "effective_settings": text("JSON: all that was set, as it counts, market included"),
                "effective_hash": text("hash of these"),
                "software": text("JSON: versions"),
                "engine": text("where it was computed"),
                "days_in_market": count("usable days of the market"),
                "days_kept": count("days that were stored already"),
                "days_computed": count("days that were computed"),
                "days_failed": count("of those, days without results"),
                "seconds": seconds("wall time"),
                "calibration_seconds": seconds("of it, calibrating"),
                "diagnosis_seconds": seconds("of it, diagnosing"),
                "store_seconds": seconds("of it, storing"),
                "repaired": text("what was damaged in the store before; removed, computed anew"),
            },
        ),
    }
