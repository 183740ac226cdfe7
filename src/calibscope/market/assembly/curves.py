"""The curves of a whole history at their nodes: log discount factors, and which cannot be used."""

from collections.abc import Callable, Iterator

import numpy as np

from calibscope.base.arrays import Array, BoolArray, Indices
from calibscope.market.assembly.joined import Joined, Tables
from calibscope.market.curve import CARRIED_ON, log_discounts_of_zero_rates
from calibscope.market.errors import MarketDataError
from calibscope.market.findings import Finding, dropped, warning
from calibscope.market.interpolation.schemes import FITTED, Interpolation
from calibscope.market.settings import Conventions

# What long work calls as it goes on, with how much is done and how much there is.
Progress = Callable[[int, int], None]

# A single rate beyond 40 percent spoils its day.
LARGEST_RATE = 0.4


def log_discounts_at_nodes(
    table: Joined, tables: Tables, conventions: Conventions, progress: Progress
) -> tuple[Array, list[Finding]]:
    """Log P(0, t) at the curve's nodes, (n, k), and the days that have none.

    NaN for gaps, not finite for impossible values.
    """
    quantity, values = tables.curve.quantity, table.curves
    if quantity == "discount_factor":
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log(values), []
    if quantity == "zero_rate":
        return log_discounts_of_zero_rates(table.nodes, values, conventions.compounding), []
    from calibscope.market.curve_memory import remembered

    logs, findings = np.full(values.shape, np.nan), []
    with remembered() as bootstrapped:
        for i, date in enumerate(table.dates.tolist()):
            progress(i, len(logs))
            given = ~np.isnan(values[i])
            try:
                logs[i, given] = bootstrapped(
                    table.nodes[given], values[i, given], date, conventions.ois_index
                )
            except MarketDataError as error:
                reasons = "; ".join(error.problems)
                findings.append(
                    dropped(tables.curve.source, reasons, table.dates[i], None, "no curve")
                )
    return logs, findings


def poor_fit_warnings(
    table: Joined, tables: Tables, logs: Array, interpolation: Interpolation
) -> list[Finding]:
    """Days whose curve a Svensson fit misses by more than its quotes can be wrong."""
    if interpolation not in FITTED:
        return []
    from calibscope.market.svensson_fit import fit_svensson_panel

    findings = []
    for same, pattern in with_same_nodes(logs):
        later = pattern & (table.nodes > 0)
        nodes = table.nodes[later]
        fits = fit_svensson_panel(nodes, -logs[np.ix_(same, later)] / nodes)
        findings += [
            warning(tables.curve.source, fits[int(i)].status, table.dates[same[i]], None,
                    "poor Svensson fit")
            for i in np.flatnonzero(fits.is_poor)
        ]  # fmt: skip
    return sorted(findings, key=lambda finding: str(finding.date))


def with_same_nodes(logs: Array) -> Iterator[tuple[Indices, BoolArray]]:
    """Days whose curves have the same nodes, and which of the (k,) nodes they have."""
    patterns, which = np.unique(np.isfinite(logs), axis=0, return_inverse=True)
    order, which = np.argsort(which, kind="stable"), np.sort(which)
    edges = np.searchsorted(which, np.arange(len(patterns) + 1))
    for number, pattern in enumerate(patterns):
        yield order[edges[number] : edges[number + 1]], pattern


def curve_findings(table: Joined, tables: Tables, logs: Array, ends: Array) -> list[Finding]:
    """Days whose curve has impossible values, or stops before the last payment (`ends`, years)."""
    source, quantity = tables.curve.source, tables.curve.quantity.replace("_", " ")
    # Days without any curve have their reason already.
    given = ~np.isnan(table.curves) & ~np.all(np.isnan(logs), axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        zeros = np.where(table.nodes > 0, -logs / table.nodes, -logs)
    # At t = 0 the log itself must vanish: today's price of money today is one.
    limit = np.where(table.nodes > 0, LARGEST_RATE, 1e-9)
    findings = [
        dropped(
            source,
            f"{quantity} is {table.curves[i, j]:g}, a zero rate of {100 * zeros[i, j]:.3g} "
            "percent; correct it, or leave the day out with checks.exclude",
            table.dates[i],
            table.nodes[j],
            "impossible curve",
        )
        for i, j in np.argwhere(given & ~(np.abs(zeros) <= limit))
    ]
    last = np.where(given, table.nodes, 0.0).max(axis=1)
    return findings + [
        dropped(
            source,
            f"the curve ends at {last[i]:g} years, the longest cap at {ends[i]:g}; extend the "
            "curve, or list shorter checks.maturities",
            table.dates[i],
            None,
            "short curve",
        )
        for i in np.flatnonzero((last > 0) & (last + CARRIED_ON < ends))
    ]
