"""Everything about a day as plain numbers, lists and words: what `calibscope day --json` prints.

What is not a number, or infinite, is null; flags say why.
"""

from dataclasses import asdict
from typing import Any, get_args

from calibscope.calibration.solution import Fit
from calibscope.diagnosis.diagnose import USUAL, diagnose
from calibscope.diagnosis.diagnosis import Diagnosis, Mode
from calibscope.diagnosis.flags import MEANINGS
from calibscope.diagnosis.settings import DiagnosisSettings
from calibscope.diagnosis.uncertainty import Form, Scale
from calibscope.market.maturity import label
from calibscope.models.g2.parameters import PARAMETERS
from calibscope.report.exact.answers import ExactAnswers
from calibscope.report.exact.data import exact_as_data
from calibscope.report.plain import plain

LEVELS = (0.5, 0.75, 0.95)
SCALES: tuple[Scale, ...] = ("mad_adjusted", "mad", "mse")
NUMBERS = (
    "edof", "condition_number", "condition_number_exact", "relative_offset", "scale_mse",
    "scale_mad", "scale_mad_adjusted", "relative_bias", "gauss_newton_ratio", "gauss_newton_error",
)  # fmt: skip
ARRAYS = (
    "leverage", "hat_matrix", "oblique_projector", "y_fitted", "singular_values", "sensitivity",
    "sensitivity_exact", "influence", "influence_exact", "influence_score", "is_influence_doubtful",
    "dfbeta", "dfbetas", "dffits", "cooks_distance", "cooks_distance_exact",
    "resid_studentized_internal", "resid_studentized_external", "multipliers", "multiplier_ratios",
    "is_held", "fisher_information", "fisher_information_exact", "correlation",
    "correlation_exact",
)  # fmt: skip


def day_as_data(
    fit: Fit, thresholds: DiagnosisSettings = USUAL, exact: ExactAnswers | None = None
) -> dict[str, Any]:
    """A calibrated day: quotes, fit, evidence, the diagnosis in every mode, and exact answers."""
    day, evidence = fit.problem.day, fit.evidence
    other = evidence.plausible_fit
    data = {
        "date": None if day.date is None else day.date.isoformat(),
        "kind": day.kind,
        "notional": day.notional,
        "quotes": {
            "maturities": [label(year) for year in day.maturities],
            "strikes": day.strikes,
            "market_prices": day.prices,
            "model_prices": fit.prices,
            "relative_errors": fit.residuals,
            "weights": fit.problem.weights,
        },
        "fit": {
            "parameters": _by_name(fit.parameters.values),
            "lower": _by_name(fit.problem.lower),
            "upper": _by_name(fit.problem.upper),
            "at_bound": _by_name(fit.at_bound.astype(int)),
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
            "plausible_parameters": None if other is None else _by_name(other.values),
            "valley_low": _by_name(evidence.valley.low),
            "valley_high": _by_name(evidence.valley.high),
        },
        "diagnosis": {
            mode: diagnosis_as_data(diagnose(fit, mode, thresholds)) for mode in get_args(Mode)
        },
        "exact": None if exact is None else exact_as_data(exact),
    }
    return plain(data)  # type: ignore[no-any-return]


def diagnosis_as_data(dx: Diagnosis) -> dict[str, Any]:
    """All that a diagnosis can say."""
    data = {
        "mode": dx.mode,
        "reading": dx.reading,
        "flags": {name: getattr(dx.flags, name) for name in MEANINGS},
        "names": list(dx.problem.words.names),
        "labels": dx.problem.labels,
        **{name: getattr(dx, name) for name in NUMBERS + ARRAYS},
        "freedom": {
            "scaled": dx.freedom.scaled,
            "full": dx.freedom.full,
            "strict": dx.freedom.strict,
            "tikhonov": dx.freedom.tikhonov,
            "tikhonov_lambda": dx.freedom.tikhonov_lambda,
            "scaled_singular_values": dx.freedom.scaled_singular_values,
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


def _intervals(dx: Diagnosis, scale: Scale, form: Form) -> dict[str, Any]:
    intervals = dx.intervals(LEVELS, scale, form)
    names = ("low", "high", "is_cut_low", "is_cut_high", "standard_errors", "marks")
    return {"levels": list(LEVELS), **{name: getattr(intervals, name) for name in names}}


def _by_name(values: Any) -> dict[str, Any]:
    return dict(zip(PARAMETERS, values, strict=True))
