"""From curve to swap value and at-the-money strike, and from a quoted vol to a price.

All functions take the discount factors at the payment dates t_m, ..., t_n (`discounts`, one
more than there are periods) and the accruals of the periods between them.
"""

from typing import Literal

import numpy as np
from scipy.special import ndtr

from calibscope.base.arrays import Array, ArrayLike

Kind = Literal["cap", "floor"]


def payer_swap_value(
    discounts: ArrayLike, accruals: ArrayLike, strike: float, notional: float = 1.0
) -> float:
    r"""Value of receiving floating and paying the fixed rate `strike`; no model needed.

    .. math:: N\,[P(t_m) - P(t_n)] - N K \sum_{i=m+1}^{n} \delta_i P(t_i)

    Source: paper, eq. swap_telescope.
    """
    P, delta = np.asarray(discounts, float), np.asarray(accruals, float)
    return float(notional * (P[0] - P[-1] - strike * (delta @ P[1:])))


def swap_rate(discounts: ArrayLike, accruals: ArrayLike) -> float:
    r"""The strike at which the swap is worth nothing: the at-the-money strike.

    .. math:: K = \frac{P(t_m) - P(t_n)}{\sum_{i=m+1}^{n} \delta_i P(t_i)}

    Which convention it is depends on where the dates start: t_m = t_1, the first reset of a
    quoted cap, gives the forward strike; t_m = 0 gives the spot strike.
    """
    P, delta = np.asarray(discounts, float), np.asarray(accruals, float)
    return float((P[0] - P[-1]) / (delta @ P[1:]))


def bachelier_price(
    discounts: ArrayLike,
    accruals: ArrayLike,
    resets: ArrayLike,
    strike: float,
    normal_vol: float,
    kind: Kind = "cap",
) -> float:
    r"""Cap or floor price, unit notional, from one flat normal (Bachelier) volatility.

    .. math:: \sum_i \delta_i P(t_i)\,[(\pm(F_i - K))\Phi(\pm d_i) + s_i \varphi(d_i)], \quad
        s_i = \sigma \sqrt{t_{i-1}},\; d_i = (F_i - K)/s_i

    Parameters
    ----------
    resets : (n,) reset times in years; a caplet that resets today has its intrinsic value
    normal_vol : absolute volatility of the forward rate, decimal a year (0.0085 is 85 bp)
    """
    P, delta = np.asarray(discounts, float), np.asarray(accruals, float)
    moneyness = (P[:-1] / P[1:] - 1.0) / delta - strike
    if kind == "floor":
        moneyness = -moneyness
    spread: Array = normal_vol * np.sqrt(np.asarray(resets, float))
    certain = spread == 0
    d = moneyness / np.where(certain, 1.0, spread)
    density = np.exp(-0.5 * d * d) / np.sqrt(2 * np.pi)
    option = np.where(certain, np.maximum(moneyness, 0.0), moneyness * ndtr(d) + spread * density)
    return float((delta * P[1:]) @ option)
