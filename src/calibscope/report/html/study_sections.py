"""What the report of a study says: every sentence is made of the numbers beside it."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd

from calibscope.diagnosis.flags import MEANINGS
from calibscope.diagnosis.settings import USUAL
from calibscope.report.figures.active_bounds_over_time import active_bounds_over_time
from calibscope.report.figures.edof_over_time import edof_over_time
from calibscope.report.figures.fan_chart import fan_chart
from calibscope.report.figures.influence_by_maturity import influence_by_maturity
from calibscope.report.figures.leverage_by_maturity import leverage_by_maturity
from calibscope.report.figures.leverage_heat_map import leverage_heat_map
from calibscope.report.figures.parameter_biplot import parameter_biplot
from calibscope.report.figures.parameter_biplot_by_year import parameter_biplot_by_year
from calibscope.report.figures.parameter_paths import parameter_paths
from calibscope.report.figures.rag_calendar import rag_calendar
from calibscope.report.figures.reference_table import reference_table
from calibscope.report.figures.residual_heat_map import residual_heat_map
from calibscope.report.figures.rmsre_over_time import rmsre_over_time
from calibscope.report.html.blocks import Figure, Section, all_made, section, table
from calibscope.report.html.study_refits import refit_blocks
from calibscope.study import statistics
from calibscope.study.model import PARAMETERS
from calibscope.study.study import Study
from calibscope.study.usual_limits import RMSRE_AMBER

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
    f"Where Gauss-Newton is more than {100 * USUAL.curvature:g} % off, the exact-Hessian forms "
    "should be read.",
    "One curve discounts and forwards; caps are at the money; the weights are fixed by the quotes.",
    "An interval that collapsed because rank was lost is not precise. It is marked wherever it is "
    "shown.",
)


def sections_of(study: Study, progress: Callable[[int, int], None]) -> list[Section]:
    """All sections of the report, in the order of reading."""
    of_results = (_fit, _leverage, _identifiability, _uncertainty, _regimes)
    chosen = of_results if len(study.fitted) else ()
    makers = [_summary, _data, *chosen, _robustness, _appendix]
    return all_made([partial(make, study) for make in makers], progress)


def _summary(study: Study) -> Section:
    days, fitted, ratings = study.days, study.fitted, study.rag
    counts = ratings["rag"].value_counts()
    red = ratings[(ratings["rag"] == "red") & days["rmsre"].notna()]
    unknown = counts.get("red", 0) - len(red)
    rated = {**counts, "red": len(red)}
    texts = [
        study.unfinished_run or None,
        f"{len(days):,} days from {days['date'].iloc[0].date()} to {days['date'].iloc[-1].date()}: "
        f"{len(fitted):,} have results, {len(days) - len(fitted):,} have none."
        if len(days)
        else "The study has no days.",
        ", ".join(f"{rated.get(name, 0):,} days are {name}" for name in ("green", "amber", "red"))
        + (f"; {unknown:,} more have no results" if unknown else "")
        + ". The status says whether a person should look, not whether a number is right.",
    ]
    if len(fitted):
        rmsre = fitted["rmsre"]
        full = float((fitted["lost_directions"] == 0).mean())
        held = float(fitted["has_parameters_at_bound"].mean())
        texts.append(
            f"The median RMSRE is {rmsre.median():.2%}, the highest {rmsre.max():.2%}. The quotes "
            f"determine all parameters on {full:.0%} of the days, and a parameter is at a bound on "
            f"{held:.0%}."
        )
    return section(
        "summary",
        "Summary",
        *texts,
        Figure(rag_calendar(study)) if len(days) else None,
        table("Reference dates", reference_table(study)) if len(fitted) else None,
        _red_days(study, red),
        *refit_blocks(study),
    )


def _red_days(study: Study, red: pd.DataFrame) -> Any:
    if red.empty:
        return "No day with results is red."
    looks = study.challenger_fits
    without = looks[looks["variant"] == "without"].set_index("date")
    rows = [
        {
            "date": str(day.date.date()),
            "why": day.reasons,
            **_look(without, day.date, study.estimates),
        }
        for day in red.tail(LISTED).itertuples()
    ]
    caption = f"Days that need review: the last {len(rows)} of {len(red):,} red ones"
    return table(caption, pd.DataFrame(rows))


def _look(without: pd.DataFrame, date: pd.Timestamp, estimates: pd.DataFrame) -> dict[str, str]:
    """What the challenger fits of this day found."""
    if date not in without.index:
        return {"calibrated without": "", "RMSRE then": "", "moves most": ""}
    look = without.loc[date]
    name = str(look["largest_shift_of"])
    return {
        "calibrated without": f"{look['maturity']:g}Y",
        "RMSRE then": f"{look['rmsre']:.2%}",
        "moves most": f"{name}: {estimates.loc[date, name]:.3g} to {look[name]:.3g}",
    }


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
        f"The checks warned about {warned:,} days, and {len(lost):,} days have no results.",
        table(
            f"Days without results: the first {min(len(lost), LISTED)} of {len(lost):,}",
            pd.DataFrame(
                {
                    "date": lost["date"].dt.strftime("%Y-%m-%d"),
                    "status": lost["status"],
                    "reason": lost["reason"],
                }
            ).head(LISTED),
        )
        if len(lost)
        else None,
    )


def _fit(study: Study) -> Section:
    years = statistics.fit_over_time(study)
    worst = study.fitted.loc[study.fitted["rmsre"].idxmax()]
    return section(
        "fit",
        "Fit",
        f"The worst fit is that of {worst['date'].date()}: RMSRE {worst['rmsre']:.2%}, largest "
        f"residual {worst['largest_residual']:+.1%} at {worst['largest_residual_at']}.",
        "Next: compare that quote with its neighbours and with another source. `calibscope day` "
        "with this date shows the day alone.",
        Figure(rmsre_over_time(study)),
        table(
            "RMSRE by year",
            pd.DataFrame(
                {
                    "year": years["period"],
                    "days": years["days"].map("{:,}".format),
                    **{
                        name: years[column].map("{:.2%}".format)
                        for name, column in (
                            ("5 %", "q05"), ("median", "median"), ("95 %", "q95"), ("max", "max"),
                        )
                    },
                    f"days above {100 * RMSRE_AMBER:g} %":
                        years[f"days_above_{RMSRE_AMBER:g}"].map("{:,}".format),
                }
            ),
        ),
        Figure(residual_heat_map(study)),
    )  # fmt: skip


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
        f"{first['label']} has the highest leverage (median {first['median']:.2f}, above "
        f"{near:g} on {first[f'share_above_{near:g}']:.0%} of the days), then {second['label']} "
        f"({second['median']:.2f}).",
        f"Leverage peaks at both ends of the maturities on {every['dominated'].iloc[0]:.0%} of the "
        "days."
        if len(every)
        else None,
        f"Next: check {first['label']} before any other quote. The higher the leverage, the more "
        "an error of the quote goes into the parameters instead of its residual; "
        "`calibscope robustness` can calibrate without it.",
        Figure(leverage_by_maturity(study)),
        f"Of the largest one per cent of all influence scores, {tail['tail_share'].iloc[0]:.0%} "
        f"belong to {tail['label'].iloc[0]}. The score mixes the units of the parameters; Cook's "
        "distance, in the store, does not.",
        Figure(influence_by_maturity(study)),
        Figure(leverage_heat_map(study)),
    )


def _identifiability(study: Study) -> Section:
    levels = statistics.edof_levels(study)
    own = levels[levels["variant"] == "edof"]
    shares = ", ".join(f"{row.level:.0f} on {row.share:.0%}" for row in own.itertuples())
    switches = statistics.edof_switches(study)
    active = statistics.active_constraints(study)
    held = active[active["exact"] > 0].sort_values("exact", ascending=False)
    return section(
        "identifiability",
        "Identifiability",
        f"EDoF is {shares} of the days. It switches {int(switches['switches'].sum()):,} times from "
        "one day to the next.",
        Figure(edof_over_time(study)),
        "Shares of days at a bound: "
        + "; ".join(
            f"{row.parameter} = {row.bound:g} on {_share(row.exact)}" for row in held.itertuples()
        )
        + "."
        if len(held)
        else "No parameter is at a bound.",
        "Next: on days with less than full EDoF, trust prices and the combinations that are "
        "determined, not single parameters; fix one of those that move together (setting "
        "calibration.fixed), or say which bound decided.",
        Figure(active_bounds_over_time(study)),
        Figure(parameter_paths(study)),
    )


def _uncertainty(study: Study) -> Section:
    shares = statistics.interval_shares(study)
    level = shares["level"].max()
    ours = shares[(shares["scale"] == "mad_adjusted") & (shares["level"] == level)]
    newton = statistics.gauss_newton_adequacy(study).set_index("measure")
    return section(
        "uncertainty",
        "Uncertainty",
        f"On these shares of days an interval at {level:.0%} (mad_adjusted) is uninformative.",
        "Next: give no interval for a parameter on such days. The near-optimal set on a day's page "
        "(`calibscope day --html`) says how far it can go while the fit stays almost as good.",
        table(
            "Uninformative intervals, share of days",
            pd.DataFrame(
                {
                    "parameter": ours["parameter"],
                    "none (at a bound)": ours["no_interval"].map("{:.1%}".format),
                    "collapsed (rank lost)": ours["collapsed"].map("{:.1%}".format),
                    "full range": ours["full_range"].map("{:.1%}".format),
                    "not identified": ours["not_identified"].map("{:.1%}".format),
                }
            ),
        ),
        *(Figure(fan_chart(study, name)) for name in PARAMETERS),
        "The paper's Gauss-Newton ratio has the median "
        f"{newton.loc['gauss_newton_ratio', 'median']:.3%}; in the flattest direction the error is "
        f"{newton.loc['gauss_newton_error', 'median']:.0%} in the median.",
    )


def _regimes(study: Study) -> Section:
    pca = statistics.parameter_pca(study)
    explained = pca.explained
    share = explained[explained.columns[-1]] if "share" not in explained else explained["share"]
    years = statistics.regime_summary(study)
    return section(
        "regimes",
        "Regimes",
        f"The first two principal components of the parameters carry {share.iloc[:2].sum():.0%} of "
        "their variance.",
        "Next: where a year leaves the others, do not average or extrapolate parameters across it; "
        "look at its bounds and EDoF first.",
        Figure(parameter_biplot(study)),
        Figure(parameter_biplot_by_year(study)),
        table(
            "What moved, by year",
            pd.DataFrame(
                {
                    "year": years["period"],
                    "days": years["days"].map("{:,}".format),
                    "RMSRE": years["rmsre_median"].map("{:.2%}".format),
                    **{f"{name} (median)": years[f"{name}_median"].map("{:.3g}".format)
                       for name in PARAMETERS},
                    "full EDoF": years["edof_full"].map("{:.0%}".format),
                    "EDoF switches": years["edof_switches"].map("{:,}".format),
                    "at a bound": years["at_bound"].map("{:.0%}".format),
                }
            ),
        ),
    )  # fmt: skip


def _share(share: float) -> str:
    """A share of days, of which a small one is not none."""
    return "less than 0.1%" if 0 < share < 0.001 else f"{share:.1%}"


def _robustness(study: Study) -> Section:
    found = study.robustness
    if found.empty:
        return section(
            "robustness",
            "Robustness",
            "No variants were computed. `calibscope robustness ... --store` adds them.",
        )
    worst = found.iloc[1:].sort_values("moved", ascending=False).iloc[:1]
    return section(
        "robustness",
        "Robustness",
        f"{len(found) - 1} variants, computed on {found['days'].iloc[0]:,} of "
        f"{len(study.fitted):,} days.",
        *(
            f"The variant that moves the parameters most often is {row.variant!r}: on "
            f"{row.moved:.0%} of these days."
            for row in worst.itertuples()
        ),
        table(
            "The same days calibrated in other ways",
            pd.DataFrame(
                {
                    "variant": found["variant"],
                    "RMSRE (median)": found["rmsre"].map("{:.2%}".format),
                    "optimum missed": found["worse"].map("{:.0%}".format).replace("nan%", ""),
                    "parameters moved": found["moved"].map("{:.0%}".format),
                    "leverage, short end": found["short_end"].map("{:.0%}".format),
                    "long end": found["long_end"].map("{:.0%}".format),
                    "EDoF 5": found["edof_5"].map("{:.0%}".format),
                    "EDoF 4": found["edof_4"].map("{:.0%}".format),
                    "3 or less": found["edof_3_or_less"].map("{:.0%}".format),
                }
            ),
        ),
    )


def _appendix(study: Study) -> Section:
    runs = study.runs
    settings = json.loads(runs["settings"].iloc[-1]) if len(runs) else {}
    return section(
        "appendix",
        "Appendix: settings, versions, formulas, limits",
        table("Versions and hashes", _pairs(_provenance(study))),
        table(
            "Settings",
            _pairs(
                {
                    f"{part}.{name}": json.dumps(value)
                    for part, content in settings.items()
                    for name, value in content.items()
                }
            ),
        ),
        table(
            "Formulas, and the equations of the paper",
            pd.DataFrame(FORMULAS, columns=["quantity", "formula", "equation"]),
        ),
        table("Flags, and the days on which they are raised", _flags(study)),
        *LIMITS,
    )


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


def _flags(study: Study) -> pd.DataFrame:
    thresholds = study.settings.diagnosis.model_dump()
    return pd.DataFrame(
        {
            "flag": list(MEANINGS),
            "meaning": [text.format_map(thresholds) for text in MEANINGS.values()],
            "days": [f"{int(study.fitted[name].sum()):,}" for name in MEANINGS],
        }
    )


def _pairs(content: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame({"name": list(content), "value": list(map(str, content.values()))})
