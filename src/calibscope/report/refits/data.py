"""Refits as plain numbers, lists and words: the key "refits" of `calibscope day --json`.

docs/terminal.md lists the keys.
"""

from typing import Any

import numpy as np

from calibscope.diagnosis.linear.bates_watts import BatesWatts, RelativeCurvature
from calibscope.report.plain import plain
from calibscope.report.refits.answers import RefitAnswers
from calibscope.report.refits.sentences import curvature_sentences


def refits_as_data(found: RefitAnswers) -> dict[str, Any]:
    """All of them."""
    data = {
        "leave_one_out": _left_out(found),
        "profiles": _profiles(found),
        "bootstrap": _bootstrap(found),
        "intervals": _intervals(found),
        "bates_watts": _bates_watts(found.bates_watts),
        "robust": {
            fit.loss: {
                "parameters": _by_name(found, fit.parameters),
                "robustness_weights": fit.robustness,
                "is_converged": fit.is_converged,
            }
            for fit in found.robust
        },
        "outliers": {
            "labels": found.outliers.labels,
            **found.outliers.frame().to_dict("list"),
        },
        "data_worth": {
            "labels": found.data_worth.labels,
            "method": found.data_worth.method,
            "variance_factors": found.data_worth.factors,
            "is_lost": np.isinf(found.data_worth.factors),
        },
        "consequences": _consequences(found),
    }
    return plain(data)  # type: ignore[no-any-return]


def _left_out(found: RefitAnswers) -> dict[str, Any]:
    left, shifts = found.leave_one_out, found.leave_one_out.shifts
    return {
        "labels": left.labels,
        "parameters": shifts.parameters,
        "shifts": shifts.refitted,
        "shifts_gauss_newton": shifts.gauss_newton,
        "shifts_exact_hessian": shifts.exact_hessian,
        "error_gauss_newton": shifts.error("gauss_newton"),
        "error_exact": shifts.error("exact"),
        "rms": left.rms,
        "press": left.press,
        "weighted_press": left.weighted_press,
        "is_elsewhere": shifts.is_elsewhere,
        "is_reproduced": found.is_reproduced,
        "marks": left.marks,
    }


def _profiles(found: RefitAnswers) -> dict[str, Any]:
    profiles = found.profiles
    names = ("values", "objectives", "low", "high", "is_cut_low", "is_cut_high", "is_connected")
    return {
        "levels": profiles.levels,
        "limits": profiles.limits,
        "lowest": profiles.lowest,
        "better": None if profiles.better is None else _by_name(found, profiles.better),
        "curves": {
            curve.name: {name: getattr(curve, name) for name in names} for curve in profiles.curves
        },
    }


def _bootstrap(found: RefitAnswers) -> dict[str, Any]:
    made = found.bootstrap
    return {
        "kind": made.kind,
        "scale": made.scale,
        "size": len(made.parameters),
        "seed": made.seed,
        "standard_errors": _by_name(found, made.standard_errors),
        "share_at_lower": _by_name(found, made.share_at_lower),
        "share_at_upper": _by_name(found, made.share_at_upper),
    }


def _intervals(found: RefitAnswers) -> dict[str, Any]:
    compared = found.intervals
    return {
        "level": compared.level,
        **{
            method: {
                "low": _by_name(found, compared.low[k]),
                "high": _by_name(found, compared.high[k]),
                "disagrees": _by_name(found, compared.disagrees[k]),
            }
            for k, method in enumerate(compared.methods)
        },
        "marks": _by_name(found, compared.marks),
    }


def _bates_watts(found: BatesWatts) -> dict[str, Any]:
    return {
        "level": found.level,
        "intrinsic": _curvature(found.intrinsic),
        "parameter_effects": _curvature(found.parameter_effects),
        "parameter_effects_scaled": _curvature(found.parameter_effects_scaled),
        "is_nearly_linear": found.is_nearly_linear,
        "mark": found.mark,
        "sentences": curvature_sentences(found),
    }


def _curvature(found: RelativeCurvature) -> dict[str, float]:
    return {"rms_at_level": found.rms_at_level, "maximum_at_level": found.maximum_at_level}


def _consequences(found: RefitAnswers) -> dict[str, Any] | None:
    made = found.consequences
    if made is None:
        return None
    return {
        "level": made.level,
        "factor": made.factor,
        "summary": made.summary,
        "quantities": made.labels,
        **made.frame().to_dict("list"),
    }


def _by_name(found: RefitAnswers, values: Any) -> dict[str, Any]:
    return dict(zip(found.dx.problem.specs.names, values, strict=True))
