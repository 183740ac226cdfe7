"""The columns of the statistics of a history, and of the table that describes all columns."""

from calibscope.base.numbers import percent
from calibscope.base.parameters import Specs
from calibscope.report.export.columns import (
    Column,
    Description,
    Kind,
    count,
    flag,
    number,
    share,
    text,
)
from calibscope.report.export.shared_columns import (
    DATE,
    DAYS,
    EDOF,
    LABEL,
    LEVEL,
    MATURITY,
    MODEL,
    PARAMETER,
    PERIOD,
    RANGE,
    RMSRE,
    SCALE,
    SUMMARY,
    largest,
    quantiles,
)
from calibscope.study.statistics.fit_over_time import THRESHOLDS as RMSRE_LIMITS
from calibscope.study.statistics.leverage_by_maturity import THRESHOLDS as LEVERAGE_LIMITS
from calibscope.study.statistics.parameter_pca import component_names


def statistics_tables(specs: Specs) -> dict[str, Description]:
    """Those of a study of a model with these parameters."""
    components = component_names(len(specs.names))
    units = {spec.name: spec.unit for spec in specs}
    return {
        "fit_over_time": Description(
            "period",
            {
                "period": PERIOD,
                "days": DAYS,
                "days_without_results": count("days without"),
                **quantiles("relative", "the RMSRE"),
                **{
                    f"days_above_{limit:g}": count(f"days with an RMSRE above {percent(limit, 0)}")
                    for limit in RMSRE_LIMITS
                },
            },
        ),
        "completeness": Description(
            "complete and incomplete days",
            {
                "among": text("complete days, or those that lack some of the market's quotes"),
                "days": DAYS,
                "quotes": number("count", "quotes of a day, median"),
                "rmsre_median": number("relative", "median RMSRE"),
                "rmsre_q95": number("relative", "95 % quantile of RMSRE"),
                "edof_median": number("1", "median EDoF"),
                "largest_leverage_median": number("1", "median of the largest leverage of a day"),
            },
        ),
        "misfit": Description(
            "quote",
            {
                "maturity": MATURITY,
                "label": LABEL,
                "days": count("days on which it was quoted"),
                "bias": number("relative", "mean residual (model/market - 1)"),
                "spread": number("relative", "standard deviation of the residual"),
                "bias_share": share("part of the mean square that is bias"),
                "autocorrelation": number("1", "of the residual, from day to day"),
                "effective_days": number("count", "independent days that these are worth"),
                "with_next": number("1", "correlation with the residual of the next quote"),
            },
        ),
        "residual_correlations": Description(
            "pair of quotes",
            {
                "label": text("the earlier quote of the pair, in the order of tables"),
                "other": text("the later one"),
                "days": count("days that have both"),
                "correlation": number("1", "of their relative residuals, 20 days or more"),
            },
        ),
        "leverage_by_maturity": Description(
            "maturity",
            {
                "maturity": MATURITY,
                "label": LABEL,
                "days": count("days on which it was quoted"),
                **quantiles("1", "the leverage"),
                **{
                    f"share_above_{limit:g}": share(f"part of the days with one above {limit:g}")
                    for limit in LEVERAGE_LIMITS
                },
            },
        ),
        "influence_by_maturity": Description(
            "maturity",
            {
                "maturity": MATURITY,
                "label": LABEL,
                "days": count("days with a score"),
                "zero_days": count("days whose score is zero, which has no logarithm"),
                **quantiles("log10", "log10 of the influence score", "log10_"),
                "largest": number("mixed", "largest influence score"),
                "largest_on": Column(Kind.DATE, "", "its date"),
                "tail_events": count("how many of the largest 1 % of all scores"),
                "tail_share": share("part of the largest 1 % of all scores"),
            },
        ),
        "boundary_dominance": Description(
            "kind of leverage, all days or those with rho_xy = -1",
            {
                "kind": text("leverage, or leverage_strict"),
                "among": text("which days"),
                "days": DAYS,
                "short_share": share("part of the leverage at the two shortest maturities, median"),
                "long_share": share("part of the leverage at the longest maturity, median"),
                "end_share": share("part of the leverage at both ends, median"),
                "count_share": share("part of the quotes that are there, median"),
                "above_count": share("part of the days with each end above its share by count"),
                "dominated": share("part of the days on which leverage peaks at both ends"),
                "above_half": share("part of the days on which the ends carry more than half"),
            },
        ),
        "edof_levels": Description(
            "variant and level",
            {
                "variant": text("edof, or one of its variants"),
                "level": number("1", "EDoF; Tikhonov's rounded to the nearest half"),
                "days": count("days on this level"),
                "share": share("part of the days with results"),
            },
        ),
        "edof_switches": Description(
            "quarter",
            {
                "quarter": text("such as 2022Q3"),
                "days": DAYS,
                "switches": count("days whose EDoF differs from that of the day before"),
                "share": share("part of the days that have one before"),
            },
        ),
        "active_constraints": Description(
            "parameter and bound",
            {
                "parameter": PARAMETER,
                "side": text("lower or upper"),
                "bound": number("own", "the bound"),
                "days": count("days calibrated with this bound"),
                "exact": share("part of these days with the parameter at the bound"),
                "near": share("part of these days with the parameter within 1e-6 of it"),
            },
        ),
        "profile_shares": Description(
            "parameter, scale and level, of days with profiles",
            {
                "parameter": PARAMETER,
                "scale": text("of the noise: mse, mad, mad_adjusted, bid_ask, or a number"),
                "level": LEVEL,
                "days": count("days with a profile interval"),
                "full_range": share("part of them with an interval from bound to bound"),
                "with_gap": share("part of them with values inside that fit too badly"),
                "second_minimum": share("part of them with another local minimum inside"),
                "contradicted": share("part of the delta intervals on them that have other ends"),
            },
        ),
        "interval_shares": Description(
            "parameter, scale and level",
            {
                "parameter": PARAMETER,
                "scale": SCALE,
                "level": LEVEL,
                "days": DAYS,
                "no_interval": share("part of the days without: at a bound, fixed, or no scale"),
                "collapsed": share("part of the days with an interval too short, as rank was lost"),
                "full_range": share("part of the days with an interval from bound to bound"),
                "not_identified": share("part of the days on which rank was lost along it"),
            },
        ),
        "gauss_newton_adequacy": Description(
            "measure",
            {
                "measure": text("gauss_newton_ratio or gauss_newton_error, see `days`"),
                "days": DAYS,
                "days_not_finite": count("days on which it is infinite or not a number"),
                "mean": number("relative", "mean of the others"),
                "median": number("relative", "median of the others"),
                "q90": number("relative", "90 % quantile of the others"),
                "max": number("relative", "largest of the others"),
            },
        ),
        "pca_scores": Description(
            "date",
            {"date": DATE, **{name: number("1", f"score on {name}") for name in components}},
        ),
        "pca_loadings": Description(
            "parameter",
            {
                "parameter": PARAMETER,
                **{name: number("1", f"weight in {name}, parameters standardised")
                   for name in components},
            },
        ),
        "pca_explained": Description(
            "principal component",
            {
                "component": text("PC1 has the largest variance"),
                "variance": number("1", "variance of its scores"),
                "share": share("part of the whole variance"),
                "cumulative": share("part of it and those before"),
            },
        ),
        "regime_summary": Description(
            "period",
            {
                "period": PERIOD,
                "days": DAYS,
                "rmsre_median": number("relative", "median RMSRE"),
                **{
                    f"{name}_{what}": number(unit, f"{words} of {name}")
                    for name, unit in units.items()
                    for what, words in (
                        ("median", "median"), ("spread", "75 - 25 % quantile"),
                        ("plausible", "median, in the best plausible fits,"),
                    )
                },
                "plausible_rmsre_median": number("relative", "median RMSRE of plausible fits"),
                "implausible": share("part of the days whose best fit is implausible"),
                "edof_full": share("part of the days with full EDoF"),
                "edof_one_lost": share("part of the days with one direction lost"),
                "edof_more_lost": share("part of the days with more directions lost"),
                "edof_switches": count("days whose EDoF differs from that of the day before"),
                "switch_share": share("part of the days that have one before"),
                "at_bound": share("part of the days with a parameter at a bound"),
                "pc1_spread": number("1", "standard deviation of the scores on PC1"),
                "pc2_spread": number("1", "standard deviation of the scores on PC2"),
            },
        ),
        "reference_dates": Description(
            "reference date of the paper",
            {
                "date": DATE,
                "event": text("what happened"),
                "rmsre": RMSRE,
                "edof": EDOF,
                **largest("leverage", "influence", "residual"),
                "summary": SUMMARY,
            },
        ),
        "model_comparison": Description(
            "model, on the days that all models have fitted",
            {
                "model": MODEL,
                "parameters": count("parameters of the model"),
                "days": DAYS,
                "rmsre_median": number("relative", "median RMSRE"),
                "rmsre_q95": number("relative", "95 % quantile of RMSRE"),
                "edof_median": number("1", "median EDoF"),
                "edof_full": share("part of the days with full EDoF"),
                "at_bound": share("part of the days with a parameter at a bound"),
                **{name: share(f"part of the days that are {name}")
                   for name in ("green", "amber", "red")},
                "ranges": count("days with near-optimal ranges"),
                "pinned": number("count", "parameters whose range is within a factor 2, median"),
            },
        ),
        "nested_models": Description(
            "pair of nested models",
            {
                "smaller": text("the model that is a special case"),
                "larger": text("the model that has it as a special case"),
                "days": count("days that both have fitted, with quotes to spare"),
                "f_median": number("1", "median of the F statistic"),
                "supported": share("part of the days with F above its 95 % quantile"),
            },
        ),
        "days_by_model": Description(
            "date and model",
            {
                "date": DATE,
                "model": MODEL,
                "rmsre": RMSRE,
                "edof": EDOF,
                "rag": text("green, amber or red"),
            },
        ),
        "near_optimal_ranges": Description(
            "date of a sample, model and parameter",
            {
                "date": DATE,
                "model": MODEL,
                "parameter": PARAMETER,
                "estimate": number("own", "the calibrated value"),
                **RANGE,
                "is_pinned": flag("the range is within a factor of 2"),
            },
        ),
        "columns": Description(
            "column of a table",
            {
                "table": text("name of the table"),
                "column": text("name of the column"),
                "unit": text("unit of its numbers"),
                "kind": text("what its values are"),
                "meaning": text("what it says"),
            },
        ),
    }  # fmt: skip
