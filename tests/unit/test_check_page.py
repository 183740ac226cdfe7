"""What `calibscope check` advises when most days lack a maturity that the file has."""

import io
import re

import pytest
from rich.console import Console

import calibscope as cs
from calibscope.market.settings import Conventions
from calibscope.report.outcomes import check_as_data
from calibscope.report.render.terminal import on_terminal
from calibscope.report.sections.check import check_document

DROP = {"checks": {"incomplete": "drop"}}  # the paper's filter

ROWS = [(date, year) for date in ("2024-06-03", "2024-06-04", "2024-06-05") for year in (3, 5, 10)]


@pytest.mark.parametrize(("lacking", "is_said"), [(1, False), (2, True)])
def test_maturities_are_named_where_most_days_lack_one(tmp_path, lacking, is_said):
    some = [row for row in ROWS if row[1] != 10 or row[0] >= f"2024-06-0{3 + lacking}"]
    caps, curve = tmp_path / "caps.csv", tmp_path / "curve.csv"
    lines = [f"{date},{year}Y,0.009" for date, year in some]
    caps.write_text("\n".join(["date,maturity,normal_vol", *lines]))
    dates = sorted({date for date, _ in some})
    curve.write_text("\n".join(["date,1Y,30Y", *(f"{date},0.97,0.5" for date in dates)]))
    market = cs.read_market(caps, curve, settings=DROP)
    assert len(market) == 3 - lacking
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(on_terminal(check_document(market, Conventions())))
    assert ("Fewer than 6 maturities are quoted on all days" in console.export_text()) == is_said


def test_days_without_any_quote_are_another_matter(tmp_path):
    caps, curve = tmp_path / "caps.csv", tmp_path / "curve.csv"
    caps.write_text("date,3Y,5Y\n2024-06-03,.01,.02\n2024-06-06,.01,.02\n")
    dates = [f"2024-06-0{day}" for day in range(3, 8)]
    curve.write_text("\n".join(["date,1Y,30Y", *(f"{date},0.97,0.5" for date in dates[1:4])]))
    market = cs.read_market(caps, curve, settings=DROP)
    assert len(market) == 1
    assert len(market.dropped) == 3
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(on_terminal(check_document(market, Conventions())))
    assert "checks.maturities" not in console.export_text()


YEARS = (3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30)


def written(folder, quoted, lacking_nodes=()):
    """A caps file with these maturities per day, and a curve that lacks a node on some days."""
    caps, curve = folder / "caps.csv", folder / "curve.csv"
    dates = [f"2024-06-{3 + i:02d}" for i in range(len(quoted))]
    lines = [
        f"{date},{year}Y,0.009" for date, years in zip(dates, quoted, strict=True) for year in years
    ]
    caps.write_text("\n".join(["date,maturity,normal_vol", *lines]))
    nodes = [f"{date},{'' if date in lacking_nodes else '0.97'},0.9,0.5" for date in dates]
    curve.write_text("\n".join(["date,1Y,5Y,30Y", *nodes]))
    return caps, curve


def advice(text):
    """The maturities that a page or an error advises."""
    found = re.search(r"checks\.maturities = \[([\d., ]+)\]", text)
    return [float(year) for year in found.group(1).split(",")] if found else None


def page(market):
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(on_terminal(check_document(market, Conventions())))
    return console.export_text()


@pytest.mark.parametrize(
    ("partly", "advised"),
    [
        ((3, 4, 5, 6, 7, 8, 9), (3, 4, 5, 6, 7, 8, 9)),  # six are lacking, a message names four
        ((3, 5, 7, 10, 15, 20, 25, 30), (3, 5, 7, 10, 15, 20, 25, 30)),
    ],
)
@pytest.mark.parametrize("complete", [1, 2])
def test_the_maturities_that_are_advised_are_quoted_on_all_days(
    tmp_path, partly, advised, complete
):
    files = written(tmp_path, [YEARS] * complete + [partly] * 3)
    market = cs.read_market(*files, settings=DROP)
    assert len(market) == complete
    years = advice(page(market))
    assert years == list(advised)
    again = cs.read_market(*files, settings={"checks": {"maturities": years}})
    assert len(again) == complete + 3
    assert not again.dropped


def test_a_finding_carries_all_maturities_that_its_message_cuts_off(tmp_path):
    market = cs.read_market(*written(tmp_path, [YEARS, YEARS[:7]]), settings=DROP)
    (finding,) = market.dropped
    assert finding.message == "normal_vol is missing at 10Y, 12Y, 15Y, 20Y and 2 more"
    assert finding.lacking == (10.0, 12.0, 15.0, 20.0, 25.0, 30.0)
    (data,) = check_as_data(market)["dropped"]
    assert data["lacking"] == ["10Y", "12Y", "15Y", "20Y", "25Y", "30Y"]


def test_days_that_lack_different_maturities_have_fewer_in_common(tmp_path):
    partly = [[year for year in YEARS if year not in lacking] for lacking in ((3, 4), (30,), (9,))]
    market = cs.read_market(*written(tmp_path, [YEARS, *partly]), settings=DROP)
    assert advice(page(market)) == [5, 6, 7, 8, 10, 12, 15, 20, 25]


def test_days_without_a_curve_do_not_count(tmp_path):
    """Nodes of a curve are not maturities of caps, and a day without its curve is lost anyway."""
    files = written(tmp_path, [YEARS, *[YEARS[:-1]] * 2, (3,)], lacking_nodes=["2024-06-06"])
    market = cs.read_market(*files, settings=DROP)
    assert advice(page(market)) == list(YEARS[:-1])
    dates = [f"2024-06-{3 + i:02d}" for i in range(1, 4)]
    market = cs.read_market(*written(tmp_path, [YEARS] * 4, lacking_nodes=dates), settings=DROP)
    assert len(market) == 1
    assert advice(page(market)) is None


def test_maturities_are_advised_where_no_day_is_left(tmp_path):
    partly = [[year for year in YEARS if year != lacking] for lacking in (3, 10, 30)]
    files = written(tmp_path, partly)
    with pytest.raises(cs.MarketDataError, match="no day can be used") as error:
        cs.read_market(*files, settings=DROP)
    years = advice(str(error.value))
    assert years == [4, 5, 6, 7, 8, 9, 12, 15, 20, 25]
    assert len(cs.read_market(*files, settings={"checks": {"maturities": years}})) == 3
