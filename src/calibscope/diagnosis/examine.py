"""`examine`: decompose a fit, or a batch of them, and put the diagnosis together."""

from typing import Any, Literal

import numpy as np

from calibscope.base.spelling import choose_from
from calibscope.diagnosis.flags import raise_flags
from calibscope.diagnosis.least_squares import LeastSquares
from calibscope.diagnosis.linear.bounds import active_bounds
from calibscope.diagnosis.linear.curvature import curvature
from calibscope.diagnosis.linear.deletion import deletion
from calibscope.diagnosis.linear.effective_degrees import EffectiveDegrees, tikhonov_edof
from calibscope.diagnosis.linear.geometry import column_lengths, geometries, rank
from calibscope.diagnosis.linear.identification import identification
from calibscope.diagnosis.linear.uncertainty import residual_scales
from calibscope.diagnosis.settings import MODES, DiagnosisSettings, Mode

Units = Literal["natural", "unit_columns"]


def examine(
    problem: LeastSquares, mode: Mode, settings: DiagnosisSettings, units: Units
) -> dict[str, Any]:
    """The parts of a `Diagnosis`, or of a `Batch` of fits, by name.

    Parameters
    ----------
    mode : which parameters are held fixed: at bounds that hold ("active"), none ("full", the
        paper's), or at any bound ("strict")
    units : in which the rank is judged: "natural" parameters (the paper's), or "unit_columns"
    """
    if mode not in MODES:
        raise ValueError(f"mode is {mode!r}; {choose_from(MODES, mode)}")
    A, e = problem.design, problem.weighted_residuals
    is_free, scale = problem.is_free, problem.coordinate_scale
    lengths, is_perfect = column_lengths(A), problem.is_perfect(settings.perfect)
    D = np.ones_like(scale) if units == "natural" else lengths
    tolerance = settings.rank_tolerance
    # What is not a number is flagged, and where it appears on the way it is meant.
    with np.errstate(divide="ignore", invalid="ignore"):
        # The exact Hessian and multipliers are ours, not the paper's: units must not decide there.
        free, apart = geometries(A, (is_free, is_free), tolerance, (D, lengths))
        bounds = active_bounds(problem, apart, is_perfect, settings.multiplier_errors)
        is_held = {"active": bounds.holds, "full": False, "strict": problem.at_bound != 0}[mode]
        is_own = problem.is_movable & ~np.asarray(is_held)
        own, scaled = geometries(
            A, (is_own, is_own), tolerance, (D, 1.0 / np.where(scale > 0, scale, 1.0))
        )
        regularised, penalty = tikhonov_edof(own.singular_values, settings.tikhonov)
        effective_degrees = EffectiveDegrees(
            own.rank,
            scaled.rank,
            own.rank if mode == "full" else rank(A, problem.is_movable, tolerance, D),
            free.rank,
            regularised,
            penalty,
            scaled.singular_values,
        )
        scales = residual_scales(
            e, own.leverage, problem.weights > 0, own.parameter_count, settings.forced_leverage
        )
        bending = curvature(
            problem.gram, problem.second_order, apart, own.is_active, settings.smallest_eigenvalue
        )
        # Residuals are those of the parameters at no bound; only full mode asks otherwise.
        left_out = deletion(
            problem, own if mode == "full" else free, bending, settings.forced_leverage
        )
        known = identification(own, scale, settings.unidentified_share)
        flags = raise_flags(
            problem,
            is_perfect,
            own,
            free,
            effective_degrees,
            scales,
            bending,
            known,
            left_out,
            settings,
        )
    return {
        "problem": problem,
        "geometry": own,
        "bounds": bounds,
        "effective_degrees": effective_degrees,
        "scales": scales,
        "curvature": bending,
        "identification": known,
        "deletion": left_out,
        "flags": flags,
        "mode": mode,
        "settings": settings,
    }
