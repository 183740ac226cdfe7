"""The page of a study on a terminal: what is there is shown, what is not is not missed."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

import calibscope as cs
from calibscope.report.render.as_data import as_data
from calibscope.report.render.terminal import on_terminal
from calibscope.report.run import run_page
from calibscope.report.sections.study_blocks import reference_blocks
from calibscope.report.study import study_document, study_page, study_screen
from calibscope.study.run import Tally, run_study
from renderings import in_html, tables


def printed(page):
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(page, crop=False)
    return console.export_text()


def test_a_history_without_the_reference_dates(study):
    page = printed(study_page(study))
    assert page.startswith("SYNTHETIC built-in Euro market: 50 days calibrated and diagnosed, 5")
    assert "Reference dates" not in page
    assert "   3Y  ███" in page
    assert "rho_xy = -1" in page
    assert "; 5 more have no results." in page


def test_reference_dates_where_they_are(tmp_path):
    march = cs.demo_market().between("2020-03-16", "2020-03-20")
    study = run_study(march, tmp_path / "s.db", {"governance": {"limits": {"rmsre": {"red": 0}}}})
    page = printed(study_page(study))
    assert "2020-03-18  COVID" in page
    assert "ECB hike" not in page
    assert "the last 3 of 5 red ones" in page
    assert "2020-03-20  RMSRE 0." in page
    assert "study.challenger_fits" in page


def test_the_long_form_is_a_document_like_others(study):
    made = study_document(study)
    sections = as_data(made)["sections"]
    titles = [part["title"] for part in sections]
    assert titles[0] == ""
    assert titles[1:] == ["Which quotes decide the fit?", "How much do they determine?",
                          "Which days need review?"]  # fmt: skip
    (rows,) = (one["rows"] for one in tables(sections[1]["blocks"]))
    assert rows[0]["quote"] == "3Y"
    assert all(title in in_html(made) for title in titles)
    # In the terminal the second and the third are beside each other.
    assert f"{titles[1]}      {titles[2]}" in printed(study_page(study))


@pytest.mark.parametrize("count", [0, 1])
def test_few_or_no_days(market, tmp_path, count):
    study = run_study(replace(market, days=market.days[:count], dropped=()), tmp_path / "s.db")
    page = printed(study_page(study))
    assert ("no day has results" in page) == (count == 0)


def test_a_run_ends_with_the_answer_on_its_latest_day(market, study, tmp_path):
    tallies = []
    two = replace(market, days=market.days[:1], dropped=market.dropped[:1])
    mine = run_study(two, tmp_path / "s.db", progress=tallies.append)
    page = printed(run_page(mine, tallies[-1]))
    assert page.startswith("May the calibration of 2017-10-03 be used?")
    assert "GREY: no, there is none." in page
    assert "\n2017-09-15 green: RMSRE 1." in page  # the other day of the run
    ending = f"Computed 2 days. Without results: 1 day.\nResults: {mine.path}\n"
    assert page.endswith(ending)
    page = printed(run_page(study, Tally(50, 0, done=50)))
    assert "Which quotes decide" in page
    assert "2017-09-15 green" not in page
    assert "Leverage by quote" not in page
    page = printed(run_page(study, Tally(0, 50), is_full=True))
    assert "Leverage by quote" in page
    assert "Nothing to do: all 50 days are stored" in page


def test_the_other_models_are_rated_too(tmp_path):
    two = cs.demo_market().between("2020-03-17", "2020-03-18")
    both = {"calibration": {"model": ["g2++", "hull-white"]}}
    page = " ".join(
        printed(on_terminal(study_screen(run_study(two, tmp_path / "s.db", both)))).split()
    )
    assert "Hull-White: RMSRE " in page


def test_the_reference_dates_are_those_of_the_store(tmp_path):
    hike = cs.demo_market().between("2022-07-20", "2022-07-21")
    study = run_study(hike, tmp_path / "s.db")
    table, summary = reference_blocks(study)
    day = study.days.set_index("date").loc["2022-07-21"]
    row = [texts[0] for _, texts in table.shown]
    assert row[:4] == ["2022-07-21", "ECB hike", f"{100 * day['rmsre']:.2f}", f"{day['edof']:.0f}"]
    assert row[4] == f"{day['largest_leverage']:.2f} ({day['largest_leverage_at']})"
    assert row[6].endswith(f"({day['largest_residual_at']})")
    assert summary == f"**2022-07-21** {day['summary']}"
