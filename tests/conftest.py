"""Settings for all tests."""

import os
import tempfile

import pytest
from hypothesis import settings

from calibscope.models.g2.caps import compile_kernels
from programs import program

# No deadline: machines are noisy, and speed is measured by `make bench`, not here. Examples are
# the same every time; `pytest --hypothesis-profile=explore` looks for new ones.
settings.register_profile("calibscope", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile("calibscope")


# What the tests remember about curves is not the user's.
MEMORY = tempfile.TemporaryDirectory(prefix="calibscope-tests-")
os.environ["XDG_CACHE_HOME"] = MEMORY.name


@pytest.fixture(autouse=True, scope="session")
def kernels():
    """Compile once, before the first test."""
    compile_kernels()


@pytest.fixture(scope="session")
def chromium():
    """The browser that opens reports and the live page."""
    return program("chromium", "chromium-browser", package="chromium")


@pytest.fixture(scope="session")
def soffice():
    """LibreOffice, which opens workbooks."""
    return program("soffice", package="libreoffice-calc")
