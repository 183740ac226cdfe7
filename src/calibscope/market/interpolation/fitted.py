"""Svensson curves as interpolation: alone, with a spline of what they leave, and the paper's rule.

`svensson` smooths: it runs near the nodes, not through them. `svensson-spline` adds the natural
cubic spline of the remaining log discount factors, so that it meets every node with smooth forward
rates. `paper` takes the observed factor at an observed maturity and the fitted curve everywhere
else; discount factors then jump at the nodes, and forward rates over a period that starts or ends
there are off by the error of the fit times maturity over period.
"""

from dataclasses import dataclass

import numpy as np

from calibscope.base.arrays import Array
from calibscope.market.interpolation.log_cubic import log_cubic
from calibscope.market.interpolation.piecewise import PiecewisePolynomial
from calibscope.market.svensson import PARAMETERS, svensson_forward_rates, svensson_zero_rates
from calibscope.market.svensson_fit import fit_svensson_panel

# A time is that of a node if it agrees to an hour: files write one month as 0.0833.
SAME_NODE = 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class Svensson:
    """Svensson curves with the given parameters, (..., 6)."""

    parameters: Array

    def log_discount(self, t: Array) -> Array:
        """Log P(0, t) = -t z(t)."""
        return -t * svensson_zero_rates(self.parameters, t)

    def forward_rate(self, t: Array) -> Array:
        """f(0, t)."""
        return svensson_forward_rates(self.parameters, t)


@dataclass(frozen=True, slots=True, eq=False)
class SvenssonSpline:
    """A Svensson curve plus the spline of what it leaves."""

    curve: Svensson
    rest: PiecewisePolynomial

    def log_discount(self, t: Array) -> Array:
        """Log P(0, t)."""
        return self.curve.log_discount(t) + self.rest.log_discount(t)

    def forward_rate(self, t: Array) -> Array:
        """f(0, t)."""
        return self.curve.forward_rate(t) + self.rest.forward_rate(t)


@dataclass(frozen=True, slots=True, eq=False)
class Paper:
    """Observed factors at the nodes, a Svensson curve everywhere else."""

    curve: Svensson
    times: Array  # (k,)
    log_discounts: Array  # (..., k)

    def log_discount(self, t: Array) -> Array:
        """Log P(0, t), which jumps to the observed value at every node."""
        right = np.clip(np.searchsorted(self.times, t), 1, len(self.times) - 1)
        node = right - (t - self.times[right - 1] < self.times[right] - t)
        is_node = np.abs(t - self.times[node]) <= SAME_NODE
        return np.where(is_node, self.log_discounts[..., node], self.curve.log_discount(t))

    def forward_rate(self, t: Array) -> Array:
        """f(0, t) of the fitted curve; at the nodes the curve jumps, and no derivative exists."""
        return self.curve.forward_rate(t)


def svensson(times: Array, log_discounts: Array) -> Svensson:
    """The Svensson curves nearest to the nodes."""
    zero_rates = -log_discounts[..., 1:] / times[1:]
    fits = fit_svensson_panel(times[1:], zero_rates.reshape(-1, len(times) - 1))
    return Svensson(fits.parameters.reshape(*log_discounts.shape[:-1], len(PARAMETERS)))


def svensson_spline(times: Array, log_discounts: Array) -> SvenssonSpline:
    """The Svensson curves nearest to the nodes, plus splines through what they leave."""
    curve = svensson(times, log_discounts)
    return SvenssonSpline(curve, log_cubic(times, log_discounts - curve.log_discount(times)))


def paper(times: Array, log_discounts: Array) -> Paper:
    """The paper's rule: observed maturities take the observed factor, others the fitted curve."""
    return Paper(svensson(times, log_discounts), times, log_discounts)
