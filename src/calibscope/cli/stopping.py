"""Ctrl-C and SIGTERM end a command, also one that a script has started in the background.

Shells start background jobs with SIGINT ignored, and a process inherits that: without a handler of
its own it could only be killed.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

STOPPING = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stoppable() -> Iterator[None]:
    """Both signals raise `KeyboardInterrupt` meanwhile, whatever the parent process ignores."""
    if threading.current_thread() is not threading.main_thread():  # which alone may set handlers
        yield
        return
    before = {number: signal.signal(number, _stop) for number in STOPPING}
    try:
        yield
    finally:
        for number, handler in before.items():
            # None: a handler that was not set from Python, and cannot be put back from here
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


def _stop(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
