r"""Profiles: how good the fit can be with a parameter held, and the intervals that follow.

.. math:: Q_j(t) = \min_{\theta:\ \theta_j = t} Q(\theta), \qquad
    \bigl\{t :\ Q_j(t) \le Q_{\min}\,\bigl(1 + F_{1,m-p}(level)/(m-p)\bigr)\bigr\}

(Bates and Watts 1988, section 6.1). In a linear problem that is Student's interval with the scale
`mse`; elsewhere it follows the bends of the fit, needs no transformation, and ends at a bound by
itself. A parameter at a bound has an interval too, on the side where it can move.

Each profile is walked from the best fit outwards on both sides, all parameters fitted anew at every
point, in steps that raise :math:`z = \sqrt{(Q_j - Q_{\min}) / (Q_{limit} - Q_{\min})}` by about a
quarter; in a linear problem z is linear in t, so its crossings are found in a few secant steps.
Beyond the limit a few points up to the bound are tried, because another range of good fits may lie
there: then the set above is not connected, and the interval reaches from its first to its last
point.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy.special import fdtri

from calibscope.base.arrays import Array, BoolArray
from calibscope.base.spelling import choose_from
from calibscope.diagnosis.least_squares import LeastSquares
from calibscope.diagnosis.linear.intervals import Intervals, checked_levels
from calibscope.diagnosis.linear.uncertainty import Form
from calibscope.diagnosis.refit.profile_walk import Best, Side, fit_together
from calibscope.diagnosis.refit.refit import required
from calibscope.diagnosis.settings import LEVELS

if TYPE_CHECKING:
    from calibscope.diagnosis.diagnosis import Diagnosis
    from calibscope.diagnosis.linear.identification import Identification


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """One parameter's profile: k points from low to high, and its intervals at several levels."""

    name: str
    values: Array  # (k,) of the held parameter
    objectives: Array  # (k,) Q, all else at its best
    parameters: Array  # (k, p) all of them
    at_bound: npt.NDArray[np.int64]  # (k, p) which others lie at a bound there: -1, 1, else 0
    low: Array  # (levels,) ends of the intervals
    high: Array  # (levels,)
    is_cut_low: BoolArray  # (levels,) whether the bound is the end
    is_cut_high: BoolArray  # (levels,)
    is_connected: bool  # whether all of the interval belongs to the set


@dataclass(frozen=True, slots=True, eq=False)
class Profiles:
    """The profiles of all parameters that can move."""

    problem: LeastSquares
    identification: "Identification"  # what the fit left open
    levels: tuple[float, ...]
    limits: Array  # (levels,) of Q
    lowest: float  # Q of the fit
    curves: tuple[Profile, ...]
    is_perfect: BoolArray  # residuals are rounding
    better: Array | None  # (p,) parameters of a better fit, if the walk came across one

    def of(self, name: str) -> Profile:
        """The profile of a parameter by name.

        Parameters
        ----------
        name : of a parameter

        Returns
        -------
        Profile
            its curve
        """
        for curve in self.curves:
            if curve.name == name:
                return curve
        known = [curve.name for curve in self.curves]
        raise ValueError(f"{name!r} has no profile; {choose_from(known, name)}")

    @property
    def intervals(self) -> Intervals:
        """The intervals of all parameters, the levels first.

        A parameter at a bound has one too, on the side where it can move. None collapses where
        rank was lost: the walk goes along directions that a decomposition drops.
        """
        problem = self.problem
        shape = len(self.levels), len(problem.values)
        low, high = np.full(shape, np.nan), np.full(shape, np.nan)
        is_cut_low, is_cut_high = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
        for curve in self.curves:
            p = problem.specs.names.index(curve.name)
            low[:, p], high[:, p] = curve.low, curve.high
            is_cut_low[:, p], is_cut_high[:, p] = curve.is_cut_low, curve.is_cut_high
        return Intervals(
            problem.specs,
            self.levels,
            "mse",
            "profile",
            problem.values,
            np.full(len(problem.values), np.nan),
            low,
            high,
            is_cut_low,
            is_cut_high,
            problem.at_bound,
            ~problem.is_movable,
            self.identification.is_identified,
            np.zeros(len(problem.values), dtype=bool),
            np.zeros(len(problem.values), dtype=bool),
            self.is_perfect,
        )


def limits_of(lowest: float, levels: Array, degrees_of_freedom: int) -> Array:
    """Q up to which a parameter belongs to its interval; not a number without a scale."""
    if degrees_of_freedom < 1:
        return np.full(levels.shape, np.nan)
    quantile = fdtri(1, degrees_of_freedom, levels)
    return np.asarray(lowest * (1.0 + quantile / degrees_of_freedom))


def profiles(
    dx: "Diagnosis", levels: Sequence[float] = LEVELS, names: Sequence[str] | None = None
) -> Profiles:
    """Profile the parameters of a fit.

    Parameters
    ----------
    levels : of the intervals
    names : of the parameters; None means all that can move
    """
    problem, rungs = dx.problem, np.sort(checked_levels(levels))
    form: Form = "gauss_newton" if problem.second_order is None else "exact"
    # Every parameter can move here, whatever the mode of the diagnosis holds.
    degrees = int(dx.scales.count - problem.is_movable.sum())
    share = np.maximum(dx.scales.degrees_of_freedom, 0) / max(degrees, 1)
    errors = np.sqrt(share) * dx.standard_errors("mse", form)  # for the first steps alone
    best = Best(problem, required(dx.refit), errors)
    limits = limits_of(best.lowest, rungs, degrees)
    wanted = problem.specs.names if names is None else tuple(names)
    if not set(wanted) <= set(problem.specs.names):
        raise ValueError(f"{names!r}: {choose_from(problem.specs.names, *wanted)}")
    movable = [
        p for p, name in enumerate(problem.specs.names) if problem.is_movable[p] and name in wanted
    ]
    heights = np.sqrt(np.maximum(limits - best.lowest, 0.0))
    sides = [Side(best, p, sign, heights, errors[p]) for p in movable for sign in (-1.0, 1.0)]
    if np.isfinite(heights).all() and heights[-1] > 0.0:
        fit_together(best, sides)
    curves = tuple(
        _joined(best, low, high) for low, high in zip(sides[::2], sides[1::2], strict=True)
    )
    return Profiles(
        problem,
        dx.identification,
        tuple(rungs.tolist()),
        limits,
        best.lowest,
        curves,
        dx.flags.is_perfect,
        best.better,
    )


def _joined(best: Best, down: Side, up: Side) -> Profile:
    problem = best.problem
    points = [*down.points[:0:-1], *up.points]
    parameters = np.array([point.parameters for point in points])
    at_bound = (parameters >= problem.upper).astype(np.int64) - (parameters <= problem.lower)
    at_bound[:, ~problem.is_movable | (np.arange(len(best.values)) == up.p)] = 0
    low, high = ([side.end(rung) for rung in side.heights] for side in (down, up))
    return Profile(
        problem.specs.names[up.p],
        np.array([point.value for point in points]),
        np.array([best.lowest + point.height**2 for point in points]),
        parameters,
        at_bound,
        np.array([value for value, _ in low]),
        np.array([value for value, _ in high]),
        np.array([is_cut for _, is_cut in low]),
        np.array([is_cut for _, is_cut in high]),
        not (down.has_gap or up.has_gap),
    )
