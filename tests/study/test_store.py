"""A store that cannot be used says so; what was committed is kept."""

import os
import shutil
import sqlite3
import subprocess
import sys
from dataclasses import replace

import pytest
from sqlalchemy import Engine, MetaData, Table, event, func, inspect, select

import calibscope as cs
from calibscope.study import database, run, schema, store
from calibscope.study.rows import read_rows
from calibscope.study.run import run_study
from faults import rows


def short(market, count=3):
    return replace(market, days=market.days[:count], dropped=())


def test_not_a_database(market, tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("a text, and a long one at that: " * 50)
    for action in (lambda: cs.open_study(file), lambda: run_study(short(market), file)):
        with pytest.raises(cs.StoreError, match="not a calibscope study file"):
            action()
    assert file.read_text().startswith("a text")


def test_another_programs_database(market, tmp_path):
    file = tmp_path / "other.db"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE customers (name TEXT)")
    before = file.read_bytes()
    for action in (lambda: cs.open_study(file), lambda: run_study(short(market), file)):
        with pytest.raises(cs.StoreError, match="not a calibscope study file"):
            action()
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["other.db"]


def test_a_store_half_made_when_the_process_dies_is_made_by_the_next(tmp_path):
    """What lies on disk before each statement is what a kill at that moment leaves."""
    original, copies = tmp_path / "s.db", []

    def photograph(*_):
        folder = tmp_path / str(len(copies))
        folder.mkdir()
        for file in tmp_path.glob("s.db*"):
            if not file.name.endswith(("-shm", "-writer")):
                shutil.copy(file, folder)
        copies.append(folder / "s.db")

    event.listen(Engine, "before_cursor_execute", photograph)
    try:
        with store.opened_for_writing(original):
            pass
    finally:
        event.remove(Engine, "before_cursor_execute", photograph)

    assert len(copies) > len(schema.metadata.tables)
    for copy in copies:
        with store.opened_for_writing(copy):
            pass
        with store.opened_for_reading(copy) as connection:
            assert set(inspect(connection).get_table_names()) == set(schema.metadata.tables)


def test_a_reader_sees_one_state(market, tmp_path):
    run_study(short(market, 2), tmp_path / "s.db")
    count = select(func.count()).select_from(schema.days)
    with store.opened_for_reading(tmp_path / "s.db") as connection:
        run_study(short(market, 3), tmp_path / "s.db")
        assert connection.execute(count).scalar_one() == 2
    with store.opened_for_reading(tmp_path / "s.db") as connection:
        assert connection.execute(count).scalar_one() == 3


def test_a_link_is_the_same_store(market, tmp_path):
    (tmp_path / "link.db").symlink_to(tmp_path / "s.db")

    def second(tally):
        with pytest.raises(cs.StoreError, match="another run is writing"):
            run_study(market, tmp_path / "link.db")

    run_study(short(market), tmp_path / "s.db", progress=second)


def test_no_file_and_no_folder(market, tmp_path):
    with pytest.raises(cs.StoreError, match="there is no such store"):
        cs.open_study(tmp_path / "none.db")
    with pytest.raises(cs.StoreError, match="there is no folder"):
        run_study(short(market), tmp_path / "none" / "s.db")
    with pytest.raises(cs.StoreError, match="this is a folder"):
        run_study(short(market), tmp_path)


def test_a_newer_store_is_refused(market, tmp_path):
    file = tmp_path / "s.db"
    run_study(short(market), file)
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE store SET version = 99")
    before = rows(file)
    for action in (lambda: cs.open_study(file), lambda: run_study(market, file)):
        with pytest.raises(cs.StoreError, match="newer calibscope"):
            action()
    assert rows(file) == before


def test_a_second_writer_is_told_to_wait(market, tmp_path):
    file = tmp_path / "s.db"

    def second(tally):
        with pytest.raises(cs.StoreError, match="another run is writing to this store"):
            run_study(market, file)
        code = f"import calibscope as cs; cs.run_study(cs.demo_market(), {str(file)!r})"
        process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert "another run is writing to this store" in process.stderr.splitlines()[-1]

    run_study(short(market), file, progress=lambda tally: second(tally) if tally.done else None)
    assert len(cs.open_study(file).runs) == 1


def test_readers_see_committed_days_while_a_run_writes(market, tmp_path, monkeypatch):
    monkeypatch.setattr(run, "CHUNK", 10)
    file, seen = tmp_path / "s.db", []
    run_study(market, file, progress=lambda tally: seen.append(
        (tally.done, len(cs.open_study(file).days))
    ))  # fmt: skip
    assert [done for done, _ in seen] == [days for _, days in seen]
    assert len(seen) > 5


def test_a_full_disk_loses_nothing_that_was_reported(market, tmp_path, monkeypatch):
    monkeypatch.setattr(run, "CHUNK", 5)
    file, done = tmp_path / "s.db", []
    genuine = database._connected

    def small(path, *settings):
        return genuine(path, *settings, "max_page_count=95")

    monkeypatch.setattr(database, "_connected", small)
    with pytest.raises(cs.StoreError, match="the disk is full; free some space and run again"):
        run_study(market, file, progress=lambda tally: done.append(tally.done))
    study = cs.open_study(file)
    assert len(study.days) == done[-1] > 5
    monkeypatch.setattr(database, "_connected", genuine)
    assert len(run_study(market, file).fitted) == len(market)


def test_a_damaged_file_is_named(market, tmp_path):
    file = tmp_path / "s.db"
    run_study(short(market), file)
    content = bytearray(file.read_bytes())
    content[4096:40960] = os.urandom(36864)
    file.write_bytes(content)
    with pytest.raises(cs.StoreError, match=r"s\.db: "):
        _ = cs.open_study(file).days


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_store_can_be_read_but_not_written(market, tmp_path):
    file = tmp_path / "s.db"
    run_study(short(market), file)
    file.chmod(0o444)
    tmp_path.chmod(0o555)
    try:
        assert len(cs.open_study(file).days) == 3
        with pytest.raises(cs.StoreError, match=r"written|read-only"):
            run_study(market, file)
    finally:
        tmp_path.chmod(0o755)


def test_what_sqlite_says_is_explained(tmp_path):
    for said, means in {
        "attempt to write a readonly database": "read-only; give write access",
        "database or disk is full": "disk is full",
        "disk I/O error": "refuses to be written",
        "database disk image is malformed": "damaged",
        "something new": "something new",
    }.items():
        with pytest.raises(cs.StoreError, match=means), database.explained(tmp_path / "s.db"):
            raise sqlite3.OperationalError(said)


def test_a_copy_elsewhere_reads_the_same(study, tmp_path):
    shutil.copy(study.path, tmp_path / "copy.db")
    assert rows(tmp_path / "copy.db") == rows(study.path)
    assert cs.open_study(tmp_path / "copy.db").days.equals(study.days)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("ALTER TABLE quotes ADD COLUMN beauty FLOAT", "which keeps more: quotes.beauty; install"),
        ("ALTER TABLE quotes DROP COLUMN place", "without quotes.place; install that one, or run"),
        ("DROP TABLE screening", r"without screening.date, .* and 5 more; install that one"),
    ],
)
def test_other_columns_are_refused_and_nothing_is_touched(market, tmp_path, change, words):
    """Not damage: nothing of that is made good by deleting days."""
    file = tmp_path / "s.db"
    run_study(short(market, 2), file)
    with sqlite3.connect(file) as connection:
        connection.execute(change)
    before = file.read_bytes()
    for action in (lambda: cs.open_study(file), lambda: run_study(short(market), file)):
        with pytest.raises(cs.StoreError, match=words):
            action()
    assert file.read_bytes() == before


def test_a_number_that_the_store_lacks_is_added_and_damage_still_shows(market, tmp_path):
    file = tmp_path / "s.db"
    study = run_study(short(market), file)
    with store.writer(file) as engine, engine.begin() as connection:
        for place in ("quotes.leverage_strict", "days.edof_tikhonov", "days.has_outlier"):
            table, column = place.split(".")
            connection.exec_driver_sql(f"ALTER TABLE {table} DROP COLUMN {column}")
            written = Table(table, MetaData(), autoload_with=connection)
            for day, digest in read_rows(connection, written).hashes().items():
                change = f"UPDATE day_hashes SET {table} = ? WHERE day_id = ?"
                connection.exec_driver_sql(change, (digest, day))
        connection.exec_driver_sql("UPDATE parameters SET estimate = 0.5 WHERE day_id = 2")
    with pytest.raises(cs.StoreError, match=r"before calibscope kept .*quotes.leverage_strict;"):
        cs.open_study(file)
    again = run_study(short(market), file)
    date = study.days["date"].iloc[1]
    assert again.runs["repaired"].fillna("").tolist() == ["", f"1 day ({date:%Y-%m-%d})"]
    assert again.runs["days_computed"].tolist() == [3, 1]
    assert again.days["edof_tikhonov"].notna().tolist() == [False, True, False]
    kept = again.quotes["date"] != date
    assert (again.quotes["leverage_strict"].isna() == kept).all()
    assert again.quotes["leverage"].equals(study.quotes["leverage"])
    assert again.fitted["has_outlier"].tolist()[::2] == [False, False]
