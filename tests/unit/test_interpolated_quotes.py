"""Quotes that a file marks as interpolated."""

import io

import numpy as np
import pytest
import xlsxwriter
from rich.console import Console

import calibscope as cs
from calibscope.market.settings import Conventions
from calibscope.report.outcomes import check_as_data
from calibscope.report.render.terminal import on_terminal
from calibscope.report.sections.check import check_document
from calibscope.report.sections.study_quotes import (
    interpolated_sentence,
    quoted_kinds,
    strikes_sentence,
)

YEARS = (2, 3, 5, 7, 8, 10, 12)
DATES = ("2024-06-03", "2024-06-04")
MARKED = {(DATES[0], 8): "Interpolated", (DATES[0], 12): "derived", (DATES[1], 12): "estimated",
          (DATES[1], 2): "quoted", (DATES[1], 3): "Traded"}  # fmt: skip


def read(folder, status="status", marks=MARKED, more=(), **checks):
    """The market of two days of seven caps, with this column for the status."""
    rows = [
        f"{date},{year}Y,{0.009 + 1e-5 * i},{marks.get((date, year), '')}{''.join(more)}"
        for i, date in enumerate(DATES)
        for year in YEARS
    ]
    header = f"date,maturity,normal_vol,{status}{',other' * len(more)}"
    (folder / "caps.csv").write_text("\n".join([header, *rows]))
    lines = ["date,1Y,5Y,30Y", f"{DATES[0]},0.97,0.88,0.5", f"{DATES[1]},0.971,0.881,0.501"]
    (folder / "curve.csv").write_text("\n".join(lines))
    settings = {"checks": checks}
    return cs.read_market(folder / "caps.csv", folder / "curve.csv", settings=settings)


def page(market):
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(on_terminal(check_document(market, Conventions(), everything=True)))
    return console.export_text()


@pytest.mark.parametrize("name", ["status", "vol_status", "Quote status", "price_status"])
def test_marked_quotes_are_kept_and_counted(tmp_path, name):
    market = read(tmp_path, name)
    assert market.interpolated == {"8Y": 1, "12Y": 2}
    assert market.unused_columns == ()
    first, second = (np.array(day.labels)[day.is_interpolated].tolist() for day in market)
    assert (first, second) == (["8Y", "12Y"], ["12Y"])
    words = "interpolated  12Y on 2 days, 8Y on 1 day; leave them out with --set "
    assert f"{words}checks.interpolated=drop" in page(market)
    assert check_as_data(market)["interpolated"] == {"8Y": 1, "12Y": 2}


def test_marks_are_part_of_a_days_identity_but_not_of_its_fit(tmp_path):
    """Else a study that is run again, now with the column, would never show them."""
    marked, plain = read(tmp_path), read(tmp_path, marks={})
    assert marked.fingerprint != plain.fingerprint
    assert all((one.prices == two.prices).all() for one, two in zip(marked, plain, strict=True))
    other = read(tmp_path, marks={**MARKED, (DATES[1], 7): "estimated"})
    assert len({day.fingerprint for market in (marked, plain, other) for day in market}) == 5
    assert plain.interpolated == {}
    assert plain.days[0].is_interpolated is None
    assert "interpolated" not in page(plain)


@pytest.mark.parametrize(
    ("name", "yes", "no"),
    [("interpolated", "yes", "No"), ("Interpolated", "TRUE", "false"),
     ("interpoliert", "ja", "nein"), ("interpolated", 1, 0)],
)  # fmt: skip
def test_a_column_of_its_own_marks_them(tmp_path, name, yes, no):
    marks = {(date, year): no for date in DATES for year in YEARS}
    marks |= {(DATES[0], 8): yes, (DATES[0], 12): yes, (DATES[1], 12): yes, (DATES[1], 3): ""}
    market = read(tmp_path, name, marks)
    assert market.interpolated == {"8Y": 1, "12Y": 2}
    assert market.unused_columns == ()
    assert market.fingerprint == read(tmp_path).fingerprint


def test_marks_of_a_workbook_may_be_true_or_false(tmp_path):
    file = tmp_path / "caps.xlsx"
    with xlsxwriter.Workbook(file) as book:
        sheet = book.add_worksheet("Caps")
        sheet.write_row(0, 0, ("date", "maturity", "normal_vol", "interpolated"))
        for i, year in enumerate(YEARS, 1):
            sheet.write_row(i, 0, (DATES[0], f"{year}Y", 0.009))
            sheet.write_boolean(i, 3, year == 7)
    (tmp_path / "curve.csv").write_text(f"date,1Y,30Y\n{DATES[0]},0.97,0.5\n")
    assert cs.read_market(file, tmp_path / "curve.csv").interpolated == {"7Y": 1}


def test_dropped_ones_are_gaps(tmp_path):
    market = read(tmp_path, interpolated="drop", fewest_quotes=5)
    assert [day.labels[-1] for day in market] == ["10Y", "10Y"]
    assert market.labels == ("2Y", "3Y", "5Y", "7Y", "8Y", "10Y")
    assert market.interpolated == {}
    # Nobody quotes 12Y then, so that no day lacks it.
    assert [finding.message.split(";")[0] for finding in market.incomplete] == [
        "normal_vol is missing at 8Y (interpolated)"
    ]
    (finding,) = (one for one in market.warnings if one.check == "interpolated")
    assert finding.message == "12Y is left out, interpolated on all days"
    filtered = read(tmp_path, interpolated="drop", incomplete="drop")
    assert [day.labels for day in filtered] == [("2Y", "3Y", "5Y", "7Y", "8Y", "10Y")]
    wanted = {"interpolated": "drop", "incomplete": "drop", "maturities": [7, 8, 10, 12]}
    with pytest.raises(cs.MarketDataError, match="2 dropped as incomplete"):
        read(tmp_path, **wanted)
    every = {(date, year): "estimated" for date in DATES for year in YEARS}
    with pytest.raises(cs.MarketDataError, match="no day can be used"):
        read(tmp_path, marks=every, interpolated="drop")


def test_a_study_that_is_run_again_shows_marks_that_are_new(tmp_path):
    unmarked = cs.run_study(read(tmp_path, marks={}), tmp_path / "study.db")
    assert not interpolated_sentence(unmarked)
    assert (quoted_kinds(unmarked), strikes_sentence(unmarked)) == ("caps", "caps are at the money")
    study = cs.run_study(read(tmp_path), tmp_path / "study.db")
    words = "3 quotes are marked as interpolated: 12Y on 2 days, 8Y on 1 day."
    assert words in interpolated_sentence(study)
    assert words in cs.write_report(study, tmp_path / "report.html").read_text(encoding="utf-8")
    quotes = study.quotes
    shown = quotes[quotes["is_interpolated"]]
    assert shown["label"].tolist() == ["8Y", "12Y", "12Y"]
    assert cs.open_study(tmp_path / "study.db").day(DATES[0]).is_interpolated.sum() == 2


def test_dropping_what_is_not_there_is_an_idle_setting(tmp_path):
    market = read(tmp_path, marks={}, interpolated="drop")
    (finding,) = market.warnings
    assert "checks.interpolated (no quote is marked as interpolated) has no effect" in str(finding)


def test_marks_follow_their_quotes(tmp_path):
    day = read(tmp_path).days[0]
    assert np.array(day.without(["8Y"]).labels)[day.without(["8Y"]).is_interpolated] == ["12Y"]
    assert day.without([8, 12]).is_interpolated is None
    assert day.only_caps.is_interpolated.tolist() == day.is_interpolated.tolist()
    with pytest.raises(ValueError, match="read-only"):
        day.is_interpolated[0] = True


def test_one_of_two_columns_is_enough(tmp_path):
    text = "price_status"
    rows = [f"{DATES[0]},{year}Y,0.009,{'derived' if year == 7 else ''},quoted" for year in YEARS]
    header = f"date,maturity,normal_vol,{text},vol_status"
    (tmp_path / "caps.csv").write_text("\n".join([header, *rows]))
    (tmp_path / "curve.csv").write_text(f"date,1Y,30Y\n{DATES[0]},0.97,0.5\n")
    market = cs.read_market(tmp_path / "caps.csv", tmp_path / "curve.csv")
    assert market.interpolated == {"7Y": 1}


def test_the_column_of_a_curve_is_nobodys(tmp_path):
    market = read(tmp_path)
    text = "date,maturity,discount_factor,status\n"
    text += "".join(f"{date},{t}Y,{f},guess\n" for date in DATES for t, f in ((1, 0.97), (30, 0.5)))
    (tmp_path / "curve.csv").write_text(text)
    again = cs.read_market(tmp_path / "caps.csv", tmp_path / "curve.csv")
    assert again.unused_columns == ("status (curve.csv)",)
    assert again.interpolated == market.interpolated
