"""The schemes by name, and what they have in common: log discount factors and forward rates.

A scheme is built from the nodes of any number of days that share their times, and answers for all
these days at once; one day is the case without leading axes.
"""

from typing import Literal, Protocol

from calibscope.base.arrays import Array
from calibscope.base.numbers import counted
from calibscope.market.errors import raise_problems
from calibscope.market.interpolation.log_cubic import log_cubic
from calibscope.market.interpolation.log_linear import log_linear
from calibscope.market.interpolation.monotone_convex import MonotoneConvex
from calibscope.market.svensson import PARAMETERS

Interpolation = Literal[
    "log-linear", "log-cubic", "monotone-convex", "svensson", "svensson-spline", "paper"
]

# These fit a Svensson curve to the nodes, which needs at least as many nodes as parameters.
FITTED = ("svensson", "svensson-spline", "paper")


def too_few_nodes(name: Interpolation, count: int) -> list[str]:
    """Why a scheme cannot be used on so few nodes."""
    if name not in FITTED or count >= len(PARAMETERS):
        return []
    return [
        f"{counted(count, 'node after today is', 'nodes after today are')} too few for {name!r}, "
        f"which fits six parameters; choose log-cubic, or give {len(PARAMETERS)} nodes"
    ]


class Scheme(Protocol):
    """A family of curves, one for each index of the leading axes of the nodes."""

    def log_discount(self, t: Array) -> Array:
        r"""Log P(0, t), leading axes first: (..., *t.shape).

        :math:`\log P(0, t) = -\int_0^t f(0, s)\,ds` (Hagan and West, 2006).

        Parameters
        ----------
        t : years

        Returns
        -------
        Array
            (..., *t.shape)
        """

    def forward_rate(self, t: Array) -> Array:
        """f(0, t) = -d log P(0, t) / dt, in closed form; where it jumps, the right-hand value.

        Source: Hagan and West (2006).

        Parameters
        ----------
        t : years

        Returns
        -------
        Array
            (..., *t.shape)
        """


def interpolated(name: Interpolation, times: Array, log_discounts: Array) -> Scheme:
    """The scheme of this name through (or, if fitted, near) the nodes.

    Parameters
    ----------
    times : (k,) years, strictly increasing, times[0] == 0
    log_discounts : (..., k) log P(0, t), zero at times[0]

    Examples
    --------
    >>> import numpy as np
    >>> times, logs = np.array([0.0, 1, 2]), np.array([[0, -0.01, -0.03], [0, 0.01, 0.01]])
    >>> interpolated("log-linear", times, logs).log_discount(np.array([0.5, 1.5]))
    array([[-0.005, -0.02 ],
           [ 0.005,  0.01 ]])
    """
    if name == "log-linear":
        return log_linear(times, log_discounts)
    if name == "log-cubic":
        return log_cubic(times, log_discounts)
    if name == "monotone-convex":
        return MonotoneConvex.through(times, log_discounts)
    raise_problems("discount curve", too_few_nodes(name, len(times) - 1))
    # Imported where used: the fit comes with compiled kernels.
    from calibscope.market.interpolation.fitted import paper, svensson, svensson_spline

    if name == "svensson":
        return svensson(times, log_discounts)
    if name == "svensson-spline":
        return svensson_spline(times, log_discounts)
    return paper(times, log_discounts)
