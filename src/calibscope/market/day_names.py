"""How a day and its quotes are called, and the hash of a day."""

import datetime
import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from calibscope.market.instruments.cap import cap_label
from calibscope.market.instruments.kept import kind_of
from calibscope.market.quotes import Kind

if TYPE_CHECKING:
    from calibscope.market.day import MarketDay


def day_label(date: datetime.date | None) -> str:
    """How messages name the day of a date."""
    return "market day" if date is None else f"market day {date}"


def labels_of(day: "MarketDay") -> tuple[str, ...]:
    """See `MarketDay.labels`."""
    struck: tuple[float | None, ...] = ()
    if day.is_struck is not None:
        struck = tuple(
            strike if named else None
            for strike, named in zip(day.strikes.tolist(), day.is_struck, strict=False)
        )
    caps = _cap_labels(tuple(day.cap_maturities.tolist()), day.kinds, struck)
    return caps + tuple(instrument.label for instrument in day.others)


@lru_cache(maxsize=4096)
def _cap_labels(
    maturities: tuple[float, ...], kinds: tuple[Kind, ...], struck: tuple[float | None, ...]
) -> tuple[str, ...]:
    strikes = struck or (None,) * len(maturities)
    return tuple(map(cap_label, maturities, kinds, strikes))


def fingerprint_of(day: "MarketDay") -> str:
    """See `MarketDay.fingerprint`."""
    digest = hashlib.sha256(
        f"{day.date} {day.kind} {day.has_first_caplet} {float(day.notional)!r} "
        f"{day.curve.interpolation} {day.period_counts.tolist()}".encode()
    )
    arrays = [
        day.curve.times, day.curve.log_discounts, day.schedule.times,
        day.schedule.accruals, day.maturities, day.strikes, day.prices,
        np.empty(0) if day.bid_ask is None else day.bid_ask,
    ]  # fmt: skip
    # What came later enters only where it is there: hashes of days of caps stay as they were.
    if day.is_struck is not None:
        arrays.append(day.is_struck.astype(float))
    if day.is_interpolated is not None:
        digest.update(b"interpolated")  # else marks would look like named strikes
        arrays.append(day.is_interpolated.astype(float))
    for instrument in day.others:
        # As a pair in quotes, so that no two lists of names give the same bytes.
        digest.update(repr((kind_of(instrument), instrument.label)).encode())
        options = instrument.options(day)
        counts = options.flow_counts.astype(float)
        arrays += [options.expiries, counts, options.times, options.amounts]
    for array in arrays:
        digest.update(array.size.to_bytes(8, "little") + array.tobytes())
    return digest.hexdigest()
