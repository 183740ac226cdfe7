"""The caps of one day or of thousands, packed for the pricing kernel.

Everything that depends on the market alone is computed here, once: log-moneyness, the scale of
the density, the intrinsic value. What the kernel then does per evaluation is pure model.

Days lie one behind the other in flat arrays, and so do the caps of a day, the caplets of a
cap, and the periods of a day, which all of its caps share.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from calibscope.base.arrays import Array, ArrayLike, Indices, offsets
from calibscope.market.curve import DiscountCurve, discounts_of_curves
from calibscope.market.day import MarketDay
from calibscope.market.errors import raise_problems
from calibscope.market.inputs import choice, numbers, positive_number
from calibscope.market.instruments.instrument import Instrument
from calibscope.market.instruments.options import Options
from calibscope.market.quotes import Kind, payoff_signs
from calibscope.models.g2.caplet_terms import CapletTerms

DAYS_AT_ONCE = 64


class CapBook(NamedTuple):
    """Caps and floors of many days as the kernel reads them."""

    periods_of_day: Indices  # (days + 1,) where each day's periods start
    caps_of_day: Indices  # (days + 1,) where each day's caps start
    caplets_of_cap: Indices  # (caps + 1,) where each cap's caplets start
    first_period: Indices  # (caps,) period of each cap's first caplet, counted within the day
    reset: Array  # (periods,) years
    span: Array  # (periods,) years from reset to payment
    log_moneyness: Array  # (caplets,) abs(L)
    density_scale: Array  # (caplets,) N sqrt(P(t_{i-1}) (1 + K delta) P(t_i) / (2 pi))
    smaller_leg: Array  # (caplets,) N min(P(t_{i-1}), (1 + K delta) P(t_i))
    intrinsic: Array  # (caps,)

    @classmethod
    def from_days(cls, days: Iterable[MarketDay]) -> "CapBook":
        """Pack the caps of `days`, in their order.

        Parameters
        ----------
        days : one or more

        Returns
        -------
        CapBook
            the caps of all days
        """
        days = list(days)
        for day in days:
            if not isinstance(day, MarketDay):
                raise TypeError(f"expected a MarketDay, got a {type(day).__name__}")
        if not days:
            raise ValueError("there are no days; give at least one")
        books = [cls._from_similar(list(run)) for _, run in groupby(days, _layout)]
        return books[0] if len(books) == 1 else cls.joined(books)

    @classmethod
    def _from_similar(cls, days: Sequence[MarketDay]) -> "CapBook":
        """Days whose caps have the same dates, packed together: a hundred at the cost of a few."""
        day, n = days[0], len(days)
        if day.others:  # an instrument has its own dates, and such days come one at a time
            rest = cls.from_instruments(day.others, day, day.notional)
            return cls.side_by_side(
                [cls._from_similar([day.only_caps]), rest] if day.cap_count else [rest]
            )
        start = day.first_period
        lengths = day.period_counts - start
        period = np.concatenate([start + np.arange(length) for length in lengths])
        discounts = discounts_of_curves([one.curve for one in days], day.schedule.times)
        strikes = np.array([one.strikes for one in days])
        # A few days at a time: what is computed of them stays in the processor's cache.
        caplets = CapletTerms.joined(
            CapletTerms.from_market(
                reset_discount=discounts[some][:, period],
                payment_discount=discounts[some][:, period + 1],
                accrual=day.schedule.accruals[period],
                strike=np.repeat(strikes[some], lengths, axis=1),
                notional=day.notional,
                sign=np.repeat(day.payoff_signs, lengths),
            )
            for some in (slice(k, k + DAYS_AT_ONCE) for k in range(0, n, DAYS_AT_ONCE))
        )
        times, first = day.schedule.times[start:], offsets(lengths)[:-1]
        return cls(
            periods_of_day=offsets(np.full(n, len(times) - 1)),
            caps_of_day=offsets(np.full(n, len(lengths))),
            caplets_of_cap=offsets(np.tile(lengths, n)),
            first_period=np.zeros(n * len(lengths), dtype=np.int64),
            reset=np.tile(times[:-1], n),
            span=np.tile(np.diff(times), n),
            log_moneyness=caplets.log_moneyness.ravel(),
            density_scale=caplets.density_scale.ravel(),
            smaller_leg=caplets.smaller_leg.ravel(),
            intrinsic=np.add.reduceat(caplets.intrinsic, first, axis=1).ravel(),
        )

    @classmethod
    def from_caplets(
        cls,
        curve: DiscountCurve,
        resets: ArrayLike,
        payments: ArrayLike,
        strikes: ArrayLike,
        accruals: ArrayLike | None,
        kind: Kind,
        notional: float,
    ) -> "CapBook":
        """A day whose caps are single caplets, each with dates and a strike of its own.

        Parameters
        ----------
        curve : today's discount curve
        resets, payments : years from today, 0 <= reset < payment
        strikes : decimal
        accruals : years; None means payment minus reset
        kind : "cap" or "floor"
        notional : of every caplet

        Returns
        -------
        CapBook
            one day
        """
        reset, payment, strike, accrual = _caplet_columns(resets, payments, strikes, accruals)
        raise_problems(
            "caplets",
            [
                *choice(kind, "kind", Kind),
                *positive_number(notional, "notional", "1 means prices per unit"),
            ],
        )
        terms = CapletTerms.from_market(
            reset_discount=curve.discount(reset),
            payment_discount=curve.discount(payment),
            accrual=accrual,
            strike=strike,
            notional=notional,
            sign=payoff_signs(kind),
        )
        count = len(reset)
        return cls(
            periods_of_day=offsets([count]),
            caps_of_day=offsets([count]),
            caplets_of_cap=np.arange(count + 1),
            first_period=np.arange(count),
            reset=reset,
            span=payment - reset,
            log_moneyness=terms.log_moneyness,
            density_scale=terms.density_scale,
            smaller_leg=terms.smaller_leg,
            intrinsic=terms.intrinsic,
        )

    @classmethod
    def from_instruments(
        cls, instruments: Sequence[Instrument], day: MarketDay, notional: float
    ) -> "CapBook":
        """A day whose quotes are options on two cash flows, the first of them at expiry.

        Parameters
        ----------
        instruments : each becomes one cap of the book
        day : whose curve and dates count
        notional : of every instrument

        Returns
        -------
        CapBook
            one day
        """
        options = [instrument.options(day) for instrument in instruments]
        raise_problems(
            day.label,
            [
                f"{instrument.label}: this model prices options on two cash flows, one received "
                "and one paid, the first of them at expiry; this instrument is another kind"
                for instrument, asked in zip(instruments, options, strict=True)
                if not _has_two_flows(asked)
            ],
        )
        reset = np.concatenate([asked.expiries for asked in options])
        payment = np.concatenate([asked.times[1::2] for asked in options])
        amounts = np.concatenate([asked.amounts.reshape(-1, 2) for asked in options])
        counts = [len(asked.expiries) for asked in options]
        terms = CapletTerms.from_flows(
            amounts, day.curve.discount(reset), day.curve.discount(payment), notional
        )
        first = offsets(counts)
        return cls(
            periods_of_day=offsets([len(reset)]),
            caps_of_day=offsets([len(options)]),
            caplets_of_cap=first,
            first_period=first[:-1],
            reset=reset,
            span=payment - reset,
            log_moneyness=terms.log_moneyness,
            density_scale=terms.density_scale,
            smaller_leg=terms.smaller_leg,
            intrinsic=np.add.reduceat(terms.intrinsic, first[:-1]),
        )

    @classmethod
    def side_by_side(cls, books: Sequence["CapBook"]) -> "CapBook":
        """Several books of one day each as a single day, with all their quotes.

        Parameters
        ----------
        books : one day each

        Returns
        -------
        CapBook
            one day
        """
        every = cls.joined(books)
        before = np.repeat(every.periods_of_day[:-1], np.diff(every.caps_of_day))
        return every._replace(
            periods_of_day=every.periods_of_day[[0, -1]],
            caps_of_day=every.caps_of_day[[0, -1]],
            first_period=every.first_period + before,
        )

    @classmethod
    def joined(cls, books: Sequence["CapBook"]) -> "CapBook":
        """The days of several books, one behind the other.

        Parameters
        ----------
        books : of the days, in order

        Returns
        -------
        CapBook
            all their days
        """

        def column(name: str) -> Array:
            return np.concatenate([getattr(book, name) for book in books])

        def pieces(name: str) -> Indices:
            return offsets(np.concatenate([np.diff(getattr(book, name)) for book in books]))

        return cls(
            periods_of_day=pieces("periods_of_day"),
            caps_of_day=pieces("caps_of_day"),
            caplets_of_cap=pieces("caplets_of_cap"),
            first_period=np.concatenate([book.first_period for book in books]),
            reset=column("reset"),
            span=column("span"),
            log_moneyness=column("log_moneyness"),
            density_scale=column("density_scale"),
            smaller_leg=column("smaller_leg"),
            intrinsic=column("intrinsic"),
        )

    def repeated(self, count: int) -> "CapBook":
        """The same days again and again.

        Parameters
        ----------
        count : how often

        Returns
        -------
        CapBook
            count times as many days
        """

        def pieces(borders: Indices) -> Indices:
            return offsets(np.tile(np.diff(borders), count))

        return CapBook(
            periods_of_day=pieces(self.periods_of_day),
            caps_of_day=pieces(self.caps_of_day),
            caplets_of_cap=pieces(self.caplets_of_cap),
            first_period=np.tile(self.first_period, count),
            reset=np.tile(self.reset, count),
            span=np.tile(self.span, count),
            log_moneyness=np.tile(self.log_moneyness, count),
            density_scale=np.tile(self.density_scale, count),
            smaller_leg=np.tile(self.smaller_leg, count),
            intrinsic=np.tile(self.intrinsic, count),
        )

    @property
    def day_count(self) -> int:
        """How many days the book holds."""
        return len(self.periods_of_day) - 1


def _layout(day: MarketDay) -> tuple[object, ...]:
    """What days must share to be packed together; days made one by one have equal schedules."""
    if day.others:
        return (id(day),)
    dates = day.schedule.times.tobytes(), day.schedule.accruals.tobytes()
    return *dates, day.period_counts.tobytes(), day.has_first_caplet, day.kind, day.notional


def _has_two_flows(options: Options) -> bool:
    if (options.flow_counts != 2).any():
        return False
    pairs, times = options.amounts.reshape(-1, 2), options.times.reshape(-1, 2)
    return bool((pairs.prod(axis=1) < 0).all() and (times[:, 0] == options.expiries).all())


def _caplet_columns(
    resets: ArrayLike, payments: ArrayLike, strikes: ArrayLike, accruals: ArrayLike | None
) -> tuple[Array, Array, Array, Array]:
    """Columns of equal length, or an error that names each impossible caplet."""
    given = {"resets": resets, "payments": payments, "strikes": strikes}
    if accruals is not None:
        given["accruals"] = accruals
    arrays, problems = [], []
    for what, values in given.items():
        array, found = numbers(values, what)
        arrays.append(array)
        problems += found
    lengths = {len(array) for array in arrays} - {1}
    if not problems and len(lengths) > 1:
        sizes = ", ".join(f"{len(a)} {what}" for what, a in zip(given, arrays, strict=True))
        problems.append(f"{sizes}; give equally many of each, or one for all")
    raise_problems("caplets", problems)
    reset, payment, strike, *rest = (np.array(array) for array in np.broadcast_arrays(*arrays))
    accrual = rest[0] if rest else payment - reset
    raise_problems(
        "caplets",
        [
            f"caplet {i + 1}: reset {reset[i]:g}, payment {payment[i]:g}, accrual {accrual[i]:g}, "
            f"strike {strike[i]:g}; need 0 <= reset < payment, accrual > 0 and "
            "1 + strike * accrual > 0"
            for i in range(len(reset))
            if not (0 <= reset[i] < payment[i] and accrual[i] > 0)
            or not 0 < 1 + strike[i] * accrual[i] < np.inf
        ],
    )
    return reset, payment, strike, accrual
