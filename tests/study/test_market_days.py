"""A day comes back from the store as it went in, or the store says why not."""

import sqlite3
import zlib
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

import calibscope as cs
from calibscope.study.market_days import packed, unpacked


def test_a_day_comes_back_to_the_last_bit(market, study):
    for day in market.days[::10]:
        again = study.day(day.date)
        assert again.fingerprint == day.fingerprint
        assert (again.discounts == day.discounts).all()
    assert cs.calibrate(study.day(day.date)).parameters == cs.calibrate(day).parameters


def test_every_kind_of_day_can_be_packed():
    curve = cs.DiscountCurve.from_zero_rates([1, 30], [-0.004, 0.01])
    day = cs.MarketDay.from_arrays(
        curve=curve, maturities=[3, 7, 12], vols=[0.004, 0.005, 0.006], tenor=0.25, kind="floor",
        notional=1e6, first_caplet=True, date="2020-03-18",
    )  # fmt: skip
    day = replace(day, bid_ask=np.column_stack((day.prices - 1.0, day.prices + 1.0)))
    undated = replace(day, date=None)
    for one in (day, undated):
        assert unpacked(packed(one)).fingerprint == one.fingerprint


def test_a_missing_day_is_named(market, study):
    with pytest.raises(cs.StoreError, match="there is no day 1999-01-01"):
        study.day("1999-01-01")
    with pytest.raises(cs.StoreError, match="like 2022-07-21"):
        study.day("someday")
    lost = next(finding.date for finding in market.dropped)
    with pytest.raises(cs.StoreError, match="no quotes that can be used: "):
        study.day(lost)


def test_days_stored_by_an_older_version_are_added_by_the_next_run(market, tmp_path):
    few = replace(market, days=market.days[:3], dropped=())
    path, date = tmp_path / "s.db", market.dates[0]
    cs.run_study(few, path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM market_days")
    connection.close()
    with pytest.raises(cs.StoreError, match="run the same command again"):
        cs.open_study(path).day(date)
    study = cs.run_study(few, path)
    assert study.day(date).fingerprint == market.days[0].fingerprint
    assert study.runs["days_computed"].to_list()[-1] == 0


def test_a_day_that_was_tampered_with_is_refused(market, tmp_path):
    few = replace(market, days=market.days[:2], dropped=())
    path = tmp_path / "s.db"
    cs.run_study(few, path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "UPDATE market_days SET content = ? WHERE data_hash = ?",
            (packed(few.days[1]), few.days[0].fingerprint),
        )
    connection.close()
    with pytest.raises(
        cs.StoreError, match="the stored quotes are damaged; repeat the calibscope run"
    ):
        cs.open_study(path).day(few.dates[0])
    study = cs.run_study(few, path)
    assert study.runs["repaired"].iloc[-1] == "the quotes of 1 day"
    assert study.day(few.dates[0]).fingerprint == few.days[0].fingerprint
    assert study.runs["days_computed"].iloc[-1] == 0


@pytest.mark.parametrize(
    "content",
    [b"", b"no zlib", zlib.compress(b"[]"), zlib.compress(b"{}"), zlib.compress(b" " * 2**25)],
)
def test_damaged_quotes_are_a_message(market, tmp_path, content):
    few = replace(market, days=market.days[:1], dropped=())
    cs.run_study(few, tmp_path / "s.db")
    with sqlite3.connect(tmp_path / "s.db") as connection:
        connection.execute("UPDATE market_days SET content = ?", (content,))
    connection.close()
    with pytest.raises(
        cs.StoreError, match="the stored quotes are damaged; repeat the calibscope run"
    ):
        cs.open_study(tmp_path / "s.db").day(few.dates[0])
