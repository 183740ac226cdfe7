"""What the columns of the tables of caps are: maturity, kind and, where several, strike."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from calibscope.base.arrays import Array, BoolArray, Indices
from calibscope.market.assembly.units import FACTORS
from calibscope.market.instruments.cap import cap_label
from calibscope.market.maturity import SAME_MATURITY
from calibscope.market.panel import Panel
from calibscope.market.quotes import Kind, Kinds
from calibscope.market.settings import MarketSettings


@dataclass(frozen=True, eq=False)
class Axis:
    """The columns, by maturity, then caps before floors, then strike."""

    maturities: Array  # (m,) years
    kinds: tuple[Kind, ...]  # (m,)
    strikes: Array  # (m,) decimals, that tell quotes of a maturity apart; NaN: at the money, or
    # the only strike of the day
    names: Array | None = None  # (m,) strikes that labels name, NaN: none; None: not known yet

    @classmethod
    def of(cls, panel: Panel, settings: MarketSettings) -> "Axis":
        """That of a table; the nodes of curves are columns too."""
        count = len(panel.maturities)
        kinds = panel.kinds or (settings.conventions.kind,) * count
        strikes = np.full(count, np.nan)
        if panel.strikes is not None:
            # One strike has one float, also of a table in another unit.
            strikes = panel.strikes * FACTORS[settings.caps.units.get("strike", "decimal")]
        return cls(panel.maturities, kinds, strikes)

    @classmethod
    def of_values(cls, panel: Panel, settings: MarketSettings) -> "Axis":
        """The columns of a table that have any value."""
        places = np.flatnonzero(np.isfinite(panel.values).any(axis=0))
        return cls.of(panel, settings)._at(places)

    def only(self, kept: BoolArray) -> "Axis":
        """Some of the columns."""
        return self._at(np.flatnonzero(kept))

    def _at(self, places: Indices) -> "Axis":
        kinds = tuple(self.kinds[k] for k in places.tolist())
        names = None if self.names is None else self.names[places]
        return Axis(self.maturities[places], kinds, self.strikes[places], names)

    def with_maturities(self, wanted: Array, kind: Kind) -> "Axis":
        """The columns of these maturities; one that has none gets an ordinary quote."""
        near = np.abs(self.maturities[:, None] - wanted) <= SAME_MATURITY
        absent = wanted[~near.any(axis=0)]
        some = self._at(np.flatnonzero(near.any(axis=1)))
        years = np.append(some.maturities, absent)
        order = np.argsort(years, kind="stable")
        strikes = np.append(some.strikes, np.full(len(absent), np.nan))
        return Axis(years, some.kinds + (kind,) * len(absent), strikes)._at(order)

    @cached_property
    def kind(self) -> Kinds:
        """One word where all are alike, else one for each."""
        return self.kinds[0] if len(set(self.kinds)) == 1 else self.kinds

    @cached_property
    def is_struck(self) -> BoolArray:
        """(m,) which quotes are told apart by their strikes."""
        return ~np.isnan(self.strikes)

    @property
    def is_named(self) -> BoolArray:
        """(m,) which quotes have a strike in their label."""
        return np.array([strike is not None for strike in self._named], np.bool_)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """(m,) how findings name the quotes."""
        return tuple(map(cap_label, self.maturities.tolist(), self.kinds, self._named))

    @property
    def keys(self) -> list[tuple[float, Kind, float | None]]:
        """(m,) what tells the quotes apart: maturity, kind, and the strike where it does."""
        strikes = [None if np.isnan(strike) else strike for strike in self.strikes.tolist()]
        return list(zip(self.maturities.tolist(), self.kinds, strikes, strict=True))

    @property
    def _named(self) -> list[float | None]:
        """(m,) the strikes in labels, as far as they are known."""
        names = self.strikes if self.names is None else self.names
        return [None if np.isnan(strike) else strike for strike in names.tolist()]

    @cached_property
    def series(self) -> dict[tuple[Kind, float | None], Indices]:
        """The columns of each kind and strike, by maturity; None for those that name none."""
        found: dict[tuple[Kind, float | None], list[int]] = {}
        for k, key in enumerate(zip(self.kinds, self._named, strict=True)):
            found.setdefault(key, []).append(k)
        return {key: np.array(places) for key, places in found.items()}

    @cached_property
    def neighbours(self) -> tuple[Indices, Indices]:
        """Pairs of quotes of one kind and strike and of neighbouring maturities, shorter first."""
        pairs = [
            (before, after)
            for places in self.series.values()
            for before, after in zip(places[:-1].tolist(), places[1:].tolist(), strict=True)
        ]
        before, after = np.array(sorted(pairs, key=lambda pair: pair[1]), int).reshape(-1, 2).T
        return before, after
