"""What an instrument is to a market day, and what is quoted of it.

An instrument is a file of its own: its label, its coordinates in a plot, its options on cash flows
and, where it is quoted in vols, what a vol means. Models never hear of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from calibscope.base.brief import brief
from calibscope.market.instruments.options import Options
from calibscope.market.quotes import VolType

if TYPE_CHECKING:
    from calibscope.market.curve import DiscountCurve
    from calibscope.market.day import MarketDay


@runtime_checkable
class Instrument(Protocol):
    """Whatever can be quoted on a day or asked for afterwards."""

    @property
    def label(self) -> str:
        """How tables name it; no other quote of a day may have the same."""

    @property
    def coordinates(self) -> Mapping[str, float]:
        """Where plots put it: its "maturity" in years and, where it has one, its "strike"."""

    def options(self, day: "MarketDay") -> Options:
        """Its options on cash flows, on the curve and the dates of a day, for a notional of 1.

        Parameters
        ----------
        day : whose curve counts

        Returns
        -------
        Options
            one or more
        """


@runtime_checkable
class QuotedInVols(Protocol):
    """An instrument for which a normal vol has a meaning."""

    def price_at(self, normal_vol: float, curve: "DiscountCurve") -> float:
        """The price of a normal vol, unit notional.

        Parameters
        ----------
        normal_vol : decimal
        curve : today's discount curve

        Returns
        -------
        float
            the price
        """

    def normal_vol(self, price: float, curve: "DiscountCurve") -> float:
        """The normal vol of a price, unit notional; NaN below the intrinsic value.

        Parameters
        ----------
        price : for a notional of 1
        curve : today's discount curve

        Returns
        -------
        float
            the vol, decimal
        """


@dataclass(frozen=True, slots=True)
class Quote:
    """An instrument with its price, or its volatility.

    Examples
    --------
    >>> from calibscope.market.instruments.cap import Cap
    >>> Quote(Cap(10), vol=0.0085).instrument.label
    '10Y'
    """

    instrument: Instrument
    price: float | None = None  # for the notional of the day
    vol: float | None = None  # decimal: a normal vol of 0.0085 is 85 bp
    vol_type: VolType = "normal"
    vol_shift: float = 0.0  # of shifted lognormal vols, decimal
    bid_ask: tuple[float, float] | None = None  # prices

    def __post_init__(self) -> None:
        # A class has the names of its objects: cs.Quote(cs.Cap) is a slip.
        if isinstance(self.instrument, type) or not isinstance(self.instrument, Instrument):
            raise TypeError(
                f"{brief(self.instrument)} is not an instrument; give cs.Cap(10), cs.Floor(10), "
                "cs.BondOption(5, 10) or an object with label, coordinates and options"
            )
        if (self.price is None) == (self.vol is None):
            raise ValueError(f"{self.instrument.label}: give a price or a vol, and not both")
