"""Confidence intervals by the delta method; `intervals.py` has the formula."""

import numpy as np

from calibscope.base.arrays import Array, BoolArray, Indices
from calibscope.diagnosis.least_squares import LeastSquares
from calibscope.diagnosis.linear.identification import Identification
from calibscope.diagnosis.linear.intervals import Intervals, interval_ends, quantile
from calibscope.diagnosis.linear.uncertainty import Form, Noise
from calibscope.diagnosis.settings import DiagnosisSettings


def delta_intervals(
    problem: LeastSquares,
    known: Identification,
    standard_errors: Array,
    degrees_of_freedom: Indices,
    levels: Array,
    scale: Noise,
    form: Form,
    is_held: BoolArray,
    is_perfect: BoolArray,
    settings: DiagnosisSettings,
) -> Intervals:
    """Intervals of one fit, or of a stack of them, at one level or at several.

    Parameters
    ----------
    known : what the fit left open
    standard_errors : (p,) with this scale and form
    is_held : (p,) parameters held at bounds
    is_perfect : whether residuals are rounding
    settings : whether quantiles are normal, and parameters at a bound have intervals
    """
    if np.isnan(problem.values).any():
        raise ValueError("there are no parameter values; give values= to get intervals")
    effective_degrees = np.asarray(degrees_of_freedom)
    several = levels.reshape(
        levels.shape + (1,) * effective_degrees.ndim
    )  # before the days of a stack
    quantiles = quantile(several, scale, effective_degrees, settings.normal_quantiles)
    has_interval = problem.is_movable & ~is_held if settings.all_intervals else problem.is_free
    low, high, is_cut_low, is_cut_high, is_collapsed = interval_ends(
        problem, has_interval, known.shares, standard_errors, quantiles
    )
    return Intervals(
        problem.specs,
        float(levels) if levels.ndim == 0 else tuple(levels.tolist()),
        scale,
        form,
        problem.values,
        standard_errors,
        low,
        high,
        is_cut_low,
        is_cut_high,
        problem.at_bound,
        ~problem.is_movable,
        known.is_identified,
        is_collapsed if levels.ndim == 0 else np.asarray(is_collapsed.any(axis=0)),
        is_held,
        is_perfect,
        np.ones(low.shape, dtype=bool),
        np.full(low.shape, np.nan),
        np.zeros(low.shape, dtype=bool),
    )
