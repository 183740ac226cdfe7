r"""Which parameters the quotes leave open, and in which combination.

A pseudo-inverse gives dropped directions the variance zero, so intervals collapse there; zero
variance is not precision. The dropped directions are turned into scaled coordinates (log of a
parameter, so that a share of 1 % counts alike everywhere) and made orthonormal, N. A parameter is
not identified when its unit vector has a squared length :math:`\sum_d N_{pd}^2` above a threshold
in their span.
"""

from dataclasses import dataclass

import numpy as np

from calibscope.base.arrays import Array, BoolArray
from calibscope.base.parameters import Specs
from calibscope.diagnosis.linear.geometry import Geometry

SMALL_PART = 0.1  # of a combination's largest part: left out of its sentence


@dataclass(frozen=True, slots=True, eq=False)
class Identification:
    """What was dropped, in scaled coordinates."""

    directions: Array  # (p, p) orthonormal, in columns; zero columns beyond those dropped
    shares: Array  # (p,) of each parameter's unit vector in their span
    is_identified: BoolArray  # (p,)


def identification(geometry: Geometry, coordinate_scale: Array, threshold: float) -> Identification:
    """Look at what a decomposition dropped.

    Parameters
    ----------
    coordinate_scale : (..., p) derivative of the parameters by their scaled coordinates
    threshold : share of a unit vector beyond which a parameter is not identified
    """
    missing = geometry.parameter_count - geometry.rank
    directions = np.zeros_like(geometry.right)
    is_lossy = missing > 0
    if is_lossy.any():
        span = (geometry.dropped / coordinate_scale[..., :, None])[is_lossy]
        left, _, _ = np.linalg.svd(span)
        is_dropped = np.arange(span.shape[-1]) < np.asarray(missing)[is_lossy][:, None]
        directions[is_lossy] = left * is_dropped[:, None, :]
    shares = np.vecdot(directions, directions)
    return Identification(directions, shares, shares <= threshold)


def combinations(directions: Array, specs: Specs) -> tuple[str, ...]:
    """Sentences for the dropped directions (p, p) of one day.

    Examples
    --------
    >>> from calibscope.base.parameters import ParameterSpec
    >>> specs = Specs((ParameterSpec("speed"), ParameterSpec("volatility")), outputs="prices")
    >>> combinations(np.array([[0.8, 0.0], [0.6, 0.0]]), specs)
    ('speed up and volatility up together leave all prices unchanged',)
    """
    return tuple(_sentence(row, specs) for row in _simplest(directions)) if directions.any() else ()


def _simplest(directions: Array) -> list[Array]:
    """A basis of the same span with as many zeros as elimination can make, one row each."""
    rows = [row / np.abs(row).max() for row in directions.T if row.any()]
    for i in range(len(rows)):
        pivot = int(np.abs(rows[i]).argmax())
        rows[i] = rows[i] / rows[i][pivot]
        for j in range(len(rows)):
            if j != i:
                rows[j] = rows[j] - rows[j][pivot] * rows[i]
    return rows


def _sentence(row: Array, specs: Specs) -> str:
    size = np.abs(row).max()
    parts = [p for p in range(len(row)) if abs(row[p]) >= SMALL_PART * size]
    sign = np.sign(row[parts[0]])
    moves = [f"{specs.names[p]} {'up' if sign * row[p] > 0 else 'down'}" for p in parts]
    if len(moves) == 1:
        return f"{specs.names[parts[0]]} up or down leaves all {specs.outputs} unchanged"
    listed = ", ".join(moves[:-1]) + f" and {moves[-1]}"
    return f"{listed} together leave all {specs.outputs} unchanged"
