"""One document, several renderings: the same numbers in the terminal, in HTML and as data."""

import ast
import datetime
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import plotly.graph_objects as go
import pytest
from plotly.utils import PlotlyJSONEncoder

import calibscope as cs
from calibscope.base.numbers import BASIS_POINTS, PERCENT, PURE, estimate, number
from calibscope.report.document import (
    Block,
    Box,
    Callout,
    Collapsible,
    Column,
    Document,
    Drawing,
    Figure,
    Heading,
    Listing,
    Noted,
    Paragraph,
    Quantity,
    Range,
    Table,
    collapsible,
    section,
    table,
)
from calibscope.report.render.as_data import as_data
from calibscope.report.render.html import page
from calibscope.report.render.terminal import on_terminal, shown
from calibscope.report.sections.day import day_document
from calibscope.report.sections.diagnosis import quote_table
from calibscope.report.web.components import words
from calibscope.study.metrics import QUOTE_METRICS
from renderings import in_html, in_terminal, tables

NAN = float("nan")
COLUMNS = (
    Column("quote", "s"),
    Column("price error", "+.2f", PERCENT, "model minus market"),
    Column("leverage", ".2f", full=1.0),
    Column("interval", ".3g", BASIS_POINTS),
    Column("largest", ".2f"),
    Column("estimate", ".3g"),
    Column("on"),
    Column("mark"),
    Column("remark", is_extra=True),
)
DAY = datetime.date(2020, 3, 18)
ROWS = (
    (
        "3Y",
        0.01234,
        0.5,
        Range(0.001, 0.002),
        Noted(0.98, "4Y"),
        Quantity(0.12, PERCENT),
        DAY,
        "",
        "x",
    ),
    ("4Y", NAN, NAN, Range(NAN, NAN), Noted(NAN, "5Y"), Quantity(NAN, PERCENT), None, "", "y"),
)


FOLDERS = ("report", "study", "diagnosis", "calibration", "cli")
FORM = re.compile(r"[+,]*\.\d+[efg%]")  # of a number with a fraction


def by_hand(text):
    """Numbers that an f-string formats itself: their lines.

    f"{share:.1%}", f"{100 * share:.1f} %", f"{1e4 * vol:g} bp". Templates are no f-strings: Plotly
    fills its own, and those of metrics and flags are filled with `Shown`, which writes itself.
    """
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FormattedValue):
            form = ast.unparse(node.format_spec) if node.format_spec else ""
            value = node.value.operand if isinstance(node.value, ast.UnaryOp) else node.value
            scaled = isinstance(value, ast.BinOp) and ast.unparse(value).startswith(SCALES)
            if FORM.search(form) or (scaled and form):
                yield node.lineno


SCALES = ("100 *", "100.0 *", "1e4 *", "10000.0 *")


def no_figure():
    raise AssertionError("a figure was made")


def document(*blocks, label=""):
    return Document("A day", "caps.csv", (section("part", "A part", *blocks),), label, "the end")


def test_a_table_is_written_alike_and_its_data_are_numbers():
    made = document(table("Quotes", COLUMNS, ROWS, bold=[0]))
    row = ["3Y", "+1.23", "0.50", "10 to 20", "0.98 (4Y)", "12 %", "2020-03-18"]
    missing = ["4Y", "-", "-", "-", "-", "-"]
    lines = [line.split() for line in in_terminal(on_terminal(made)).splitlines()]
    assert [*" ".join(row[:2]).split(), "██████", *" ".join(row[2:]).split()] in lines
    assert " ".join(missing).split() in lines
    said = in_html(made)
    assert f"{' '.join(row)} x" in said
    assert " ".join(missing) in said
    assert "price error %" in said
    (data,) = tables(as_data(made)["sections"][0]["blocks"])
    assert data["columns"][1] == {
        "title": "price error", "unit": "%", "sentence": "model minus market",
    }  # fmt: skip
    first, second = json.loads(json.dumps(data["rows"], allow_nan=False))
    assert first["price error"] == pytest.approx(1.234)
    assert first["interval"] == pytest.approx({"low": 10.0, "high": 20.0})
    assert first["largest"] == {"value": 0.98, "note": "4Y"}
    assert first["estimate"] == {"value": 12.0, "unit": "%"}
    assert first["on"] == "2020-03-18"
    assert second["price error"] is None
    assert second["interval"] == {"low": None, "high": None}


def test_the_formatter_writes_all_numbers():
    source = Path(cs.__file__).parent
    found = [
        f"{file.relative_to(source).as_posix()}:{line}"
        for folder in FOLDERS
        for file in sorted((source / folder).rglob("*.py"))
        for line in by_hand(file.read_text(encoding="utf-8"))
    ]
    assert not found
    for form in ("{x:.1%}", "{100 * x:g} %", "{-1e4 * x:.2g} bp", "{x:+,.2f}", "{x:.3g}"):
        assert list(by_hand(f'f"{form}"'))
    assert not list(by_hand('f"{x:g}, {n:,}, {day:%Y-%m-%d}, %{{y:.3g}}, {name:>8}"'))


def test_columns_of_quotes_say_what_their_metric_says():
    (data,) = tables(as_data(document(quote_table(cs.diagnose(
        cs.calibrate(cs.demo_market().day("2020-03-18"))
    ))))["sections"][0]["blocks"])  # fmt: skip
    said = {metric.text for metric in QUOTE_METRICS}
    assert [column["sentence"] in said for column in data["columns"]] == [False, *[True] * 4]


def test_empty_columns_and_what_is_wide_are_left_out_in_the_terminal():
    text = in_terminal(shown(table("Quotes", COLUMNS, ROWS)))
    assert "mark" not in text
    assert "remark" not in text
    assert "mark" not in [column.title for column, _ in table("Quotes", COLUMNS, ROWS).shown]


def test_a_title_never_widens_its_column():
    made = table("t", (Column("range of what fits as well", ".3g"),), [(Range(0.1, 0.2),)])
    lines = in_terminal(shown(made)).splitlines()
    assert [line.strip() for line in lines[1:4]] == ["range of", "what fits", "as well"]


def test_the_terminal_neither_makes_figures_nor_shows_what_is_collapsible():
    made = document(
        Heading("Why?"), "Say `calibscope day`.", Paragraph("a note", is_note=True),
        Callout("take care"), Figure(no_figure), collapsible("More", "hidden", Figure(no_figure)),
        None, "", label="SYNTHETIC data",
    )  # fmt: skip
    lines = in_terminal(on_terminal(made)).split("\n")
    assert [line.strip() for line in lines if line.strip()] == [
        "A day", "caps.csv", "SYNTHETIC data", "A part", "Why?", "Say calibscope day.", "a note",
        "take care",
    ]  # fmt: skip
    kinds = [block["kind"] for block in as_data(made)["sections"][0]["blocks"]]
    assert kinds == ["heading", "paragraph", "paragraph", "callout", "collapsible"]
    text = page(document(Callout("take care", "bad"), collapsible("More", "hidden")))
    assert '<p class="callout bad">take care</p>' in text
    assert re.search("<details><summary>More</summary>.*<p>hidden</p>.*</details>", text, re.DOTALL)


def a_figure():
    return go.Figure(layout={"title": {"text": "Why here?"}})


# One block of each kind, and the words by which it is recognised.
BLOCKS = {
    Heading: (Heading("a heading"), ["a heading"]),
    Paragraph: (Paragraph("a `code` and **bold** words", is_note=True), ["code", "bold"]),
    Callout: (Callout("take care", "bad"), ["take care", "callout bad"]),
    Table: (
        table("a caption", (Column("a title", sentence="a tooltip"),), [["a cell"]], bold=[0]),
        ["a caption", "a title", "a tooltip", "a cell", "bold"],
    ),
    Listing: (Listing("a list", ("one line", "another"), 1), ["a list", "one line", "another"]),
    Figure: (Figure(a_figure), ["Why here?"]),
    Collapsible: (
        collapsible("closed", "inside", table("in it", (Column("t"),), [["deep"]]),
                    Figure(a_figure)),
        ["closed", "inside", "in it", "deep", "Why here?"],
    ),
    Drawing: (Drawing("<svg></svg>", "seen, in words", "seen"), ["seen"]),
    Box: (
        Box("amber", "today", "it can be used", (Listing("why", ("it fits",)),),
            (Paragraph("more"),)),
        ["today", "it can be used", "why", "it fits", "more"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", get_args(Block))
def test_every_kind_of_block_is_rendered_everywhere(kind):
    """One that is new has to be added here, and is not dropped anywhere."""
    block, said = BLOCKS[kind]
    text = page(document(block))
    live = json.dumps([one.to_plotly_json() for one in words([block])], cls=PlotlyJSONEncoder)
    assert all(word in text for word in said)
    assert all(word in live for word in said)
    if kind not in (Figure, Drawing):
        (data,) = as_data(document(block))["sections"][0]["blocks"]
        assert data["kind"] == kind.__name__.lower()
    if kind not in (Figure, Drawing, Collapsible):
        assert said[0] in in_terminal(on_terminal(document(block)))


def opened(blocks, is_open=True):
    """Blocks, and whether they are open at first."""
    for block in blocks:
        yield block, is_open
        if isinstance(block, Collapsible):
            yield from opened(block.blocks, is_open=False)


@pytest.mark.parametrize("date", ["2020-03-18", "2024-06-06"])
def test_a_day_has_the_same_numbers_everywhere(date):
    """Every number as data, written as its column writes it, is in HTML, and in the terminal
    unless it is closed at first.
    """
    made = day_document(cs.calibrate(cs.demo_market().day(date)), "a market", True)
    terminal, said = in_terminal(on_terminal(made)), in_html(made)
    columns = {
        (block.caption, column.title): (column, is_open)
        for part in made.sections
        for block, is_open in opened(part.blocks)
        if hasattr(block, "columns")
        for column in block.columns
    }
    count = 0
    for part in as_data(made)["sections"]:
        for block in tables(part["blocks"]):
            for row in block["rows"]:
                for title, value in row.items():
                    if isinstance(value, float):
                        column, is_open = columns[block["caption"], title]
                        form = column.form
                        text = form(value) if callable(form) else number(value, form)
                        assert text in terminal or not is_open, (title, text)
                        assert text in said, (title, text)
                        count += 1
    assert count > 100
    for sentence in re.findall("Next: .*", terminal):
        assert sentence.rstrip() in said.replace("--refits )", "--refits)").replace("( --", "(--")


def test_a_page_in_the_terminal_needs_neither_plotly_nor_pandas():
    code = (
        "import calibscope.report.sections.day, calibscope.report.render.terminal, sys;"
        "print(*({'plotly', 'jinja2', 'dash'} & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.split() == []


def test_numbers_have_one_form():
    assert PURE.text(2.0) == "2"
    assert PERCENT.text(None) == "-"
    assert PERCENT.text(float("inf")) == "inf %"
    assert [number(value, "+.2f") for value in (0.001, -0.001, 0.01)] == ["0.00", "0.00", "+0.01"]
    assert number(-0.0) == "0"
    assert number(1e-9, ".2e") == "1.00e-09"
    assert estimate(NAN) == "-"
    assert estimate(0.99999, 3) == "0.99999"
