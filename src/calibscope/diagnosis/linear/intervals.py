r"""Confidence intervals of the parameters that respect what values they can have.

A parameter is transformed to a scale on which it is roughly normal, and back (paper, section on
transformations and the delta method):

.. math:: \eta^{-1}\bigl(\eta(\hat\theta) \pm q\,|\eta'(\hat\theta)|\,\hat{se}(\hat\theta)\bigr),
    \qquad \eta = \log,\ \mathrm{arctanh}\ \text{or the identity}.

q is the quantile of Student's t with m - p degrees of freedom for the scales `mse` and
`mad_adjusted`, of the normal distribution for the paper's `mad`, for noise that is known, and under
`normal_quantiles`. Intervals are cut at the bounds, and say so. A parameter at a bound has no
interval of its own: arctanh is infinite at 1, and elsewhere the estimate cannot move both ways.
(With `all_intervals` it has the formula's, unless it is held; at a correlation of 1 that is the
limit, from -1 to 1.) Where the mode holds such a parameter, the intervals of the others are
conditional, "given" it; they leave out its uncertainty, and are too short if it is at its bound by
chance. Profiles have neither fault.

Where rank was lost, the pseudo-inverse gives the dropped directions no variance, and intervals
collapse. They are shown as the paper shows them, with a mark: "not identified" for the parameters
of `identification.py`, and "collapsed" for others whose interval is shorter than the way they go
when the dropped combination moves by one e-fold. Where the noise has no scale there is "no
interval", and where residuals are rounding, the mark "no noise": such an interval is a point, or
nearly one, and measures the solver's last step.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, stdtrit

from calibscope.base.arrays import Array, ArrayLike, BoolArray, Indices
from calibscope.base.compiled import compiled, compiled_for_stacks
from calibscope.base.numbers import number
from calibscope.base.parameters import ARCTANH, LOG, Specs
from calibscope.diagnosis.least_squares import LeastSquares
from calibscope.diagnosis.linear.uncertainty import Form, Noise, is_known

ROUNDING = 1e-8  # of a unit vector in the dropped span
NOISELESS = 1e-10  # length of an interval over its larger end: below, it is a point
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

    specs: Specs
    level: float | tuple[float, ...]
    scale: Noise | None  # of the noise; None where none was needed
    form: Form | Literal["bootstrap", "profile"]
    values: Array  # (p,)
    standard_errors: Array  # (p,) of the parameters themselves; not a number in a profile
    low: Array  # (p,) or (levels, p); not a number at a bound
    high: Array
    is_cut_low: BoolArray  # whether a bound is nearer than the interval's own end
    is_cut_high: BoolArray
    at_bound: npt.NDArray[np.int64]  # (p,) -1 lower, 1 upper, else 0
    is_fixed: BoolArray  # (p,) fixed beforehand
    is_identified: BoolArray  # (p,)
    is_collapsed: BoolArray  # (p,) too short, because rank was lost
    is_held: BoolArray  # (p,) held at a bound, so that the others' intervals are conditional
    is_perfect: BoolArray  # residuals are rounding: there is no noise
    is_connected: BoolArray  # as low: every value between the ends belongs, as far as is known
    second_minimum: Array  # as low: at another local minimum inside; not a number: none known
    is_contradicted: BoolArray  # as low: a profile is known, and has other ends

    @property
    def marks(self) -> tuple[str, ...]:
        """What must be said beside each parameter's interval; empty where there is nothing."""
        return tuple(self._mark(p) for p in range(len(self.specs.names)))

    def _mark(self, p: int) -> str:
        said = []
        if self.is_fixed[p]:
            return "fixed"
        if self.at_bound[p]:
            said.append(BOUND_WORDS[int(self.at_bound[p])])
            if np.isnan(self.low[..., p]).any():
                said.append("no interval" if self.form == "profile" else "no delta interval")
        elif np.isnan(self.low[..., p]).any():
            said.append("no interval")
        if not self.is_identified[p]:
            said.append("not identified")
        elif self.is_collapsed[p]:
            said.append("collapsed (rank lost)")
        elif not np.isnan(self.low[..., p]).any() and self._has_no_noise(p):
            said.append("no noise")
        cut = bool(self.is_cut_low[..., p].any()), bool(self.is_cut_high[..., p].any())
        said.append(CUT_WORDS[cut])
        if self.is_held.any() and not self.at_bound[p]:
            names = [self.specs.names[q] for q in np.flatnonzero(self.is_held)]
            said.append(f"given {' and '.join(names)}")
        if not self.is_connected[..., p].all():
            said.append("with a gap")
        if (second := np.unique(self.second_minimum[..., p])).size and not np.isnan(second[0]):
            said.append(f"second minimum at {number(second[0])}")
        if self.is_contradicted[..., p].any():
            said.append("contradicted by the profile")
        return ", ".join(word for word in said if word)

    def _has_no_noise(self, p: int) -> bool:
        if is_known(self.scale):  # residuals do not matter
            return False
        return bool(self.is_perfect) or bool(is_point(self.low[..., p], self.high[..., p]).all())

    def at(self, level: float | tuple[float, ...]) -> "Intervals":
        """The intervals of one of several levels, or of some in another order.

        Parameters
        ----------
        level : one or some of those that were computed

        Returns
        -------
        Intervals
            without the other levels
        """
        known = np.asarray(self.level).tolist()
        wanted = [known.index(one) for one in np.atleast_1d(level).tolist()]
        place = wanted if np.ndim(level) else wanted[0]
        ends = (
            "low", "high", "is_cut_low", "is_cut_high", "is_connected", "second_minimum",
            "is_contradicted",
        )  # fmt: skip
        return replace(self, level=level, **{name: getattr(self, name)[place] for name in ends})

    def of(self, name: str) -> tuple[float | Array, float | Array]:
        r"""Low and high end of one parameter.

        The two ends of :math:`\eta^{-1}(\eta(\theta) \pm q\,|\eta'|\,se)` or of another method
        (paper, section on the delta method).

        Parameters
        ----------
        name : of a parameter

        Returns
        -------
        tuple[float | Array, float | Array]
            numbers, or one per level
        """
        p = self.specs.place(name)
        low, high = self.low[..., p], self.high[..., p]
        return (low, high) if np.ndim(low) else (float(low), float(high))


def is_point(low: Array, high: Array) -> BoolArray:
    """Whether intervals are no longer than rounding, one mark each."""
    return np.asarray(high - low <= NOISELESS * np.maximum(np.abs(low), np.abs(high)))


def quantile(
    level: ArrayLike, scale: Noise, degrees_of_freedom: Indices, is_normal: bool = False
) -> Array:
    """Two-sided quantile: Student's t for `mse` and `mad_adjusted`, else or if asked for normal.

    Without a degree of freedom there is none, unless the noise is known: such residuals say nothing
    about it. (Of Student's t, `stdtrit` says so itself.)
    """
    upper = 0.5 * (1.0 + np.asarray(level))
    if is_known(scale):
        return np.asarray(ndtri(upper) + np.zeros_like(degrees_of_freedom, dtype=float))
    if scale == "mad" or is_normal:
        return np.where(degrees_of_freedom > 0, ndtri(upper), np.nan)
    return np.asarray(stdtrit(degrees_of_freedom, upper))


def checked_levels(level: float | Sequence[float]) -> Array:
    """Levels between 0 and 1."""
    levels = np.asarray(level, dtype=float)
    if levels.ndim > 1 or not levels.size or not ((levels > 0) & (levels < 1)).all():
        raise ValueError(f"level is {level!r}; give one or several between 0 and 1, such as 0.95")
    return levels


@compiled_for_stacks(
    "f8[:], f8[:], f8[:], b1[:], i8[:], f8[:], f8[:], f8[:], f8, f8[:], f8[:], b1[:], b1[:], b1[:]",
    "(p), (p), (p), (p), (p), (p), (p), (p), () -> (p), (p), (p), (p), (p)",
)
def _intervals(
    values: Array,
    lower: Array,
    upper: Array,
    has_interval: BoolArray,
    transforms: Indices,
    coordinate_scale: Array,
    shares: Array,
    standard_errors: Array,
    quantile: float,
    low: Array,
    high: Array,
    is_cut_low: BoolArray,
    is_cut_high: BoolArray,
    is_collapsed: BoolArray,
) -> None:
    low[:], high[:] = np.nan, np.nan
    is_cut_low[:], is_cut_high[:], is_collapsed[:] = False, False, False
    for p in range(values.size):
        if has_interval[p]:
            step, open_way = quantile * standard_errors[p], np.sqrt(shares[p])
            low[p] = _stepped(values[p], -step, transforms[p])
            high[p] = _stepped(values[p], step, transforms[p])
            # Reached counts as cut: rounding lets tanh reach 1.
            is_cut_low[p] = low[p] <= lower[p] and np.isfinite(lower[p])
            is_cut_high[p] = high[p] >= upper[p] and np.isfinite(upper[p])
            low[p] = lower[p] if low[p] < lower[p] else low[p]
            high[p] = upper[p] if high[p] > upper[p] else high[p]
            is_collapsed[p] = open_way > step / coordinate_scale[p] and open_way > ROUNDING


@compiled
def _stepped(value: float, step: float, transform: int) -> float:
    """eta^-1(eta(value) + eta'(value) step)."""
    if transform == LOG:
        return float(value * np.exp(step / value))
    if transform == ARCTANH and abs(value) == 1.0:  # the limit: everything, or nothing
        return value if step == 0.0 else float(np.sign(step))
    if transform == ARCTANH:
        return float(np.tanh(np.arctanh(value) + step / (1.0 - value**2)))
    return value + step


def interval_ends(
    problem: LeastSquares,
    has_interval: BoolArray,
    shares: Array,
    standard_errors: Array,
    quantiles: Array,
) -> tuple[Array, Array, BoolArray, BoolArray, BoolArray]:
    """Low and high ends (p,), whether each was cut, and whether the interval collapsed.

    It has collapsed if it is shorter than what the dropped directions leave open.

    Parameters
    ----------
    has_interval : (p,) parameters that get one; the others' ends are not numbers
    shares : (p,) squared length of each unit vector in the dropped span, scaled coordinates
    standard_errors : (p,)
    quantiles : a number, or one for each of several levels and days; their axes come first
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        return _intervals(  # type: ignore[no-any-return]
            problem.values,
            problem.lower,
            problem.upper,
            has_interval,
            problem.specs.codes,
            problem.coordinate_scale,
            shares,
            standard_errors,
            quantiles,
        )
