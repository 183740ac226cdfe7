"""A program that is missing: an error on CI, a skipped test elsewhere."""

import sys
from pathlib import Path

import pytest

from programs import program


def test_the_first_that_is_installed(monkeypatch):
    here = Path(sys.executable)
    monkeypatch.setenv("PATH", str(here.parent))
    assert program("no-such-program", here.name, package="python3") == str(here)


@pytest.mark.parametrize(
    ("ci", "outcome"),
    [("true", pytest.fail.Exception), ("", pytest.skip.Exception), (None, pytest.skip.Exception)],
)
def test_what_is_missing_fails_on_ci_and_skips_elsewhere(monkeypatch, ci, outcome):
    if ci is None:
        monkeypatch.delenv("CI", raising=False)
    else:
        monkeypatch.setenv("CI", ci)
    with pytest.raises(outcome, match="no-such-program is not installed; apt install none"):
        program("no-such-program", package="none")
