"""Days as they come: each with its own quotes and its own curve."""

import dataclasses
import io
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console

import calibscope as cs
from calibscope.cli import main
from calibscope.market.assembly import assemble
from calibscope.market.demo import demo_panels, planted_gaps
from calibscope.market.settings import CheckSettings, Conventions, MarketSettings
from calibscope.models.g2.book import CapBook
from calibscope.report.render.terminal import on_terminal
from calibscope.report.sections.check import check_document
from calibscope.study.statistics import completeness

REAL = Path(__file__).parents[3] / "shared" / "data" / "real"


def shorter(panel, days=slice(0, 60)):
    """A copy of the first days of a table."""
    return dataclasses.replace(panel, dates=panel.dates[days], values=panel.values[days].copy())


@pytest.fixture
def panels():
    """Sixty complete days of the synthetic market: prices, strikes, discount factors."""
    every = demo_panels()
    complete = [
        i for i, date in enumerate(every[0].dates.tolist()) if date not in planted_gaps()
    ][:60]  # fmt: skip
    return [shorter(panel, complete) for panel in every]


def made(panels, **checks):
    return assemble(panels, MarketSettings(checks=CheckSettings(**checks)))


def test_a_complete_market_is_the_same_kept_or_dropped(panels):
    kept, dropped = made(panels), made(panels, incomplete="drop")
    assert kept.fingerprint == dropped.fingerprint
    assert kept.incomplete == ()
    assert len(CapBook.from_days(kept.days).reset) == len(CapBook.from_days(dropped.days).reset)


def test_the_days_of_the_paper_are_those_of_the_drop_filter():
    """And with "keep" they are the same to the last bit; the others come on top."""
    panels = [shorter(panel, slice(0, 400)) for panel in demo_panels()]
    filtered, kept = made(panels, incomplete="drop"), made(panels)
    added = {finding.date for finding in kept.incomplete}
    assert added
    assert set(kept.dates) == set(filtered.dates) | added
    assert not added & set(filtered.dates)
    for date in filtered.dates:
        assert kept.day(date).fingerprint == filtered.day(date).fingerprint
    assert all("the day is kept with its other" in finding.message for finding in kept.incomplete)


def test_a_day_keeps_the_quotes_that_it_has(panels):
    prices, strikes, _ = panels
    prices.values[5, [0, 3]] = np.nan
    strikes.values[6, -1] = np.nan
    market = made(panels)
    assert len(market) == 60
    day = market.days[5]
    assert day.labels == tuple(np.delete(market.days[0].labels, [0, 3]))
    assert market.days[6].labels == market.days[0].labels[:-1]
    assert market.days[6].schedule.times[-1] == 25.0
    assert day.prices.tolist() == np.delete(prices.values[5], [0, 3]).tolist()
    assert [finding.message for finding in market.incomplete] == [
        "price is missing at 3Y, 6Y; the day is kept with its other 11 quotes",
        "strike is missing at 30Y; the day is kept with its other 12 quotes",
    ]
    vols = market.normal_vols
    assert np.isnan(vols).sum() == 3
    np.testing.assert_array_equal(vols[5, ~np.isnan(vols[5])], day.normal_vols)
    fits = cs.calibrate_many(market.days[4:8])
    assert [len(problem.day.prices) for problem in fits.problems] == [13, 11, 12, 13]
    assert (fits.rmsre < 0.2).all()
    np.testing.assert_allclose(fits.rmsre[1], cs.calibrate(day).rmsre, rtol=1e-9)


def test_a_day_keeps_the_curve_that_it_has(panels):
    curves = panels[2]
    nodes = curves.maturities
    curves.values[3, nodes == 7] = np.nan
    curves.values[4, nodes > 20] = np.nan
    market = made(panels)
    assert len(market.days[3].curve.times) == len(market.days[0].curve.times) - 1
    assert market.days[3].labels == market.days[0].labels
    short = market.days[4]
    assert (short.curve.last_time, short.labels[-1]) == (20.0, "20Y")
    (finding,) = market.incomplete
    assert finding.message.startswith("the curve ends at 20 years, before 25Y, 30Y; extend")
    assert len(made(panels, incomplete="drop")) == 58


def test_curves_of_different_nodes(panels):
    """Gaps are no moves of a rate, and a node that no day with quotes has is no matter."""
    curves = panels[2]
    curves.values[::3, curves.maturities == 7] = np.nan
    rng = np.random.default_rng(1)
    curves.values[:] *= np.exp(-curves.maturities * 5e-4 * rng.standard_normal((60, 1)))
    more = np.insert(curves.values, 0, np.nan, axis=1)
    panels[2] = dataclasses.replace(
        curves, maturities=np.append(0.001, curves.maturities), values=more
    )
    market = made(panels)
    assert {len(day.curve.times) for day in market} == {len(curves.maturities) + k for k in (0, 1)}
    assert not [one for one in market.warnings if (one.check, one.maturity) == ("rate jump", 7)]
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(on_terminal(check_document(market, Conventions())))
    count = len(curves.maturities)
    assert f"; {count - 1} to {count} nodes, 1D to 50Y" in console.export_text()


def test_only_days_with_findings_are_advised_to_be_left_out(panels):
    """Of what they quote: a day that lacks some quotes is not doubtful."""
    few = [shorter(panel, slice(0, 12)) for panel in panels]
    few[0].values[2, 0] = np.nan

    def advice():
        market = made(few)
        console = Console(width=300, record=True, file=io.StringIO())
        console.print(on_terminal(check_document(market, Conventions())))
        found = re.findall(r"checks\.exclude=(\S+)", console.export_text())
        return market, found

    market, found = advice()
    assert {finding.check for finding in market.warnings} == {"incomplete"}
    assert found == []
    for panel in few[:2]:
        panel.values[7] = panel.values[6]
    market, found = advice()
    assert found == [str(market.dates[7])]


def test_too_few_quotes_drop_the_day(panels):
    panels[0].values[5, 5:] = np.nan
    panels[0].values[6] = np.nan
    panels[2].values[7] = np.nan
    market = made(panels)
    assert len(market) == 57
    assert [finding.message for finding in market.dropped] == [
        "price is missing at 8Y, 9Y, 10Y, 12Y and 4 more; 5 quotes can be used, and an incomplete "
        "day needs 6 (checks.fewest_quotes)",
        "there is no price of this date",
        "there is no curve of this date",
    ]
    assert len(made(panels, fewest_quotes=5)) == 58


def test_bad_quotes_of_a_ragged_day_drop_it(panels):
    panels[0].values[5, 0] = np.nan
    panels[0].values[5, 1] = 1e-6
    panels[0].values[9, 2] = -1.0
    market = made(panels)
    assert {finding.check for finding in market.dropped} == {"near zero", "not positive"}
    assert len(market) == 58


def test_ragged_days_on_calendar_dates(panels):
    panels[0].values[5, [0, 12]] = np.nan
    settings = MarketSettings.from_mapping({"conventions": {"schedule": "TARGET"}})
    market = assemble(panels[:1] + panels[2:], settings)
    assert market.days[5].labels == market.days[0].labels[1:-1]
    assert market.days[5].schedule.periods == 50
    assert market.days[4].schedule.periods == 60


def test_the_demo_market_with_its_incomplete_days(tmp_path):
    """They come on top, and are reported apart; the complete days stay what they are."""
    complete, every = (cs.demo_market(how) for how in ("drop", "keep"))
    assert (len(complete), len(every), len(every.incomplete)) == (2157, 2219, 62)
    lacking = {finding.date for finding in every.incomplete}
    hashes = [day.fingerprint for day in every if day.date not in lacking]
    assert hashes == [day.fingerprint for day in complete]
    year = every.between("2020-01-01", "2020-06-30")
    study = cs.run_study(year, tmp_path / "study.db")
    table = completeness(study).set_index("among")
    count = len({finding.date for finding in year.incomplete})
    assert table["days"].to_dict() == {
        "complete days": len(year) - count,
        "incomplete days": count,
    }
    assert table["quotes"]["incomplete days"] < 13
    text = cs.write_report(study, tmp_path / "report.html").read_text(encoding="utf-8")
    assert f"{count} days lack some quotes" in text
    assert f"Not quoted on all {len(year)} days: " in text


def test_a_study_of_ragged_days(panels, tmp_path):
    panels[0].values[5, [0, 3]] = np.nan
    panels[1].values[6, -1] = np.nan
    panels[2].values[8, panels[2].maturities > 20] = np.nan
    market = made([shorter(panel, slice(0, 12)) for panel in panels])
    study = cs.run_study(market, tmp_path / "study.db")
    counts = study.days.set_index("date")["quote_count"]
    assert counts.tolist() == [13, 13, 13, 13, 13, 11, 12, 13, 11, 13, 13, 13]
    assert study.quotes.groupby("date").size().tolist() == counts.tolist()
    assert study.days["gaps"].str.contains("is missing at 3Y, 6Y").sum() == 1
    cs.write_report(study, tmp_path / "report.html")
    cs.export(study, tmp_path / "tables", format="parquet")
    day = market.days[5]
    assert study.day(day.date).fingerprint == day.fingerprint


@pytest.mark.skipif(not REAL.is_dir(), reason="the real quotes are not here")
@pytest.mark.parametrize(
    ("curve", "counts"), [("curve", [15, 13, 13]), ("ois_daily_2016_2019", [13])]
)
def test_three_real_days_that_quote_different_maturities(curve, counts, tmp_path):
    settings = {"caps": {"quantity": "normal_vol"}}
    market = cs.read_market(REAL / "caps.csv", REAL / f"{curve}.csv", settings=settings)
    assert [len(day.prices) for day in market] == counts
    assert market.unused_columns == ("price (caps.csv)",)  # beside the vols that were chosen
    if curve != "curve":
        assert market.overlap.endswith("and both on 1")
        return
    assert market.interpolated == {"6Y": 1, "8Y": 1, "9Y": 1, "12Y": 2, "25Y": 1}
    study = cs.run_study(market, tmp_path / "study.db")
    assert (study.days["rmsre"] < 0.03).all()
    cs.write_report(study, tmp_path / "report.html")


@pytest.mark.skipif(not REAL.is_dir(), reason="the real quotes are not here")
def test_real_days_on_daily_curves_by_command(tmp_path):
    """The daily curves begin after two of the days, whose own curves precede them in the file."""
    few, daily = (REAL / f"{name}.csv" for name in ("curve", "ois_daily_2016_2019"))
    before = [line for line in few.read_text().splitlines() if not line.startswith("2019")]
    later = daily.read_text().splitlines()[1:]
    curves, store = tmp_path / "curves.csv", tmp_path / "study.db"
    curves.write_text("\n".join(before + later))
    files = [str(REAL / "caps.csv"), "--curve", str(curves), "--set", "caps.quantity=normal_vol"]

    def printed(command, *more, code=0):
        result = CliRunner().invoke(main, [command, *files, *map(str, more)])
        assert result.exit_code == code, result.output
        return " ".join(result.output.split())

    text = printed("check", code=3)
    assert "3 of 3 days can be used" in text
    assert "quotes on 3 days (2015-04-30 to 2019-12-30), curves on 819 days" in text
    assert "12 to 69 nodes" in text
    assert "unread column price (caps.csv)" in text
    assert "checks.exclude" not in text  # days that merely lack quotes are not to be left out
    assert "Computed 3 days." in printed("run", "--store", store)
    study = cs.open_study(store)
    assert study.days["quote_count"].tolist() == [15, 13, 13]
    assert (study.days["rmsre"] < 0.03).all()
    for date in study.days["date"].astype(str):
        page = tmp_path / f"{date}.html"
        printed("day", "--date", date, "--html", page)
        quoted = re.findall(r'<td class="number">(\d+Y)</td>', page.read_text(encoding="utf-8"))
        assert set(quoted) == set(study.day(date).labels)
