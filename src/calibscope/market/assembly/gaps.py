"""Which gaps matter: days as they come, or the paper's filter.

The paper keeps the days with every quote, every strike and the whole curve
(`checks.incomplete = "drop"`). By default a day that lacks some of them is kept with what it has,
its own quotes and its own curve, from a number of quotes on, and a warning says what it lacks.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibscope.base.arrays import BoolArray
from calibscope.market.assembly.joined import Joined, Tables
from calibscope.market.curve import CARRIED_ON
from calibscope.market.findings import INCOMPLETE, Finding, Severity, dropped
from calibscope.market.maturity import SAME_MATURITY, label
from calibscope.market.panel import CURVES, Panel
from calibscope.market.settings import CheckSettings


def gap_findings(
    table: Joined, tables: Tables, checks: CheckSettings
) -> tuple[BoolArray, list[Finding], list[Finding]]:
    """Which quotes (n, m) can be used, why days are dropped, and what the days kept lack."""
    if checks.incomplete == "drop":
        present = np.ones(table.quotes.shape, dtype=bool)
        return present, _all_gaps(table, tables) + _slips(table, tables), []
    present = ~np.isnan(table.quotes)
    found = _quote_gaps(tables.quote, table, ~present)
    if tables.strike is not None:
        without_strike = present & table.lacks_strike
        found += _quote_gaps(tables.strike, table, without_strike)
        present &= ~without_strike
        found += _slips(table, tables)
        present &= ~table.strike_slips
    given = ~np.isnan(table.curves)
    reach = np.where(given, table.nodes, 0.0).max(axis=1)
    is_covered = table.maturities <= reach[:, None] + CARRIED_ON
    without_curve = {table.dates[i].item() for i in np.flatnonzero(~given.any(axis=1))}
    message = _message(tables.curve, (), is_all=True)
    found += [
        dropped(tables.curve.source, message, table.dates[i], None, INCOMPLETE)
        for i in np.flatnonzero(~given.any(axis=1))
    ]
    found += [
        dropped(
            tables.curve.source,
            f"the curve ends at {reach[i]:g} years, before "
            f"{_listed(table.axis.only(present[i] & ~is_covered[i]).labels)}; extend the curve",
            table.dates[i],
            None,
            INCOMPLETE,
        )
        for i in np.flatnonzero((present & ~is_covered).any(axis=1) & given.any(axis=1))
    ]
    present &= is_covered
    counts = present.sum(axis=1)
    fewest = min(checks.fewest_quotes, len(table.maturities))
    left = dict(zip(table.dates.tolist(), counts.tolist(), strict=True))
    lost = {day for day, count in left.items() if count < fewest} | without_curve
    drops = [
        replace(finding, message=finding.message + _too_few(left.get(finding.date, 0), fewest))
        for finding in found
        if finding.date in lost
        and (finding.source == tables.curve.source or finding.date not in without_curve)
    ]
    kept = [
        replace(finding, severity=Severity.WARNING, message=text, lacking=())
        for finding in found
        if finding.date is not None and finding.date not in lost
        for others in [_quotes(left[finding.date])]
        for text in [f"{finding.message}; the day is kept with its other {others}"]
    ]
    return present, drops, kept


def _all_gaps(table: Joined, tables: Tables) -> list[Finding]:
    """Why days are incomplete: the paper's filter, one finding per day and reason.

    A curve needs every node that the file has, up to the first one that covers the longest cap.
    """
    findings = _quote_gaps(tables.quote, table, np.isnan(table.quotes))
    if tables.strike is not None and table.strikes is not None:
        # Quotes that are at the money on all days need none, and so do those that are absent.
        is_given = ~np.isnan(table.strikes).all(axis=0)
        findings += _quote_gaps(tables.strike, table, table.lacks_strike & is_given)
    longest = float(table.maturities[-1])
    needed = int(np.searchsorted(table.nodes, longest - SAME_MATURITY)) + 1
    missing = np.isnan(table.curves[:, :needed])
    for i in np.flatnonzero(missing.any(axis=1)).tolist():
        names = [label(year) for year in table.nodes[:needed][missing[i]].tolist()]
        message = _message(tables.curve, names, is_all=bool(missing[i].all()))
        findings.append(dropped(tables.curve.source, message, table.dates[i], None, INCOMPLETE))
    return findings


def _quote_gaps(panel: Panel, table: Joined, missing: BoolArray) -> list[Finding]:
    """Days that lack some quotes (n, m); a strike that one day alone has is no other day's."""
    expected = ~table.axis.is_struck | (np.sum(~np.isnan(table.quotes), axis=0) > 1)
    labels = np.array(table.axis.labels, dtype=object)
    findings = []
    for i in np.flatnonzero((missing & expected).any(axis=1)).tolist():
        lacking = missing[i] & expected
        left_out = table.is_interpolated[i] & np.isnan(table.quotes[i])
        names = np.where(left_out, labels + " (interpolated)", labels)[lacking]
        message = _message(panel, names.tolist(), is_all=bool(missing[i].all()))
        years = np.unique(table.maturities[lacking])
        findings.append(dropped(panel.source, message, table.dates[i], None, INCOMPLETE, years))
    return findings


def _slips(table: Joined, tables: Tables) -> list[Finding]:
    """Single strikes that are too large for a rate."""
    if tables.strike is None or table.strikes is None:
        return []
    typical = float(np.nanmedian(np.abs(table.strikes))) if table.strike_slips.any() else 0.0
    return [
        dropped(
            tables.strike.source,
            f"strike is {table.strikes[i, k]:g}, typically {typical:.4g} in this file; correct it "
            "(2 percent is 0.02)",
            table.dates[i],
            table.maturities[k],
            "implausible",
            quote=table.axis.labels[k],
        )
        for i, k in np.argwhere(table.strike_slips)
    ]


def _message(panel: Panel, names: Sequence[str], is_all: bool) -> str:
    if is_all:
        return f"there is no {'curve' if panel.quantity in CURVES else panel.quantity} of this date"
    return f"{panel.quantity} is missing at {_listed(names)}"


def _too_few(count: int, fewest: int) -> str:
    """Why an incomplete day is not kept; nothing where it has no quote at all."""
    if not 0 < count < fewest:
        return ""
    return (
        f"; {_quotes(count)} can be used, and an incomplete day needs "
        f"{fewest} (checks.fewest_quotes)"
    )


def _quotes(count: int) -> str:
    return f"{count} quote{'s' if count != 1 else ''}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
