r"""Monotone convex interpolation: continuous forward rates that overshoot nothing.

In each interval the forward rate is f = f_i^d + g(x), with the discrete forward rate f_i^d of the
interval, x in [0, 1] the place in it, and a function g that has mean zero (so every node is met),
joins the forward rates at the nodes, and is monotone where these and the f^d are. With g_0 = g(0)
and g_1 = g(1), g is either one parabola,

.. math:: g(x) = g_0 (1 - 4x + 3x^2) + g_1 (-2x + 3x^2),

or, where that parabola would turn within the interval, two half parabolas that meet with slope zero
at x = eta, one of them possibly flat:

.. math:: g(x) = A + (g_0 - A) \Big(\frac{(\eta - x)^+}{\eta}\Big)^2
                   + (g_1 - A) \Big(\frac{(x - \eta)^+}{1 - \eta}\Big)^2.

Source: Hagan and West (2006), "Interpolation methods for curve construction", without their
optional bounds that keep forward rates positive: Euro rates were not.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibscope.base.arrays import Array, BoolArray


@dataclass(frozen=True, slots=True, eq=False)
class MonotoneConvex:
    """Monotone convex curves; all arrays but `times` are (..., k - 1), one entry per interval."""

    times: Array  # (k,)
    log_discounts: Array  # (..., k)
    discrete: Array  # f^d
    g0: Array
    g1: Array
    is_parabola: BoolArray
    level: Array  # A, where g is no parabola
    eta: Array

    @classmethod
    def through(cls, times: Array, log_discounts: Array) -> "MonotoneConvex":
        """The curves through the nodes."""
        lengths = np.diff(times)
        discrete = -np.diff(log_discounts) / lengths
        # At an inner node, the neighbours' forward rates weighted by the *other* one's length.
        share = lengths[:-1] / (lengths[:-1] + lengths[1:])
        inner = share * discrete[..., 1:] + (1 - share) * discrete[..., :-1]
        ends = np.concatenate((inner, discrete[..., -1:]), axis=-1)  # of one node: flat
        first = 1.5 * discrete[..., :1] - 0.5 * ends[..., :1]
        last = 1.5 * discrete[..., -1:] - 0.5 * np.concatenate((first, inner), axis=-1)[..., -1:]
        nodes = np.concatenate((first, inner, last), axis=-1)
        g0, g1 = nodes[..., :-1] - discrete, nodes[..., 1:] - discrete
        return cls(times, log_discounts, discrete, g0, g1, *_shape(g0, g1))

    def log_discount(self, t: Array) -> Array:
        """Log P(0, t)."""
        i, x = self._place(t)
        g0, g1, level, eta = (a[..., i] for a in (self.g0, self.g1, self.level, self.eta))
        parabola = g0 * x * (1 - x) ** 2 - g1 * x**2 * (1 - x)
        left, right = _parts(x, eta)
        halves = (
            level * x
            + (g0 - level) * eta * (1 - left**3) / 3
            + (g1 - level) * (1 - eta) * right**3 / 3
        )
        integral = np.where(self.is_parabola[..., i], parabola, halves)
        length = np.diff(self.times)[i]
        inside = self.log_discounts[..., i] - length * (self.discrete[..., i] * x + integral)
        return np.where(x < 1, inside, self.log_discounts[..., i + 1])

    def forward_rate(self, t: Array) -> Array:
        """f(0, t), continuous."""
        i, x = self._place(t)
        g0, g1, level, eta = (a[..., i] for a in (self.g0, self.g1, self.level, self.eta))
        parabola = g0 * (1 - x) * (1 - 3 * x) - g1 * x * (2 - 3 * x)
        left, right = _parts(x, eta)
        halves = level + (g0 - level) * left**2 + (g1 - level) * right**2
        return self.discrete[..., i] + np.where(self.is_parabola[..., i], parabola, halves)

    def _place(self, t: Array) -> tuple[npt.NDArray[np.intp], Array]:
        """The interval of each time, and the place in it from 0 to 1."""
        interval = np.searchsorted(self.times[1:-1], t, side="right")
        return interval, (t - self.times[interval]) / np.diff(self.times)[interval]


def _shape(g0: Array, g1: Array) -> tuple[BoolArray, Array, Array]:
    """Whether g is one parabola, and A and eta where it is not: Hagan and West's four zones."""
    opposite = g0 * g1 < 0
    much_more, much_less = abs(g1) > 2 * abs(g0), 2 * abs(g1) < abs(g0)
    flat_left, flat_right = opposite & much_more, opposite & much_less
    is_parabola = (opposite & ~much_more & ~much_less) | ((g0 == 0) & (g1 == 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        eta = np.select(
            [is_parabola, flat_left, flat_right],
            [0.5, (g1 + 2 * g0) / (g1 - g0), 3 * g1 / (g1 - g0)],
            g1 / (g1 + g0),
        )
        level = np.select([is_parabola, flat_left, flat_right], [0.0, g0, g1], -g0 * g1 / (g0 + g1))
    return is_parabola, level, eta


def _parts(x: Array, eta: Array) -> tuple[Array, Array]:
    """How far x is left of eta and right of it, each from 0 at eta to 1 at its end."""
    left = np.divide(eta - x, eta, out=np.zeros(np.shape(eta)), where=eta > x)
    right = np.divide(x - eta, 1 - eta, out=np.zeros(np.shape(eta)), where=x > eta)
    return left, right
