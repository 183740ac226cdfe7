r"""Log-cubic discount factors: forward rates with a continuous slope, through every node.

The natural cubic spline of log P(0, t): its second derivative, and with it the slope of the forward
rate, is zero at t = 0 and at the last node. It is linear in the nodes, so days that share their
times share the splines through the unit vectors, and a day costs one product with them:

.. math:: \log P(0, t) = \sum_j \log P(0, t_j)\, \ell_j(t), \qquad \ell_j(t_i) = \delta_{ij}.

A spline is not local: a bad quote makes the forward rate swing for a few nodes on either side.
"""

from functools import lru_cache

import numpy as np

from calibscope.base.arrays import Array
from calibscope.market.interpolation.piecewise import PiecewisePolynomial


def log_cubic(times: Array, log_discounts: Array) -> PiecewisePolynomial:
    """The natural cubic spline through (times, log P)."""
    higher = log_discounts @ _unit_splines(times.tobytes())
    return PiecewisePolynomial(times, np.concatenate((log_discounts[np.newaxis], higher)))


@lru_cache(maxsize=16)
def _unit_splines(time_bytes: bytes) -> Array:
    """(3, k, k): coefficient of power 1, 2, 3 in piece i (last axis) of the spline of node j."""
    from scipy.interpolate import CubicSpline

    times = np.frombuffer(time_bytes)
    spline = CubicSpline(times, np.eye(len(times)), bc_type="natural")
    last = times[-1:]
    pieces = np.concatenate((spline.c[2::-1], np.zeros((3, 1, len(times)))), axis=1)
    pieces[0, -1] = spline(last, 1)
    return np.ascontiguousarray(np.swapaxes(pieces, 1, 2))
