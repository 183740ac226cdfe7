"""Log-linear discount factors: the forward rate is constant from node to node.

The safest scheme, and the right one when the curve is given at every date of the schedule; between
distant nodes its forward rates are steps.
"""

import numpy as np

from calibscope.base.arrays import Array
from calibscope.market.interpolation.piecewise import PiecewisePolynomial


def log_linear(times: Array, log_discounts: Array) -> PiecewisePolynomial:
    """Straight lines through (times, log P); the last slope continues at the last node."""
    slopes = np.diff(log_discounts) / np.diff(times)
    slopes = np.concatenate((slopes, slopes[..., -1:]), axis=-1)
    return PiecewisePolynomial(times, np.stack((log_discounts, slopes)))
