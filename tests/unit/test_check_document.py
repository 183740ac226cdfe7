"""The pages of `calibscope check`: the same sentences and numbers in all renderings."""

import datetime
import json
import math
import re

import pandas as pd
import pytest
from click.testing import CliRunner

import calibscope as cs
from calibscope.cli import main
from calibscope.market.settings import Conventions
from calibscope.report.document import Document, Listing, section
from calibscope.report.render.as_data import as_data
from calibscope.report.render.html import page
from calibscope.report.render.terminal import on_terminal
from calibscope.report.sections.check import check_document
from calibscope.report.sections.check_store import REMEDY, store_document
from calibscope.report.sections.restated import restated_document
from calibscope.study.damage import Damage
from calibscope.study.restated import Restatement
from renderings import in_html, in_terminal, tables

DATES = [f"2024-06-{day:02d}" for day in (3, 4, 5, 6, 7, 10, 11, 12)]
# maturity, kind, strike, normal vol, status: caps beside floors, at several strikes
SURFACE = [
    ("3Y", "cap", "", 0.0091, ""), ("4Y", "cap", "", 0.0090, ""), ("5Y", "cap", "", 0.0089, ""),
    ("7Y", "cap", "", 0.0087, "interpolated"), ("10Y", "cap", "", 0.0085, ""),
    ("10Y", "cap", 0.02, 0.0086, ""), ("10Y", "floor", 0.01, 0.0087, ""),
]  # fmt: skip
# One quote of each maturity and kind, whose strike is given: here those of another curve.
STRUCK = [
    (f"{year}Y", kind, 0.02 + 0.001 * year, 0.009, "") for year in (3, 5, 10)
    for kind in ("cap", "floor")
]  # fmt: skip
WORST = 0.0300  # vol of the last quote on the last day: a jump, to be reviewed


@pytest.fixture
def files(tmp_path):
    """Quotes of eight days, of which four have too few, and stale curves."""

    def write(rows):
        lines = [
            ",".join(map(str, (date, *row)))
            for date in DATES
            for row in (rows[:2] if date in DATES[1:5] else rows)
        ]
        year, kind, strike, _, status = rows[-1]
        lines[-1] = f"{DATES[-1]},{year},{kind},{strike},{WORST},{status}"
        header = "date,maturity,kind,strike,normal_vol,status"
        caps, curve = tmp_path / "caps.csv", tmp_path / "curve.csv"
        caps.write_text("\n".join([header, *lines]))
        nodes = [f"{date},0.97,0.88,0.77,0.5" for date in DATES]
        curve.write_text("\n".join(["date,1Y,5Y,10Y,30Y", *nodes]))
        return caps, curve

    return write


def said(blocks):
    """Every sentence of a document's data, as a reader sees it."""
    for block in blocks:
        if block["kind"] in ("paragraph", "callout"):
            yield re.sub(r"`|\*\*", "", block["text"])
        yield from block.get("lines", ())


def written(document):
    """Every number of its tables, as its column writes it, and every word."""
    for part in document.sections:
        for block in part.blocks:
            for _, texts in getattr(block, "shown", ()):
                yield from texts


def check_everywhere(document):
    """All sentences and cells are in the terminal, on the page and in the data."""
    data = json.loads(json.dumps(as_data(document), allow_nan=False))
    terminal = " ".join(in_terminal(on_terminal(document), 400).split())
    reader = in_html(document)
    texts = [document.title, document.label, document.subtitle, *written(document)]
    for part in data["sections"]:
        texts += [part["title"], *said(part["blocks"])]
    for text in texts:
        words = " ".join(text.split())
        assert words in terminal, words
        assert words in reader, words
    return data


def the_table(data, caption):
    every = (block for part in data["sections"] for block in tables(part["blocks"]))
    return next(block["rows"] for block in every if block["caption"] == caption)


@pytest.mark.parametrize("rows", [SURFACE, STRUCK], ids=["several strikes", "strikes given"])
def test_a_market_is_described_alike_everywhere(files, rows):
    market = cs.read_market(*files(rows))
    assert market.dropped
    assert market.warnings
    document = check_document(market, Conventions(), everything=True)
    data = check_everywhere(document)
    assert document.title == "caps.csv: 4 of 8 days can be used"
    findings = [str(one) for one in (*market.dropped, *market.warnings)]
    lines = [
        line for part in data["sections"] for block in part["blocks"]
        for line in block.get("lines", ())
    ]  # fmt: skip
    assert sorted(lines) == sorted(findings)
    items = {row["item"]: row["in the files"] for row in the_table(data, "Quotes and curves")}
    if rows is SURFACE:
        assert items["floors"].startswith("10Y (1%); 6M tenor")
        assert items["caps"] == "3Y, 4Y, 5Y, 7Y, 10Y (ATM, 2%)"
        assert items["interpolated"].startswith("7Y on 4 days; leave them out with --set ")
        assert market.strike_gaps is None
    else:
        found = the_table(data, "Given minus recomputed strikes, median over the days")
        assert [row["quote"] for row in found] == list(market.strike_gaps.labels)
        gaps = [row["forward swap rate"] for row in found]
        assert gaps == pytest.approx(market.strike_gaps.forward.tolist())
        assert max(map(abs, gaps)) > 10  # of another curve


def test_sizes_are_numbers_in_their_units(files):
    market = cs.read_market(*files(SURFACE))
    sizes = the_table(as_data(check_document(market, Conventions())), "Sizes, over all days")
    found = {row["quantity"]: row for row in sizes}
    vols = [round(found["implied normal vol"][end]["value"], 6) for end in ("lowest", "highest")]
    assert vols == [85, 300]
    assert found["implied normal vol"]["median"]["unit"] == "bp"
    assert found["zero rate 1Y"]["median"]["value"] == pytest.approx(-100 * math.log(0.97))
    prices = [price for day in market for price in day.prices / day.notional]
    assert found["price per notional"]["highest"]["value"] == pytest.approx(1e4 * max(prices))


def test_what_a_user_has_written_is_no_markup():
    lines = ("a`b`.csv: **x**", "<b>bold</b>", "*** in database main ***")
    document = Document("t", "", (section("a", "A", Listing("they", lines)),))
    check_everywhere(document)
    assert "<b>bold" not in page(document)


def test_many_findings_are_a_few_at_once():
    lines = tuple(f"line {k}." for k in range(1005))
    made = Document("t", "", (section("a", "A", Listing("they", lines, 3, "--all lists them")),))
    terminal = in_terminal(on_terminal(made))
    assert "line 2." in terminal
    assert "line 3." not in terminal
    assert "and 1,002 more; --all lists them" in terminal
    text = page(made)
    shown, closed = text.split("<details><summary>and 1,002 more</summary>")
    assert "line 2." in shown
    assert "line 3." not in shown
    assert closed.count("<li>") == 1002
    assert as_data(made)["sections"][0]["blocks"][0]["lines"] == list(lines)


def test_a_damaged_store():
    damage = Damage(
        structure=("*** in database main ***\nTree 2 page 5: never used",),
        days={"2020-03-18": ("days", "quotes"), "2020-03-19": ("influence",)},
        rows={"runs": ("1",)},
    )
    document = store_document("a study.db", 4, damage)
    check_everywhere(document)
    assert document.title.startswith("a study.db: damaged: 2 days (2020-03-18, 2020-03-19), 1 run")
    assert "2020-03-18: days, quotes" in in_terminal(on_terminal(document))
    assert REMEDY in in_html(document)
    sound = store_document("a study.db", 1, Damage())
    check_everywhere(sound)
    assert sound.title == "a study.db: 1 day, all as they were written."


def restatement(change):
    quotes = {
        "label": ["3Y", "5Y", "30Y"], "price_before": [0.01, 0.02, 0.3],
        "price_after": [0.01 * (1 + change), 0.02, math.nan], "change": [change, 0.0, math.nan],
        "leverage_before": [0.98, 0.5, 0.25], "leverage_after": [0.97, 0.5, math.nan],
    }  # fmt: skip
    parameters = {
        "parameter": ["a_x", "rho_xy"], "before": [0.534377, -0.9999997], "after": [0.6, -1.0],
        "shift": [1.23, math.nan],
    }  # fmt: skip
    frame = pd.DataFrame(quotes)
    moved = frame if change else frame[frame["label"] == "5Y"]
    date, rmsre = datetime.date(2020, 3, 18), (0.0068, 0.0072)
    return Restatement(date, (1, 2), rmsre, moved, pd.DataFrame(parameters), False)


def test_a_restated_date():
    found = restatement(0.1)
    data = check_everywhere(restated_document(found, is_synthetic=True))
    assert data["label"].startswith("SYNTHETIC")
    first, gone = the_table(data, "Quotes that moved")
    assert first["price, run 2"] == pytest.approx(110.0)
    assert first["change"] == pytest.approx(10.0)
    assert (gone["quote"], gone["change"], gone["leverage, run 2"]) == ("30Y", None, None)
    terminal = in_terminal(on_terminal(restated_document(found)))
    assert "SYNTHETIC" not in terminal
    assert found.summary in " ".join(terminal.split())
    assert re.search(r"rho_xy +-0.9999997 +-1 +-\n", terminal)
    same = restated_document(restatement(0.0))
    assert "Quotes that moved" not in in_terminal(on_terminal(same))


def test_the_page_of_a_check(files, tmp_path):
    caps, curve = map(str, files(SURFACE))
    target = tmp_path / "check.html"
    arguments = ["check", caps, "--curve", curve]
    result = CliRunner().invoke(main, [*arguments, "--html", str(target)])
    assert (result.exit_code, result.stdout) == (3, f"Page: {target}\n"), result.output
    text = target.read_text(encoding="utf-8")
    assert "caps.csv: 4 of 8 days can be used" in text
    assert len(text) < 100_000  # no figures, so no Plotly
    assert "://" not in text
    printed = CliRunner().invoke(main, [*arguments, "--html", str(target), "--json"])
    data = json.loads(printed.stdout)
    assert (data["page"], data["days"]) == (str(target), 4)
    assert data["document"]["title"] in text
    assert json.loads(CliRunner().invoke(main, [*arguments, "--json"]).stdout)["page"] is None


def test_a_strangers_file_is_not_overwritten(files):
    caps, curve = files(SURFACE)
    before = caps.read_bytes()
    arguments = ["check", str(caps), "--curve", str(curve), "--html", str(caps)]
    result = CliRunner().invoke(main, arguments)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "exists and is not a calibscope report" in result.stderr
    assert caps.read_bytes() == before
