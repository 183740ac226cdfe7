"""One day's market: a discount curve and what is quoted on it.

`MarketDay.from_quotes` and, for caps alone, `MarketDay.from_arrays` are the entry points for users:
they fill in what is left out (the regular grid, at-the-money strikes, prices from volatilities) and
check everything. What comes out is frozen and complete, so nothing downstream has to ask again.
"""

import datetime
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibscope.base.arrays import Array, ArrayLike, BoolArray, Indices, frozen
from calibscope.base.numbers import counted
from calibscope.market.checks import label_problems
from calibscope.market.curve import DiscountCurve
from calibscope.market.day_checks import day_problems
from calibscope.market.day_names import day_label, fingerprint_of, labels_of
from calibscope.market.errors import MarketDataError, raise_problems
from calibscope.market.inputs import parsed_date as parsed_date
from calibscope.market.instruments.cap import cap_label
from calibscope.market.instruments.cap_grid import AtTheMoney, Calendar, is_repeated
from calibscope.market.instruments.instrument import Instrument, Quote, QuotedInVols
from calibscope.market.quotes import Caplets, Kind, Kinds, VolType, payoff_signs
from calibscope.market.schedule import Schedule


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MarketDay:
    """What is quoted on one day: caps and floors first, then other instruments.

    All caps start together and share `schedule`; cap k covers its first `period_counts[k]`
    periods, without the first one unless `has_first_caplet`.
    """

    curve: DiscountCurve
    schedule: Schedule
    maturities: Array  # (m,) years, as quoted
    period_counts: Indices  # (c,) of the caps and floors
    strikes: Array  # (m,) decimal; NaN for other instruments without one
    prices: Array  # (m,) for `notional`
    notional: float = 1.0
    kind: Kinds = "cap"  # of all c, or of each
    has_first_caplet: bool = False
    bid_ask: Array | None = None  # (m, 2) bid and ask price
    date: datetime.date | None = None
    is_struck: BoolArray | None = None  # (c,) whose label names the strike; None: none does
    others: tuple[Instrument, ...] = ()  # (m - c,) that are neither caps nor floors
    is_interpolated: BoolArray | None = None  # (m,) quotes that somebody filled in; None: none

    def __post_init__(self) -> None:
        for name in ("maturities", "strikes", "prices"):
            object.__setattr__(self, name, frozen(getattr(self, name)))
        if self.bid_ask is not None:
            object.__setattr__(self, "bid_ask", frozen(self.bid_ask))
        counts = np.array(self.period_counts, dtype=np.int64)
        counts.flags.writeable = False
        object.__setattr__(self, "period_counts", counts)
        object.__setattr__(self, "others", tuple(self.others))
        if not isinstance(self.kind, str):
            kinds = tuple(map(str, self.kind))
            object.__setattr__(self, "kind", kinds[0] if len(set(kinds)) == 1 else kinds)
        raise_problems(self.label, day_problems(self))
        struck = is_repeated(counts, self.kinds) if self.is_struck is None else self.is_struck
        self._mark("is_struck", struck, self.cap_count)
        self._mark("is_interpolated", self.is_interpolated, len(self.prices))
        raise_problems(self.label, label_problems(self.labels))
        longest = int(counts.max(initial=0)) or self.schedule.periods
        object.__setattr__(self, "schedule", self.schedule.first(longest))

    def __repr__(self) -> str:
        has_one_kind = self.quoted_as != "quotes"
        is_plain = has_one_kind and self.is_struck is None
        quotes = map(cap_label, self.maturities.tolist()) if is_plain else self.labels
        what = f"{self.quoted_as} " if has_one_kind else ""
        return f"MarketDay({self.date or 'no date'}: {what}{', '.join(quotes)})"

    @property
    def label(self) -> str:
        """How messages name this day."""
        return day_label(self.date)

    @property
    def labels(self) -> tuple[str, ...]:
        """(m,) how tables name the quotes, unique: "10Y", "10Y floor", "10Y @2%".

        The strike is named where it was asked for, and where a maturity is quoted twice; a file's
        own at-the-money strikes change every day, and would give a quote another name each day.
        """
        return labels_of(self)

    @property
    def cap_count(self) -> int:
        """How many of the quotes, the first ones, are caps and floors."""
        return len(self.period_counts)

    @property
    def cap_maturities(self) -> Array:
        """(c,) years, of the caps and floors."""
        return self.maturities[: self.cap_count]

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """(c,) "cap" or "floor"."""
        if isinstance(self.kind, str):
            return (self.kind,) * self.cap_count
        return tuple(self.kind)

    @property
    def quoted_as(self) -> str:
        """What the quotes are, as a word: "caps", "floors", or "quotes" if there are several."""
        return f"{self.kind}s" if isinstance(self.kind, str) and not self.others else "quotes"

    @property
    def payoff_signs(self) -> Array:
        """(c,) 1 for caps, -1 for floors."""
        return np.broadcast_to(payoff_signs(self.kind), self.period_counts.shape)

    @property
    def tenor(self) -> float:
        """The length of an interest period in years, nominally."""
        if self.cap_count:
            longest = int(self.period_counts.argmax())
            return float(self.maturities[longest] / self.period_counts[longest])
        return float(self.schedule.times[-1] / self.schedule.periods)

    @property
    def first_period(self) -> int:
        """Index of the first period that pays: 0 with, 1 without the first caplet."""
        return 0 if self.has_first_caplet else 1

    @property
    def discounts(self) -> Array:
        """(N + 1,) discount factors at the times of the schedule.

        :math:`P(0, t_i)` of `DiscountCurve.discount` (Brigo and Mercurio, 2006, section 1.2).
        """
        return self.curve.discount(self.schedule.times)

    @property
    def caplets(self) -> Caplets:
        """The caplets of all caps and floors, cap after cap."""
        return Caplets.of_caps(
            self.discounts,
            self.schedule.times,
            self.schedule.accruals,
            self.strikes[: self.cap_count],
            self.period_counts,
            self.first_period,
        )

    @property
    def normal_vols(self) -> Array:
        """Flat normal vol implied by each price, decimal; NaN below the intrinsic value.

        The vol at which the formula of Bachelier (1900), summed over the caplets, gives the price:
        y(vol) = y; `Caplets.implied_normal_vols` solves it.
        """
        return self.implied_normal_vols(self.prices)

    def implied_normal_vols(self, prices: ArrayLike) -> Array:
        """The normal vols of other prices for the same quotes; NaN where there is none.

        The formula is that of `normal_vols` (Bachelier, 1900).

        Parameters
        ----------
        prices : (m,) for the notional of the day

        Returns
        -------
        Array
            (m,) decimal
        """
        units, c = np.asarray(prices, float) / self.notional, self.cap_count
        vols = np.full(units.shape, np.nan)
        if c:
            vols[:c] = self.caplets.implied_normal_vols(units[:c], self.kind)
        for k, instrument in enumerate(self.others, c):
            if isinstance(instrument, QuotedInVols):
                vols[k] = instrument.normal_vol(float(units[k]), self.curve)
        return vols

    @property
    def vegas(self) -> Array:
        r"""Change of each price per unit of its flat normal vol, for the notional of the day.

        The derivative of `Caplets.vegas`; NaN where there is no vol, and for other instruments.

        Source: the derivative of Bachelier (1900) by the vol.
        """
        c = self.cap_count
        found = np.full(len(self.prices), np.nan)
        if c:
            found[:c] = self.notional * self.caplets.vegas(self.normal_vols[:c])
        return found

    def prices_at(self, normal_vols: ArrayLike) -> Array:
        """The prices of other normal vols for the same quotes, for the notional of the day.

        The formula of Bachelier (1900), summed over the caplets (`Caplets.cap_prices`).

        Parameters
        ----------
        normal_vols : (m,) decimal

        Returns
        -------
        Array
            (m,); NaN for instruments without vols
        """
        vols, c = np.asarray(normal_vols, float), self.cap_count
        units = np.full(vols.shape, np.nan)
        if c:
            units[:c] = self.caplets.cap_prices(vols[:c], "normal", self.kind)
        for k, instrument in enumerate(self.others, c):
            if isinstance(instrument, QuotedInVols):
                units[k] = instrument.price_at(float(vols[k]), self.curve)
        return self.notional * units

    def without(self, quotes: ArrayLike | Collection[str]) -> "MarketDay":
        """The same day without some quotes; others than those of the day are no error.

        Parameters
        ----------
        quotes : labels such as "10Y floor"; or maturities in years, for all quotes of each

        Returns
        -------
        MarketDay
            a day with fewer quotes
        """
        given = np.atleast_1d(np.asarray(quotes))
        if given.dtype.kind == "U":
            gone = np.isin(self.labels, given)
        else:
            gone = np.isin(self.maturities, given)
        if gone.all():
            raise MarketDataError(self.label, ["no quote would be left; leave out fewer"])
        return self._with_only(~gone)

    @property
    def only_caps(self) -> "MarketDay":
        """The day without its other instruments."""
        return self._with_only(np.arange(len(self.prices)) < self.cap_count)

    def _with_only(self, kept: BoolArray) -> "MarketDay":
        c = self.cap_count
        caps = kept[:c]
        kinds = tuple(kind for kind, keep in zip(self.kinds, caps, strict=True) if keep)
        return replace(
            self,
            maturities=self.maturities[kept],
            period_counts=self.period_counts[caps],
            strikes=self.strikes[kept],
            prices=self.prices[kept],
            kind=kinds or "cap",
            bid_ask=None if self.bid_ask is None else self.bid_ask[kept],
            is_struck=None if self.is_struck is None else self.is_struck[caps],
            others=tuple(one for one, keep in zip(self.others, kept[c:], strict=True) if keep),
            is_interpolated=None if self.is_interpolated is None else self.is_interpolated[kept],
        )

    @property
    def fingerprint(self) -> str:
        """A hash of everything that defines this day, down to the last bit."""
        return fingerprint_of(self)

    @classmethod
    def from_quotes(
        cls,
        *,
        curve: DiscountCurve,
        quotes: Sequence[Quote],
        tenor: float = 0.5,
        calendar: Calendar | None = None,
        notional: float = 1.0,
        first_caplet: bool = False,
        atm: AtTheMoney | None = None,
        date: str | datetime.date | None = None,
    ) -> "MarketDay":
        """Build and check a day from quotes of any instruments.

        Parameters
        ----------
        curve : the discount curve, up to the last payment at least
        quotes : each an instrument with a price or a vol; caps and floors of several strikes may
            stand beside each other
        tenor, calendar : dates of the caps and floors, as for `from_arrays`
        notional : to which the prices refer
        first_caplet, atm : what the caps include and where they are at the money, as for
            `from_arrays`
        date : "2022-07-21" or a date, optional

        Returns
        -------
        MarketDay
            a checked day: caps and floors first, then other instruments, in the order given

        Examples
        --------
        >>> from calibscope.market.instruments.cap import Cap, Floor
        >>> curve = DiscountCurve.from_zero_rates([1, 10], [0.02, 0.025])
        >>> day = MarketDay.from_quotes(curve=curve, date="2022-07-21", quotes=[
        ...     Quote(Cap(5), vol=0.0086), Quote(Cap(5, 0.04), vol=0.0091),
        ...     Quote(Floor(10, 0.01), price=0.021)])
        >>> day.labels
        ('5Y', '5Y @4%', '10Y floor @1%')
        """
        from calibscope.market.quoted_day import day_of_quotes

        return day_of_quotes(
            curve, quotes, tenor, calendar, notional, first_caplet, atm, *parsed_date(date)
        )

    @classmethod
    def from_arrays(
        cls,
        *,
        curve: DiscountCurve,
        maturities: ArrayLike,
        prices: ArrayLike | None = None,
        vols: ArrayLike | None = None,
        vol_type: VolType = "normal",
        vol_shift: float = 0.0,
        strikes: ArrayLike | None = None,
        tenor: float = 0.5,
        calendar: Calendar | None = None,
        times: ArrayLike | None = None,
        accruals: ArrayLike | None = None,
        kind: Kinds = "cap",
        notional: float = 1.0,
        bid_ask: ArrayLike | None = None,
        first_caplet: bool = False,
        atm: AtTheMoney | None = None,
        date: str | datetime.date | None = None,
    ) -> "MarketDay":
        """Build and check a day from plain arrays, one entry per quoted maturity.

        Parameters
        ----------
        curve : the discount curve, up to the longest maturity at least
        maturities : (m,) years, multiples of `tenor`; the same one again needs another strike
        prices : (m,) premium for `notional`; or give `vols`
        vols : (m,) flat volatility per cap, decimal: a normal vol of 0.0085 is 85 bp, a
            lognormal vol of 0.35 is 35 %
        vol_type : "normal" (Bachelier), "lognormal" (Black) or "shifted_lognormal"
        vol_shift : what shifted lognormal vols add to rate and strike, decimal
        strikes : (m,) decimal; None means at the money on the curve
        tenor : length of an interest period in years (0.5 or 0.25)
        calendar : "TARGET" puts the caps on business days (modified following, accruals Act/360),
            counted from `date`; None is the idealised grid 0, tenor, 2 tenor, ...
        times, accruals : dates in years and accruals of all periods up to the longest maturity,
            for any other grid
        kind : "cap" or "floor", of all quotes or one for each
        notional : to which the prices refer
        bid_ask : (m, 2) bid and ask price, optional
        first_caplet : include the caplet that is fixed today, at its intrinsic value
        atm : at-the-money strike, if `strikes` is None: "forward" is the swap rate from the
            first reset t_1 on, the convention of quoted caps; "spot" is today's swap rate; None
            means the one that goes with `first_caplet`: spot if included, else forward
        date : "2022-07-21" or a date, optional

        Returns
        -------
        MarketDay
            a checked day

        Examples
        --------
        >>> curve = DiscountCurve.from_zero_rates([1, 10], [0.02, 0.025])
        >>> day = MarketDay.from_arrays(curve=curve, maturities=[3, 5, 10],
        ...                             vols=[0.0085, 0.0086, 0.0083], date="2022-07-21")
        >>> day
        MarketDay(2022-07-21: caps 3Y, 5Y, 10Y)
        >>> day.strikes.round(5)
        array([0.02457, 0.02506, 0.02539])
        >>> day.prices.round(5)
        array([0.00992, 0.02201, 0.05778])
        """
        from calibscope.market.quoted_day import day_of_arrays

        return day_of_arrays(
            curve, maturities, prices, vols, vol_type, vol_shift, strikes, tenor, calendar, times,
            accruals, kind, notional, bid_ask, first_caplet, atm, *parsed_date(date),
        )  # fmt: skip

    def _mark(self, name: str, given: ArrayLike | None, size: int) -> None:
        """Keep true or false for each of `size` quotes, read-only; None if none is true."""
        marks = np.array(np.zeros(size) if given is None else given, dtype=np.bool_)
        if marks.shape != (size,):
            problem = f"{name} has shape {marks.shape}; give one for {counted(size, 'quote')}"
            raise MarketDataError(self.label, [problem])
        marks.flags.writeable = False
        object.__setattr__(self, name, marks if marks.any() else None)
