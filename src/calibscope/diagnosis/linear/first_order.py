r"""First order: where a refit will end, predicted from derivatives at the fit.

With B half the Hessian of the weighted sum of squares, J^T W J (Gauss-Newton) or the exact one, and
residuals r = y - g,

.. math:: d\theta = B^{-1} J^T (W\,dy + dW\,r), \qquad
    \theta_{(k)} - \theta \approx -\frac{B^{-1} J_k^T w_k r_k}{1 - h_{kk}}, \quad
    h_{kk} = w_k\,J_k B^{-1} J_k^T.

The left one is for quotes that move by dy and take their weights along, the implicit function
theorem at J^T W r = 0. The right one is for a quote that is left out: one Newton step, in which the
rank-one change of B is undone by Sherman and Morrison (Belsley, Kuh and Welsch, 1980). The leverage
belongs to the same B: with the exact Hessian it can reach 1 and more, where no minimum is left. The
second derivatives of the left-out quote alone are missed.

An optimum moves along the free parameters only, so those at active bounds are held, in every mode.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibscope.base.arrays import Array
from calibscope.diagnosis.least_squares import LeastSquares
from calibscope.diagnosis.linear.geometry import geometry
from calibscope.diagnosis.linear.uncertainty import Form
from calibscope.diagnosis.refit.refit import Refit

if TYPE_CHECKING:
    from calibscope.diagnosis.diagnosis import Diagnosis

STEP = 1e-5  # of a quote: the slope of 1/y^2 is then right to 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class FirstOrder:
    """One form of B at a fit."""

    problem: LeastSquares
    root: Array  # (p, p) R with R R^T = B^-1 on the free parameters
    leverage: Array  # (m,) h, the diagonal of A B^-1 A^T

    def shift_without(self, forced: float) -> Array:
        """(m, p) what leaving out each quote does; not a number from the leverage `forced` on."""
        room = np.where(self.leverage < forced, 1.0 - self.leverage, np.nan)
        pull = self.problem.weights * self.problem.residuals / room
        return -pull[:, None] * (self.problem.jacobian @ self.root @ self.root.T)

    def sensitivity(self, slopes: Array | None = None) -> Array:
        """(p, m) derivative of the parameters by the quotes.

        Parameters
        ----------
        slopes : (m, m) derivatives of the weights, in rows, by the quotes; None: weights are fixed
        """
        pull = np.diag(self.problem.weights)
        if slopes is not None:
            pull = pull + slopes * self.problem.residuals[:, None]
        return np.asarray(self.root @ self.root.T @ self.problem.jacobian.T @ pull)


def first_order(dx: "Diagnosis", form: Form) -> FirstOrder:
    """Gauss-Newton's form or the exact one."""
    problem = dx.problem
    if form == "exact":
        root = dx.curvature.exact_root
        return FirstOrder(problem, root, ((problem.design @ root) ** 2).sum(axis=1))
    own = dx.geometry
    if (own.is_active != problem.is_free).any():
        tolerance = dx.settings.rank_tolerance
        own = geometry(problem.design, problem.is_free, tolerance, own.column_scale)
    return FirstOrder(problem, own.root_inverse, own.leverage)


def weight_slopes(refit: Refit, quotes: Array) -> Array:
    """(m, m) derivatives of the weights, in rows, by the quotes, from central differences."""
    steps = STEP * np.where(quotes == 0, 1.0, np.abs(quotes))
    moves = np.diag(steps)
    up, down = refit.weigh(quotes + moves), refit.weigh(quotes - moves)
    return np.asarray((up - down).T / (2.0 * steps))
