"""What `calibscope check` advises when most days lack a maturity that the file has."""

import io

import pytest
from rich.console import Console

import calibscope as cs
from calibscope.market.settings import MarketSettings
from calibscope.report.check import checked_market

ROWS = [(date, year) for date in ("2024-06-03", "2024-06-04", "2024-06-05") for year in (3, 5, 10)]


@pytest.mark.parametrize(("lacking", "is_said"), [(1, False), (2, True)])
def test_maturities_are_named_where_most_days_lack_one(tmp_path, lacking, is_said):
    some = [row for row in ROWS if row[1] != 10 or row[0] >= f"2024-06-0{3 + lacking}"]
    caps, curve = tmp_path / "caps.csv", tmp_path / "curve.csv"
    lines = [f"{date},{year}Y,0.009" for date, year in some]
    caps.write_text("\n".join(["date,maturity,normal_vol", *lines]))
    dates = sorted({date for date, _ in some})
    curve.write_text("\n".join(["date,1Y,30Y", *(f"{date},0.97,0.5" for date in dates)]))
    market = cs.read_market(caps, curve)
    assert len(market) == 3 - lacking
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(checked_market(market, MarketSettings(), everything=False))
    assert ("Fewer than 6 maturities are quoted on all days" in console.export_text()) == is_said


def test_days_without_any_quote_are_another_matter(tmp_path):
    caps, curve = tmp_path / "caps.csv", tmp_path / "curve.csv"
    caps.write_text("date,3Y,5Y\n2024-06-03,.01,.02\n2024-06-06,.01,.02\n")
    dates = [f"2024-06-0{day}" for day in range(3, 8)]
    curve.write_text("\n".join(["date,1Y,30Y", *(f"{date},0.97,0.5" for date in dates[1:4])]))
    market = cs.read_market(caps, curve)
    assert len(market) == 1
    assert len(market.dropped) == 3
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(checked_market(market, MarketSettings(), everything=False))
    assert "checks.maturities" not in console.export_text()


def test_what_is_advised_helps(tmp_path):
    """The setting as the page writes it, given to the reader."""
    caps, curve = tmp_path / "caps.csv", tmp_path / "curve.csv"
    caps.write_text("date,3Y,5Y,10Y,20Y\n2024-06-03,.01,.02,.04,.07\n2024-06-04,.01,.02,.04,\n")
    curve.write_text("date,1Y,30Y\n2024-06-03,0.97,0.5\n2024-06-04,0.97,0.5\n")
    settings = {"checks": {"maturities": [3, 5, 10]}}
    assert len(cs.read_market(caps, curve)) == 1
    assert len(cs.read_market(caps, curve, settings=settings)) == 2
