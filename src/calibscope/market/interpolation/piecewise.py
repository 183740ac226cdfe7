r"""Piecewise polynomials in time, for many days that share their nodes.

On piece i, with :math:`s = t - t_i`, the polynomial is that of :math:`\log P(0, t)`, and minus its
derivative the forward rate (Hagan and West, 2006).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibscope.base.arrays import Array


@dataclass(frozen=True, slots=True, eq=False)
class PiecewisePolynomial:
    """Log P(0, t) as a polynomial in t - times[i] from each node to the next.

    The last piece starts at the last node, so that every node is met to the last bit.
    """

    times: Array  # (k,)
    coefficients: Array  # (powers, ..., k), ascending powers

    @classmethod
    def of_many(cls, days: Sequence["PiecewisePolynomial"]) -> "PiecewisePolynomial":
        """Single days that share their nodes as one, with a leading axis."""
        return cls(days[0].times, np.stack([day.coefficients for day in days], axis=1))

    def log_discount(self, t: Array) -> Array:
        """Log P(0, t) by Horner's rule."""
        piece = np.searchsorted(self.times, t, side="right") - 1
        since = t - self.times[piece]
        result = self.coefficients[-1][..., piece]
        for coefficient in self.coefficients[-2::-1]:
            result = result * since + coefficient[..., piece]
        return np.asarray(result)

    def forward_rate(self, t: Array) -> Array:
        """f(0, t), from the derivative of each piece."""
        piece = np.searchsorted(self.times, t, side="right") - 1
        since = t - self.times[piece]
        power = len(self.coefficients) - 1
        result = -power * self.coefficients[-1][..., piece]
        for coefficient in self.coefficients[-2:0:-1]:
            power -= 1
            result = result * since - power * coefficient[..., piece]
        return np.asarray(result)
