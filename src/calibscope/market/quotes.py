r"""From quoted volatilities to prices and back, and the at-the-money strike.

A cap is the sum of its caplets, and a flat volatility is the one number that, put into every
caplet's formula, gives the cap's price. With forward rate F, strike K and standard deviation
s = vol * sqrt(reset time), the undiscounted caplet is

- normal (Bachelier): intrinsic value + :math:`s\,g(|F-K|/s)`, :math:`g(x)=\varphi(x)-x\Phi(-x)`
- lognormal (Black), and shifted: the same with F and K raised by the shift, F log-normal.

Both are written as intrinsic value plus time value; the time value is the same for caplet and
floorlet, so parity holds by construction.

Sources: Bachelier (1900) and Black (1976); bounds of prices follow from the put on a bond in the
paper's section 2.2.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtr

from calibscope.base.arrays import Array, ArrayLike, Indices

Kind = Literal["cap", "floor"]
Kinds = Kind | Sequence[Kind]  # of all quotes, or one for each
VolType = Literal["normal", "lognormal", "shifted_lognormal"]

_DENSITY_AT_ZERO = 1 / np.sqrt(2 * np.pi)
_MOST_NEWTON_STEPS = 60


def payoff_signs(kind: Kinds) -> Array:
    """1 for caps, which pay (F - K)^+, and -1 for floors: one number, or one per quote."""
    return np.where(np.asarray(kind) == "cap", 1.0, -1.0)


def payer_swap_value(
    discounts: ArrayLike, accruals: ArrayLike, strike: float, notional: float = 1.0
) -> float:
    r"""Value of receiving floating and paying the fixed rate `strike`; no model needed.

    .. math:: N\,[P(t_m) - P(t_n)] - N K \sum_{i=m+1}^{n} \delta_i P(t_i)

    Source: paper, eq. swap_telescope.

    Parameters
    ----------
    discounts : (n - m + 1,) P(0, t_m), ..., P(0, t_n)
    accruals : (n - m,) years
    strike : K, decimal
    notional : N

    Returns
    -------
    float
        the value today
    """
    P, delta = np.asarray(discounts, float), np.asarray(accruals, float)
    return float(notional * (P[0] - P[-1] - strike * (delta @ P[1:])))


def swap_rates(discounts: ArrayLike, accruals: ArrayLike, start: int, counts: ArrayLike) -> Array:
    r"""At-the-money strikes: the fixed rate at which the swap over the cap's dates is worth 0.

    .. math:: K = \frac{P(t_s) - P(t_n)}{\sum_{i=s+1}^{n} \delta_i P(t_i)}

    Source: paper, section 2.2 on at-the-money caps; Brigo and Mercurio (2006), section 1.5.

    Parameters
    ----------
    discounts : (..., N + 1) P(0, t_i) at all dates, days in the leading axes
    accruals : (..., N) or (N,)
    start : s, where the swap starts: 1 is the first reset of a quoted cap and gives the forward
        strike, 0 is today and gives the spot strike
    counts : (m,) n, how many periods each cap covers; NaN if not more than `start`

    Returns
    -------
    (..., m) rates, decimal
    """
    P, n = np.asarray(discounts, float), np.asarray(counts)
    annuities = np.cumsum(accruals * P[..., 1:], axis=-1)
    before = annuities[..., start - 1, None] if start else 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((P[..., start, None] - P[..., n]) / (annuities[..., n - 1] - before))


@dataclass(frozen=True, slots=True, eq=False)
class Caplets:
    """The caplets of all caps, cap after cap, for one day or for many (leading axes)."""

    forwards: Array  # (..., C) simply compounded forward rates
    strikes: Array  # (..., C)
    annuities: Array  # (..., C) accrual times discount factor of the payment date
    resets: Array  # (..., C) years
    starts: Indices  # (m,) where each cap begins among the C caplets

    @classmethod
    def of_caps(
        cls,
        discounts: ArrayLike,
        times: ArrayLike,
        accruals: ArrayLike,
        strikes: ArrayLike,
        counts: ArrayLike,
        first: int,
    ) -> "Caplets":
        """Lay out the caplets of caps that share their dates.

        Parameters
        ----------
        discounts, times : (..., N + 1) at the dates of the schedule; `times` may be (N + 1,)
        accruals : (..., N) or (N,)
        strikes : (..., m) per cap
        counts : (m,) how many periods each cap covers
        first : index of the first period that pays: 1 excludes the caplet fixed today

        Returns
        -------
        Caplets
            forwards, annuities and reset times of all caplets
        """
        P, delta, n = np.asarray(discounts, float), np.asarray(accruals, float), np.asarray(counts)
        period = np.concatenate([np.arange(first, count) for count in n])
        forwards = (P[..., :-1] / P[..., 1:] - 1.0) / delta
        return cls(
            forwards=forwards[..., period],
            strikes=np.repeat(np.asarray(strikes, float), n - first, axis=-1),
            annuities=(delta * P[..., 1:])[..., period],
            resets=np.asarray(times, float)[..., period],
            starts=np.concatenate(([0], np.cumsum(n - first)[:-1])),
        )

    def cap_prices(
        self, vols: ArrayLike, vol_type: VolType = "normal", kind: Kinds = "cap", shift: float = 0.0
    ) -> Array:
        r"""Prices (..., m), unit notional, from one flat volatility per cap.

        .. math:: \sum_i \delta_i P_i \bigl[(F_i - K)^+ + s_i\,g(|F_i - K| / s_i)\bigr], \qquad
            s_i = \sigma \sqrt{t_{i-1}}, \quad g(x) = \varphi(x) - x\,\Phi(-x)

        for normal vols (Bachelier, 1900); Black (1976) for lognormal ones.

        Parameters
        ----------
        vols : (..., m) decimal: 0.0085 is a normal vol of 85 bp, 0.30 a lognormal vol of 30 %
        vol_type : "normal" (Bachelier), "lognormal" (Black) or "shifted_lognormal"
        kind : "cap" or "floor", of all or one for each
        shift : of shifted lognormal vols, decimal. NaN where a shifted rate is not positive

        Returns
        -------
        Array
            (..., m) prices
        """
        spread = np.repeat(np.asarray(vols, float), self.caplet_counts, axis=-1) * np.sqrt(
            self.resets
        )
        if vol_type == "normal":
            time_value = normal_time_value(self.forwards - self.strikes, spread)
        else:
            moved = shift if vol_type == "shifted_lognormal" else 0.0
            time_value = lognormal_time_value(self.forwards + moved, self.strikes + moved, spread)
        return self._summed(time_value) + self.intrinsic_values(kind)

    def intrinsic_values(self, kind: Kinds = "cap") -> Array:
        r"""(..., m) what the caps are worth without any volatility.

        .. math:: \sum_i \delta_i P_i\,(F_i - K)^+

        for caps, (K - F)^+ for floors: the limit of Bachelier (1900) as the vol goes to zero.

        Parameters
        ----------
        kind : "cap" or "floor", of all or one for each

        Returns
        -------
        Array
            (..., m) values, unit notional
        """
        signs = payoff_signs(kind)
        if signs.ndim:
            signs = np.repeat(signs, self.caplet_counts)
        return self._summed(np.maximum(signs * (self.forwards - self.strikes), 0.0))

    def implied_normal_vols(self, prices: ArrayLike, kind: Kinds = "cap") -> Array:
        r"""Flat normal vols (..., m) that reproduce the prices; NaN below the intrinsic value.

        The price is increasing and convex in the vol, and from
        :math:`\varphi(0) - x/2 \le g(x)` the vol is at most

        .. math:: \sigma_0 = \frac{y - y_{intrinsic} + \frac12 \sum_i \delta_i P_i |F_i - K|}
            {\varphi(0) \sum_i \delta_i P_i \sqrt{t_{i-1}}},

        so Newton's method from there falls to the solution. NaN too for time values so small that
        it is not there after many steps (1e-28 of the annuity).

        Source: Bachelier (1900) for the price; the bound and Newton's way to it are ours.

        Parameters
        ----------
        prices : (..., m) for unit notional
        kind : "cap" or "floor", of all or one for each

        Returns
        -------
        Array
            (..., m) vols, decimal
        """
        moneyness = np.abs(self.forwards - self.strikes)
        root = np.sqrt(self.resets)
        wanted = np.asarray(prices, float) - self.intrinsic_values(kind)
        slope = _DENSITY_AT_ZERO * self._summed(np.broadcast_to(root, moneyness.shape))
        with np.errstate(divide="ignore", invalid="ignore"):
            vols = (wanted + 0.5 * self._summed(np.where(root > 0, moneyness, 0.0))) / slope
            vols = np.where((wanted > 0) & (slope > 0), vols, np.nan)
        sizes = self.caplet_counts
        for _ in range(_MOST_NEWTON_STEPS):
            spread = np.repeat(vols, sizes, axis=-1) * root
            values, densities = _time_value_and_density(moneyness, spread)
            with np.errstate(divide="ignore", invalid="ignore"):
                step = (self._summed(values) - wanted) / self._summed(root * densities)
            # Only a fall is progress: the rest is rounding.
            falls = step > 4e-16 * vols
            if not falls.any():
                break
            vols = np.where(falls, vols - step, vols)
        return np.where(falls & (step > 1e-9 * vols), np.nan, vols)

    def vegas(self, normal_vols: ArrayLike) -> Array:
        r"""Change of the cap prices per unit of flat normal vol, (..., m), unit notional.

        .. math:: \sum_i \delta_i P_i \sqrt{t_{i-1}}\,\varphi\bigl((F_i - K)/s_i\bigr)

        Source: the derivative of Bachelier (1900) by the vol.

        Parameters
        ----------
        normal_vols : (..., m) flat vols, decimal

        Returns
        -------
        Array
            (..., m) derivatives
        """
        root = np.sqrt(self.resets)
        spread = np.repeat(np.asarray(normal_vols, float), self.caplet_counts, axis=-1) * root
        _, density = _time_value_and_density(np.abs(self.forwards - self.strikes), spread)
        return self._summed(root * density)

    def rough_normal_vols(self, prices: ArrayLike) -> Array:
        r"""Normal vols as if every caplet were at the money: a size where none is implied.

        .. math:: y \Big/ \varphi(0) \sum_i \delta_i P_i \sqrt{t_{i-1}}

        Source: Bachelier (1900) with F = K.

        Parameters
        ----------
        prices : (..., m) for unit notional

        Returns
        -------
        Array
            (..., m) vols, decimal
        """
        slope = _DENSITY_AT_ZERO * self._summed(
            np.broadcast_to(np.sqrt(self.resets), self.forwards.shape)
        )
        return np.asarray(prices / np.where(slope > 0, slope, np.nan))

    @property
    def caplet_counts(self) -> Indices:
        """(m,) how many caplets each cap has."""
        return np.diff(self.starts, append=self.forwards.shape[-1])

    def _summed(self, caplet_values: Array) -> Array:
        total: Array = np.add.reduceat(self.annuities * caplet_values, self.starts, axis=-1)
        return total


def normal_option(moneyness: ArrayLike, spread: ArrayLike) -> Array:
    """Undiscounted call on a normal variable: E[max(m + s Z, 0)], m = F - K.

    m^+ + s g(|m| / s), g(x) = phi(x) - x Phi(-x) (Bachelier, 1900).

    Parameters
    ----------
    moneyness : F - K
    spread : standard deviation s of the normal variable

    Returns
    -------
    Array
        of the common shape
    """
    return np.maximum(moneyness, 0.0) + normal_time_value(moneyness, spread)


def normal_time_value(moneyness: ArrayLike, spread: ArrayLike) -> Array:
    """What volatility adds to the intrinsic value: s g(|m| / s); 0 without volatility."""
    value, _ = _time_value_and_density(np.abs(moneyness), np.asarray(spread, float))
    return value


def lognormal_time_value(forward: ArrayLike, strike: ArrayLike, spread: ArrayLike) -> Array:
    """The same for a log-normal variable (Black): the out-of-the-money option's value.

    NaN where forward or strike is not positive: there is no lognormal vol.
    """
    F, K, s = (np.asarray(values, float) for values in (forward, strike, spread))
    possible = (F > 0) & (K > 0)
    low, high = np.minimum(F, K), np.maximum(F, K)
    low, high = np.where(possible, low, 1.0), np.where(possible, high, 1.0)
    certain = s == 0
    safe = np.where(certain, 1.0, s)
    distance = np.log1p((high - low) / low) / safe
    value = low * ndtr(0.5 * safe - distance) - high * ndtr(-0.5 * safe - distance)
    return np.where(possible, np.where(certain, 0.0, np.maximum(value, 0.0)), np.nan)


def _time_value_and_density(distance: Array, spread: Array) -> tuple[Array, Array]:
    """Time value s g(x) and density phi(x) at x = distance / s; both 0 where there is no spread."""
    certain = spread == 0
    x = distance / np.where(certain, np.inf, spread)
    density = _DENSITY_AT_ZERO * np.exp(-0.5 * x * x)
    value = np.maximum(spread * density - distance * ndtr(-x), 0.0)
    if certain.any():
        value, density = np.where(certain, 0.0, value), np.where(certain, 0.0, density)
    return value, density
