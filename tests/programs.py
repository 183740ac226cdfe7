"""Programs that some tests need: where they are missing, CI fails and a user's machine skips."""

import os
import shutil
import subprocess

import pytest


def program(*names: str, package: str) -> str:
    """Path of the first of these programs that is installed; without one, skip or fail."""
    for name in names:
        if found := shutil.which(name):
            return found
    return do_without(names[0], package)


def rscript(library: str, package: str) -> str:
    """Path of Rscript, where this library of R is installed, too; otherwise skip or fail."""
    found = program("Rscript", package="r-base-core")
    asked = f'quit(status = !requireNamespace("{library}", quietly = TRUE))'
    if subprocess.run([found, "-e", asked], capture_output=True).returncode:
        do_without(f"{library} of R", package)
    return found


def do_without(name: str, package: str) -> str:
    """Skip the test, or fail where nothing may be missing."""
    missing = f"{name} is not installed; apt install {package}"
    if os.environ.get("CI") == "true":
        pytest.fail(f"{missing} (required where CI=true)", pytrace=False)
    pytest.skip(missing)
