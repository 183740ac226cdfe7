"""What `calibscope check` shows: what there is, what was left out and why, what to look at."""

from collections.abc import Iterable

import numpy as np
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from calibscope.market.assembly.plausibility import FEWEST_DAYS
from calibscope.market.findings import FEWEST_MATURITIES, Finding, PartlyQuoted
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
    partly = PartlyQuoted.among(market.dropped, market.days[0].maturities)
    if not market.dropped and not market.warnings:
        parts.append(Text("\nNothing found.", style="bold green"))
    elif partly.days > len(market):
        text = f'To use only maturities that all days have: --set "{partly.remedy}"'
        if not partly.remedy:
            text = (
                f"Fewer than {FEWEST_MATURITIES} maturities are quoted on all days: five "
                "parameters need more."
            )
        parts.append(Text(f"\n{text}", style="bold"))
    else:
        dates = (finding.date for finding in market.warnings if finding.date)
        date = next(dates, market.dates[0])
        parts.append(Text(f"\nTo leave a day out: --set checks.exclude={date}", style="bold"))
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
    prices = 1e4 * np.array([day.prices / day.notional for day in market])
    vols = 1e4 * market.normal_vols
    given = "strikes given" if market.strike_gaps else "strikes at the money on the curve"
    first = "included" if day.has_first_caplet else "excluded"
    nodes = day.curve.times[1:]
    table = plain_table(has_header=False)
    table.add_column()
    table.add_column()
    table.add_row("dates", f"{market.dates[0]} to {market.dates[-1]}")
    years = ", ".join(label(year) for year in day.maturities)
    dates = f"{conventions.tenor} tenor, {conventions.schedule} dates"
    table.add_row(f"{day.kind}s", f"{years}; {dates}")
    table.add_row("", f"{given}; first caplet {first}")
    table.add_row("quotes", f"given as {market.quoted_in}")
    table.add_row("", f"prices {prices.min():,.1f} to {prices.max():,.1f} bp of notional")
    middle = f"median {np.median(vols):.1f}"
    table.add_row("", f"implied normal vols {vols.min():.1f} to {vols.max():.1f} bp, {middle}")
    span = f"{len(nodes)} nodes, {label(nodes[0])} to {label(nodes[-1])}"
    table.add_row("curve", f"given as {market.curves_in}; {span}, {day.curve.interpolation}")
    table.add_row("", f"zero rates, median: {_typical_rates(market)}")
    table.add_row("", "single-curve setting: one curve discounts and gives the forward rates")
    if market.unused_columns:
        table.add_row("unread", f"columns {', '.join(market.unused_columns)}")
    if len(market) < FEWEST_DAYS:
        table.add_row("days", f"fewer than {FEWEST_DAYS}: jumps were not looked for")
    return table


def _typical_rates(market: Market) -> str:
    last = min(day.curve.last_time for day in market)
    times = np.array([t for t in (1.0, 10.0, 30.0) if t <= last] or [last])
    rates = np.median([day.curve.zero_rate(times) for day in market], axis=0)
    return ", ".join(f"{label(t)} {100 * rate:.2f} %" for t, rate in zip(times, rates, strict=True))


def _strikes(gaps: StrikeGaps) -> list[RenderableType]:
    table = plain_table()
    table.add_column("given minus\nrecomputed", justify="right")
    table.add_column("forward swap rate\n(first caplet excluded)", justify="right")
    table.add_column("today's swap rate\n(first caplet included)", justify="right")
    for year, forward, spot in zip(gaps.maturities, gaps.forward, gaps.spot, strict=True):
        table.add_row(label(year), _gap(forward), _gap(spot))
    sentence = gaps.verdict.value
    return [
        heading("Strikes against the curve, median over the days"),
        table,
        Text(sentence[0].upper() + sentence[1:] + "."),
    ]


def _gap(bp: float) -> str:
    return f"{round(bp, 2) + 0.0:+.2f} bp"  # adding zero turns -0.00 into +0.00


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
        texts = [str(finding) for finding in shown]
        if len(found) > len(shown):
            texts.append(f"and {len(found) - len(shown):,} more; --all lists them")
        lines += [Padding(Text(text), (0, 0, 0, 2)) for text in texts]
    return lines
