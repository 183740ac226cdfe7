"""Chunks of days on a Dask cluster whose workers come, go, freeze or have another code.

Every chunk comes back with the code that computed it (`study/fingerprint.py`) and is stored only if
that is the code of this process. A worker with another code, or one that has not been heard of for
a while, gets no more chunks; its chunks are computed by the others, and if there are none, the run
stops and says why. What was stored stays, and the next run goes on.
"""

import asyncio
import logging
import pickle
import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from typing import Any, cast

from calibscope import __version__
from calibscope.market.day import MarketDay
from calibscope.study import fingerprint
from calibscope.study.results import Results
from calibscope.study.settings import StudySettings
from calibscope.study.tasks import DAYS

logger = logging.getLogger("calibscope")

Chunk = Sequence[MarketDay]
Answer = tuple[str, str, Results | None]  # worker, its code, the results if that is ours

ADDRESS = re.compile(r"(tcp|tls|ucx|ws|wss)://[^\s:]+:\d+")
ATTEMPTS = "5s"  # how long a scheduler may take to answer at first
TIMEOUT = 60.0  # seconds without a sign of life, of a worker or of the scheduler
CHUNKS_PER_WORKER = 3  # in flight: enough that no worker waits, few enough to keep memory small
LOOK = 1.0  # seconds of waiting after which we look at the workers
CODE = f"{__version__} ({fingerprint.CODE})"
STORED = "what was computed before is stored"


class EngineError(RuntimeError):
    """A cluster that cannot be used; what was stored before is kept."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """An existing Dask cluster, by its scheduler's address."""

    address: str  # such as tcp://scheduler:8786
    timeout: float = TIMEOUT

    @property
    def name(self) -> str:
        """How the audit trail names it."""
        return self.address

    def results(
        self, chunks: Iterable[Chunk], settings: StudySettings, task: str = DAYS
    ) -> Iterator[Results]:
        """The results of each chunk, in order; chunks of a worker that dies are computed again."""
        client = self._client()
        from distributed import KilledWorker

        try:
            yield from _Conversation(self, client).results(chunks, settings, task)
        except KilledWorker as error:
            raise EngineError(
                f"{self.address}: several workers died over the same days ({error}); {STORED}: see "
                "to the workers, then run again"
            ) from None
        except (asyncio.CancelledError, CancelledError, OSError, TimeoutError) as error:
            raise EngineError(
                f"{self.address}: the scheduler has gone ({type(error).__name__}); {STORED}: start "
                "it again, then run again"
            ) from None
        finally:
            client.close(timeout=LOOK)

    def _client(self) -> Any:
        if not ADDRESS.fullmatch(self.address):
            raise EngineError(
                f"{self.address!r} is not an address of a scheduler; give one like tcp://scheduler:8786"
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


@dataclass(slots=True, eq=False)
class _Task:
    """A chunk under way."""

    payload: bytes
    future: Any


@dataclass(slots=True, eq=False)
class _Conversation:
    """One run on a cluster: who may compute, and what is under way."""

    cluster: Cluster
    client: Any
    under_way: deque[_Task] = field(default_factory=deque)
    refused: dict[str, str] = field(default_factory=dict)  # worker -> why
    trusted: list[str] = field(default_factory=list)  # to whom chunks go once one was refused
    signs: dict[str, tuple[float, float]] = field(default_factory=dict)  # of life, and when seen
    last_worker: float = field(default_factory=time.monotonic)  # when there was one
    function: Callable[[bytes, str], Answer] = field(default_factory=lambda: _portable())

    def results(
        self, chunks: Iterable[Chunk], settings: StudySettings, task: str
    ) -> Iterator[Results]:
        """Those of each chunk, in order."""
        workers = self._workers()
        if not workers:
            raise EngineError(
                f"{self.cluster.address}: there are no workers; start some with dask worker"
            )
        ahead = CHUNKS_PER_WORKER * sum(worker["nthreads"] for worker in workers.values())
        for days in chunks:
            payload = pickle.dumps((task, days, settings))
            self.under_way.append(_Task(payload, self._submit(payload)))
            if len(self.under_way) >= ahead:
                yield self._next()
        while self.under_way:
            yield self._next()

    def _submit(self, payload: bytes) -> Any:
        return self.client.submit(
            self.function, payload, CODE, pure=False, retries=3, workers=self.trusted or None
        )

    def _next(self) -> Results:
        """The results of the first chunk, by whoever computes it in the end."""
        task = self.under_way[0]
        while True:
            try:
                worker, code, results = task.future.result(timeout=LOOK)
            except TimeoutError:
                self._look_at_workers()
                continue
            if results is not None and code == CODE:
                self.under_way.popleft()
                return cast(Results, results)
            self._refuse({worker: f"has {_named(code)}, this is {_named(CODE)}"})
            task.future = self._submit(task.payload)

    def _look_at_workers(self) -> None:
        """Take their chunks away from workers that are silent; stop if nobody is left."""
        now, limit = time.monotonic(), self.cluster.timeout
        workers = self._workers()
        for name, worker in workers.items():  # by our own clock: theirs may be another
            if name not in self.signs or self.signs[name][0] != worker["last_seen"]:
                self.signs[name] = (worker["last_seen"], now)
        usable = [name for name in workers if name not in self.refused]
        silent = [name for name in usable if now - self.signs[name][1] > limit]
        if usable:
            self.last_worker = now
        elif now - self.last_worker > limit:
            raise EngineError(
                f"{self.cluster.address}: all workers have gone, and none came within {limit:g} s; "
                f"{STORED}: start some with dask worker, then run again"
            )
        if silent:
            self._refuse(dict.fromkeys(silent, f"has not been heard of for {limit:g} s"))
        has_changed = self.trusted and usable and set(usable) != set(self.trusted)
        if silent or has_changed:
            self.trusted = [name for name in usable if name not in self.refused]
            for task in self.under_way:  # also what is done: its results may be with the silent
                task.future.cancel()
                task.future = self._submit(task.payload)

    def _refuse(self, why: dict[str, str]) -> None:
        """Give no more chunks to these workers."""
        for worker in why.keys() - self.refused.keys():
            logger.warning("worker %s %s; its days are computed elsewhere", worker, why[worker])
        self.refused |= why
        self.trusted = [name for name in self._workers() if name not in self.refused]
        if not self.trusted:
            reasons = "; ".join(f"{name} {reason}" for name, reason in self.refused.items())
            raise EngineError(
                f"{self.cluster.address}: no worker can be used: worker {reasons}; {STORED}: see "
                "to the workers, then run again"
            )

    def _workers(self) -> dict[str, Any]:
        """Who is there now; TimeoutError from a scheduler that does not answer."""
        client = self.client
        found = client.sync(client.scheduler.identity, callback_timeout=self.cluster.timeout)
        return dict(found["workers"])


def _named(code: str) -> str:
    return f"calibscope {code}" if code else "no calibscope"


def _portable() -> Callable[[bytes, str], Answer]:
    """What a worker does, sent as it is: one with another calibscope must understand it too."""

    def chunk(payload: bytes, wanted: str) -> Answer:
        import pickle

        from distributed import get_worker

        worker, code = get_worker().address, ""
        try:
            from calibscope import __version__ as version

            code = version
            from calibscope.study import fingerprint
            from calibscope.study.tasks import TASKS

            code = f"{version} ({fingerprint.CODE})"
        except ImportError:  # of an older version, or there is none
            return worker, code, None
        if code != wanted:
            return worker, code, None
        task, days, settings = pickle.loads(payload)
        return worker, code, TASKS[task](days, settings, 1)

    return chunk
