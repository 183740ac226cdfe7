"""The curves of a whole history at their nodes: log discount factors, and which cannot be used."""

import numpy as np

from calibscope.base.arrays import Array
from calibscope.market.assembly.joined import Joined, Tables
from calibscope.market.curve import SAME_TIME, log_discounts_of_zero_rates
from calibscope.market.errors import MarketDataError
from calibscope.market.findings import Finding, dropped
from calibscope.market.settings import Conventions


def log_discounts_at_nodes(table: Joined, tables: Tables, conventions: Conventions) -> Array:
    """Log P(0, t) at the curve's nodes, (n, k); NaN for gaps, not finite for impossible values."""
    quantity, values = tables.curve.quantity, table.curves
    if quantity == "discount_factor":
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log(values)
    if quantity == "zero_rate":
        return log_discounts_of_zero_rates(table.nodes, values, conventions.compounding)
    from calibscope.market.ois import bootstrapped

    logs = np.full(values.shape, np.nan)
    for i, date in enumerate(table.dates.tolist()):
        given = np.isfinite(values[i])
        try:
            logs[i, given] = bootstrapped(
                table.nodes[given], values[i, given], date, conventions.ois_index
            )
        except MarketDataError:
            logs[i, given] = np.inf  # found again, and named, by `curve_findings`
    return logs


def curve_findings(table: Joined, tables: Tables, logs: Array, longest: float) -> list[Finding]:
    """Days whose curve has impossible values, or ends before the longest cap."""
    source, quantity = tables.curve.source, tables.curve.quantity
    given, possible = np.isfinite(table.curves), np.isfinite(logs)
    findings = [
        dropped(
            source,
            f"{quantity.replace('_', ' ')} is {table.curves[i, j]:g}, which is no price of "
            "money; correct it or leave the day out",
            table.dates[i],
            table.nodes[j],
            "impossible curve",
        )
        for i, j in np.argwhere(given & ~possible)
    ]
    ends = np.where(possible, table.nodes, 0.0).max(axis=1)
    return findings + [
        dropped(
            source,
            f"the curve ends at {ends[i]:g} years, the longest cap at {longest:g}; extend the "
            "curve, or list shorter checks.maturities",
            table.dates[i],
            None,
            "short curve",
        )
        for i in np.flatnonzero(ends < longest - SAME_TIME)
    ]
