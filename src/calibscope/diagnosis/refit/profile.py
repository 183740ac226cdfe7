r"""Profiles: how good the fit can be with a parameter held, and the intervals that follow.

.. math:: Q_j(t) = \min_{\theta:\ \theta_j = t} Q(\theta), \qquad
    \bigl\{t :\ Q_j(t) \le Q_{\min} + \sigma^2 q^2\bigr\}

(Bates and Watts 1988, section 6.1). With the classical scale the limit is :math:`Q_{\min}\,\bigl(1
+ F_{1,m-p}(level)/(m-p)\bigr)`, where p counts every parameter that can move, at a bound or not.
Where the noise is known, :math:`q^2` is the quantile of chi-square with one degree of freedom, and
five quotes are enough for five parameters. If the weights do not follow the spreads of "bid_ask",
:math:`\sigma^2 = (A^+ \Omega A^{+T})_{jj} / (A^T A)^{-1}_{jj}`, so that the interval is the
sandwich's in a linear problem (Kent, 1982).

In a linear problem that is Student's interval; elsewhere it follows the bends of the fit, needs no
transformation, and ends at a bound by itself. A parameter at a bound has an interval too, on the
side where it can move. None of it depends on the mode of the diagnosis.

Each profile is walked from the best fit outwards on both sides, all parameters fitted anew at every
point, in steps that raise :math:`z = \sqrt{(Q_j - Q_{\min}) / (Q_{limit} - Q_{\min})}` by about a
third; in a linear problem z is linear in t, so its crossings are found in a few secant steps.
Beyond the limit a few points up to the bound are tried, because another range of good fits may lie
there: then the set above is not connected, and the interval reaches from its first to its last
point. Other local minima that keep the limit (those of the model's search, or dips of a curve) are
visited on the way, and marked. Steps that leave the neighbourhood of the fit (z above a quarter)
look for the best fit everywhere. The steps to a crossing between two such points follow the next
optimum alone, where the profile jumps on the branch of the inner point, and points beyond the limit
are fitted only as far as they may keep it (`Thrifty`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from calibscope.base.arrays import Array, BoolArray
from calibscope.base.spelling import choose_from
from calibscope.diagnosis.least_squares import LeastSquares
from calibscope.diagnosis.linear.geometry import Geometry, geometry
from calibscope.diagnosis.linear.identification import Identification, identification
from calibscope.diagnosis.linear.intervals import Intervals, checked_levels, quantile
from calibscope.diagnosis.linear.uncertainty import (
    BID_ASK,
    DEFAULT_SCALE,
    Noise,
    Scales,
    checked_scale,
    noise_of,
    residual_scales,
    sandwich,
)
from calibscope.diagnosis.refit.profile_walk import Best, Side, fit_together
from calibscope.diagnosis.refit.refit import Minima, required
from calibscope.diagnosis.settings import LEVELS

if TYPE_CHECKING:
    from calibscope.diagnosis.diagnosis import Diagnosis

SAME = 0.05  # in scaled coordinates: points of one minimum, those of dips between two steps
DIFFERENT = 0.01  # of an interval's length: values of one parameter at two minima


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
    has_gap: BoolArray  # (levels,) whether values between the ends are outside the set
    limits: Array  # (levels,) of Q

    @property
    def is_connected(self) -> bool:
        """Whether all of the longest interval belongs to the set.

        Q_j(t) <= limit for all t between its ends (Bates and Watts, 1988, section 6.1).
        """
        return not self.has_gap[-1]


@dataclass(frozen=True, slots=True, eq=False)
class Profiles:
    """The profiles of all parameters that can move."""

    problem: LeastSquares
    identification: Identification  # what the fit left open
    levels: tuple[float, ...]
    scale: Noise  # of the noise
    limits: Array  # (levels,) of Q; with "bid_ask" each curve has its own
    lowest: float  # Q of the fit
    curves: tuple[Profile, ...]
    is_perfect: BoolArray  # residuals are rounding
    better: Array | None  # (p,) parameters of a better fit, if the walk came across one
    minima: Array  # (k, p) other local minima up to the highest limit, best first
    minima_objectives: Array  # (k,) Q there

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
        has_gap, second = np.zeros(shape, dtype=bool), np.full(shape, np.nan)
        for curve in self.curves:
            p = problem.specs.names.index(curve.name)
            low[:, p], high[:, p], has_gap[:, p] = curve.low, curve.high, curve.has_gap
            is_cut_low[:, p], is_cut_high[:, p] = curve.is_cut_low, curve.is_cut_high
            second[:, p] = self._second_minimum(curve, p)
        return Intervals(
            problem.specs,
            self.levels,
            self.scale,
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
            ~has_gap,
            second,
            np.zeros(shape, dtype=bool),
        )

    def _second_minimum(self, curve: Profile, p: int) -> Array:
        """(levels,) the parameter at the next best local minimum inside, if it differs there."""
        found = np.full(len(self.levels), np.nan)
        if not len(self.minima):
            return found
        scale, there = self.problem.specs.profile.scales[p], self.minima[0, p]
        length = scale.coordinate(curve.high) - scale.coordinate(curve.low)
        way = abs(scale.coordinate(there) - scale.coordinate(self.problem.values[p]))
        is_inside = (self.minima_objectives[0] <= curve.limits) & (way > DIFFERENT * length)
        found[is_inside] = there
        return found


def limits_of(
    lowest: float, noise: float, scale: Noise, levels: Array, degrees_of_freedom: int
) -> Array:
    """Q up to which a parameter belongs to its interval; not a number without a scale.

    Parameters
    ----------
    noise : standard deviation of the weighted residuals
    levels : (levels,)
    degrees_of_freedom : m - p, with all p that can move
    """
    quantiles = quantile(levels, scale, np.asarray(degrees_of_freedom))
    return np.asarray(lowest + (noise * quantiles) ** 2)


def limit_at(dx: "Diagnosis", level: float, scale: Noise = DEFAULT_SCALE) -> float:
    """Q up to which a fit belongs to a level, in any mode; not a number without a scale.

    Parameters
    ----------
    level : one
    scale : of the noise, as for `Diagnosis.covariance`
    """
    scales, problem = _Open.of(dx).scales, dx.problem
    noise, lowest = noise_of(problem, scales, scale), (problem.weighted_residuals**2).sum()
    degrees = int(scales.degrees_of_freedom)
    return float(limits_of(float(lowest), float(noise), scale, np.asarray(level), degrees))


class _Open(NamedTuple):
    """What a diagnosis would be with no parameter held."""

    geometry: Geometry
    scales: Scales
    identification: Identification

    @classmethod
    def of(cls, dx: "Diagnosis") -> "_Open":
        if not dx.is_held.any():
            return cls(dx.geometry, dx.scales, dx.identification)
        problem, settings = dx.problem, dx.settings
        own = geometry(
            problem.design, problem.is_movable, settings.rank_tolerance, dx.geometry.column_scale
        )
        scales = residual_scales(
            problem.weighted_residuals,
            own.leverage,
            problem.weights > 0,
            own.parameter_count,
            settings.forced_leverage,
        )
        known = identification(own, problem.coordinate_scale, settings.unidentified_share)
        return cls(own, scales, known)

    def noise(self, problem: LeastSquares, scale: Noise) -> Array:
        """(p,) the noise that each parameter's interval rests on."""
        usual = np.full(len(problem.values), float(noise_of(problem, self.scales, scale)))
        if scale != BID_ASK:
            return usual
        spread = np.diagonal(sandwich(problem, self.geometry.inverse))
        plain = np.diagonal(self.geometry.inverse)
        is_known = plain > 0
        usual[is_known] = np.sqrt(spread[is_known] / plain[is_known])
        return usual


def profiles(
    dx: "Diagnosis",
    levels: Sequence[float] = LEVELS,
    names: Sequence[str] | None = None,
    scale: Noise = DEFAULT_SCALE,
) -> Profiles:
    """Profile the parameters of a fit.

    Parameters
    ----------
    levels : of the intervals
    names : of the parameters; None means all that can move
    scale : of the noise, as for `Diagnosis.covariance`
    """
    problem, rungs, scale = dx.problem, np.sort(checked_levels(levels)), checked_scale(scale)
    refit, free = required(dx.refit), _Open.of(dx)
    degrees, noise = int(free.scales.degrees_of_freedom), free.noise(problem, scale)
    inverse = free.geometry.inverse if problem.second_order is None else dx.curvature.exact_inverse
    with np.errstate(invalid="ignore"):
        errors = noise * np.sqrt(np.diagonal(inverse))  # for the first steps alone
    best = Best(problem, refit, errors)
    usual = float(noise_of(problem, free.scales, scale))
    limits = limits_of(best.lowest, usual, scale, rungs, degrees)
    own = np.array([limits_of(best.lowest, each, scale, rungs, degrees) for each in noise])
    wanted = problem.specs.names if names is None else tuple(names)
    if not set(wanted) <= set(problem.specs.names):
        raise ValueError(f"{names!r}: {choose_from(problem.specs.names, *wanted)}")
    movable = [
        p for p, name in enumerate(problem.specs.names) if problem.is_movable[p] and name in wanted
    ]
    heights = np.sqrt(np.maximum(own - best.lowest, 0.0))
    highest = float(own[:, -1].max())
    best.expect(highest)
    minima = np.empty((0, len(problem.values)))
    if np.isfinite(highest) and isinstance(refit, Minima):
        minima = refit.minima(highest)
    sides = [
        Side(best, p, sign, heights[p], errors[p], minima) for p in movable for sign in (-1.0, 1.0)
    ]
    if np.isfinite(heights).all() and highest > best.lowest:
        fit_together(best, sides)
    curves = tuple(
        _joined(best, low, high, own[low.p])
        for low, high in zip(sides[::2], sides[1::2], strict=True)
    )
    others, objectives = _others(best, minima, sides)
    return Profiles(
        problem,
        free.identification,
        tuple(rungs.tolist()),
        scale,
        limits,
        best.lowest,
        curves,
        dx.flags.is_perfect,
        best.better,
        others,
        objectives,
    )


def _others(best: Best, minima: Array, sides: Sequence[Side]) -> tuple[Array, Array]:
    """Local minima other than the fit, and Q there: those of the search, else dips of a curve."""
    scale = best.problem.specs.coordinates
    points = [*minima, *(dip for side in sides for dip in side.dips)]
    if not points:
        return np.empty((0, len(best.values))), np.empty(0)
    found = np.array(points)
    heights = best.objectives(found)
    kept: list[int] = []
    for i in np.argsort(heights, kind="stable").tolist():
        known = np.array([best.values, *found[kept]])
        with np.errstate(divide="ignore", invalid="ignore"):
            way = np.abs(scale.of(known) - scale.of(found[i])).max(axis=1).min()
        if way > SAME:
            kept.append(i)
    return found[kept], heights[kept]


def _joined(best: Best, down: Side, up: Side, limits: Array) -> Profile:
    problem = best.problem
    points = [*down.known[:0:-1], *up.known]
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
        np.array([down.has_gap(rung) or up.has_gap(rung) for rung in up.heights]),
        limits,
    )
