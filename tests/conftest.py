"""Settings for all tests."""

import pytest
from hypothesis import settings

from calibscope.models.g2.caps import compile_kernels

# No deadline: machines are noisy, and speed is measured by `make bench`, not here. Examples are
# the same every time; `pytest --hypothesis-profile=explore` looks for new ones.
settings.register_profile("calibscope", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile("calibscope")


@pytest.fixture(autouse=True, scope="session")
def kernels():
    """Compile once, before the first test."""
    compile_kernels()
