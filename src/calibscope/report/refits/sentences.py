"""Sentences on refits, for the terminal and for pages."""

import numpy as np

from calibscope.base.numbers import PERCENT, number, percent
from calibscope.diagnosis.linear.bates_watts import (
    MAXIMUM_LIMIT,
    RMS_LIMIT,
    BatesWatts,
    RelativeCurvature,
)
from calibscope.diagnosis.linear.data_worth import DataWorth
from calibscope.diagnosis.refit.comparison import IntervalComparison
from calibscope.diagnosis.refit.leave_one_out import LeaveOneOut
from calibscope.diagnosis.refit.profile import Profiles
from calibscope.diagnosis.refit.robust import Robust

NAMED = 3  # quotes a parameter depends on
NOT_REPRODUCED = (
    "The same quotes, fitted again by the global search, are met better: the fit is not the best "
    "one, and every shift below includes that gap."
)


def left_out_sentence(found: LeaveOneOut) -> str:
    """Whose absence moves the parameters most, and how often first order predicted it."""
    shifts, asked = found.shifts, np.isfinite(found.rms)
    if not asked.any():
        return "No quote can be left out."
    sizes = np.abs(shifts.refitted / shifts.scale).max(axis=1)
    k = int(np.nanargmax(np.where(asked, sizes, np.nan)))
    good = int((shifts.is_predicted & asked).sum())
    return (
        f"Parameters move furthest without {found.labels[k]}: {shift_text(found, k)}. The exact "
        f"Hessian predicted {good} of {int(asked.sum())} moves to within a quarter."
    )


def shift_text(found: LeaveOneOut, k: int) -> str:
    """The parameter that moves furthest without a quote, from where and to where."""
    shifts, p = found.shifts, int(found.shifts.moves_most[k])
    if np.isnan(found.rms[k]):
        return "-"
    return (
        f"{shifts.specs.names[p]} {number(shifts.values[p])} to {number(shifts.parameters[k, p])}"
    )


def comparison_sentence(found: IntervalComparison) -> str:
    """Whether it matters how intervals are made."""
    apart = [name for name, is_apart in zip(found.names, found.has_disagreement, strict=True)
             if is_apart]  # fmt: skip
    if not apart:
        return "All methods agree: any interval will do."
    which = "all parameters" if len(apart) == len(found.names) else ", ".join(apart)
    return (
        f"The methods disagree on {which}: an end differs by more than a quarter of "
        "the profile's interval, or is missing. Believe the profile; it follows the fit itself."
    )


def better_sentence(found: Profiles) -> str:
    """That the profiles came across a better fit, if they did; else nothing."""
    if found.better is None:
        return ""
    names = found.problem.specs.names
    where = ", ".join(
        f"{name} {number(x, '.4g')}" for name, x in zip(names, found.better, strict=True)
    )
    return f"The profiles came across a better fit, with {where}: the calibration missed it."


def curvature_sentences(found: BatesWatts) -> tuple[str, str]:
    """Both curvatures against their limits, and what they mean."""
    numbers = (
        f"Curvature over the {percent(found.level, 0)} region (Bates and Watts), root mean square "
        f"and largest, to be compared with {RMS_LIMIT:g} and {MAXIMUM_LIMIT:g}: intrinsic "
        f"{_both(found.intrinsic)}; parameter effects {_both(found.parameter_effects_scaled)}"
        f"{f' ({found.mark})' if found.mark else ''}."
    )
    if found.is_nearly_linear:
        return numbers, "The fit is nearly linear: away from bounds, delta intervals hold."
    if found.has_strong_intrinsic:
        return numbers, (
            "The model itself is curved within the region, in any coordinates: read profiles, "
            "not delta intervals."
        )
    if found.has_strong_parameter_effects:
        return numbers, (
            "The model is nearly flat, but the parameters move unevenly on it: read profiles, not "
            "delta intervals."
        )
    return numbers, "How far the fit is from linear is not known."


def _both(found: RelativeCurvature) -> str:
    if np.isnan(found.rms_at_level):
        return "unknown"
    return f"{number(found.rms_at_level)} and {number(found.maximum_at_level)}"


def robust_sentence(found: tuple[Robust, ...]) -> str:
    """How far robust fits move the parameters."""
    if any(np.isnan(fit.parameters).any() for fit in found):
        return "There is no scale of the noise, so there are no robust fits."
    moves = [np.abs(fit.shift / np.where(fit.values != 0, fit.values, 1.0)).max() for fit in found]
    text = " and ".join(
        f"{PERCENT.text(move, '.2g')} with {fit.loss.capitalize()}'s loss"
        for move, fit in zip(moves, found, strict=True)
    )
    return f"Where large errors count for less, a parameter moves by at most {text}."


def worth_rows(found: DataWorth) -> list[tuple[str, str]]:
    """Each parameter with the quotes that its precision depends on most."""
    return [(name, _worth(found, p)) for p, name in enumerate(found.specs.names)]


def _worth(found: DataWorth, p: int) -> str:
    factors = found.factors[:, p]
    if np.isnan(factors).all():
        return "held, or not identified with all quotes"
    first = np.argsort(-np.nan_to_num(factors, posinf=np.inf), stable=True)[:NAMED]
    return ", ".join(f"{found.labels[k]} {_factor(factors[k])}" for k in first)


def _factor(factor: float) -> str:
    return "(not identified without it)" if np.isinf(factor) else f"(x {number(factor)})"
