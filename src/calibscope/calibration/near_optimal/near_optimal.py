r"""The near-optimal set: how far each parameter can move while the fit stays nearly as good.

For a parameter p the range is that of all t with

.. math:: \min_{q:\, q_p = t} f(q) \le \text{factor}^2 \min f,

that is, the other parameters are fitted anew and the root of the objective (RMSRE, by default)
stays within the factor of the best; or all prices stay between bid and ask. Ranges are found from
the inside: all pairs of speeds are scanned with the linear problem (`search.py`), the good ones
are fitted, and from the outermost of them each end is followed outwards, parameter held, others
refitted from their tangent, until the limit or a bound is met. So every end is a fit that keeps
the limit (`ends`); a near-optimal set that neither the scan nor its continuation shows can be
missed, and the range is then too short, never too long.

Such ranges are those of a profile (Bates and Watts, 1988, section 6.1).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from calibscope.base.arrays import Array, ArrayLike, BoolArray, frozen
from calibscope.calibration.g2.case import COUNT
from calibscope.calibration.g2.coordinates import SWAP, scaled, unscaled
from calibscope.calibration.g2.workbench import Workbench
from calibscope.calibration.problem import Problem
from calibscope.models.g2.model import G2
from calibscope.models.g2.parameters import PARAMETERS

ACCURACY = 0.01  # of the distance from the best fit, in scaled coordinates
NEAR_LIMIT = 0.05  # of the way from the best to the limit
SMALLEST = 1e-5  # distance in scaled coordinates that matters
MOST_TRIALS = 24  # per end
PASSES = 3
FIRST, FIRST_RHO = 0.1, 0.02  # trial step
LONGEST, LONGEST_RHO = 1.2, 0.3
LINES = 16  # so many lines of the scan are tried from each side
BETWEEN = 8  # and about so many between
WORTH_A_FIT = 30.0  # times the limit, on the scan, whose lines can miss a narrow near-optimal set
REWEIGHTINGS = 6


@dataclass(frozen=True, slots=True, eq=False)
class NearOptimalSet:
    """A range per parameter in which the fit stays nearly as good."""

    low: Array  # (5,)
    high: Array  # (5,)
    ends: Array  # (5, 2, 5) the parameters at each end
    is_low_at_bound: BoolArray  # (5,) the range ends because the bound does
    is_high_at_bound: BoolArray  # (5,)
    factor: float | None  # None: within bid and ask
    measure: str  # what stays within the factor: "RMSRE", by default
    is_inside: bool  # whether the fit itself keeps the limit; only bid and ask can deny it

    def range_of(self, name: str) -> tuple[float, float]:
        """The range of a parameter by name.

        All t with min f(q), q_p = t, at most factor^2 min f: a profile (Bates and Watts, 1988,
        section 6.1).

        Parameters
        ----------
        name : such as "a_x"

        Returns
        -------
        tuple[float, float]
            low and high
        """
        p = PARAMETERS.index(name)
        return float(self.low[p]), float(self.high[p])

    @property
    def width(self) -> Array:
        """(5,) high over low; for rho_xy, high minus low.

        high / low, and rho_high - rho_low, of the profile ranges (Bates and Watts, 1988, section
        6.1).
        """
        return np.append(self.high[:4] / self.low[:4], self.high[4] - self.low[4])


def near_optimal(
    problem: Problem,
    fit_parameters: ArrayLike | G2,
    factor: float = 1.1,
    *,
    bid_ask: bool = False,
    known: Iterable[G2] = (),
    bench: Workbench | None = None,
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
    Near-optimal set
        the range of every parameter, and the fits at its ends
    """
    best = fit_parameters.values if isinstance(fit_parameters, G2) else fit_parameters
    if not factor > 1.0:
        raise ValueError(f"factor is {factor}; give more than 1, such as 1.1")
    bench = bench or Workbench(problem)
    point = bench.problem.canonical(np.clip(np.asarray(best, float), problem.lower, problem.upper))
    limit: _Limit = _BidAsk(bench) if bid_ask else _Factor(bench, point, factor)
    search = _Search(bench, limit, point)
    if search.is_inside:
        search.collect(model.values for model in known)
        search.collect_from_scan()
        search.find_ends()
    low, high, ends = search.ends()
    at_low, at_high = low <= problem.lower, high >= problem.upper
    return NearOptimalSet(
        frozen(low), frozen(high), frozen(ends), at_low, at_high,
        None if bid_ask else factor, _measure(problem), search.is_inside,
    )  # fmt: skip


def _measure(problem: Problem) -> str:
    name = "RMSRE" if problem.weighting == "rmsre" else "the weighted error"
    return f"{name} with the anchor's pull" if problem.task.strength.any() else name


class _Limit(Protocol):
    """What still counts as nearly as good: `excess` of at most 0, growing with the distance."""

    def refit(self, start: Array, fixed: tuple[int, ...]) -> tuple[float, Array]:
        """Fit the others; excess and parameters."""


class _Factor:
    """The root of the objective within a factor of the best."""

    def __init__(self, bench: Workbench, best: Array, factor: float) -> None:
        self.bench, self.lowest = bench, bench.problem.objective(best)
        self.highest = factor**2 * max(self.lowest, bench.problem.perfect_objective)

    def refit(self, start: Array, fixed: tuple[int, ...]) -> tuple[float, Array]:
        value, point = self.bench.polished(start, fixed, steps=60)
        # Nearly linear in the distance from the best, where the objective is quadratic.
        rise = np.sqrt(max(value - self.lowest, 0.0) / (self.highest - self.lowest))
        return float(rise) - 1.0, point


class _BidAsk:
    """All prices between bid and ask.

    The largest distance from the middle, in half spreads, is made small by least squares whose
    weights grow where the distance is large (Lawson's method).
    """

    def __init__(self, bench: Workbench) -> None:
        day = bench.problem.day
        if day.bid_ask is None or np.isnan(day.bid_ask).all():
            raise ValueError(f"{day.label}: there are no bids and asks; give bid_ask to the day")
        self.bench = bench
        spread = day.bid_ask[:, 1] - day.bid_ask[:, 0]
        self.counts = spread > 0
        half = np.where(self.counts, 0.5 * spread, np.inf)
        self.middle = np.where(np.isnan(spread), day.prices, day.bid_ask.mean(axis=1))
        self.half = half

    def refit(self, start: Array, fixed: tuple[int, ...]) -> tuple[float, Array]:
        best, weights = (np.inf, start), 1.0 / self.half**2
        task = self.bench.case.task._replace(quotes=self.middle, strength=np.zeros(COUNT))
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

    def __init__(self, bench: Workbench, limit: _Limit, best: Array) -> None:
        self.bench, self.limit, self.best = bench, limit, best
        self.lower, self.upper = scaled(bench.problem.lower), scaled(bench.problem.upper)
        self.good: list[Array] = [scaled(best)]
        # All fixed: is the fit itself good?
        self.is_inside = limit.refit(best, tuple(range(COUNT)))[0] <= 0.0

    def ends(self) -> tuple[Array, Array, Array]:
        """Low, high, and the parameters there."""
        good = np.array(self.good)
        ends = np.array(
            [[unscaled(good[pick(good[:, p])]) for pick in (np.argmin, np.argmax)]
             for p in range(COUNT)]
        )  # fmt: skip
        # exp(log(bound)) need not be the bound.
        ends = np.clip(ends, self.bench.problem.lower, self.bench.problem.upper)
        for p in range(COUNT):
            for side in range(2):
                near = np.abs(scaled(ends[p, side]) - np.array([self.lower, self.upper])) < 1e-12
                ends[p, side] = np.where(near[0], self.bench.problem.lower, ends[p, side])
                ends[p, side] = np.where(near[1], self.bench.problem.upper, ends[p, side])
        diagonal = np.arange(COUNT)
        return ends[diagonal, 0, diagonal], ends[diagonal, 1, diagonal], ends

    def collect(self, points: Iterable[Array]) -> None:
        """Keep those that are good."""
        for point in points:
            self.refit(scaled(self.bench.problem.canonical(point)), tuple(range(COUNT)))

    def refit(self, start: Array, fixed: tuple[int, ...]) -> tuple[float, Array]:
        """Excess and coordinates of the fit with some held; good ones are kept."""
        clipped = np.clip(start, self.lower, self.upper)
        excess, point = self.limit.refit(unscaled(clipped), fixed)
        end = scaled(point)
        end[list(fixed)] = clipped[list(fixed)]
        if self.bench.problem.is_symmetric and end[0] < end[1] - 1e-12:
            # The factors have changed places: the held one is no longer the one that was asked.
            if excess <= 0.0:
                self.good.append(scaled(point[SWAP]))
            return self._at_equal_speeds(clipped, fixed)
        if excess <= 0.0:
            self.good.append(end)
        return excess, end

    def _at_equal_speeds(self, start: Array, fixed: tuple[int, ...]) -> tuple[float, Array]:
        """The best with equal speeds, at one that is held."""
        if not (0 in fixed or 1 in fixed):
            return np.inf, start
        held = start.copy()
        held[0] = held[1] = start[0 if 0 in fixed else 1]
        excess, point = self.limit.refit(unscaled(held), tuple({0, 1, *fixed}))
        end = scaled(point)
        end[:2] = held[:2]
        if excess <= 0.0:
            self.good.append(end)
        return excess, end

    def collect_from_scan(self) -> None:
        """Good fits along the lines of the scan: the best pair of each line, its speed held."""
        if not self.bench.problem.is_plain:
            return
        scan = self.bench.scan_around(self.best)
        most = WORTH_A_FIT * scan.values.min()
        for axis, values in ((0, scan.values), (1, scan.values.T)):
            lines = np.flatnonzero(values.min(axis=1) <= most)

            def is_good(line: int, axis: int = axis, values: Array = values) -> bool:
                other = int(np.argmin(values[line]))
                start = scan.point(*((line, other) if axis == 0 else (other, line)))
                start = np.clip(start, self.bench.problem.lower, self.bench.problem.upper)
                return self.refit(scaled(start), (axis,))[0] <= 0.0

            # The outermost good lines, and some between, where the near-optimal set may have
            # branches.
            for order in (lines, lines[::-1]):
                next((line for line in order[:LINES] if is_good(int(line))), None)
            for line in lines[:: max(len(lines) // BETWEEN, 1)]:
                is_good(int(line))

    def find_ends(self) -> None:
        """Follow every end outwards: from the best fit, then from whatever is further out."""
        reached = np.empty((COUNT, 2))
        movable = [
            (p, side) for p in range(COUNT) if self.lower[p] < self.upper[p] for side in (0, 1)
        ]
        for p, side in movable:
            reached[p, side] = self._follow(p, side, self.good[0])
        for _ in range(PASSES):
            further = [
                (p, side, self._outermost(p, side))
                for p, side in movable
                if abs(self._outermost(p, side)[p] - reached[p, side]) > SMALLEST
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
        inside, step = start, FIRST if p < 4 else FIRST_RHO
        excess, _ = self.limit.refit(unscaled(start), tuple(range(COUNT)))
        outside: tuple[float, float] | None = None
        for _ in range(MOST_TRIALS):
            room = abs((bound if outside is None else outside[0]) - inside[p])
            close = max(ACCURACY * abs(inside[p] - home), SMALLEST)
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
                step = min(step, LONGEST if p < 4 else LONGEST_RHO)
                inside, excess = end, value
            else:
                outside = (target, min(value, 1e3))
        return float(inside[p])

    def _tangent(self, here: Array, p: int) -> Array:
        """How the fitted others move with parameter p, by the Hessian on the free ones."""
        local = self.bench.local(unscaled(here))
        free = local.is_free.copy()
        free[p] = False
        direction = np.zeros(COUNT)
        if free.any():
            second_order = local.curvature[np.ix_(free, free)]
            size = np.sqrt(np.abs(np.diag(second_order)) + 1e-300)
            solved, *_ = np.linalg.lstsq(
                second_order / np.outer(size, size), -local.curvature[free, p] / size, rcond=1e-9
            )
            direction[free] = np.clip(solved / size, -3.0, 3.0)
        direction[p] = 1.0
        return direction
