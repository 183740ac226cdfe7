"""How kernels are compiled: once per machine, without the GIL, never stale.

Every kernel of calibscope carries ``@compiled`` or ``@compiled_for_stacks``. Numba's own disk cache
looks only at the file of the *outer* function, so that a corrected inner formula in another file
would go on being served in its old form. Our cache folder is therefore named after the text of all
files with kernels and of whatever those import: change one character of any formula or constant and
everything is compiled anew. Where neither the package nor the user's cache is writable, every
process compiles for itself; a shared temporary folder would let other users plant machine code.
Files that are damaged or cannot be written are the subject of `kernel_files.py`.
"""

import gc
import hashlib
import logging
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import config, event

from calibscope.base.kernel_files import checked_files
from calibscope.base.linking import divided

try:
    import fcntl
except ImportError:  # Windows, where two processes that compile at once are not told apart
    fcntl = None  # type: ignore[assignment]

Function = TypeVar("Function", bound=Callable[..., Any])

logger = logging.getLogger("calibscope")

PACKAGE = Path(__file__).resolve().parents[1]
SECONDS_BEFORE_NOTICE = 2.0
OWN_IMPORT = re.compile(r"^from calibscope\.([\w.]+) import", re.MULTILINE)

pending: list[Callable[[], Any]] = []  # kernels for stacks, until one is used
compiling = threading.Lock()
announcing, announced = threading.Lock(), threading.Event()


@cache
def cache_folder() -> Path | None:
    """The folder for machine code of exactly these kernel sources; None if nowhere is writable."""
    fingerprint = hashlib.sha256()
    for _, text in sorted(_kernel_sources().items()):
        fingerprint.update(text.encode())
    user_cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    for base in (PACKAGE / "__pycache__", Path(user_cache, "calibscope")):
        try:
            folder = base.expanduser() / f"kernels-{fingerprint.hexdigest()[:16]}"
            folder.mkdir(parents=True, exist_ok=True)
        except (OSError, RuntimeError):  # RuntimeError: this user has no home
            continue
        if os.access(folder, os.W_OK):
            return folder
    return None


def _kernel_sources() -> dict[Path, str]:
    """The files with kernels, and all files of the package that they import, directly or not."""
    sources = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    wanted, pending = set[Path](), [path for path, text in sources.items() if "@compiled" in text]
    while pending:
        path = pending.pop()
        if path in sources and path not in wanted:
            wanted.add(path)
            modules = OWN_IMPORT.findall(sources[path])
            pending += [
                PACKAGE.joinpath(*module.split(".")).with_suffix(".py") for module in modules
            ]
    return {path: sources[path] for path in wanted}


def compiled(function: Function) -> Function:
    """Compile `function` at first use: GIL released, machine code kept on disk.

    ``contract`` lets the compiler fuse ``a * b + c`` into one rounding, which is faster
    and never less accurate in our formulas; nothing else of IEEE arithmetic is given up.
    Division by zero yields inf or nan, as in NumPy, because unselected branches of
    vectorised loops may divide by zero.
    """
    options = {
        "nogil": True, "error_model": "numpy", "fastmath": {"contract"}, "no_cfunc_wrapper": True
    }  # fmt: skip
    with _kept_on_disk() as is_kept:
        door = numba.njit(cache=is_kept, **options)(function)
        inner = numba.njit(no_cpython_wrapper=True, **options)(function)
        return cast(Function, divided(door, inner))


def compiled_for_stacks(
    types: str, axes: str
) -> Callable[[Callable[..., None]], Callable[..., Any]]:
    """Compile the kernel of one day, at first use, for a day and for stacks of days alike.

    The kernel fills its last arguments. What is made of it returns these, runs over all leading
    axes and broadcasts them, as NumPy's own functions do (a generalised ufunc). One day is what it
    is for: NumPy would be as quick on a stack, but takes a microsecond for every step of a formula.

    Parameters
    ----------
    types : of the arguments and results, in Numba's words: "f8[:], i8, f8[:]"
    axes : of the same, in NumPy's words: "(m), () -> (m)"
    """

    def decorate(kernel: Callable[..., None]) -> Callable[..., Any]:
        @cache
        def ufunc() -> Any:
            with _kept_on_disk() as is_kept:
                return numba.guvectorize([f"void({types})"], axes, cache=is_kept)(kernel)

        @wraps(kernel)
        def run(*arguments: Any) -> Any:
            if pending:
                _compile_pending()
            return ufunc()(*arguments)

        pending.append(ufunc)
        return run

    return decorate


def _compile_pending() -> None:
    """Compile all kernels for stacks as soon as one is used, so that they are announced once."""
    with compiling, compilation_notice(), _alone_in(cache_folder()):
        while pending:
            pending[-1]()
            pending.pop()  # only now: other threads must wait


@contextmanager
def compiled_beside(statement: str) -> Iterator[None]:
    """The first time on a machine, let a second process compile other kernels meanwhile.

    Parameters
    ----------
    statement : what that process runs
    """
    folder = cache_folder()
    if folder is None or any(folder.rglob("*.nbi")):
        yield
        return
    process = subprocess.Popen(
        [sys.executable, "-c", statement], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def compile_for_stacks() -> None:
    """Compile the kernels for stacks of all modules that were imported."""
    if pending:
        _compile_pending()


@contextmanager
def _alone_in(folder: Path | None) -> Iterator[None]:
    """Keep other processes from compiling kernels for stacks meanwhile.

    Numba keeps each of them in two files, one of which names a function in the other. Half from one
    process and half from another would be a crash at every start.
    """
    if folder is None or fcntl is None:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def _kept_on_disk() -> Iterator[bool]:
    """Let Numba keep what it compiles in our folder; whether there is one."""
    folder = cache_folder()
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder or "")
    try:
        with checked_files():
            yield folder is not None
    finally:
        config.CACHE_DIR = before


@contextmanager
def compilation_notice() -> Iterator[None]:
    """Tell the user, once a process, when compiling kernels inside the block takes long.

    Python's garbage collector pauses: it would go through the compiler's millions of objects again
    and again, and find nothing.
    """
    was_collecting = gc.isenabled()
    gc.disable()
    passes = CompilerPasses()
    try:
        # Numba tells of each pass of its compiler; loading machine code from disk has none.
        with event.install_listener("numba:run_pass", passes):
            yield
    finally:
        passes.stop()
        if was_collecting:
            gc.enable()


class CompilerPasses(event.Listener):  # type: ignore[misc]
    """Adds up the time that the compiler takes, and announces the compilation when it is long.

    Numba compiles on one thread at a time, and a pass may contain those of an inner function.
    """

    def __init__(self) -> None:
        self.depth, self.seconds, self.began = 0, 0.0, 0.0
        self.notice: threading.Timer | None = None

    def on_start(self, _: event.Event) -> None:
        """Start the clock with an outermost pass."""
        self.depth += 1
        if self.depth > 1 or announced.is_set():
            return
        self.began, left = time.monotonic(), SECONDS_BEFORE_NOTICE - self.seconds
        self.notice = threading.Timer(max(left, 0.0), announce_compilation)
        self.notice.daemon = True
        self.notice.start()

    def on_end(self, _: event.Event) -> None:
        """Stop the clock; a block entered during another thread's pass has not seen its start."""
        if self.depth == 1:
            self.stop()
        self.depth = max(self.depth - 1, 0)

    def stop(self) -> None:
        """Stop the clock."""
        if self.notice is not None:
            self.notice.cancel()
            self.seconds += time.monotonic() - self.began
            self.notice = None


def announce_compilation() -> None:
    """Say that kernels are being compiled, unless this process has said so before."""
    with announcing:
        if not announced.is_set():
            announced.set()
            logger.warning("compiling kernels for this machine (once; about a minute) ...")
