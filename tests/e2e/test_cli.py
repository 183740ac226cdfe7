"""The program as a user starts it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from calibscope.cli import main

GOLDEN = Path(__file__).parents[1] / "golden"
# What a user's shell may say about colours must not matter here.
COLOURS = {"FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "TERM", "COLORTERM"}
PLAIN = {name: value for name, value in os.environ.items() if name not in COLOURS}
HEAVY = {
    "numpy",
    "pandas",
    "sqlalchemy",
    "numba",
    "scipy",
    "rich",
    "pydantic",
    "QuantLib",
    "plotly",
    "pyarrow",
    "xlsxwriter",
}
EXAMPLES = Path(__file__).parents[2] / "examples"
DROP = ("--set", "checks.incomplete=drop")  # the paper's filter, which drops a day of the examples


def run(*command, folder=None, **environment):
    return subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**PLAIN, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8", **environment},
        check=False,
    )


def calibscope(*arguments, **environment):
    return run(sys.executable, "-m", "calibscope", *arguments, **environment)


def invoke(*arguments):
    """The same inside this process, which saves a second; an error that is not caught is raised."""
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


@pytest.mark.parametrize(
    "action",
    [
        "import calibscope",
        "import calibscope; dir(calibscope)",
        "from calibscope.cli import main; main(['--help'], standalone_mode=False)",
        "from calibscope.cli import main; main(['demo', '--help'], standalone_mode=False)",
        "from calibscope.cli import main; main(['check', '--help'], standalone_mode=False)",
        "from calibscope.cli import main; main(['day', '--help'], standalone_mode=False)",
        "from calibscope.cli import main; main(['run', '--help'], standalone_mode=False)",
        "from calibscope.cli import main; main(['report', '--help'], standalone_mode=False)",
        "from calibscope.cli import main; main(['robustness', '--help'], standalone_mode=False)",
        "from calibscope.cli import main; main(['export', '--help'], standalone_mode=False)",
    ],
)
def test_nothing_heavy_is_imported(action):
    result = run(sys.executable, "-c", f"{action}\nimport sys; print('\\n', *sys.modules)")
    assert result.returncode == 0, result.stderr
    loaded = set(result.stdout.splitlines()[-1].split())
    assert "calibscope" in loaded
    assert not loaded & HEAVY


def test_help_names_the_commands():
    result = calibscope("--help")
    assert result.returncode == 0
    assert "demo" in result.stdout


def test_version():
    import calibscope as cs

    assert cs.__version__ in calibscope("--version").stdout


def test_demo_reads_as_recorded(tmp_path):
    """To record it anew: COLUMNS=80 calibscope demo > tests/golden/demo.txt."""
    result = calibscope("demo", folder=tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stdout == (GOLDEN / "demo.txt").read_text(encoding="utf-8")
    assert result.stdout.startswith("SYNTHETIC")
    again = calibscope("demo", folder=tmp_path)
    assert again.stdout == result.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["calibscope-demo"]
    written = {path.name for path in (tmp_path / "calibscope-demo").iterdir()}
    assert written == {"study.db", "study.db-writer", "report.html", "results.xlsx"}


def test_demo_into_a_place_that_cannot_be(tmp_path):
    (tmp_path / "file").touch()
    result = calibscope("demo", "--into", str(tmp_path / "file" / "folder"))
    assert result.returncode == 1
    assert "give another folder" in result.stderr


def test_check_prints_what_was_recorded():
    """Record anew with COLUMNS=80 .venv/bin/calibscope check examples/caps.csv --curve
    examples/ois.csv > tests/golden/check.txt, and look at it.
    """
    result = calibscope("check", str(EXAMPLES / "caps.csv"), "--curve", str(EXAMPLES / "ois.csv"))
    assert result.returncode == 3, result.stderr
    assert result.stderr == ""
    assert result.stdout == (GOLDEN / "check.txt").read_text(encoding="utf-8")


def test_check_of_clean_data_ends_with_0_and_of_a_missing_file_with_1(tmp_path):
    lines = (EXAMPLES / "caps.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    clean = [line for line in lines if line.startswith(("date", "2020-02", "2020-04"))]
    (tmp_path / "caps.csv").write_text("".join(clean), encoding="utf-8")
    curves = (EXAMPLES / "ois.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in curves if line.startswith(("date", "2020-02", "2020-04"))]
    (tmp_path / "ois.csv").write_text("".join(kept), encoding="utf-8")
    result = calibscope("check", f"{tmp_path}/caps.csv", "--curve", f"{tmp_path}/ois.csv")
    assert result.returncode == 0, result.stdout
    assert "Nothing found." in result.stdout
    result = calibscope("check", f"{tmp_path}/cap.csv", "--curve", f"{tmp_path}/ois.csv")
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1
    assert "did you mean 'caps.csv'?" in result.stderr
    assert calibscope("check").returncode == 2


def test_a_setting_on_the_command_line(tmp_path):
    files = ("check", str(EXAMPLES / "caps.csv"), "--curve", str(EXAMPLES / "ois.csv"))
    wrong = invoke(*files, "--set", "caps.units.price=percent")
    assert wrong.exit_code == 1
    assert "caps.units.price = 'decimal'" in wrong.stderr
    typo = invoke(*files, "--set", "conventions.first_caplt=true")
    assert "did you mean 'first_caplet'?" in typo.stderr
    settings = tmp_path / "market.toml"
    settings.write_text('[conventions]\ntenor = "3M"\n', encoding="utf-8")
    short = invoke(*files, "--settings", str(settings), "--set", "checks.maturities=[3, 10]")
    assert short.exit_code == 0
    assert "3Y, 10Y; 3M tenor" in short.stdout
    assert "is not a change; write caps.units.price=bp" in invoke(*files, "--set", "x").stderr


def test_day_fits_and_says_how_far_to_trust_it():
    files = ("day", str(EXAMPLES / "caps.csv"), "--curve", str(EXAMPLES / "ois.csv"))
    result = calibscope(*files, "--date", "2020-03-18")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("May the calibration of 2020-03-18 be used?")
    assert "G2++ fitted to 13 caps: caps.csv" in result.stdout
    assert "GREEN: yes. No rule asks for a review." in result.stdout
    assert "nearly forced through" in result.stdout
    full = calibscope(*files, "--date", "2020-03-18", "--full")
    assert "RMSRE 0.68 %. Converged; the search found no better optimum." in full.stdout
    assert "One optimum was found" in full.stdout
    missing = calibscope(*files, "--date", "2020-03-06", *DROP)
    assert missing.returncode == 1
    assert "2020-03-06 was dropped: price is missing at 8Y" in missing.stderr
    assert "Traceback" not in missing.stderr


def test_day_prints_everything_machine_readable():
    files = ("day", str(EXAMPLES / "caps.csv"), "--curve", str(EXAMPLES / "ois.csv"))
    result = calibscope(*files, "--date", "2020-03-18", "--json")
    assert result.returncode == 0, result.stderr
    data = json.loads(result.stdout, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert data["date"] == "2020-03-18"
    assert data["diagnosis"]["full"]["edof"] == 5
    assert len(data["diagnosis"]["strict"]["influence"]) == 13


def test_a_wrong_command_gets_one_clear_message():
    result = calibscope("dmeo")
    assert result.returncode == 2
    assert "No such command 'dmeo'" in result.stderr
    assert "Traceback" not in result.stderr


def test_unknown_name_in_the_package():
    import calibscope as cs

    with pytest.raises(AttributeError, match="no attribute 'calibrate_everything'"):
        cs.calibrate_everything  # noqa: B018
    assert set(cs.__all__) <= set(dir(cs))


def test_run_keeps_days_and_appends_tomorrow(tmp_path):
    store, yesterday = tmp_path / "study.db", tmp_path / "caps.csv"
    lines = (EXAMPLES / "caps.csv").read_text().splitlines()
    yesterday.write_text("\n".join(line for line in lines if not line.startswith("2020-04-30")))
    curve = ("--curve", str(EXAMPLES / "ois.csv"), "--store", str(store), "--profiles", "none")
    curve += DROP
    first = calibscope("run", str(yesterday), *curve)
    assert first.returncode == 3, first.stderr  # a day of the examples lacks a quote
    assert "Computed 51 days. Without results: 1 day." in first.stdout
    second = calibscope("run", str(EXAMPLES / "caps.csv"), *curve)
    assert second.returncode == 0, second.stderr
    assert second.stdout.startswith("May the calibration of 2020-04-30 be used?")
    assert "GREEN: yes. No rule asks for a review." in second.stdout
    assert "Computed 1 day, kept 51 that were stored already." in second.stdout
    third = calibscope("run", str(EXAMPLES / "caps.csv"), *curve)
    assert "Nothing to do: all 52 days are stored" in third.stdout


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_keeps_what_is_stored_and_ends_with_130(tmp_path, number):
    files = (str(EXAMPLES / "caps.csv"), "--curve", str(EXAMPLES / "ois.csv"))
    command = (sys.executable, "-m", "calibscope", "run", *files, "--store", str(tmp_path / "s.db"))
    slow = ("--set", "calibration.optima=true")
    with subprocess.Popen(
        command + slow, stderr=subprocess.PIPE, text=True,
        # As for a background job of a script: the run must end all the same.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    ) as process:  # fmt: skip
        try:
            deadline = time.monotonic() + 120
            while not (tmp_path / "s.db").exists() and time.monotonic() < deadline:
                time.sleep(0.01)
            process.send_signal(number)
            _, said = process.communicate(timeout=60)
        finally:
            process.kill()  # or leaving would wait for it
    assert process.returncode == 130, said
    assert "stored; the same command goes on." in said
    assert "Traceback" not in said


def test_a_day_is_calibrated_as_the_settings_say():
    files = (str(EXAMPLES / "caps.csv"), "--curve", str(EXAMPLES / "ois.csv"))
    day = ("day", *files, "--date", "2020-03-18", "--json")
    found = json.loads(invoke(*day, "--set", "calibration.solver=lm").stdout)
    assert found["fit"]["solver"] == "lm"
    for command in (day, ("check", *files)):
        result = invoke(*command, "--set", "calibration.solvr=lm")
        assert result.exit_code == 1
        assert "did you mean 'solver'?" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--store", "{folder}/none/study.db"], "there is no folder"),
        (["--store", "{folder}/notes.db"], "not a calibscope study file"),
        (
            ["--set", "calibration.solver=bobika"],
            "solver is 'bobika'; choose from global, bobyqa",
        ),
        (["--set", "governance.limits.rmse.red=1"], "(did you mean 'rmsre'?)"),
        (
            ["--set", "calibraton.solver=lm"],
            "calibraton: there is no such setting; did you",
        ),
        (["--engine", "tcp://127.0.0.1:1"], "no Dask scheduler answers"),
    ],
)
def test_what_a_run_cannot_do_is_said_in_a_line(tmp_path, arguments, message):
    (tmp_path / "notes.db").write_text("a long text instead of a store " * 50)
    given = [argument.format(folder=tmp_path) for argument in arguments]
    if "--store" not in given:
        given += ["--store", str(tmp_path / "study.db")]
    files = (str(EXAMPLES / "caps.csv"), "--curve", str(EXAMPLES / "ois.csv"))
    result = invoke("run", *files, *given)
    assert result.exit_code == 1
    assert message in " ".join(result.stderr.split())


def test_export_for_every_tool(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = (str(EXAMPLES / "caps.csv"), "--curve", str(EXAMPLES / "ois.csv"))
    store = str(tmp_path / "study.db")
    assert invoke("run", *files, "--store", store, *DROP).exit_code == 3
    first = invoke("export", store, "-o", "results.xlsx")
    assert first.exit_code == 0, first.stderr
    assert first.stdout.startswith("results.xlsx: 12 tables, ")
    assert first.stdout.endswith(" rows; --all writes every table\n")
    again = invoke("export", store, "-o", "results.xlsx", "--all")
    assert again.stdout.startswith("results.xlsx: 29 tables, ")
    assert again.stdout.endswith(" rows, in place of the earlier export\n")
    for kind in ("parquet", "csv"):
        result = invoke("export", store, f"--{kind}", kind)
        assert result.exit_code == 0, result.stderr
        assert (tmp_path / kind / f"days.{kind}").is_file()
        assert (tmp_path / kind / "manifest.json").is_file()
    header = (tmp_path / "csv" / "days.csv").read_text(encoding="utf-8").splitlines()[0]
    assert '"rmsre [relative]"' in header


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["none.db", "-o", "results.xlsx"], 1, "there is no such store"),
        (["notes.db", "-o", "results.xlsx"], 1, "not a calibscope study file"),
        (["notes.db"], 2, "say where to: -o results.xlsx, --parquet DIR or --csv DIR"),
        (["notes.db", "--csv", "a", "--parquet", "b"], 2, "say where to"),
        (["study.db", "-o", "results.xls"], 2, "only a workbook, xlsx, ends in .xlsx"),
        (["study.db", "--csv", "none/results"], 1, "there is no folder none; make it first"),
        (["study.db", "--csv", "."], 1, "holds something else than an export"),
    ],
)
def test_what_an_export_cannot_do_is_said_in_a_line(
    tmp_path, monkeypatch, arguments, code, message
):
    monkeypatch.chdir(tmp_path)
    from calibscope.study.store import opened_for_writing

    (tmp_path / "notes.db").write_text("a long text instead of a store " * 50)
    with opened_for_writing(tmp_path / "study.db"):
        pass
    result = invoke("export", *arguments)
    assert result.exit_code == code
    assert message in " ".join(result.stderr.split())
    assert not list(tmp_path.glob("*.xlsx"))


def test_robustness_of_the_examples(tmp_path):
    variants = tmp_path / "variants.toml"
    variants.write_text('["no 3Y"]\nwithout = "3Y"\n')
    files = (str(EXAMPLES / "caps.csv"), "--curve", str(EXAMPLES / "ois.csv"))
    result = invoke("robustness", *files, "--variants", str(variants), "--sample", "5")
    assert result.exit_code == 0, result.stderr
    assert "caps.csv: 5 days, calibrated in 2 ways" in result.stdout
    assert "no 3Y" in result.stdout
    variants.write_text('["no 3Y"]\nwithot = "3Y"\n')
    result = invoke("robustness", *files, "--variants", str(variants))
    assert result.exit_code == 1
    assert "did you mean 'without'?" in result.stderr


def test_a_report_of_a_study_and_a_page_of_a_day(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = (str(EXAMPLES / "caps.csv"), "--curve", str(EXAMPLES / "ois.csv"))
    invoke("run", *files)
    result = invoke("report", "study.db")
    assert (result.exit_code, result.stdout) == (0, "Report: report.html\n"), result.stderr
    assert "Which maturities decide the fit?" in (tmp_path / "report.html").read_text("utf-8")
    page = ("day", *files, "--date", "2020-03-18", "--html", "day.html")
    result = invoke(*page)
    assert (result.exit_code, result.stdout) == (0, "Page: day.html\n"), result.stderr
    assert "of 2020-03-18 be trusted?" in (tmp_path / "day.html").read_text("utf-8")
    for again in (("report", "study.db"), page):  # earlier ones are replaced
        result = invoke(*again)
        assert result.exit_code == 0, result.stderr
    shutil.copy(EXAMPLES / "caps.csv", tmp_path)
    day = ("day", "caps.csv", *files[1:], "--date", "2020-03-18", "--html", "caps.csv")
    for command, name in (
        (("report", "study.db", "-o", "study.db"), "study.db"),
        (day, "caps.csv"),
    ):
        before = (tmp_path / name).read_bytes()
        result = invoke(*command)
        assert result.exit_code == 1
        assert f"Error: {name}: exists and is not a calibscope report" in result.stderr
        assert "give another name" in result.stderr
        assert (tmp_path / name).read_bytes() == before
    for command in (("report", "none.db"), ("report", "study.db", "-o", "none/report.html")):
        result = invoke(*command)
        assert result.exit_code == 1
        assert result.stderr.startswith("Error: ")
