r"""Caps and floors: a caplet for every interest period, on dates that all caps of a day share.

A caplet pays :math:`(1 - (1 + K\delta)\,P(T, t))^+` at its reset T, a floorlet the opposite
(paper, section 2.2): two cash flows each.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from calibscope.base.arrays import Array
from calibscope.base.brief import brief
from calibscope.market.inputs import is_number
from calibscope.market.instruments.options import Options
from calibscope.market.maturity import SAME_MATURITY
from calibscope.market.maturity import label as maturity_label
from calibscope.market.quotes import Kind, swap_rates

if TYPE_CHECKING:
    from calibscope.market.day import MarketDay


def cap_label(maturity: float, kind: Kind = "cap", strike: float | None = None) -> str:
    """How a cap or floor is called within a day; at the money it needs no strike.

    >>> cap_label(10), cap_label(10, "floor"), cap_label(1.5, strike=0.02)
    ('10Y', '10Y floor', '18M @2%')
    """
    words = [maturity_label(maturity)]
    words += ["floor"] * (kind == "floor")
    words += [] if strike is None else [f"@{round(100 * strike, 8) + 0.0:.10g}%"]
    return " ".join(words)


@dataclass(frozen=True, slots=True)
class _CapOrFloor:
    """On the dates of the day's own caps, which go on beyond the last of them."""

    kind: ClassVar[Kind]

    maturity: float  # years
    strike: float | None = None  # decimal; None means at the money on the day's curve

    def __post_init__(self) -> None:
        if not is_number(self.maturity) or not 0 < self.maturity < np.inf:
            text = f"maturity is {brief(self.maturity)}; give a positive number of years"
            raise ValueError(text)
        if self.strike is not None and not is_number(self.strike):
            text = f"strike is {brief(self.strike)}; give a number (2 percent is 0.02), or None"
            raise ValueError(f"{cap_label(self.maturity, self.kind)}: {text}")

    @property
    def label(self) -> str:
        """How tables name the quote."""
        return cap_label(self.maturity, self.kind, self.strike)

    @property
    def title(self) -> str:
        """How tables name it among things that are not quotes."""
        struck = "ATM" if self.strike is None else f"at {100 * self.strike:.4g} %"
        return f"{self.kind} {maturity_label(self.maturity)} {struck}"

    @property
    def coordinates(self) -> Mapping[str, float]:
        """Maturity in years and, unless at the money, the strike."""
        struck = {} if self.strike is None else {"strike": self.strike}
        return {"maturity": self.maturity, **struck}

    def options(self, day: "MarketDay") -> Options:
        """Its caplets or floorlets, for a notional of 1.

        Parameters
        ----------
        day : quotes, curve and conventions of the day

        Returns
        -------
        Options
            one per interest period
        """
        times, accruals = _dates(day, self.maturity)
        first, count, strike = day.first_period, len(accruals), self.strike
        if strike is None:
            strike = float(swap_rates(day.curve.discount(times), accruals, first, [count])[0])
        sign = 1.0 if self.kind == "cap" else -1.0
        growth = 1.0 + strike * accruals[first:]
        return Options.of_two_flows(times[first:-1], times[first + 1 :], sign, -sign * growth)


class Cap(_CapOrFloor):
    """A cap.

    Examples
    --------
    >>> Cap(25).label, Cap(25, 0.02).label, Floor(10, 0.01).label
    ('25Y', '25Y @2%', '10Y floor @1%')
    """

    __slots__ = ()
    kind = "cap"


class Floor(_CapOrFloor):
    """A floor."""

    __slots__ = ()
    kind = "floor"


def _dates(day: "MarketDay", maturity: float) -> tuple[Array, Array]:
    """Times and accruals of a cap's periods: the day's own, then more of the same length."""
    same = np.flatnonzero(np.abs(day.cap_maturities - maturity) <= SAME_MATURITY)
    tenor = day.tenor
    count = int(day.period_counts[same[0]]) if same.size else round(maturity / tenor)
    if count <= day.first_period or (
        not same.size and abs(count * tenor - maturity) > SAME_MATURITY
    ):
        raise ValueError(
            f"a cap of {maturity:g} years: the periods of the day are {tenor:g} years, and the cap "
            f"needs more than {day.first_period} whole ones"
        )
    times, accruals = day.schedule.times, day.schedule.accruals
    more = max(count - len(accruals), 0)
    # A calendar's accruals are longer than its periods (Act/360), year after year alike.
    length = tenor * accruals.sum() / (times[-1] - times[0])
    times = np.append(times, times[-1] + tenor * np.arange(1, more + 1))
    return times[: count + 1], np.append(accruals, np.full(more, length))[:count]
