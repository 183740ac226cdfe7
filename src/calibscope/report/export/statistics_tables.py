"""The columns of the statistics of a history, and of the table that describes all columns."""

from calibscope.report.export.columns import (
    Column,
    Description,
    Kind,
    count,
    number,
    share,
    text,
)
from calibscope.report.export.shared_columns import (
    COMPONENTS,
    DATE,
    DAYS,
    EDOF,
    LABEL,
    LEVEL,
    MATURITY,
    PARAMETER,
    PERIOD,
    RMSRE,
    SCALE,
    SUMMARY,
    UNITS,
    largest,
    quantiles,
)
from calibscope.study.statistics.fit_over_time import THRESHOLDS as RMSRE_LIMITS
from calibscope.study.statistics.leverage_by_maturity import THRESHOLDS as LEVERAGE_LIMITS

STATISTICS: dict[str, Description] = {
    "fit_over_time": Description(
        "period",
        {
            "period": PERIOD,
            "days": DAYS,
            "days_without_results": count("days without"),
            **quantiles("relative", "the RMSRE"),
            **{
                f"days_above_{limit:g}": count(f"days with an RMSRE above {limit:.0%}")
                for limit in RMSRE_LIMITS
            },
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
                f"share_above_{limit:g}": share(f"part of the days with a leverage above {limit:g}")
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
            "above_count": share("part of the days on which each end is above its share by count"),
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
        {"date": DATE, **{name: number("1", f"score on {name}") for name in COMPONENTS}},
    ),
    "pca_loadings": Description(
        "parameter",
        {
            "parameter": PARAMETER,
            **{name: number("1", f"weight in {name}, parameters standardised")
               for name in COMPONENTS},
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
                for name, unit in UNITS.items()
                for what, words in (("median", "median"), ("spread", "75 % minus 25 % quantile"))
            },
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
