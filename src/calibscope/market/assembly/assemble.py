"""From tables to a market: complete, in decimals, verified.

A day that cannot be used is dropped with its reasons, and the others go on. Errors are for what
spoils every day: a wrong unit, no common dates, nothing left.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from calibscope.base.arrays import Array, BoolArray
from calibscope.base.numbers import counted
from calibscope.market.assembly.axis import Axis
from calibscope.market.assembly.curves import (
    Progress,
    curve_findings,
    log_discounts_at_nodes,
    poor_fit_warnings,
    with_same_nodes,
)
from calibscope.market.assembly.gaps import gap_findings
from calibscope.market.assembly.joined import Joined, Tables, chosen_tables, joined
from calibscope.market.assembly.plausibility import warnings_of
from calibscope.market.assembly.prices import (
    Priced,
    impossible_prices,
    named_axis,
    priced_quotes,
    unusual_prices,
)
from calibscope.market.assembly.units import (
    curve_unit_findings,
    declared_unit,
    strike_unit_findings,
    vol_unit_findings,
)
from calibscope.market.checks import maturity_problems
from calibscope.market.curve import CARRIED_ON, DiscountCurve, log_discount_panel
from calibscope.market.day import MarketDay
from calibscope.market.errors import MarketDataError, raise_problems
from calibscope.market.findings import Finding, PartlyQuoted, dropped
from calibscope.market.instruments.cap_grid import Calendar, CapGrid, usual_strike
from calibscope.market.market import Market
from calibscope.market.panel import Panel
from calibscope.market.settings import TENORS, Conventions, MarketSettings
from calibscope.market.strikes import StrikeGaps, Verdict

MOST_CAPLETS = 20_000_000  # of all days; 30 years of daily quotes up to 30Y have 4 million


def assemble(
    panels: Iterable[Panel],
    settings: MarketSettings | None = None,
    *,
    name: str = "market",
    is_synthetic: bool = False,
    progress: Progress = lambda done, total: None,
) -> Market:
    """Join tables of caps and curves into a checked market.

    Raises `MarketDataError` with every reason if no day can be used. Only the bootstrap of par
    rates takes long enough to report its progress.
    """
    settings = settings or MarketSettings()
    conventions = settings.conventions
    panels = list(panels)
    tables = chosen_tables(panels, settings, name)
    table = joined(tables, settings)
    first = 0 if conventions.first_caplet else 1
    tenor, strike = TENORS[conventions.tenor], conventions.atm or usual_strike(first == 0)
    problems = maturity_problems(table.maturities, tenor, first)
    of_one_period = table.is_atm & (table.maturities < 1.5 * tenor)
    if strike == "forward" and of_one_period.any():
        problems.append("a cap of one period has no forward strike; set conventions.atm = 'spot'")
    caplets = len(table.dates) * float(np.sum(table.maturities)) / tenor
    if caplets > MOST_CAPLETS:
        problems.append(
            f"{counted(len(table.dates), 'day')} with "
            f"{counted(len(table.maturities), 'maturity', 'maturities')} make "
            f"{caplets:.3g} caplets, and up to {MOST_CAPLETS:,} fit into memory; give fewer days "
            "at a time, or list the maturities that count as checks.maturities"
        )
    raise_problems(tables.quote.source, problems)

    whole = table
    present, gaps_found, incomplete = gap_findings(table, tables, settings.checks)
    drops = _excluded(table, settings) + _impossible_quotes(table, tables)
    table = table.where(present).only(_kept(table, drops + gaps_found, tables))
    unit = declared_unit(tables.curve, tables.quote.quantity, settings)
    _raise_errors(curve_unit_findings(tables.curve, unit, table.nodes, table.curves))
    nodes, found = log_discounts_at_nodes(table, tables, conventions, progress)
    calendar: Calendar | None = "TARGET" if conventions.schedule == "TARGET" else None
    grid = CapGrid.of(table.maturities, tenor, first, calendar, table.dates)
    found += curve_findings(table, tables, nodes, grid.ends(~np.isnan(table.quotes)))
    kept = _kept(table, found, tables)
    table, nodes, grid, drops = table.only(kept), nodes[kept], grid.only(kept), drops + found
    discounts = _discounts(table.nodes, nodes, grid, conventions)
    forward, spot = (grid.at_the_money(discounts, "forward"), grid.at_the_money(discounts, "spot"))
    errors = []
    if table.strikes is not None and tables.strike is not None:
        unit = declared_unit(tables.strike, tables.quote.quantity, settings)
        errors += strike_unit_findings(tables.strike, unit, table, spot)
    priced = priced_quotes(table, tables, discounts, grid, conventions)
    unit = declared_unit(tables.quote, tables.quote.quantity, settings)
    errors += vol_unit_findings(tables.quote, unit, table.quotes, priced.quotes.sizes, conventions)
    _raise_errors(errors)

    found = impossible_prices(table, tables, priced, grid, settings.checks.near_zero_price)
    kept = _kept(table, found, tables)
    table, nodes, grid, drops = table.only(kept), nodes[kept], grid.only(kept), drops + found
    priced, forward, spot = priced.only(kept), forward[kept], spot[kept]
    axis = named_axis(table, priced, forward, spot, grid.counts, strike)
    if axis.labels != table.axis.labels:
        drops = _relabelled(drops, table.axis, axis)
        whole = replace(whole, axis=axis)
        _, gaps_found, incomplete = gap_findings(whole, tables, settings.checks)
    table, drops = replace(table, axis=axis), drops + gaps_found
    gaps = _strike_gaps(table, forward, spot, settings)
    return Market(
        days=_days(table, nodes, grid, priced, conventions),
        dropped=tuple(sorted(drops, key=lambda finding: str(finding.date))),
        warnings=(
            *(finding for finding in incomplete if finding.date in set(table.dates.tolist())),
            *warnings_of(
                table,
                tables,
                priced.quotes.prices,
                priced.quotes.normal_vols,
                nodes,
                gaps,
                settings,
            ),
            *unusual_prices(table, tables, priced),
            *poor_fit_warnings(table, tables, nodes, conventions.interpolation),
        ),
        name=name,
        is_synthetic=is_synthetic,
        strike_gaps=gaps,
        quoted_in=_given_as(tables.quote, tables, settings),
        curves_in=_given_as(tables.curve, tables, settings),
        overlap=_overlap(tables),
        unused_columns=_unused_columns(panels, tables),
        settings=settings,
    )


def _relabelled(findings: Iterable[Finding], old: Axis, new: Axis) -> list[Finding]:
    """Findings that name the quotes as the market does."""
    names = dict(zip(old.labels, new.labels, strict=True))
    return [replace(one, quote=names.get(one.quote, one.quote)) for one in findings]


def _strike_gaps(
    table: Joined, forward: Array, spot: Array, settings: MarketSettings
) -> StrikeGaps | None:
    """The strikes of quotes at the money against both conventions; None if none is given."""
    if table.strikes is None:
        return None
    some = ~np.isnan(table.strikes).all(axis=0) & ~table.axis.is_named
    if not some.any():
        return None
    expected = Verdict.SPOT if settings.conventions.first_caplet else Verdict.FORWARD
    return StrikeGaps.between(
        table.axis.only(some).labels, table.strikes[:, some], forward[:, some], spot[:, some],
        expected, settings.checks.strike_gap_bp,
    )  # fmt: skip


def _given_as(panel: Panel, tables: Tables, settings: MarketSettings) -> str:
    unit = declared_unit(panel, tables.quote.quantity, settings)
    words = f"{panel.quantity.replace('_', ' ')}s"
    if panel.quantity == "zero_rate":
        words = f"{settings.conventions.compounding} {words}"
    return words if panel.quantity == "discount_factor" else f"{words} in {unit}"


def _unused_columns(panels: Sequence[Panel], tables: Tables) -> tuple[str, ...]:
    """What nobody has read, and the quantities beside the chosen ones."""
    chosen = list(tables)
    unread = [(name, panel) for panel in chosen for name in panel.unused]
    unread += [(panel.quantity, panel) for panel in panels if panel not in chosen]
    return tuple(dict.fromkeys(f"{name} ({panel.source})" for name, panel in unread))


def _raise_errors(findings: list[Finding]) -> None:
    sources = list(dict.fromkeys(finding.source for finding in findings))
    if len(sources) == 1:
        raise MarketDataError(sources[0], [finding.message for finding in findings])
    raise_problems("market data", [str(finding) for finding in findings])


def _kept(table: Joined, drops: list[Finding], tables: Tables) -> BoolArray:
    """Which days are left; an error if none is."""
    bad = {finding.date for finding in drops}
    kept = np.array([date not in bad for date in table.dates.tolist()], bool)
    if not kept.any():
        raise MarketDataError(tables.quote.source, _no_day_left(drops, tables, table.maturities))
    return kept


def _no_day_left(drops: list[Finding], tables: Tables, maturities: Array) -> list[str]:
    if not np.isin(tables.quote.dates, tables.curve.dates).any():
        return [
            f"no date is common to the caps ({_span(tables.quote)}) and to the curve "
            f"{tables.curve.source} ({_span(tables.curve)}); give both for the same days"
        ]
    by_check: dict[str, list[Finding]] = {}
    for finding in drops:
        by_check.setdefault(finding.check, []).append(finding)
    quotes, curves = tables.quote, tables.curve
    both = len(np.intersect1d(quotes.dates, curves.dates))
    problems = [f"there are {_overlap(tables)}; give curves for the days of the quotes"] * (
        both < len(quotes.dates)
    )
    problems += [
        f"no day can be used: {len({finding.date for finding in found})} dropped as {check}; "
        f"first: {found[0]}"
        for check, found in by_check.items()
    ]
    partly = PartlyQuoted.among(drops, maturities)
    if partly.remedy:
        count = f"{partly.days} day{'s' if partly.days != 1 else ''}"
        problems.append(
            f"to use {count} with the maturities that all of them have: {partly.remedy}"
        )
    return problems


def _overlap(tables: Tables) -> str:
    """How quotes and curves overlap in time; empty if they are of the same days."""
    quotes, curves = tables.quote, tables.curve
    both = len(np.intersect1d(quotes.dates, curves.dates))
    if both == len(quotes.dates) == len(curves.dates):
        return ""
    return f"quotes on {_days_of(quotes)}, curves on {_days_of(curves)}, and both on {both:,}"


def _days_of(panel: Panel) -> str:
    count = len(panel.dates)
    return f"{count:,} day{'s' if count != 1 else ''} ({_span(panel)})"


def _span(panel: Panel) -> str:
    return f"{panel.dates[0]} to {panel.dates[-1]}" if len(panel.dates) else "no dates"


def _excluded(table: Joined, settings: MarketSettings) -> list[Finding]:
    return [
        dropped("settings", "left out by checks.exclude", date, None, "excluded")
        for date in table.dates
        if date.item() in settings.checks.exclude
    ]


def _impossible_quotes(table: Joined, tables: Tables) -> list[Finding]:
    cases = [(tables.quote, table.quotes, 0.0), (tables.strike, table.strikes, -np.inf)]
    cases += [(tables.bid, table.bids, 0.0), (tables.ask, table.asks, 0.0)]
    return [
        dropped(
            panel.source,
            f"{panel.quantity.replace('_', ' ')} is {values[i, k]:g}; it must be a positive number",
            table.dates[i],
            table.maturities[k],
            "not positive",
            quote=table.axis.labels[k],
        )
        for panel, values, lowest in cases
        if panel is not None and values is not None
        for i, k in np.argwhere((values <= lowest) | np.isinf(values))
    ]


def _discounts(times: Array, logs: Array, grid: CapGrid, conventions: Conventions) -> Array:
    """P(0, t) at the dates of the caps, (n, N + 1); NaN where a day's curve has ended."""
    result = np.full((len(logs), grid.times.shape[-1]), np.nan)
    for same, pattern in with_same_nodes(logs):
        nodes, values = times[pattern], logs[np.ix_(same, pattern)]
        reach = nodes[-1] + CARRIED_ON
        if grid.times.ndim == 1:
            inside = grid.times <= reach
            result[np.ix_(same, inside)] = log_discount_panel(
                conventions.interpolation, nodes, values, grid.times[inside]
            )
        else:
            for day, row in zip(same, values, strict=True):
                curve = DiscountCurve.from_log_discounts(nodes, row, conventions.interpolation)
                inside = grid.times[day] <= reach
                result[day, inside] = curve.log_discount(grid.times[day, inside])
    return np.asarray(np.exp(result))


def _days(
    table: Joined, nodes: Array, grid: CapGrid, priced: Priced, conventions: Conventions
) -> tuple[MarketDay, ...]:
    dates = table.dates.tolist()
    present = np.isfinite(nodes)
    quoted = ~np.isnan(table.quotes)
    # Days with the same last period share a schedule, and are packed together.
    shared = {
        int(count): grid.schedule(0).first(int(count)) if grid.times.ndim == 1 else None
        for count in grid.counts
    }
    pairs = None if priced.bid_ask is None else conventions.notional * priced.bid_ask
    kinds, is_named = np.array(table.axis.kinds), table.axis.is_named
    return tuple(
        MarketDay(
            curve=DiscountCurve.from_log_discounts(
                table.nodes[present[i]], nodes[i, present[i]], conventions.interpolation
            ),
            schedule=shared[int(grid.counts[quoted[i]].max())] or grid.schedule(i),
            maturities=table.maturities[quoted[i]],
            period_counts=grid.counts[quoted[i]],
            strikes=priced.quotes.strikes[i, quoted[i]],
            prices=conventions.notional * priced.quotes.prices[i, quoted[i]],
            notional=conventions.notional,
            kind=kinds[quoted[i]].tolist(),
            has_first_caplet=conventions.first_caplet,
            bid_ask=None if pairs is None else pairs[i, quoted[i]],
            date=dates[i],
            is_struck=is_named[quoted[i]],
            is_interpolated=table.is_interpolated[i, quoted[i]],
        )
        for i in range(len(dates))
    )
