"""Settings for all tests."""

import os

import pytest
from hypothesis import settings

from calibscope.models.g2.caps import compile_kernels

# No deadline: machines are noisy, and speed is measured by `make bench`, not here. In CI the
# examples are the same every time, so that a red run can be repeated.
settings.register_profile("calibscope", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("calibscope")


@pytest.fixture(autouse=True, scope="session")
def kernels():
    """Compile once, before the first test."""
    compile_kernels()
