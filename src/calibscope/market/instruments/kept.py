"""Instruments as a store keeps them: name, place in a plot and options on cash flows, no code.

Whoever reads the store needs not have the class that described the instrument. What is lost is the
meaning of a vol.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibscope.base.arrays import Array
from calibscope.market.instruments.instrument import Instrument
from calibscope.market.instruments.options import Options

if TYPE_CHECKING:
    from calibscope.market.day import MarketDay


@dataclass(frozen=True, slots=True, eq=False)
class KeptInstrument:
    """An instrument that is known by its options on cash flows alone."""

    kind: str  # the class that described it
    label: str
    coordinates: Mapping[str, float]
    cash_flows: Options

    def options(self, day: "MarketDay") -> Options:
        """Those that were kept, whatever the day.

        Parameters
        ----------
        day : ignored

        Returns
        -------
        Options
            as they were on the day that was kept
        """
        return self.cash_flows

    @classmethod
    def of(cls, instrument: Instrument, day: "MarketDay") -> "KeptInstrument":
        """An instrument as it is on a day.

        Parameters
        ----------
        instrument : of any class
        day : whose curve and dates it is on

        Returns
        -------
        KeptInstrument
            with the same fingerprint
        """
        places = {name: float(value) for name, value in instrument.coordinates.items()}
        return cls(kind_of(instrument), instrument.label, places, instrument.options(day))

    @property
    def content(self) -> dict[str, Any]:
        """For a file: numbers, words and lists of them."""
        flows = {name: values.tolist() for name, values in asdict(self.cash_flows).items()}
        return {
            "kind": self.kind,
            "label": self.label,
            "coordinates": dict(self.coordinates),
            "cash_flows": flows,
        }

    @classmethod
    def of_content(cls, content: Mapping[str, Any]) -> "KeptInstrument":
        """From `content`.

        Parameters
        ----------
        content : as it was kept

        Returns
        -------
        KeptInstrument
            the same to the last bit
        """
        flows = Options(**content["cash_flows"])
        return cls(content["kind"], content["label"], content["coordinates"], flows)


def kind_of(instrument: Instrument) -> str:
    """What tables call its kind: the name of its class."""
    return instrument.kind if isinstance(instrument, KeptInstrument) else type(instrument).__name__


def kinds(day: "MarketDay") -> tuple[str, ...]:
    """(m,) "cap", "floor", or the class of another instrument."""
    return (*day.kinds, *map(kind_of, day.others))


def expiries(day: "MarketDay") -> Array:
    """(m,) years from today; NaN for caps and floors, which have many."""
    others = [float(one.coordinates.get("expiry", np.nan)) for one in day.others]
    return np.append(np.full(day.cap_count, np.nan), others)


def interpolated(day: "MarketDay") -> list[bool]:
    """(m,) whether somebody has interpolated the quote, as far as its file says so."""
    marks = day.is_interpolated
    return [False] * len(day.prices) if marks is None else [bool(mark) for mark in marks]
