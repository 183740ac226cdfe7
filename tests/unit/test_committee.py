"""The committee edition in pieces: verdict, reasons and actions, axes, counts in words."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from calibscope.report.drawings.scales import Axis
from calibscope.report.render.mathml import mathml
from calibscope.report.sections.appendix.formulas import FORMULAS
from calibscope.report.sections.committee import verdict as module
from calibscope.report.sections.committee.verdict import MOST, points, verdict
from calibscope.study.rag import Rag, Raised
from calibscope.study.statistics.periods import as_often, of_days
from calibscope.study.statistics.stored_day import StoredDay, _before

NUMBERS = {
    "date": pd.Timestamp("2024-06-06"), "rmsre": 0.0213, "plausible_rmsre": 0.0217,
    "largest_residual": -0.0512, "largest_residual_at": "30Y", "lost_directions": 1,
    "largest_refit_confidence": 0.9996, "largest_refit_confidence_at": "3Y", "outlier": "7Y",
    "largest_bound_cost_at": "rho_xy", "implausible_because": "a_x = 6.3 is above 5",
    "summary": "Reduced EDoF (4 of 5): a_x up and sigma_x up together leave all prices unchanged; "
               "removing 3Y would change the parameters substantially (Cook's distance 1.5).",
}  # fmt: skip


def day(*rules, rag="amber", **numbers):
    """A day as far as the verdict looks at it."""
    raised = [(rule, colour, f"said of {rule}") for rule, colour in rules]
    quotes = pd.DataFrame({"own_leverage": [0.98, 0.4]}, index=["3Y", "30Y"])
    parameters = pd.DataFrame(index=["a_x", "a_y", "sigma_x", "sigma_y", "rho_xy"])
    return StoredDay(
        pd.Series({**NUMBERS, **numbers}), rag, pd.DataFrame(raised, columns=["rule", "colour",
        "reason"]), quotes, parameters, 0.95, True, None, np.nan,
    )  # fmt: skip


def test_praise_follows_where_rules_leave_room_and_speak_of_something_else(monkeypatch):
    rated = SimpleNamespace(
        raised=[Raised("rmsre", "RMSRE 2.13 %", Rag.AMBER)], reasons=("RMSRE 2.13 %",)
    )
    monkeypatch.setattr(module, "latest_rated", lambda study: rated)
    monkeypatch.setattr(module, "steps_of_study", lambda study, rated: ("Compare 30Y.",))
    reasons, actions = points(None, day())
    assert reasons[:2] == ("RMSRE 2.13 %.", "The fit is nearly forced through 3Y (leverage 0.98).")
    assert actions[0] == "Compare 30Y."
    assert len(reasons) <= MOST
    assert "within the limits" not in " ".join(reasons)


@pytest.mark.parametrize(
    ("rag", "words"), [("green", "can be used."), ("amber", "once the points"), ("red", "Do not")]
)
def test_the_verdict_follows_the_status(rag, words):
    study = SimpleNamespace(days=pd.DataFrame({"date": [NUMBERS["date"]], "reason": [""]}))
    assert words in verdict(study, day(rag=rag))
    later = {"date": [pd.Timestamp("2024-06-07")], "reason": ["No curve."]}
    study = SimpleNamespace(days=pd.DataFrame(later))
    assert verdict(study, day(rag=rag)) == (
        "2024-06-07 has no calibration (No curve); the latest one is that of 2024-06-06."
    )


def test_a_summary_has_no_number_that_the_table_has_otherwise():
    assert day().summary.endswith("would change the parameters substantially.")


@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        (["2024-02-01", "2024-03-07", "2024-03-08", "2024-06-05"], "2024-03-07"),
        (["2019-12-30", "2024-06-05"], "2024-06-05"),  # nothing near a quarter ago
        ([], None),
    ],
)
def test_the_change_is_that_of_about_a_quarter(dates, expected):
    every = pd.DataFrame({"date": pd.to_datetime([*dates, "2024-06-06"])})
    found = _before(SimpleNamespace(fitted=every), pd.Timestamp("2024-06-06"))
    assert found == (None if expected is None else pd.Timestamp(expected))


@pytest.mark.parametrize(
    ("marks", "first", "again"),
    [
        ([True, True, False], "2 of 3 days", "2 of them"),
        ([True] * 3, "all 3 days", "all"),
        ([False] * 3, "none of 3 days", "none"),
        ([True], "the day", "all"),
        ([True] * 25 + [False] * 75, "25 % of 100 days", "25 %"),
    ],
)
def test_shares_of_few_days_are_counts(marks, first, again):
    assert of_days(pd.Series(marks)) == first
    assert as_often(pd.Series(marks)) == again


@pytest.mark.parametrize(
    ("axis", "words"),
    [
        (Axis(0.08, 7.0, 100, 0, is_log=True), ["0.1", "0.2", "0.5", "1", "2", "5"]),
        (Axis(1e-5, 10, 0, 100, is_log=True, most=7),
         ["1e-05", "0.0001", "0.001", "0.01", "0.1", "1", "10"]),
        (Axis(-2.2, 2.2, 100, 0), ["-2", "-1", "0", "1", "2"]),
        (Axis(0.0, 1.0, 0, 100), ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
    ],
)  # fmt: skip
def test_axes_have_round_ticks_in_order(axis, words):
    assert [text for _, text in axis.ticks] == words
    places = [axis(value) for value, _ in axis.ticks]
    assert (np.diff(places) * np.sign(axis.end - axis.start) > 0).all()
    assert axis(axis.low) == axis.start
    assert axis(axis.high) == axis.end


def test_every_formula_is_closed_and_says_the_same_in_words():
    for quantity, text, tex, _ in FORMULAS:
        made = mathml(tex)
        for name in ("mrow", "mfrac", "msqrt", "msub", "msup", "msubsup"):
            assert made.count(f"<{name}>") == made.count(f"</{name}>"), quantity
        assert "\\" not in made
        assert text
