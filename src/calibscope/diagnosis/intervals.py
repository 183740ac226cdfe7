r"""Confidence intervals of the parameters that respect what values they can have.

A parameter is transformed to a scale on which it is roughly normal, and back (paper, section on
transformations and the delta method):

.. math:: \eta^{-1}\bigl(\eta(\hat\theta) \pm q\,|\eta'(\hat\theta)|\,\hat{se}(\hat\theta)\bigr),
    \qquad \eta = \log,\ \mathrm{arctanh}\ \text{or the identity}.

q is the quantile of Student's t with m - p degrees of freedom for the scales `mse` and
`mad_adjusted`, of the normal distribution for the paper's `mad`. Intervals are cut at the bounds,
and say so. A parameter at a bound has no interval of its own: arctanh is infinite at 1, and
elsewhere the estimate cannot move both ways.

Where rank was lost, the pseudo-inverse gives the dropped directions no variance, and intervals
collapse. They are shown as the paper shows them, with a mark: "not identified" for the parameters
of `identification.py`, and "collapsed" for others whose interval is shorter than the way they go
when the dropped combination moves by one e-fold. Where the noise has no scale there is "no
interval", and where it is zero, a point with the mark "no noise".
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, stdtrit

from calibscope.base.arrays import Array, Indices, Marks
from calibscope.diagnosis.least_squares import LeastSquares, Words
from calibscope.diagnosis.uncertainty import Form, Scale

ROUNDING = 1e-8  # of a unit vector in the dropped span
BOUND_WORDS = {-1: "at the lower bound", 1: "at the upper bound"}
CUT_WORDS = {
    (False, False): "",
    (True, False): "cut at the lower bound",
    (False, True): "cut at the upper bound",
    (True, True): "cut at both bounds",
}


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """Intervals of all parameters; for several levels, these come first."""

    words: Words
    level: float | tuple[float, ...]
    scale: Scale
    form: Form
    values: Array  # (p,)
    standard_errors: Array  # (p,) of the parameters themselves
    low: Array  # (p,) or (levels, p); not a number at a bound
    high: Array
    is_cut_low: Marks  # whether a bound is nearer than the interval's own end
    is_cut_high: Marks
    at_bound: npt.NDArray[np.int64]  # (p,) -1 lower, 1 upper, else 0
    is_fixed: Marks  # (p,) fixed beforehand
    is_identified: Marks  # (p,)
    is_collapsed: Marks  # (p,) too short, because rank was lost

    @property
    def marks(self) -> tuple[str, ...]:
        """What must be said beside each parameter's interval; empty where there is nothing."""
        return tuple(self._mark(p) for p in range(len(self.words.names)))

    def _mark(self, p: int) -> str:
        said = []
        if self.is_fixed[p]:
            return "fixed"
        if self.at_bound[p]:
            said.append(BOUND_WORDS[int(self.at_bound[p])])
        elif np.isnan(self.low[..., p]).any():
            said.append("no interval")
        if not self.is_identified[p]:
            said.append("not identified")
        elif self.is_collapsed[p]:
            said.append("collapsed (rank lost)")
        elif (self.low[..., p] == self.high[..., p]).all():
            said.append("no noise")
        cut = bool(self.is_cut_low[..., p].any()), bool(self.is_cut_high[..., p].any())
        said.append(CUT_WORDS[cut])
        return ", ".join(word for word in said if word)

    def of(self, name: str) -> tuple[float | Array, float | Array]:
        """Low and high end of one parameter."""
        if name not in self.words.names:
            raise ValueError(f"{name!r} is no parameter; choose from {', '.join(self.words.names)}")
        p = self.words.names.index(name)
        low, high = self.low[..., p], self.high[..., p]
        return (low, high) if np.ndim(low) else (float(low), float(high))


def quantile(level: Array, scale: Scale, degrees_of_freedom: Indices) -> Array:
    """Two-sided quantile: Student's t for `mse` and `mad_adjusted`, normal for `mad`.

    Without a degree of freedom there is none: such residuals say nothing about the noise.
    """
    upper = 0.5 * (1.0 + level)
    student = stdtrit(np.maximum(degrees_of_freedom, 1), upper)
    return np.where(degrees_of_freedom > 0, ndtri(upper) if scale == "mad" else student, np.nan)


def checked_levels(level: float | Sequence[float]) -> Array:
    """Levels between 0 and 1."""
    levels = np.asarray(level, dtype=float)
    if levels.ndim > 1 or not levels.size or not ((levels > 0) & (levels < 1)).all():
        raise ValueError(f"level is {level!r}; give one or several between 0 and 1, such as 0.95")
    return levels


def ends(
    problem: LeastSquares, standard_errors: Array, quantiles: Array
) -> tuple[Array, Array, Marks, Marks]:
    """Low and high ends (..., p), and whether they were cut; the shape is that of the quantiles.

    Parameters
    ----------
    standard_errors : (..., p)
    quantiles : (..., 1) or broadcastable to (..., p)
    """
    values = problem.values
    inside = np.isfinite(values) & (problem.at_bound == 0) & problem.is_movable
    steps = quantiles * standard_errors
    low, high = np.empty(np.shape(steps)), np.empty(np.shape(steps))
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for transform, p in problem.words.alike:
            value, step = values[..., p], steps[..., p]
            if transform == "log":
                grown = np.exp(step / value)
                low[..., p], high[..., p] = value / grown, value * grown
            elif transform == "arctanh":
                centre, width = np.arctanh(value), step / (1.0 - value**2)
                low[..., p], high[..., p] = np.tanh(centre - width), np.tanh(centre + width)
            else:
                low[..., p], high[..., p] = value - step, value + step
    # Reached counts as cut: rounding lets tanh reach 1.
    is_cut_low = (low <= problem.lower) & np.isfinite(problem.lower)
    is_cut_high = (high >= problem.upper) & np.isfinite(problem.upper)
    low = np.where(inside, np.maximum(low, problem.lower), np.nan)
    high = np.where(inside, np.minimum(high, problem.upper), np.nan)
    return low, high, is_cut_low & inside, is_cut_high & inside


def collapsed(problem: LeastSquares, shares: Array, steps: Array) -> Marks:
    """(..., p) whether an interval is shorter than what the dropped directions leave open.

    Parameters
    ----------
    shares : (..., p) squared length of each unit vector in the dropped span, scaled coordinates
    steps : (..., p) half the interval, before transformation
    """
    with np.errstate(invalid="ignore"):
        lengths = np.maximum(steps / problem.coordinate_scale, ROUNDING)
        return np.asarray((np.sqrt(shares) > lengths) & problem.is_free)
