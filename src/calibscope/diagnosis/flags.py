"""Flags: what is unpleasant about a fit, as named booleans. True means: look here.

The thresholds are those of `DiagnosisSettings`, which `MEANINGS` names in braces.
"""

from dataclasses import dataclass, fields

import numpy as np
from scipy.special import stdtrit

from calibscope.base.arrays import Array, BoolArray, Indices
from calibscope.base.numbers import Shown
from calibscope.diagnosis.least_squares import LeastSquares
from calibscope.diagnosis.linear.curvature import Curvature
from calibscope.diagnosis.linear.deletion import Deletion
from calibscope.diagnosis.linear.effective_degrees import EffectiveDegrees
from calibscope.diagnosis.linear.geometry import Geometry
from calibscope.diagnosis.linear.identification import Identification
from calibscope.diagnosis.linear.intervals import interval_ends, quantile
from calibscope.diagnosis.linear.optimality import is_held_in_vain, relative_offset
from calibscope.diagnosis.linear.uncertainty import Scales
from calibscope.diagnosis.settings import THRESHOLDS, DiagnosisSettings

MEANINGS = {
    "has_no_information": "every derivative is zero: the quotes determine nothing",
    "has_rank_loss": "EDoF is below the number of parameters",
    "edof_depends_on_units": "EDoF differs for logarithms of the parameters",
    "edof_depends_on_bounds": "EDoF differs without the parameters at active bounds",
    "edof_depends_on_tolerance": "Tikhonov's EDoF differs: some directions are nearly lost",
    "has_parameters_at_bound": "a parameter is at its bound",
    "has_unidentified_parameters": "a combination of parameters can move and nothing changes",
    "has_leverage_near_one": "one quote all but decides a direction (Noether condition in doubt)",
    "has_forced_quote": "a quote is met whatever it says; it has no studentised residual",
    "is_saturated": "no more quotes than parameters: intervals need a known noise (scale=0.003)",
    "lacks_robust_scale": "no scale mad_adjusted (one degree of freedom, or most residuals alike)",
    "is_perfect": "no residuals: every scale is zero, and intervals are points",
    "is_off_optimum": "the parameters could still explain residuals, inside the bounds",
    "has_masking": "few residuals set the scale mse: above {masking:g} times the scale mad",
    "has_large_residual": "an externally studentised residual is larger than chance allows",
    "has_influential_quote": "removing a quote would change the parameters substantially (Cook's "
    "distance above {cooks_distance:g}, with the exact Hessian where there is one)",
    "has_collapsed_intervals": "a delta interval is too short because rank was lost",
    "has_cut_intervals": "a delta interval reaches a bound",
    "lacks_second_derivatives": "no exact-Hessian forms",
    "has_strong_curvature": (
        "the linear approximation is more than {curvature:.0%} off in a flat direction"
    ),
    "has_indefinite_hessian": "not a strict minimum: the exact-Hessian forms are not numbers",
}


@dataclass(frozen=True, slots=True, eq=False)
class Flags:
    """What to look at, in the words of `MEANINGS`; `raised` lists the names that are true."""

    has_no_information: BoolArray
    has_rank_loss: BoolArray
    edof_depends_on_units: BoolArray
    edof_depends_on_bounds: BoolArray
    edof_depends_on_tolerance: BoolArray
    has_parameters_at_bound: BoolArray
    has_unidentified_parameters: BoolArray
    has_leverage_near_one: BoolArray
    has_forced_quote: BoolArray
    is_saturated: BoolArray
    lacks_robust_scale: BoolArray
    is_perfect: BoolArray
    is_off_optimum: BoolArray
    has_masking: BoolArray
    has_large_residual: BoolArray
    has_influential_quote: BoolArray
    has_collapsed_intervals: BoolArray
    has_cut_intervals: BoolArray
    lacks_second_derivatives: BoolArray
    has_strong_curvature: BoolArray
    has_indefinite_hessian: BoolArray

    @property
    def raised(self) -> tuple[str, ...]:
        """Names of the flags that are true, of one day."""
        return tuple(field.name for field in fields(self) if getattr(self, field.name))


def meaning(name: str, settings: DiagnosisSettings) -> str:
    """What a flag says, with its threshold."""
    thresholds = {name: Shown(getattr(settings, name)) for name in THRESHOLDS}
    return MEANINGS[name].format_map(thresholds)


def largest(values: Array) -> Array:
    """Largest absolute value of the last axis; what is not a number does not count."""
    return np.asarray(sizes(values).max(axis=-1))


def sizes(values: Array) -> Array:
    """Absolute values, zero for what is not a number."""
    return np.fmax(np.abs(values), 0.0)


def outlier_limit(degrees_of_freedom: Indices, count: Indices, probability: float) -> Array:
    r"""Externally studentised residual that chance exceeds on few days (Bonferroni).

    Not a number without a degree of freedom to spare.

    :math:`t_{m-p-1}(1 - \alpha/2m)` (Cook and Weisberg, 1982, section 2.2).
    """
    chance = 1.0 - 0.5 * probability / np.maximum(count, 1)
    return np.asarray(stdtrit(np.asarray(degrees_of_freedom) - 1, chance))


def raise_flags(
    problem: LeastSquares,
    is_perfect: BoolArray,
    own: Geometry,
    free: Geometry,
    effective_degrees: EffectiveDegrees,
    scales: Scales,
    curvature: Curvature,
    known: Identification,
    left_out: Deletion,
    settings: DiagnosisSettings,
) -> Flags:
    """Compare everything with its threshold.

    Parameters
    ----------
    is_perfect : whether residuals are rounding
    own, free : geometry of the diagnosis' mode, and on the parameters at no bound
    """
    e, degrees = problem.weighted_residuals, scales.degrees_of_freedom
    highest = own.leverage.max(axis=-1)
    has_noise = ~is_perfect
    outlying = outlier_limit(
        left_out.degrees_of_freedom, scales.count, settings.outlier_probability
    )
    quantiles = quantile(settings.level, "mse", degrees)
    _, _, is_cut_low, is_cut_high, is_collapsed = interval_ends(
        problem, problem.is_free, known.shares, own.deviations, scales.mse * quantiles
    )
    error = curvature.largest_eigenvalue
    return Flags(
        has_no_information=own.rank == 0,
        has_rank_loss=own.rank < own.parameter_count,
        edof_depends_on_units=effective_degrees.edof != effective_degrees.scaled,
        edof_depends_on_bounds=effective_degrees.full != effective_degrees.strict,
        edof_depends_on_tolerance=abs(effective_degrees.tikhonov - effective_degrees.edof)
        > settings.edof_disagreement,
        has_parameters_at_bound=_any(problem.at_bound != 0),
        has_unidentified_parameters=_any(~known.is_identified),
        has_leverage_near_one=highest > settings.leverage_near_one,
        has_forced_quote=highest >= settings.forced_leverage,
        is_saturated=degrees <= 0,
        lacks_robust_scale=~(scales.mad_adjusted > 0) & (degrees > 0) & has_noise,
        is_perfect=is_perfect,
        is_off_optimum=(
            (relative_offset(free.left, e) > settings.relative_offset)
            | is_held_in_vain(problem.design, e, problem.at_bound, settings.relative_offset)
        )
        & has_noise,
        has_masking=(scales.mse > settings.masking * scales.mad) & has_noise,
        has_large_residual=(largest(left_out.resid_studentized_external) > outlying) & has_noise,
        has_influential_quote=(largest(left_out.believed_distance) > settings.cooks_distance)
        & has_noise,
        has_collapsed_intervals=_any(is_collapsed),
        has_cut_intervals=_any(is_cut_low | is_cut_high),
        lacks_second_derivatives=np.isnan(error),
        has_strong_curvature=error > settings.curvature,
        has_indefinite_hessian=curvature.is_indefinite,
    )


def _any(marks: BoolArray) -> BoolArray:
    return np.asarray(marks.any(axis=-1))
