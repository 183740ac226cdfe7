"""What the quotes of a history mean, and which of them drop their day."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from calibscope.base.arrays import Array, BoolArray, Indices
from calibscope.market.assembly.axis import Axis
from calibscope.market.assembly.joined import Joined, Tables
from calibscope.market.cap_quotes import CapQuotes, Fault, bid_ask_faults, twice
from calibscope.market.findings import Finding, dropped, warning
from calibscope.market.instruments.cap_grid import (
    AtTheMoney,
    CapGrid,
    Meaning,
    is_struck,
    prices_of,
    usual_strike,
)
from calibscope.market.quotes import VolType
from calibscope.market.settings import Conventions

VOL_TYPES: dict[str, VolType] = {
    "normal_vol": "normal",
    "lognormal_vol": "lognormal",
    "shifted_lognormal_vol": "shifted_lognormal",
}


@dataclass(frozen=True, slots=True, eq=False)
class Priced:
    """The quotes of every cap and day with their meaning."""

    quotes: CapQuotes  # (n, m)
    bid_ask: Array | None  # (n, m, 2) prices per unit notional

    def only(self, kept: BoolArray) -> "Priced":
        """The same for some of the days."""
        return Priced(
            self.quotes.only(kept),
            None if self.bid_ask is None else self.bid_ask[kept],
        )


def priced_quotes(
    table: Joined, tables: Tables, discounts: Array, grid: CapGrid, conventions: Conventions
) -> Priced:
    """Strikes given or at the money, and prices given or from vols, caplet by caplet."""
    which = conventions.atm or usual_strike(conventions.first_caplet)
    at_the_money, kinds = grid.at_the_money(discounts, which), table.axis.kinds
    strikes = np.where(np.isnan(table.quotes) | ~table.is_atm, np.nan, at_the_money)
    if table.strikes is not None:
        strikes = np.where(table.is_atm, strikes, table.strikes)
    quantity = tables.quote.quantity
    meaning: Meaning = None
    if quantity in VOL_TYPES:
        meaning = (VOL_TYPES[quantity], conventions.vol_shift)
    meanings = [meaning] * len(kinds)
    quotes = CapQuotes.of(grid, discounts, strikes, table.quotes, meanings, kinds)
    pairs = None
    if table.bids is not None and table.asks is not None:
        caplets = grid.caplets(discounts, strikes)
        sides = [prices_of(caplets, side, meanings, kinds) for side in (table.bids, table.asks)]
        pairs = np.stack(sides, axis=-1)
    return Priced(quotes, pairs)


def named_axis(
    table: Joined, priced: Priced, forward: Array, spot: Array, counts: Indices, which: AtTheMoney
) -> Axis:
    """The columns with the strikes that their labels name on every day."""
    axis, strikes = table.axis, np.where(np.isnan(table.quotes), np.nan, priced.quotes.strikes)
    usual, other = (forward, spot) if which == "forward" else (spot, forward)
    named = is_struck(strikes, usual, other, counts, axis.kinds)
    is_quoted = ~np.isnan(strikes).all(axis=0)
    names = np.where(is_quoted, np.nan, axis.strikes)
    names[named] = axis.strikes[named]  # the same float also where the table is in another unit
    constant = named & np.isnan(axis.strikes)
    names[constant] = np.nanmedian(strikes[:, constant], axis=0)
    return replace(axis, names=names)


def impossible_prices(
    table: Joined, tables: Tables, priced: Priced, grid: CapGrid, near_zero: float
) -> list[Finding]:
    """Quotes that drop their day, as `MarketDay.from_quotes` would refuse them."""
    quotes = priced.quotes
    found = quotes.faults(near_zero)
    found += twice(table.axis.kinds, grid.counts, quotes.strikes, quotes.prices)
    if priced.bid_ask is not None:
        found += bid_ask_faults(quotes.prices, priced.bid_ask)
    return _findings(dropped, found, table, tables)


def unusual_prices(table: Joined, tables: Tables, priced: Priced) -> list[Finding]:
    """Quotes to be reviewed."""
    return _findings(warning, priced.quotes.unusual(), table, tables)


def _findings(
    severity: Callable[..., Finding], found: Iterable[Fault], table: Joined, tables: Tables
) -> list[Finding]:
    source, axis = tables.quote.source, table.axis
    return [
        severity(
            source, one.text, table.dates[i], axis.maturities[k], one.check, quote=axis.labels[k]
        )
        for one in found
        for i, k in [one.place]
    ]
