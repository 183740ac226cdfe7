"""What the report of a study says: every sentence is made of the numbers beside it."""

import datetime
import json
from typing import Any

from calibscope import __version__
from calibscope.base.numbers import PERCENT, counted, number, percent
from calibscope.diagnosis.flags import MEANINGS, meaning
from calibscope.diagnosis.settings import USUAL
from calibscope.report.document import (
    SYNTHETIC,
    Block,
    Callout,
    Cell,
    Column,
    Document,
    Section,
    Table,
    collapsible,
    drawn,
    percents,
    section,
    table,
)
from calibscope.report.sections import study_blocks as shared
from calibscope.report.sections.intervals import interval_blocks
from calibscope.report.sections.models import model_section
from calibscope.report.sections.plausible import plausible_blocks
from calibscope.report.sections.robustness import robustness_blocks
from calibscope.report.sections.study_quotes import (
    interpolated_sentence,
    quoted_kinds,
    strikes_sentence,
)
from calibscope.report.sections.study_refits import refit_blocks
from calibscope.study import statistics
from calibscope.study.metrics import RMSRE_AMBER
from calibscope.study.statistics.by_quote import partly_quoted
from calibscope.study.statistics.completeness import incomplete_days
from calibscope.study.statistics.misfit import misfit_sentence
from calibscope.study.study import Study

BIPLOTS = ("parameter_biplot", "parameter_biplot_by_year")
COUNT = Column("days", ",.0f")
LISTED = 25  # red days, reasons and the like: at most so many rows
FORMULAS = (
    ("RMSRE", "root of the mean of ((g_k - y_k) / y_k)^2: weighted least squares", "rmsre"),
    ("Weighted hat matrix", "H_w = A (A^T A)^+ A^T with A = W^(1/2) J", "hat_matrix"),
    ("Leverage", "h_kk, the diagonal of H_w", "hat_matrix"),
    ("EDoF", "trace of H_w: singular values of A above the tolerance", "hat_matrix"),
    ("Influence function", "residual times (J^T W J)^+ J^T W, by quote", "influence_function"),
    ("Covariance", "sigma^2 (J^T W J)^+", "cov"),
    ("Intervals", "log for speeds and volatilities, arctanh for the correlation", "delta method"),
)
LIMITS = (
    "These are local diagnostics of a calibration at t = 0: they say whether the quotes determine "
    "the parameters, not whether the model is right or its scenarios are sensible. They do not "
    "replace an economic validation.",
    "First-order quantities (leverage, influence, intervals) describe the fit's neighbourhood. "
    f"Where Gauss-Newton is more than {PERCENT.text(USUAL.curvature)} off, the exact-Hessian forms "
    "should be read.",
    "One curve discounts and forwards; {strikes}; the weights are fixed by the quotes.",
    "An interval that collapsed because rank was lost is not precise. It is marked wherever it is "
    "shown.",
)


def study_document(study: Study) -> Document:
    """The report: all sections, in the order of reading."""
    of_results = (_fit, _leverage, _identifiability, _uncertainty, _regimes)
    chosen = of_results if len(study.fitted) else ()
    makers = [_summary, _data, *chosen, model_section, _robustness, _appendix]
    sections = (make(study) for make in makers)
    market = study.runs["market"].iloc[-1] if len(study.runs) else "no market"
    title = study.model_of(study.model).title
    return Document(
        title="How far can these calibrations be trusted?",
        subtitle=f"{title} calibrated to {quoted_kinds(study)}: {market}",
        sections=tuple(made for made in sections if made is not None),
        label=SYNTHETIC if study.is_synthetic else "",
        footer=f"calibscope {__version__}, {datetime.date.today()}. Made from {study.path.name}.",
    )


def _summary(study: Study) -> Section:
    days, fitted = study.days, study.fitted
    found: list[Block | str] = []
    if len(fitted):
        full = float((fitted["lost_directions"] == 0).mean())
        held = float(fitted["has_parameters_at_bound"].mean())
        found = [
            shared.fit_sentence(study),
            f"The quotes determine all parameters on {percent(full, 0)} of the days, and a "
            f"parameter is at a bound on {percent(held, 0)}.",
        ]
    return section(
        "summary",
        "Summary",
        Callout(study.unfinished_run) if study.unfinished_run else None,
        f"{counted(len(days), 'day')} from {days['date'].iloc[0].date()} to "
        f"{days['date'].iloc[-1].date()}: "
        f"{counted(len(fitted), 'has', 'have')} results, "
        f"{counted(len(days) - len(fitted), 'has', 'have')} none."
        if len(days)
        else "The study has no days.",
        f"{shared.rag_sentence(study)} The status says whether a person should look, not whether "
        "a number is right.",
        *found,
        *plausible_blocks(study),
        drawn("rag_calendar", study) if len(days) else None,
        shared.rule_table(study) if len(days) else None,
        *shared.reference_blocks(study),
        shared.red_day_table(study, LISTED),
        shared.amber_day_table(study, LISTED),
        *refit_blocks(study),
    )


def _data(study: Study) -> Section:
    days, runs = study.days, study.runs
    lost = days[days["rmsre"].isna()]
    warned = int((days["warnings"] != "").sum())
    read = json.loads(runs["conventions"].iloc[-1]) if len(runs) else {}
    return section(
        "data",
        "Data and conventions",
        f"Quotes were given as {read.get('quotes') or 'prices'}, curves as "
        f"{read.get('curves') or 'curves'}. One curve discounts and forwards (single curve).",
        f"The checks warned about {counted(warned, 'day')}, and "
        f"{counted(len(lost), 'day has', 'days have')} no results.",
        " ".join((incomplete_days(study), partly_quoted(study))).strip() or None,
        interpolated_sentence(study) or None,
        shared.framed(
            f"Days without results: the first {min(len(lost), LISTED)} of {len(lost):,}",
            lost.head(LISTED),
            {name: Column(name) for name in ("date", "status", "reason")},
        )
        if len(lost)
        else None,
    )


def _fit(study: Study) -> Section:
    years, above = statistics.fit_over_time(study), f"days_above_{RMSRE_AMBER:g}"
    worst = study.fitted.loc[study.fitted["rmsre"].idxmax()]
    return section(
        "fit",
        "Fit",
        f"The worst fit is that of {worst['date'].date()}: RMSRE {percent(worst['rmsre'])}, "
        f"largest residual {percent(worst['largest_residual'], 1, '+')} at "
        f"{worst['largest_residual_at']}.",
        "Next: compare that quote with its neighbours and with another source. `calibscope day` "
        "with this date shows the day alone.",
        drawn("rmsre_over_time", study),
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
        misfit_sentence(study) or None,
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
    )


def _leverage(study: Study) -> Section:
    profile = statistics.leverage_by_maturity(study).sort_values("median", ascending=False)
    first, second = (profile.iloc[k] for k in (0, min(1, len(profile) - 1)))
    near = USUAL.leverage_near_one
    dominance = statistics.boundary_dominance(study)
    every = dominance[(dominance["kind"] == "leverage") & (dominance["among"] == "all days")]
    tail = statistics.influence_by_maturity(study).sort_values("tail_share", ascending=False)
    return section(
        "leverage",
        "Leverage and influence",
        f"{first['label']} has the highest leverage (median {number(first['median'], '.2f')}, "
        f"above {near:g} "
        f"on {percent(first[f'share_above_{near:g}'], 0)} of "
        f"{counted(first['days'], 'day')} on which it is quoted), then "
        f"{second['label']} ({number(second['median'], '.2f')}).",
        "Leverage peaks at both ends of the maturities on "
        f"{percent(every['dominated'].iloc[0], 0)} of the days."
        if len(every)
        else None,
        f"Next: check {first['label']} before any other quote. The higher the leverage, the more "
        "an error of the quote goes into the parameters instead of its residual; "
        "`calibscope robustness` can calibrate without it.",
        drawn("leverage_by_maturity", study),
        shared.leverage_table(study),
        "Of the largest one per cent of all influence scores, "
        f"{percent(tail['tail_share'].iloc[0], 0)} belong to {tail['label'].iloc[0]}. "
        "The score mixes the units of the parameters; Cook's distance, in the store, does not.",
        drawn("influence_by_maturity", study),
        drawn("leverage_heat_map", study),
    )


def _identifiability(study: Study) -> Section:
    return section(
        "identifiability",
        "Identifiability",
        shared.edof_table(study),
        shared.switch_sentence(study),
        drawn("edof_over_time", study),
        shared.bound_table(study),
        "Next: on days with less than full EDoF, trust prices and the combinations that are "
        "determined, not single parameters; fix one of those that move together (setting "
        "calibration.fixed), or say which bound decided.",
        drawn("active_bounds_over_time", study),
        drawn("parameter_paths", study),
    )


def _uncertainty(study: Study) -> Section:
    newton = statistics.gauss_newton_adequacy(study).set_index("measure")
    return section(
        "uncertainty",
        "Uncertainty",
        *interval_blocks(study),
        *(drawn("fan_chart", study, name) for name in study.specs.names),
        "The paper's Gauss-Newton ratio has the median "
        f"{percent(newton.loc['gauss_newton_ratio', 'median'], 3)}; in the flattest direction "
        f"the error is {percent(newton.loc['gauss_newton_error', 'median'], 0)} in the median.",
    )


def _regimes(study: Study) -> Section:
    pca = statistics.parameter_pca(study)
    explained = pca.explained
    share = explained[explained.columns[-1]] if "share" not in explained else explained["share"]
    return section(
        "regimes",
        "Regimes",
        "The first two principal components of the parameters carry "
        f"{percent(share.iloc[:2].sum(), 0)} of their variance.",
        "Next: where a year leaves the others, do not average or extrapolate parameters across it; "
        "look at its bounds and EDoF first.",
        *((drawn(name, study) for name in BIPLOTS) if len(study.specs.names) > 1 else ()),
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


def _robustness(study: Study) -> Section:
    found = study.robustness
    if found.empty:
        return section(
            "robustness",
            "Robustness",
            "No variants were computed. `calibscope robustness ... --store` adds them.",
        )
    return section(
        "robustness",
        "Robustness",
        f"{counted(len(found) - 1, 'variant')}, computed on {found['days'].iloc[0]:,} of "
        f"{counted(len(study.fitted), 'day')}.",
        *robustness_blocks(found),
    )


def _appendix(study: Study) -> Section:
    runs = study.runs
    settings = json.loads(runs["settings"].iloc[-1]) if len(runs) else {}
    return section(
        "appendix",
        "Appendix: settings, versions, formulas, limits",
        _pairs("Versions and hashes", _provenance(study)),
        collapsible(
            "Settings",
            _pairs(
                "Settings",
                {
                    f"{part}.{name}": json.dumps(value)
                    for part, content in settings.items()
                    for name, value in content.items()
                },
            ),
        ),
        table(
            "Formulas, and the equations of the paper",
            ("quantity", "formula", "equation"),
            FORMULAS,
        ),
        _flags(study),
        *_correlations(study),
        *(text.format(strikes=strikes_sentence(study)) for text in LIMITS),
    )


def _correlations(study: Study) -> list[Block | str]:
    """The matrix behind the sentence on systematic misfit."""
    if not misfit_sentence(study):
        return []
    return [
        "Next: count quotes whose residuals are strongly correlated as one when you judge how much "
        "the market says; their errors have a common cause.",
        drawn("residual_correlations", study),
    ]


def _provenance(study: Study) -> dict[str, str]:
    """Versions and hashes of the newest run, and whether it is complete."""
    runs = study.runs
    if runs.empty:
        return {"store": study.path.name, "runs": "none"}
    last = runs.iloc[-1]
    ending = study.unfinished_run or f"The newest finished {last['finished']:%Y-%m-%d %H:%M} UTC."
    return {
        **json.loads(last["software"]),
        "store": study.path.name,
        "market (SHA-256)": last["market_hash"],
        **{f"{name} (SHA-256)": digest for name, digest in json.loads(last["inputs"]).items()},
        "settings of results (SHA-256)": last["settings_hash"],
        "runs": f"{len(runs):,}. {ending}",
    }


def _flags(study: Study) -> Table:
    thresholds = study.settings.diagnosis.thresholds
    return table(
        "Flags, and the days on which they are raised",
        ("flag", "meaning", COUNT),
        [(name, meaning(name, thresholds), int(study.fitted[name].sum())) for name in MEANINGS],
    )


def _pairs(caption: str, content: dict[str, Any]) -> Table:
    rows = [(name, str(value)) for name, value in content.items()]
    return table(caption, ("name", "value"), rows)
