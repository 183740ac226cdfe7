"""What the quotes of a history mean: strikes, prices and implied normal vols."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from calibscope.base.arrays import Array, BoolArray
from calibscope.market.assembly.grid import Grid
from calibscope.market.assembly.joined import Joined, Tables
from calibscope.market.day import usual_strike
from calibscope.market.findings import Finding, dropped
from calibscope.market.quotes import Caplets, VolType
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
    prices: Array  # (n, m) per unit notional
    normal_vols: Array  # (n, m) implied by the prices; NaN below the intrinsic value
    sizes: Array  # (n, m) the same, and a rough number where none is implied
    bid_ask: Array | None  # (n, m, 2) prices

    def only(self, kept: BoolArray) -> "Priced":
        """The same for some of the days."""
        pairs = None if self.bid_ask is None else self.bid_ask[kept]
        return Priced(
            self.strikes[kept], self.prices[kept], self.normal_vols[kept], self.sizes[kept], pairs
        )


def priced_quotes(
    table: Joined,
    tables: Tables,
    discounts: Array,
    forward: Array,
    spot: Array,
    grid: Grid,
    conventions: Conventions,
) -> Priced:
    """Strikes given or at the money, and prices given or from vols, caplet by caplet."""
    at_the_money = conventions.atm or usual_strike(conventions.first_caplet)
    strikes = table.strikes
    if strikes is None:
        strikes = forward if at_the_money == "forward" else spot
    caplets = Caplets.of_caps(
        discounts, grid.times, grid.accruals, strikes, grid.counts, grid.first
    )

    def in_prices(quotes: Array) -> Array:
        if tables.quote.quantity == "price":
            return quotes
        vol_type = VOL_TYPES[tables.quote.quantity]
        return caplets.cap_prices(quotes, vol_type, conventions.kind, conventions.vol_shift)

    prices = in_prices(table.quotes)
    normal = tables.quote.quantity == "normal_vol"
    vols = table.quotes if normal else caplets.implied_normal_vols(prices, conventions.kind)
    pairs = None
    if table.bids is not None and table.asks is not None:
        pairs = np.stack((in_prices(table.bids), in_prices(table.asks)), axis=-1)
    sizes = np.where(np.isnan(vols), caplets.rough_normal_vols(prices), vols)
    return Priced(strikes, prices, vols, sizes, pairs)


def impossible_prices(
    table: Joined, tables: Tables, priced: Priced, settings: MarketSettings
) -> list[Finding]:
    """Prices that drop their day: none, below intrinsic value, near zero, outside bid and ask."""
    prices, strikes, quantity = priced.prices, priced.strikes, tables.quote.quantity
    threshold = settings.checks.near_zero_price

    def found(marks: BoolArray, check: str, message: Callable[[int, int], str]) -> list[Finding]:
        return [
            dropped(tables.quote.source, message(i, k), table.dates[i], table.maturities[k], check)
            for i, k in np.argwhere(marks)
        ]

    none, intrinsic = np.isnan(prices), np.isnan(priced.normal_vols)
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
