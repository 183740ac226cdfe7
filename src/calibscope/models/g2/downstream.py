"""What is read off a fitted G2++: the outlook at some horizons, and prices beyond the quotes."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from calibscope.base.arrays import Array, ArrayLike
from calibscope.base.measures import DEVIATION, PRICE, PROBABILITY, SPREAD, Measure
from calibscope.market.day import MarketDay
from calibscope.market.instruments.instrument import Instrument
from calibscope.market.maturity import label
from calibscope.models.g2.book import CapBook
from calibscope.models.g2.caps import CapValues, evaluate
from calibscope.models.g2.outlook import outlook

# In the order of `Outlook`.
KINDS = (
    ("sd of r({})", DEVIATION),
    ("P(r({}) < 0)", PROBABILITY),
    ("slope in {}", SPREAD),
    ("sd of slope in {}", DEVIATION),
    ("P(inverted in {})", PROBABILITY),
)


@dataclass(frozen=True, slots=True, eq=False)
class Downstream:
    """Quantities that follow from the parameters, with their gradients.

    G2++'s side of the protocol `diagnosis.quantities.Quantities`.
    """

    day: MarketDay  # whose curve and dates count
    horizons: Array  # (h,) years
    instruments: tuple[Instrument, ...]
    labels: tuple[str, ...] = field(init=False)
    measures: tuple[Measure, ...] = field(init=False)
    books: tuple[CapBook, ...] = field(init=False)  # every instrument has dates of its own

    @classmethod
    def of(
        cls, day: MarketDay, horizons: ArrayLike, instruments: Sequence[Instrument]
    ) -> "Downstream":
        """Check what users ask for."""
        for instrument in instruments:
            if not isinstance(instrument, Instrument):
                raise TypeError(
                    f"{instrument!r} is not an instrument; give cs.Cap, cs.Floor or cs.BondOption"
                )
        asked = cls(day, np.atleast_1d(np.asarray(horizons, float)), tuple(instruments))
        if not asked.labels:
            raise ValueError("nothing was asked for; give horizons, instruments or both")
        if len(set(asked.labels)) < len(asked.labels):
            raise ValueError("a horizon or an instrument is given twice; give each once")
        return asked

    def __post_init__(self) -> None:
        seen = [(text.format(label(t)), kind) for text, kind in KINDS for t in self.horizons]
        seen += [(getattr(one, "title", one.label), PRICE) for one in self.instruments]
        object.__setattr__(self, "labels", tuple(name for name, _ in seen))
        object.__setattr__(self, "measures", tuple(kind for _, kind in seen))
        books = tuple(CapBook.from_instruments([one], self.day, 1.0) for one in self.instruments)
        object.__setattr__(self, "books", books)

    def values(self, parameters: Array) -> Array:
        """(n, q) at parameters (n, 5)."""
        seen = [jet[0] for jet in outlook(parameters, self.day.curve, self.horizons)]
        if not self.books:
            return np.hstack(seen)
        prices = self._priced(parameters, order=0).prices
        return np.hstack((*seen, prices.reshape(len(parameters), -1)))

    def gradients(self, parameters: Array) -> Array:
        """(q, 5) at parameters (5,); not a number where there is none."""
        point = parameters[None, :]
        seen = [jet[1:, 0].T for jet in outlook(point, self.day.curve, self.horizons)]
        if not self.books:
            return np.vstack(seen)
        priced = self._priced(point, order=1)
        return np.vstack((*seen, np.where(priced.is_degenerate[:, None], np.nan, priced.jacobian)))

    def _priced(self, points: Array, order: int) -> CapValues:
        """All instruments at all points: each is a day of its own to the pricing kernel."""
        rows = np.repeat(points, len(self.books), axis=0)
        return evaluate(rows, CapBook.joined(self.books * len(points)), order)
