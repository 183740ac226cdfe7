"""What was read from a user's files: which quotes and curves, and how large they are."""

from collections.abc import Iterator, Sequence

import numpy as np

from calibscope.base.arrays import Array
from calibscope.base.numbers import BASIS_POINTS, PERCENT, Unit, counted
from calibscope.market.assembly.plausibility import FEWEST_DAYS
from calibscope.market.market import Market
from calibscope.market.maturity import label
from calibscope.market.settings import Conventions
from calibscope.report.document import Cell, Column, Quantity, Section, Table, section, table

LONGEST_LIST = 8  # strikes of a maturity, or quotes
RATE_TIMES = (1.0, 10.0, 30.0)  # years, of the zero rates that are shown


def market_section(market: Market, conventions: Conventions) -> Section:
    """Quotes, curves and conventions, and the sizes by which wrong units are noticed."""
    return section("read", "What was read", _facts(market, conventions), _sizes(market))


def _facts(market: Market, conventions: Conventions) -> Table:
    columns = (Column("item", is_whole=True), Column("in the files"))
    return table("Quotes and curves", columns, _rows(market, conventions))


def _rows(market: Market, conventions: Conventions) -> Iterator[tuple[str, str]]:
    *others, (kind, quotes) = _quoted(market).items()
    yield from others
    yield kind, f"{quotes}; {conventions.tenor} tenor, {conventions.schedule} dates"
    given = "given" if market.strike_gaps else "at the money on the curve"
    if any(day.is_struck is not None for day in market):
        given += " where none is named"
    first = "included" if market.days[0].has_first_caplet else "excluded"
    yield "strikes", f"{given}; first caplet {first}"
    if lacking := len({finding.date for finding in market.incomplete}):
        words = "day lacks some quotes and is", "days lack some quotes and are"
        yield "incomplete", f"{counted(lacking, *words)} kept with the others"
    if market.interpolated:
        yield "interpolated", _interpolated(market)
    if market.overlap:
        yield "overlap", market.overlap
    yield "quotes", f"given as {market.quoted_in}"
    yield (
        "curve",
        f"given as {market.curves_in}; {_nodes(market)}, {market.days[0].curve.interpolation}",
    )
    yield "setting", "single-curve: one curve discounts and gives the forward rates"
    if market.unused_columns:
        word = "column" if len(market.unused_columns) == 1 else "columns"
        yield "unread", f"{word} {', '.join(market.unused_columns)}"
    if len(market) < FEWEST_DAYS:
        yield "days", f"fewer than {FEWEST_DAYS}: jumps were not looked for"


def _quoted(market: Market) -> dict[str, str]:
    """Maturities of the caps and of the floors, with their strikes where these tell them apart."""
    found: dict[str, dict[str, dict[str, None]]] = {}
    for name in market.labels:
        quote, _, strike = name.partition(" @")
        year, _, kind = quote.partition(" ")
        strikes = found.setdefault(f"{kind or 'cap'}s", {}).setdefault(year, {})
        strikes[strike or "ATM"] = None
    return {
        kind: ", ".join(
            year if list(strikes) == ["ATM"] else f"{year} ({_listed(list(strikes))})"
            for year, strikes in years.items()
        )
        for kind, years in found.items()
    }


def _interpolated(market: Market) -> str:
    """Which quotes on how many days, and how to leave them out."""
    by_days: dict[int, list[str]] = {}
    for name, days in market.interpolated.items():
        by_days.setdefault(days, []).append(name)
    counts = (
        f"{_listed(names)} on {counted(days, 'day')}"
        for days, names in sorted(by_days.items(), reverse=True)
    )
    return f"{', '.join(counts)}; leave them out with --set checks.interpolated=drop"


def _listed(words: Sequence[str]) -> str:
    more = len(words) - LONGEST_LIST
    return ", ".join(words[:LONGEST_LIST]) + (f" and {more} more" if more > 0 else "")


def _nodes(market: Market) -> str:
    """How many nodes the curves have, which may differ from day to day, and how far they reach."""
    counts = sorted({len(day.curve.times) - 1 for day in market})
    first = min(float(day.curve.times[1]) for day in market)
    last = max(day.curve.last_time for day in market)
    count = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else f"{counts[0]}"
    nodes = "node" if counts[-1] == 1 else "nodes"
    return f"{count} {nodes}, {label(first)} to {label(last)}"


def _sizes(market: Market) -> Table:
    vols = market.normal_vols
    rows = [
        _size(
            "price per notional",
            np.concatenate([day.prices / day.notional for day in market]),
            BASIS_POINTS, ",.1f",
        ),
        _size("implied normal vol", vols[np.isfinite(vols)], BASIS_POINTS, ".1f"),
    ]  # fmt: skip
    last = min(day.curve.last_time for day in market)
    times = np.array([time for time in RATE_TIMES if time <= last] or [last])
    rates = np.transpose([day.curve.zero_rate(times) for day in market])
    rows += [
        _size(f"zero rate {label(time)}", found, PERCENT, ".2f")
        for time, found in zip(times.tolist(), rates, strict=True)
    ]
    columns = (
        Column("quantity"),
        *(Column(title, "s") for title in ("lowest", "median", "highest")),
    )
    return table("Sizes, over all days", columns, rows)


def _size(name: str, values: Array, unit: Unit, form: str) -> tuple[Cell, ...]:
    ends = (np.min(values), np.median(values), np.max(values))
    return name, *(Quantity(float(value), unit, form) for value in ends)
