r"""Weights under which no quote decides the fit alone (the paper's outlook).

Leverage h_k, the row sums of U^2 of the SVD of :math:`W^{1/2} J` at the fit, says how strongly a
quote pulls the fit towards itself. With the others' weights and J fixed, h_k / (1 - h_k) is
proportional to w_k; so the weight of a quote above the cap is multiplied by

.. math:: \sqrt{\frac{c\,(1 - h_k)}{h_k\,(1 - c)}} < 1

(the root, because the fit and the other leverages move too), the day is fitted again, and so on.
Leverages sum to the rank, at most p; a cap below p/m cannot be met.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from calibscope.base.arrays import Array, frozen
from calibscope.base.numbers import counted, number
from calibscope.calibration.problem import Bounds, Problem
from calibscope.calibration.search import search_for
from calibscope.market.day import MarketDay
from calibscope.models.model import DEFAULT, Model

CAP = 0.9  # of the leverage
RANK_TOLERANCE = 1.5e-8  # on the singular values, relative to the largest
NEAR_CAP = 1e-3
SMALLEST_FACTOR = 0.03  # in one go: a leverage of 1 may be a matter of rounding


@dataclass(frozen=True, slots=True, eq=False)
class BalancedWeights:
    """Weights, and what they do."""

    weights: Array  # (m,)
    leverages: Array  # (m,) at the fit with these weights
    parameters: Model  # of that fit
    iterations: int  # fits
    is_balanced: bool  # whether no leverage exceeds the cap by more than 1e-3


def leverage_balanced_weights(
    day: MarketDay,
    cap: float = CAP,
    *,
    model: str | type[Model] = DEFAULT,
    bounds: Bounds | None = None,
    fixed: Mapping[str, float] | None = None,
    most_iterations: int = 50,
) -> BalancedWeights:
    r"""Weights, from 1/y^2 downwards, under which no quote's leverage exceeds the cap.

    .. math:: w_k \leftarrow w_k \sqrt{\frac{c\,(1 - h_k)}{h_k\,(1 - c)}}
        \quad\text{where}\quad h_k > c

    Source: the module's docstring; the aim is the paper's (outlook in its conclusion), the rule is
    ours.

    Parameters
    ----------
    day : quotes of one day
    cap : above p/m, the mean leverage of p parameters and m quotes, and below 1
    model, bounds, fixed : as for `calibrate`
    most_iterations : refits before it gives up

    Returns
    -------
    BalancedWeights
        weights, leverages under them, and whether the cap is kept

    Examples
    --------
    >>> from calibscope.market.demo import demo_market
    >>> balanced = leverage_balanced_weights(demo_market().day("2016-09-05"), cap=0.8)
    >>> balanced.is_balanced, bool(balanced.leverages.max() <= 0.801)
    (True, True)
    """
    problem = Problem.of(day, "rmsre", bounds, fixed, model=model)
    free, quotes = problem.free_count, len(day.prices)
    if not free / quotes < cap < 1.0:
        raise ValueError(
            f"cap is {cap}; with {counted(quotes, 'quote')} and {counted(free, 'parameter')}, "
            f"give one between {number(free / quotes)} (their ratio) and 1"
        )
    search = search_for(problem.model)
    weights = np.array(problem.weights)
    for iteration in range(1, most_iterations + 1):
        problem = Problem.of(day, weights, bounds, fixed, model=model)
        point = search.solve(problem).parameters[0]
        leverages = _leverages(problem, point)
        is_balanced = bool(leverages.max() <= cap + NEAR_CAP)
        if is_balanced or iteration == most_iterations:
            break
        above = leverages > cap
        odds = cap * (1.0 - leverages[above]) / (leverages[above] * (1.0 - cap))
        weights[above] *= np.sqrt(np.clip(odds, SMALLEST_FACTOR**2, 1.0))
    return BalancedWeights(
        frozen(weights),
        frozen(leverages),
        problem.model.from_values(problem.canonical(point)),
        iteration,
        is_balanced,
    )


def _leverages(problem: Problem, point: Array) -> Array:
    """Diagonal of the hat matrix, in the paper's parameters."""
    jacobian = problem.task.root_weights[:, None] * problem.values(point, 1).jacobian
    left, singular, _ = np.linalg.svd(jacobian, full_matrices=False)
    kept = left[:, singular > RANK_TOLERANCE * singular[0]]
    return np.asarray(np.einsum("ij,ij->i", kept, kept))
