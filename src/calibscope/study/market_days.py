"""Quotes and curves in the store, so that a day can be calibrated again without its files.

A day is kept as JSON, whose numbers keep every bit, compressed to about 2 kB, under the hash of its
data. Read back, it must have that hash again.
"""

import datetime
import json
import zlib
from collections.abc import Iterable
from itertools import islice
from typing import Any

from sqlalchemy import Connection, Engine, func, select

from calibscope.market.curve import DiscountCurve
from calibscope.market.day import MarketDay
from calibscope.market.errors import MarketDataError
from calibscope.market.instruments.kept import KeptInstrument
from calibscope.market.schedule import Schedule
from calibscope.study import schema
from calibscope.study.columns import Columns
from calibscope.study.database import insert_columns
from calibscope.study.errors import StoreError
from calibscope.study.sealed import seal_rows

BATCH = 256  # days that are committed together
QUICK = 1  # of zlib's levels
LARGEST = 1 << 24  # bytes of a day's JSON; ours have some 10,000


def keep_market_days(database: Engine, days: Iterable[MarketDay]) -> None:
    """Store the days that are not there yet."""
    table = schema.market_days
    with database.begin() as connection:
        known = set(connection.execute(select(table.c.data_hash)).scalars())
    new = {day.fingerprint: day for day in days}
    rest = iter([(key, day) for key, day in new.items() if key not in known])
    while batch := list(islice(rest, BATCH)):
        columns: Columns = {
            "data_hash": [key for key, _ in batch],
            "content": [packed(day) for _, day in batch],
        }
        with database.begin() as connection:
            insert_columns(connection, table, columns)
            seal_rows(connection, table, columns["data_hash"])


def market_day(connection: Connection, date: datetime.date, model: str) -> MarketDay:
    """The quotes and the curve with which a date was computed last, for a model.

    Raises
    ------
    StoreError
        if there is no such day, or the store does not have its quotes and curve
    """
    days, kept = schema.days, schema.market_days
    wanted = (
        select(days.c.data_hash, days.c.reason, days.c.quote_count, kept.c.content)
        .join(kept, kept.c.data_hash == days.c.data_hash, isouter=True)
        .where(schema.is_current, days.c.model == model, days.c.date == date)
    )
    row = connection.execute(wanted).one_or_none()
    if row is None:
        near = [
            connection.execute(
                select(edge).where(schema.is_current, days.c.model == model, side)
            ).scalar()
            for edge, side in (
                (func.max(days.c.date), days.c.date < date),
                (func.min(days.c.date), days.c.date > date),
            )
        ]
        words = " and ".join(str(day) for day in near if day is not None)
        raise StoreError(f"there is no day {date} in this study; near it: {words or 'none'}")
    if row.content is None and row.quote_count is None:
        raise StoreError(f"{date} has no quotes that can be used: {row.reason}")
    if row.content is None:
        raise StoreError(
            f"{date} was stored without its quotes and curve, by an older calibscope; run the same "
            "command again, which adds them without computing anything"
        )
    try:
        day = unpacked(row.content)
    except (zlib.error, ValueError, TypeError, KeyError, MarketDataError):
        day = None
    if day is None or day.fingerprint != row.data_hash or day.date != date:
        raise StoreError(
            f"{date}: the stored quotes are damaged; repeat the calibscope run, which "
            "stores them again"
        )
    return day


def packed(day: MarketDay) -> bytes:
    """A day as compressed JSON."""
    curve, schedule = day.curve, day.schedule
    content = {
        "date": None if day.date is None else day.date.isoformat(),
        "kind": day.kind,
        "notional": float(day.notional),
        "has_first_caplet": day.has_first_caplet,
        "interpolation": curve.interpolation,
        "curve_times": curve.times.tolist(),
        "log_discounts": curve.log_discounts.tolist(),
        "times": schedule.times.tolist(),
        "accruals": schedule.accruals.tolist(),
        "maturities": day.maturities.tolist(),
        "period_counts": day.period_counts.tolist(),
        "strikes": day.strikes.tolist(),
        "prices": day.prices.tolist(),
        "bid_ask": None if day.bid_ask is None else day.bid_ask.tolist(),
    }
    if day.is_struck is not None:
        content["is_struck"] = day.is_struck.tolist()
    if day.is_interpolated is not None:
        content["is_interpolated"] = day.is_interpolated.tolist()
    if day.others:
        content["others"] = [KeptInstrument.of(one, day).content for one in day.others]
    return zlib.compress(json.dumps(content, separators=(",", ":")).encode(), QUICK)


def unpacked(content: bytes) -> MarketDay:
    """The day that was packed, to the last bit."""
    unzipped = zlib.decompressobj()
    text = unzipped.decompress(content, LARGEST)
    if not unzipped.eof:
        raise ValueError("the stored quotes end too early, or do not end")
    found: dict[str, Any] = json.loads(text)
    others = tuple(map(KeptInstrument.of_content, found.pop("others", ())))
    date = found.pop("date")
    curve = (found.pop(name) for name in ("curve_times", "log_discounts", "interpolation"))
    schedule = (found.pop(name) for name in ("times", "accruals"))
    return MarketDay(
        curve=DiscountCurve(*curve),
        schedule=Schedule(*schedule),
        date=None if date is None else datetime.date.fromisoformat(date),
        others=others,
        **found,
    )
