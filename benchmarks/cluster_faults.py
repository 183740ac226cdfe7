"""What happens on a cluster when a worker or the scheduler is killed, freezes, or has other code?

``python benchmarks/cluster_faults.py`` takes about two minutes. A scheduler and two workers are
processes of this machine. After each fault the run has either gone on with the others, or stopped
with a message; then the rows of the store, completed by the next run, must be those of a run on one
machine.
"""

import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import calibscope as cs
from calibscope.study import run
from calibscope.study.engines import EngineError
from faults import rows

SOURCE = Path(cs.__file__).parent
SILENCE = 10.0  # seconds after which a worker counts as gone here; busy machines stall for some
LONGEST = 120.0  # seconds that a process may take to start, or to import calibscope
DASK = [sys.executable, "-m", "dask"]


@dataclass
class Processes:
    """A scheduler and its workers."""

    folder: Path
    address: str = ""
    scheduler: subprocess.Popen | None = None
    workers: list[subprocess.Popen] = field(default_factory=list)

    def start_scheduler(self) -> None:
        """Start it, and wait for its address."""
        self.folder.mkdir()
        file = self.folder / "scheduler.json"
        options = [
            "--host",
            "127.0.0.1",
            "--port",
            "0",
            "--no-dashboard",
            "--scheduler-file",
            str(file),
        ]
        self.scheduler = self._started(["scheduler", *options])
        self._wait(lambda: file.exists() and '"address"' in file.read_text())
        self.address = file.read_text().split('"address": "')[1].split('"')[0]

    def add_workers(self, count: int = 1, package: Path = SOURCE) -> None:
        """So many more, with calibscope from this folder."""
        options = ["--host", "127.0.0.1", "--no-nanny", "--nthreads", "1", "--no-dashboard"]
        place = {"PYTHONPATH": str(package.parent)}
        for _ in range(count):
            self.workers.append(self._started(["worker", self.address, *options], place))
        self._wait(lambda: self._count() >= self._alive)

    def kill(self, *workers: subprocess.Popen) -> None:
        """End these workers, and wait until the scheduler has noticed."""
        for worker in workers:
            worker.kill()
            worker.wait()
        self._wait(lambda: self._count() <= self._alive)

    def wait_for_results(self) -> None:
        """Wait until a worker holds some."""
        from distributed import Client

        with Client(self.address, set_as_default=False, timeout="5s") as client:
            self._wait(lambda: any(client.has_what().values()))

    @property
    def _alive(self) -> int:
        return sum(worker.poll() is None for worker in self.workers)

    def _count(self) -> int:
        from distributed import Client

        with Client(self.address, set_as_default=False, timeout="5s") as client:
            return len(client.nthreads())

    def _started(
        self, arguments: list[str], place: dict[str, str] | None = None
    ) -> subprocess.Popen:
        return subprocess.Popen(
            [*DASK, *arguments], cwd=self.folder, env=os.environ | (place or {}),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    @staticmethod
    def _wait(condition: Callable[[], bool]) -> None:
        began = time.monotonic()
        while not condition():
            if time.monotonic() - began > LONGEST:
                raise TimeoutError(f"a worker or the scheduler takes more than {LONGEST:g} s")
            time.sleep(0.1)

    def stop(self) -> None:
        """End whatever is still there."""
        for process in (*self.workers, self.scheduler):
            if process is not None and process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
                process.wait()


@contextmanager
def processes(folder: Path, workers: int) -> Iterator[Processes]:
    """A cluster that goes when it is no longer needed."""
    cluster = Processes(folder)
    try:
        cluster.start_scheduler()
        cluster.add_workers(workers)
        yield cluster
    finally:
        cluster.stop()


def run_with(
    market: cs.Market,
    store: Path,
    cluster: Processes,
    fault: Callable[[], None],
    silence: float = SILENCE,
) -> str:
    """A run in whose midst the fault happens; what it says if it stops."""
    has_happened = False

    def progress(tally) -> None:
        nonlocal has_happened
        if tally.done > tally.dropped and not has_happened:
            has_happened = True
            fault()

    try:
        cs.run_study(
            market, store, engine=cluster.address, engine_timeout=silence, progress=progress
        )
    except EngineError as error:
        return str(error)
    return ""


def other_code(folder: Path) -> Path:
    """A calibscope of the same version with another formula."""
    package = folder / "other" / "calibscope"
    shutil.copytree(SOURCE, package, ignore=shutil.ignore_patterns("__pycache__"))
    file = package / "models" / "g2" / "caps.py"
    file.write_text(file.read_text(encoding="utf-8").replace("near - far", "far - near"))
    return package


FAULTS = ("late worker with other code", "frozen worker", "all workers killed", "scheduler killed")


def suffer(market: cs.Market, folder: Path) -> Iterator[tuple[str, str, Path]]:
    """Fault after fault on one cluster: its name, what the run said, and the store."""
    with processes(folder / "cluster", 2) as cluster:
        first, second = cluster.workers
        store = folder / "late.db"
        other = other_code(folder)

        def join_late() -> None:
            """The late one is alone until it has computed something of what is under way."""
            cluster.add_workers(1, other)
            cluster.kill(first, second)
            cluster.wait_for_results()
            cluster.add_workers(2)

        # A busy machine may take long to import what the late worker computes with.
        said = run_with(market, store, cluster, join_late, LONGEST)
        late, first, second = cluster.workers[2:]
        cluster.kill(late)
        yield FAULTS[0], said, store

        store = folder / "frozen.db"
        said = run_with(market, store, cluster, lambda: first.send_signal(signal.SIGSTOP))
        first.send_signal(signal.SIGCONT)
        yield FAULTS[1], said, store

        store = folder / "killed.db"
        said = run_with(market, store, cluster, lambda: cluster.kill(first, second))
        yield FAULTS[2], said, store

        cluster.add_workers()
        store = folder / "scheduler.db"
        yield FAULTS[3], run_with(market, store, cluster, cluster.scheduler.kill), store


def main() -> None:
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    market, failed = cs.demo_market().between("2017-01-01", "2018-12-31"), False
    run.CHUNK = 8  # many, so that each fault finds some under way
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cs.run_study(market, folder / "alone.db")
        wanted = rows(folder / "alone.db")
        for fault, said, store in suffer(market, folder):
            before = len(rows(store)["days"])
            cs.run_study(market, store)
            same = rows(store) == wanted
            failed |= not same
            print(f"{fault}: {said or 'completed'}")
            print(f"  {before} days stored; after the next run, identical rows: {same}.")
    sys.exit(failed)


if __name__ == "__main__":
    main()
