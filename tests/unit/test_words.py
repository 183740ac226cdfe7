"""No text that a user can meet has a retired word, and every count agrees with its noun.

Texts are the strings of the package that are shown (all but docstrings), the docstrings of public
names, the help of every command, and the pages of the documentation, without code. Counts are
looked for twice: in the strings of the package, where a number before a plural must come from
`counted`, and in everything that is shown of a study of one day.
"""

import ast
import functools
import inspect
import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from doc_blocks import ROOT, pages
from public_names import public

import calibscope as cs
from calibscope.cli import main
from calibscope.report.render.as_data import as_data
from calibscope.report.sections.day import day_document
from calibscope.report.sections.study import study_document as report_of
from calibscope.report.study import study_document, study_screen
from calibscope.study.rated_fit import rated_fit
from calibscope.study.settings import StudySettings

SOURCE = Path(cs.__file__).parent
EXAMPLES = ROOT / "examples"
OLD_NAMES = "docs/migration.md"  # which lists them
# What was said, and what is said instead.
RETIRED = {
    r"foretell\w*|foretold": "predict",
    r"(?:traffic|red|amber|green) lights?|lights|lit days?": "RAG status, rated day",
    r"second looks?": "challenger fit",
    r"valleys?": "near-optimal set",
    r"atlas(?:es)?": "local minima",
    r"basin shares?": "share of starts",
    r"ridges?|canyons?": "degenerate direction",
    r"held fits?": "conditional fit",
    r"settles?|settled": "refine",
    r"bends?": "second-order term, curvature",
    r"(?<!of )freedom": "effective degrees of freedom",
    r"house|doors?|rooms?|lies|stands": "architecture, entry point, module, is",
    r"says? nothing|for want of": "is uninformative, without",
    r"(?<!there )(?:is|was) no (?!longer|more|better|worse)\w+": "is not a",
}
WORDS = re.compile("|".join(rf"\b(?:{words})\b" for words in RETIRED), re.IGNORECASE)
PLURALS = (
    "days|quotes|parameters|fits|variants|runs|tables|rows|warnings|models|optima|steps|files|"
    "sheets|columns|dates|maturities|expiries|points|nodes|combinations|directions|problems|"
    "curves|reasons|errors|levels|caps|floors|kinds|amounts|periods|cells"
)
PLURAL = re.compile(rf" (?:(?:of the|other|more|such|free) )?(?:{PLURALS})\b")
ONE = re.compile(
    rf"(?<![\d.,])1 (?:more )?(?:{PLURALS})\b|(?<![\d.,])1 (?:\w+ )?(?:are|have|lack)\b"
)
# A number that is never one, or that is not a count: names of constants, shares.
NEVER_ONE = re.compile(r"^[A-Z_]+$|^len\([A-Z_]+\)$|^percent\(|^conventions\.|^number\(")
GUARDED = {  # where the count is known to be two or more
    "base/errors.py": ("len(self.problems)",),
    "calibration/near_optimal/evidence.py": ("len(optima)",),
    "market/checks.py": ("periods", "counts[k]"),
    "market/limits.py": ("columns", "cells"),
    "report/export/excel.py": ("len(t)",),
    "report/run.py": ("len(tally.models)",),
    "report/sections/intervals.py": ("days",),
}
# Drawn and told of whole histories; what they say of one day is looked at below.
OF_HISTORIES = ("report/figures/", "report/sections/study", "report/web/", "study/statistics/")


@functools.cache
def trees():
    return {
        file.relative_to(SOURCE).as_posix(): ast.parse(file.read_text(encoding="utf-8"))
        for file in sorted(SOURCE.rglob("*.py"))
    }


def docstrings(tree):
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    found = [node.body[0] for node in ast.walk(tree) if isinstance(node, kinds) and node.body]
    return {id(first.value) for first in found if isinstance(first, ast.Expr)}


def shown_strings(tree):
    """Texts of several words that are no docstrings, with their lines."""
    skipped = docstrings(tree)
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and " " in node.value and id(node) not in skipped:
            yield node.lineno, node.value


def prose(text):
    """A page without its code, its formulas and its links' addresses."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`]*`|\$[^$]*\$|\]\([^)]*\)", " ", text)


def helps(command, path=("calibscope",)):
    """The help of a command and of those below it."""
    context = click.Context(command, info_name=" ".join(path))
    yield " ".join(path), command.get_help(context)
    for name, each in getattr(command, "commands", {}).items():
        yield from helps(each, (*path, name))


def retired(where, text):
    return [f"{where}: {found.group(0)}" for found in WORDS.finditer(" ".join(text.split()))]


def test_messages_and_labels_have_no_retired_words():
    found = [
        said
        for name, tree in trees().items()
        for line, text in shown_strings(tree)
        for said in retired(f"{name}:{line}", text)
    ]
    assert not found


def test_help_has_no_retired_words():
    assert not [said for name, text in helps(main) for said in retired(name, text)]


def test_public_docstrings_have_no_retired_words():
    kinds, functions = public()
    texts = {name: inspect.getdoc(thing) or "" for name, thing in (kinds | functions).items()}
    assert not [said for name, text in texts.items() for said in retired(name, text)]


@pytest.mark.parametrize(
    "name", [page.relative_to(ROOT).as_posix() for page in pages() if page.name != "migration.md"]
)
def test_pages_have_no_retired_words(name):
    assert not retired(name, prose((ROOT / name).read_text(encoding="utf-8")))


def test_the_patterns_find_what_they_look_for():
    for text in (
        "It foretells the shift.", "a lit day", "The valley is wide.", "this is no number",
        "It says nothing.", "It stands there.", "two ridges", "effective freedom",
    ):  # fmt: skip
        assert retired("", text), text
    for text in ("degrees of\nfreedom", "There is no noise.", "no longer", "from dark to light"):
        assert not retired("", text), text
    assert ONE.search("of 1 days")
    assert ONE.search("1 day are")
    assert not ONE.search("21 days, 0.1 days, 1 day is")


def uncounted(name, tree):
    """Numbers before a plural that no `counted` has written."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.JoinedStr):
            continue
        for value, after in zip(node.values, node.values[1:], strict=False):
            if isinstance(value, ast.FormattedValue) and isinstance(after, ast.Constant):
                what = ast.unparse(value.value)
                is_known = NEVER_ONE.match(what) or what in GUARDED.get(name, ())
                if PLURAL.match(str(after.value)) and not is_known:
                    yield f"{name}:{node.lineno}: {{{what}}}{after.value}"


def test_counts_are_written_by_the_formatter():
    found = [
        said
        for name, tree in trees().items()
        if not name.startswith(OF_HISTORIES)
        for said in uncounted(name, tree)
    ]
    assert not found
    (said,) = uncounted("x.py", ast.parse('f"{n} days"'))
    assert said == "x.py:1: {n} days"


@pytest.fixture(scope="module")
def one_day(tmp_path_factory):
    """A red day alone, with the answers of refits, and all that is shown of it."""
    market = cs.demo_market().between("2022-07-21", "2022-07-21")
    limits = {"governance": {"limits": {"rmsre": {"red": 0.0}}}}
    store = tmp_path_factory.mktemp("one") / "study.db"
    return market, cs.run_study(market, store, limits, profiles="all")


def told(document):
    """Sentences and tables of a page, and the titles, notes and captions of its figures."""
    figures = [figure for part in document.sections for figure in part.figures]
    words = (f"{one.question} {one.figure.layout.title.subtitle.text} {one.alt}" for one in figures)
    return " ".join((str(as_data(document)), *words))


def test_what_is_shown_of_one_day_counts_in_the_singular(one_day):
    market, study = one_day
    fit = cs.calibrate(market.days[0])
    texts = {
        "screen": told(study_screen(study)),
        "long form": told(study_document(study)),
        "day": told(day_document(fit, "m", rated=rated_fit(fit, market, StudySettings()))),
        "report": str(as_data(report_of(study))),
        "names": f"{market!r} {study!r} {cs.calibrate_many(market)!r}",
    }
    for name, text in texts.items():
        found = [text[max(0, one.start() - 60) : one.end() + 40] for one in ONE.finditer(text)]
        assert not found, name


def test_commands_count_in_the_singular(one_day, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _, study = one_day
    caps, curves = ((EXAMPLES / name).read_text().splitlines() for name in ("caps.csv", "ois.csv"))
    for name, lines in (("caps.csv", caps), ("ois.csv", curves)):
        kept = [lines[0], *(line for line in lines if line.startswith("2020-03-18"))]
        Path(name).write_text("\n".join(kept), encoding="utf-8")
    files = ("caps.csv", "--curve", "ois.csv")
    for arguments in (
        ("check", *files, "--all"),
        ("day", *files, "--date", "2020-03-18", "--full"),
        ("run", *files, "--full"),
        ("run", *files),
        ("check", "study.db"),
        ("export", "study.db", "-o", "results.xlsx"),
        ("robustness", *files, "--sample", "1"),
        ("report", str(study.path)),
    ):
        said = CliRunner().invoke(main, arguments).output
        assert said
        assert not ONE.search(" ".join(said.split())), said
