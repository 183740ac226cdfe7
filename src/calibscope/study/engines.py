"""Where chunks of days are computed: on this machine, or on a Dask cluster.

An engine takes chunks and gives their results back in the same order, so that the one process that
writes the store writes the same rows whoever computed them.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

from calibscope.study.cluster import TIMEOUT, Chunk, Cluster, EngineError
from calibscope.study.results import Results
from calibscope.study.settings import StudySettings
from calibscope.study.tasks import DAYS, TASKS

__all__ = ["Cluster", "Engine", "EngineError", "Threads", "engine_of"]


class Engine(Protocol):
    """Something that computes chunks."""

    @property
    def name(self) -> str:
        """How the audit trail names it."""

    def results(
        self, chunks: Iterable[Chunk], settings: StudySettings, task: str = DAYS
    ) -> Iterator[Results]:
        """The results of each chunk, in order; tasks are those of `tasks.py`."""


@dataclass(frozen=True, slots=True)
class Threads:
    """Threads of this machine over the days of a chunk; the next chunk while one is stored."""

    threads: int | None = None  # None: all cores

    @property
    def name(self) -> str:
        """How the audit trail names it."""
        return "this machine"

    def results(
        self, chunks: Iterable[Chunk], settings: StudySettings, task: str = DAYS
    ) -> Iterator[Results]:
        """The results of each chunk, in order."""
        compute = TASKS[task]
        pool = ThreadPoolExecutor(1)
        try:
            yield from _ahead(
                (pool.submit(compute, days, settings, self.threads) for days in chunks), 2
            )
        finally:
            pool.shutdown(cancel_futures=True)


def engine_of(address: str | None, threads: int | None, timeout: float = TIMEOUT) -> Engine:
    """The cluster at this address, or this machine."""
    if threads is not None and threads < 1:
        raise ValueError(f"threads is {threads}; use at least one")
    if not timeout > 0:
        raise ValueError(f"engine_timeout is {timeout}; give seconds, more than 0")
    return Threads(threads) if address is None else Cluster(address, timeout)


def _ahead(futures: Iterator[Any], count: int) -> Iterator[Any]:
    """Results in order, with `count` futures under way."""
    pending = deque(islice(futures, count))
    while pending:
        result = pending.popleft().result()
        pending.extend(islice(futures, 1))
        yield result
