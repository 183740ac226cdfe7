r"""Basins: did a refit slide to where it is, or jump there?

A sum of squares can have several minima. When quotes change, the best of them can become another
one, and no derivative predicts that. Two points lie in different basins if the best way between
them goes uphill. It is looked for in two steps: the straight way, which costs little and clears
most; then, where that rises, the best fits with one parameter held at values in between, that which
moved most (a profile). A flat direction may be curved, and its profile still runs downhill.
"""

from collections.abc import Callable

import numpy as np

from calibscope.base.arrays import Array, BoolArray, Indices
from calibscope.diagnosis.least_squares import LeastSquares
from calibscope.diagnosis.refit.refit import Refit, Thrifty, sum_of_squares

STATIONS = np.linspace(0.0, 1.0, 9)  # along a way
RISE = 1e-4  # of the objective at the start: beyond what solvers leave
ROUNDING = 1e-20  # of the weighted squares of the quotes: residuals of 1e-10 are none


def is_elsewhere(
    refit: Refit, problem: LeastSquares, quotes: Array, weights: Array, ends: Array
) -> BoolArray:
    """(n,) whether a barrier separates the fit from the best parameters for other quotes.

    Parameters
    ----------
    quotes, weights : (n, m) of the other problems
    ends : (n, p) their best parameters
    """
    scale = problem.specs.coordinates
    start, goals = scale.of(problem.values), scale.of(ends)
    stretch = STATIONS[:, None] * (goals - start)[:, None, :]
    ways = scale.values(start + stretch)  # (n, stations, p)
    is_apart = _rise(refit, ways, quotes, weights)
    movers = np.abs(goals - start).argmax(axis=1)
    solvers = [refit.descend] if isinstance(refit, Thrifty) else []  # which mostly settle it
    for solve in (*solvers, refit.solve):
        rows = np.flatnonzero(is_apart)
        if rows.size:
            minima = _profiles(solve, ways[rows], movers[rows], quotes[rows], weights[rows])
            is_apart[rows] = _rise(refit, minima, quotes[rows], weights[rows])
    return is_apart


def _rise(refit: Refit, ways: Array, quotes: Array, weights: Array) -> BoolArray:
    """(n,) whether the sum of squares goes up anywhere along a way (n, stations, p)."""
    n, stations, p = ways.shape
    fitted = refit.predict(ways.reshape(-1, p)).reshape(n, stations, -1)
    heights = sum_of_squares(fitted, quotes[:, None, :], weights[:, None, :])
    noise = ROUNDING * (weights * quotes**2).sum(axis=-1)
    return np.asarray(np.diff(heights).max(axis=-1) > RISE * heights[:, 0] + noise)


def _profiles(
    solve: Callable[[Array, Array, Array, Array], Array],
    ways: Array,
    movers: Indices,
    quotes: Array,
    weights: Array,
) -> Array:
    """The same ways, between their ends at the best parameters with one held at its values."""
    between = ways[:, 1:-1]
    n, stations, p = between.shape
    held = np.where(np.arange(p) == movers[:, None, None], between, np.nan)
    found = solve(
        np.repeat(quotes, stations, axis=0),
        np.repeat(weights, stations, axis=0),
        held.reshape(-1, p),
        between.reshape(-1, p),
    )
    profile = found.reshape(n, stations, p)
    return np.concatenate((ways[:, :1], profile, ways[:, -1:]), axis=1)
