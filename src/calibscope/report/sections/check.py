"""What `calibscope check` shows: what there is, what was left out and why, what to look at."""

import datetime
from collections.abc import Iterable

from calibscope import __version__
from calibscope.base.numbers import BASIS_POINTS, counted
from calibscope.market.findings import FEWEST_QUOTES, INCOMPLETE, Finding, PartlyQuoted
from calibscope.market.market import Market
from calibscope.market.settings import Conventions
from calibscope.market.strikes import StrikeGaps
from calibscope.report.document import (
    SYNTHETIC,
    Callout,
    Column,
    Document,
    Listing,
    Paragraph,
    Section,
    section,
    table,
)
from calibscope.report.sections.market_read import market_section

EXAMPLES = 3
HINT = "--all lists them"
STRIKE_NOTE = "Forward swap rate: first caplet excluded; today's: first caplet included."


def check_document(market: Market, conventions: Conventions, everything: bool = False) -> Document:
    """What was read, the verdict on its strikes, and the findings by check.

    Parameters
    ----------
    market : as read from the files
    conventions : by which it was read
    everything : show every finding at once, not only examples
    """
    left_out = len({finding.date for finding in market.dropped})
    days = len(market) + left_out
    lost = counted(left_out, "day") if left_out else "no day"
    found = counted(len(market.warnings), "warning") if market.warnings else "no warnings"
    return Document(
        title=f"{market.name}: {len(market):,} of {counted(days, 'day')} can be used",
        subtitle=f"{market.dates[0]} to {market.dates[-1]}: {lost} dropped, {found}",
        sections=(
            market_section(market, conventions),
            *([] if market.strike_gaps is None else [_strikes(market.strike_gaps)]),
            *_findings(market, everything),
        ),
        label=SYNTHETIC if market.is_synthetic else "",
        footer=f"calibscope {__version__}, {datetime.date.today()}.",
    )


def _strikes(gaps: StrikeGaps) -> Section:
    sentence = gaps.verdict.value
    columns = (
        Column("quote", "s"),
        Column("forward swap rate", "+.2f", BASIS_POINTS, "first caplet excluded"),
        Column("today's swap rate", "+.2f", BASIS_POINTS, "first caplet included"),
    )
    rows = zip(
        gaps.labels,
        gaps.forward / BASIS_POINTS.factor,
        gaps.spot / BASIS_POINTS.factor,
        strict=True,
    )
    return section(
        "strikes",
        "Strikes against the curve",
        f"{sentence[0].upper()}{sentence[1:]}.",
        table("Given minus recomputed strikes, median over the days", columns, rows),
        Paragraph(STRIKE_NOTE, is_note=True),
    )


def _findings(market: Market, everything: bool) -> list[Section]:
    """Dropped days and warnings, each with what to do about them."""
    if not market.dropped and not market.warnings:
        return [section("findings", "Findings", Callout("Nothing found.", "good"))]
    partly = PartlyQuoted.among(market.dropped, market.maturities)
    mostly_partly = partly.days > len(market)
    found = []
    if market.dropped:
        listings = _listings(market.dropped, everything)
        advice = _maturities(partly) if mostly_partly else None
        found.append(section("dropped", "Dropped days", *listings, advice))
    if market.warnings:
        listings = _listings(market.warnings, everything)
        advice = None if mostly_partly else _exclusion(market.warnings)
        found.append(section("warnings", "Warnings", *listings, advice))
    return found


def _listings(findings: Iterable[Finding], everything: bool) -> list[Listing]:
    """By check, the most frequent first."""
    by_check: dict[str, list[Finding]] = {}
    for finding in findings:
        by_check.setdefault(finding.check, []).append(finding)
    return [
        Listing(
            _title(check, found), tuple(map(str, found)), None if everything else EXAMPLES, HINT
        )
        for check, found in sorted(by_check.items(), key=lambda item: -len(item[1]))
    ]


def _title(check: str, found: list[Finding]) -> str:
    days = len({finding.date for finding in found if finding.date})
    return f"{check}: {counted(days, 'day')}" if days else check


def _maturities(partly: PartlyQuoted) -> str:
    """How to keep days that lack some quotes."""
    if partly.remedy:
        return f'To use only maturities that all days have: `--set "{partly.remedy}"`'
    return (
        f"Fewer than {FEWEST_QUOTES} maturities are quoted on all days: five parameters need more."
    )


def _exclusion(warnings: Iterable[Finding]) -> str | None:
    """How to leave a doubtful day out; one that is merely incomplete is not."""
    dates = [found.date for found in warnings if found.date and found.check != INCOMPLETE]
    return f"To leave a day out: `--set checks.exclude={dates[0]}`" if dates else None
