"""RAG statuses by rules, and the challenger fit at red days."""

import numpy as np
import pytest

import calibscope as cs
from calibscope.models.g2.parameters import SPECS
from calibscope.report.sections.study_blocks import rule_table
from calibscope.study.rag import Rag, ratings_of
from calibscope.study.run import run_study
from calibscope.study.settings import GovernanceSection, StudySettings, study_settings

scaled = SPECS.coordinates.of

GOOD = {
    "status": "CONVERGED", "reason": "Converged.", "rmsre": 0.004,
    "largest_residual": -0.01, "largest_residual_at": "10Y", "largest_leverage": 0.5,
    "largest_leverage_at": "3Y", "largest_studentized": 1.5, "largest_studentized_at": "5Y",
    "lost_directions": 0, "has_unidentified_parameters": False, "is_off_optimum": False,
}  # fmt: skip


def rag(rules=None, **changes):
    columns = {name: [value] for name, value in {**GOOD, **changes}.items()}
    ((found, reasons),) = ratings_of(columns, rules or GovernanceSection())
    return found, reasons


def test_a_good_day_is_green():
    assert rag() == (Rag.GREEN, ())


@pytest.mark.parametrize(
    ("changes", "expected", "reason"),
    [
        ({"rmsre": 0.03}, Rag.AMBER, "RMSRE 3.00 %"),
        ({"rmsre": 0.06}, Rag.RED, "RMSRE 6.00 %"),
        ({"largest_residual": -0.2}, Rag.RED, "residual -20.0 % at 10Y"),
        (
            {"has_outlier": True, "outlier": "one of 3Y, 4Y"},
            Rag.AMBER,
            "one of 3Y, 4Y is an outlier: the others are met well only without it",
        ),
        (
            {"largest_refit_confidence": 0.97, "largest_refit_confidence_at": "3Y"},
            Rag.AMBER,
            "without 3Y the fit moves to the edge of its confidence region of level 97.0 %",
        ),
        (
            {"widest_reach": 1.25, "widest_reach_at": "a_x from 0.87 to 10"},
            Rag.AMBER,
            "an RMSRE within 10 % of the best allows a_x from 0.87 to 10",
        ),
        (
            {"largest_bound_cost": 0.012, "largest_bound_cost_at": "rho_xy"},
            Rag.AMBER,
            "the bound of rho_xy adds 1.2 % to RMSRE, to first order",
        ),
        ({"lost_directions": 2}, Rag.RED, "2 parameter combinations are not identified"),
        ({"lost_directions": 1}, Rag.AMBER, "one parameter combination is not identified"),
        (
            {"is_off_optimum": True},
            Rag.RED,
            "the parameters could still explain residuals, inside the bounds",
        ),
        ({"status": "FAILED", "rmsre": None, "reason": "no price"}, Rag.GREY, "no price"),
        ({"status": "UNREACHABLE", "reason": "far"}, Rag.RED, "far"),
        ({"rmsre": float("nan"), "reason": "dropped"}, Rag.GREY, "dropped"),
    ],
)
def test_rules_one_by_one(changes, expected, reason):
    assert rag(**changes) == (expected, (reason,))


@pytest.mark.parametrize(
    "changes",
    [
        {"largest_leverage": 0.9999},
        {"largest_studentized": -30.0},
        {"has_large_residual": True},
        {"largest_multiplier": 40.0, "largest_multiplier_at": "rho_xy"},
        {"largest_bound_cost": 0.009, "widest_reach": 0.75, "largest_refit_confidence": 0.94},
        {"warnings": "", "gaps": "caps: price is missing at 3Y", "is_incomplete": True},
    ],
)
def test_what_is_no_reason(changes):
    """Neither a number that means nothing without refits nor a gap in the data is one."""
    assert rag(**changes) == (Rag.GREEN, ())


def test_a_red_day_names_only_what_is_red():
    found, reasons = rag(rmsre=0.06, largest_leverage=0.999)
    assert found is Rag.RED
    assert reasons == ("RMSRE 6.00 %",)


def test_rules_are_the_users():
    rules = study_settings(
        {
            "governance": {
                "limits": {
                    "scale_mse": {"red": 0.1},
                    "rmsre": False,
                    "largest_residual": {"red": 1},
                },
                "red": "has_outlier",
            }
        }
    ).governance
    assert rag(rules, rmsre=0.06, scale_mse=0.05, has_outlier=False)[0] is Rag.GREEN
    assert rag(rules, scale_mse=0.2, has_outlier=False) == (Rag.RED, ("scale_mse 0.2",))
    assert rag(rules, scale_mse=0.0, has_outlier=True, outlier="3Y")[0] is Rag.RED
    assert rag(rules, scale_mse=0.0, has_outlier=False, largest_residual=0.06)[0] is Rag.AMBER
    assert rag(rules, scale_mse=0.0, has_outlier=False, lost_directions=2)[0] is Rag.RED
    again = StudySettings.model_validate_json(StudySettings(governance=rules).model_dump_json())
    assert again.governance == rules


def test_unknown_names_are_refused():
    with pytest.raises(cs.SettingsError, match=r"no 'rmse'; .* \(did you mean 'rmsre'\?\)"):
        study_settings({"governance": {"limits": {"rmse": {"red": 1}}}})
    with pytest.raises(cs.SettingsError, match="there is no 'has_outliers'"):
        study_settings({"governance": {"red": ["has_outliers"]}})


def test_every_rule_is_counted_by_colour_and_by_what_it_decides(study):
    limits = {"rmsre": {"amber": 0.006, "red": 0.01}, "largest_residual": {"amber": 0.012}}
    other = type(study)(study.path)
    rules = study_settings({"governance": {"limits": limits}}).governance
    other.__dict__["_settings"] = [StudySettings(governance=rules)]
    found = {row[-1]: row[:3] for row in rule_table(other).rows}
    days, raised = other.fitted, other.raised_rules
    name = "root mean squared relative price error of the fit"
    assert found[name][0] == ((days["rmsre"] >= 0.006) & (days["rmsre"] < 0.01)).sum() > 0
    assert found[name][1] == (days["rmsre"] >= 0.01).sum()
    colours = other.rag.set_index("date")["rag"]
    alone = 0
    for date, rows in raised.groupby("date"):
        deciding = set(rows.loc[rows["colour"] == colours[date], "rule"])
        alone += deciding == {"rmsre"}
    assert found[name][2] == alone > 0
    assert {"red", "amber", "grey"} >= set(raised["colour"])
    assert any(text.startswith("one of several quotes") for text in found)
    assert any(text.startswith("all quotes repeat") for text in found)
    assert "not screened" in rule_table(other).caption
    limit = next(row[3:5] for row in rule_table(other).rows if row[-1] == name)
    assert limit == ("0.6 %", "1 %")


def red_beyond(residual):
    return {"governance": {"limits": {"largest_residual": {"red": residual}}}}


def test_red_days_get_a_challenger_fit(market, study, tmp_path):
    half, quarter = study.fitted["largest_residual"].abs().quantile([0.5, 0.25])
    settings = red_beyond(half)
    store = tmp_path / "s.db"
    study = run_study(market, store, settings)
    ratings = study.rag[study.days["rmsre"].notna()]
    red = set(ratings[ratings["rag"] == "red"]["date"])
    looks = study.challenger_fits
    assert 0 < len(red) < len(market)
    assert set(looks["date"]) == red
    assert looks["variant"].value_counts().to_dict() == {"without": len(red), "halved": len(red)}

    row = looks[looks["variant"] == "without"].iloc[0]
    day = market.day(str(row["date"].date()))
    worst = study.fitted.set_index("date").loc[row["date"], "largest_residual_at"]
    assert row["label"] == worst
    before = cs.calibrate(day)
    other = cs.calibrate(day.without([row["label"]]))
    assert row["rmsre"] == other.rmsre
    moves = scaled(other.parameters.values) - scaled(before.parameters.values)
    assert abs(row["largest_shift"]) == pytest.approx(np.abs(moves).max(), rel=1e-12)

    row = looks[looks["variant"] == "halved"].iloc[0]
    weights = np.array(before.problem.weights)
    weights[np.array(day.labels) == row["label"]] /= 2
    assert row["a_x"] == cs.calibrate(day, weights=weights).parameters.a_x

    again = run_study(market, store, settings)
    assert len(again.challenger_fits) == len(looks)
    assert len(run_study(market, store, red_beyond(quarter)).challenger_fits) > len(looks)


def test_a_look_that_cannot_be_taken_does_not_stop_the_others(market, tmp_path):
    one = market.days[0].without(market.days[0].maturities[1:])
    mixed = cs.Market((one, *market.days[1:3]))
    study = run_study(mixed, tmp_path / "s.db", red_beyond(1e-9))
    looks = study.challenger_fits
    assert len(looks) == 1 + 2 * 2
    assert looks["variant"].iloc[0].endswith("no quote would be left; leave out fewer")
    assert looks["rmsre"].isna().tolist() == [True, False, False, False, False]


def test_other_reasons_mean_another_look(market, tmp_path):
    store, some = tmp_path / "s.db", cs.Market(market.days[:2])
    before = run_study(some, store, red_beyond(1e-9)).challenger_fits
    limits = {"largest_residual": False, "largest_leverage": {"red": 0.1}}
    after = run_study(some, store, {"governance": {"limits": limits}}).challenger_fits
    assert len(after) == len(before)
    assert after["reasons"].str.contains("leverage").all()
