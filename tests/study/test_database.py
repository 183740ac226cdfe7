"""The module that knows SQLite: that it is the only one, and what it promises."""

import os
import re
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Engine, event

import calibscope as cs
from calibscope.report.web.source import Source
from calibscope.report.web.state import State
from calibscope.study import schema
from calibscope.study.database import insert_columns, rows_of, stamp, writer
from calibscope.study.robustness import Variant, keep, robustness
from calibscope.study.schema import row_hashes
from calibscope.study.store import opened_for_writing

SOURCE = Path(cs.__file__).parent
WORDS = re.compile(
    r"(?i:sqlite|\bpragma\b|-wal\b|postgres)|INSERT OR|OR IGNORE|ON CONFLICT|on_conflict"
)
KNOWING = {"study/database.py", "market/curve_memory.py"}  # the second is a cache of its own
KILLED = """
import os, signal, sys
from pathlib import Path
from calibscope.study.database import writer
with writer(Path(sys.argv[1])) as engine:
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE store SET created = '2001-01-01 00:00:00.000000'")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_no_other_module_knows_it():
    found = []
    for file in sorted(SOURCE.rglob("*.py")):
        name, text = file.relative_to(SOURCE).as_posix(), file.read_text(encoding="utf-8")
        if name not in KNOWING:
            found += [f"{name}: {word}" for word in WORDS.findall(text)]
    assert not found
    assert all(WORDS.search((SOURCE / name).read_text(encoding="utf-8")) for name in KNOWING)


@pytest.fixture
def store(tmp_path):
    with opened_for_writing(tmp_path / "s.db"):
        pass
    return tmp_path / "s.db"


def commit(path):
    with writer(path) as engine, engine.begin() as connection:
        connection.execute(schema.store.update().values(version=schema.VERSION))


def test_every_commit_has_a_stamp_of_its_own(store):
    seen = [stamp(store)]
    for _ in range(20):
        commit(store)
        assert stamp(store) == stamp(store)
        seen.append(stamp(store))
    assert len(set(seen)) == len(seen)


def test_a_commit_is_seen_while_its_writer_is_at_work_and_others_look(store):
    with writer(store) as engine, ThreadPoolExecutor(8) as looking:
        before = stamp(store)
        with engine.begin() as connection:
            connection.execute(schema.store.update().values(version=schema.VERSION))
            assert set(looking.map(stamp, [store] * 40)) == {before}
        (after,) = set(looking.map(stamp, [store] * 40))
    assert after != before
    with ThreadPoolExecutor(8) as looking:  # who comes last tidies up, at any moment
        assert set(looking.map(stamp, [store] * 200)) == {after}


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_what_a_killed_process_has_committed_is_seen(store):
    before, size = stamp(store), store.stat().st_size
    process = subprocess.run([sys.executable, "-c", KILLED, str(store)], check=False)
    assert process.returncode == -signal.SIGKILL
    assert store.with_name("s.db-wal").stat().st_size  # it is not in the file yet
    assert store.stat().st_size == size
    assert stamp(store) != before


def test_a_backup_in_place_of_the_store_is_seen(store, tmp_path):
    shutil.copy(store, tmp_path / "backup.db")
    commit(store)
    after = stamp(store)
    (tmp_path / "backup.db").replace(store)
    assert stamp(store) != after
    commit(store)  # as many commits as before the backup came back
    assert stamp(store) != after
    store.unlink()
    with pytest.raises(cs.StoreError, match="there is no such store"):
        stamp(store)


def test_the_live_page_opens_a_study_once_until_it_changes(tmp_path):
    market = cs.demo_market().between("2020-03-16", "2020-03-20")
    market = replace(market, days=market.days[:2])
    cs.run_study(market, tmp_path / "s.db")
    source = Source(tmp_path / "s.db")
    first = source.study(State())
    assert first.profiles.empty
    assert source.study(State()) is first
    cs.run_study(market, tmp_path / "s.db", profiles="all")  # which leaves all days as they are
    assert not source.study(State()).profiles.empty


def test_what_is_not_a_number_is_written_as_null(tmp_path):
    """By us, before the driver sees it: another one might keep it, or refuse it."""
    seen = []

    @event.listens_for(Engine, "before_cursor_execute")
    def look(connection, cursor, statement, parameters, context, executemany):
        rows = parameters if executemany else [parameters]
        seen.append(statement.split(" (")[0])
        for row in rows:
            values = row.values() if isinstance(row, dict) else row
            assert not any(value != value for value in values), statement

    days = cs.demo_market().between("2020-03-16", "2020-03-18").days
    market = cs.Market((*days[:2], days[2].without(list(days[2].labels[:8]))), name="few quotes")
    settings = {"calibration": {"model": ["g2++", "hull-white"], "optima": True}}
    try:
        study = cs.run_study(market, tmp_path / "s.db", settings, profiles="all")
        keep(robustness(market, {"no 3Y": Variant(without=(3,))}, sample=2), study.path)
    finally:
        event.remove(Engine, "before_cursor_execute", look)
    written = {statement.split()[-1] for statement in seen if statement.startswith("INSERT")}
    assert written >= {table.name for table in schema.RESULTS if table.name != "metrics"}
    assert written >= {"left_out", "profiles", "near_optimal", "robustness", "screening"}
    assert study.quotes["resid_studentized_external"].isna().any()


def test_rows_that_are_there(store):
    """Refused, left as they are, or replaced; other columns are never touched."""

    def rows(existing, **columns):
        with writer(store) as engine, engine.begin() as connection:
            columns = {"hash": [b"b", b"c"], "key": ["1", "2"], "table_name": ["t", "t"], **columns}
            insert_columns(connection, row_hashes, columns, existing)
            return rows_of(connection, row_hashes.select().order_by(row_hashes.c.key))

    assert rows("refuse") == [("t", "1", b"b"), ("t", "2", b"c")]
    with pytest.raises(cs.StoreError, match="UNIQUE"):
        rows("refuse")
    more = {"key": ["1", "3"], "hash": [b"x", b"y"]}
    assert rows("skip", **more) == [("t", "1", b"b"), ("t", "2", b"c"), ("t", "3", b"y")]
    assert rows("skip", key=["4", "5"], hash=[None, b"z"])[3:] == [("t", "5", b"z")]
    assert rows("replace", **more)[0] == ("t", "1", b"x")
    with writer(store) as engine, engine.begin() as connection:
        insert_columns(connection, schema.day_hashes, {"day_id": [1], "days": [b"d"]})
        insert_columns(connection, schema.day_hashes, {"day_id": [1], "quotes": [b"q"]}, "replace")
        wanted = schema.day_hashes.select().with_only_columns(
            schema.day_hashes.c.days, schema.day_hashes.c.quotes
        )
        assert rows_of(connection, wanted) == [(b"d", b"q")]
