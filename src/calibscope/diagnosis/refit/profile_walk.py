"""One side of a profile: from the fit outwards to the limit, and what is beyond.

See `profile.py` for the formula and the way it is walked.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from math import prod
from typing import NamedTuple

import numpy as np

from calibscope.base.arrays import Array
from calibscope.base.transforms import IDENTITY
from calibscope.diagnosis.least_squares import LeastSquares
from calibscope.diagnosis.refit.refit import Refit, Thrifty, sum_of_squares

RISE = 0.34  # of z that a step should make
SHORTEST, LONGEST = 1e-4, 1.0  # steps, in the coordinates of the walk
FIRST = 0.01  # step where the fit has no standard error
SMALLEST, FLAT = 1e-150, 1e-13  # curvatures that count as none, absolute and relative
LOW = 0.25  # of z: from there on, steps outwards look for other optima, too
MENDINGS = 3  # how often jumps are looked at again
MOST_STEPS = 40  # per side
MOST_SECANTS = 8  # per crossing
NEAR = 2e-3  # of z: near enough to its level
STRAIGHT = 0.05  # of z between two neighbours: a straight line between them is near enough
NARROW = 1e-3  # bracket of a crossing, as a share of its distance from the fit
QUICK = 3  # secants that look for the next optimum alone
STEEP = 0.6  # of z between two neighbours: more is no smooth step
JUMP = 0.05  # of z between neighbours that are that near
BEYOND = 6  # points between the limit and the bound where another range of good fits is looked for
SETTLED = 2  # steps to the bottom of a dip
BETTER = 1e-8  # of Q: less is rounding


class Effort(Enum):
    """How far a held fit has to look."""

    BEST = "everywhere"
    NEXT = "the optimum next to its start"
    BELOW = "everywhere, for what is below the limit"


class Request(NamedTuple):
    """A value to hold, and where to start."""

    value: float
    start: Array
    effort: Effort = Effort.BEST


class Best:
    """The fit, the coordinates of the walk, and held fits with their height above it."""

    def __init__(self, problem: LeastSquares, refit: Refit, standard_errors: Array) -> None:
        if problem.observed is None:
            raise ValueError("there are no observations; give observed=")
        self.problem, self.refit = problem, refit
        self.thrifty = refit if isinstance(refit, Thrifty) else None
        self.quotes, self.weights = problem.observed, problem.weights
        self.values = problem.values
        # Parameters without a transformation are counted in what is about an interval's half.
        known = np.where(standard_errors > 0, standard_errors, 0.05 * np.abs(self.values))
        self.units = np.where(known > 0, 2.0 * known, 1.0)
        fitted = refit.predict(self.values[None])[0]
        self.lowest = float(sum_of_squares(fitted, self.quotes, self.weights))
        self.better: Array | None = None
        self.record, self.highest = -np.inf, np.inf

    def expect(self, highest: float) -> None:
        """Profiles up to Q = `highest`; better fits are reported if that is no rounding."""
        self.record, self.highest = self.lowest - BETTER * highest, highest

    def objectives(self, points: Array) -> Array:
        """(n,) Q at points (n, p)."""
        return sum_of_squares(self.refit.predict(points), self.quotes, self.weights)

    def tangent(self, p: int) -> Array:
        """(p,) how the others move with a parameter next to the fit, to first order."""
        problem, direction = self.problem, np.zeros_like(self.values)
        free = problem.is_free.copy()
        free[p] = False
        half = problem.gram if problem.second_order is None else problem.gram + problem.second_order
        size = np.sqrt(np.diag(problem.gram))[free] + SMALLEST
        second_order = half[np.ix_(free, free)] / np.outer(size, size)
        direction[free] = np.linalg.lstsq(second_order, -half[free, p] / size, rcond=FLAT)[0] / size
        direction[p] = 1.0
        return direction

    def solve(self, wishes: Sequence[tuple[int, Request]]) -> tuple[Array, Array]:
        """Parameters, and sqrt(Q - Q_min), of several fits with parameter p held."""
        n = len(wishes)
        held, starts = np.full((n, len(self.values)), np.nan), np.empty((n, len(self.values)))
        for row, (p, wish) in enumerate(wishes):
            held[row, p], starts[row] = wish.value, wish.start
        quotes, weights = np.tile(self.quotes, (n, 1)), np.tile(self.weights, (n, 1))
        found, efforts = np.empty_like(starts), [wish.effort for _, wish in wishes]
        for effort in Effort:
            rows = [row for row in range(n) if efforts[row] is effort]
            if not rows:
                continue
            arguments = quotes[rows], weights[rows], held[rows], starts[rows]
            found[rows] = self._fitted(effort, arguments)
        Q = sum_of_squares(self.refit.predict(found), quotes, weights)
        if Q.min() < self.record:
            self.better, self.record = found[np.argmin(Q)], float(Q.min())
        return found, np.sqrt(np.maximum(Q - self.lowest, 0.0))

    def _fitted(self, effort: Effort, arguments: tuple[Array, Array, Array, Array]) -> Array:
        """By what the refit offers that is enough."""
        refit = self.refit
        if effort is Effort.BEST or self.thrifty is None:
            return refit.solve(*arguments)
        if effort is Effort.NEXT:
            return self.thrifty.descend(*arguments)
        return self.thrifty.below(self.highest, *arguments)

    def coordinate(self, p: int, value: float) -> float:
        """Where a value is in the walk: by its logarithm, or the angle of a correlation."""
        return float(self.problem.specs.profile.scales[p].coordinate(value) / self.unit(p))

    def rate(self, p: int) -> float:
        """Derivative of the coordinate by the parameter, at the fit."""
        slope = float(self.problem.specs.profile.scales[p].slope(self.values[p]) * self.unit(p))
        return 1.0 / slope if slope > 0.0 else np.inf

    def value(self, p: int, coordinate: float) -> float:
        """The value at a coordinate, inside the bounds."""
        value = float(self.problem.specs.profile.scales[p].value(coordinate * self.unit(p)))
        return float(min(max(value, self.problem.lower[p]), self.problem.upper[p]))

    def unit(self, p: int) -> float:
        """In which a parameter is measured that is walked as it is."""
        is_plain = self.problem.specs.profile.scales[p] == IDENTITY
        return float(self.units[p]) if is_plain else 1.0


@dataclass(slots=True, eq=False)
class _Point:
    """A point of a profile."""

    place: float  # in the coordinate of the walk
    value: float
    height: float  # sqrt(Q - Q_min)
    parameters: Array = field(repr=False)
    is_checked: bool = True  # whether other optima were looked for, too


def _place_at(height: float, points: Sequence[_Point]) -> float:
    """The place at a height, by the polynomial in it through some points."""
    total = 0.0
    for point in points:
        others = [other.height for other in points if other is not point]
        total += point.place * prod((height - other) / (point.height - other) for other in others)
    return total


class Side:
    """One side of a profile, walked from the fit outwards."""

    def __init__(
        self,
        best: Best,
        p: int,
        sign: float,
        heights: Array,
        standard_error: float,
        minima: Array,
    ) -> None:
        self.best, self.p, self.sign, self.heights = best, p, sign, heights
        self.minima = minima
        bound = (best.problem.upper if sign > 0 else best.problem.lower)[p]
        home = float(best.values[p])
        self.home = _Point(best.coordinate(p, home), home, 0.0, best.values)
        self.bound = float(bound)
        self.wall = best.coordinate(p, float(bound))
        self.points = [self.home]
        rate = best.rate(p)
        has_error = standard_error > 0 and rate < np.inf
        step = rate * standard_error if has_error else FIRST
        self.step = float(np.clip(step, SHORTEST, RISE))

    @property
    def top(self) -> float:
        """The height of the highest level."""
        return float(self.heights[-1])

    @property
    def known(self) -> list[_Point]:
        """Points of the profile; beyond the limit those where nothing better was overlooked."""
        return [point for point in self.points if point.is_checked or point.height <= self.top]

    def add(self, wish: Request, height: float, parameters: Array) -> None:
        """Keep a point, in order of distance."""
        value, is_checked = wish.value, wish.effort is Effort.BEST
        for point in self.points:
            if point.value == value:
                is_checked |= point.is_checked
                if point.height <= height:
                    point.is_checked = is_checked
                    return
        place = self.best.coordinate(self.p, value)
        self.points = [point for point in self.points if point.value != value]
        self.points.append(_Point(place, value, height, parameters, is_checked))
        self.points.sort(key=lambda point: self.sign * point.place)

    def request(self, place: float, near: _Point) -> Request:
        """Hold the value at a place; start from a point that is near."""
        held = self.best.value(self.p, place)
        if self.sign * (self.wall - place) <= 0.0 and np.isfinite(self.bound):
            held = self.bound
        return Request(held, near.parameters)

    def wishes(self) -> Iterator[list[Request]]:
        """What to fit next, until nothing is left; what was asked for has been added meanwhile."""
        rounds = (self.walk, self.refine, self.mend) * MENDINGS
        last = self.walk, self.look_beyond, self.visit, self.come_back, self.settle, self.refine
        for stage in (*rounds, *last):
            turn = 0
            while wishes := stage(turn):
                yield wishes
                turn += 1

    def walk(self, turn: int) -> list[Request]:
        """The next step outwards; none once the limit or the bound is behind."""
        last = self.points[-1]
        if turn > 0 and len(self.points) > 1:
            rise = (last.height - self.points[-2].height) / self.top
            factor = RISE / rise if rise > 0 else np.inf
            self.step = float(np.clip(self.step * np.clip(factor, 0.3, 3.0), SHORTEST, LONGEST))
        if last.height > self.top and not last.is_checked:
            return [Request(last.value, self.points[-2].parameters)]
        if last.height > self.top or last.value == self.bound or turn >= MOST_STEPS:
            return []
        place = last.place + self.sign * self.step
        held = self.request(place, last).value
        effort = Effort.NEXT if last.height < LOW * self.top else Effort.BEST
        if len(self.points) == 1:
            ahead = last.parameters + self.best.tangent(self.p) * (held - last.value)
            problem = self.best.problem
            return [Request(held, np.clip(ahead, problem.lower, problem.upper), effort)]
        return [Request(held, self._continued(self.points[-2], last, held), effort)]

    def _continued(self, before: _Point, last: _Point, held: float) -> Array:
        """Parameters on the line through the last two points, in the coordinates of the walk."""
        best, problem = self.best, self.best.problem
        share = (best.coordinate(self.p, held) - last.place) / (last.place - before.place)
        here, there = problem.specs.profile.of((last.parameters, before.parameters))
        ahead = problem.specs.profile.values(here + min(share, 2.0) * (here - there))
        moves = problem.is_movable & (np.arange(len(ahead)) != self.p)
        inside = np.clip(ahead, problem.lower, problem.upper)
        return np.where(moves, inside, last.parameters)

    def look_beyond(self, turn: int) -> list[Request]:
        """Points between the limit and the bound; without a bound there is no end to it."""
        last = self.points[-1]
        if turn > 0 or last.value == self.bound or not np.isfinite(self.wall):
            return []
        ways = np.linspace(last.place, self.wall, BEYOND + 2)[1:]
        return [self.request(float(place), last)._replace(effort=Effort.BELOW) for place in ways]

    def visit(self, turn: int) -> list[Request]:
        """Other local minima on this side."""
        if turn > 0:
            return []
        return [
            Request(float(point[self.p]), point)
            for point in self.minima
            if self.sign * (point[self.p] - self.home.value) > 0.0
        ]

    def come_back(self, turn: int) -> list[Request]:
        """Where the profile falls outwards, fit the higher point again, from the lower one."""
        pairs = zip(self.points, self.points[1:], strict=False) if turn < MENDINGS else ()
        return [
            Request(inner.value, outer.parameters)
            for inner, outer in pairs
            if inner.height - outer.height > JUMP * self.top
        ]

    def refine(self, turn: int) -> list[Request]:
        """A step to the outermost crossing of each level that is not near enough yet.

        Steps look for the next optimum alone. Where a few do not end it, the profile is not smooth,
        and other optima are looked for where we believe to be outside. A jump is a branch that was
        lost on the way: it is followed on from inside.
        """
        wishes: dict[float, Request] = {}
        for rung in self.heights if turn < MOST_SECANTS else ():
            inside, outside = self._around(rung)
            if outside is None or self._is_near(inside, outside, rung):
                continue
            if turn >= QUICK and not outside.is_checked:
                wishes[outside.value] = Request(outside.value, inside.parameters)
            elif outside.height - inside.height > STEEP * self.top:
                wishes |= {wish.value: wish for wish in self._followed(inside, outside)}
            else:
                way = outside.place - inside.place
                share = (self._crossing(inside, outside, rung) - inside.place) / way
                share = float(np.clip(share, 0.02, 0.98)) if turn % 4 < 3 else 0.5
                held = self.request(inside.place + share * way, inside).value
                start = self._continued(outside, inside, held)
                wishes[held] = Request(held, start, Effort.NEXT)
        return list(wishes.values())

    def _followed(self, inside: _Point, outside: _Point) -> Iterator[Request]:
        """Half way to the outer point and the whole way, on the branch of the inner one."""
        i = self.points.index(inside)
        for place in (0.5 * (inside.place + outside.place), outside.place):
            held = self.request(place, inside).value
            start = self._continued(self.points[i - 1], inside, held) if i else inside.parameters
            yield Request(held, start, Effort.NEXT)

    def mend(self, turn: int) -> list[Request]:
        """Where the profile jumps over the limit, fit the outer point again, from the inner one."""
        inside, outside = self._around(self.top)
        is_jump = outside is not None and outside.height - inside.height > JUMP * self.top
        if turn > 0 or outside is None or not is_jump:
            return []
        return [Request(outside.value, inside.parameters, Effort.NEXT)]

    def _is_near(self, inside: _Point, outside: _Point, rung: float) -> bool:
        close = min(abs(inside.height - rung), abs(outside.height - rung)) <= NEAR * rung
        narrow = NARROW * abs(outside.place - self.home.place)
        is_straight = outside.height - inside.height <= STRAIGHT * rung
        return bool(close or is_straight or abs(outside.place - inside.place) <= narrow)

    def _around(self, rung: float) -> tuple[_Point, _Point | None]:
        """The outermost point inside a level, and the next one outside; None at a bound."""
        inside = max(i for i, point in enumerate(self.points) if point.height <= rung)
        outside = self.points[inside + 1] if inside + 1 < len(self.points) else None
        return self.points[inside], outside

    def _crossing(self, inside: _Point, outside: _Point, rung: float) -> float:
        """The place where a level is reached between two neighbours, by a third one if it can.

        A place is nearly linear in z, and more nearly a parabola.
        """
        i = self.points.index(inside)
        lower = [point for point in self.points[max(i - 1, 0) : i] if point.height < inside.height]
        higher = [point for point in self.points[i + 2 : i + 3] if point.height > outside.height]
        straight = _place_at(rung, (inside, outside))
        if not lower and not higher:
            return straight
        third = min(lower + higher, key=lambda point: abs(point.height - rung))
        bent = _place_at(rung, (inside, outside, third))
        is_between = (bent - inside.place) * (outside.place - bent) > 0.0
        return bent if is_between else straight

    def end(self, rung: float) -> tuple[float, bool]:
        """Where a level is crossed, and whether the bound comes first."""
        if np.isnan(rung):
            return np.nan, False
        inside, outside = self._around(rung)
        if outside is None:
            return inside.value, bool(inside.value == self.bound)
        return self.best.value(self.p, self._crossing(inside, outside, rung)), False

    def has_gap(self, rung: float) -> bool:
        """Whether points outside a level lie between points inside."""
        if np.isnan(rung):
            return False
        outer = self.points.index(self._around(rung)[0])
        return any(point.height > rung for point in self.points[:outer])

    def settle(self, turn: int) -> list[Request]:
        """The bottoms of dips, by the parabola through the lowest point and its neighbours."""
        wishes = []
        for i in self._dips() if turn < SETTLED else ():
            if 0 < i < len(self.points) - 1:
                left, here, right = self.points[i - 1 : i + 2]
                a, b = here.place - left.place, here.place - right.place
                up, down = here.height**2 - left.height**2, here.height**2 - right.height**2
                twice = 2.0 * (a * down - b * up)
                step = (a * a * down - b * b * up) / twice if twice else 0.0
                wishes.append(self.request(here.place - step, here)._replace(effort=Effort.NEXT))
        return wishes

    @property
    def dips(self) -> list[Array]:
        """Parameters at minima of the profile inside the limit, beyond a higher point."""
        return [self.points[i].parameters for i in self._dips()]

    def _dips(self) -> list[int]:
        """Which points these are."""
        found, highest = [], 0.0
        heights = [point.height for point in self.points]
        for i, height in enumerate(heights):
            is_low = height <= min(heights[i - 1 : i] + heights[i + 1 : i + 2], default=height)
            if is_low and height <= self.top and highest - height > JUMP * self.top:
                found.append(i)
                highest = height
            highest = max(highest, height)
        return found


def fit_together(best: Best, sides: Sequence[Side]) -> None:
    """Go all sides at once: what they ask for next is fitted in one call."""
    ways = [(side, side.wishes()) for side in sides]
    while asked := [(side, wish) for side, way in ways for wish in next(way, ())]:
        found, heights = best.solve([(side.p, wish) for side, wish in asked])
        for row, (side, wish) in enumerate(asked):
            side.add(wish, float(heights[row]), found[row])
