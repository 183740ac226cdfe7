"""Programs that some tests need: where they are missing, CI fails and a user's machine skips."""

import os
import shutil

import pytest


def program(*names: str, package: str) -> str:
    """Path of the first of these programs that is installed; without one, skip or fail."""
    for name in names:
        if found := shutil.which(name):
            return found
    missing = f"{names[0]} is not installed; apt install {package}"
    if os.environ.get("CI") == "true":
        pytest.fail(f"{missing} (required where CI=true)", pytrace=False)
    pytest.skip(missing)
