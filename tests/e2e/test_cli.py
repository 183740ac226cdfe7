"""The program as a user starts it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parents[1] / "golden"
# What a user's shell may say about colours must not matter here.
COLOURS = {"FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "TERM", "COLORTERM"}
PLAIN = {name: value for name, value in os.environ.items() if name not in COLOURS}
HEAVY = {"numpy", "pandas", "numba", "scipy", "rich"}


def run(*command, **environment):
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**PLAIN, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8", **environment},
        check=False,
    )


def calibscope(*arguments, **environment):
    return run(sys.executable, "-m", "calibscope", *arguments, **environment)


@pytest.mark.parametrize(
    "action",
    [
        "import calibscope",
        "import calibscope; dir(calibscope)",
        "from calibscope.cli import main; main(['--help'], standalone_mode=False)",
        "from calibscope.cli import main; main(['demo', '--help'], standalone_mode=False)",
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


def test_demo_reads_as_recorded():
    """To record it anew: COLUMNS=80 calibscope demo > tests/golden/demo.txt, and look at it."""
    result = calibscope("demo")
    assert result.returncode == 0, result.stderr
    assert result.stdout == (GOLDEN / "demo.txt").read_text(encoding="utf-8")


def test_demo_says_that_it_is_synthetic_first():
    assert calibscope("demo").stdout.startswith("SYNTHETIC")


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
