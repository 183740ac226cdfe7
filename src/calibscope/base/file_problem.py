"""Why a file is not even opened: a folder, a pipe, or larger than anything we read."""

import stat
from pathlib import Path


def file_problem(path: Path, largest: int) -> str | None:
    """Why a file that exists is not opened at all; None if it is.

    Parameters
    ----------
    largest : bytes that are read
    """
    found = path.stat()
    if stat.S_ISDIR(found.st_mode):
        return "is a folder; give a file in it"
    if not stat.S_ISREG(found.st_mode):  # reading a pipe or a device may never end
        return "is a pipe or a device; save its content as a file, and give that"
    if found.st_size > largest:
        return (
            f"has {found.st_size / 1e6:,.0f} MB, and files of up to {largest / 1e6:,.0f} MB are "
            "read; keep only what is needed"
        )
    return None
