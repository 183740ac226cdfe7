"""Tables of different files side by side: same dates, same maturities, decimals, gaps NaN.

Tables are joined on date, never by position. Which gaps matter is decided here too: the paper's
filter keeps the days with every quote, every strike and the whole curve.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibscope.base.arrays import Array, BoolArray, Indices
from calibscope.market.assembly.units import declared_unit, in_decimals, unit_problems
from calibscope.market.errors import MarketDataError
from calibscope.market.findings import Finding, dropped
from calibscope.market.maturity import SAME_MATURITY, label
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


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """All tables on common dates, in decimals and per unit notional; gaps are NaN."""

    dates: Dates  # (n,)
    maturities: Array  # (m,) years, of the caps
    quotes: Array  # (n, m)
    strikes: Array | None  # (n, m)
    bids: Array | None
    asks: Array | None
    nodes: Array  # (k,) years
    curves: Array  # (n, k)

    def only(self, kept: BoolArray) -> "Joined":
        """The same with some of the days."""
        return replace(
            self,
            dates=self.dates[kept],
            quotes=self.quotes[kept],
            strikes=None if self.strikes is None else self.strikes[kept],
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
        elif not np.isfinite(panel.values).any():
            problems.append(f"{panel.source}: there is no value of {panel.quantity}; all are gaps")
        found[panel.quantity] = panel
    quotes = _wanted(found, QUOTES, settings.caps.quantity)
    curves = _wanted(found, CURVES, settings.curve.quantity)
    problems += _not_one(quotes, QUOTES, "cap quotes", "caps.quantity")
    problems += _not_one(curves, CURVES, "curves", "curve.quantity")
    if ("bid" in found) != ("ask" in found):
        problems.append("bid and ask come together; one of them is missing")
    if problems:
        raise MarketDataError(name, problems)
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
    if settings.checks.maturities is None:
        with_values = np.isfinite(tables.quote.values).any(axis=0)
        maturities = tables.quote.maturities[with_values]
    else:
        maturities = np.unique(np.array(settings.checks.maturities, float))
    conventions = settings.conventions

    def aligned(panel: Panel | None, years: Array) -> Array | None:
        if panel is None:
            return None
        unit = declared_unit(panel, tables.quote.quantity, settings)
        return _aligned(panel, in_decimals(panel, unit, conventions), dates, years)

    nodes = tables.curve.maturities[np.isfinite(tables.curve.values).any(axis=0)]
    quotes, curves = aligned(tables.quote, maturities), aligned(tables.curve, nodes)
    assert quotes is not None
    assert curves is not None
    return Joined(
        dates=dates,
        maturities=maturities,
        quotes=quotes,
        strikes=aligned(tables.strike, maturities),
        bids=aligned(tables.bid, maturities),
        asks=aligned(tables.ask, maturities),
        nodes=nodes,
        curves=curves,
    )


def _aligned(panel: Panel, values: Array, dates: Dates, maturities: Array) -> Array:
    table = np.full((len(dates), len(maturities)), np.nan)
    if not len(panel.dates) or not len(panel.maturities):
        return table
    day = np.searchsorted(dates, panel.dates)
    day_found = (day < len(dates)) & (dates[np.minimum(day, len(dates) - 1)] == panel.dates)
    nearest = _nearest(maturities, panel.maturities)
    found = np.abs(panel.maturities[nearest] - maturities) <= SAME_MATURITY
    table[np.ix_(day[day_found], np.flatnonzero(found))] = values[day_found][:, nearest[found]]
    return table


def _nearest(wanted: Array, given: Array) -> Indices:
    """For each of the wanted the place of the nearest one given, which increase."""
    after = np.clip(np.searchsorted(given, wanted), 1, max(1, len(given) - 1))
    before = after - 1
    after = np.minimum(after, len(given) - 1)
    is_before = np.abs(given[before] - wanted) <= np.abs(given[after] - wanted)
    return np.where(is_before, before, after)


def gap_findings(table: Joined, tables: Tables) -> list[Finding]:
    """Why days are incomplete: the paper's filter, one finding per day and reason.

    A curve needs every node that the file has, up to the first one that covers the longest cap.
    """
    findings = _gaps(tables.quote, table.dates, table.maturities, table.quotes)
    if tables.strike is not None and table.strikes is not None:
        findings += _gaps(tables.strike, table.dates, table.maturities, table.strikes)
    longest = float(table.maturities[-1])
    needed = int(np.searchsorted(table.nodes, longest - SAME_MATURITY)) + 1
    findings += _gaps(tables.curve, table.dates, table.nodes[:needed], table.curves[:, :needed])
    return findings


def _gaps(panel: Panel, dates: Dates, maturities: Array, values: Array) -> list[Finding]:
    missing = np.isnan(values)
    findings = []
    for i in np.flatnonzero(missing.any(axis=1)):
        if missing[i].all():
            message = f"there is no {panel.quantity}"
        else:
            places = ", ".join(label(year) for year in maturities[missing[i]][:4])
            more = f" and {missing[i].sum() - 4} more" if missing[i].sum() > 4 else ""
            message = f"{panel.quantity} is missing at {places}{more}"
        lacking = () if panel.quantity in CURVES else maturities[missing[i]]
        findings.append(dropped(panel.source, message, dates[i], None, "incomplete", lacking))
    return findings
