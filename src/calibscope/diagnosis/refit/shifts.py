r"""Shifts: how far refits move the parameters, beside what first order predicted.

The error of a prediction is the length of the gap between predicted and true shift over the length
of the true one, both in scaled coordinates (shares of a parameter that has a logarithm, else the
parameter itself):

.. math:: \frac{\|D^{-1}(\Delta_{predicted} - \Delta)\|}{\|D^{-1} \Delta\|}

The metric of the fit itself, |A Delta|, would see stiff directions only, and parameters move along
flat ones.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from calibscope.base.arrays import Array, BoolArray, Indices
from calibscope.base.parameters import Specs, bound_marks
from calibscope.diagnosis.linear.geometry import length
from calibscope.diagnosis.linear.intervals import BOUND_WORDS
from calibscope.diagnosis.linear.uncertainty import Form, checked_form
from calibscope.diagnosis.refit.basins import is_elsewhere
from calibscope.diagnosis.refit.refit import Nearby, required, sum_of_squares

if TYPE_CHECKING:
    from calibscope.diagnosis.diagnosis import Diagnosis

PREDICTED = 0.25  # error of a prediction up to which nothing can have jumped


@dataclass(frozen=True, slots=True, eq=False)
class Shifts:
    """n refits of one problem; not a number where none was asked for."""

    specs: Specs
    values: Array  # (p,) the fit
    scale: Array  # (p,) parameters by their scaled coordinates
    parameters: Array  # (n, p) refitted
    fitted: Array  # (n, m) there
    objective: Array  # (n,) weighted sum of squares there
    gauss_newton: Array  # (n, p) shift predicted with J^T W J
    exact_hessian: Array  # (n, p) shift predicted with the exact Hessian
    at_bound: npt.NDArray[np.int64]  # (n, p) -1 lower, 1 upper, else 0
    has_changed_bound: BoolArray  # (n, p) parameters that came to a bound, or left it
    is_elsewhere: BoolArray  # (n,) the best parameters lie in another basin

    @property
    def refitted(self) -> Array:
        """(n, p) the true shifts.

        Delta = theta_refitted - theta (Belsley, Kuh and Welsch (1980)).
        """
        return np.asarray(self.parameters - self.values)

    def predicted(self, form: Form) -> Array:
        """(n, p) shifts predicted in one form, "gauss_newton" or "exact".

        d theta = B^-1 J^T (W dy + dW r), or -IF_k / (1 - h_kk) for a deletion (Belsley, Kuh and
        Welsch (1980), section 2.1).

        Parameters
        ----------
        form : "gauss_newton" or "exact"

        Returns
        -------
        Array
            (n, p)
        """
        return self.gauss_newton if checked_form(form) == "gauss_newton" else self.exact_hessian

    def error(self, form: Form = "exact") -> Array:
        """(n,) error of each prediction; no number if nothing moved.

        |D^-1 (predicted - Delta)| / |D^-1 Delta| in scaled coordinates; the predictions are those
        of Belsley, Kuh and Welsch (1980), the measure is ours.

        Parameters
        ----------
        form : "gauss_newton" or "exact"

        Returns
        -------
        Array
            (n,) decimals
        """
        return prediction_error(self.predicted(form), self.refitted, self.scale)

    def errors(self, form: Form = "exact") -> Array:
        """(n, p) the same of each parameter alone: the gap over its own true shift.

        |predicted_j - Delta_j| / |Delta_j|; the predictions are those of Belsley, Kuh and Welsch
        (1980), the measure is ours.

        Parameters
        ----------
        form : "gauss_newton" or "exact"

        Returns
        -------
        Array
            (n, p) decimals
        """
        return _ratio(np.abs(self.predicted(form) - self.refitted), np.abs(self.refitted))

    @property
    def is_predicted(self) -> BoolArray:
        """(n,) whether the exact Hessian predicted the shift to within a quarter."""
        return np.asarray(self.error("exact") <= PREDICTED)

    @property
    def moves_most(self) -> Indices:
        """(n,) the parameter that moves furthest, in scaled coordinates."""
        return np.asarray(np.argmax(np.abs(np.nan_to_num(self.refitted / self.scale)), axis=-1))

    def remarks(self, row: int) -> list[str]:
        """What must be said beside one refit.

        Parameters
        ----------
        row : which refit

        Returns
        -------
        list[str]
            words, none if there is nothing to say
        """
        said = []
        for p in np.flatnonzero(self.has_changed_bound[row]):
            where = BOUND_WORDS.get(int(self.at_bound[row, p]), "leaves its bound")
            said.append(f"{self.specs.names[p]} {where}")
        return [*said, "another basin"] if self.is_elsewhere[row] else said


def refit_shifts(
    dx: "Diagnosis",
    quotes: Array,
    weights: Array,
    gauss_newton: Array,
    exact_hessian: Array,
    is_asked: BoolArray,
    is_nearby: bool = False,
) -> Shifts:
    """Fit again, and compare with what was predicted.

    Parameters
    ----------
    quotes, weights : (n, m)
    gauss_newton, exact_hessian : (n, p) predicted shifts
    is_asked : (n,) which rows to fit
    is_nearby : whether quotes and weights are nearly those of the fit
    """
    refit, problem = required(dx.refit), dx.problem
    n, p = gauss_newton.shape
    parameters, fitted = np.full((n, p), np.nan), np.full(quotes.shape, np.nan)
    if is_asked.any():
        rows = quotes[is_asked], weights[is_asked]
        if is_nearby and isinstance(refit, Nearby):
            parameters[is_asked] = refit.solve_nearby(*rows)
        else:
            starts = np.broadcast_to(problem.values, (len(rows[0]), p))
            parameters[is_asked] = refit.solve(*rows, starts=starts)
        fitted[is_asked] = refit.predict(parameters[is_asked])
    at_bound = bound_marks(parameters, problem.lower, problem.upper)
    true, scale = parameters - problem.values, problem.coordinate_scale
    errors = (prediction_error(each, true, scale) for each in (gauss_newton, exact_hessian))
    is_doubtful = is_asked & ~(np.fmin(*errors) <= PREDICTED)
    is_apart = np.zeros(n, dtype=bool)
    if is_doubtful.any():
        doubtful = (array[is_doubtful] for array in (quotes, weights, parameters))
        is_apart[is_doubtful] = is_elsewhere(refit, problem, *doubtful)
    return Shifts(
        problem.specs,
        problem.values,
        scale,
        parameters,
        fitted,
        sum_of_squares(fitted, quotes, weights),
        gauss_newton,
        exact_hessian,
        at_bound,
        (at_bound != problem.at_bound) & is_asked[:, None],
        is_apart,
    )


def prediction_error(predicted: Array, true: Array, scale: Array) -> Array:
    """Length of the gap over that of the true shift, along the last axis."""
    return _ratio(length((predicted - true) / scale), length(true / scale))


def _ratio(gap: Array, size: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(gap / size)
