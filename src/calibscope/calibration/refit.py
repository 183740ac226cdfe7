"""A calibration that can be repeated with other quotes and weights, many at a time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from calibscope.base.arrays import Array, ArrayLike, frozen
from calibscope.base.measures import Quantities
from calibscope.calibration.near_optimal.alternatives import Alternatives, alternatives
from calibscope.calibration.near_optimal.evidence import evidence
from calibscope.calibration.near_optimal.local_minima import local_minima
from calibscope.calibration.problem import Problem
from calibscope.calibration.search import search_for
from calibscope.calibration.solution import Fit
from calibscope.calibration.weights import weights_of

PERFECT_FACTOR = 1.1  # of the error up to which fits count where there is no noise
RELATIVE = ("rmsre", "liability")  # weightings that are proportional to 1/y^2


@dataclass(frozen=True, eq=False)
class ModelRefit:
    """The quotes of one day, calibrated again by the search of the model.

    Any model's side of the protocol `diagnosis.refit.Refit`. An anchor counts as p more quotes,
    those of the parameters' scaled coordinates.
    """

    problem: Problem
    threads: int | None = None  # how many to use; None means all cores
    fitted: Array | None = None  # (p,) parameters, where refits keep their order of the factors

    @classmethod
    def of(cls, problem: Problem, point: Array) -> "ModelRefit":
        """The refit of a problem whose fit has parameters (p,)."""
        return cls(problem, fitted=point if problem.order == "solver" else None)

    def solve(
        self,
        quotes: Array,
        weights: Array,
        held: Array | None = None,
        starts: Array | None = None,
    ) -> Array:
        """(n, p) the best parameters, in canonical order where the problem allows it.

        In the solver's order they are in that of the fit: swapped factors are no shift.

        Parameters
        ----------
        quotes, weights : (n, m); a quote of weight 0 does not count
        held : (n, p) values that parameters must keep, not a number where they are free
        starts : (n, p) parameters that may be near
        """
        search = search_for(self.problem.model)
        found = search.solve_rows(self.problem, quotes, weights, held, starts, self.threads)
        return found if held is not None else self._alike(found)

    def solve_nearby(self, quotes: Array, weights: Array) -> Array:
        """(n, p) the best parameters for nearly the same quotes and weights.

        Parameters
        ----------
        quotes, weights : (n, m); a quote of weight 0 does not count
        """
        search = search_for(self.problem.model)
        return self._alike(search.nearby_rows(self.problem, quotes, weights, self.threads))

    def descend(self, quotes: Array, weights: Array, held: Array, starts: Array) -> Array:
        """(n, p) the optima next to the starts.

        Parameters
        ----------
        quotes, weights, held : as for `solve`
        starts : (n, p) parameters that are near
        """
        search = search_for(self.problem.model)
        return search.descend_rows(self.problem, quotes, weights, held, starts, self.threads)

    def below(
        self, limit: float, quotes: Array, weights: Array, held: Array, starts: Array
    ) -> Array:
        """(n, p) the best parameters where their objective is below a limit; elsewhere any.

        Parameters
        ----------
        limit : of the objective
        quotes, weights, held, starts : as for `solve`
        """
        search = search_for(self.problem.model)
        return search.rows_below(self.problem, quotes, weights, held, starts, limit, self.threads)

    def _alike(self, points: Array) -> Array:
        """(n, p) the same in the order of the fit, where that is not the canonical one."""
        return points if self.fitted is None else self.problem.alike(points, self.fitted)

    def predict(self, parameters: Array) -> Array:
        """(n, m) model prices at parameters (n, p); an anchor's quotes follow."""
        points = np.atleast_2d(parameters)
        prices = self.problem.evaluate(points, 0, self.threads).prices
        if not self.problem.has_anchor:
            return prices
        return np.hstack((prices, self.problem.specs.coordinates.of(points)))

    def weigh(self, quotes: Array) -> Array:
        """(n, m) the weights of other quotes, by the rule of the problem; own ones stay."""
        problem, day = self.problem, self.problem.day
        rows, m = np.atleast_2d(quotes), len(day.prices)
        weights = np.tile(problem.weights, (len(rows), 1))
        if problem.weighting in RELATIVE:
            weights *= (day.prices / rows[:, :m]) ** 2
        elif problem.weighting == "vega":
            days = [replace(day, prices=frozen(row[:m])) for row in rows]
            weights = np.array([weights_of(other, "vega") for other in days])
        if not problem.has_anchor:
            return weights
        return np.hstack((weights, np.tile(problem.task.strength, (len(rows), 1))))

    def minima(self, limit: float) -> Array:
        """(k, p) local minima of the problem as posed, with an objective up to a limit."""
        problem = self.problem
        found = search_for(problem.model).known(problem)
        close = found.parameters[found.objectives <= limit]
        if len(close) < 2:
            return self._alike(close)
        known = [problem.model.from_values(problem.canonical(point)) for point in close]
        optima = local_minima(problem, known, starts=0).optima
        kept = np.array([each.parameters.values for each in optima if each.objective <= limit])
        return self._alike(kept) if len(kept) else kept

    @property
    def is_quick(self) -> bool:
        """Whether a refit takes a millisecond or two."""
        return search_for(self.problem.model).is_quick(self.problem)

    @property
    def has_quantities(self) -> bool:
        """Whether the model knows what follows from its parameters."""
        return bool(self.problem.model.horizons)

    def quantities(self, horizons: ArrayLike | None, instruments: Sequence[Any]) -> Quantities:
        """What follows from parameters, as the model knows it; None: at its usual horizons."""
        model = self.problem.model
        chosen = model.horizons if horizons is None else horizons
        return model.quantities(self.problem.day, chosen, instruments)

    def nearly_as_good(self, parameters: Array, followed: Quantities, limit: float) -> Alternatives:
        """Fits that the quotes allow beside the one with parameters (p,), up to an objective."""
        problem, model = self.problem, self.problem.model.from_values(parameters)
        fit = Fit(problem, model, "given", evaluations=0, seconds=0.0)
        factor = float(np.sqrt(limit / max(fit.objective, problem.perfect_objective)))
        # A limit that is rounding tells nothing apart.
        found = evidence(fit, factor if factor > 1.0 else PERFECT_FACTOR)
        return alternatives(problem, found, followed)
