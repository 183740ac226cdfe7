"""Everything about a day as plain numbers, lists and words: what `calibscope day --json` prints.

What is not a number, or infinite, is null; flags say why.
"""

from dataclasses import asdict
from typing import Any, get_args

from calibscope.calibration.solution import Fit
from calibscope.diagnosis.diagnose import diagnose
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.diagnosis.flags import MEANINGS
from calibscope.diagnosis.linear.uncertainty import Form, Scale
from calibscope.diagnosis.settings import LEVELS, USUAL, DiagnosisSettings, Mode
from calibscope.market.maturity import label
from calibscope.report.plain import plain
from calibscope.report.refits.answers import RefitAnswers
from calibscope.report.refits.data import refits_as_data
from calibscope.study.diagnosed import diagnosed
from calibscope.study.metrics import METRICS, SCALES, metrics_of

# What a study keeps of a diagnosis, and what only the diagnosis of a single day has.
KEPT = tuple(one.name for one in METRICS if one.kind != "text" and hasattr(Diagnosis, one.name))
MORE = (
    "hat_matrix", "oblique_projector", "y_fitted", "singular_values", "sensitivity",
    "sensitivity_exact", "is_influence_doubtful", "dfbeta", "cooks_distance_exact", "multipliers",
    "multiplier_ratios", "is_held", "correlation", "correlation_exact",
)  # fmt: skip


def day_as_data(
    fit: Fit, thresholds: DiagnosisSettings = USUAL, refits: RefitAnswers | None = None
) -> dict[str, Any]:
    """A calibrated day: quotes, fit, evidence, the diagnosis in every mode, and refits."""
    day, evidence = fit.problem.day, fit.evidence
    other = evidence.plausible_fit
    every = {mode: diagnose(fit, mode, thresholds) for mode in get_args(Mode)}
    headline = _headline(every[thresholds.mode], refits)
    for dx in every.values():  # profiles do not depend on the mode
        dx.known_profiles.update(every[thresholds.mode].known_profiles)
    data = {
        "date": None if day.date is None else day.date.isoformat(),
        "model": fit.problem.model.name,
        "kind": day.kind,
        "notional": day.notional,
        "quotes": {
            "labels": list(day.labels),
            "maturities": [label(year) for year in day.maturities],
            "strikes": day.strikes,
            "market_prices": day.prices,
            "model_prices": fit.prices,
            "relative_errors": fit.residuals,
            "weights": fit.problem.weights,
        },
        "fit": {
            "parameters": _by_name(fit, fit.parameters.values),
            "lower": _by_name(fit, fit.problem.lower),
            "upper": _by_name(fit, fit.problem.upper),
            "at_bound": _by_name(fit, fit.at_bound.astype(int)),
            "rmsre": fit.rmsre,
            "status": fit.status.name,
            "status_in_words": fit.status.value,
            "solver": fit.solver,
            "is_converged": fit.is_converged,
            "is_identified": fit.is_identified,
        },
        "evidence": {
            "sentences": list(evidence.sentences),
            "is_plausible": evidence.is_plausible,
            "plausible_parameters": None if other is None else _by_name(fit, other.values),
            "near_optimal_low": _by_name(fit, evidence.near_optimal.low),
            "near_optimal_high": _by_name(fit, evidence.near_optimal.high),
        },
        "intervals": headline,
        "diagnosis": {mode: diagnosis_as_data(dx) for mode, dx in every.items()},
        "metrics": metrics_of(next(diagnosed([fit], settings=thresholds))[1]),
        "refits": None if refits is None else refits_as_data(refits),
    }
    return plain(data)  # type: ignore[no-any-return]


def diagnosis_as_data(dx: Diagnosis) -> dict[str, Any]:
    """All that a diagnosis can say."""
    data = {
        "mode": dx.mode,
        "summary": dx.summary,
        "flags": {name: getattr(dx.flags, name) for name in MEANINGS},
        "names": list(dx.problem.specs.names),
        "labels": dx.problem.labels,
        **{name: getattr(dx, name) for name in KEPT + MORE},
        "fisher_information": dx.fisher_information(),
        "fisher_information_exact": dx.fisher_information_exact(),
        "effective_degrees": {
            "scaled": dx.effective_degrees.scaled,
            "full": dx.effective_degrees.full,
            "strict": dx.effective_degrees.strict,
            "tikhonov": dx.effective_degrees.tikhonov,
            "tikhonov_lambda": dx.effective_degrees.tikhonov_lambda,
            "scaled_singular_values": dx.effective_degrees.scaled_singular_values,
            "tolerance": dx.settings.rank_tolerance,
        },
        "identification": {
            "is_identified": dx.identification.is_identified,
            "shares": dx.identification.shares,
            "combinations": list(dx.unidentified_combinations),
        },
        "covariance": {
            f"{scale}/{form}": dx.covariance(scale, form)
            for scale in SCALES
            for form in ("gauss_newton", "exact")
        },
        "intervals": {scale: _intervals(dx, scale, "gauss_newton") for scale in SCALES},
        "intervals_exact": {scale: _intervals(dx, scale, "exact") for scale in SCALES},
        "settings": asdict(dx.settings),
    }
    return plain(data)  # type: ignore[no-any-return]


def _headline(dx: Diagnosis, refits: RefitAnswers | None) -> dict[str, Any]:
    """The intervals that the page shows: by profile unless the settings say otherwise."""
    if refits is not None:
        dx.known_profiles.update(refits.dx.known_profiles)
    intervals = dx.intervals(LEVELS)
    names = ("low", "high", "is_cut_low", "is_cut_high", "second_minimum", "marks")
    found = {name: getattr(intervals, name) for name in names}
    return {"method": intervals.form, "levels": list(LEVELS), **found}


def _intervals(dx: Diagnosis, scale: Scale, form: Form) -> dict[str, Any]:
    """By the delta method, with marks where the profile is known."""
    intervals = dx.intervals(LEVELS, scale, form, method="delta")
    names = (
        "low", "high", "is_cut_low", "is_cut_high", "standard_errors", "is_contradicted", "marks",
    )  # fmt: skip
    return {"levels": list(LEVELS), **{name: getattr(intervals, name) for name in names}}


def _by_name(fit: Fit, values: Any) -> dict[str, Any]:
    return dict(zip(fit.problem.specs.names, values, strict=True))
