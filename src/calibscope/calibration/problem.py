r"""What a calibration minimises: weighted least squares between the bounds.

.. math:: f(p) = \sum_k w_k\,(g_k(p) - y_k)^2 \quad\text{subject to}\quad lower \le p \le upper

With w_k = 1/y_k^2 that is m RMSRE^2 (paper, eq. rmsre). Weights are fixed once the quotes are
observed. An anchor adds a pull towards given parameters, strength * sum_p (q_p - q_p(anchor))^2 in
the scaled coordinates q = (log a_x, log a_y, log sigma_x, log sigma_y, rho_xy).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from calibscope.base.arrays import Array, ArrayLike, BoolArray, frozen
from calibscope.base.brief import brief
from calibscope.base.spelling import choose_from
from calibscope.calibration.g2.case import COUNT, Task
from calibscope.calibration.g2.coordinates import SWAP, scale, scaled
from calibscope.calibration.weights import Weights, name_of, weights_of
from calibscope.market.day import MarketDay
from calibscope.models.g2.book import CapBook
from calibscope.models.g2.caps import CapValues, evaluate
from calibscope.models.g2.model import G2
from calibscope.models.g2.parameters import PARAMETERS

# The paper's box.
LOWER = frozen([1e-5, 1e-5, 1e-5, 1e-5, -1.0])
UPPER = frozen([10.0, 10.0, 1.0, 1.0, 1.0])

LARGEST_STRENGTH = 1e50  # beyond, sums of squares leave the range of numbers
PERFECT = 1e-10  # relative price errors: smaller ones are rounding

Bounds = Mapping[str, tuple[float, float]]


@dataclass(frozen=True, eq=False)
class Problem:
    """The calibration of one day: quotes, weights, bounds, and perhaps an anchor."""

    day: MarketDay
    weights: Array  # (m,)
    lower: Array  # (5,)
    upper: Array  # (5,)
    weighting: str = "rmsre"
    anchor: G2 | None = None
    anchor_strength: float | Array = 0.0  # one for all parameters, or (5,)

    @classmethod
    def of(
        cls,
        day: MarketDay,
        weights: Weights = "rmsre",
        bounds: Bounds | None = None,
        fixed: Mapping[str, float] | None = None,
        anchor: G2 | None = None,
        anchor_strength: float = 0.0,
    ) -> "Problem":
        """Build and check a problem from what users say.

        Parameters
        ----------
        day : quotes of one day
        weights : "rmsre" (1/y^2), "absolute", "vega" (errors in normal vol), an importance per
            maturity, such as {10: 1, 20: 3}, times 1/y^2, or one per quote
        bounds : for some parameters, such as {"sigma_x": (1e-4, 0.1)}
        fixed : parameters that do not move, such as {"rho_xy": -0.7}
        anchor, anchor_strength : pull towards these parameters, see the module's formula

        Returns
        -------
        Problem
            a checked problem
        """
        if not isinstance(day, MarketDay):
            raise TypeError(f"expected a MarketDay, got a {type(day).__name__}")
        lower, upper = box(bounds or {}, fixed or {})
        strength = _strength(anchor_strength)
        if strength > 0 and anchor is None:
            raise ValueError(f"anchor_strength is {strength:g}; give an anchor as well")
        return cls(
            day, weights_of(day, weights), lower, upper, name_of(weights), anchor,
            strength,
        )  # fmt: skip

    @cached_property
    def book(self) -> CapBook:
        """The caps, packed for the kernel."""
        return CapBook.from_days([self.day])

    @cached_property
    def task(self) -> Task:
        """What the compiled solvers take; writable, the type for which they are compiled."""
        point, strength = np.zeros(COUNT), np.zeros(COUNT)
        if self.anchor is not None and np.any(np.asarray(self.anchor_strength) > 0):
            values = np.clip(self.anchor.values, self.lower, self.upper)
            point = scaled(values)
            strength = np.array(np.broadcast_to(self.anchor_strength, COUNT), dtype=float)
        quotes = np.array(self.day.prices)
        lower, upper = np.array(self.lower), np.array(self.upper)
        return Task(quotes, np.sqrt(self.weights), lower, upper, point, strength)

    @property
    def has_weight(self) -> BoolArray:
        """(m,) quotes that count."""
        return np.asarray(self.weights > 0)

    @property
    def free_count(self) -> int:
        """How many parameters are not fixed beforehand."""
        return int(np.sum(self.lower < self.upper))

    @property
    def perfect_objective(self) -> float:
        r"""The objective of a fit whose price errors are rounding.

        :math:`\sum_k w_k (10^{-10} y_k)^2` (paper, eq. wls_form, at such errors).
        """
        return PERFECT**2 * float(self.weights @ self.day.prices**2)

    def canonical(self, parameters: ArrayLike) -> Array:
        """The same models with the faster factor first, wherever the bounds allow both orders.

        The canonical order is a_x >= a_y: prices are the same with the factors swapped (paper, eq.
        analytical_cap_price). An anchor belongs to one order, which is then kept.

        Parameters
        ----------
        parameters : (5,) a_x, a_y, sigma_x, sigma_y, rho_xy, or (n, 5)

        Returns
        -------
        Array
            of the same shape
        """
        points = np.asarray(parameters, float)
        swapped = points[..., SWAP]
        is_feasible = ((swapped >= self.lower) & (swapped <= self.upper)).all(axis=-1)
        swap = (points[..., 0] < points[..., 1]) & is_feasible & (not self.task.strength.any())
        return np.where(swap[..., None], swapped, points)

    @property
    def is_symmetric(self) -> bool:
        """Whether the factors can be swapped: same bounds for both, none fixed, no anchor."""
        lower, upper = self.lower, self.upper
        same = lower[0] == lower[1] and lower[2] == lower[3]
        same &= upper[0] == upper[1] and upper[2] == upper[3]
        return bool(same and (lower < upper)[:4].all() and not self.task.strength.any())

    @property
    def is_plain(self) -> bool:
        """Whether the search over the speeds alone applies: symmetric, all correlations allowed."""
        return self.is_symmetric and bool(self.lower[4] == -1.0 and self.upper[4] == 1.0)

    def values(self, parameters: ArrayLike, order: int = 1) -> CapValues:
        """Prices (order 0), Jacobian (1) and Hessian (2) at the parameters.

        Parameters
        ----------
        parameters : (5,) a_x, a_y, sigma_x, sigma_y, rho_xy
        order : 0, 1 or 2: how many derivatives

        Returns
        -------
        CapValues
            prices (m,), Jacobian (m, 5), Hessian (m, 5, 5)
        """
        return evaluate(np.atleast_2d(np.asarray(parameters, float)), self.book, order, threads=1)

    def tangent(self, parameters: ArrayLike) -> tuple[Array, Array]:
        r"""Weighted residuals and their Jacobian by q; an anchor's pull adds five rows.

        .. math:: e = W^{1/2} (g - y), \qquad \frac{\partial e}{\partial q} = W^{1/2} J\,D, \quad
            D = \mathrm{diag}(a_x, a_y, \sigma_x, \sigma_y, 1)

        Source: paper, eq. linearized_model, in the coordinates q = (log a, log sigma, rho).

        Parameters
        ----------
        parameters : (5,) a_x, a_y, sigma_x, sigma_y, rho_xy

        Returns
        -------
        tuple[Array, Array]
            (m,) or (m + 5,), and the same by 5
        """
        point, task = np.asarray(parameters, float), self.task
        values = self.values(point, order=1)
        residuals = task.root_weights * (values.prices - task.quotes)
        A = task.root_weights[:, None] * values.jacobian * scale(point)
        if task.strength.any():
            pull = np.sqrt(task.strength)
            residuals = np.append(residuals, pull * (scaled(point) - task.anchor))
            A = np.vstack((A, np.diag(pull)))
        return residuals, A

    def objective(self, parameters: ArrayLike) -> float:
        """f(p), with the anchor's pull.

        f(p) = sum w_k (g_k(p) - y_k)^2, plus strength * sum (q - q_anchor)^2 (paper, eq. wls_form;
        the pull is that of Tikhonov, 1963).

        Parameters
        ----------
        parameters : (5,) a_x, a_y, sigma_x, sigma_y, rho_xy

        Returns
        -------
        float
            the weighted sum of squares
        """
        point = np.asarray(parameters, float)
        errors = self.task.root_weights * (self.values(point, 0).prices - self.task.quotes)
        total = float(errors @ errors)
        if self.task.strength.any():
            total += float(self.task.strength @ (scaled(point) - self.task.anchor) ** 2)
        return total

    def rmsre(self, parameters: ArrayLike) -> float:
        r"""Root mean squared relative error of the quotes with weight, whatever is minimised.

        :math:`\sqrt{\tfrac1m \sum_k ((g_k - y_k)/y_k)^2}` (paper, eq. rmsre_objective), over the
        quotes whose weight is not zero.

        Parameters
        ----------
        parameters : (5,) a_x, a_y, sigma_x, sigma_y, rho_xy

        Returns
        -------
        float
            a decimal: 0.01 is 1 %
        """
        relative = self.values(parameters, 0).prices / self.day.prices - 1.0
        with np.errstate(over="ignore"):
            return float(np.sqrt(np.mean(relative[self.has_weight] ** 2)))


def _strength(given: float) -> float:
    """The strength of an anchor, checked."""
    if isinstance(given, int | float | np.number) and 0 <= given <= LARGEST_STRENGTH:
        return float(given)
    raise ValueError(
        f"anchor_strength is {brief(given)}; give an anchor, and 0 to {LARGEST_STRENGTH:g} (fixed= "
        "holds parameters fixed)"
    )


def box(bounds: Bounds, fixed: Mapping[str, float]) -> tuple[Array, Array]:
    """Lower and upper bounds of all parameters: the paper's, unless others are given."""
    lower, upper = np.array(LOWER), np.array(UPPER)
    for name, limits in {**bounds, **{name: (x, x) for name, x in fixed.items()}}.items():
        if name not in PARAMETERS:
            raise ValueError(f"{brief(name)} is not a parameter; {choose_from(PARAMETERS, name)}")
        if not isinstance(limits, Sequence) or len(limits) != 2:
            raise ValueError(f"bounds of {name} are {brief(limits)}; give a lower and an upper one")
        p = PARAMETERS.index(name)
        try:
            lower[p], upper[p] = limits
        except (TypeError, ValueError, OverflowError):
            raise ValueError(f"bounds of {name} are {brief(limits)}; give two numbers") from None
        lowest, highest = (-1.0, 1.0) if name == "rho_xy" else (1e-8, 1e3)
        if not lowest <= lower[p] <= upper[p] <= highest:
            raise ValueError(
                f"bounds of {name} are {brief(limits)}; give {lowest:g} <= lower <= upper <= "
                f"{highest:g}"
            )
    return frozen(lower), frozen(upper)
