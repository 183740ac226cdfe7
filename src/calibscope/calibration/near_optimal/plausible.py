"""Plausible parameters: the best fit can be absurd, and someone has to say so.

Volatilities of 100 % a year can be the true minimum of the problem as posed; no one should feed
them to a scenario generator. Each parameter says what is plausible (`ParameterSpec.plausible`); a
model may judge them together (`g2/plausible.py`).
"""

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from calibscope.base.arrays import frozen
from calibscope.calibration.problem import Problem
from calibscope.models.model import Model

ROUNDING = 1e-9  # relative: a parameter at an edge of what is plausible is inside


class Plausible(Protocol):
    """What parameters are acceptable."""

    def reasons(self, model: Model) -> tuple[str, ...]:
        """Why parameters are not acceptable; empty if they are.

        Parameters
        ----------
        model : parameters

        Returns
        -------
        tuple[str, ...]
            one a reason
        """

    def fit(self, problem: Problem) -> Model | None:
        """The best acceptable fit; None if the problem's own bounds leave none.

        Parameters
        ----------
        problem : with its own bounds

        Returns
        -------
        Model | None
            parameters
        """


@dataclass(frozen=True, slots=True)
class PlausibleBounds:
    """Every parameter within its own plausible bounds."""

    model: type[Model]

    def reasons(self, model: Model) -> tuple[str, ...]:
        """Why the parameters are not acceptable, such as 'sigma = 1.00 is above 0.1'.

        Parameters
        ----------
        model : parameters

        Returns
        -------
        tuple[str, ...]
            one a parameter; empty if acceptable
        """
        found = []
        for spec, value in zip(model.specs, model.values.tolist(), strict=True):
            low, high = spec.plausible
            if value > high + ROUNDING * abs(high):
                found.append(f"{spec.name} = {value:.3g} is above {high:g}")
            if value < low - ROUNDING * abs(low):
                found.append(f"{spec.name} = {value:.3g} is below {low:g}")
        return tuple(found)

    def fit(self, problem: Problem) -> Model | None:
        """The best fit with plausible parameters, by the search of the model.

        Parameters
        ----------
        problem : with its own bounds

        Returns
        -------
        Model | None
            parameters, or None if nothing plausible is within the bounds
        """
        from calibscope.calibration.search import search_for

        low, high = problem.specs.plausible
        lower, upper = np.maximum(problem.lower, low), np.minimum(problem.upper, high)
        if (lower > upper).any():
            return None
        tight = replace(problem, lower=frozen(lower), upper=frozen(upper))
        best = search_for(problem.model).solve(tight).parameters[0]
        return problem.model.from_values(problem.canonical(best))
