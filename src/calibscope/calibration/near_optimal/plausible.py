"""Plausible parameters: the best fit can be absurd, and someone has to say so.

Volatilities of 100 % a year can be the true minimum of the problem as posed; no one should feed
them to a scenario generator. Each parameter says what is plausible (`ParameterSpec.plausible`); a
model may judge them together (`g2/plausible.py`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from calibscope.base.arrays import Array, frozen
from calibscope.base.numbers import number
from calibscope.base.threads import share_days
from calibscope.calibration.problem import Problem
from calibscope.models.model import Model

if TYPE_CHECKING:
    from calibscope.calibration.solution import Fit

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
                found.append(f"{spec.name} = {number(value)} is above {high:g}")
            if value < low - ROUNDING * abs(low):
                found.append(f"{spec.name} = {number(value)} is below {low:g}")
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


@dataclass(frozen=True, slots=True, eq=False)
class PlausibleFits:
    """The best plausible fit of each of some days, perhaps the day's own."""

    parameters: Array  # (n, p) NaN where the bounds leave none
    rmsre: Array  # (n,)
    reasons: tuple[str, ...]  # (n,) why the day's own fit is not plausible; "" where it is


def plausible_fits(fits: "Sequence[Fit]", threads: int | None = None) -> PlausibleFits:
    """The best plausible parameters of every day.

    A day whose fit is plausible keeps it; the others are fitted once more, inside.

    Parameters
    ----------
    fits : of one model
    threads : how many to use; None means all cores

    Returns
    -------
    PlausibleFits
        a row per day
    """
    from calibscope.calibration.search import search_for

    model = fits[0].problem.model
    box = search_for(model).plausibility(model)
    reasons = [box.reasons(fit.parameters) for fit in fits]
    parameters = np.array([fit.parameters.values for fit in fits])
    rmsre = np.array([fit.rmsre for fit in fits])
    others = [day for day, why in enumerate(reasons) if why]

    def work(begin: int, end: int) -> None:
        for day in others[begin:end]:
            found, problem = box.fit(fits[day].problem), fits[day].problem
            parameters[day] = np.nan if found is None else found.values
            rmsre[day] = np.nan if found is None else problem.rmsre(found.values)

    if others:
        share_days(work, len(others), threads)
    return PlausibleFits(frozen(parameters), frozen(rmsre), tuple(map("; ".join, reasons)))
