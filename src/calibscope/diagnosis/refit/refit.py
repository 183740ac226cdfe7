r"""`Refit`: what a least-squares problem offers that can be fitted again.

First-order answers come from residuals and derivatives at one point. Exact ones come from fitting
again: without a quote, with another one, with a parameter held, to simulated quotes. All of them
need no more than the three questions below, each for many problems at once: row i of every array
is a problem of its own.
"""

from typing import Protocol, runtime_checkable

import numpy as np

from calibscope.base.arrays import Array


class Refit(Protocol):
    """A least-squares problem of m quotes and p parameters, ready to be fitted again.

    Calibrated models have one (`calibration/refit.py`); the Svensson curve is another client
    (`examples/svensson_refit.py`).
    """

    def solve(
        self,
        quotes: Array,
        weights: Array,
        held: Array | None = None,
        starts: Array | None = None,
    ) -> Array:
        """(n, p) the best parameters inside the bounds.

        argmin of sum_k w_k (y_k - g_k(theta))^2 in each row (paper, eq. wls_form).

        Parameters
        ----------
        quotes, weights : (n, m); a quote of weight 0 does not count
        held : (n, p) values that parameters must keep, not a number where they are free
        starts : (n, p) parameters that may be near, for solvers that use a start

        Returns
        -------
        Array
            (n, p) parameters
        """

    def predict(self, parameters: Array) -> Array:
        r"""(n, m) fitted values at parameters (n, p).

        :math:`g_k(\theta)` of the paper's eq. wls_form.

        Parameters
        ----------
        parameters : (n, p)

        Returns
        -------
        Array
            (n, m)
        """

    def weigh(self, quotes: Array) -> Array:
        """(n, m) the weights that quotes (n, m) would have, had they been observed.

        Such as w_k = 1 / y_k^2 (paper, eq. wls_form).

        Parameters
        ----------
        quotes : (n, m)

        Returns
        -------
        Array
            (n, m)
        """


@runtime_checkable
class Minima(Protocol):
    """A `Refit` that knows other local minima of its problem."""

    def minima(self, limit: float) -> Array:
        """(k, p) local minima with an objective up to a limit, the best fit among them.

        Points where sum_k w_k (y_k - g_k(theta))^2 (paper, eq. wls_form) has no lower one nearby.

        Parameters
        ----------
        limit : of the objective

        Returns
        -------
        Array
            (k, p)
        """


@runtime_checkable
class Nearby(Protocol):
    """A `Refit` that is quicker where quotes and weights are nearly those of the fit."""

    def solve_nearby(self, quotes: Array, weights: Array) -> Array:
        """(n, p) the best parameters for nearly the same quotes, such as all but one.

        argmin of sum_k w_k (y_k - g_k(theta))^2 in each row (paper, eq. wls_form).

        Parameters
        ----------
        quotes, weights : (n, m); a quote of weight 0 does not count

        Returns
        -------
        Array
            (n, p)
        """


@runtime_checkable
class Thrifty(Protocol):
    """A `Refit` that can do with less than the best fit with parameters held, which is quicker."""

    def descend(self, quotes: Array, weights: Array, held: Array, starts: Array) -> Array:
        """(n, p) the optima next to the starts.

        Local minima of sum_k w_k (y_k - g_k(theta))^2 in each row (paper, eq. wls_form).

        Parameters
        ----------
        quotes, weights, held : as for `Refit.solve`
        starts : (n, p) parameters that are near

        Returns
        -------
        Array
            (n, p)
        """

    def below(
        self, limit: float, quotes: Array, weights: Array, held: Array, starts: Array
    ) -> Array:
        """(n, p) the best parameters where their objective is below a limit; elsewhere any.

        argmin of sum_k w_k (y_k - g_k(theta))^2 in each row (paper, eq. wls_form), if that counts.

        Parameters
        ----------
        limit : of the objective
        quotes, weights, held, starts : as for `Refit.solve`

        Returns
        -------
        Array
            (n, p)
        """


@runtime_checkable
class Quick(Protocol):
    """A `Refit` that says whether dozens of refits take a fraction of a second."""

    @property
    def is_quick(self) -> bool:
        """Whether answers may be had by fitting again without anybody asking for it."""


def sum_of_squares(fitted: Array, quotes: Array, weights: Array) -> Array:
    """Q = sum_k w_k (y_k - g_k)^2, along the last axis."""
    return np.asarray((weights * (quotes - fitted) ** 2).sum(axis=-1))


def required(refit: Refit | None) -> Refit:
    """What fits again, or an error that says how to get it."""
    if refit is None:
        raise ValueError(
            "this diagnosis cannot fit again; give refit= to diagnose_least_squares, or take one "
            "day of a stack"
        )
    return refit
