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
    left, leverage, root = geometry.left, geometry.leverage, geometry.root_inverse
    along = np.einsum("...kp,...k->...p", left, weighted_residuals)
    e = weighted_residuals - np.einsum("...kp,...p->...k", left, along)
    missing = np.where(leverage < forced, 1.0 - leverage, np.nan)
    freedom = np.asarray(degrees_of_freedom)[..., None]
    squares = np.einsum("...k,...k->...", e, e)[..., None]
    count = np.maximum(geometry.parameter_count, 1)[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):
        own = e**2 / missing
        variance = np.where(freedom > 0, squares / freedom, np.nan)
        without = np.where(freedom > 1, np.maximum(squares - own, 0.0) / (freedom - 1), np.nan)
        internal, external = (np.sign(e) * np.sqrt(own / v) for v in (variance, without))
        dfbeta = (e / missing)[..., :, None] * (left @ np.swapaxes(root, -1, -2))
        deviations = np.sqrt(np.einsum("...pq,...pq->...p", root, root))
        dfbetas = dfbeta / (np.sqrt(without)[..., :, None] * deviations[..., None, :])
        odds = leverage / missing
        return Deletion(
            dfbeta,
            dfbetas,
            external * np.sqrt(odds),
            internal**2 * odds / count,
            internal,
            external,
        )
