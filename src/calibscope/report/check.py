"""What `calibscope check` shows: what there is, what was left out and why, what to look at."""

from collections.abc import Iterable

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from calibscope.market.findings import Finding
from calibscope.market.market import Market
from calibscope.market.maturity import label
from calibscope.market.settings import Conventions, MarketSettings
from calibscope.market.strikes import StrikeGaps
from calibscope.report.tables import heading, plain_table

EXAMPLES = 3


def checked_market(market: Market, settings: MarketSettings, everything: bool) -> RenderableType:
    """The summary of a market, its findings by check, and the verdict on its strikes."""
    parts: list[RenderableType] = [market_summary(market, settings.conventions)]
    if market.strike_gaps is not None:
        parts += _strikes(market.strike_gaps)
    parts += _findings("Dropped days", market.dropped, everything)
    parts += _findings("Warnings", market.warnings, everything)
    if not market.dropped and not market.warnings:
        parts.append(Text("\nNothing found.", style="bold green"))
    return Group(*parts)


def market_summary(market: Market, conventions: Conventions) -> RenderableType:
    """How many days, from when to when, of what, under which conventions."""
    return Group(_headline(market), _summary(market, conventions))


def _headline(market: Market) -> Text:
    left_out = len({finding.date for finding in market.dropped})
    days = len(market) + left_out
    text = f"{market.name}: {len(market):,} of {days:,} days can be used"
    if market.is_synthetic:
        text = f"SYNTHETIC {text}"
    return Text(text, style="bold")


def _summary(market: Market, conventions: Conventions) -> Table:
    day = market.days[0]
    prices = np.array([day.prices / day.notional for day in market])
    vols = 1e4 * market.normal_vols
    given = "strikes given" if market.strike_gaps else "strikes at the money on the curve"
    first = "included" if day.has_first_caplet else "excluded"
    nodes = day.curve.times[1:]
    table = plain_table(has_header=False)
    table.add_column()
    table.add_column()
    table.add_row("dates", f"{market.dates[0]} to {market.dates[-1]}")
    years = ", ".join(label(year) for year in day.maturities)
    table.add_row(
        f"{day.kind}s", f"{years}; {conventions.tenor} tenor, {conventions.schedule} dates"
    )
    table.add_row("", f"{given}; first caplet {first}")
    table.add_row("prices", f"{1e4 * prices.min():.4g} to {1e4 * prices.max():.4g} bp of notional")
    table.add_row(
        "vols",
        f"implied normal: {vols.min():.1f} to {vols.max():.1f} bp, median {np.median(vols):.1f}",
    )
    table.add_row(
        "curve",
        f"{len(nodes)} nodes, {label(nodes[0])} to {label(nodes[-1])}, {day.curve.interpolation}",
    )
    table.add_row("", "single-curve setting: one curve discounts and gives the forward rates")
    return table


def _strikes(gaps: StrikeGaps) -> list[RenderableType]:
    table = plain_table()
    table.add_column("given minus\nrecomputed", justify="right")
    table.add_column("forward swap rate\n(first caplet excluded)", justify="right")
    table.add_column("today's swap rate\n(first caplet included)", justify="right")
    for year, forward, spot in zip(gaps.maturities, gaps.forward, gaps.spot, strict=True):
        table.add_row(label(year), f"{forward:+.2f} bp", f"{spot:+.2f} bp")
    sentence = gaps.verdict.value
    return [
        heading("Strikes against the curve, median over the days"),
        table,
        Text(sentence[0].upper() + sentence[1:] + "."),
    ]


def _findings(title: str, findings: Iterable[Finding], everything: bool) -> list[RenderableType]:
    by_check: dict[str, list[Finding]] = {}
    for finding in findings:
        by_check.setdefault(finding.check, []).append(finding)
    if not by_check:
        return []
    lines: list[RenderableType] = [heading(title)]
    for check, found in sorted(by_check.items(), key=lambda item: -len(item[1])):
        days = len({finding.date for finding in found if finding.date})
        count = f"{days:,} day{'s' if days != 1 else ''}" if days else ""
        lines.append(Text(f"{check}  {count}", style="bold"))
        shown = found if everything else found[:EXAMPLES]
        lines += [Text(f"  {finding}") for finding in shown]
        if len(found) > len(shown):
            lines.append(Text(f"  and {len(found) - len(shown):,} more; --all lists them"))
    return lines
