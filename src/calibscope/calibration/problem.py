r"""What a calibration minimises: weighted least squares between the bounds.

.. math:: f(p) = \sum_k w_k\,(g_k(p) - y_k)^2 \quad\text{subject to}\quad lower \le p \le upper

With w_k = 1/y_k^2 that is m RMSRE^2 (paper, eq. rmsre). Weights are fixed once the quotes are
observed. An anchor adds a pull towards given parameters, strength * sum_p (q_p - q_p(anchor))^2 in
the scaled coordinates q of the parameters, such as logarithms.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from calibscope.base.arrays import Array, ArrayLike, BoolArray, frozen
from calibscope.base.brief import brief
from calibscope.base.parameters import Specs
from calibscope.base.spelling import choose_from
from calibscope.calibration.weights import Weights, name_of, weights_of
from calibscope.market.day import MarketDay
from calibscope.models.model import DEFAULT, Model, Pricer, Values, model_named

LARGEST_STRENGTH = 1e50  # beyond, sums of squares leave the range of numbers
PERFECT = 1e-10  # relative price errors: smaller ones are rounding

Bounds = Mapping[str, tuple[float, float]]
Order = Literal["canonical", "solver"]  # of factors that can be swapped


class Task(NamedTuple):
    """What is to be minimised, and where, as solvers take it; a batch of tasks has the row first.

    Arrays are writable, the type for which kernels are compiled.
    """

    quotes: Array  # (m,)
    root_weights: Array  # (m,) square roots of the weights
    lower: Array  # (p,)
    upper: Array  # (p,)
    anchor: Array  # (p,) coordinates
    strength: Array  # (p,) of the anchor's pull; zero: none


@dataclass(frozen=True, eq=False)
class Problem:
    """The calibration of a model to one day: quotes, weights, bounds, and perhaps an anchor."""

    model: type[Model]
    day: MarketDay
    weights: Array  # (m,)
    lower: Array  # (p,)
    upper: Array  # (p,)
    weighting: str = "rmsre"
    anchor: Model | None = None
    anchor_strength: float | Array = 0.0  # one for all parameters, or (p,)
    order: Order = "canonical"  # in which fits show their parameters

    @classmethod
    def of(
        cls,
        day: MarketDay,
        weights: Weights = "rmsre",
        bounds: Bounds | None = None,
        fixed: Mapping[str, float] | None = None,
        anchor: Model | None = None,
        anchor_strength: float = 0.0,
        model: str | type[Model] = DEFAULT,
        order: Order = "canonical",
    ) -> "Problem":
        """Build and check a problem from what users say.

        Parameters
        ----------
        day : quotes of one day
        weights : "rmsre" (1/y^2), "absolute", "vega" (errors in normal vol), an importance per
            maturity or label, such as {10: 1, "20Y floor": 3}, times 1/y^2, or one per quote
        bounds : for some parameters, such as {"sigma": (1e-4, 0.1)}
        fixed : parameters that do not move, such as {"sigma": 0.01}
        anchor, anchor_strength : pull towards these parameters, see the module's formula
        model : what is fitted, by name or class
        order : of factors that can be swapped: the model's ("canonical"), or as the solver returns
            them ("solver")

        Returns
        -------
        Problem
            a checked problem
        """
        if not isinstance(day, MarketDay):
            raise TypeError(f"expected a MarketDay, got a {type(day).__name__}")
        kind = model_named(model)
        if order not in get_args(Order):
            raise ValueError(f"order is {order!r}; {choose_from(get_args(Order), order)}")
        lower, upper = box(kind.specs, bounds or {}, fixed or {})
        strength = _strength(anchor_strength)
        if strength > 0 and anchor is None:
            raise ValueError(f"anchor_strength is {strength:g}; give an anchor as well")
        if anchor is not None and not isinstance(anchor, kind):
            raise TypeError(f"anchor is a {type(anchor).__name__}; give a {kind.__name__}")
        return cls(
            kind, day, weights_of(day, weights), lower, upper, name_of(weights), anchor,
            strength, order,
        )  # fmt: skip

    @property
    def specs(self) -> Specs:
        """What the parameters are."""
        return self.model.specs

    @cached_property
    def pricer(self) -> Pricer:
        """The day's quotes, ready to be priced."""
        return self.model.pricer(self.day)

    @cached_property
    def task(self) -> Task:
        """What solvers take."""
        count = len(self.specs)
        point, strength = np.zeros(count), np.zeros(count)
        if self.anchor is not None and np.any(np.asarray(self.anchor_strength) > 0):
            point = self.specs.coordinates.of(np.clip(self.anchor.values, self.lower, self.upper))
            strength = np.array(np.broadcast_to(self.anchor_strength, count), dtype=float)
        quotes = np.array(self.day.prices)
        lower, upper = np.array(self.lower), np.array(self.upper)
        return Task(quotes, np.sqrt(self.weights), lower, upper, point, strength)

    @cached_property
    def memory(self) -> dict[str, Any]:
        """What a search remembers of its calls."""
        return {}

    @cached_property
    def has_anchor(self) -> bool:
        """Whether an anchor pulls."""
        return bool(self.task.strength.any())

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
        """The same models in the model's order of its factors, wherever the bounds allow it.

        An anchor belongs to one order, which is then kept.

        Parameters
        ----------
        parameters : (p,), or (n, p)

        Returns
        -------
        Array
            of the same shape
        """
        points = np.asarray(parameters, float)
        if self.has_anchor:
            return points
        found, is_open = points, ~self.model.is_canonical(points)
        for other in self.model.equivalents(points)[1:]:
            is_feasible = ((other >= self.lower) & (other <= self.upper)).all(axis=-1)
            swap = is_open & is_feasible & self.model.is_canonical(other)
            found, is_open = np.where(swap[..., None], other, found), is_open & ~swap
        return found

    def shown(self, parameters: ArrayLike) -> Array:
        """The same models in the order of factors that the problem asks for.

        Parameters
        ----------
        parameters : (p,), or (n, p), as a solver found them

        Returns
        -------
        Array
            of the same shape
        """
        if self.order == "solver":
            return np.asarray(parameters, float)
        return self.canonical(parameters)

    def alike(self, parameters: ArrayLike, reference: Array) -> Array:
        """The same models, each in the order of factors that is nearest to a reference.

        Parameters
        ----------
        parameters : (n, p)
        reference : (p,)

        Returns
        -------
        Array
            (n, p), inside the bounds
        """
        found, coordinates = np.atleast_2d(np.asarray(parameters, float)), self.specs.coordinates

        def distance(points: Array) -> Array:
            moves = coordinates.of(points) - coordinates.of(reference)
            return np.asarray(np.linalg.norm(moves, axis=-1))

        for other in self.model.equivalents(found)[1:]:
            is_feasible = ((other >= self.lower) & (other <= self.upper)).all(axis=-1)
            swap = is_feasible & (distance(other) < distance(found))
            found = np.where(swap[..., None], other, found)
        return found

    def evaluate(self, parameters: ArrayLike, order: int = 1, threads: int | None = 1) -> Values:
        """Prices (order 0), Jacobian (1) and Hessian (2) at many points.

        Parameters
        ----------
        parameters : (n, p)
        order : 0, 1 or 2: how many derivatives
        threads : how many to use; None means all cores

        Returns
        -------
        Values
            prices (n, m), Jacobian (n, m, p), Hessian (n, m, p, p)
        """
        points = np.atleast_2d(np.asarray(parameters, float))
        with np.errstate(all="ignore"):  # far away a model may leave the range of numbers
            return self.pricer.evaluate(points, order, threads)

    def values(self, parameters: ArrayLike, order: int = 1) -> Values:
        """The same at one point.

        Parameters
        ----------
        parameters : (p,)
        order : 0, 1 or 2: how many derivatives

        Returns
        -------
        Values
            prices (m,), Jacobian (m, p), Hessian (m, p, p)
        """
        return self.evaluate(parameters, order).at(0)

    def tangent(self, parameters: ArrayLike) -> tuple[Array, Array]:
        r"""Weighted residuals and their Jacobian by q; an anchor's pull adds p rows.

        .. math:: e = W^{1/2} (g - y), \qquad \frac{\partial e}{\partial q} = W^{1/2} J\,D, \quad
            D = \mathrm{diag}(d\theta_p / dq_p)

        Source: paper, eq. linearized_model, in the scaled coordinates q.

        Parameters
        ----------
        parameters : (p,)

        Returns
        -------
        tuple[Array, Array]
            (m,) or (m + p,), and the same by p
        """
        point, task = np.asarray(parameters, float), self.task
        values = self.values(point, order=1)
        residuals = task.root_weights * (values.prices - task.quotes)
        A = task.root_weights[:, None] * values.jacobian * self.specs.coordinates.slopes(point)
        if self.has_anchor:
            pull = np.sqrt(task.strength)
            residuals = np.append(
                residuals, pull * (self.specs.coordinates.of(point) - task.anchor)
            )
            A = np.vstack((A, np.diag(pull)))
        return residuals, A

    def objective(self, parameters: ArrayLike) -> float:
        """f(p), with the anchor's pull.

        Parameters
        ----------
        parameters : (p,)

        Returns
        -------
        float
            the weighted sum of squares
        """
        return float(self.objectives(parameters)[0])

    def objectives(self, parameters: ArrayLike) -> Array:
        """(n,) the same at many points.

        Parameters
        ----------
        parameters : (n, p)

        Returns
        -------
        Array
            (n,) weighted sums of squares
        """
        points, task = np.atleast_2d(np.asarray(parameters, float)), self.task
        errors = task.root_weights * (self.evaluate(points, 0).prices - task.quotes)
        total = np.einsum("nk,nk->n", errors, errors)
        if self.has_anchor:
            total = total + (self.specs.coordinates.of(points) - task.anchor) ** 2 @ task.strength
        return np.asarray(total)

    def rmsre(self, parameters: ArrayLike) -> float:
        r"""Root mean squared relative error of the quotes with weight, whatever is minimised.

        :math:`\sqrt{\tfrac1m \sum_k ((g_k - y_k)/y_k)^2}` (paper, eq. rmsre_objective), over the
        quotes whose weight is not zero.

        Parameters
        ----------
        parameters : (p,)

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


def box(specs: Specs, bounds: Bounds, fixed: Mapping[str, float]) -> tuple[Array, Array]:
    """Lower and upper bounds of all parameters: the model's, unless others are given."""
    lower, upper = np.array(specs.lower), np.array(specs.upper)
    for what, given in (("bounds", bounds), ("fixed", fixed)):
        if not isinstance(given, Mapping):
            raise ValueError(f"{what} are {brief(given)}; give them by parameter, as a dictionary")
    for name, limits in {**bounds, **{name: (x, x) for name, x in fixed.items()}}.items():
        if name not in specs.names:
            raise ValueError(f"{brief(name)} is not a parameter; {choose_from(specs.names, name)}")
        p = specs.names.index(name)
        if name in fixed and not isinstance(fixed[name], int | float | np.number):
            raise ValueError(f"{name} is fixed at {brief(fixed[name])}; give a number")
        if not isinstance(limits, Sequence | np.ndarray) or len(limits) != 2:
            raise ValueError(f"bounds of {name} are {brief(limits)}; give a lower and an upper one")
        try:
            lower[p], upper[p] = limits
        except (TypeError, ValueError, OverflowError):
            raise ValueError(f"bounds of {name} are {brief(limits)}; give two numbers") from None
        lowest, highest = specs.parameters[p].limits
        if not lowest <= lower[p] <= upper[p] <= highest:
            raise ValueError(
                f"bounds of {name} are {brief(limits)}; give {lowest:g} <= lower <= upper <= "
                f"{highest:g}"
            )
    return frozen(lower), frozen(upper)
