"""R reads a store and its export: its figures, and numbers that are those of Python."""

import shutil
import subprocess

import pytest
from doc_blocks import ROOT, blocks

import calibscope as cs
from programs import rscript

PAGE = ROOT / "docs" / "guide" / "r.md"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files of the page: examples, a store and its export."""
    folder = tmp_path_factory.mktemp("r")
    shutil.copytree(ROOT / "examples", folder / "examples")
    market = cs.read_market(folder / "examples" / "caps.csv", folder / "examples" / "ois.csv")
    cs.export(cs.run_study(market, folder / "study.db"), folder / "results", format="csv")
    return folder


def run_r(folder, *words):
    """What R prints."""
    command = [rscript("RSQLite", "r-cran-rsqlite"), *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_example_prints_what_the_page_shows(folder):
    printed = run_r(folder, "examples/figures.R", "study.db", "results", "figures.pdf")
    (shown,) = (block.text for block in blocks(PAGE) if block.language == "text")
    assert printed == shown
    assert b"/Count 2" in (folder / "figures.pdf").read_bytes()  # a page for each figure


def test_python_says_the_same(folder):
    study = cs.open_study(folder / "study.db")
    leverage = study.quotes.groupby("label")["leverage"].mean()
    rag = study.rag["rag"].value_counts()
    shown = PAGE.read_text(encoding="utf-8")
    assert f"3Y {leverage['3Y']:.2f}" in shown
    assert f"30Y {leverage['30Y']:.2f}" in shown
    assert f"RAG: {rag['green']} green, {rag['amber']} amber, 0 red" in shown


@pytest.mark.parametrize(
    "block", [one for one in blocks(PAGE) if one.language == "r"], ids=lambda block: block.place
)
def test_every_block_of_the_page_runs(block, folder):
    run_r(folder, "-e", block.text)


def test_a_store_that_is_not_there_is_not_made(folder):
    with pytest.raises(AssertionError, match=r"no\.db: no such study"):
        run_r(folder, "examples/figures.R", "no.db")
    assert not (folder / "no.db").exists()
