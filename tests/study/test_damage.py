"""A store that is not what was written names the days, and is made good by the next run."""

import json
import sqlite3
from dataclasses import replace

import pytest
from click.testing import CliRunner

import calibscope as cs
from byte_flips import flip_again_and_again
from calibscope.cli import main
from calibscope.study.run import run_study
from sealing import seal_again

CHANGES = {
    "days": "UPDATE days SET rmsre = rmsre * 1.01 WHERE day_id = 2",
    "quotes": "UPDATE quotes SET leverage = 0.5 WHERE day_id = 2 AND label = '5Y'",
    "parameters": "DELETE FROM parameters WHERE day_id = 2 AND parameter = 'a_x'",
    "intervals": "UPDATE intervals SET low = 'text' WHERE day_id = 2 AND level = 0.5",
    "influence": "UPDATE influence SET parameter = x'ff' WHERE day_id = 2 AND parameter = 'a_x'",
}


@pytest.fixture(scope="module")
def few(market):
    return replace(market, days=market.days[:4], dropped=())


@pytest.fixture(scope="module")
def sound(few, tmp_path_factory):
    return run_study(few, tmp_path_factory.mktemp("sound") / "s.db").path


@pytest.fixture
def damaged(sound, tmp_path):
    """A copy that SQL statements have changed."""

    def change(*statements):
        path = tmp_path / "s.db"
        path.write_bytes(sound.read_bytes())
        with sqlite3.connect(path) as connection:
            for statement in statements:
                connection.execute(statement)
        connection.close()
        return path

    return change


def shown(study, table):
    others = ["day_id", "run_id", "seconds"]
    return getattr(study, table).drop(columns=others, errors="ignore")


def test_no_byte_flip_goes_unnoticed(tmp_path):
    outcomes = flip_again_and_again(tmp_path, 30)
    assert not {outcome for outcome in outcomes if outcome[:6].isupper()}
    assert outcomes["refused with a message"] > 5


@pytest.mark.parametrize("table", CHANGES)
def test_a_changed_day_is_named_and_computed_anew(few, sound, damaged, table):
    path, date = damaged(CHANGES[table]), str(few.dates[1])
    with pytest.raises(
        cs.StoreError, match=rf"damaged: 1 day \({date}\); repeat the calibscope run"
    ):
        getattr(cs.open_study(path), table)
    result = CliRunner().invoke(main, ["check", str(path)])
    assert result.exit_code == 3
    assert f"{date}: {table}" in result.output
    page = path.with_name("check.html")
    result = CliRunner().invoke(main, ["check", str(path), "--html", str(page), "--json"])
    assert result.exit_code == 3
    document = json.loads(result.stdout)["document"]
    assert document["title"] == f"{path}: damaged: 1 day ({date})."
    assert f"<li>{date}: {table}</li>" in page.read_text(encoding="utf-8")
    tallies = []
    study = run_study(few, path, progress=tallies.append)
    assert (tallies[-1].done, tallies[-1].kept) == (1, 3)
    assert study.runs["repaired"].iloc[-1] == tallies[-1].repaired == f"1 day ({date})"
    assert shown(study, table).equals(shown(cs.open_study(sound), table))
    assert CliRunner().invoke(main, ["check", str(path)]).exit_code == 0


def test_lost_rows_and_hashes_are_seen(few, damaged):
    for statement in (
        "DELETE FROM days WHERE day_id = 2",
        "UPDATE days SET superseded_by = 1 WHERE day_id = 2",
        "DELETE FROM day_hashes WHERE day_id = 2",
        "UPDATE day_hashes SET days = NULL WHERE day_id = 2",
    ):
        path = damaged(statement)
        with pytest.raises(cs.StoreError, match="damaged: 1 day"):
            _ = cs.open_study(path).days
        assert len(run_study(few, path).days) == 4


def test_a_damaged_audit_trail_is_marked_not_invented(few, damaged):
    path = damaged("UPDATE runs SET settings = '{', market = 'another'")
    with pytest.raises(cs.StoreError, match=r"damaged: 1 run \(1\)"):
        _ = cs.open_study(path).settings
    study = run_study(few, path)
    assert study.runs["outcome"].to_list() == ["damaged", "complete"]
    assert study.runs["market"].iloc[0] == "damaged"
    assert study.runs["days_computed"].iloc[-1] == 0  # the days themselves are sound


def test_a_sound_store_and_its_json(sound):
    result = CliRunner().invoke(main, ["check", str(sound), "--json"])
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert (found["days"], found["is_sound"], found["damaged_days"]) == (4, True, {})
    assert found["document"]["title"] == f"{sound}: 4 days, all as they were written."


def test_a_damaged_structure_is_read_day_by_day(few, sound, tmp_path):
    """A page of a table with garbage: days elsewhere are kept, the others computed anew."""
    path = tmp_path / "s.db"
    content = bytearray(sound.read_bytes())
    page = max(  # a leaf of the table `influence`
        number for number in range(len(content) // 4096) if b"rho_xy" in page_of(content, number)
    )
    content[4096 * page : 4096 * page + 100] = b"\xff" * 100
    path.write_bytes(content)
    study = run_study(few, path)
    assert "the structure of the file" in study.runs["repaired"].iloc[-1]
    assert len(study.influence) == 4 * 13 * 5
    assert CliRunner().invoke(main, ["check", str(path)]).exit_code == 0


def page_of(content, number):
    return content[4096 * number : 4096 * (number + 1)]


def test_a_change_that_is_sealed_counts_as_written(damaged):
    path = damaged(CHANGES["quotes"])
    seal_again(path)
    assert len(cs.open_study(path).quotes) == 4 * 13
