r"""Deletion: where the fit would be without a quote, in units that can be compared.

The Euclidean norm of an influence mixes the units of the parameters. The companions here do not;
they have the names and formulas of statsmodels' OLSInfluence for the regression of the weighted
residuals e = W^(1/2) (y - g) on A = W^(1/2) J, which leaves :math:`\tilde e = e - H_w e`. At an
optimum inside the bounds that is e itself, and `dfbeta` is the influence over 1 - h_kk. At an
active bound in full mode it is not: there, take strict mode.
"""

from dataclasses import dataclass

import numpy as np

from calibscope.base.arrays import Array, Indices
from calibscope.base.compiled import compiled_for_stacks
from calibscope.diagnosis.geometry import Geometry


@dataclass(frozen=True, slots=True, eq=False)
class Deletion:
    """What leaving out quote k does; not a number where leverage 1 leaves no residual."""

    dfbeta: Array  # (m, p) parameters minus those without quote k
    dfbetas: Array  # (m, p) the same over the parameter's deviation without quote k
    dffits: Array  # (m,) t_(k) sqrt(h / (1 - h))
    cooks_distance: Array  # (m,) t_k^2 h / ((1 - h) p)
    resid_studentized_internal: Array  # (m,) t_k = e_k / (sigma sqrt(1 - h))
    resid_studentized_external: Array  # (m,) t_(k): the same with the scale without quote k


def deletion(
    weighted_residuals: Array, geometry: Geometry, degrees_of_freedom: Indices, forced: float
) -> Deletion:
    r"""Leave out each quote of the linearised problem.

    .. math:: \sigma_{(k)}^2 = \frac{(m - p)\,\sigma^2 - \tilde e_k^2 / (1 - h_{kk})}{m - p - 1}

    Parameters
    ----------
    degrees_of_freedom : m - p
    forced : leverage from which a quote has no residual
    """
    return Deletion(
        *_deletion(
            weighted_residuals,
            geometry.left,
            geometry.leverage,
            geometry.root_inverse,
            geometry.deviations,
            geometry.parameter_count,
            degrees_of_freedom,
            forced,
        )
    )


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
    e = weighted_residuals.copy()
    for i in range(p):
        along = 0.0
        for k in range(m):
            along += left[k, i] * weighted_residuals[k]
        for k in range(m):
            e[k] -= left[k, i] * along
    squares = (e**2).sum()
    variance = squares / degrees_of_freedom if degrees_of_freedom > 0 else np.nan
    for k in range(m):
        room = 1.0 - leverage[k] if leverage[k] < forced else np.nan
        own = e[k] ** 2 / room
        rest = max(squares - own, 0.0) if room > 0 else np.nan
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
