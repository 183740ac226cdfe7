r"""The near-optimal set: how far each parameter can move while the fit stays nearly as good.

For a parameter p the range is that of all t with

.. math:: \min_{q:\, q_p = t} f(q) \le \text{factor}^2 \min f,

that is, the other parameters are fitted anew and the root of the objective (RMSRE, by default)
stays within the factor of the best; or all prices stay between bid and ask. Ranges are found from
the inside: known optima, and for G2++ the good pairs of speeds of a scan with the linear problem
(`g2/search.py`), are fitted, and from the outermost of them each end is followed outwards,
parameter held, others refitted from their tangent, until the limit or a bound is met. So every end
is a fit that keeps the limit (`extremes`); a part of the set that neither the scan nor its
continuation shows can be missed, and the range is then too short, never too long.

Such ranges are those of a profile (Bates and Watts, 1988, section 6.1).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from calibscope.base.arrays import Array, ArrayLike, BoolArray, frozen
from calibscope.base.parameters import Specs
from calibscope.calibration.bench import Bench, Fixed
from calibscope.calibration.problem import Problem
from calibscope.calibration.search import search_for
from calibscope.models.model import Model

ACCURACY = 0.01  # of the distance from the best fit, in scaled coordinates
NEAR_LIMIT = 0.05  # of the way from the best to the limit
SMALLEST = 1e-5  # distance in scaled coordinates that matters, over the size of a step of one
MOST_TRIALS = 24  # per end
PASSES = 3
FIRST, LONGEST = 0.1, 1.2  # trial steps of a logarithm
FIRST_SHARE, LONGEST_SHARE = 0.01, 0.15  # and of others, as shares of the way between bounds
REWEIGHTINGS = 6


@dataclass(frozen=True, slots=True, eq=False)
class NearOptimalSet:
    """A range per parameter in which the fit stays nearly as good."""

    specs: Specs
    low: Array  # (p,)
    high: Array  # (p,)
    extremes: Array  # (p, 2, p) the parameters at each end
    is_low_at_bound: BoolArray  # (p,) the range ends because the bound does
    is_high_at_bound: BoolArray  # (p,)
    factor: float | None  # None: within bid and ask
    measure: str  # what stays within the factor: "RMSRE", by default
    is_inside: bool  # whether the fit itself keeps the limit; only bid and ask can deny it

    def range_of(self, name: str) -> tuple[float, float]:
        """The range of a parameter by name.

        All t with min f(q), q_p = t, at most factor^2 min f: a profile (Bates and Watts, 1988,
        section 6.1).

        Parameters
        ----------
        name : of a parameter

        Returns
        -------
        tuple[float, float]
            low and high
        """
        p = self.specs.place(name)
        return float(self.low[p]), float(self.high[p])

    @property
    def width(self) -> Array:
        """(p,) high over low; for parameters without a logarithm, high minus low."""
        is_log = self.specs.coordinates.is_log
        ratios = self.high / np.where(is_log, self.low, 1.0)
        return np.where(is_log, ratios, self.high - self.low)


def near_optimal(
    problem: Problem,
    fit_parameters: ArrayLike | Model,
    factor: float = 1.1,
    *,
    bid_ask: bool = False,
    known: Iterable[Model] = (),
    bench: Bench | None = None,
) -> NearOptimalSet:
    r"""How far each parameter can move while the refitted others keep the fit nearly as good.

    .. math:: \min_{q:\, q_p = t} f(q) \le \text{factor}^2 \min f

    for all t of the range: a profile (Bates and Watts, 1988, section 6.1) at a level of one's own.

    Parameters
    ----------
    problem : quotes, weights and bounds
    fit_parameters : the best fit
    factor : of the root of the objective, above 1
    bid_ask : all prices between bid and ask instead; quotes without both do not count
    known : other good fits, such as local optima
    bench : the solvers of the same problem, if there is one already

    Returns
    -------
    NearOptimalSet
        the range of every parameter, and the fits at its ends
    """
    best = fit_parameters.values if isinstance(fit_parameters, Model) else fit_parameters
    if not factor > 1.0:
        raise ValueError(f"factor is {factor}; give more than 1, such as 1.1")
    bench = bench or search_for(problem.model).bench(problem)
    point = bench.problem.canonical(np.clip(np.asarray(best, float), problem.lower, problem.upper))
    limit: _Limit = _BidAsk(bench) if bid_ask else _Factor(bench, point, factor)
    search = _Search(bench, limit, point)
    if search.is_inside:
        search.collect(model.values for model in known)
        search.collect_from_lines()
        search.find_ends()
    low, high, extremes = search.extremes()
    at_low, at_high = low <= problem.lower, high >= problem.upper
    return NearOptimalSet(
        problem.specs, frozen(low), frozen(high), frozen(extremes), at_low, at_high,
        None if bid_ask else factor, _measure(problem), search.is_inside,
    )  # fmt: skip


def _measure(problem: Problem) -> str:
    name = "RMSRE" if problem.weighting == "rmsre" else "the weighted error"
    return f"{name} with the anchor's pull" if problem.has_anchor else name


class _Limit(Protocol):
    """What still counts as nearly as good: `excess` of at most 0, growing with the distance."""

    def refit(self, start: Array, fixed: Fixed) -> tuple[float, Array]:
        """Fit the others; excess and parameters."""


class _Factor:
    """The root of the objective within a factor of the best."""

    def __init__(self, bench: Bench, best: Array, factor: float) -> None:
        self.bench, self.lowest = bench, bench.problem.objective(best)
        self.highest = factor**2 * max(self.lowest, bench.problem.perfect_objective)

    def refit(self, start: Array, fixed: Fixed) -> tuple[float, Array]:
        value, point = self.bench.polished(start, fixed, steps=60)
        # Nearly linear in the distance from the best, where the objective is quadratic.
        rise = np.sqrt(max(value - self.lowest, 0.0) / (self.highest - self.lowest))
        return float(rise) - 1.0, point


class _BidAsk:
    """All prices between bid and ask.

    The largest distance from the middle, in half spreads, is made small by least squares whose
    weights grow where the distance is large (Lawson's method).
    """

    def __init__(self, bench: Bench) -> None:
        day = bench.problem.day
        if day.bid_ask is None or np.isnan(day.bid_ask).all():
            raise ValueError(f"{day.label}: there are no bids and asks; give bid_ask to the day")
        self.bench = bench
        spread = day.bid_ask[:, 1] - day.bid_ask[:, 0]
        self.counts = spread > 0
        half = np.where(self.counts, 0.5 * spread, np.inf)
        self.middle = np.where(np.isnan(spread), day.prices, day.bid_ask.mean(axis=1))
        self.half = half

    def refit(self, start: Array, fixed: Fixed) -> tuple[float, Array]:
        best, weights = (np.inf, start), 1.0 / self.half**2
        task = self.bench.problem.task._replace(
            quotes=self.middle, strength=np.zeros(len(self.bench.problem.specs))
        )
        for _ in range(REWEIGHTINGS):
            task = task._replace(root_weights=np.sqrt(weights))
            _, point = self.bench.polished(start, fixed, steps=60, task=task)
            away = np.abs(self.bench.problem.values(point, 0).prices - self.middle) / self.half
            best = min(best, (float(away.max()) - 1.0, point), key=lambda pair: pair[0])
            if best[0] <= 0.0:
                break
            weights = weights * np.maximum(away / away.max(), 1e-3)
            start = point
        return best


class _Search:
    """The good fits known so far, and the search for the outermost."""

    def __init__(self, bench: Bench, limit: _Limit, best: Array) -> None:
        self.bench, self.limit, self.best = bench, limit, best
        self.scale, self.count = bench.problem.specs.coordinates, len(bench.problem.specs)
        self.every = tuple(range(self.count))
        is_log = self.scale.is_log
        self.smallest = SMALLEST * np.where(is_log, 1.0, bench.problem.specs.sizes)
        self.lower, self.upper = (
            self.scale.of(bench.problem.lower),
            self.scale.of(bench.problem.upper),
        )
        self.good: list[Array] = [self.scale.of(best)]
        # All fixed: is the fit itself good?
        self.is_inside = limit.refit(best, self.every)[0] <= 0.0

    def extremes(self) -> tuple[Array, Array, Array]:
        """Low, high, and the parameters there."""
        good, problem = np.array(self.good), self.bench.problem
        chosen = [(good[:, p].argmin(), good[:, p].argmax()) for p in self.every]
        # exp(log(bound)) need not be the bound.
        ends = np.clip(self.scale.values(good[chosen]), problem.lower, problem.upper)
        here = self.scale.of(ends)
        ends = np.where(np.abs(here - self.lower) < 1e-12, problem.lower, ends)
        ends = np.where(np.abs(here - self.upper) < 1e-12, problem.upper, ends)
        diagonal = np.arange(self.count)
        return ends[diagonal, 0, diagonal], ends[diagonal, 1, diagonal], ends

    def collect(self, points: Iterable[Array]) -> None:
        """Keep those that are good."""
        for point in points:
            self.refit(self.scale.of(self.bench.problem.canonical(point)), self.every)

    def refit(self, start: Array, fixed: Fixed) -> tuple[float, Array]:
        """Excess and coordinates of the fit with some held; good ones are kept."""
        clipped = np.clip(start, self.lower, self.upper)
        excess, point = self.limit.refit(self.scale.values(clipped), fixed)
        end = self.scale.of(point)
        end[list(fixed)] = clipped[list(fixed)]
        swapped = self.bench.swapped(self.scale.values(end))
        if swapped is not None:
            # The factors have changed places: the held one is no longer the one that was asked.
            if excess <= 0.0:
                self.good.append(self.scale.of(swapped))
            return self._on_edge(clipped, fixed)
        if excess <= 0.0:
            self.good.append(end)
        return excess, end

    def _on_edge(self, start: Array, fixed: Fixed) -> tuple[float, Array]:
        """The best on the border between the two orders of the factors."""
        border = self.bench.edge(start, fixed)
        if border is None:
            return np.inf, start
        held, fixed = border
        excess, point = self.limit.refit(self.scale.values(held), fixed)
        end = self.scale.of(point)
        end[list(fixed)] = held[list(fixed)]
        if excess <= 0.0:
            self.good.append(end)
        return excess, end

    def collect_from_lines(self) -> None:
        """Good fits that the bench knows of: of each line the first."""
        for line in self.bench.lines(self.best):
            for start, fixed in line:
                if self.refit(self.scale.of(start), fixed)[0] <= 0.0:
                    break

    def find_ends(self) -> None:
        """Follow every end outwards: from the best fit, then from whatever is further out."""
        reached = np.empty((self.count, 2))
        movable = [
            (p, side) for p in self.every if self.lower[p] < self.upper[p] for side in (0, 1)
        ]
        for p, side in movable:
            reached[p, side] = self._follow(p, side, self.good[0])
        for _ in range(PASSES):
            further = [
                (p, side, self._outermost(p, side))
                for p, side in movable
                if abs(self._outermost(p, side)[p] - reached[p, side]) > self.smallest[p]
            ]
            for p, side, start in further:
                reached[p, side] = self._follow(p, side, start)
            if not further:
                break

    def _outermost(self, p: int, side: int) -> Array:
        good = np.array(self.good)
        return np.asarray(good[np.argmax(good[:, p]) if side else np.argmin(good[:, p])])

    def _follow(self, p: int, side: int, start: Array) -> float:
        """Outwards from a good fit, until the limit is met; how far."""
        sign, bound = (1.0, self.upper[p]) if side else (-1.0, self.lower[p])
        home = self.good[0][p]
        inside, (step, longest) = start, self._steps(p)
        excess, _ = self.limit.refit(self.scale.values(start), self.every)
        outside: tuple[float, float] | None = None
        for _ in range(MOST_TRIALS):
            room = abs((bound if outside is None else outside[0]) - inside[p])
            close = max(ACCURACY * abs(inside[p] - home), self.smallest[p])
            if room == 0.0 or (outside is not None and room <= close and excess > -NEAR_LIMIT):
                break
            if outside is not None and room <= close:
                # Well inside the limit beside a point outside: that one was judged too early,
                # when its fit still crept along a degenerate direction.
                outside, step = None, 2.0 * room
                continue
            if outside is not None:
                # Where the line through both excesses meets the limit, a little inside.
                share = -excess / max(outside[1] - excess, 1e-300)
                step = room * min(max(0.98 * share, 0.15), 0.9)
            target = inside[p] + sign * min(step, room)
            trial = inside + self._tangent(inside, p) * (target - inside[p])
            trial[p] = target
            value, end = self.refit(trial, (p,))
            if value > 0.0 and outside is None:
                # The tangent may mislead: once more from where we stand.
                plain = inside.copy()
                plain[p] = target
                value, end = min((value, end), self.refit(plain, (p,)), key=lambda pair: pair[0])
            if value <= 0.0:
                # Far better than expected: take longer steps.
                step *= 2.0 if value < 0.5 * excess or value < -0.2 else 1.0
                step = min(step, longest)
                inside, excess = end, value
            else:
                outside = (target, min(value, 1e3))
        return float(inside[p])

    def _steps(self, p: int) -> tuple[float, float]:
        """The first trial step of a parameter, and the longest."""
        spec = self.bench.problem.specs.parameters[p]
        if spec.scale.transform == "log":
            return FIRST, LONGEST
        return FIRST_SHARE * 2.0 * spec.size, LONGEST_SHARE * 2.0 * spec.size

    def _tangent(self, here: Array, p: int) -> Array:
        """How the fitted others move with parameter p, by the Hessian on the free ones."""
        local = self.bench.local(self.scale.values(here))
        free = local.is_free.copy()
        free[p] = False
        direction = np.zeros(self.count)
        if free.any():
            curvature = local.curvature[np.ix_(free, free)]
            size = np.sqrt(np.abs(np.diag(curvature)) + 1e-300)
            solved, *_ = np.linalg.lstsq(
                curvature / np.outer(size, size), -local.curvature[free, p] / size, rcond=1e-9
            )
            # From the solver's coordinates, of the Hessian, to those in which ranges are measured.
            specs, point = self.bench.problem.specs, self.scale.values(here)
            ratio = specs.solver.slopes(point) / self.scale.slopes(point)
            direction[free] = np.clip(solved / size * ratio[free] / ratio[p], -3.0, 3.0)
        direction[p] = 1.0
        return direction
