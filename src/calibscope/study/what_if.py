r"""What if: a day calibrated again with other quotes, weights, bounds or another solver.

The recalibration comes with what first order predicts from the fit as it was: one Newton step on
the changed problem. With B half the Hessian of the weighted sum of squares without the quotes
that are left out, W the weights by the new rule, r the residuals and dy the moves,

.. math:: d\theta = B^{-1} J^T (W r + W\,dy + dW\,r).

At the optimum J^T W r = 0, so that a move alone gives the influence function times the move, and a
quote left out gives -IF/(1 - h) (`diagnosis/linear/first_order.py`). A step ends at the bounds.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from calibscope.base.arrays import Array
from calibscope.base.numbers import BASIS_POINTS
from calibscope.calibration.calibrate import calibrate, posed_problem
from calibscope.calibration.problem import Problem
from calibscope.calibration.solution import Fit
from calibscope.diagnosis.diagnose import diagnose
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.diagnosis.linear.first_order import first_order, weight_slopes
from calibscope.diagnosis.linear.uncertainty import Form
from calibscope.diagnosis.refit.refit import required
from calibscope.diagnosis.refit.shifts import prediction_error
from calibscope.diagnosis.settings import DiagnosisSettings
from calibscope.market.day import MarketDay
from calibscope.market.errors import MarketDataError
from calibscope.study.settings import StudySettings

Unit = Literal["price", "vol"]
HELD = "held"  # weights that stay what they were, whatever quotes do


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be different; nothing by default."""

    moves: Mapping[str, float] = field(default_factory=dict)  # by label, decimals
    unit: Unit = "price"  # moves are shares of prices, or additions to normal vols
    without: tuple[str, ...] = ()  # labels of quotes to leave out
    weights: str | None = None  # None: as in the study; "held": as they were for the old quotes
    solver: str | None = None
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class WhatIf:
    """A day before and after a change."""

    before: Fit
    after: Fit
    between: Problem  # as after, but with the quotes as they were
    thresholds: DiagnosisSettings

    @cached_property
    def dx_before(self) -> Diagnosis:
        """The diagnosis of the fit as it was."""
        return diagnose(self.before, settings=self.thresholds)

    @cached_property
    def dx_after(self) -> Diagnosis:
        """The diagnosis of the recalibration."""
        return diagnose(self.after, settings=self.thresholds)

    @property
    def shift(self) -> Array:
        """(p,) how far the parameters moved."""
        return np.asarray(self.after.parameters.values - self.before.parameters.values)

    @cached_property
    def _on_the_way(self) -> Diagnosis:
        """The changed problem, with quotes and parameters as they were."""
        point = np.clip(self.before.parameters.values, self.between.lower, self.between.upper)
        there = Fit(
            self.between, self.between.model.from_values(point), "given", evaluations=0, seconds=0.0
        )
        return diagnose(there, settings=self.thresholds)

    def predicted(self, form: Form = "exact") -> Array:
        """(p,) the parameters that first order predicts, "gauss_newton" or "exact".

        Where the exact Hessian has no minimum, as it may outside new bounds, Gauss-Newton's.
        """
        dx = self._on_the_way
        if form == "exact" and not np.isfinite(dx.curvature.exact_root).all():
            form = "gauss_newton"
        order, problem = first_order(dx, form), dx.problem
        assert problem.observed is not None
        moved = self.after.problem.day.prices - self.between.day.prices
        pull = problem.jacobian.T @ (problem.weights * problem.residuals)
        step = order.root @ (order.root.T @ pull)
        if moved.any():
            slopes = weight_slopes(required(dx.refit), problem.observed)
            step = step + order.sensitivity(slopes) @ moved
        return np.asarray(np.clip(problem.values + step, problem.lower, problem.upper))

    def error(self, form: Form = "exact") -> float:
        """Length of the gap between predicted and true shift over that of the true one (scaled)."""
        gap = self.predicted(form) - self.before.parameters.values
        scale = self.dx_before.problem.coordinate_scale
        return float(prediction_error(gap, self.shift, scale))


def what_if(day: MarketDay, change: Change, settings: StudySettings) -> WhatIf:
    """Calibrate a day as the study does, and with the change.

    Raises
    ------
    MarketDataError, ValueError
        if nothing can be calibrated so
    """
    strange = {*change.moves, *change.without} - set(day.labels)
    if strange:
        names = ", ".join(sorted(strange))
        raise MarketDataError(day.label, [f"there is no quote {names} that day; change others"])
    usual = settings.calibration.arguments()
    before = calibrate(day, **usual)
    kept = day.without(list(change.without)) if change.without else day
    moved = _moved(kept, change)
    arguments = usual | {
        "solver": change.solver or usual["solver"],
        "weights": _weights(before.problem, kept, change, usual["weights"]),
        "bounds": {**(usual["bounds"] or {}), **change.bounds} or None,
    }
    after = calibrate(moved, **arguments)
    between = after.problem
    if moved is not kept:
        asked = ("weights", "bounds", "fixed", "model")
        between = posed_problem(kept, **{name: arguments[name] for name in asked})
    return WhatIf(before, after, between, settings.diagnosis.thresholds)


def _weights(before: Problem, kept: MarketDay, change: Change, usual: Any) -> Any:
    chosen = usual if change.weights is None else change.weights
    if isinstance(chosen, str) and chosen == HELD:
        return before.weights[np.isin(before.day.labels, kept.labels)]
    return chosen


def _moved(day: MarketDay, change: Change) -> MarketDay:
    """The day with its quotes moved; bid and ask go along."""
    moves = np.array([change.moves.get(name, 0.0) for name in day.labels])
    if not moves.any():
        return day
    prices = prices_after(day, moves, change.unit)
    ratio = prices / day.prices
    bid_ask = None if day.bid_ask is None else day.bid_ask * ratio[:, None]
    return replace(day, prices=prices, bid_ask=bid_ask)


def prices_after(day: MarketDay, moves: Array, unit: Unit) -> Array:
    """(m,) the prices after moves (m,), shares of prices or additions to normal vols, decimals."""
    if unit == "price":
        return np.asarray(day.prices * (1.0 + moves))
    vols = day.normal_vols + moves
    wrong = [
        f"{day.labels[k]}: a normal vol of {BASIS_POINTS.text(vols[k], '.1f')}; move it less"
        for k in np.flatnonzero((moves != 0) & ~(vols > 0))
    ]
    if wrong:
        raise MarketDataError(day.label, wrong)
    at_least = np.where(moves != 0, vols, 1e-4)  # what does not move keeps its price to the bit
    return np.asarray(np.where(moves != 0, day.prices_at(at_least), day.prices))


def vol_moves(day: MarketDay, moves: Array) -> Array:
    """(m,) additions to normal vols that move prices by these shares (m,)."""
    prices = prices_after(day, moves, "price")
    return np.asarray(day.implied_normal_vols(prices) - day.normal_vols)


def price_moves(day: MarketDay, moves: Array) -> Array:
    """(m,) shares of prices that come from additions to normal vols (m,)."""
    return np.asarray(prices_after(day, moves, "vol") / day.prices - 1.0)
