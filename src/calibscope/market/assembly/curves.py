"""The curves of a whole history at their nodes: log discount factors, and which cannot be used."""

from collections.abc import Callable

import numpy as np

from calibscope.base.arrays import Array
from calibscope.market.assembly.joined import Joined, Tables
from calibscope.market.curve import SAME_TIME, log_discounts_of_zero_rates
from calibscope.market.errors import MarketDataError
from calibscope.market.findings import Finding, dropped, warning
from calibscope.market.interpolation.schemes import FITTED, Interpolation
from calibscope.market.settings import Conventions

# What long work calls as it goes on, with how much is done and how much there is.
Progress = Callable[[int, int], None]


def log_discounts_at_nodes(
    table: Joined, tables: Tables, conventions: Conventions, progress: Progress
) -> Array:
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
        progress(i, len(logs))
        given = np.isfinite(values[i])
        try:
            logs[i, given] = bootstrapped(
                table.nodes[given], values[i, given], date, conventions.ois_index
            )
        except MarketDataError:
            logs[i, given] = np.inf  # found again, and named, by `curve_findings`
    return logs


def poor_fit_warnings(
    table: Joined, tables: Tables, logs: Array, interpolation: Interpolation
) -> list[Finding]:
    """Days whose curve a Svensson fit misses by more than its quotes can be wrong."""
    if interpolation not in FITTED:
        return []
    from calibscope.market.svensson import fit_svensson_panel

    later = table.nodes > 0
    fits = fit_svensson_panel(table.nodes[later], -logs[:, later] / table.nodes[later])
    return [
        warning(tables.curve.source, fits[int(i)].status, table.dates[i], None, "poor Svensson fit")
        for i in np.flatnonzero(fits.is_poor)
    ]


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
    ends = np.where(given, table.nodes, 0.0).max(axis=1)
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
