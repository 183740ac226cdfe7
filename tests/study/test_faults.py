"""Killed at any moment, by -9: no committed day is lost, none is half-written, the rest follows."""

import pytest

import calibscope as cs
from calibscope.study.run import run_study
from faults import kill_a_worker, kill_again_and_again, problems, rows


@pytest.fixture(scope="module")
def market():
    return cs.demo_market().between("2017-01-01", "2018-12-31")


@pytest.fixture(scope="module")
def wanted(market, tmp_path_factory):
    store = tmp_path_factory.mktemp("alone") / "s.db"
    run_study(market, store, threads=1)
    return rows(store)


def test_killed_runs_are_resumed(market, wanted, tmp_path):
    hits, store, found = kill_again_and_again(market, tmp_path, kills=4)
    assert hits == 4
    assert found == []
    assert rows(store) == wanted


def test_two_threads_write_the_same_rows(market, wanted, tmp_path):
    run_study(market, tmp_path / "s.db", threads=2)
    assert rows(tmp_path / "s.db") == wanted


def test_a_killed_worker_costs_nothing_but_time(market, wanted, tmp_path):
    store, killed = kill_a_worker(market, tmp_path, workers=2)
    assert killed
    assert rows(store) == wanted
    assert problems(store, {}) == []
    assert cs.open_study(store).runs["engine"].iloc[0].startswith("tcp://")
