r"""What a diagnosis starts from: weighted least squares at its (presumed) optimum.

.. math:: Q(\theta) = \sum_k w_k\,(y_k - g_k(\theta))^2, \qquad A = W^{1/2} J, \quad
    e = W^{1/2} (y - g)

Residuals are observed minus fitted, as in the paper; J holds derivatives of the fitted values g.
"""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from calibscope.base.arrays import Array, BoolArray
from calibscope.base.parameters import Specs, bound_marks
from calibscope.diagnosis.linear.geometry import length


@dataclass(frozen=True, slots=True, eq=False)
class LeastSquares:
    """Residuals, derivatives, weights and bounds of a fit with m observations and p parameters.

    Of a stack of n fits, all arrays have the fit first.
    """

    residuals: Array  # (m,) observed minus fitted
    jacobian: Array  # (m, p) of the fitted values
    weights: Array  # (m,)
    second_order: Array | None  # (p, p) sum_k w_k (g_k - y_k) Hess g_k, half of Delta_GN
    observed: Array | None  # (m,)
    values: Array  # (p,) the parameters; not a number where they were not given
    lower: Array  # (p,)
    upper: Array  # (p,)
    labels: npt.NDArray[np.str_]  # (m,)
    specs: Specs
    half_spreads: Array | None = None  # (m,) of bids and asks; not a number where there are none
    root_weights: Array = field(init=False)  # (m,) diagonal of W^(1/2)
    weighted_residuals: Array = field(init=False)  # (m,) e; with w = 1/y^2 relative errors
    design: Array = field(init=False)  # (m, p) A = W^(1/2) J
    gram: Array = field(init=False)  # (p, p) A^T A = J^T W J
    at_bound: npt.NDArray[np.int64] = field(init=False)  # (p,) -1 lower, 1 upper, else 0
    is_movable: BoolArray = field(init=False)  # (p,) not fixed beforehand
    is_free: BoolArray = field(init=False)  # (p,) neither fixed nor held by a bound
    coordinate_scale: Array = field(init=False)  # (p,) parameters by their scaled coordinates

    def __post_init__(self) -> None:
        roots = np.sqrt(self.weights)
        is_movable = self.lower < self.upper
        at_bound = bound_marks(self.values, self.lower, self.upper)
        A = roots[..., None] * self.jacobian
        derived = {
            "root_weights": roots,
            "weighted_residuals": roots * self.residuals,
            "design": A,
            "gram": A.mT @ A,
            "at_bound": at_bound,
            "is_movable": is_movable,
            "is_free": is_movable & (at_bound == 0),
            "coordinate_scale": np.abs(self.specs.coordinates.slopes(self.values)),
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    @property
    def relative_weight(self) -> Array:
        """The c of weights c/y^2, which minimise relative errors; not a number for others.

        :math:`c = w_k y_k^2`, the same for all k (paper, eq. wls_form).
        """
        if self.observed is None:
            return np.full(self.residuals.shape[:-1], np.nan)
        products = self.weights * self.observed**2
        highest = products.max(axis=-1)
        is_relative = (highest > 0) & (products.min(axis=-1) >= (1 - 1e-9) * highest)
        return np.where(is_relative, highest, np.nan)

    @property
    def weighted_half_spreads(self) -> Array:
        """(m,) the noise of the weighted residuals, if a quote's is half of its spread.

        :math:`w_k^{1/2} s_k`; zero without weight, not a number on days of a stack that lack some.
        """
        if self.half_spreads is None or np.isnan(self.half_spreads).all():
            raise ValueError("there are no bids and asks; give bid_ask to the day")
        is_missing = np.isnan(self.half_spreads) & (self.weights > 0)
        if is_missing.ndim == 1 and is_missing.any():
            raise ValueError(
                f"{', '.join(self.labels[is_missing])}: no bid and ask; give bid_ask to all "
                "quotes, or a number such as scale=0.003"
            )
        return np.where(self.weights > 0, self.root_weights * self.half_spreads, 0.0)

    def is_perfect(self, threshold: float) -> BoolArray:
        """Whether residuals are rounding: small against the observations, where these are known.

        Parameters
        ----------
        threshold : length of the weighted residuals over that of the weighted observations

        Returns
        -------
        BoolArray
            one per fit
        """
        size = length(self.weighted_residuals)
        if self.observed is None:
            return np.asarray(size == 0)
        return np.asarray(size <= threshold * length(self.root_weights * self.observed))
