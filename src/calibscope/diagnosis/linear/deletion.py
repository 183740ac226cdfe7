r"""Deletion: where the fit would be without a quote, in units that can be compared.

The Euclidean norm of an influence mixes the units of the parameters. The companions here do not;
they have the names and formulas of statsmodels' OLSInfluence for the regression of the weighted
residuals e = W^(1/2) (y - g) on A = W^(1/2) J at an optimum of the parameters whose columns A has,
where :math:`H_w e = 0`. What is studentised is e itself: :math:`e - H_w e` would be the residuals
of another fit, which leaves the bounds.

At an active bound e is the residual of a fit of the parameters at no bound, whether the bound holds
or not, and has their variance :math:`\sigma^2 (1 - h_{kk})`. Theirs are the columns of A here, in
active mode as in strict; refits agree (`benchmarks/active_bounds.py`). Full mode takes all columns
instead, to which e is not orthogonal: the same formulas without a regression behind them, and
:math:`\sigma_{(k)}` is not a number where :math:`e_k^2/(1 - h_{kk})` exceeds the sum of squares.

Beside Cook's distance is that of the shift which the exact Hessian predicts on the free parameters
(`first_order.py`): with half of it, :math:`B`,

.. math:: d_k = \frac{B^{-1} A_k^T e_k}{1 - A_k B^{-1} A_k^T}, \qquad
    D_k = \frac{d_k^T A^T A\,d_k}{p\,\sigma^2}.

It is Cook's distance itself without curvature, and says where leaving out a quote moves the
parameters substantially; not a number where no minimum is left without the quote.
"""

from dataclasses import dataclass

import numpy as np

from calibscope.base.arrays import Array, Indices
from calibscope.base.compiled import compiled_for_stacks
from calibscope.diagnosis.least_squares import LeastSquares
from calibscope.diagnosis.linear.curvature import Curvature
from calibscope.diagnosis.linear.geometry import Geometry

ROUNDING = 1e-6  # of the sum of squares; residuals at leverages near 1 have few digits


@dataclass(frozen=True, slots=True, eq=False)
class Deletion:
    """What leaving out quote k does; not a number where leverage 1 leaves no residual."""

    degrees_of_freedom: Indices  # m - p
    cooks_distance_exact: Array  # (m,) from the shift that the exact Hessian predicts
    dfbeta: Array  # (m, p) parameters minus those without quote k
    dfbetas: Array  # (m, p) the same over the parameter's deviation without quote k
    dffits: Array  # (m,) t_(k) sqrt(h / (1 - h))
    cooks_distance: Array  # (m,) t_k^2 h / ((1 - h) p)
    resid_studentized_internal: Array  # (m,) t_k = e_k / (sigma sqrt(1 - h))
    resid_studentized_external: Array  # (m,) t_(k): the same with the scale without quote k

    @property
    def believed_distance(self) -> Array:
        """(m,) Cook's distance with the exact Hessian, where that is none by the linear form.

        d_k^T A^T A d_k / (p sigma^2), else t_k^2 h / ((1 - h) p) (Cook, 1977).
        """
        exact = self.cooks_distance_exact
        return np.asarray(np.where(np.isfinite(exact), exact, self.cooks_distance))


def deletion(
    problem: LeastSquares, geometry: Geometry, curvature: Curvature, forced: float
) -> Deletion:
    r"""Leave out each quote of the linearised problem.

    .. math:: \sigma_{(k)}^2 = \frac{(m - p)\,\sigma^2 - e_k^2 / (1 - h_{kk})}{m - p - 1}

    Parameters
    ----------
    geometry : of the columns that e is orthogonal to, in full mode of all
    forced : leverage from which a quote has no residual
    """
    e, p = problem.weighted_residuals, geometry.parameter_count
    degrees_of_freedom = np.asarray((problem.weights > 0).sum(axis=-1) - p)
    linear = _deletion(
        e,
        geometry.left,
        geometry.leverage,
        geometry.root_inverse,
        geometry.deviations,
        p,
        degrees_of_freedom,
        forced,
    )
    half = problem.design @ curvature.exact_root
    exact = _exact_distance(e, half, p, degrees_of_freedom, forced)
    return Deletion(degrees_of_freedom, exact, *linear)


@compiled_for_stacks(
    "f8[:], f8[:,:], f8[:], f8[:,:], f8[:], i8, i8, f8, "
    "f8[:,:], f8[:,:], f8[:], f8[:], f8[:], f8[:]",
    "(m), (m,p), (m), (p,p), (p), (), (), () -> (m,p), (m,p), (m), (m), (m), (m)",
)
def _deletion(
    weighted_residuals: Array,
    left: Array,
    leverage: Array,
    root: Array,
    deviations: Array,
    parameter_count: int,
    degrees_of_freedom: int,
    forced: float,
    dfbeta: Array,
    dfbetas: Array,
    dffits: Array,
    cooks_distance: Array,
    internal: Array,
    external: Array,
) -> None:
    m, p = left.shape
    e = weighted_residuals
    squares = (e**2).sum()
    variance = squares / degrees_of_freedom if degrees_of_freedom > 0 else np.nan
    for k in range(m):
        room = 1.0 - leverage[k] if leverage[k] < forced else np.nan
        own = e[k] ** 2 / room
        rest = squares - own
        if rest < 0.0:  # beyond rounding, no regression leaves such residuals
            rest = 0.0 if rest > -ROUNDING * squares else np.nan
        without = rest / (degrees_of_freedom - 1) if degrees_of_freedom > 1 else np.nan
        odds = leverage[k] / room
        internal[k] = np.sign(e[k]) * np.sqrt(own / variance)
        external[k] = np.sign(e[k]) * np.sqrt(own / without)
        dffits[k] = external[k] * np.sqrt(odds)
        cooks_distance[k] = internal[k] ** 2 * odds / max(parameter_count, 1)
        for i in range(p):
            shift = 0.0
            for j in range(p):
                shift += left[k, j] * root[i, j]
            dfbeta[k, i] = e[k] / room * shift
            dfbetas[k, i] = dfbeta[k, i] / (np.sqrt(without) * deviations[i])


@compiled_for_stacks("f8[:], f8[:,:], i8, i8, f8, f8[:]", "(m), (m,p), (), (), () -> (m)")
def _exact_distance(
    e: Array,
    half: Array,
    parameter_count: int,
    degrees_of_freedom: int,
    forced: float,
    distance: Array,
) -> None:
    """Cook's distance of the shift d_k: d_k^T A^T A d_k / (p sigma^2), with A R = `half`."""
    m, p = half.shape
    variance = (e**2).sum() / degrees_of_freedom if degrees_of_freedom > 0 else np.nan
    for k in range(m):
        leverage = (half[k] ** 2).sum()
        pull = e[k] / (1.0 - leverage) if leverage < forced else np.nan
        squares = 0.0
        for i in range(m):
            along = 0.0
            for j in range(p):
                along += half[i, j] * half[k, j]
            squares += (pull * along) ** 2
        distance[k] = squares / (max(parameter_count, 1) * variance)
