r"""Profiles: how good the fit can be with a parameter held, and the intervals that follow.

.. math:: Q_j(t) = \min_{\theta:\ \theta_j = t} Q(\theta), \qquad
    \bigl\{t :\ Q_j(t) \le Q_{\min}\,\bigl(1 + F_{1,m-p}(level)/(m-p)\bigr)\bigr\}

(Bates and Watts 1988, section 6.1). In a linear problem that is Student's interval with the scale
`mse`; elsewhere it follows the bends of the fit, needs no transformation, and ends at a bound by
itself. A parameter at a bound has an interval too, on the side where it can move.

Each profile is walked from the best fit outwards on both sides, all parameters fitted anew at every
point, in steps that raise :math:`z = \sqrt{(Q_j - Q_{\min}) / (Q_{limit} - Q_{\min})}` by about a
quarter; in a linear problem z is linear in t, so its crossings are found in a few secant steps.
Beyond the limit a few points up to the bound are tried, because another valley may lie there: then
the set above is not connected, and the interval reaches from its first to its last point.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.special import fdtri

from calibscope.base.arrays import Array, Marks
from calibscope.diagnosis.least_squares import ARCTANH, LOG, LeastSquares
from calibscope.diagnosis.refit import Refit, sum_of_squares

RISE = 0.25  # of z that a step should make
SHORTEST, LONGEST = 1e-4, 1.0  # steps, in the coordinates of the walk
FIRST = 0.01  # step where the fit has no standard error
SMALLEST, FLAT = 1e-300, 1e-13  # curvatures that count as none, absolute and relative
MOST_STEPS = 40  # per side
MOST_SECANTS = 6  # per crossing
NEAR = 2e-4  # of z: near enough to its level
NARROW = 1e-6  # bracket of a crossing, in the coordinates of the walk
JUMP, MENDINGS = 0.05, 3  # of z between neighbours that are that near; how often it is mended
BEYOND = 4  # points between the limit and the bound where another valley is looked for
BETTER = 1e-8  # of Q: less is rounding


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
    is_cut_low: Marks  # (levels,) whether the bound is the end
    is_cut_high: Marks  # (levels,)
    is_connected: bool  # whether all of the interval belongs to the set


@dataclass(frozen=True, slots=True, eq=False)
class Profiles:
    """The profiles of all parameters that can move."""

    levels: tuple[float, ...]
    limits: Array  # (levels,) of Q
    lowest: float  # Q of the fit
    curves: tuple[Profile, ...]
    better: Array | None  # (p,) parameters of a better fit, if the walk came across one

    def of(self, name: str) -> Profile:
        """The profile of a parameter by name."""
        for curve in self.curves:
            if curve.name == name:
                return curve
        known = ", ".join(curve.name for curve in self.curves)
        raise ValueError(f"{name!r} has no profile; choose from {known}")


def limits_of(lowest: float, levels: Array, degrees_of_freedom: int) -> Array:
    """Q up to which a parameter belongs to its interval; not a number without a scale."""
    if degrees_of_freedom < 1:
        return np.full(levels.shape, np.nan)
    quantile = fdtri(1, degrees_of_freedom, levels)
    return np.asarray(lowest * (1.0 + quantile / degrees_of_freedom))


def profiles(
    problem: LeastSquares,
    refit: Refit,
    standard_errors: Array,
    degrees_of_freedom: int,
    levels: Sequence[float] = (0.5, 0.75, 0.95),
    names: Sequence[str] | None = None,
) -> Profiles:
    """Profile the parameters of a fit.

    Parameters
    ----------
    problem, refit : the fit, and how to fit again
    standard_errors : (p,) for the first steps alone
    degrees_of_freedom : m - p
    levels : of the intervals
    names : of the parameters; None means all that can move
    """
    rungs = np.sort(np.asarray(levels, float))
    best = _Best(problem, refit)
    limits = limits_of(best.lowest, rungs, degrees_of_freedom)
    wanted = problem.words.names if names is None else tuple(names)
    if not set(wanted) <= set(problem.words.names):
        raise ValueError(f"{names!r}: choose from {', '.join(problem.words.names)}")
    movable = [
        p for p, name in enumerate(problem.words.names) if problem.is_movable[p] and name in wanted
    ]
    heights = np.sqrt(np.maximum(limits - best.lowest, 0.0))
    sides = [
        _Side(best, p, sign, heights, standard_errors[p]) for p in movable for sign in (-1.0, 1.0)
    ]
    if np.isfinite(heights).all() and heights[-1] > 0.0:
        for stage in (*(_Side.walk, _Side.settle, _Side.mend) * MENDINGS, _Side.walk):
            _together(best, sides, stage)
        _together(best, sides, _Side.look_beyond)
        _together(best, sides, _Side.settle)
    curves = tuple(
        _joined(best, low, high) for low, high in zip(sides[::2], sides[1::2], strict=True)
    )
    return Profiles(tuple(rungs.tolist()), limits, best.lowest, curves, best.better)


class _Best:
    """The fit, the coordinates of the walk, and held fits with their height above it."""

    def __init__(self, problem: LeastSquares, refit: Refit) -> None:
        if problem.observed is None:
            raise ValueError("there are no observations; give observed=")
        self.problem, self.refit = problem, refit
        self.quotes, self.weights = problem.observed, problem.weights
        self.values = problem.values
        fitted = refit.predict(self.values[None])[0]
        self.lowest = float(sum_of_squares(fitted, self.quotes, self.weights))
        self.better: Array | None = None
        self.record = self.lowest * (1.0 - BETTER)

    def tangent(self, p: int) -> Array:
        """(p,) how the others move with a parameter next to the fit, to first order."""
        problem, direction = self.problem, np.zeros_like(self.values)
        free = problem.is_free.copy()
        free[p] = False
        half = problem.gram if problem.bend is None else problem.gram + problem.bend
        size = np.sqrt(np.diag(problem.gram))[free] + SMALLEST
        bend = half[np.ix_(free, free)] / np.outer(size, size)
        direction[free] = np.linalg.lstsq(bend, -half[free, p] / size, rcond=FLAT)[0] / size
        direction[p] = 1.0
        return direction

    def solve(self, held: Array, starts: Array) -> tuple[Array, Array]:
        """Parameters, and sqrt(Q - Q_min), of several held fits."""
        n = len(held)
        quotes, weights = np.tile(self.quotes, (n, 1)), np.tile(self.weights, (n, 1))
        found = self.refit.solve(quotes, weights, held, starts)
        Q = sum_of_squares(self.refit.predict(found), quotes, weights)
        if Q.min() < self.record:
            self.better, self.record = found[np.argmin(Q)], float(Q.min())
        return found, np.sqrt(np.maximum(Q - self.lowest, 0.0))

    def coordinate(self, p: int, value: float) -> float:
        """Where a value lies in the walk: by its logarithm, or the angle of a correlation."""
        code = self.problem.words.codes[p]
        if code == LOG:
            return float(np.log(value))
        return float(np.arcsin(np.clip(value, -1.0, 1.0))) if code == ARCTANH else value

    def value(self, p: int, coordinate: float) -> float:
        """The value at a coordinate, inside the bounds."""
        code, lower, upper = self.problem.words.codes[p], self.problem.lower, self.problem.upper
        value = coordinate
        if code == LOG:
            value = float(np.exp(coordinate))
        elif code == ARCTANH:
            value = float(np.sin(coordinate))
        return float(np.clip(value, lower[p], upper[p]))


@dataclass(slots=True, eq=False)
class _Point:
    """A point of a profile."""

    place: float  # in the coordinate of the walk
    value: float
    height: float  # sqrt(Q - Q_min)
    parameters: Array = field(repr=False)


Request = tuple[float, Array]  # a value to hold, and where to start


class _Side:
    """One side of a profile, walked from the fit outwards."""

    def __init__(
        self, best: _Best, p: int, sign: float, heights: Array, standard_error: float
    ) -> None:
        self.best, self.p, self.sign, self.heights = best, p, sign, heights
        bound = (best.problem.upper if sign > 0 else best.problem.lower)[p]
        home = float(best.values[p])
        self.home = _Point(best.coordinate(p, home), home, 0.0, best.values)
        self.bound = float(bound)
        self.wall = best.coordinate(p, float(bound))
        self.points = [self.home]
        rate = abs(best.coordinate(p, home * (1.0 + 1e-6)) - self.home.place) / (1e-6 * abs(home))
        step = rate * standard_error if np.isfinite(rate) else FIRST
        self.step = float(np.clip(step if step > 0 else FIRST, SHORTEST, 0.3))
        self.inner = 0  # the last point that lies inside the limit, in order of distance
        self.is_connected = True

    @property
    def top(self) -> float:
        """The height of the highest level."""
        return float(self.heights[-1])

    def add(self, value: float, height: float, parameters: Array) -> None:
        """Keep a point, in order of distance."""
        place = self.best.coordinate(self.p, value)
        again = [point for point in self.points if point.value == value]
        if again and again[0].height <= height:
            return
        self.points = [point for point in self.points if point.value != value]
        self.points.append(_Point(place, value, height, parameters))
        self.points.sort(key=lambda point: self.sign * point.place)

    def request(self, place: float, near: _Point) -> Request:
        """Hold the value at a place; start from a point that is near."""
        held = self.best.value(self.p, place)
        if self.sign * (self.wall - place) <= 0.0 and np.isfinite(self.bound):
            held = self.bound
        return held, near.parameters

    def walk(self, turn: int) -> Request | None:
        """The next step outwards; None once the limit or the bound is behind."""
        last = self.points[-1]
        if turn > 0 and len(self.points) > 1:
            rise = (last.height - self.points[-2].height) / self.top
            factor = RISE / rise if rise > 0 else np.inf
            self.step = float(np.clip(self.step * np.clip(factor, 0.3, 3.0), SHORTEST, LONGEST))
        if last.height > self.top or last.value == self.bound or turn >= MOST_STEPS:
            return None
        place = last.place + self.sign * self.step
        held, _ = self.request(place, last)
        if len(self.points) == 1:
            ahead = last.parameters + self.best.tangent(self.p) * (held - last.value)
            problem = self.best.problem
            return held, np.clip(ahead, problem.lower, problem.upper)
        return held, self._continued(self.points[-2], last, held)

    def _continued(self, before: _Point, last: _Point, held: float) -> Array:
        """Parameters on the line through the last two points, in the coordinates of the walk."""
        best = self.best
        share = (best.coordinate(self.p, held) - last.place) / (last.place - before.place)
        start = last.parameters.copy()
        for q in range(len(start)):
            if q == self.p or not best.problem.is_movable[q]:
                continue
            here, there = (best.coordinate(q, point.parameters[q]) for point in (last, before))
            start[q] = best.value(q, here + min(share, 2.0) * (here - there))
        return start

    def look_beyond(self, turn: int) -> Request | None:
        """Points between the limit and the bound, one after the other."""
        last = self.points[-1]
        if turn == 0:
            self.first_beyond = last
            self.ways = np.linspace(last.place, self.wall, BEYOND + 2)[1:]
        if last.value == self.bound or not np.isfinite(self.wall) or turn >= len(self.ways):
            return None
        return self.request(float(self.ways[turn]), last)

    def settle(self, turn: int) -> Request | None:
        """Secant steps to the outermost crossing of each level, one after the other."""
        for rung in self.heights:
            inside, outside = self._around(rung)
            if outside is None or self._is_near(inside, outside, rung):
                continue
            if turn >= MOST_SECANTS * len(self.heights):
                return None
            share = (rung - inside.height) / (outside.height - inside.height)
            share = float(np.clip(share, 0.02, 0.98)) if turn % 4 < 3 else 0.5
            return self.request(inside.place + share * (outside.place - inside.place), inside)
        return None

    def mend(self, turn: int) -> Request | None:
        """Where the profile jumps over the limit, fit the outer point again, from the inner one."""
        inside, outside = self._around(self.top)
        is_jump = outside is not None and outside.height - inside.height > JUMP * self.top
        if turn > 0 or outside is None or not is_jump:
            return None
        return outside.value, inside.parameters

    def _is_near(self, inside: _Point, outside: _Point, rung: float) -> bool:
        close = min(abs(inside.height - rung), abs(outside.height - rung)) <= NEAR * rung
        return bool(close or abs(outside.place - inside.place) <= NARROW)

    def _around(self, rung: float) -> tuple[_Point, _Point | None]:
        """The outermost point inside a level, and the next one outside; None at a bound."""
        inside = max(i for i, point in enumerate(self.points) if point.height <= rung)
        outside = self.points[inside + 1] if inside + 1 < len(self.points) else None
        return self.points[inside], outside

    def end(self, rung: float) -> tuple[float, bool]:
        """Where a level is crossed, and whether the bound comes first."""
        inside, outside = self._around(rung)
        if outside is None:
            return inside.value, bool(inside.value == self.bound)
        share = (rung - inside.height) / (outside.height - inside.height)
        place = inside.place + share * (outside.place - inside.place)
        return self.best.value(self.p, place), False

    @property
    def has_gap(self) -> bool:
        """Whether points outside the limit lie between points inside."""
        outer = self.points.index(self._around(self.top)[0])
        return any(point.height > self.top for point in self.points[:outer])


def _together(
    best: _Best, sides: Sequence[_Side], ask: Callable[[_Side, int], Request | None]
) -> None:
    """Ask all sides for their next point, and fit these in one call, until none asks any more."""
    active, turn = list(sides), 0
    while active:
        asked = [(side, wish) for side in active if (wish := ask(side, turn)) is not None]
        if not asked:
            return
        held = np.full((len(asked), len(best.values)), np.nan)
        for row, (side, (value, _)) in enumerate(asked):
            held[row, side.p] = value
        starts = np.array([start for _, (_, start) in asked])
        found, heights = best.solve(held, starts)
        for row, (side, (value, _)) in enumerate(asked):
            side.add(value, float(heights[row]), found[row])
        active, turn = [side for side, _ in asked], turn + 1


def _joined(best: _Best, down: _Side, up: _Side) -> Profile:
    problem = best.problem
    points = [*down.points[:0:-1], *up.points]
    parameters = np.array([point.parameters for point in points])
    at_bound = (parameters >= problem.upper).astype(np.int64) - (parameters <= problem.lower)
    at_bound[:, ~problem.is_movable | (np.arange(len(best.values)) == up.p)] = 0
    low, high = ([side.end(rung) for rung in side.heights] for side in (down, up))
    if not np.isfinite(up.heights).all():
        low = high = [(np.nan, False)] * len(up.heights)
    return Profile(
        problem.words.names[up.p],
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
