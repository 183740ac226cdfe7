"""Tables of different files side by side: same dates, same quotes, decimals, gaps NaN.

Tables are joined on date, never by position. Which gaps matter is decided in `gaps.py`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from calibscope.base.arrays import Array, BoolArray, Indices
from calibscope.market.assembly.axis import Axis
from calibscope.market.assembly.units import (
    declared_unit,
    in_decimals,
    strike_slips,
    unit_problems,
)
from calibscope.market.errors import raise_problems
from calibscope.market.maturity import SAME_MATURITY
from calibscope.market.panel import CURVES, QUOTES, Dates, Panel, Quantity
from calibscope.market.settings import MarketSettings

DAILY = 0.5  # of the curve's days: as often as that, a day without quotes lacks them


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """The tables that make a market: one of quotes, one of curves, and what goes with them."""

    quote: Panel
    curve: Panel
    strike: Panel | None = None
    bid: Panel | None = None
    ask: Panel | None = None

    def __iter__(self) -> Iterator[Panel]:
        given = (self.quote, self.strike, self.bid, self.ask, self.curve)
        return (panel for panel in given if panel is not None)


@dataclass(frozen=True, eq=False)
class Joined:
    """All tables on common dates, in decimals and per unit notional; gaps are NaN."""

    dates: Dates  # (n,)
    axis: Axis  # (m,) what the caps are
    quotes: Array  # (n, m)
    strikes: Array | None  # (n, m) as given; None: all at the money
    is_atm: BoolArray  # (n, m) whose strike is the curve's
    is_interpolated: BoolArray  # (n, m) that were marked so, also if they were left out
    bids: Array | None
    asks: Array | None
    nodes: Array  # (k,) years
    curves: Array  # (n, k)

    @property
    def maturities(self) -> Array:
        """(m,) years, of the caps."""
        return self.axis.maturities

    @property
    def lacks_strike(self) -> BoolArray:
        """(n, m) where none is given, nor to be the curve's."""
        if self.strikes is None:
            return np.zeros(self.quotes.shape, np.bool_)
        return np.isnan(self.strikes) & ~self.is_atm & ~self.axis.is_struck

    @cached_property
    def strike_slips(self) -> BoolArray:
        """(n, m) quotes whose strikes are too large for a rate, where most are not."""
        if self.strikes is None:
            return np.zeros(self.quotes.shape, np.bool_)
        return strike_slips(self.strikes) & ~np.isnan(self.quotes)

    def where(self, present: BoolArray) -> "Joined":
        """The same with some of the quotes (n, m); the others become gaps."""
        if present.all():
            return self

        def masked(values: Array | None) -> Array | None:
            return None if values is None else np.where(present, values, np.nan)

        return replace(
            self,
            quotes=np.where(present, self.quotes, np.nan),
            strikes=masked(self.strikes),
            bids=masked(self.bids),
            asks=masked(self.asks),
        )

    def only(self, kept: BoolArray) -> "Joined":
        """The same with some of the days."""
        return replace(
            self,
            dates=self.dates[kept],
            quotes=self.quotes[kept],
            strikes=None if self.strikes is None else self.strikes[kept],
            is_atm=self.is_atm[kept],
            is_interpolated=self.is_interpolated[kept],
            bids=None if self.bids is None else self.bids[kept],
            asks=None if self.asks is None else self.asks[kept],
            curves=self.curves[kept],
        )


def chosen_tables(panels: Sequence[Panel], settings: MarketSettings, name: str) -> Tables:
    """Which table is the quote, which the curve; an error where that is not clear."""
    problems = unit_problems(panels, settings)
    found: dict[str, Panel] = {}
    for panel in panels:
        if panel.quantity in found:
            problems.append(
                f"{panel.quantity} is given twice, in {found[panel.quantity].source} and in "
                f"{panel.source}; give it once"
            )
        elif not np.isfinite(panel.values).any() and panel.is_atm is None:
            problems.append(f"{panel.source}: there is no value of {panel.quantity}; all are gaps")
        found[panel.quantity] = panel
    quotes = _wanted(found, QUOTES, settings.caps.quantity)
    curves = _wanted(found, CURVES, settings.curve.quantity)
    problems += _not_one(quotes, QUOTES, "cap quotes", "caps.quantity")
    problems += _not_one(curves, CURVES, "curves", "curve.quantity")
    if ("bid" in found) != ("ask" in found):
        problems.append("bid and ask are needed together; one of them is missing")
    # A single file is named once, in front of all problems.
    raise_problems(name, [problem.removeprefix(f"{name}: ") for problem in problems])
    return Tables(quotes[0], curves[0], found.get("strike"), found.get("bid"), found.get("ask"))


def _wanted(
    found: Mapping[str, Panel], quantities: Sequence[Quantity], wanted: Quantity | None
) -> list[Panel]:
    if wanted is not None and wanted in found:
        return [found[wanted]]
    return [found[quantity] for quantity in quantities if quantity in found]


def _not_one(
    panels: Sequence[Panel], quantities: Sequence[Quantity], what: str, setting: str
) -> list[str]:
    if not panels:
        return [f"there are no {what}; give one of {', '.join(quantities)}"]
    if len(panels) == 1:
        return []
    names = " and ".join(panel.quantity for panel in panels)
    return [f"{names} are both given; choose one, such as {setting} = {panels[0].quantity!r}"]


def joined(tables: Tables, settings: MarketSettings) -> Joined:
    """The tables on all dates that have caps, and on the curve's dates between them.

    Where caps are quoted on few of these, the curve's file is longer than needed: its other days
    lack nothing.
    """
    caps = [panel for panel in tables if panel is not tables.curve]
    dates = np.unique(np.concatenate([panel.dates for panel in caps]))
    others = tables.curve.dates
    inside = (others > dates[0]) & (others < dates[-1]) if len(dates) else others == others
    if len(dates) >= DAILY * inside.sum():
        dates = np.union1d(dates, others[inside])
    conventions = settings.conventions
    axis = _columns(tables.quote, settings)
    if settings.checks.maturities is not None:
        wanted = np.unique(np.array(settings.checks.maturities, float))
        axis = axis.with_maturities(wanted, conventions.kind)

    def aligned(panel: Panel, wanted: Axis) -> Array:
        unit = declared_unit(panel, tables.quote.quantity, settings)
        own = Axis.of(panel, settings)
        return _aligned(in_decimals(panel, unit, conventions), panel.dates, own, dates, wanted)

    def of_caps(panel: Panel | None) -> Array | None:
        return None if panel is None else aligned(panel, axis)

    def marked(panel: Panel, marks: BoolArray | None) -> BoolArray:
        if marks is None:
            return np.zeros((len(dates), len(axis.kinds)), np.bool_)
        own = Axis.of(panel, settings)
        return np.asarray(_aligned(marks, panel.dates, own, dates, axis) == 1)

    quotes, strikes = aligned(tables.quote, axis), of_caps(tables.strike)
    is_interpolated = marked(tables.quote, tables.quote.is_interpolated)
    if settings.checks.interpolated == "drop":
        quotes[is_interpolated] = np.nan
    is_atm = np.broadcast_to(~axis.is_struck, quotes.shape)
    if tables.strike is not None:
        is_atm = marked(tables.strike, tables.strike.is_atm)
    if axis.is_struck.any():
        given = np.full(quotes.shape, np.nan) if strikes is None else strikes
        strikes = np.where(np.isnan(quotes) | ~axis.is_struck, given, axis.strikes)
    nodes = Axis.of_values(tables.curve, settings)
    return Joined(
        dates=dates,
        axis=axis,
        quotes=quotes,
        strikes=strikes,
        is_atm=is_atm,
        is_interpolated=is_interpolated,
        bids=of_caps(tables.bid),
        asks=of_caps(tables.ask),
        nodes=nodes.maturities,
        curves=aligned(tables.curve, nodes),
    )


def _columns(quote: Panel, settings: MarketSettings) -> Axis:
    """What the market quotes; not what is interpolated on all days, where that is left out."""
    if settings.checks.interpolated == "drop" and quote.is_interpolated is not None:
        left = replace(quote, values=np.where(quote.is_interpolated, np.nan, quote.values))
        if np.isfinite(left.values).any():
            return Axis.of_values(left, settings)
    return Axis.of_values(quote, settings)


def _aligned(
    values: Array | BoolArray, given_on: Dates, given: Axis, dates: Dates, wanted: Axis
) -> Array:
    """The values of a panel on other dates and columns; NaN where it has none."""
    table = np.full((len(dates), len(wanted.kinds)), np.nan)
    if not len(given_on):
        return table
    day = np.searchsorted(dates, given_on)
    day_found = (day < len(dates)) & (dates[np.minimum(day, len(dates) - 1)] == given_on)
    for key, places in wanted.series.items():
        there = given.series.get(key, np.empty(0, np.int64))
        if not len(there):
            continue
        years = given.maturities[there]
        nearest = _nearest(wanted.maturities[places], years)
        found = np.abs(years[nearest] - wanted.maturities[places]) <= SAME_MATURITY
        columns = there[nearest[found]]
        table[np.ix_(day[day_found], places[found])] = values[day_found][:, columns]
    return table


def _nearest(wanted: Array, given: Array) -> Indices:
    """For each of the wanted the place of the nearest one given, which increase."""
    after = np.clip(np.searchsorted(given, wanted), 1, max(1, len(given) - 1))
    before = after - 1
    after = np.minimum(after, len(given) - 1)
    is_before = np.abs(given[before] - wanted) <= np.abs(given[after] - wanted)
    return np.where(is_before, before, after)
