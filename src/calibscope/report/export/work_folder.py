"""A hidden folder to write in, which goes with its process, or with the next one.

The folder is locked while it is in use, and the operating system releases the lock when the process
ends, however it ends. A folder that nobody has locked is left over from one that was killed.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

try:
    import fcntl
except ImportError:  # Windows, where a killed process leaves its folder
    fcntl = None  # type: ignore[assignment]


@contextmanager
def work_folder(where: Path, prefix: str) -> Iterator[Path]:
    """A new folder of our own; those of processes that were killed are removed."""
    _remove_left_over(where, prefix)
    while True:
        with (
            TemporaryDirectory(prefix=prefix, dir=where, ignore_cleanup_errors=True) as name,
            _locked(Path(name)) as is_ours,
        ):
            if is_ours:
                yield Path(name)
                return


def _remove_left_over(where: Path, prefix: str) -> None:
    for folder in where.glob(f"{prefix}*"):
        if fcntl is None or folder.is_symlink() or not folder.is_dir():
            continue
        with suppress(OSError), _locked(folder) as is_free:
            if is_free:
                shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _locked(folder: Path) -> Iterator[bool]:
    """Lock a folder; whether that was possible, and it is still there."""
    if fcntl is None:
        yield True
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:  # somebody has removed it in this moment
        yield False
        return
    try:
        yield _has_locked(folder, descriptor)
    finally:
        os.close(descriptor)


def _has_locked(folder: Path, descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(descriptor), folder.stat())
    except (BlockingIOError, FileNotFoundError):
        return False
