r"""Why the ends of the maturities decide a fit: leverage without noise, on an idealised market.

Leverage knows no prices but those of the model: h_kk is the squared length of row k of U, an
orthonormal basis of the columns of W^(1/2) J. Seen as functions of maturity, these columns span
five functions, and leverage is the inverse of their Christoffel function on the m maturities,

.. math:: h_{kk} = \max_{f \in \mathrm{span}(W^{1/2} J)} \frac{f(T_k)^2}{\sum_j f(T_j)^2} :

how much of itself a combination of sensitivities can put into one quote. (It is also why a
D-optimal design measures at the ends: Kiefer and Wolfowitz, 1960, "The equivalence of two extremum
problems".) Polynomials of degree 4 do the same with five functions that know nothing of interest
rates, so what they share with G2++ is not G2++'s. For them, spread evenly over an interval, m h_kk
tends to 5^2 = 25 at both ends and 3.5 in the middle (sums of squared normalised Legendre
polynomials).

What cannot be fitted is spanned by *annihilators*: of any 6 consecutive quotes, the one pattern
that no parameter can make. Where the sensitivities are a Chebyshev system, as powers of any
increasing variable are, its signs alternate (Karlin and Studden, 1966, "Tchebycheff Systems"): of
polynomials on a regular grid it is 1, -5, 10, -10, 5, -1. An inner quote is part of six such
patterns; the first and the last are part of one, with a small entry. So they keep the smallest
residuals, and have the largest leverage.
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar

from calibscope.base.arrays import Array, ArrayLike
from calibscope.calibration.weights import Weights, weights_of
from calibscope.diagnosis.diagnose_least_squares import diagnose_least_squares
from calibscope.market.curve import DiscountCurve
from calibscope.market.day import MarketDay
from calibscope.market.maturity import label
from calibscope.models.g2.model import G2
from calibscope.models.g2.parameters import PARAMETERS

ANY_VOL = 0.01  # the model's prices replace it
POWERS = (-3.0, 3.0)  # of maturity, between which the nearest is sought


@dataclass(frozen=True, slots=True, eq=False)
class IdealisedLeverage:
    """Leverage of caps at the money whose prices are the model's own."""

    maturities: Array  # (m,) years
    leverage: Array  # (m,)
    basis: Array  # (m, r) orthonormal, of the columns of W^(1/2) J

    @property
    def density(self) -> Array:
        """(m,) leverage times m, which has a limit when quotes get denser."""
        return self.leverage * len(self.leverage)

    @property
    def end_share(self) -> float:
        """What part of all leverage the first and the last quote have."""
        return float((self.leverage[0] + self.leverage[-1]) / self.leverage.sum())

    @property
    def annihilators(self) -> Array:
        """(m - r, r + 1) of any r + 1 consecutive quotes, the pattern that no parameter can make.

        Of length 1, its first entry positive; weighted as the residuals are.
        """
        count, width = len(self.basis), self.basis.shape[1] + 1
        if count < width:  # everything can be fitted
            return np.empty((0, width))
        windows = np.lib.stride_tricks.sliding_window_view(self.basis, width, axis=0)
        patterns = np.linalg.svd(windows)[2][:, -1, :]
        return np.asarray(patterns * np.where(patterns[:, :1] < 0, -1.0, 1.0))

    @property
    def is_alternating(self) -> bool:
        """Whether all annihilators alternate in sign, as those of a Chebyshev system do."""
        signs = (-1.0) ** np.arange(self.basis.shape[1] + 1)
        return bool((self.annihilators * signs > 0).all())

    @property
    def frame(self) -> pd.DataFrame:
        """One row per quote: maturity, label, leverage, density."""
        return pd.DataFrame(
            {
                "maturity": self.maturities,
                "label": [label(year) for year in self.maturities],
                "leverage": self.leverage,
                "density": self.density,
            }
        )


def idealised_leverage(
    parameters: G2,
    maturities: ArrayLike,
    curve: float | DiscountCurve = 0.02,
    weights: Weights = "rmsre",
    tenor: float = 0.5,
) -> IdealisedLeverage:
    r"""Leverage of caps at the money at given parameters, as if the model were true.

    .. math:: h_{kk} = \max_{f \in \mathrm{span}(W^{1/2} J)} \frac{f(T_k)^2}{\sum_j f(T_j)^2}

    Source: paper, eq. hat_matrix, without noise; the maximum is the inverse of a Christoffel
    function.

    Parameters
    ----------
    parameters : where the sensitivities are taken
    maturities : (m,) years, multiples of `tenor`
    curve : a flat zero rate (continuous), or any curve
    weights : as for `cs.calibrate`: "rmsre", "absolute", "vega", ...
    tenor : of the caplets, years

    Returns
    -------
    IdealisedLeverage
        leverage, and what spans and annihilates it

    Examples
    --------
    >>> model = G2(a_x=0.5, a_y=0.05, sigma_x=0.01, sigma_y=0.01, rho_xy=-0.7)
    >>> ideal = idealised_leverage(model, [3, 5, 7, 10, 15, 20, 30])
    >>> ideal.leverage.round(2).tolist()
    [1.0, 0.9, 0.53, 0.57, 0.5, 0.54, 0.96]
    """
    years = np.asarray(maturities, float)
    if not isinstance(curve, DiscountCurve):
        curve = DiscountCurve.from_zero_rates([years.max()], [curve])
    vols = np.full(years.size, ANY_VOL)
    day = MarketDay.from_arrays(curve=curve, maturities=years, vols=vols, tenor=tenor)
    day = replace(day, prices=parameters.prices(day))
    dx = diagnose_least_squares(
        np.zeros(years.size),
        parameters.jacobian(day),
        weights=weights_of(day, weights),
        names=PARAMETERS,
    )
    basis = dx.geometry.left[:, dx.geometry.is_kept]
    return IdealisedLeverage(day.maturities, dx.leverage, basis)


def polynomial_leverage(maturities: ArrayLike, power: float, degree: int = 4) -> Array:
    r"""(m,) leverage of polynomials in a power of maturity.

    .. math:: z = \frac{T^{power} - 1}{power}, \qquad z = \log T\ \text{for}\ power = 0

    and the leverage of 1, z, ..., z^degree: the powers of Box and Cox (1964).

    Parameters
    ----------
    maturities : (m,) years
    power : 1 is maturity itself, 0 its logarithm, -1 its inverse
    degree : one less than the number of parameters

    Returns
    -------
    Array
        (m,)
    """
    logs = np.log(np.asarray(maturities, float))
    z = logs if power == 0 else np.expm1(power * logs) / power
    middle, half = 0.5 * (z.max() + z.min()), 0.5 * (z.max() - z.min())
    basis, _ = np.linalg.qr(np.polynomial.legendre.legvander((z - middle) / half, degree))
    return np.asarray(np.vecdot(basis, basis))


def nearest_power(ideal: IdealisedLeverage) -> float:
    """The power of maturity whose polynomials have the most similar leverage (least squares).

    argmin of sum_k (h_k - h_k(power))^2, with h_k(power) of `polynomial_leverage` (Box and Cox,
    1964).

    Parameters
    ----------
    ideal : leverage of idealised caps

    Returns
    -------
    float
        between -3 and 3
    """
    degree = ideal.basis.shape[1] - 1

    def distance(power: float) -> float:
        gap = polynomial_leverage(ideal.maturities, power, degree) - ideal.leverage
        return float(gap @ gap)

    return float(minimize_scalar(distance, bounds=POWERS, method="bounded").x)
