r"""Basins: did a refit slide to where it is, or jump there?

A sum of squares can have several minima. When quotes change, the best of them can become another
one, and no derivative foretells that. Two points lie in different basins if the best way between
them goes uphill. It is looked for in two steps: the straight way, which costs little and clears
most; then, where that rises, the best fits with one parameter held at values in between, that which
moved most (a profile). A valley may be curved, and its profile still runs downhill.
"""

import numpy as np

from calibscope.base.arrays import Array, Marks
from calibscope.diagnosis.least_squares import LOG, LeastSquares
from calibscope.diagnosis.refit import Refit, sum_of_squares

STATIONS = np.linspace(0.0, 1.0, 9)  # along a way
RISE = 1e-4  # of the objective at the start: beyond what solvers leave
ROUNDING = 1e-20  # of the weighted squares of the quotes: residuals of 1e-10 are none


def is_elsewhere(
    refit: Refit, problem: LeastSquares, quotes: Array, weights: Array, ends: Array
) -> Marks:
    """(n,) whether a ridge lies between the fit and the best parameters for other quotes.

    Parameters
    ----------
    quotes, weights : (n, m) of the other problems
    ends : (n, p) their best parameters
    """
    is_apart = np.zeros(len(ends), dtype=bool)
    for i, end in enumerate(ends):
        start, goal = (_coordinates(problem, point) for point in (problem.values, end))
        way = _parameters(problem, start + STATIONS[:, None] * (goal - start))
        if _rises(refit, way, quotes[i], weights[i]):
            mover = int(np.abs(goal - start).argmax())
            way[1:-1] = _profile(refit, way[1:-1], mover, quotes[i], weights[i])
            is_apart[i] = _rises(refit, way, quotes[i], weights[i])
    return is_apart


def _rises(refit: Refit, way: Array, quotes: Array, weights: Array) -> bool:
    heights = sum_of_squares(refit.predict(way), quotes, weights)
    noise = ROUNDING * (weights * quotes**2).sum()
    return bool(np.diff(heights).max() > RISE * heights[0] + noise)


def _profile(refit: Refit, way: Array, mover: int, quotes: Array, weights: Array) -> Array:
    """The best parameters with one held at its values along a way."""
    held, same = np.full_like(way, np.nan), (len(way), len(quotes))
    held[:, mover] = way[:, mover]
    return refit.solve(np.broadcast_to(quotes, same), np.broadcast_to(weights, same), held, way)


def _coordinates(problem: LeastSquares, parameters: Array) -> Array:
    """Scaled coordinates: logarithms, of parameters that have one."""
    is_log = problem.words.codes == LOG
    return np.where(is_log, np.log(np.where(is_log, parameters, 1.0)), parameters)


def _parameters(problem: LeastSquares, coordinates: Array) -> Array:
    is_log = problem.words.codes == LOG
    return np.where(is_log, np.exp(np.where(is_log, coordinates, 0.0)), coordinates)
