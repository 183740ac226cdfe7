"""What all commands have in common: --quiet, --json, exit codes, completion, colours, progress."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Literal, get_args, get_origin

import pytest
from click.testing import CliRunner
from pydantic import BaseModel

from calibscope.cli import main
from calibscope.cli.command import EXIT_CODES
from calibscope.cli.output import SCHEMA_VERSION
from calibscope.cli.words import WORDS
from calibscope.market.settings import MarketSettings
from calibscope.models.model import BUILT_IN
from calibscope.study.settings import StudySettings

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "terminal.md").read_text(encoding="utf-8")
# The paper's filter, so that a day is dropped.
FILES = (
    str(ROOT / "examples" / "caps.csv"), "--curve", str(ROOT / "examples" / "ois.csv"),
    "--set", "checks.incomplete=drop",
)  # fmt: skip
# Arguments, exit code, file that is written.
COMMANDS = {
    "demo": ((), 0, "calibscope-demo/report.html"),
    "check": (FILES, 3, None),
    "day": ((*FILES, "--date", "2020-03-18", "--html", "day.html"), 0, "day.html"),
    "run": ((*FILES, "--store", "new.db"), 3, "new.db"),
    "robustness": ((*FILES, "--sample", "2", "--store", "kept.db"), 0, "kept.db"),
    "report": (("study.db",), 0, "report.html"),
    "export": (("study.db", "--csv", "results"), 0, "results/days.csv"),
}
COLOUR = re.compile(r"\x1b\[(?:[0-9;]*;)?[34][0-9]")
needs_posix = pytest.mark.skipif(os.name == "nt", reason="there are no pseudo-terminals")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("study") / "study.db"
    assert CliRunner().invoke(main, ["run", *FILES, "--store", str(path)]).exit_code == 3
    return path


@pytest.fixture
def folder(store, tmp_path, monkeypatch):
    """The current one, with a study; the demo's market is short."""
    from calibscope.market.demo import demo_market
    from calibscope.report import demo

    week = demo_market().between("2020-03-16", "2020-03-20")
    monkeypatch.setattr(demo, "demo_market", lambda preset=None: week)
    monkeypatch.setattr(demo, "SAMPLE", 2)
    shutil.copy(store, tmp_path / "study.db")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def invoke(*arguments):
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


def parsed(text):
    data = json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert data.pop("schema_version") == SCHEMA_VERSION
    return data


def documented_keys(command):
    (keys,) = re.findall(rf"^\| `{command}` \| (.*`.*`) \|$", PAGE, re.MULTILINE)
    names = re.findall(r"`(\w+)`", keys)
    return names if names[0] != "run" else [*documented_keys("run"), *names[1:]]


def test_these_are_all_commands():
    every = [*COMMANDS, "serve"]  # which does not end by itself (tests/study/test_live_page.py)
    assert every == list(main.commands)
    assert re.findall(r"^\| `calibscope (\w+)", PAGE, re.MULTILINE) == every


@pytest.mark.parametrize("command", COMMANDS)
def test_quiet_prints_nothing_and_writes_files(folder, command):
    arguments, code, file = COMMANDS[command]
    result = invoke(command, *arguments, "--quiet")
    assert (result.exit_code, result.stdout, result.stderr) == (code, "", "")
    assert file is None or (folder / file).is_file()


@pytest.mark.parametrize("command", COMMANDS)
def test_json_has_the_documented_keys_and_nothing_else_is_printed(folder, command):
    arguments, code, file = COMMANDS[command]
    result = invoke(command, *arguments, "--json", "--quiet")
    assert (result.exit_code, result.stderr) == (code, "")
    assert list(parsed(result.stdout)) == documented_keys(command)
    assert file is None or (folder / file).is_file()


def test_refits_have_the_documented_keys(folder):
    result = invoke("day", *FILES, "--date", "2020-03-18", "--refits", "--json", "--html", "d.html")
    assert result.exit_code == 0
    refits = parsed(result.stdout)["refits"]
    table = PAGE.split("The keys of `refits`")[1]
    assert list(refits) == re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
    for answer, data in refits.items():
        assert list(data) == documented_keys(answer), answer
    page = (folder / "d.html").read_text(encoding="utf-8")
    assert '<section id="again"' in page
    for question in ("How far can each parameter go?", "What does the uncertainty mean?"):
        assert question in page
    assert "Where do the parameters go without each quote?" in page


def test_refits_follow_the_usual_page(folder):
    usual = invoke("day", *FILES, "--date", "2020-03-18").stdout
    refits = invoke("day", *FILES, "--date", "2020-03-18", "--refits").stdout
    assert refits.startswith(usual.rstrip("\n"))
    assert "What is the fit without each quote?" in refits[len(usual) :]
    assert "What is the fit without each quote?" not in usual


@pytest.mark.parametrize("command", COMMANDS)
def test_errors_are_text_whatever_was_asked_for(folder, command):
    wrong = {"demo": ("--into", "study.db/x"), "export": ("none.db", "-o", "x.xlsx")}
    files = ("none.db",) if command == "report" else ("none.csv", "--curve", FILES[2])
    date = ("--date", "2020-03-18") if command == "day" else ()
    result = invoke(command, *wrong.get(command, (*files, *date)), "--json", "--quiet")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("Error: ")


@pytest.mark.parametrize("command", COMMANDS)
def test_wrong_usage_ends_with_2(command):
    result = invoke(command, "--no-such-option")
    assert result.exit_code == 2
    assert "No such option" in result.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_ctrl_c_ends_with_130(folder, command, monkeypatch):
    def stop(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("calibscope.market.read.read_files", stop)
    monkeypatch.setattr("calibscope.study.study.open_study", stop)
    monkeypatch.setattr("calibscope.report.demo.run_study", stop)
    result = invoke(command, *COMMANDS[command][0])
    assert result.exit_code == 130
    assert result.stderr.startswith("Stopped")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example_and_the_exit_codes(command):
    text = invoke(command, "--help").stdout
    assert re.search(rf"^  calibscope {command}", text, re.MULTILINE)
    assert EXIT_CODES in " ".join(text.split())
    assert EXIT_CODES in " ".join(invoke("--help").stdout.split())


def test_a_day_without_an_optimum_ends_with_3(folder):
    bounds = ("--set", "calibration.bounds={sigma_x=[1e-5, 2e-5], sigma_y=[1e-5, 2e-5]}")
    result = invoke("day", *FILES, "--date", "2020-03-18", *bounds, "--json")
    assert result.exit_code == 3
    assert parsed(result.stdout)["fit"]["status"] == "UNREACHABLE"


def test_what_a_run_counts(folder):
    first = parsed(invoke("run", *FILES, "--store", "new.db", "--json").stdout)
    assert (first["computed"], first["kept"], first["dropped"], first["failed"]) == (52, 0, 1, 0)
    assert sum(first["rag"].values()) == first["computed"]
    assert first["flagged"] == first["rag"]["amber"] + first["rag"]["red"]
    assert first["store"] == "new.db"
    again = parsed(invoke("run", *FILES, "--store", "new.db", "--json").stdout)
    assert (again["computed"], again["kept"], again["flagged"]) == (0, 52, 0)


def test_a_check_lists_every_finding(folder):
    found = parsed(invoke("check", *FILES, "--json").stdout)
    assert found["days"] == 51
    assert found["dropped"][0]["date"] == "2020-03-06"
    assert found["dropped"][0]["message"] == "price is missing at 8Y"
    assert found["dropped"][0]["lacking"] == ["8Y"]
    keys = {"date", "maturity", "quote", "check", "source", "message", "lacking"}
    assert set(found["warnings"][0]) == keys
    assert found["strikes"]["verdict"] == "FORWARD"


def settings_of_words(kind, before=""):
    """Settings whose values are words, as the models have them."""
    for name, field in kind.model_fields.items():
        place, annotation = f"{before}{name}", field.annotation
        literals = [
            get_args(part)
            for part in (annotation, *get_args(annotation))
            if get_origin(part) is Literal
        ]
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield from settings_of_words(annotation, f"{place}.")
        elif name == "units":
            yield from ((f"{place}.{quantity}", literals[1]) for quantity in kind.own)
        elif annotation is bool:
            yield place, ("true", "false")
        elif literals and get_origin(annotation) is not dict and name != "decimal":  # a sign
            yield place, literals[0]


def test_the_words_that_are_completed_are_those_of_the_settings():
    expected = dict(settings_of_words(MarketSettings)) | dict(settings_of_words(StudySettings))
    expected["calibration.model"] = tuple(BUILT_IN)  # besides which there may be models of others
    assert expected == WORDS


def program(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "calibscope", *arguments],
        capture_output=True, text=True, env={**os.environ, **environment}, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_gets_its_script(shell):
    result = program(_CALIBSCOPE_COMPLETE=f"{shell}_source")
    assert result.returncode == 0, result.stderr
    assert "_CALIBSCOPE_COMPLETE" in result.stdout
    (line,) = re.findall(rf".*_CALIBSCOPE_COMPLETE={shell}_source calibscope.*", PAGE)
    assert line


def completions(*words):
    """What bash is offered; it takes = for a word."""
    result = program(
        _CALIBSCOPE_COMPLETE="bash_complete",
        COMP_WORDS=" ".join(("calibscope", *words)),
        COMP_CWORD=str(len(words)),
    )
    assert result.returncode == 0, result.stderr
    return [tuple(line.split(",")) for line in result.stdout.splitlines()]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("ro",), [("plain", "robustness")]),
        (("run", "--set", "calibration.solver", "=", "b"), [("plain", "bobyqa")]),
        (
            ("run", "--set", "diagnosis.mode", "="),
            [("plain", "active"), ("plain", "full"), ("plain", "strict")],
        ),
        (
            ("run", "--set", "diagnosis.mode", "=", "full", "--set", "caps.layout=w"),
            [("plain", "caps.layout=wide")],
        ),
        (("run", "--set", "calibration.weights=v"), [("plain", "calibration.weights=vega")]),
        (("run", "ca"), [("file", "ca")]),
        (("report", "stu"), [("file", "stu")]),
        (("export", "study.db", "--csv", "re"), [("dir", "re")]),
        (("day", "caps.csv", "--ht"), [("plain", "--html")]),
    ],
)
def test_commands_files_and_words_are_completed(words, expected):
    assert completions(*words) == expected


def test_completion_imports_nothing_heavy():
    code = "from calibscope.cli import main; main(prog_name='calibscope', standalone_mode=False)"
    asked = {"_CALIBSCOPE_COMPLETE": "bash_complete", "COMP_WORDS": "calibscope run --set cal"}
    listing = "import atexit, sys; atexit.register(lambda: print('\\n', *sys.modules))\n"
    result = subprocess.run(
        [sys.executable, "-c", listing + code],
        capture_output=True, text=True, env={**os.environ, **asked, "COMP_CWORD": "3"}, check=False,
    )  # fmt: skip
    assert "calibration.solver=global" in result.stdout, result.stderr
    loaded = set(result.stdout.splitlines()[-1].split())
    assert not loaded & {"numpy", "pandas", "rich", "pydantic", "sqlalchemy", "numba", "plotly"}


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is missing")
def test_bash_itself_completes_a_solver(tmp_path):
    here = tmp_path / "calibscope"
    here.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m calibscope "$@"\n')
    here.chmod(0o755)
    script = """
eval "$(_CALIBSCOPE_COMPLETE=bash_source calibscope)"
COMP_WORDS=(calibscope run --set calibration.solver = bo); COMP_CWORD=5
_calibscope_completion calibscope
echo "${COMPREPLY[@]}"
"""
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    result = subprocess.run(
        ["bash", "--norc", "-c", script],
        capture_output=True, text=True, env={**os.environ, "PATH": path}, check=False,
    )  # fmt: skip
    assert result.stdout == "bobyqa\n", result.stderr


def on_a_terminal(*arguments, **environment):
    """What somebody sees who sits at a terminal."""
    import pty

    left_out = ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "calibscope", *arguments],
        stdin=theirs, stdout=theirs, stderr=theirs,
        env={**kept, "TERM": "xterm-256color", "COLUMNS": "100", **environment},
    ):  # fmt: skip
        os.close(theirs)
        seen = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # Linux says so when the other side has gone
                break
            if not part:
                break
            seen += part
    os.close(ours)
    return seen.decode("utf-8", "replace")


@needs_posix
def test_colours_are_for_terminals_and_not_for_everyone(folder):
    clean = ("run", *FILES, "--store", "new.db")
    assert COLOUR.search(on_a_terminal(*clean))
    assert not COLOUR.search(on_a_terminal(*clean, NO_COLOR="1"))
    assert "\x1b" not in invoke(*clean).output
    assert "\x1b" not in program(*clean, TERM="xterm-256color").stdout


@needs_posix
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("report", "study.db"), "writing the report"),
        (("export", "study.db", "-o", "results.xlsx"), "exporting"),
        (("day", *FILES, "--date", "2020-03-18", "--html", "day.html"), "writing the page"),
        (("robustness", *FILES, "--sample", "2"), "calibrating"),
        (("run", *FILES, "--store", "new.db"), "calibrating"),
    ],
)
def test_progress_is_shown_on_terminals(folder, arguments, says):
    assert says in on_a_terminal(*arguments)


@needs_posix
@pytest.mark.parametrize("command", ["report", "run"])  # a bar of steps, a bar of days
def test_quiet_is_quiet_on_terminals(folder, command):
    assert on_a_terminal(command, *COMMANDS[command][0], "--quiet") == ""
