"""Stores that versions 1 to 5 have written, as they wrote them, and what becomes of them.

`stores/` has a study of six days of the examples (synthetic) by the last commit of each version of
the store; those of versions 3 and 4 have challenger fits, those from 2 on have refits.
"""

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

import calibscope as cs
from calibscope.cli import main
from calibscope.study import schema

STORES = Path(__file__).parent / "stores"
EXAMPLES = Path(__file__).parents[2] / "examples"
VERSIONS = range(1, schema.VERSION)
SAME_SETTINGS = 3  # from this version on the usual settings are today's


@pytest.fixture(scope="module")
def market():
    complete = {"checks": {"incomplete": "drop"}}
    every = cs.read_market(EXAMPLES / "caps.csv", EXAMPLES / "ois.csv", settings=complete)
    return every.between("2020-03-05", "2020-03-12")


@pytest.fixture
def old(tmp_path):
    def unpacked(version, *statements):
        path = tmp_path / f"version-{version}.db"
        path.write_bytes(gzip.decompress((STORES / f"{path.name}.gz").read_bytes()))
        with closing(sqlite3.connect(path)) as connection, connection:
            for statement in statements:
                assert connection.execute(statement).rowcount == 1
        return path

    return unpacked


def columns_of(path, table, columns):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"SELECT {columns} FROM {table} ORDER BY 1, 2, 3").fetchall()


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_is_upgraded_to_the_same_numbers(version, old, market):
    path = old(version)
    before = columns_of(path, "quotes", "day_id, maturity, leverage, model_price, strike")
    influence = columns_of(path, "influence", "day_id, maturity, parameter, influence, dfbetas")
    with pytest.raises(cs.StoreError, match="the next calibscope run upgrades it"):
        cs.open_study(path)
    study = cs.run_study(market, path)
    first = study.runs["days_computed"].tolist()[0]
    assert (first, len(study.days)) == (6, 6)
    if version >= SAME_SETTINGS:
        assert set(study.runs["days_computed"].tolist()[1:]) == {0}
    after = columns_of(path, "quotes", "day_id, maturity, leverage, model_price, strike")
    assert after[: len(before)] == before
    joined = "influence JOIN quotes USING (day_id, label)"
    again = columns_of(path, joined, "day_id, maturity, parameter, influence, influence.dfbetas")
    assert again[: len(influence)] == influence
    assert study.quotes["label"].tolist()[:3] == ["3Y", "4Y", "5Y"]
    assert set(study.quotes["kind"]) == {"cap"}
    assert study.day("2020-03-11").fingerprint == market.day("2020-03-11").fingerprint
    assert study.left_out["label"].nunique() == 13
    if version >= SAME_SETTINGS:
        assert set(study.profiles["scale"]) == {"mse"}
        assert study.profiles["second_minimum"].isna().all()  # nobody had looked
        known = study.intervals[study.intervals["scale"] == "mse"]["is_contradicted"]
        assert known.notna().any()
    flags = columns_of(path, "days", "day_id, has_large_residual, has_outlier, outlier")
    assert {0, 1} >= {flag for _, flag, *_ in flags} - {None} > set()
    if version >= SAME_SETTINGS:
        assert {verdict for _, _, *verdicts in flags for verdict in verdicts} == {None}
    if version in (3, 4):
        assert set(study.challenger_fits["label"]) == {"12Y"}
    assert CliRunner().invoke(main, ["check", str(path)]).exit_code == 0


@pytest.mark.parametrize("version", [4, 5])
@pytest.mark.parametrize(
    ("change", "what"),
    [
        ("UPDATE quotes SET leverage = 0.5 WHERE day_id = 2 + 1 AND maturity = 5", "2020-03-09"),
        ("DELETE FROM influence WHERE day_id = 4 AND maturity = 7 AND parameter = 'a_x'", "03-10"),
        ("UPDATE days SET status = 'RIDGE' WHERE day_id = 5", "2020-03-11"),
        ("UPDATE runs SET market = 'others.csv' WHERE run_id = 1", "1 run (1)"),
    ],
)
def test_damage_shows_after_an_upgrade(version, change, what, old, market):
    path = old(version, change)
    study = cs.run_study(market, path)
    assert what in study.runs["repaired"].tolist()[-1]
    assert "RIDGE" not in set(study.days["status"])
    assert (study.quotes["leverage"] == 0.5).sum() == 0
    assert CliRunner().invoke(main, ["check", str(path)]).exit_code == 0


def test_without_hashes_the_store_counts_as_it_is(old, market):
    """Version 3 had none: a changed number is not known to be one."""
    path = old(3, "UPDATE quotes SET leverage = 0.5 WHERE day_id = 3 AND maturity = 5")
    study = cs.run_study(market, path)
    assert study.runs["days_computed"].tolist()[-1] == 0
    assert study.quotes["leverage"].eq(0.5).sum() == 1


def test_a_renamed_status_and_floors(old, market, monkeypatch):
    path = old(3, "UPDATE days SET status = 'RIDGE' WHERE day_id = 5")
    from calibscope.study import upgrades

    monkeypatch.setattr(upgrades, "_kind", lambda content: "floor")
    study = cs.run_study(market, path)
    assert (study.days["status"] == "EQUAL_SPEEDS").sum() == 1
    assert study.quotes["label"].str.endswith("Y floor").all()
    assert study.days["largest_leverage_at"].dropna().str.endswith("Y floor").all()


def test_a_store_of_no_version_that_we_know_is_refused(old, market):
    for version, words in ((0, "cannot be upgraded; run into a new store"), (99, "a newer")):
        path = old(5, f"UPDATE store SET version = {version}")
        content = path.read_bytes()
        with pytest.raises(cs.StoreError, match=words):
            cs.run_study(market, path)
        assert path.read_bytes() == content


def test_a_run_that_is_killed_while_it_upgrades_loses_nothing(old, market, monkeypatch):
    path = old(5)
    from calibscope.study import store

    def killed(old, new):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(store, "copy_upgraded", killed)
        with pytest.raises(KeyboardInterrupt):
            cs.run_study(market, path)
    study = cs.run_study(market, path)
    assert study.runs["days_computed"].tolist() == [6, 0]
    assert not list(path.parent.glob("*-rebuilt*"))
