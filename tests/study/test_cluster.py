"""Workers and schedulers fail: the run goes on, or says why not; the rows are right."""

import logging

import pytest

import calibscope as cs
from calibscope.study import run
from calibscope.study.cluster import CODE
from calibscope.study.fingerprint import code_fingerprint
from calibscope.study.run import run_study
from cluster_faults import FAULTS, SILENCE, suffer
from faults import rows

SAID = {
    "late worker with other code": "",
    "frozen worker": "",
    "all workers killed": f"all workers have gone, and none came within {SILENCE:g} s; what was",
    "scheduler killed": "the scheduler has gone",
}


def test_faults_of_a_cluster(market, tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(run, "CHUNK", 3)
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    run_study(market, tmp_path / "alone.db")
    wanted = rows(tmp_path / "alone.db")
    seen = []
    for fault, said, store in suffer(market, tmp_path):
        seen.append(fault)
        assert SAID[fault] in said, fault
        assert bool(said) == bool(SAID[fault]), said
        stored = cs.open_study(store)
        assert 5 < len(stored.days) <= len(wanted["days"])
        assert stored.runs["outcome"].iloc[-1] == ("stopped by EngineError" if said else "complete")
        if said:
            run_study(market, store)
        assert rows(store) == wanted, fault
    assert tuple(seen) == FAULTS
    assert f"this is calibscope {CODE}; its days are computed elsewhere" in caplog.text
    assert (
        f"has not been heard of for {SILENCE:g} s; its days are computed elsewhere" in caplog.text
    )


def test_the_code_is_that_of_all_files_that_compute(tmp_path):
    for name in ("market/day.py", "study/results.py", "report/page.py"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("X = 1\n")
    before = code_fingerprint(tmp_path)
    (tmp_path / "report" / "page.py").write_text("X = 2\n")
    assert code_fingerprint(tmp_path) == before
    (tmp_path / "market" / "day.py").write_text("X = 2\n")
    assert code_fingerprint(tmp_path) != before


def test_a_time_limit_is_more_than_nothing(market, tmp_path):
    with pytest.raises(ValueError, match="engine_timeout is 0"):
        run_study(market, tmp_path / "s.db", engine_timeout=0)
