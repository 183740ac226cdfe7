"""Days shared among threads: kernels release the GIL, so plain threads use every core."""

import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

# Smaller pieces balance the load better, but each call of a kernel costs as much as a few days.
PIECES_PER_THREAD = 8
FEWEST_DAYS = 25


def available_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def share_days(
    work: Callable[[int, int], None],
    days: int,
    threads: int | None,
    fewest: int = FEWEST_DAYS,
) -> None:
    """Call work(begin, end) on pieces that cover 0, ..., days - 1, on several threads.

    The calling thread works too: waking a second thread takes as long as a few hundred days, and
    a short panel is done before.

    Parameters
    ----------
    threads : how many to use; None means all cores
    fewest : days that are worth a thread
    """
    threads = available_cores() if threads is None else threads
    if threads < 1:
        raise ValueError(f"threads is {threads}; use at least one")
    pieces = max(1, min(threads * PIECES_PER_THREAD, days // fewest)) if threads > 1 else 1
    pending = deque(
        (days * piece // pieces, days * (piece + 1) // pieces) for piece in range(pieces)
    )

    def work_off() -> None:
        while True:
            try:
                begin, end = pending.popleft()
            except IndexError:
                return
            work(begin, end)

    if pieces == 1:
        work_off()
        return
    with ThreadPoolExecutor(threads - 1) as pool:
        others = [pool.submit(work_off) for _ in range(min(threads, pieces) - 1)]
        work_off()
        for other in others:
            other.result()
