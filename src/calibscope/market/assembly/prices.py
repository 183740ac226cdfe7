"""What the quotes of a history mean: strikes, prices and implied normal vols."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from calibscope.base.arrays import Array, BoolArray
from calibscope.market.assembly.joined import Joined, Tables
from calibscope.market.checks import SAME_STRIKE
from calibscope.market.findings import Finding, dropped
from calibscope.market.instruments.cap_grid import CapGrid, is_struck, prices_of, usual_strike
from calibscope.market.quotes import VolType
from calibscope.market.settings import Conventions, MarketSettings

VOL_TYPES: dict[str, VolType] = {
    "normal_vol": "normal",
    "lognormal_vol": "lognormal",
    "shifted_lognormal_vol": "shifted_lognormal",
}

LARGEST_VOL = 0.1  # 1,000 bp


@dataclass(frozen=True, slots=True, eq=False)
class Priced:
    """What the quotes mean: strikes, prices and implied normal vols of every cap and day."""

    strikes: Array  # (n, m) given, or at the money
    is_struck: BoolArray  # (n, m) whose label names the strike
    prices: Array  # (n, m) per unit notional
    normal_vols: Array  # (n, m) implied by the prices; NaN below the intrinsic value
    sizes: Array  # (n, m) the same, and a rough number where none is implied
    bid_ask: Array | None  # (n, m, 2) prices

    def only(self, kept: BoolArray) -> "Priced":
        """The same for some of the days."""
        return Priced(
            self.strikes[kept],
            self.is_struck[kept],
            self.prices[kept],
            self.normal_vols[kept],
            self.sizes[kept],
            None if self.bid_ask is None else self.bid_ask[kept],
        )


def priced_quotes(
    table: Joined, tables: Tables, discounts: Array, grid: CapGrid, conventions: Conventions
) -> Priced:
    """Strikes given or at the money, and prices given or from vols, caplet by caplet."""
    which = conventions.atm or usual_strike(conventions.first_caplet)
    at_the_money, kind = grid.at_the_money(discounts, which), table.axis.kind
    strikes = np.where(np.isnan(table.quotes) | ~table.is_atm, np.nan, at_the_money)
    if table.strikes is not None:
        strikes = np.where(table.is_atm, strikes, table.strikes)
    caplets, quantity = grid.caplets(discounts, strikes), tables.quote.quantity
    meaning = (VOL_TYPES[quantity], conventions.vol_shift) if quantity in VOL_TYPES else None

    def in_prices(quotes: Array) -> Array:
        return prices_of(caplets, quotes, [meaning] * quotes.shape[-1], kind)

    prices = in_prices(table.quotes)
    normal = quantity == "normal_vol"
    vols = table.quotes if normal else caplets.implied_normal_vols(prices, kind)
    pairs = None
    if table.bids is not None and table.asks is not None:
        pairs = np.stack((in_prices(table.bids), in_prices(table.asks)), axis=-1)
    sizes = np.where(np.isnan(vols), caplets.rough_normal_vols(prices), vols)
    struck = is_struck(strikes, at_the_money, table.axis.is_struck)
    return Priced(strikes, struck, prices, vols, sizes, pairs)


def impossible_prices(
    table: Joined, tables: Tables, priced: Priced, settings: MarketSettings
) -> list[Finding]:
    """Prices that drop their day: none, below intrinsic value, near zero, outside bid and ask."""
    prices, strikes, quantity = priced.prices, priced.strikes, tables.quote.quantity
    threshold = settings.checks.near_zero_price

    def found(marks: BoolArray, check: str, message: Callable[[int, int], str]) -> list[Finding]:
        return [
            dropped(
                tables.quote.source, message(i, k), table.dates[i], table.maturities[k], check,
                quote=table.axis.labels[k],
            )
            for i, k in np.argwhere(marks)
        ]  # fmt: skip

    given = ~np.isnan(table.quotes)
    none, intrinsic = np.isnan(prices) & given, np.isnan(priced.normal_vols) & given
    unheard = (priced.normal_vols > LARGEST_VOL) | (np.abs(strikes) >= 1)
    findings = found(
        none,
        "no price",
        lambda i, k: (
            f"strike {strikes[i, k]:g} or a forward rate is not positive, so there is no "
            f"{quantity.replace('_', ' ')}; normal vols, or a larger conventions.vol_shift?"
        ),
    )
    findings += found(
        intrinsic & ~none & ~unheard,
        "below intrinsic value",
        lambda i, k: (
            f"price {prices[i, k]:g} is not above the intrinsic value; strike, curve or "
            "conventions.first_caplet do not go with it"
        ),
    )
    findings += found(
        unheard,
        "implausible",
        lambda i, k: (
            f"strike {100 * strikes[i, k]:.4g} percent and normal vol "
            f"{1e4 * priced.normal_vols[i, k]:.4g} bp are no market; a slip on this day? Correct "
            "it, or leave the day out with checks.exclude"
        ),
    )
    findings += found(
        (prices < threshold) | (prices <= 0),
        "near zero",
        lambda i, k: (
            f"price {prices[i, k]:.3g} per unit notional is below {threshold:g}, and its weight "
            "1/y^2 would decide the fit alone; checks.near_zero_price sets the limit"
        ),
    )
    findings += found(
        _is_again(table, strikes),
        "quoted twice",
        lambda i, k: (
            f"strike {strikes[i, k]:.6g} is that of another quote of this day; keep one, or "
            "correct a strike"
        ),
    )
    if priced.bid_ask is None:
        return findings
    bid, ask = priced.bid_ask[..., 0], priced.bid_ask[..., 1]
    in_order = (bid > 0) & (bid <= prices) & (prices <= ask) & (ask < np.inf)
    return findings + found(
        ~in_order & ~(np.isnan(bid) & np.isnan(ask)),
        "bid and ask",
        lambda i, k: (
            f"bid {bid[i, k]:g}, price {prices[i, k]:g}, ask {ask[i, k]:g}; they must be in this "
            "order and positive"
        ),
    )


def _is_again(table: Joined, strikes: Array) -> BoolArray:
    """(n, m) quotes at the strike of another one: what is given may be the curve's own."""
    again = np.zeros(strikes.shape, np.bool_)
    for places in table.axis.of_several_strikes:
        order = np.argsort(strikes[:, places], axis=1)
        ordered = np.take_along_axis(strikes[:, places], order, axis=1)
        marks = np.zeros(ordered.shape, np.bool_)
        near = np.diff(ordered, axis=1) <= SAME_STRIKE
        np.put_along_axis(marks, order[:, 1:], near, axis=1)
        again[:, places] = marks
    return again
