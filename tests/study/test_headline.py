"""What a user reads first follows what the analysis knows: screening, plausibility, data, rules."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import calibscope as cs
from calibscope.calibration.near_optimal.evidence import evidence
from calibscope.market.findings import Finding, Severity
from calibscope.report.render.as_data import as_data
from calibscope.report.sections.study import study_document
from calibscope.study.rag import Rag, ratings_of
from calibscope.study.screening import suspicions
from calibscope.study.settings import StudySettings

DATE = "2020-03-18"


@pytest.fixture(scope="module")
def market():
    return cs.demo_market().between("2020-01-02", "2020-03-25")


@pytest.fixture(scope="module")
def study(market, tmp_path_factory):
    return cs.run_study(market, tmp_path_factory.mktemp("clean") / "s.db")


def with_error(market, label, factor, date=DATE):
    """The market with one price multiplied."""
    days = []
    for day in market.days:
        if str(day.date) == date:
            prices = np.array(day.prices)
            prices[day.labels.index(label)] *= factor
            day = replace(day, prices=prices)
        days.append(day)
    return replace(market, days=tuple(days))


@pytest.fixture(scope="module")
def planted(market, tmp_path_factory):
    return cs.run_study(with_error(market, "3Y", 1.1), tmp_path_factory.mktemp("wrong") / "s.db")


def on(frame, date=DATE):
    return frame[frame["date"] == pd.Timestamp(date)]


def test_a_wrong_quote_that_the_fit_meets_makes_the_day_red(study, planted):
    assert on(study.rag)["rag"].item() == "green"
    (row,) = on(planted.rag).to_dict("records")
    assert row["rag"] == "red"
    assert row["reasons"].startswith("3Y is likely wrong: vol ")
    assert on(planted.quotes).set_index("label").loc["3Y", "leverage"] > 0.95  # it is met anyway
    expected = on(planted.screening).set_index("label").loc["3Y", "expected_vol"]
    truth = on(study.screening).set_index("label").loc["3Y", "vol"]
    assert expected == pytest.approx(truth, rel=0.03)
    assert set(on(planted.challenger_fits)["label"]) == {"3Y"}


def test_the_days_after_are_not_accused(planted):
    later = planted.screening[planted.screening["date"] > pd.Timestamp(DATE)]
    assert not later["verdict"].isin(["likely wrong", "below intrinsic value"]).any()


def test_night_after_night_is_as_all_at_once(market, study, planted, tmp_path):
    """The nightly file has the new day alone; the store has the past."""
    wrong, path = with_error(market, "3Y", 1.1), tmp_path / "s.db"
    cs.run_study(wrong.between("2020-01-02", "2020-03-16"), path)
    for date in ("2020-03-17", DATE, "2020-03-19"):
        found = cs.run_study(wrong.between(date, date), path)
    columns = ["date", "label", "score", "verdict"]
    upto = planted.screening[planted.screening["date"] <= pd.Timestamp("2020-03-19")]
    pd.testing.assert_frame_equal(
        found.screening[columns], upto[columns].reset_index(drop=True), rtol=1e-9
    )
    assert on(found.rag)["rag"].item() == "red"
    restated = cs.run_study(market.between(DATE, DATE), path)
    assert on(restated.screening)["verdict"].eq("in line").all()
    assert on(restated.rag)["rag"].item() == "green"


COLUMNS = ["date", "label", "score", "vol", "expected_vol", "verdict"]


def as_all_at_once(found, expected):
    pd.testing.assert_frame_equal(found.screening[COLUMNS], expected.screening[COLUMNS], rtol=1e-9)


def test_history_that_comes_late_judges_the_days_that_were_there(market, planted, tmp_path):
    wrong, path = with_error(market, "3Y", 1.1), tmp_path / "s.db"
    alone = cs.run_study(wrong.between(DATE, "2020-03-25"), path)
    assert set(alone.screening["verdict"]) == {"not screened"}
    assert on(alone.rag)["rag"].item() != "red"
    found = cs.run_study(wrong.between("2020-01-02", "2020-03-17"), path)
    as_all_at_once(found, planted)
    assert on(found.rag)["rag"].item() == "red"
    assert on(cs.run_study(wrong, path).challenger_fits)["label"].eq("3Y").all()


def test_a_correction_changes_what_later_days_are_compared_with(market, planted, study, tmp_path):
    path = tmp_path / "s.db"
    cs.run_study(with_error(market, "3Y", 1.1), path)
    corrected = cs.run_study(market.between(DATE, DATE), path)
    as_all_at_once(corrected, study)
    later = "2020-03-19"
    before = on(planted.screening, later)["score"].to_numpy()
    assert np.abs(on(corrected.screening, later)["score"].to_numpy() - before).max() > 0.01


def test_a_date_that_is_dropped_now_has_no_verdicts_left(market, tmp_path):
    path, some = tmp_path / "s.db", market.between("2020-03-10", DATE)
    assert len(on(cs.run_study(some, path).screening)) == 13
    lost = Finding(Severity.DROPPED, "caps", "price is missing", some.days[-1].date)
    found = cs.run_study(replace(some, days=some.days[:-1], dropped=(lost,)), path)
    assert on(found.screening).empty
    assert not on(found.screening, "2020-03-17").empty


def test_prices_that_are_off_together_make_the_day_amber_and_name_nobody(market, tmp_path):
    wrong = with_error(with_error(market, "3Y", 1.1), "4Y", 1.1)
    study = cs.run_study(wrong, tmp_path / "s.db", profiles="none")
    (row,) = on(study.rag).to_dict("records")
    assert row["rag"] == "amber"
    assert "the day's quotes moved unlike their past" in row["reasons"]
    assert set(on(study.screening)["verdict"]) == {"unusual day"}
    assert "unusual_day" in set(on(study.raised_rules)["rule"])


def test_days_that_could_not_be_screened_say_so_in_their_own_colour(study):
    notes = study.rag.set_index("date")["notes"]
    fitted = study.fitted["date"]
    assert set(notes[fitted[:20]]) == {"not screened: the history before is too short"}
    assert set(notes[fitted[20:]]) == {""}
    assert "green" in set(study.rag[study.rag["notes"] != ""]["rag"])


def test_a_gap_is_no_reason(tmp_path):
    market = cs.demo_market().between("2020-03-02", "2020-03-06")
    lost = Finding(
        Severity.WARNING, "caps", "price is missing", market.days[0].date, check="incomplete"
    )
    odd = Finding(Severity.WARNING, "caps", "vol moves by 40 %", market.days[1].date, check="jump")
    some = replace(market, warnings=(lost, odd))
    study = cs.run_study(some, tmp_path / "s.db", profiles="none")
    first, second = study.days.iloc[0], study.days.iloc[1]
    assert (first["warnings"], first["is_incomplete"]) == ("", True)
    assert "price is missing" in first["gaps"]
    assert "data:" not in study.rag["reasons"].iloc[0]
    assert (second["gaps"], second["is_incomplete"]) == ("", False)
    assert "data: caps" in study.rag["reasons"].iloc[1]


def test_no_green_day_is_implausible_or_has_a_named_quote(planted):
    green = planted.rag[planted.rag["rag"] == "green"]["date"]
    fitted = planted.fitted[planted.fitted["date"].isin(green)]
    assert len(green) > 10
    assert not fitted["is_implausible"].any()
    assert fitted["warnings"].eq("").all()
    verdicts = planted.screening[planted.screening["date"].isin(green)]["verdict"]
    assert not verdicts.str.contains("likely wrong|one of|stale").any()


def test_the_best_plausible_fit_is_kept_beside_the_best(tmp_path):
    market = cs.demo_market().between("2023-06-12", "2023-06-16")
    study = cs.run_study(market, tmp_path / "s.db")
    for day in market:
        fit = cs.calibrate(day)
        known = evidence(fit)
        row = on(study.fitted, day.date).iloc[0]
        assert row["is_implausible"] == (not known.is_plausible)
        assert row["plausible_rmsre"] == pytest.approx(known.plausible_rmsre, rel=1e-6)
        own = on(study.parameters, day.date).set_index("parameter")["plausible"]
        np.testing.assert_allclose(
            fit.problem.rmsre(own[list(fit.problem.specs.names)].to_numpy()),
            known.plausible_rmsre, rtol=1e-6,
        )  # fmt: skip
    assert study.fitted["is_implausible"].any()
    amber = study.rag[study.rag["reasons"].str.contains("implausible: ")]
    assert (amber["rag"] != "green").all()
    text = str(as_data(study_document(study)))
    assert "best plausible fit" in text
    assert "Rules of the RAG statuses" in text


def test_a_day_without_results_is_grey(tmp_path):
    market = cs.demo_market().between("2020-03-02", "2020-03-13")
    study = cs.run_study(market, tmp_path / "s.db")
    lost = study.days[study.days["rmsre"].isna()]["date"]
    assert len(lost) == 1
    assert set(study.rag[study.rag["date"].isin(lost)]["rag"]) == {"grey"}
    assert "; 1 more has no results." in str(as_data(study_document(study)))


def test_rules_can_be_turned_off():
    day = {"date": [DATE], "rmsre": [0.01], "status": ["CONVERGED"], "reason": [""],
           "is_implausible": [True], "implausible_because": ["sigma_x = 1.00 is above 0.1"],
           "warnings": ["caps: odd"]}  # fmt: skip
    rows = {"date": [DATE], "label": ["3Y"], "vol": [0.01], "expected_vol": [0.009],
            "verdict": ["likely wrong"]}  # fmt: skip
    suspected = suspicions(rows)
    rules = StudySettings().governance
    ((rag, reasons),) = ratings_of(day, rules, suspected)
    assert rag is Rag.RED
    assert reasons == ("3Y is likely wrong: vol 100.0 bp, 90.0 expected",)
    ((rag, reasons),) = ratings_of(day, rules, {})
    assert rag is Rag.AMBER
    assert reasons == ("implausible: sigma_x = 1.00 is above 0.1", "data: caps: odd")
    off = rules.model_copy(update={"screening": False, "warnings": False, "amber": ()})
    assert ratings_of(day, off, suspected) == [(Rag.GREEN, ())]
