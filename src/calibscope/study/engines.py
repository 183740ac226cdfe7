"""Where chunks of days are computed: on this machine, or on a Dask cluster.

An engine takes chunks and gives their results back in the same order, so that the one process that
writes the store writes the same rows whoever computed them.
"""

import asyncio
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

from calibscope import __version__
from calibscope.market.day import MarketDay
from calibscope.study.results import Results, compute
from calibscope.study.settings import StudySettings

Chunk = Sequence[MarketDay]

ADDRESS = re.compile(r"(tcp|tls|ucx|ws|wss)://[^\s:]+:\d+")
ATTEMPTS = "5s"  # how long a scheduler may take to answer
CHUNKS_PER_WORKER = 3  # in flight: enough that no worker waits, few enough to keep memory small


class EngineError(RuntimeError):
    """A cluster that cannot be used; what was stored before is kept."""


class Engine(Protocol):
    """Something that computes chunks."""

    @property
    def name(self) -> str:
        """How the audit trail names it."""

    def results(self, chunks: Iterable[Chunk], settings: StudySettings) -> Iterator[Results]:
        """The results of each chunk, in order."""


@dataclass(frozen=True, slots=True)
class Threads:
    """Threads of this machine over the days of a chunk; the next chunk while one is stored."""

    threads: int | None = None  # None: all cores

    @property
    def name(self) -> str:
        """How the audit trail names it."""
        return "this machine"

    def results(self, chunks: Iterable[Chunk], settings: StudySettings) -> Iterator[Results]:
        """The results of each chunk, in order."""
        pool = ThreadPoolExecutor(1)
        try:
            yield from _ahead(
                (pool.submit(compute, days, settings, self.threads) for days in chunks), 2
            )
        finally:
            pool.shutdown(cancel_futures=True)


@dataclass(frozen=True, slots=True)
class Cluster:
    """An existing Dask cluster, by its scheduler's address."""

    address: str  # such as tcp://scheduler:8786

    @property
    def name(self) -> str:
        """How the audit trail names it."""
        return self.address

    def results(self, chunks: Iterable[Chunk], settings: StudySettings) -> Iterator[Results]:
        """The results of each chunk, in order; chunks of a worker that dies are computed again."""
        client = self._client()
        from distributed import KilledWorker

        try:
            self._check_workers(client)
            waiting = CHUNKS_PER_WORKER * sum(client.nthreads().values())
            submitted = (
                client.submit(compute, days, settings, 1, pure=False, retries=3) for days in chunks
            )
            yield from _ahead(submitted, waiting)
        except KilledWorker as error:
            raise EngineError(
                f"{self.address}: several workers died over the same days ({error}); what was "
                "computed before is stored: see to the workers, then run again"
            ) from None
        except (asyncio.CancelledError, CancelledError, OSError) as error:
            raise EngineError(
                f"{self.address}: the scheduler has gone ({type(error).__name__}); what was "
                "computed before is stored: start it again, then run again"
            ) from None
        finally:
            client.close()

    def _client(self) -> Any:
        if not ADDRESS.fullmatch(self.address):
            raise EngineError(
                f"{self.address!r} is no address of a scheduler; give one like tcp://scheduler:8786"
            )
        try:
            from distributed import Client
        except ImportError:
            raise EngineError(
                "a cluster needs dask.distributed: pip install 'calibscope[cluster]'"
            ) from None
        try:
            return Client(self.address, timeout=ATTEMPTS, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise EngineError(
                f"{self.address}: no Dask scheduler answers there ({error}); start one with "
                "dask scheduler, and workers with dask worker"
            ) from None

    def _check_workers(self, client: Any) -> None:
        """Refuse a cluster without workers, or with another calibscope."""
        if not client.nthreads():
            raise EngineError(f"{self.address}: there are no workers; start some with dask worker")
        try:
            versions = client.run(_version)
        except ImportError as error:
            raise EngineError(
                f"{self.address}: the workers have no calibscope ({error}); install {__version__}"
            ) from None
        others = {worker: other for worker, other in versions.items() if other != __version__}
        if others:
            worker, other = next(iter(others.items()))
            raise EngineError(
                f"{self.address}: worker {worker} has calibscope {other}, this is {__version__}; "
                "install the same on all"
            )


def engine_of(address: str | None, threads: int | None) -> Engine:
    """The cluster at this address, or this machine."""
    if threads is not None and threads < 1:
        raise ValueError(f"threads is {threads}; use at least one")
    return Threads(threads) if address is None else Cluster(address)


def _version() -> str:
    from calibscope import __version__

    return __version__


def _ahead(futures: Iterator[Any], count: int) -> Iterator[Any]:
    """Results in order, with `count` futures under way."""
    pending = deque(islice(futures, count))
    while pending:
        result = pending.popleft().result()
        pending.extend(islice(futures, 1))
        yield result
