"""`examine`: decompose a fit, or a stack of them, and put the diagnosis together."""

from typing import Literal

import numpy as np

from calibscope.diagnosis.curvature import curvature
from calibscope.diagnosis.deletion import deletion
from calibscope.diagnosis.diagnosis import Diagnosis, Mode
from calibscope.diagnosis.flags import raise_flags
from calibscope.diagnosis.freedom import Freedom, tikhonov_edof
from calibscope.diagnosis.geometry import column_lengths, geometries
from calibscope.diagnosis.identification import identification
from calibscope.diagnosis.least_squares import LeastSquares
from calibscope.diagnosis.settings import DiagnosisSettings
from calibscope.diagnosis.uncertainty import residual_scales

Units = Literal["natural", "unit_columns"]


def examine(
    problem: LeastSquares, mode: Mode, settings: DiagnosisSettings, units: Units
) -> Diagnosis:
    """Diagnose a fit, or a stack of them.

    Parameters
    ----------
    mode : "full" (the paper's), or "strict", which holds parameters at active bounds fixed
    units : in which the rank is judged: "natural" parameters (the paper's), or "unit_columns"
    """
    if mode not in ("full", "strict"):
        raise ValueError(f"mode is {mode!r}; choose from full, strict")
    A, e = problem.design, problem.weighted_residuals
    is_free, scale = problem.is_free, problem.coordinate_scale
    is_own = problem.is_movable if mode == "full" else is_free
    lengths = column_lengths(A)
    D = np.ones_like(scale) if units == "natural" else lengths
    # What is not a number is flagged, and where it appears on the way it is meant.
    with np.errstate(divide="ignore", invalid="ignore"):
        # The exact Hessian is ours, not the paper's: units must not decide what it leaves out.
        own, free, apart, scaled = geometries(
            A,
            (is_own, is_free, is_free, is_own),
            settings.rank_tolerance,
            (D, D, lengths, 1.0 / np.where(scale > 0, scale, 1.0)),
        )
        ridge, penalty = tikhonov_edof(own.singular_values, settings.tikhonov)
        freedom = Freedom(own.rank, scaled.rank, free.rank, ridge, penalty, scaled.singular_values)
        scales = residual_scales(
            e, own.leverage, problem.weights > 0, own.parameter_count, settings.forced_leverage
        )
        left_out = deletion(e, own, scales.degrees_of_freedom, settings.forced_leverage)
        bending = curvature(
            problem.gram, problem.bend, apart, own.is_active, settings.smallest_eigenvalue
        )
        known = identification(own, scale, settings.unidentified_share)
        flags = raise_flags(problem, own, free, freedom, scales, bending, known, left_out, settings)
    return Diagnosis(problem, own, freedom, scales, bending, known, left_out, flags, mode, settings)
