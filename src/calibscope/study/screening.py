"""Screening in a study: what the past and the other quotes say about each quote, kept by date.

A verdict depends on a day and those before it (`market/screening`). So a run that brings new or
corrected quotes screens the whole history that is known then, the stored days and its own, and
writes the rows that differ: days that come late, or in any order, end with the verdicts that they
would have had all at once.
"""

import datetime
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, delete, select

from calibscope.base.numbers import BASIS_POINTS
from calibscope.market.day import MarketDay
from calibscope.market.market import Market
from calibscope.market.screening.screening import (
    ACCUSING,
    NOT_SCREENED,
    STALE,
    UNUSUAL,
    screen_quotes,
)
from calibscope.study import schema
from calibscope.study.columns import Columns
from calibscope.study.database import insert_columns
from calibscope.study.market_days import unpacked
from calibscope.study.rows import read_rows
from calibscope.study.sealed import batches, seal_rows

NUMBERS = ("score", "p_value", "q_value", "vol", "expected_vol")
LIKELY_WRONG_QUOTE, DOUBTED_QUOTES = "likely_wrong_quote", "doubted_quotes"  # rules
STALE_DAY, UNUSUAL_DAY = "stale_day", "unusual_day"
OF_DAYS = {  # by verdict
    STALE: (STALE_DAY, "all quotes repeat those of the day before"),
    UNUSUAL: (
        UNUSUAL_DAY,
        "the day's quotes moved unlike their past, as if several were off together",
    ),
}
RULES = {  # what screening can hold against a day, and whether that makes it red
    LIKELY_WRONG_QUOTE: ("a quote is likely wrong, given its history and the other quotes", True),
    DOUBTED_QUOTES: ("one of several quotes is likely wrong; it is not clear which", False),
    UNUSUAL_DAY: (
        "the day's quotes moved unlike their past, as if several were off together",
        False,
    ),
    STALE_DAY: ("all quotes repeat those of the day before", False),
}
NAMES = ("date", "label", *NUMBERS, "verdict")


@dataclass(frozen=True, slots=True)
class Suspicion:
    """What screening holds against the quotes of a date."""

    held: tuple[tuple[str, str], ...]  # rule and reason
    accused: tuple[str, ...]  # labels; empty where nobody can say which
    is_screened: bool = True  # whether there was enough history to judge

    @property
    def is_named(self) -> bool:
        """Whether a quote is accused by name."""
        return bool(self.accused)


def keep_screening(
    connection: Connection, market: Market, changed: Collection[datetime.date]
) -> None:
    """Screen all days that are known, and store the rows of dates on which anything differs.

    Parameters
    ----------
    market : the days of this run
    changed : dates whose quotes are not those that were stored
    """
    stored = read_rows(connection, schema.screening)
    before = _by_date(stored.columns)
    gone = sorted(before.keys() & {str(finding.date) for finding in market.dropped})
    is_new = any(date in changed or str(date) not in before for date in market.dates)
    if not (is_new or gone):
        return
    now = _by_date(_columns(replace(market, days=_known_days(connection, market))))
    other = sorted(date for date, rows in now.items() if before.get(date) != rows)
    _forget(connection, [*other, *gone])
    if other:
        rows = zip(*(row for date in other for row in now[date]), strict=True)
        columns: Columns = dict(zip(NAMES, map(list, rows), strict=True))
        insert_columns(connection, schema.screening, columns)
    for keys in batches(other):
        seal_rows(connection, schema.screening, keys)


def _forget(connection: Connection, dates: Sequence[str]) -> None:
    """Delete the rows of some dates, and their hashes."""
    of_screening, hashes = schema.screening.c, schema.row_hashes.c
    for keys in batches(dates):
        connection.execute(delete(schema.screening).where(of_screening.date.in_(keys)))
        mine = hashes.table_name == schema.screening.name
        connection.execute(delete(schema.row_hashes).where(mine, hashes.key.in_(keys)))


def _columns(market: Market) -> Columns:
    """The verdicts on a market, as columns of the table."""
    frame = screen_quotes(market).frame()
    return {
        "date": [str(date.date()) for date in frame["date"]],
        "label": frame["label"].tolist(),
        **{name: [None if x != x else x for x in frame[name].tolist()] for name in NUMBERS},
        "verdict": frame["verdict"].tolist(),
    }


def suspicions_in(market: Market) -> dict[str, Suspicion]:
    """What is held against the quotes of each date of a market that is not stored.

    Parameters
    ----------
    market : its days, oldest first
    """
    return suspicions(_columns(market))


def _by_date(columns: Mapping[str, Sequence[Any]]) -> dict[str, list[tuple[Any, ...]]]:
    """Rows of each date, by label."""
    found: dict[str, list[tuple[Any, ...]]] = {}
    for row in sorted(zip(*(columns[name] for name in NAMES), strict=True), key=lambda r: r[:2]):
        found.setdefault(row[0], []).append(row)
    return found


def _known_days(connection: Connection, market: Market) -> tuple[MarketDay, ...]:
    """The stored days, and those of the market instead where it has the date; oldest first."""
    mine = {day.date: day for day in market.days}
    other = {*mine, *(finding.date for finding in market.dropped)}
    days, kept = schema.days.c, schema.market_days.c
    wanted = select(days.date, kept.content).where(
        schema.is_current, days.data_hash == kept.data_hash
    )
    stored = {row.date: row.content for row in connection.execute(wanted)}
    found = {date: unpacked(content) for date, content in stored.items() if date not in other}
    return tuple(day for _, day in sorted({**found, **mine}.items()))


def suspicions(rows: Mapping[str, Sequence[Any]]) -> dict[str, Suspicion]:
    """What is held against the quotes of each date, by its text; dates without anything lack.

    Parameters
    ----------
    rows : columns of the table `screening`
    """
    found: dict[str, _Held] = {}
    names = ("date", "label", "vol", "expected_vol", "verdict")
    for date, label, vol, expected, verdict in zip(*(rows[name] for name in names), strict=True):
        day = found.setdefault(str(date)[:10], _Held())
        day.is_screened |= verdict != NOT_SCREENED
        if verdict in ACCUSING:
            day.accused.append(label)
            day.held[f"{label} is {verdict}{_beside(vol, expected)}"] = LIKELY_WRONG_QUOTE
        elif verdict.startswith("one of "):
            day.held[f"{verdict} is likely wrong"] = DOUBTED_QUOTES
        elif verdict in OF_DAYS:
            day.held[OF_DAYS[verdict][1]] = OF_DAYS[verdict][0]
    return {
        date: Suspicion(
            tuple((rule, text) for text, rule in day.held.items()),
            tuple(day.accused),
            day.is_screened,
        )
        for date, day in found.items()
        if day.held or not day.is_screened
    }


class _Held:
    """What was found so far."""

    def __init__(self) -> None:
        self.held: dict[str, str] = {}  # rules by reason
        self.accused: list[str] = []
        self.is_screened = False


def _beside(vol: float | None, expected: float | None) -> str:
    if expected is None or expected != expected or vol is None or vol != vol:
        return ""
    return (
        f": vol {BASIS_POINTS.number(vol, '.1f')} bp, {BASIS_POINTS.number(expected, '.1f')} "
        "expected"
    )
