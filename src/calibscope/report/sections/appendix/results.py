"""Fit, influence, identifiability, uncertainty and regimes: the figures behind the history."""

from calibscope.base.numbers import PERCENT, counted, number, percent
from calibscope.diagnosis.settings import USUAL
from calibscope.report.document import (
    Block,
    Cell,
    Column,
    Section,
    Table,
    collapsible,
    drawn,
    percents,
    section,
    table,
)
from calibscope.report.figures.markup import plain
from calibscope.report.figures.parameters import symbol_of
from calibscope.report.sections import study_blocks as shared
from calibscope.report.sections.intervals import interval_blocks
from calibscope.study import statistics
from calibscope.study.metrics import RMSRE_AMBER
from calibscope.study.statistics.misfit import misfit_sentence
from calibscope.study.statistics.stored_day import stored_day
from calibscope.study.study import Study

COUNT = Column("days", ",.0f")


def fit(study: Study) -> Section:
    """RMSRE by year, residuals by day and quote, and systematic misfit."""
    years, above = statistics.fit_over_time(study), f"days_above_{RMSRE_AMBER:g}"
    worst = study.fitted.loc[study.fitted["rmsre"].idxmax()]
    return section(
        "fit-over-time",
        "Fit over time",
        f"The worst fit is that of {worst['date'].date()}: RMSRE {percent(worst['rmsre'])}, "
        f"largest residual {percent(worst['largest_residual'], 1, '+')} at "
        f"{worst['largest_residual_at']}.",
        "Next: compare that quote with its neighbours and with another source. `calibscope day` "
        "with this date shows the day alone.",
        shared.framed(
            "RMSRE by year",
            years,
            {
                "period": Column("year", "s"),
                "days": COUNT,
                **percents(".2f", q05="5th percentile", median="median"),
                **percents(".2f", q95="95th percentile", max="highest"),
                above: Column(f"days above {PERCENT.text(RMSRE_AMBER)}", ",.0f"),
            },
        ),
        drawn("residual_heat_map", study),
        *_misfit(study),
    )


def _misfit(study: Study) -> list[Block | str]:
    """Whether residuals are noise."""
    sentence = misfit_sentence(study)
    if not sentence:
        return []
    return [
        sentence,
        "Next: count quotes whose residuals are strongly correlated as one when you judge how much "
        "the market says; their errors have a common cause.",
        shared.framed(
            "Systematic misfit by quote",
            statistics.misfit(study),
            {
                "label": Column("quote", "s"),
                "days": COUNT,
                "bias": Column("bias", "+.2f", PERCENT),
                "spread": Column("spread", ".2f", PERCENT),
                "autocorrelation": Column("autocorrelation", ".2f"),
                "effective_days": Column("effective days", ",.0f"),
                "with_next": Column("correlation with next", ".2f"),
            },
        ),
        drawn("residual_correlations", study),
    ]


def influence(study: Study) -> Section:
    """Leverage and the paper's influence score, over all days."""
    profile = statistics.leverage_by_maturity(study).sort_values("median", ascending=False)
    first, second = (profile.iloc[k] for k in (0, min(1, len(profile) - 1)))
    near = USUAL.leverage_near_one
    tail = statistics.influence_by_maturity(study).sort_values("tail_share", ascending=False)
    return section(
        "leverage",
        "Leverage and influence over time",
        f"{first['label']} has the highest leverage (median {number(first['median'], '.2f')}, "
        f"above {near:g} "
        f"on {percent(first[f'share_above_{near:g}'], 0)} of {counted(first['days'], 'day')} on "
        f"which it is quoted), then {second['label']} ({number(second['median'], '.2f')}).",
        f"Next: check {first['label']} before any other quote. The higher the leverage, the more "
        "an error of the quote goes into the parameters instead of its residual; "
        "`calibscope robustness` can calibrate without it.",
        "As in the paper, all parameters count here, those at a bound too; the committee edition "
        "counts those that can move.",
        drawn("leverage_by_maturity", study),
        shared.leverage_table(study),
        drawn("leverage_heat_map", study),
        "The paper ranks quotes by the influence score, the length of the influence on all "
        "parameters. It mixes their units, so that a speed outweighs all volatilities; Cook's "
        "distance and DFBETAS do not. Of the largest one per cent of all scores, "
        f"{percent(tail['tail_share'].iloc[0], 0)} belong to {tail['label'].iloc[0]}.",
        drawn("influence_by_maturity", study),
    )


def identifiability(study: Study) -> Section:
    """EDoF and active bounds, over all days."""
    return section(
        "identifiability",
        "Identifiability over time",
        shared.edof_table(study),
        shared.switch_sentence(study),
        drawn("edof_over_time", study),
        shared.bound_table(study),
        "Next: on days with less than full EDoF, trust prices and the combinations that are "
        "determined, not single parameters; fix one of those that move together (setting "
        "calibration.fixed), or say which bound decided.",
        drawn("active_bounds_over_time", study),
    )


def uncertainty(study: Study) -> Section:
    """Intervals of every parameter over time, each behind its name."""
    newton = statistics.gauss_newton_adequacy(study).set_index("measure")
    level = stored_day(study).level
    return section(
        "uncertainty",
        "Uncertainty over time",
        *interval_blocks(study),
        *(
            collapsible(
                f"Intervals of {plain(symbol_of(spec))} over time",
                drawn("fan_chart", study, spec.name, levels=(level,)),
            )
            for spec in study.specs
        ),
        "The paper's Gauss-Newton ratio has the median "
        f"{percent(newton.loc['gauss_newton_ratio', 'median'], 3)}; in the flattest direction "
        f"the error is {percent(newton.loc['gauss_newton_error', 'median'], 0)} in the median.",
    )


def regimes(study: Study) -> Section:
    """Principal components of the parameters, and medians by year."""
    pca = statistics.parameter_pca(study)
    share = pca.explained["share"] if "share" in pca.explained else pca.explained.iloc[:, -1]
    return section(
        "regimes",
        "Regimes",
        "The first two principal components of the parameters carry "
        f"{percent(share.iloc[:2].sum(), 0)} of their variance.",
        "Next: where a year leaves the others, do not average or extrapolate parameters across it; "
        "look at its bounds and EDoF first.",
        drawn("parameter_biplot", study) if len(study.specs.names) > 1 else None,
        _what_moved(study),
    )


def _what_moved(study: Study) -> Table:
    """Medians of each year; where days are implausible, those of the best plausible fits below."""
    names = study.specs.names
    columns = (
        Column("year", "s"), Column("fit"), Column("days", ",.0f"), Column("RMSRE", ".2f", PERCENT),
        Column("implausible", ".0f", PERCENT), *(Column(name, ".3g") for name in names),
        Column("full EDoF", ".0f", PERCENT),
        Column("EDoF switches", ",.0f"), Column("at a bound", ".0f", PERCENT),
    )  # fmt: skip
    rows: list[tuple[Cell, ...]] = []
    for year in shared.records(statistics.regime_summary(study)):
        best, plausible = (
            [year[f"{name}_{kind}"] for name in names] for kind in ("median", "plausible")
        )
        fit = (year[name] for name in ("days", "rmsre_median", "implausible"))
        shares = (year[name] for name in ("edof_full", "edof_switches", "at_bound"))
        rows.append((year["period"], "best", *fit, *best, *shares))
        if year["implausible"] > 0:
            cost = year["plausible_rmsre_median"]
            rows.append(("", "plausible", "", cost, "", *plausible, "", "", ""))
    return table("What moved, by year: medians, and shares of days", columns, rows)
