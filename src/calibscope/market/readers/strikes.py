"""Which quotes of a file are told apart by their strikes, and which by maturity and kind alone.

A strike at the money changes every day and is no name for a quote: told apart by it, the quote
would be another one each day. So strikes count where a maturity is quoted at several of them.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from calibscope.base.arrays import Array, BoolArray, Indices
from calibscope.market.panel import Dates

NO_STRIKE = -np.inf  # blank, or a word for at the money; sorts before all others

Pair = tuple[float, int]  # maturity and kind


@dataclass(frozen=True, slots=True, eq=False)
class Keys:
    """Which quotes there are, n of them, in any order and maybe twice."""

    dates: Dates
    years: Array
    kinds: npt.NDArray[np.int8]  # 0 or 1
    strikes: Array  # `NO_STRIKE` where none is given

    @classmethod
    def together(cls, parts: "Sequence[Keys]") -> "Keys":
        """One after the other."""
        return cls(
            np.concatenate([part.dates for part in parts]),
            np.concatenate([part.years for part in parts]),
            np.concatenate([part.kinds for part in parts]),
            np.concatenate([part.strikes for part in parts]),
        )

    def among(self, pairs: Collection[Pair]) -> BoolArray:
        """(n,) which are of one of these maturities and kinds."""
        years, place = np.unique(self.years, return_inverse=True)
        table = [[(year, kind) in pairs for kind in (0, 1)] for year in years.tolist()]
        return np.array(table, np.bool_).reshape(len(years), 2)[place, self.kinds]


@dataclass(frozen=True, eq=False)
class ToldApart:
    """The maturities and kinds whose quotes differ by strike."""

    pairs: frozenset[Pair] = frozenset()
    # Of those that are mostly quoted once a day, at a strike that changes: the strike that goes on
    # with this series, on the days that have several.
    daily: Mapping[Pair, Mapping[np.datetime64, float]] = field(default_factory=dict)
    struck: frozenset[Pair] = frozenset()  # that have a strike on some day

    def __bool__(self) -> bool:
        return bool(self.pairs)

    def by_strike(self, keys: Keys) -> BoolArray:
        """(n,) which quotes the strike tells from others."""
        if not self.pairs:
            return np.zeros(len(keys.years), np.bool_)
        apart = keys.among(self.pairs)
        for i in np.flatnonzero(keys.among(self.daily)).tolist():
            # A day without an entry has one quote, that of the series.
            strike = keys.strikes[i]
            ongoing = self.daily[float(keys.years[i]), int(keys.kinds[i])]
            apart[i] = ongoing.get(keys.dates[i], strike) != strike
        return apart

    def is_never_struck(self, keys: Keys) -> BoolArray:
        """(n,) whose maturity and kind have no strike on any day."""
        return ~keys.among(self.struck)


def told_apart(keys: Keys) -> ToldApart:
    """What the strikes of all quotes of a file, of whatever quantity, tell apart.

    Parameters
    ----------
    keys : of all quotes of the file

    Returns
    -------
    ToldApart
        maturities and kinds that are quoted at several strikes on a day; if there are any, or both
        caps and floors, also those whose only strike is the same on all days
    """
    if (keys.strikes == NO_STRIKE).all():
        return ToldApart()
    series = _series(keys)
    several = [one for one in series if one.has_several]
    pairs = {one.pair for one in several}
    if several or len({one.pair[1] for one in series}) > 1:
        pairs |= {one.pair for one in series if one.has_one_strike}
    daily = {one.pair: dict(one.ongoing()) for one in several if one.changes_daily}
    struck = frozenset(one.pair for one in series if one.given.any())
    return ToldApart(frozenset(pairs), daily, struck)


def _series(keys: Keys) -> "list[_Series]":
    """The quotes of each maturity and kind, by date and strike, each once."""
    order = np.lexsort((keys.strikes, keys.dates, keys.kinds, keys.years))
    years, kinds = keys.years[order], keys.kinds[order]
    dates, strikes = keys.dates[order], keys.strikes[order]
    starts = np.append(True, (years[1:] != years[:-1]) | (kinds[1:] != kinds[:-1]))
    is_new = starts | np.append(True, (dates[1:] != dates[:-1]) | (strikes[1:] != strikes[:-1]))
    years, kinds, dates, strikes, starts = (
        column[is_new] for column in (years, kinds, dates, strikes, starts)
    )
    ends = [*np.flatnonzero(starts).tolist(), len(years)]
    return [
        _Series((float(years[a]), int(kinds[a])), dates[a:b], strikes[a:b])
        for a, b in pairwise(ends)
    ]


@dataclass(frozen=True, eq=False)
class _Series:
    """The quotes of one maturity and kind, by date, then strike; none twice."""

    pair: Pair
    dates: Dates  # (n,)
    strikes: Array  # (n,)

    @cached_property
    def given(self) -> BoolArray:
        return np.asarray(self.strikes != NO_STRIKE)

    @cached_property
    def _per_day(self) -> tuple[Indices, Indices]:
        """Where each day starts, and how many quotes it has."""
        _, starts, counts = np.unique(self.dates, return_index=True, return_counts=True)
        return starts, counts

    @property
    def has_several(self) -> bool:
        """Whether some day has several strikes."""
        return bool((self._per_day[1] > 1).any())

    @property
    def has_one_strike(self) -> bool:
        """Whether it is the same number wherever one is given."""
        return len(np.unique(self.strikes[self.given])) == 1

    @property
    def changes_daily(self) -> bool:
        """Whether it is quoted once on most days, at strikes of which few come again."""
        counts = self._per_day[1]
        is_rare = 2 * (counts > 1).sum() < len(counts)
        return bool(is_rare and 2 * len(np.unique(self.strikes)) > len(self.strikes))

    def ongoing(self) -> Iterable[tuple[np.datetime64, float]]:
        """The days that have several quotes, and the strike that goes on with the other days'.

        It is blank where a blank is among them, else the nearest to the strikes of the days before
        and after.
        """
        starts, counts = self._per_day
        alone = starts[(counts == 1) & self.given[starts]]
        when, known = self.dates.astype(np.int64), self.strikes[alone]
        for start, count in zip(starts.tolist(), counts.tolist(), strict=True):
            there: Sequence[float] = self.strikes[start : start + count].tolist()
            if count > 1:
                level = float(np.interp(when[start], when[alone], known))
                nearest = min(there, key=lambda strike: abs(strike - level))
                yield self.dates[start], NO_STRIKE if there[0] == NO_STRIKE else nearest
