"""Refits of a study: kept once, for the days that were asked for."""

from dataclasses import replace

import numpy as np
import pytest

import calibscope as cs
from calibscope.study import refits
from calibscope.study.run import run_study


@pytest.fixture(scope="module")
def few(market):
    return replace(market, days=market.days[:4], dropped=())


@pytest.fixture(scope="module")
def answered(few, tmp_path_factory):
    path = tmp_path_factory.mktemp("refits") / "s.db"
    tallies = []
    run_study(few, path, refits="all", progress=lambda tally: tallies.append(tally))
    return path, tallies[-1]


def test_every_quote_and_every_parameter_has_its_answers(few, answered):
    path, tally = answered
    study = cs.open_study(path)
    assert (tally.refits_done, tally.refits_failed) == (4, 0)
    assert len(study.left_out) == sum(len(day.prices) for day in few)
    assert len(study.profiles) == 4 * 5 * len(study.settings.diagnosis.levels)
    assert (study.profiles["low"] <= study.profiles["high"]).all()


def test_stored_answers_are_those_of_the_diagnosis(few, answered):
    path, _ = answered
    day, study = few.days[1], cs.open_study(path)
    dx = cs.diagnose(cs.calibrate(day))
    stored = study.left_out[study.left_out["date"] == str(day.date)]
    frame = dx.refits.leave_one_out().frame()
    for name in ("a_x", "rho_xy", "rms", "press"):
        np.testing.assert_allclose(stored[name], frame[name], rtol=1e-9)
    found = dx.refits.profiles(study.settings.diagnosis.levels)
    stored = study.profiles[study.profiles["date"] == str(day.date)].set_index("parameter")
    for curve in found.curves:
        np.testing.assert_allclose(stored.loc[curve.name, "low"], curve.low, rtol=1e-9)
        np.testing.assert_allclose(stored.loc[curve.name, "high"], curve.high, rtol=1e-9)


def test_days_that_have_answers_are_left_alone(few, answered, monkeypatch):
    path, _ = answered
    monkeypatch.setattr(refits, "answers", lambda *_: pytest.fail("computed again"))
    tallies = []
    run_study(few, path, refits="all", progress=lambda tally: tallies.append(tally))
    assert tallies[-1].refits_total == 0


def test_green_days_are_not_flagged(few, tmp_path):
    study = run_study(few, tmp_path / "s.db", refits="flagged")
    flagged = set(study.rag.loc[study.rag["rag"] != "green", "date"])
    assert set(study.left_out["date"]) == flagged


def test_a_day_that_fails_does_not_stop_the_others(few, tmp_path, monkeypatch):
    real, bad = refits.answers, few.days[2].date

    def sometimes(day, settings):
        if day.date == bad:
            raise FloatingPointError("no such luck")
        return real(day, settings)

    monkeypatch.setattr(refits, "answers", sometimes)
    tallies = []
    study = run_study(
        few, tmp_path / "s.db", refits="all",
        progress=lambda tally: tallies.append((tally.refits_done, tally.refits_failed)),
    )  # fmt: skip
    assert tallies[-1] == (4, 1)
    assert (3, 1) in tallies  # while it runs
    assert len(set(study.left_out["date"])) == 3
    assert study.failed_refits["date"].dt.date.to_list() == [bad]
    assert study.failed_refits["reason"].to_list() == ["FloatingPointError: no such luck"]
    monkeypatch.setattr(refits, "answers", real)
    study = run_study(few, tmp_path / "s.db", refits="all")
    assert study.failed_refits.empty
    assert len(set(study.left_out["date"])) == 4


def test_an_unknown_choice_is_refused(few, tmp_path):
    with pytest.raises(ValueError, match=r"^refits is .*; choose from flagged, all"):
        run_study(few, tmp_path / "s.db", refits="some")
