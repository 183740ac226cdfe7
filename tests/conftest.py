"""Settings for all tests."""

import logging
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

from calibscope.models.g2.caps import compile_kernels
from programs import program

# No deadline: machines are noisy, and speed is measured by `make bench`, not here. Examples are
# the same every time; `pytest --hypothesis-profile=explore` looks for new ones.
settings.register_profile("calibscope", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile("calibscope")

# Files that take longest, in that order: they come first, so that two workers end together.
LONGEST = (
    "e2e/test_cli.py", "unit/test_docs.py", "study/test_live_browser.py", "e2e/test_terminal.py",
    "study/test_study_refits.py", "study/test_live_page.py", "e2e/test_browser.py",
    "study/test_faults.py", "unit/test_theory_pages.py", "unit/test_bounds.py",
    "reference/test_recovery.py", "unit/test_notebooks.py", "unit/test_refits_report.py",
    "unit/test_consequences.py", "reference/test_against_mpmath.py", "study/test_robustness.py",
)  # fmt: skip
PLACES = {Path(__file__).parent / name: place for place, name in enumerate(LONGEST)}

# What the tests remember about curves is not the user's.
MEMORY = tempfile.TemporaryDirectory(prefix="calibscope-tests-")
os.environ["XDG_CACHE_HOME"] = MEMORY.name


def pytest_collection_modifyitems(items):
    """Files that take longest first; their tests keep their order."""
    items.sort(key=lambda item: PLACES.get(item.path, len(PLACES)))


@pytest.fixture(autouse=True, scope="session")
def kernels(tmp_path_factory):
    """Compile once, before the first test; all of them where several workers will need them."""
    compile_kernels()
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker:
        from kernels import compile_together

        compile_together(tmp_path_factory.getbasetemp().parent, worker == "gw0")


@pytest.fixture(autouse=True, scope="session")
def profiles_are_asked_for():
    """They take a quarter of a second a day: a test that wants them says so."""
    from calibscope.cli.run import run
    from calibscope.study.run import run_study

    assert run_study.__kwdefaults__["profiles"] == "usual"
    run_study.__kwdefaults__["profiles"] = "none"
    (option,) = (option for option in run.params if option.name == "profiles")
    option.default = "none"


@pytest.fixture(autouse=True)
def warnings_are_heard():
    """Commands with --quiet that ran in this process have silenced the package's logger."""
    logging.getLogger("calibscope").setLevel(logging.NOTSET)


@pytest.fixture(autouse=True)
def metrics_are_forgotten():
    """What a test or a page of the docs registers is not there for the next."""
    from calibscope.study import metric

    before = dict(metric._REGISTERED)
    yield
    metric._REGISTERED.clear()
    metric._REGISTERED.update(before)


@pytest.fixture(scope="session")
def chromium():
    """The browser that opens reports and the live page."""
    return program("chromium", "chromium-browser", package="chromium")


@pytest.fixture(scope="session")
def soffice():
    """LibreOffice, which opens workbooks."""
    return program("soffice", package="libreoffice-calc")
