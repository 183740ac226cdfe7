"""What the documentation says is what the code does: every block of it runs, every link leads on.

`doc_blocks.py` has the convention. Each page runs in a folder of its own, in which lie the files
that the pages name:

- ``examples/``, and its files as ``caps.csv`` and ``ois.csv``; ``prices.csv`` and ``strikes.csv``
  are the same quotes, wide;
- ``study.db``, a study of them; ``calibscope-demo/study.db``, the same in place of the long one.
"""

import itertools
import re
import runpy
import shutil
import tomllib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from check_links import dead_links
from click.testing import CliRunner
from doc_blocks import ROOT, SHELLS, Block, Command, blocks, commands, pages, tokens

import calibscope as cs
from calibscope.cli import main
from calibscope.market.settings import MarketSettings
from calibscope.study.robustness import variants_of
from calibscope.study.settings import (
    CalibrationSection,
    GovernanceSection,
    StudySettings,
    study_settings,
)

PAGE = ROOT / "docs" / "data.md"
BLOCK = next(block.text for block in blocks(PAGE) if block.language == "toml")
NAMES = [page.relative_to(ROOT).as_posix() for page in pages()]
USABLE = (0, 3)  # exit codes: fine, and fine with warnings
SHOWN_ONLY = {"text", "csv", "r", "powershell", "json", "html", "cron", "sql", "mermaid", "yaml"}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    """What every page finds in its folder, made once."""
    folder = tmp_path_factory.mktemp("shelf")
    shutil.copytree(ROOT / "examples", folder / "examples")
    for name in ("caps.csv", "ois.csv"):
        shutil.copy(ROOT / "examples" / name, folder)
    quotes = pd.read_csv(ROOT / "examples" / "caps.csv")
    for quantity in ("price", "strike"):
        wide = quotes[quotes["quantity"] == quantity].pivot(
            index="date", columns="maturity", values="value"
        )
        wide.to_csv(folder / f"{quantity}s.csv")
    cs.run_study(cs.read_market(folder / "caps.csv", folder / "ois.csv"), folder / "study.db")
    (folder / "calibscope-demo").mkdir()
    shutil.copy(folder / "study.db", folder / "calibscope-demo")
    return folder


@dataclass(frozen=True)
class Done:
    """What a command has printed and written."""

    printed: str
    files: dict[Path, bytes]


@pytest.fixture(scope="module")
def done():
    """What commands have done, so that no page waits for one that another has run."""
    return {}


def run_command(command: Command, place: str, done: dict[tuple[str, ...], Done]) -> None:
    """Run a command of the terminal, and look for what the page says that it prints."""
    program, *words = command.words
    if Path(program).name in ("python", "python3"):
        runpy.run_path(words[0], run_name="__main__")
        return
    assert Path(program).name == "calibscope", f"{place}: {program} cannot run here: say not-run"
    if words[0] in ("demo", "serve"):
        # The one takes long and has tests of its own, the other never ends: are the options right?
        main.commands[words[0]].make_context(words[0], words[1:])
        return
    if words[0] == "robustness" and "--sample" not in words:
        words += ["--sample", "3"]
    key = tuple(word.removeprefix("examples/") for word in words)
    if key in done and words[0] != "run":
        for path, content in done[key].files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    else:
        before = {path: path.stat().st_mtime_ns for path in written()}
        result = CliRunner().invoke(main, words)
        is_refused = result.output.startswith("Error") and "Error" in command.printed
        said = f"{place}: calibscope {' '.join(words)}\n{result.output[-2000:]}"
        assert is_refused or result.exit_code in USABLE, said
        new = [path for path in written() if before.get(path) != path.stat().st_mtime_ns]
        files = {path: path.read_bytes() for path in new}
        done[key] = Done(" ".join(result.output.split()), files)
    for line in command.printed.splitlines():
        assert " ".join(line.split()) in done[key].printed, f"{place}: {line}"


def written() -> list[Path]:
    """Files in the folder of the page, by names that hold on every page."""
    return [path for path in Path().rglob("*") if path.is_file() and path.parts[0] != "examples"]


def read_settings(text: str, folder: Path) -> None:
    """Read a block of settings, whatever it sets."""
    content = tomllib.loads(text)
    market = {name: value for name, value in content.items() if name in MarketSettings.model_fields}
    study = {name: value for name, value in content.items() if name in StudySettings.model_fields}
    MarketSettings.from_mapping(market)
    study_settings(study)
    if set(content) - set(market) - set(study):
        assert not market
        assert not study
        (folder / "variants.toml").write_text(text, encoding="utf-8")
        variants_of(folder / "variants.toml")


@pytest.mark.parametrize("name", NAMES)
def test_every_block_of_a_page_runs(name, shelf, done, tmp_path, monkeypatch):
    run = [block for block in blocks(ROOT / name) if block.is_run]
    if not run:
        return
    shutil.copytree(shelf, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for block in run:
        if block.language == "python":
            if name.startswith("docs/theory/"):
                continue  # test_theory_pages.py runs it, and compares the numbers beside it
            # Empty lines in front, so that an error names the line of the page.
            code = "\n" * block.line + block.text
            exec(compile(code, str(ROOT / name), "exec"), names)
        elif block.language == "toml":
            read_settings(block.text, tmp_path)
        else:
            for command in commands(block):
                run_command(command, block.place, done)


@pytest.mark.parametrize("name", NAMES)
def test_no_block_is_left_without_a_word_on_what_it_is(name):
    for block in blocks(ROOT / name):
        is_directive = block.info.startswith("{")
        is_marked = "not-run" in block.info.split()
        known = block.is_run or is_marked or is_directive or block.language in SHOWN_ONLY
        assert known, f"{block.place}: ```{block.info} is neither run nor marked as shown only"
        if block.language in SHOWN_ONLY:
            is_command = re.match(r"(\$ )?(\S*/)?calibscope [a-z]", block.text)
            assert not is_command, f"{block.place}: a command; write ```console"
    for token in tokens(ROOT / name):
        if token.type == "code_block":  # indented: formulas and the like
            assert not re.search(r"^(import|from|\$|calibscope) ", token.content, re.MULTILINE)


def test_blocks_and_their_commands_are_found():
    shown = Block(
        "page", 1, "console", "$ A=1 .venv/bin/calibscope check 'a b' | jq . # so\nfine\n"
    )
    (command,) = commands(shown)
    assert command == Command([".venv/bin/calibscope", "check", "a b"], "fine\n")
    plain = Block("page", 1, "sh", "calibscope day \\\n  x > y\n\n# a remark\ncalibscope demo\n")
    assert [one.words[1:] for one in commands(plain)] == [["day", "x"], ["demo"]]
    assert not Block("page", 1, "sh not-run", "make demo\n").is_run
    total = [block for page in pages() for block in blocks(page) if block.is_run]
    assert sum(block.language == "python" for block in total) > 30
    assert sum(block.language in SHELLS for block in total) > 10


@pytest.mark.parametrize("name", [*NAMES, "CHANGELOG.md"])
def test_every_link_of_a_page_leads_somewhere(name):
    page = ROOT / name
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if "generated" in target.parts or path == "changelog.md":
            continue  # made by `make docs`, which looks for dead links of its own
        assert target.exists(), f"{name}: {link}"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"{name}: {link}"


def links(page):
    """Links and pictures that lie in the repository."""
    for token in tokens(page):
        for child in token.children or ():
            link = child.attrGet("href") or child.attrGet("src")
            if link and "://" not in link and not link.startswith("mailto:"):
                yield str(link)


def anchors(page):
    """What headings can be linked by, as GitHub and MyST make it from their text."""
    every = tokens(page)
    titles = [
        "".join(child.content for child in inline.children or ())
        for before, inline in itertools.pairwise(every)
        if before.type == "heading_open"
    ]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_dead_links_of_built_pages_are_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<h1 id="top">A</h1><a href="b.html#here">b</a> <a href="#top">a</a>'
        '<a href="https://example.com">elsewhere</a> <img src="c.svg">'
        '<script src="https://example.com/x.js"></script>'
    )
    (tmp_path / "b.html").write_text('<a href="a.html#nowhere">a</a> <p id="there">')
    assert dead_links(tmp_path) == [
        "a.html: b.html#here names no anchor of b.html",
        "a.html: c.svg leads nowhere",
        "a.html: loads https://example.com/x.js from another host",
        "b.html: a.html#nowhere names no anchor of a.html",
    ]
    assert dead_links(tmp_path / "empty") == [f"{tmp_path / 'empty'}: no pages"]


def test_the_settings_that_are_shown_are_the_defaults():
    assert MarketSettings.from_mapping(tomllib.loads(BLOCK)) == MarketSettings()


def test_every_setting_is_shown_and_every_example_is_valid():
    uncommented = re.sub(r"^# ", "", BLOCK, flags=re.MULTILINE)
    content = tomllib.loads(uncommented)
    settings = MarketSettings.from_mapping(content)
    assert settings.caps.date_format == "dmy"
    for section in ("caps", "conventions", "checks"):
        shown, known = set(content[section]), set(type(getattr(settings, section)).model_fields)
        assert shown == known


def test_the_message_that_is_shown_is_what_is_said():
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    with pytest.raises(cs.MarketDataError) as error:
        cs.MarketDay.from_arrays(
            curve=cs.DiscountCurve.from_zero_rates([30], [0.02]),
            maturities=[3, 5.2, 7], prices=[0.01, 0.02, -0.002], date="2020-03-18",
        )  # fmt: skip
    assert f"\n{error.value}\n" in page


def test_the_table_of_ranks_is_what_the_demo_market_gives():
    page = (PAGE.parent / "diagnosis.md").read_text(encoding="utf-8")
    spectrum = cs.diagnose_many(cs.calibrate_many(cs.demo_market()), mode="full")
    for tolerance, start in ((1.5e-8, "tolerance 1.5e-8"), (1e-10, "1e-10"), (1e-6, "1e-6")):
        counts = spectrum.batches[0].edof_at(tolerance)
        row = " | ".join(f"{np.sum(counts == edof):,}" for edof in (5, 4, 3))
        assert re.search(rf"^\| {re.escape(start)}.*\| {row} \|$", page, re.MULTILINE), row


def test_the_settings_of_a_study_that_are_shown_are_the_defaults():
    block = next(
        block.text for block in blocks(ROOT / "docs" / "study.md") if block.language == "toml"
    )
    assert study_settings(tomllib.loads(block)) == study_settings(None)
    uncommented = re.sub(r"^# (?=bounds|fixed)", "", block, flags=re.MULTILINE)
    content = tomllib.loads(uncommented)
    study_settings(content)
    assert set(content["calibration"]) == set(CalibrationSection.model_fields)
    assert set(content["governance"]) == set(GovernanceSection.model_fields)


def test_the_citation_names_the_software_and_the_paper():
    """Keys and types that the Citation File Format 1.2.0 asks for."""
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    for line in ("cff-version: 1.2.0", "title: calibscope", "message: ", "authors:"):
        assert re.search(rf"^{re.escape(line)}", citation, re.MULTILINE), line
    assert f"version: {cs.__version__}\n" in citation
    assert "family-names: Mahler" in citation
    assert "family-names: Ruckdeschel" in citation
