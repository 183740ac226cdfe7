"""Refits of a study: every quote left out on every day, profiles for the days that matter."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import calibscope as cs
from calibscope.study import left_out, refits, tasks
from calibscope.study.run import run_study


@pytest.fixture(scope="module")
def few(market):
    return replace(market, days=market.days[:4], dropped=())


@pytest.fixture(scope="module")
def answered(few, tmp_path_factory):
    path = tmp_path_factory.mktemp("refits") / "s.db"
    tallies = []
    run_study(few, path, profiles="all", progress=lambda tally: tallies.append(tally))
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
    for name in ("a_x", "rho_xy", "rms", "press", "cooks_distance", "confidence"):
        np.testing.assert_allclose(stored[name], frame[name], rtol=1e-9)
    found = dx.refits.profiles(study.settings.diagnosis.levels)
    stored = study.profiles[study.profiles["date"] == str(day.date)].set_index("parameter")
    for curve in found.curves:
        np.testing.assert_allclose(stored.loc[curve.name, "low"], curve.low, rtol=1e-9)
        np.testing.assert_allclose(stored.loc[curve.name, "high"], curve.high, rtol=1e-9)


def test_how_far_the_fit_moves_is_a_metric_of_the_day(few, answered):
    """Cook's distance from its definition, with the fit of the day without the quote."""
    path, _ = answered
    day, study = few.days[0], cs.open_study(path)
    fit, levels = cs.calibrate(day), []
    free = int((fit.at_bound == 0).sum())
    scale = fit.objective / (len(day.prices) - free)
    for label in day.labels:
        other = cs.calibrate(day.without([label])).parameters
        rise = ((other.prices(day) / day.prices - 1.0) ** 2).sum() - fit.objective
        levels.append(stats.f.cdf(rise / (free * scale), free, len(day.prices) - free))
    stored = study.days.iloc[0]
    assert stored["largest_refit_confidence"] == pytest.approx(max(levels), rel=1e-6)
    assert stored["largest_refit_confidence_at"] == day.labels[int(np.argmax(levels))]


def test_a_quote_that_moves_the_fit_out_of_its_region_is_a_reason(few, tmp_path):
    limits = {"governance": {"limits": {"largest_refit_confidence": {"amber": 0.0}}}}
    study = run_study(few, tmp_path / "s.db", limits)
    row = study.days.iloc[0]
    said = f"without {row['largest_refit_confidence_at']} the fit moves to the edge of "
    assert said in study.rag["reasons"].iloc[0]


def test_days_that_have_answers_are_left_alone(answered, few, monkeypatch):
    path, _ = answered
    monkeypatch.setattr(tasks, "profile_columns", lambda *_: pytest.fail("computed again"))
    tallies = []
    run_study(few, path, profiles="all", progress=lambda tally: tallies.append(tally))
    assert tallies[-1].refits_total == 0


def test_usually_the_latest_days_and_those_that_are_not_green_are_profiled(tmp_path, monkeypatch):
    monkeypatch.setattr(refits, "LATEST", 2)
    some = cs.demo_market().between("2020-03-12", "2020-03-23")
    limits = {"largest_leverage": {"amber": 0.97}, "largest_refit_confidence": False}
    strict = {"governance": {"limits": limits}}
    study = run_study(some, tmp_path / "s.db", strict, profiles="usual")
    flagged = set(study.rag.loc[study.rag["rag"] != "green", "date"])
    usual = flagged | set(study.days["date"].iloc[-2:])
    assert len(flagged) < len(usual) < len(study.days)
    assert set(study.profiles["date"]) == usual


def test_a_study_by_delta_method_is_profiled_on_request_alone(few, tmp_path):
    delta, one = {"diagnosis": {"method": "delta"}}, replace(few, days=few.days[:1])
    for wanted, is_there in (("usual", False), ("all", True)):
        study = run_study(one, tmp_path / "s.db", delta, profiles=wanted)
        assert not study.left_out.empty
        assert (not study.profiles.empty) == is_there


def test_stored_intervals_carry_the_marks_of_the_diagnosis(few, answered):
    """Second minima, gaps and contradictions are those of `dx.intervals`, by the same rule."""
    path, _ = answered
    study = cs.open_study(path)
    seen = 0
    for day in few.days:
        dx = cs.diagnose(cs.calibrate(day))
        for level in study.settings.diagnosis.levels:
            own = dx.intervals((0.5, 0.75, 0.95)).at(level)
            names = list(own.specs.names)
            rows = at(study.profiles, day, level).set_index("parameter").loc[names]
            assert rows["mark"].tolist() == list(own.marks)
            assert set(rows["scale"]) == {"mse"}
            np.testing.assert_allclose(rows["second_minimum"], own.second_minimum, rtol=1e-9)
            assert rows["is_connected"].tolist() == own.is_connected.tolist()
            rows = at(study.intervals, day, level)
            assert rows.loc[rows["scale"] == "mad", "is_contradicted"].isna().all()  # not known
            marks = rows[rows["scale"] == "mse"].set_index("parameter").loc[names]
            quick = dx.intervals(level, method="delta")
            assert marks["is_contradicted"].tolist() == quick.is_contradicted.tolist()
            seen += int(quick.is_contradicted.sum())
    assert seen > 0


def at(frame, day, level):
    return frame[(frame["date"] == str(day.date)) & (frame["level"] == level)]


def test_a_study_without_profiles_contradicts_nothing(study):
    assert study.profiles.empty
    assert study.intervals["is_contradicted"].isna().all()


def test_what_is_slow_is_fitted_again_on_request_alone(few, tmp_path):
    slow = {"calibration": {"bounds": {"rho_xy": [-1.0, 0.9]}}}
    one = replace(few, days=few.days[:1])
    for wanted, is_there in (("usual", False), ("all", True)):
        study = run_study(one, tmp_path / "s.db", slow, profiles=wanted)
        assert (not study.left_out.empty) == is_there
        assert (not study.profiles.empty) == is_there
        assert study.days["largest_refit_confidence"].isna().all()


def test_a_day_that_fails_does_not_stop_the_others(few, tmp_path, monkeypatch):
    real, bad = tasks.alone, few.days[2].date

    def sometimes(dx, fit):
        if fit.problem.day.date == bad:
            raise FloatingPointError("no such luck")
        return real(dx, fit)

    for module in (tasks, left_out):
        monkeypatch.setattr(module, "alone", sometimes)
    monkeypatch.setattr(refits, "CHUNK", 1)
    tallies = []
    study = run_study(
        few, tmp_path / "s.db", profiles="all",
        progress=lambda tally: tallies.append((tally.refits_done, tally.refits_failed)),
    )  # fmt: skip
    assert tallies[-1] == (5, 2)  # without each quote it is tried twice
    assert len(set(study.left_out["date"])) == len(set(study.profiles["date"])) == 3
    assert study.failed_refits["date"].dt.date.to_list() == [bad] * 2
    assert study.failed_refits["task"].to_list() == ["left_out", "profiles"]
    assert set(study.failed_refits["reason"]) == {"FloatingPointError: no such luck"}
    for module in (tasks, left_out):
        monkeypatch.setattr(module, "alone", real)
    study = run_study(few, tmp_path / "s.db", profiles="all")
    assert study.failed_refits.empty
    assert len(set(study.left_out["date"])) == len(set(study.profiles["date"])) == 4


def test_an_unknown_choice_is_refused(few, tmp_path):
    with pytest.raises(ValueError, match=r"^profiles is .*; choose from usual, all, latest, none"):
        run_study(few, tmp_path / "s.db", profiles="some")
