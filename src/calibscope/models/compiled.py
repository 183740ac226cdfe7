"""How kernels are compiled: once per machine, without the GIL, never stale.

Every kernel of calibscope carries ``@compiled``. Numba's own disk cache looks only at
the file of the *outer* function, so that a corrected inner formula in another file would
go on being served in its old form. Our cache folder is therefore named after the text of
all kernel files: change one character of any formula and everything is compiled anew.
"""

import hashlib
import logging
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import config

Function = TypeVar("Function", bound=Callable[..., Any])

logger = logging.getLogger("calibscope")

PACKAGE = Path(__file__).resolve().parents[1]
SECONDS_BEFORE_NOTICE = 1.0


@cache
def cache_folder() -> Path:
    """The folder for machine code of exactly these kernel sources."""
    fingerprint = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        source = path.read_bytes()
        if b"@compiled" in source:
            fingerprint.update(source)
    beside_the_code = PACKAGE / "__pycache__"
    beside_the_code.mkdir(exist_ok=True)
    base = beside_the_code
    if not os.access(base, os.W_OK):
        base = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "calibscope"
    return base / f"kernels-{fingerprint.hexdigest()[:16]}"


def compiled(function: Function) -> Function:
    """Compile `function` at first use: GIL released, machine code kept on disk.

    ``contract`` lets the compiler fuse ``a * b + c`` into one rounding, which is faster
    and never less accurate in our formulas; nothing else of IEEE arithmetic is given up.
    Division by zero yields inf or nan, as in NumPy, because unselected branches of
    vectorised loops may divide by zero.
    """
    before = config.CACHE_DIR
    config.CACHE_DIR = str(cache_folder())
    try:
        return cast(
            Function,
            numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})(
                function
            ),
        )
    finally:
        config.CACHE_DIR = before


@contextmanager
def compilation_notice() -> Iterator[None]:
    """Tell the user when the block takes long because kernels are being compiled."""
    notice = threading.Timer(
        SECONDS_BEFORE_NOTICE,
        logger.warning,
        ["compiling the pricing kernels for this machine (once; about ten seconds) ..."],
    )
    notice.daemon = True
    notice.start()
    try:
        yield
    finally:
        notice.cancel()
