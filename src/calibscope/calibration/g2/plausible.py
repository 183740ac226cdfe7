"""What is plausible for G2++: bounds on speeds and volatilities, and speeds that differ.

Volatilities of 100 % a year with a correlation of -0.99996 can be the true minimum of the problem
as posed; no one should feed them to a scenario generator.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize_scalar

from calibscope.base.arrays import Array, frozen
from calibscope.base.numbers import number
from calibscope.calibration.g2.bench import Workbench
from calibscope.calibration.g2.symmetry import is_plain, is_symmetric
from calibscope.calibration.near_optimal.plausible import ROUNDING
from calibscope.calibration.problem import Problem
from calibscope.models.g2.model import G2
from calibscope.models.g2.parameters import PARAMETERS, SPECS
from calibscope.models.model import Model

GRID_MINIMA = 12  # descents from the lowest places of the scan
EDGE_POINTS = 48  # on the edge where the speeds are as near as allowed
EDGE_MINIMA = 3


@dataclass(frozen=True, slots=True)
class PlausibleBox:
    """What an economic-scenario team would accept."""

    sigma_highest: float = SPECS["sigma_x"].plausible[1]  # a factor that moves 10 % a year
    a_lowest: float = SPECS["a_x"].plausible[0]  # below 0.01 no quote can tell speeds apart
    a_highest: float = SPECS["a_x"].plausible[1]  # half-life of seven weeks
    ratio_lowest: float = 1.2  # faster over slower speed; at 1 there is one factor only

    def __post_init__(self) -> None:
        if not (0 < self.a_lowest < self.a_highest and self.sigma_highest > 0):
            raise ValueError(f"{self}: give 0 < a_lowest < a_highest and sigma_highest > 0")
        if not 1.0 <= self.ratio_lowest < self.a_highest / self.a_lowest:
            raise ValueError(f"{self}: give 1 <= ratio_lowest < a_highest / a_lowest")

    def reasons(self, model: Model) -> tuple[str, ...]:
        """Why the parameters are not acceptable, such as 'sigma_x = 1.00 is above 0.1'.

        Parameters
        ----------
        model : parameters

        Returns
        -------
        tuple[str, ...]
            one a parameter or pair; empty if acceptable
        """
        return tuple(self._reasons(*model.values[:4].tolist()))

    def fit(self, problem: Problem) -> G2 | None:
        """The best fit inside the box; see `plausible_fit`.

        Parameters
        ----------
        problem : with its own bounds

        Returns
        -------
        G2 | None
            parameters, or None if the problem's own bounds leave nothing inside
        """
        return plausible_fit(problem, self)

    def _reasons(self, a_x: float, a_y: float, sigma_x: float, sigma_y: float) -> Iterator[str]:
        for name, value in zip(PARAMETERS[:2], (a_x, a_y), strict=True):
            if value > self.a_highest * (1 + ROUNDING):
                yield f"{name} = {number(value)} is above {self.a_highest:g}"
            if value < self.a_lowest * (1 - ROUNDING):
                yield f"{name} = {number(value)} is below {self.a_lowest:g}"
        for name, value in zip(PARAMETERS[2:4], (sigma_x, sigma_y), strict=True):
            if value > self.sigma_highest * (1 + ROUNDING):
                yield f"{name} = {number(value, '.2f')} is above {self.sigma_highest:g}"
        if max(a_x, a_y) < self.ratio_lowest * min(a_x, a_y) * (1 - ROUNDING):
            ratio = max(a_x, a_y) / min(a_x, a_y)
            limit = f"below {self.ratio_lowest:g}"
            yield f"the speeds are nearly equal (ratio {number(ratio)}, {limit})"

    def bounds(self, problem: Problem) -> tuple[Array, Array] | None:
        """Bounds inside both box and problem; None if there is nothing inside both.

        max(lower, box) <= p <= min(upper, box); the outer bounds are the paper's (section on
        implementation), the box is ours.

        Parameters
        ----------
        problem : with its own bounds

        Returns
        -------
        tuple[Array, Array] | None
            lower and upper, (5,) each
        """
        lower = np.maximum(problem.lower, [self.a_lowest, self.a_lowest, 0.0, 0.0, -1.0])
        highest = [self.a_highest, self.a_highest, self.sigma_highest, self.sigma_highest, 1.0]
        upper = np.minimum(problem.upper, highest)
        return (frozen(lower), frozen(upper)) if (lower <= upper).all() else None


DEFAULT_BOX = PlausibleBox()


def plausible_fit(problem: Problem, box: PlausibleBox = DEFAULT_BOX) -> G2 | None:
    """The best fit inside the box, or None if the problem's own bounds leave nothing inside.

    The global search inside the box; where its end has speeds too near to each other, the best of
    the other minima, and of the edge where the ratio of the speeds is the lowest allowed.

    argmin of f(p) = sum w_k (g_k(p) - y_k)^2 over p in the box (paper, eq. wls_form).

    Parameters
    ----------
    problem : with its own bounds
    box : what is plausible

    Returns
    -------
    G2 | None
        parameters, or None
    """
    bounds = box.bounds(problem)
    if bounds is None:
        return None
    from calibscope.calibration.g2.solver import solve

    tight = replace(problem, lower=bounds[0], upper=bounds[1])
    ends = solve(tight)
    first = G2(*ends.parameters[0])
    if not box.reasons(first):
        return G2(*problem.canonical(first.values))
    bench = Workbench(tight)
    candidates = [*zip(ends.objectives, ends.parameters, strict=True)]
    candidates += [
        bench.descended(start) for start in _near_optimal_points(bench, first.values, box)
    ]
    starts = [point for _, point in candidates]
    candidates += _edge(bench, box.ratio_lowest, starts)
    if not is_symmetric(tight):
        candidates += _edge(bench, box.ratio_lowest, starts, is_swapped=True)
    plausible = [(value, point) for value, point in candidates if not box.reasons(G2(*point))]
    if not plausible:
        return None
    _, point = min(plausible, key=lambda pair: pair[0])
    return G2(*problem.canonical(point))


def _near_optimal_points(bench: Workbench, near: Array, box: PlausibleBox) -> list[Array]:
    """The lowest places of the scan among the pairs with speeds far enough apart."""
    if not is_plain(bench.problem):
        return []
    scan = bench.scan_around(near)
    apart = scan.speeds[:, None] >= box.ratio_lowest * scan.speeds[None, :]
    values = np.where(apart, scan.values, np.inf)
    padded = np.pad(values, 1, constant_values=np.inf)
    n = len(values)
    neighbours = [
        padded[1 + i : 1 + i + n, 1 + j : 1 + j + n]
        for i in (-1, 0, 1)
        for j in (-1, 0, 1)
        if (i, j) != (0, 0)
    ]
    is_lowest = np.isfinite(values) & (values <= np.min(neighbours, axis=0))
    places = np.argwhere(is_lowest)
    order = np.argsort(values[is_lowest])[:GRID_MINIMA]
    return [scan.point(int(i), int(j)) for i, j in places[order]]


def _edge(
    bench: Workbench, ratio: float, starts: list[Array], is_swapped: bool = False
) -> list[tuple[float, Array]]:
    """The best fits on the edge a_x = ratio a_y (or, swapped, a_y = ratio a_x)."""
    lower, upper = bench.problem.lower, bench.problem.upper
    fast, slow = (1, 0) if is_swapped else (0, 1)
    low = max(lower[slow], lower[fast] / ratio)
    high = min(upper[slow], upper[fast] / ratio)
    if low > high:
        return []
    usual = np.array([0.0, 0.0, 0.02, 0.02, -0.7])
    last = starts[0]

    def refit(log_speed: float) -> tuple[float, Array]:
        nonlocal last
        ends = []
        for start in (last, usual):
            point = start.copy()
            point[slow] = min(max(float(np.exp(log_speed)), low), high)
            point[fast] = min(max(ratio * point[slow], lower[fast]), upper[fast])
            ends.append(bench.polished(point, fixed=(0, 1)))
        best = min(ends, key=lambda end: end[0])
        last = best[1]
        return best

    places = np.linspace(np.log(low), np.log(high), EDGE_POINTS if low < high else 1)
    found = [refit(place) for place in places]
    heights = np.array([np.inf, *(value for value, _ in found), np.inf])
    minima = np.flatnonzero((heights[1:-1] <= heights[:-2]) & (heights[1:-1] <= heights[2:]))
    for place in minima[np.argsort(heights[1:-1][minima])][:EDGE_MINIMA]:
        left, right = places[max(place - 1, 0)], places[min(place + 1, len(places) - 1)]
        if left < right:
            last = found[place][1]
            end = minimize_scalar(
                lambda x: refit(x)[0], bounds=(left, right), method="bounded",
                options={"xatol": 1e-7},
            )  # fmt: skip
            found.append(refit(float(end.x)))
    return found
