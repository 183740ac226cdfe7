"""Market days from what users give: plain arrays of caps, or quotes of any instruments.

Both fill in what is left out (dates, at-the-money strikes, prices from vols) and check the same.
"""

import datetime
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from calibscope.base.arrays import Array, ArrayLike, Indices
from calibscope.base.numbers import counted
from calibscope.market.calendar import LONGEST_CAP
from calibscope.market.cap_quotes import CapQuotes, twice
from calibscope.market.checks import (
    beyond_the_curve,
    bid_ask_pairs,
    coverage_problems,
    date_problems,
    maturity_problems,
)
from calibscope.market.curve import DiscountCurve
from calibscope.market.day import MarketDay
from calibscope.market.day_names import day_label
from calibscope.market.errors import MarketDataError, raise_problems
from calibscope.market.inputs import choice, column, flag, numbers, positive_number
from calibscope.market.instruments.cap import Cap, Floor, cap_label
from calibscope.market.instruments.cap_grid import (
    AtTheMoney,
    Calendar,
    CapGrid,
    Meaning,
    is_struck,
    usual_strike,
)
from calibscope.market.instruments.instrument import Quote, QuotedInVols
from calibscope.market.quote_checks import (
    listed,
    options_problems,
    quote_problems,
    vol_type_problems,
)
from calibscope.market.quotes import Kind, Kinds, VolType
from calibscope.market.schedule import Schedule


def day_of_arrays(
    curve: DiscountCurve,
    maturities: ArrayLike,
    prices: ArrayLike | None,
    vols: ArrayLike | None,
    vol_type: VolType,
    vol_shift: float,
    strikes: ArrayLike | None,
    tenor: float,
    calendar: Calendar | None,
    times: ArrayLike | None,
    accruals: ArrayLike | None,
    kind: Kinds,
    notional: float,
    bid_ask: ArrayLike | None,
    first_caplet: bool,
    atm: AtTheMoney | None,
    date: datetime.date | None,
    problems: list[str],
) -> MarketDay:
    """See `MarketDay.from_arrays`."""
    years, found = numbers(maturities, "maturities")
    if found:
        raise MarketDataError(day_label(date), problems + found)
    several = not isinstance(kind, str) and isinstance(kind, Sequence)
    kinds = cast("list[Kind]", list(kind) if several else [kind])
    problems += [text for one in dict.fromkeys(kinds) for text in choice(one, "kind", Kind)]
    if several and len(kinds) != len(years):
        problems.append(
            f"{counted(len(years), 'maturity', 'maturities')} but "
            f"{counted(len(kinds), 'kind')}; give one, or one for each"
        )
    problems += vol_type_problems(vol_type, vol_shift)
    problems += positive_number(notional, "notional", "1 means prices per unit")
    quoted, found = _quoted(years, prices, vols)
    problems += found
    given = np.full(len(years), np.nan)
    if strikes is not None:
        given, found = column(years, strikes, "strike", may_be_negative=True)
        problems += found
    if bid_ask is not None:
        bid_ask, found = bid_ask_pairs(years, bid_ask)
        problems += found
    meaning = (vol_type, vol_shift if vol_type == "shifted_lognormal" else 0.0)
    caps = _Caps(
        years, kinds if several else kinds * len(years), given, quoted,
        [None if prices is not None else meaning] * len(years),
    )  # fmt: skip
    dates = _Dates(tenor, calendar, times, accruals, first_caplet, atm)
    return _day_of_caps(curve, caps, dates, notional, bid_ask, date, problems)


def day_of_quotes(
    curve: DiscountCurve,
    quotes: Sequence[Quote],
    tenor: float,
    calendar: Calendar | None,
    notional: float,
    first_caplet: bool,
    atm: AtTheMoney | None,
    date: datetime.date | None,
    problems: list[str],
) -> MarketDay:
    """See `MarketDay.from_quotes`."""
    quotes, found = listed(quotes)
    problems += found
    if not isinstance(curve, DiscountCurve):
        problems.append(_no_curve(curve))
    problems += positive_number(notional, "notional", "1 means prices per unit")
    problems += positive_number(tenor, "tenor", "0.5 is six months")
    problems += flag(first_caplet, "first_caplet")
    problems += [] if atm is None else choice(atm, "atm", AtTheMoney)
    problems += [] if calendar is None else choice(calendar, "calendar", Calendar)
    if not problems:
        problems += [text for quote in quotes for text in quote_problems(quote)]
    if problems:
        raise MarketDataError(day_label(date), problems)
    capped = [quote for quote in quotes if isinstance(quote.instrument, Cap | Floor)]
    rest = [quote for quote in quotes if not isinstance(quote.instrument, Cap | Floor)]
    parts = []
    if capped:
        caps = _Caps.of(capped)
        dates = _Dates(tenor, calendar, None, None, first_caplet, atm)
        parts.append(_day_of_caps(curve, caps, dates, notional, _pairs(capped), date, []))
    if rest:
        parts.append(_day_of_others(curve, rest, tenor, notional, first_caplet, date))
    day = parts[0] if len(parts) == 1 else _together(*parts)
    raise_problems(day.label, options_problems(day))
    return day


def _together(first: MarketDay, second: MarketDay) -> MarketDay:
    """A day of caps and one of other instruments as one."""
    parts = (first, second)
    pairs = [np.full((len(part.prices), 2), np.nan) if part.bid_ask is None else part.bid_ask
             for part in parts]  # fmt: skip
    return replace(
        first,
        maturities=np.append(first.maturities, second.maturities),
        strikes=np.append(first.strikes, second.strikes),
        prices=np.append(first.prices, second.prices),
        bid_ask=None if first.bid_ask is second.bid_ask is None else np.concatenate(pairs),
        others=second.others,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Caps:
    """Caps and floors as they were given."""

    years: Array  # (m,)
    kinds: Sequence[Kind]  # (m,)
    strikes: Array  # (m,) NaN for at the money
    quoted: Array  # (m,) prices or vols
    meanings: Sequence[Meaning]  # (m,)
    is_named: bool = False  # whether messages name the strikes that were given

    @property
    def names(self) -> list[str]:
        """(m,) how messages name the quotes."""
        if not self.is_named:
            return [f"{year:g}Y" for year in self.years]
        strikes = [None if np.isnan(strike) else strike for strike in self.strikes.tolist()]
        return list(map(cap_label, self.years.tolist(), self.kinds, strikes))

    @classmethod
    def of(cls, quotes: Sequence[Quote]) -> "_Caps":
        """Those of quotes."""
        caps = [quote.instrument for quote in quotes if isinstance(quote.instrument, Cap | Floor)]
        return cls(
            np.array([float(cap.maturity) for cap in caps]),
            [cap.kind for cap in caps],
            np.array([np.nan if cap.strike is None else float(cap.strike) for cap in caps]),
            np.array([quote.price if quote.vol is None else quote.vol for quote in quotes], float),
            [None if quote.vol is None else (quote.vol_type, quote.vol_shift) for quote in quotes],
            is_named=True,
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Dates:
    """How the dates and at-the-money strikes of caps are found, as it was given."""

    tenor: float
    calendar: Calendar | None
    times: ArrayLike | None
    accruals: ArrayLike | None
    first_caplet: bool
    atm: AtTheMoney | None


def _day_of_caps(
    curve: DiscountCurve,
    caps: _Caps,
    dates: _Dates,
    notional: float,
    bid_ask: ArrayLike | None,
    date: datetime.date | None,
    problems: list[str],
) -> MarketDay:
    atm = usual_strike(dates.first_caplet) if dates.atm is None else dates.atm
    problems += choice(atm, "atm", AtTheMoney)
    problems += flag(dates.first_caplet, "first_caplet")
    start, years = 0 if dates.first_caplet else 1, caps.years
    found = [] if dates.calendar is None else _calendar_problems(years, dates, date)
    schedule, counts, further = _schedule(
        curve, years, replace(dates, calendar=None) if found else dates, start, date
    )
    problems += found + further
    first, is_atm = 1 if atm == "forward" else 0, np.isnan(caps.strikes)
    if len(counts) == len(is_atm) and np.any(is_atm & (counts <= first)):
        problems.append("a cap of one period has no forward strike; give strikes or atm='spot'")
    if schedule is None or problems:
        raise MarketDataError(day_label(date), problems)

    P, delta = curve.discount(schedule.times), schedule.accruals
    grid = CapGrid(counts, schedule.times, delta, start)
    usual = grid.at_the_money(P, atm)
    strikes = np.where(is_atm, usual, caps.strikes)
    other = grid.at_the_money(P, "spot" if atm == "forward" else "forward")
    struck = is_struck(strikes, usual, other, counts, caps.kinds)
    is_vol = np.array([meaning is not None for meaning in caps.meanings])
    quoted = np.where(is_vol, caps.quoted, caps.quoted / notional)
    quotes = CapQuotes.of(grid, P, strikes, quoted, caps.meanings, caps.kinds)
    faults, names = quotes.faults(), caps.names
    faults += twice(caps.kinds, counts, strikes, caps.quoted)
    raise_problems(day_label(date), [f"{names[one.place[0]]}: {one.text}" for one in faults])
    for one in quotes.unusual():
        text = f"{day_label(date)}: {names[one.place[0]]}: {one.text}"
        warnings.warn(text, stacklevel=4)  # at the call of from_quotes or from_arrays
    prices = np.where(is_vol, notional * quotes.prices, caps.quoted)
    return MarketDay(
        curve=curve,
        schedule=schedule,
        maturities=years,
        period_counts=counts,
        strikes=strikes,
        prices=prices,
        notional=notional,
        kind=tuple(caps.kinds),
        has_first_caplet=bool(dates.first_caplet),
        bid_ask=None if bid_ask is None else np.asarray(bid_ask),
        date=date,
        is_struck=struck,
    )


def _day_of_others(
    curve: DiscountCurve,
    quotes: Sequence[Quote],
    tenor: float,
    notional: float,
    first_caplet: bool,
    date: datetime.date | None,
) -> MarketDay:
    """A day of instruments that are neither caps nor floors."""
    places = [quote.instrument.coordinates for quote in quotes]
    prices = []
    for quote in quotes:
        price = quote.price
        if price is None:
            assert isinstance(quote.instrument, QuotedInVols)
            assert quote.vol is not None
            price = notional * quote.instrument.price_at(quote.vol, curve)
        prices.append(price)
    return MarketDay(
        curve=curve,
        schedule=Schedule(np.array([0.0, tenor]), np.array([tenor])),
        maturities=np.array([place["maturity"] for place in places]),
        period_counts=np.empty(0, np.int64),
        strikes=np.array([place.get("strike", np.nan) for place in places]),
        prices=np.array(prices, float),
        notional=notional,
        has_first_caplet=bool(first_caplet),
        bid_ask=_pairs(quotes),
        date=date,
        others=tuple(quote.instrument for quote in quotes),
    )


def _pairs(quotes: Sequence[Quote]) -> Array | None:
    """(m, 2) bid and ask, NaN where a quote has none."""
    if all(quote.bid_ask is None for quote in quotes):
        return None
    return np.array([quote.bid_ask or (np.nan, np.nan) for quote in quotes], float)


def _quoted(
    years: Array, prices: ArrayLike | None, vols: ArrayLike | None
) -> tuple[Array, list[str]]:
    if prices is not None and vols is not None:
        return np.empty(0), ["both prices and vols are given; choose one"]
    if prices is not None:
        return column(years, prices, "price")
    if vols is not None:
        return column(years, vols, "vol")
    return np.empty(0), ["there are no quotes; give prices or vols, one per maturity"]


def _no_curve(curve: object) -> str:
    return (
        f"curve is a {type(curve).__name__}; make one with DiscountCurve.from_zero_rates or "
        "DiscountCurve.from_discount_factors"
    )


def _calendar_problems(years: Array, dates: _Dates, date: datetime.date | None) -> list[str]:
    """Why caps cannot be put on business days."""
    tenor, problems = dates.tenor, choice(dates.calendar, "calendar", Calendar)
    if date is None:
        problems.append("caps on calendar dates need the date of the quotes; give date=...")
    if dates.times is not None or dates.accruals is not None:
        problems.append("calendar and times are both given; choose one")
    if (12 * tenor if isinstance(tenor, int | float) else 0) not in (1, 3, 6, 12):
        problems.append(f"tenor is {tenor!r}; calendar dates need 1, 3, 6 or 12 months (0.5 is 6M)")
    longest = years[np.isfinite(years)].max(initial=0)
    if longest > LONGEST_CAP:
        problems.append(f"{longest:g}Y: no calendar reaches that far; the maturity is in years")
    return problems


def _schedule(
    curve: DiscountCurve, years: Array, dates: _Dates, start: int, date: datetime.date | None
) -> tuple[Schedule | None, Indices, list[str]]:
    """The periods that the caps share, and how many of them each cap covers."""
    none, tenor = np.empty(0, np.int64), dates.tenor
    if not isinstance(curve, DiscountCurve):
        return None, none, [_no_curve(curve)]
    problems = positive_number(tenor, "tenor", "0.5 is six months")
    problems = problems or maturity_problems(years, tenor, start)
    if dates.times is None and dates.calendar is None:
        # Before the grid is built: a maturity of 1e9 years would fill the memory.
        problems += beyond_the_curve(curve, years, years)
    if problems:
        return None, none, problems
    grid = CapGrid.of(years, tenor, start, dates.calendar, np.datetime64(date, "D"))
    times, accruals = dates.times, dates.accruals
    if times is None:
        times, accruals = grid.times, grid.accruals if accruals is None else accruals
    try:
        schedule = Schedule.from_times(times, accruals)
    except MarketDataError as error:
        return None, none, [f"schedule: {problem}" for problem in error.problems]
    problems = coverage_problems(curve, schedule, years, grid.counts)
    problems = problems or date_problems(schedule, years, grid.counts, tenor, start)
    return schedule.first(int(grid.counts.max())), grid.counts, problems
