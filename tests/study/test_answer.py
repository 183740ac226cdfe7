"""May the calibration of a day be used? The same answer, digits and signs wherever it is shown."""

import io
from dataclasses import replace
from pathlib import Path

import openpyxl
import pytest
from click.testing import CliRunner
from rich.console import Console

import calibscope as cs
from calibscope.base.numbers import estimate, interval, percent
from calibscope.cli import main
from calibscope.diagnosis.settings import USUAL
from calibscope.report.actions import COMPLETE, USE, actions
from calibscope.report.answer import answer_of_fit, answer_of_study
from calibscope.report.export import results_sheet
from calibscope.report.render.terminal import on_terminal
from calibscope.report.sections.answer import answer_screen
from calibscope.report.sections.day import day_document, day_screen
from calibscope.report.study import study_screen
from calibscope.study.rag import Rag, Raised
from calibscope.study.rated_fit import rated_fit
from calibscope.study.settings import StudySettings
from renderings import in_html

EXAMPLES = Path(__file__).parents[2] / "examples"
MARKET = cs.demo_market().between("2024-06-03", "2024-06-06")
HEIGHT = 40  # lines of a screen


def printed(document, width=80):
    console = Console(width=width, file=io.StringIO(), color_system=None)
    console.print(on_terminal(document))
    return console.file.getvalue()


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return cs.run_study(MARKET, tmp_path_factory.mktemp("s") / "study.db", profiles="latest")


@pytest.fixture(scope="module")
def fit():
    return cs.calibrate(MARKET.days[-1])


@pytest.fixture(scope="module")
def rated(fit):
    return rated_fit(fit, MARKET, StudySettings())


def written(cell):
    """As Excel shows a number: with the decimals of its format."""
    form, factor = cell.number_format, 1
    if form.endswith(" %"):
        form, factor = form.removesuffix(" %"), 100
    mantissa, _, exponent = form.partition("E")
    digits = len(mantissa.partition(".")[2])
    text = f"{factor * cell.value:.{digits}{'e' if exponent else 'f'}}"
    return f"{text} %" if factor == 100 else text


def in_workbook(study, folder):
    """The latest day: date, status and reason, RMSRE, then best, low, high, plausible of each."""
    cs.export(study, folder / "results.xlsx")
    sheet = openpyxl.load_workbook(folder / "results.xlsx")["results"]
    row = sheet[results_sheet.FIRST + 1]
    each = [row[5 + 4 * p : 9 + 4 * p] for p in range(5)]
    return row, [[None if c.value is None else written(c) for c in cells] for cells in each]


def test_the_same_digits_in_terminal_page_and_workbook(study, fit, rated, tmp_path):
    row, cells = in_workbook(study, tmp_path)
    answer = answer_of_study(study).calibrated
    best = [*map(estimate, fit.parameters.values)]
    ends = [*map(interval, answer.intervals.low, answer.intervals.high)]
    plausible = [*map(estimate, answer.plausible)]
    assert [first for first, *_ in cells] == best
    assert [f"{low} to {high}" for _, low, high, _ in cells] == ends
    assert [other for *_, other in cells] == plausible
    assert written(row[3]) == percent(fit.rmsre)
    screens = (
        printed(study_screen(study)),
        printed(day_screen(fit, "m", True, USUAL, None, rated)),
        in_html(day_document(fit, "m", True, rated=rated)),
    )
    for text in screens:
        words = " ".join(text.split())
        for line in zip(study.specs.names, best, ends, plausible, strict=True):
            assert " ".join(line) in words
        assert f"RMSRE {percent(fit.rmsre)};" in words
        assert row[2].value.split("; ")[0] in words
        assert f"(EDoF): {written(row[4])} of 5 parameters." in words


def test_only_the_latest_day_is_profiled_for_a_first_look(study):
    assert set(study.profiles["date"]) == {study.days["date"].iloc[-1]}


def test_a_day_is_rated_as_its_study_rates_it(study):
    for day, found in zip(MARKET, study.rag.to_dict("records"), strict=True):
        rated = rated_fit(cs.calibrate(day), MARKET, StudySettings())
        assert (rated.rag.value, "; ".join(rated.reasons)) == (found["rag"], found["reasons"])
        assert rated.note == found["notes"]


def test_a_quote_that_is_likely_wrong_is_named():
    """Screening knows the days before, also where one day is calibrated alone."""
    market = cs.demo_market().between("2019-01-01", "2019-12-31")
    last = market.days[-1]
    prices = last.prices.copy()
    prices[4] *= 1.1
    wrong = replace(market, days=(*market.days[:-1], replace(last, prices=prices)))
    rated = rated_fit(cs.calibrate(wrong.days[-1]), wrong, StudySettings())
    assert rated.rag is Rag.RED
    assert any("7Y is likely wrong" in reason for reason in rated.reasons)
    assert actions(rated.raised, rated.numbers)[0].startswith("Compare 7Y with another source")


@pytest.mark.parametrize("width", [80, 120])
def test_the_answer_is_one_screen(study, fit, rated, width):
    for document in (
        study_screen(study),
        answer_screen(answer_of_fit(fit, cs.diagnose(fit), rated, "caps.csv", False)),
    ):
        lines = printed(document, width).splitlines()
        assert len(lines) <= HEIGHT
        assert lines[0] == "May the calibration of 2024-06-06 be used?"
        assert any(line.strip().startswith("AMBER: yes, once the points") for line in lines)
        assert any("What to do next" in line for line in lines)
        assert sum("█" in line or "▏" in line for line in lines) == 13


def test_a_latest_day_without_results_says_which_there_is(tmp_path):
    market = cs.demo_market()
    lost = market.dropped[0].date
    some = market.between("2016-09-01", lost)
    assert lost == max(finding.date for finding in some.dropped) > some.dates[-1]
    study = cs.run_study(replace(some, days=some.days[-2:]), tmp_path / "s.db")
    text = " ".join(printed(study_screen(study)).split())
    assert f"May the calibration of {lost} be used?" in text
    assert "GREY: no, there is none." in text
    assert COMPLETE in text
    assert f"The latest calibration there is: {some.dates[-1]}" in text


@pytest.mark.parametrize(
    ("rule", "numbers", "sentence"),
    [
        ("rmsre", {"largest_residual_at": "7Y"}, "Compare 7Y with another source; correct or"),
        ("has_outlier", {"outlier": "one of 3Y, 4Y"}, "Compare 3Y, 4Y with another source; "),
        ("has_outlier", {"outlier": "one of 3Y, 4Y"}, "correct or exclude them, and"),
        ("has_outlier", {"outlier": "3Y"}, "correct or exclude it, and calibrate the day again."),
        ("likely_wrong_quote", {"accused": ("3Y", "7Y")}, "Compare 3Y, 7Y with another source"),
        ("largest_refit_confidence", {"largest_refit_confidence_at": "3Y"},
         "Confirm 3Y with a second source before the parameters are released."),
        ("lost_directions", {"summary": "Reduced EDoF (4 of 5): a_x up and sigma_x down together "
         "leave all prices unchanged; rho_xy is at its bound."}, "or fix a_x or sigma_x (setting"),
        ("lost_directions", {"summary": "Reduced EDoF (3 of 5); no quote"}, "or fix a parameter ("),
        ("is_implausible", {"plausible_rmsre": float("nan"), "rmsre": 0.01}, "no plausible fit"),
        ("is_implausible", {"plausible_rmsre": 0.0102, "rmsre": 0.01},
         "almost as well (its RMSRE is 2.0 % higher)."),
        ("is_implausible", {"plausible_rmsre": 0.02, "rmsre": 0.01},
         "an RMSRE of 2.00 %, against 1.00 %."),
        ("largest_bound_cost", {"largest_bound_cost_at": "rho_xy"}, "Justify the bound of rho_xy"),
        ("my_metric", {}, "Review this limit, which your settings have set."),
    ],
)  # fmt: skip
def test_every_rule_has_an_action(rule, numbers, sentence):
    (said,) = actions([Raised(rule, "because", Rag.AMBER)], numbers)
    assert sentence in said


def test_what_is_urgent_comes_first_and_is_said_once():
    raised = [
        Raised("lost_directions", "one", Rag.AMBER),
        Raised("largest_residual", "two", Rag.RED),
        Raised("has_outlier", "three", Rag.AMBER),
    ]
    numbers = {"largest_residual_at": "7Y", "largest_residual": 0.12, "outlier": "7Y"}
    found = actions(raised, numbers)
    assert found[0].startswith("Compare 7Y with another source")
    assert len(found) == 2
    assert actions([], {}) == (USE,)


def test_full_has_the_long_form():
    files = (str(EXAMPLES / "caps.csv"), "--curve", str(EXAMPLES / "ois.csv"))
    short = CliRunner().invoke(main, ["day", *files, "--date", "2020-03-18"])
    full = CliRunner().invoke(main, ["day", *files, "--date", "2020-03-18", "--full"])
    assert short.output.count("\n") <= HEIGHT
    latest = CliRunner().invoke(main, ["day", *files])
    assert latest.output.startswith("May the calibration of 2020-04-30 be used?")
    for question in ("How uncertain are the parameters?", "Market against model"):
        assert (question in full.output, question in short.output) == (True, False)
