"""Screening in a study: what the past and the other quotes say about each quote, kept by date.

Each run screens the market that it is given; where that begins after the days that the store has,
these are the past (`market/screening`). A verdict depends on a day and those before it alone, so
rows are written once, and again only where a day's quotes have changed.
"""

import datetime
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, delete, select

from calibscope.base.numbers import BASIS_POINTS
from calibscope.market.market import Market
from calibscope.market.screening.screening import ACCUSING, STALE, screen_quotes
from calibscope.study import schema
from calibscope.study.columns import Columns
from calibscope.study.database import insert_columns
from calibscope.study.market_days import unpacked
from calibscope.study.sealed import seal_rows

NUMBERS = ("score", "p_value", "q_value", "vol", "expected_vol")


@dataclass(frozen=True, slots=True)
class Suspicion:
    """What screening holds against the quotes of a date."""

    reasons: tuple[str, ...]
    accused: tuple[str, ...]  # labels; empty where nobody can say which

    @property
    def is_named(self) -> bool:
        """Whether a quote is accused by name."""
        return bool(self.accused)


def keep_screening(
    connection: Connection, market: Market, changed: Collection[datetime.date]
) -> None:
    """Screen the market and store the rows of dates that are new or have changed.

    Parameters
    ----------
    market : the days of this run
    changed : dates whose quotes are not those that were stored
    """
    known = set(connection.execute(select(schema.screening.c.date).distinct()).scalars())
    dates = {date for date in market.dates if date in changed or str(date) not in known}
    if not dates:
        return
    past = _past(connection, market)
    every = replace(market, days=(*past, *market.days)) if past else market
    frame = screen_quotes(every).frame()
    frame = frame[frame["date"].dt.date.isin(dates)]
    columns: Columns = {
        "date": [str(date.date()) for date in frame["date"]],
        "label": frame["label"].tolist(),
        **{name: [None if x != x else x for x in frame[name].tolist()] for name in NUMBERS},
        "verdict": frame["verdict"].tolist(),
    }
    keys = sorted({str(date) for date in dates})
    connection.execute(delete(schema.screening).where(schema.screening.c.date.in_(keys)))
    insert_columns(connection, schema.screening, columns)
    seal_rows(connection, schema.screening, sorted(set(columns["date"])))


def _past(connection: Connection, market: Market) -> list[Any]:
    """Stored days before the market begins, oldest first."""
    first = market.dates[0]
    days, kept = schema.days.c, schema.market_days.c
    wanted = (
        select(days.date, kept.content)
        .where(schema.is_current, days.data_hash == kept.data_hash, days.date < first)
        .order_by(days.date)
    )
    found = {row.date: row.content for row in connection.execute(wanted)}
    return [unpacked(content) for content in found.values()]


def suspicions(rows: Mapping[str, Sequence[Any]]) -> dict[str, Suspicion]:
    """What is held against the quotes of each date, by its text; dates without anything lack.

    Parameters
    ----------
    rows : columns of the table `screening`
    """
    found: dict[str, tuple[dict[str, None], list[str]]] = {}
    names = ("date", "label", "vol", "expected_vol", "verdict")
    for date, label, vol, expected, verdict in zip(*(rows[name] for name in names), strict=True):
        reasons, accused = found.setdefault(str(date)[:10], ({}, []))
        if verdict in ACCUSING:
            accused.append(label)
            reasons[f"{label} is {verdict}{_beside(vol, expected)}"] = None
        elif verdict.startswith("one of "):
            reasons[f"{verdict} is likely wrong"] = None
        elif verdict == STALE:
            reasons["all quotes repeat those of the day before"] = None
    return {
        date: Suspicion(tuple(reasons), tuple(accused))
        for date, (reasons, accused) in found.items()
        if reasons
    }


def _beside(vol: float | None, expected: float | None) -> str:
    if expected is None or expected != expected or vol is None or vol != vol:
        return ""
    return (
        f": vol {BASIS_POINTS.number(vol, '.1f')} bp, {BASIS_POINTS.number(expected, '.1f')} "
        "expected"
    )
