"""A store whose newest run was killed or is still running: reports say so, and use its days."""

import json
import sqlite3
from contextlib import closing

import openpyxl
import pytest
from click.testing import CliRunner

import calibscope as cs
from calibscope.cli import main
from calibscope.report.web.heading import heading
from calibscope.study.store import opened_for_writing
from sealing import seal_again

KILLED = "finished = NULL, outcome = NULL, days_kept = NULL, days_computed = NULL, seconds = NULL"
STOPPED = "outcome = 'stopped by KeyboardInterrupt'"
STARTED = "started = '2024-06-03 07:08:09.000000'"


def changed(study, path, change):
    """The same store, with its only run changed."""
    path.write_bytes(study.path.read_bytes())
    with closing(sqlite3.connect(path)) as store, store:
        store.execute(f"UPDATE runs SET {STARTED}, {change}")
    seal_again(path)
    return cs.open_study(path)


@pytest.fixture
def killed(study, tmp_path):
    return changed(study, tmp_path / "study.db", KILLED)


def test_a_complete_run_is_not_worth_a_sentence(study, tmp_path):
    assert study.unfinished_run == ""
    text = cs.write_report(study, tmp_path / "r.html").read_text(encoding="utf-8")
    assert "unfinished" not in text
    assert "1. The newest finished 2" in text


def test_the_report_of_a_killed_run(killed, tmp_path):
    said = (
        "The newest run is unfinished: started 2024-06-03 07:08 UTC, it is still running or was "
        "cut off. It stored 55 days. Run the study again to complete it."
    )
    assert killed.unfinished_run == said
    report = tmp_path / "report.html"
    result = CliRunner().invoke(main, ["report", str(killed.path), "-o", str(report)])
    assert result.exit_code == 0, result.output
    text = report.read_text(encoding="utf-8")
    assert f'<p class="callout warning">{said}</p>' in text
    assert f"<td>1. {said}</td>" in text
    assert "Which maturities decide the fit?" in text


def test_a_killed_run_after_a_complete_one(study, tmp_path):
    path = tmp_path / "s.db"
    path.write_bytes(study.path.read_bytes())
    with closing(sqlite3.connect(path)) as store, store:
        store.execute("CREATE TEMP TABLE newest AS SELECT * FROM runs")
        store.execute(f"UPDATE newest SET run_id = 2, {STARTED}, {KILLED}")
        store.execute("INSERT INTO runs SELECT * FROM newest")
    seal_again(path)
    two = cs.open_study(path)
    assert "It stored 0 days." in two.unfinished_run
    assert "<td>2. The newest run is unf" in cs.write_report(two, tmp_path / "r.html").read_text(
        encoding="utf-8"
    )


def test_a_stopped_run_says_by_what(study, tmp_path):
    stopped = changed(study, tmp_path / "s.db", f"{STOPPED}, finished = '2024-06-03 07:10:00.0'")
    assert "UTC, stopped by KeyboardInterrupt at 2024-06-03 07:10 UTC. It" in stopped.unfinished_run
    text = cs.write_report(stopped, tmp_path / "r.html").read_text(encoding="utf-8")
    assert stopped.unfinished_run in text


@pytest.mark.parametrize("format", ["xlsx", "parquet", "csv"])
def test_exports_of_a_killed_run(killed, tmp_path, format):  # noqa: A002
    place = tmp_path / ("results.xlsx" if format == "xlsx" else "results")
    option = "-o" if format == "xlsx" else f"--{format}"
    result = CliRunner().invoke(main, ["export", str(killed.path), option, str(place)])
    assert result.exit_code == 0, result.output
    if format == "xlsx":
        sheet = openpyxl.load_workbook(place)["manifest"]
        outcome = dict(sheet.iter_rows(values_only=True))["last_run.outcome"]
    else:
        content = json.loads((place / "manifest.json").read_text(encoding="utf-8"))
        assert content["last_run"]["started"] == "2024-06-03T07:08:09"
        outcome = content["last_run"]["outcome"]
    assert outcome == killed.unfinished_run


def test_the_live_page_says_so(study, killed):
    date = study.fitted["date"].iloc[-1].date()
    assert killed.unfinished_run in str(heading(killed, date))
    assert "unfinished" not in str(heading(study, date))


def test_killed_before_anything_was_stored(killed, tmp_path):
    with opened_for_writing(tmp_path / "empty.db"):
        pass
    text = cs.write_report(cs.open_study(tmp_path / "empty.db"), tmp_path / "r.html").read_text(
        encoding="utf-8"
    )
    assert "The study has no days." in text
    with (
        closing(sqlite3.connect(killed.path)) as store,
        store,
        closing(sqlite3.connect(tmp_path / "empty.db")) as empty,
        empty,
    ):
        row = store.execute("SELECT * FROM runs").fetchone()
        empty.execute(f"INSERT INTO runs VALUES ({', '.join('?' * len(row))})", row)
    seal_again(tmp_path / "empty.db")
    study = cs.open_study(tmp_path / "empty.db")
    text = cs.write_report(study, tmp_path / "r2.html").read_text(encoding="utf-8")
    assert "It stored 0 days." in text
    cs.export(study, tmp_path / "results.xlsx")
