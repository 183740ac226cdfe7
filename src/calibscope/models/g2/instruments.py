"""Instruments that no quote was needed for: caps, floors and options on zero-coupon bonds.

Each is a handful of caplets to the pricing kernel. A put on a bond, struck at X, pays like X
caplets with 1 + K delta = 1/X, a call like as many floorlets (Brigo and Mercurio, section 2.6).
"""

from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

import numpy as np

from calibscope.base.arrays import Array
from calibscope.base.spelling import choose_from
from calibscope.market.day import MarketDay
from calibscope.market.maturity import SAME_MATURITY, label
from calibscope.market.quotes import Kind, swap_rates
from calibscope.models.g2.book import CapBook


class Instrument(Protocol):
    """Whatever the pricing kernel can value."""

    @property
    def label(self) -> str:
        """How tables name it."""

    def book(self, day: MarketDay) -> CapBook:
        """A book with this instrument as its only cap, for a notional of 1."""


@dataclass(frozen=True, slots=True)
class _CapOrFloor:
    """On the dates of the day's own caps, which go on beyond the last of them."""

    kind: ClassVar[Kind]

    maturity: float  # years
    strike: float | None = None  # decimal; None means at the money on the day's curve

    def __post_init__(self) -> None:
        if not 0 < self.maturity < np.inf:
            raise ValueError(f"maturity is {self.maturity}; give a positive number of years")

    @property
    def label(self) -> str:
        """How tables name it."""
        struck = "ATM" if self.strike is None else f"at {100 * self.strike:.4g} %"
        return f"{self.kind} {label(self.maturity)} {struck}"

    def book(self, day: MarketDay) -> CapBook:
        """A book with this cap or floor only, for a notional of 1.

        Parameters
        ----------
        day : quotes, curve and conventions of the day

        Returns
        -------
        CapBook
            one cap of one day
        """
        times, accruals = _dates(day, self.maturity)
        first, count, strike = day.first_period, len(accruals), self.strike
        if strike is None:
            strike = float(swap_rates(day.curve.discount(times), accruals, first, [count])[0])
        return CapBook.from_caplets(
            day.curve, times[first:-1], times[first + 1 :], strike, accruals[first:], self.kind, 1.0
        ).as_one_cap()


class Cap(_CapOrFloor):
    """A cap.

    Examples
    --------
    >>> Cap(25).label, Floor(10, 0.01).label
    ('cap 25Y ATM', 'floor 10Y at 1 %')
    """

    __slots__ = ()
    kind = "cap"


class Floor(_CapOrFloor):
    """A floor."""

    __slots__ = ()
    kind = "floor"


@dataclass(frozen=True, slots=True)
class BondOption:
    """A European option on a zero-coupon bond that pays 1 at maturity.

    Examples
    --------
    >>> BondOption(expiry=5, maturity=15, strike=0.8).label
    'call 5Y on 15Y bond at 0.8'
    """

    expiry: float  # years from today
    maturity: float  # of the bond, years from today
    strike: float | None = None  # price of the bond; None means its forward price
    kind: Literal["call", "put"] = "call"

    def __post_init__(self) -> None:
        if not 0 < self.expiry < self.maturity < np.inf:
            raise ValueError(
                f"expiry is {self.expiry}, maturity {self.maturity}; need 0 < expiry < maturity, "
                "both in years from today"
            )
        if self.strike is not None and not 0 < self.strike < np.inf:
            raise ValueError(f"strike is {self.strike}; give a positive price, such as 0.8")
        if self.kind not in ("call", "put"):
            raise ValueError(f"kind is {self.kind!r}; {choose_from(('call', 'put'), self.kind)}")

    @property
    def label(self) -> str:
        """How tables name it."""
        struck = "ATM" if self.strike is None else f"at {self.strike:.4g}"
        return f"{self.kind} {label(self.expiry)} on {label(self.maturity)} bond {struck}"

    def book(self, day: MarketDay) -> CapBook:
        """A book with this option only, for one bond.

        A put with strike X on a bond is X caplets at the rate (1/X - 1) / (T - t); a call, X
        floorlets (paper, section 2.2).

        Parameters
        ----------
        day : quotes, curve and conventions of the day

        Returns
        -------
        CapBook
            one caplet or floorlet of one day
        """
        P_expiry, P_maturity = day.curve.discount([self.expiry, self.maturity])
        strike = float(P_maturity / P_expiry) if self.strike is None else self.strike
        rate = (1 / strike - 1) / (self.maturity - self.expiry)
        kind: Kind = "cap" if self.kind == "put" else "floor"
        return CapBook.from_caplets(
            day.curve, self.expiry, self.maturity, rate, None, kind, notional=strike
        )


def _dates(day: MarketDay, maturity: float) -> tuple[Array, Array]:
    """Times and accruals of a cap's periods: the day's own, then more of the same length."""
    same = np.flatnonzero(np.abs(day.maturities - maturity) <= SAME_MATURITY)
    tenor = float(day.maturities[-1] / day.period_counts[-1])
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
