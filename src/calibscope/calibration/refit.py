"""A calibration that can be repeated with other quotes and weights, many at a time.

`CapRefit` is G2++'s side of the protocol `diagnosis.refit.Refit`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from calibscope.base.arrays import Array, ArrayLike, frozen
from calibscope.base.compiled import compilation_notice
from calibscope.base.threads import share_days
from calibscope.calibration.g2.case import COUNT
from calibscope.calibration.g2.conditional import SPEEDS, solve_conditional
from calibscope.calibration.g2.coordinates import scaled, unscaled
from calibscope.calibration.g2.search import (
    DESCENTS,
    compile_kernels,
    search_and_trace,
    search_speeds,
)
from calibscope.calibration.near_optimal.alternatives import Alternatives, alternatives
from calibscope.calibration.near_optimal.evidence import evidence
from calibscope.calibration.near_optimal.outermost import Followed
from calibscope.calibration.problem import Problem
from calibscope.calibration.solution import Fit
from calibscope.calibration.solvers.global_search import solve
from calibscope.calibration.weights import weights_of
from calibscope.models.g2.book import CapBook
from calibscope.models.g2.caps import evaluate
from calibscope.models.g2.downstream import Downstream
from calibscope.models.g2.instruments import Instrument
from calibscope.models.g2.model import G2

RELATIVE = ("rmsre", "liability")  # weightings that are proportional to 1/y^2
FEWEST = 4  # fits that are worth a thread


@dataclass(frozen=True, eq=False)
class CapRefit:
    """The caps of one day, calibrated again by the global search.

    An anchor counts as five more quotes, those of the parameters' scaled coordinates.
    """

    problem: Problem
    threads: int | None = None  # how many to use; None means all cores

    @cached_property
    def has_anchor(self) -> bool:
        """Whether an anchor's pulls follow the caps."""
        return bool(self.problem.task.strength.any())

    def solve(
        self,
        quotes: Array,
        weights: Array,
        held: Array | None = None,
        starts: Array | None = None,
    ) -> Array:
        """(n, 5) the best parameters, the faster factor first where the problem is symmetric.

        Parameters
        ----------
        quotes, weights : (n, m); a quote of weight 0 does not count
        held : (n, 5) values that parameters must keep, not a number where they are free
        starts : (n, 5) parameters that may be near; the global search needs none
        """
        if self.problem.is_plain:
            if held is None:
                return self._searched(quotes, weights)
            homes = self._homes(quotes, weights)
            return self._held(quotes, weights, held, homes if starts is None else starts, homes)
        found = np.empty((len(quotes), COUNT))

        def work(begin: int, end: int) -> None:
            for i in range(begin, end):
                problem = self._posed(quotes[i], weights[i], None if held is None else held[i])
                found[i] = solve(problem, problem.lower).parameters[0]

        share_days(work, len(found), self.threads, FEWEST)
        return found if held is not None else self.problem.canonical(found)

    def predict(self, parameters: Array) -> Array:
        """(n, m) model prices at parameters (n, 5); an anchor's quotes follow."""
        points = np.atleast_2d(parameters)
        prices = evaluate(points, self._book(len(points)), 0, self.threads).prices
        prices = prices.reshape(len(points), -1)
        return np.hstack((prices, scaled(points))) if self.has_anchor else prices

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
        if not self.has_anchor:
            return weights
        return np.hstack((weights, np.tile(problem.task.strength, (len(rows), 1))))

    def quantities(self, horizons: ArrayLike, instruments: Sequence[Instrument]) -> Downstream:
        """What follows from parameters: the outlook at horizons, and prices of instruments."""
        return Downstream.of(self.problem.day, horizons, instruments)

    def nearly_as_good(self, parameters: Array, followed: Followed) -> Alternatives:
        """Fits that RMSRE cannot tell from the one with parameters (5,)."""
        fit = Fit(self.problem, G2(*parameters), "given", evaluations=0, seconds=0.0)
        return alternatives(self.problem, evidence(fit), followed)

    def _book(self, count: int) -> CapBook:
        return self.problem.book.repeated(count)

    def _searched(self, quotes: Array, weights: Array) -> Array:
        """The search over the speeds, for all rows."""
        compile_kernels()
        n, lower, upper = len(quotes), np.array(self.problem.lower), np.array(self.problem.upper)
        ends, objectives = np.empty((n, DESCENTS, COUNT)), np.empty((n, DESCENTS))
        evaluations, book = np.zeros(n, dtype=np.int64), self._book(n)
        flat, roots = np.ravel(quotes).copy(), np.sqrt(np.ravel(weights))
        speeds = search_speeds(lower[0], upper[0])

        def work(begin: int, end: int) -> None:
            search_and_trace(
                book, flat, roots, lower, upper, speeds, begin, end, ends, objectives, evaluations
            )

        share_days(work, n, self.threads, FEWEST)
        return self.problem.canonical(ends[:, 0])

    def _homes(self, quotes: Array, weights: Array) -> Array:
        """The best fits with nothing held; that of the last row is remembered for the next call.

        A profile asks a hundred times about the same quotes.
        """
        rows = np.hstack((quotes, weights))
        known: Array | None = self._last.get("row")
        if known is not None and (rows == known).all():
            return np.tile(self._last["home"], (len(rows), 1))
        different, places = np.unique(rows, axis=0, return_inverse=True)
        m = quotes.shape[1]
        found = self._searched(different[:, :m], different[:, m:])[places]
        self._last.update(row=rows[-1], home=found[-1])
        return found

    @cached_property
    def _last(self) -> dict[str, Array]:
        return {}

    def _held(
        self, quotes: Array, weights: Array, held: Array, starts: Array, homes: Array
    ) -> Array:
        """The search with parameters held (`held.py`), for all rows."""
        lower, upper = np.array(self.problem.lower), np.array(self.problem.upper)
        found, speeds = np.empty((len(quotes), COUNT)), search_speeds(lower[0], upper[0], SPEEDS)
        roots = np.sqrt(weights)

        def work(begin: int, end: int) -> None:
            solve_conditional(
                self.problem.book, quotes, roots, lower, upper, held, starts, homes, speeds,
                begin, end, found,
            )  # fmt: skip

        with compilation_notice():
            share_days(work, len(found), self.threads, fewest=1)
        return found

    def _posed(self, quotes: Array, weights: Array, held: Array | None) -> Problem:
        """The problem with other quotes and weights, and parameters held."""
        problem, m = self.problem, len(self.problem.day.prices)
        lower, upper = np.array(problem.lower), np.array(problem.upper)
        if held is not None:
            is_held = ~np.isnan(held)
            lower[is_held] = upper[is_held] = held[is_held]
            if problem.is_symmetric:  # the factors must not change places
                upper[1] = min(upper[1], upper[0]) if is_held[0] else upper[1]
                lower[0] = max(lower[0], lower[1]) if is_held[1] else lower[0]
        posed = replace(
            problem,
            day=replace(problem.day, prices=frozen(quotes[:m])),
            weights=frozen(weights[:m]),
            lower=frozen(lower),
            upper=frozen(upper),
        )
        if not self.has_anchor:
            return posed
        anchor = np.clip(unscaled(quotes[m:]), problem.lower, problem.upper)
        return replace(posed, anchor=G2(*anchor), anchor_strength=weights[m:])
