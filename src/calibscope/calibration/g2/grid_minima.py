r"""Local minima of the scan, between the points of its grid.

A fast factor beside a slow one leaves the slow speed less room than a step of the grid. Its points
then miss the floor of a long narrow strip by different amounts, and where the floor is
lowest cannot be told from them. The columns of the linear model, however, are smooth in the speeds:
between three neighbours they are interpolated,

.. math:: y(t) = \tfrac{t (t - 1)}{2}\,y_- + (1 - t^2)\,y_0 + \tfrac{t (t + 1)}{2}\,y_+,

and the cone problem is solved between the grid's points, around every minimum along a row or a
column. These floors follow the strips; the lowest among their neighbours are taken. Along a
strip, too, a minimum may hide between two points of the grid, where a correlation meets
its bound. And where a long floor is almost level, which part of it is lowest is for true prices to
say: some points far from the minima are taken as well.
"""

import math

import numpy as np

from calibscope.base.arrays import Array, Indices
from calibscope.base.compiled import compiled
from calibscope.calibration.g2.case import Case
from calibscope.calibration.g2.cone import cone_fit
from calibscope.calibration.g2.pairs import Pairs
from calibscope.calibration.g2.surrogate import largest_square
from calibscope.models.g2.parameters import SLOW

TOO_HIGH = 100.0  # times the limit: no floor is that far below the grid's points
ACROSS, ALONG, HALVINGS = 0.5, 0.25, 3  # first steps, and how often they are halved
SAME_HEIGHT = 0.01  # relative: points on a plateau that are alike
PLATEAU = 2  # steps of the grid
MINIMA, AT_EDGE, OUTPOSTS = 0, 1, 2  # what is taken: the fastest speed, too, and points between
FAR_FROM = (0, 2, 5)  # steps from all others that were taken
MOST_OUTPOSTS = 3
LEVEL = 1.1  # times the lowest: a floor that is almost level
UNRESOLVED_SHARE = 0.25  # of the sum of squares that the grid does not resolve


@compiled
def grid_minima(
    allowed: float, least: float, case: Case, pairs: Pairs, near: Indices, speeds: Array
) -> int:
    """Speeds (k, 2) at the local minima of the scan, lowest first, and the pairs near; how many.

    Parameters
    ----------
    allowed : how much higher than the lowest they may be
    least : sum of squares that the lowest is taken for, at least
    """
    n, values, m = pairs.speeds.size, pairs.values, case.task.quotes.size
    floor, shifts = np.full((n, n), np.inf), np.zeros((n, n, 2))
    lowest, lines = max(np.min(values), least), np.empty((9, m))
    for i in range(1, n):
        for j in range(i):
            here = values[i, j]
            if not here < TOO_HIGH * allowed * lowest:
                continue
            up = i < n - 1 and values[i + 1, j] >= here
            down = i - 1 > j and values[i - 1, j] >= here
            left = j > 0 and values[i, j - 1] >= here
            right = j + 1 < i and values[i, j + 1] >= here
            # An end of a row or column counts as a minimum there, but has no floor beside it.
            in_column = (up or i == n - 1) and (down or i - 1 == j)
            in_row = (left or j == 0) and (right or j + 1 == i)
            if in_column or in_row:
                floor[i, j] = here
            else:
                continue
            if i - 1 > j and i < n - 1:
                fill_lines(i, j, True, case, pairs, lines)
                height, shift = floor_between(ACROSS if in_column else ALONG, case, lines)
                if height < floor[i, j]:
                    floor[i, j], shifts[i, j, 0] = height, shift
            if j > 0 and j + 1 < i:
                fill_lines(i, j, False, case, pairs, lines)
                height, shift = floor_between(ACROSS if in_row else ALONG, case, lines)
                if height < floor[i, j]:
                    floor[i, j], shifts[i, j, 0], shifts[i, j, 1] = height, 0.0, shift
    limit = allowed * max(np.min(floor), least)
    # Where fits are nearly perfect, floors that differ by less than the grid resolves are level.
    lowest = np.min(floor)
    is_resolved = lowest > UNRESOLVED_SHARE * least
    level = LEVEL * (lowest if is_resolved else UNRESOLVED_SHARE * least)
    most = MOST_OUTPOSTS if is_resolved else 2 * MOST_OUTPOSTS
    heights, places, found = np.empty(n * n // 2), np.empty((n * n // 2, 2), np.int64), 0
    for i in range(1, n):
        for j in range(i):
            if floor[i, j] < limit:
                heights[found] = floor[i, j]
                places[found, 0], places[found, 1] = i, j
                found += 1
    order, count, outposts = np.argsort(heights[:found]), 0, 0
    for stage in (MINIMA, AT_EDGE, OUTPOSTS):
        for c in order:
            i, j = places[c]
            if count == len(speeds) or outposts == most:
                break
            if stage == MINIMA:
                is_taken = is_lowest_nearby(i, j, floor) and not is_alike(i, j, near[:count], floor)
            else:
                is_taken = heights[c] < level and nearest(i, j, near[:count]) >= FAR_FROM[stage]
            if stage == AT_EDGE:
                is_taken &= i == n - 1 and outposts == 0
            if not is_taken:
                continue
            if stage != MINIMA:
                outposts += 1
            near[count] = places[c]
            speeds[count, 0] = shifted_speed(i, shifts[i, j, 0], pairs.speeds)
            speeds[count, 1] = shifted_speed(j, shifts[i, j, 1], pairs.speeds)
            count += 1
    return count


@compiled
def fill_lines(i: int, j: int, is_column: bool, case: Case, pairs: Pairs, lines: Array) -> None:
    """Columns of the linear model at a pair and its two neighbours along a row or column.

    Rows 0 to 2: of the speed that stays; 3 to 5: of the one that moves; 6 to 8: of both together.
    """
    for k in range(case.task.quotes.size):
        for step in range(3):
            a, b = (i + step - 1, j) if is_column else (i, j + step - 1)
            lines[step, k] = pairs.columns[k, j if is_column else i]
            lines[3 + step, k] = pairs.columns[k, a if is_column else b]
            lines[6 + step, k] = pairs.mixed[k, a * (a - 1) // 2 + b]


@compiled
def floor_between(step: float, case: Case, lines: Array) -> tuple[float, float]:
    """The lowest sum of squares of the linear model between neighbours, and where.

    Parameters
    ----------
    step : the first; all of them together reach less than twice as far
    """
    best, place = value_at(0.0, case, lines), 0.0
    for _ in range(HALVINGS):
        below, above = value_at(place - step, case, lines), value_at(place + step, case, lines)
        if min(below, above) < best:
            best, place = (below, place - step) if below < above else (above, place + step)
        step *= 0.5
    return best, place


@compiled
def value_at(t: float, case: Case, lines: Array) -> float:
    """The linear model's sum of squares at a part of a step beside the middle."""
    m, design = case.task.quotes.size, case.surrogate.design
    solution = case.work.probe
    before, here, after = 0.5 * t * (t - 1.0), 1.0 - t * t, 0.5 * t * (t + 1.0)
    for k in range(m):
        design[0, k] = lines[0, k]
        design[1, k] = before * lines[3, k] + here * lines[4, k] + after * lines[5, k]
        design[2, k] = before * lines[6, k] + here * lines[7, k] + after * lines[8, k]
    return cone_fit(design, case.surrogate.target, m, largest_square(case), solution)


@compiled
def is_lowest_nearby(i: int, j: int, floor: Array) -> bool:
    """Whether none of the eight neighbours is lower."""
    n = len(floor)
    for a in range(max(i - 1, 0), min(i + 2, n)):
        for b in range(max(j - 1, 0), min(j + 2, n)):
            if floor[a, b] < floor[i, j]:
                return False
    return True


@compiled
def is_alike(i: int, j: int, chosen: Indices, floor: Array) -> bool:
    """Whether a point on the same plateau was chosen before."""
    here = floor[i, j]
    for c in range(len(chosen)):
        there = floor[chosen[c, 0], chosen[c, 1]]
        is_near = nearest(i, j, chosen[c : c + 1]) <= PLATEAU
        if is_near and abs(there - here) <= SAME_HEIGHT * here:
            return True
    return False


@compiled
def nearest(i: int, j: int, chosen: Indices) -> int:
    """How many steps away the nearest of the points chosen before is."""
    steps = 1 << 30
    for c in range(len(chosen)):
        steps = min(steps, max(abs(chosen[c, 0] - i), abs(chosen[c, 1] - j)))
    return steps


@compiled
def shifted_speed(place: int, shift: float, speeds: Array) -> float:
    """The speed a part of a step beside one of the grid, whose steps are even in log(a + 0.01)."""
    if shift == 0.0:
        return float(speeds[place])
    other = place + 1 if shift > 0.0 else place - 1
    step = math.log((speeds[other] + SLOW) / (speeds[place] + SLOW))
    return float((speeds[place] + SLOW) * math.exp(abs(shift) * step) - SLOW)
