"""What happens when a run is killed? kill -9 at random moments, 30 times; a cluster's worker too.

``python benchmarks/faults.py`` takes about five minutes. A study of the synthetic market is killed
again and again, each time resumed; after every fault the store must be sound, must have lost no
committed day and must hold no half-written one, and in the end it must equal, row for row, that of
a run that was left alone. The same with a Dask cluster of three worker processes, one of which is
killed (more faults of clusters: ``cluster_faults.py``). Two readers read all the while. Reports and
exports are killed as often; the next one must succeed and leave nothing behind.
"""

import argparse
import json
import os
import pickle
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path

import calibscope as cs
from calibscope.study import schema

KILLS, WORKERS, SEED = 30, 3, 1
LONGEST = 0.5  # seconds after which a run is killed at the latest
OTHER_IN_EVERY_RUN = {"run_id", "superseded_by", "seconds"}
TABLES = (schema.days, *schema.RESULTS, schema.challenger_fits)
RUN = """
import pickle, sys
import calibscope as cs
from calibscope.calibration.g2.search import compile_kernels
market = pickle.load(open(sys.argv[1], "rb"))
compile_kernels()
print("ready", flush=True)
cs.run_study(market, sys.argv[2])
"""

WRITE = """
import sys
import calibscope as cs
kind, store, target = sys.argv[1:]
study = cs.open_study(store)
study.days
print("ready", flush=True)
cs.write_report(study, target) if kind == "html" else cs.export(study, target, kind)
print("written", flush=True)
"""
TARGETS = {"html": "report.html", "xlsx": "results.xlsx", "parquet": "parquet", "csv": "csv"}


def rows(store: Path) -> dict[str, list[tuple]]:
    """All rows, but for times and for the run that wrote them."""
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection, connection:
        return {
            table.name: connection.execute(
                f"SELECT {', '.join(_names(table))} FROM {table.name} ORDER BY "
                f"{', '.join(column.name for column in table.primary_key)}"
            ).fetchall()
            for table in TABLES
        }


def _names(table) -> list[str]:
    return [c.name for c in table.columns if c.name not in OTHER_IN_EVERY_RUN]


def problems(store: Path, before: dict[str, list[tuple]]) -> list[str]:
    """What is wrong with a store after a fault, compared with its rows before."""
    found = []
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection, connection:
        (verdict,) = connection.execute("PRAGMA integrity_check").fetchone()
        if verdict != "ok":
            found.append(f"integrity check: {verdict}")
        for child, count in (("quotes", "quote_count"), ("parameters", "5")):
            (half,) = connection.execute(
                f"SELECT count(*) FROM days WHERE rmsre IS NOT NULL AND {count} != "
                f"(SELECT count(*) FROM {child} WHERE {child}.day_id = days.day_id)"
            ).fetchone()
            if half:
                found.append(f"{half} days without all their {child}")
    after = rows(store)
    found += [
        f"{table}: rows that were committed have gone or changed"
        for table, old in before.items()
        if not set(old) <= set(after[table])
    ]
    return found


def kill_again_and_again(
    market: cs.Market, folder: Path, kills: int, seed: int = SEED
) -> tuple[int, Path, list[str]]:
    """Kill runs at random moments until they have been killed so often; then let the last finish.

    Returns the number of kills that hit a running process, the store, and all problems.
    """
    rng = random.Random(seed)
    pickled, store, found = folder / "market.pickle", folder / "killed-0.db", []
    pickled.write_bytes(pickle.dumps(market))
    hits = rounds = 0
    while hits < kills:
        before = rows(store) if store.exists() and _is_store(store) else {}
        with subprocess.Popen(
            [sys.executable, "-c", RUN, str(pickled), str(store)], stdout=subprocess.PIPE, text=True
        ) as process:
            process.stdout.readline()
            time.sleep(rng.uniform(0.0, LONGEST))
            os.kill(process.pid, signal.SIGKILL)
        if process.returncode == -signal.SIGKILL:
            hits += 1
            found += problems(store, before) if _is_store(store) else []
        elif hits < kills:  # it was done before: begin a new one
            rounds += 1
            store = folder / f"killed-{rounds}.db"
    cs.run_study(market, store)
    return hits, store, found


def kill_writers(store: Path, folder: Path, kills: int, seed: int = SEED) -> tuple[int, list[str]]:
    """Kill reports and exports at random moments, each followed by one that is left alone.

    Returns the number of kills that hit a running process, and all problems.
    """
    rng, found, hits = random.Random(seed), [], 0
    kinds = list(TARGETS)
    places = {kind: folder / kind for kind in kinds}
    seconds = dict.fromkeys(kinds, 1.0)
    for place in places.values():
        place.mkdir()
    while hits < kills:
        kind = kinds[hits % len(kinds)]
        target = places[kind] / TARGETS[kind]
        if rng.random() < 0.5 and target.exists():  # else over an earlier one
            shutil.rmtree(target) if target.is_dir() else target.unlink()
        with _writing(kind, store, target) as process:
            process.stdout.readline()
            time.sleep(rng.uniform(0.0, seconds[kind]))
            os.kill(process.pid, signal.SIGKILL)
        hits += process.returncode == -signal.SIGKILL
        began = time.perf_counter()
        with _writing(kind, store, target) as process:
            process.stdout.readline()
            began = time.perf_counter()
            if process.stdout.readline() != "written\n":
                found.append(f"{kind}: the next one failed")
        seconds[kind] = time.perf_counter() - began
        names = {path.relative_to(places[kind]).as_posix() for path in places[kind].rglob("*")}
        expected = {TARGETS[kind]}
        if target.is_dir():
            files = json.loads((target / "manifest.json").read_text())["tables"].values()
            expected |= {
                f"{kind}/{name}" for name in ("manifest.json", *(f["file"] for f in files))
            }
        if names != expected:
            found.append(f"{kind}: {sorted(names ^ expected)} left behind or missing")
    return hits, found


def _writing(kind: str, store: Path, target: Path) -> subprocess.Popen:
    command = [sys.executable, "-c", WRITE, kind, str(store), str(target)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def _is_store(store: Path) -> bool:
    """Whether its tables were committed yet."""
    try:
        cs.open_study(store)
    except cs.StoreError:
        return False
    return True


def kill_a_worker(market: cs.Market, folder: Path, workers: int = WORKERS) -> tuple[Path, bool]:
    """A run on a cluster of processes, one of which is killed in the middle."""
    from distributed import Client, LocalCluster

    store, killed = folder / "cluster.db", threading.Event()
    with LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        with Client(cluster) as client:
            (victim, *_) = client.run(os.getpid).values()

        def progress(tally) -> None:
            if tally.done > tally.total // 4 and not killed.is_set():
                os.kill(victim, signal.SIGKILL)
                killed.set()

        cs.run_study(market, store, engine=cluster.scheduler_address, progress=progress)
    return store, killed.is_set()


def read_all_the_while(store: Path, stop: threading.Event, waits: list[float]) -> None:
    """Read the store again and again, and note how long each reading took."""
    while not stop.is_set():
        if store.exists() and _is_store(store):
            began = time.perf_counter()
            rows(store)
            waits.append(time.perf_counter() - began)
        time.sleep(0.05)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=KILLS)
    options = parser.parse_args()
    market = cs.demo_market()
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        alone = folder / "alone.db"
        stop, waits = threading.Event(), []
        readers = [
            threading.Thread(target=read_all_the_while, args=(alone, stop, waits)) for _ in range(2)
        ]
        for reader in readers:
            reader.start()
        cs.run_study(market, alone)
        stop.set()
        for reader in readers:
            reader.join()
        print(f"Two readers read {len(waits)} times during a run; longest {max(waits):.2f} s.")
        wanted = rows(alone)
        hits, store, found = kill_again_and_again(market, folder, options.kills)
        same = rows(store) == wanted
        print(f"kill -9: {hits} times, problems after them: {found or 'none'}.")
        print(f"Final store identical to that of an uninterrupted run: {same}.")
        failed |= bool(found) or not same
        short = folder / "short.db"
        cs.run_study(market.between("2020-02-17", "2020-04-30"), short)
        hits, found = kill_writers(short, folder, options.kills)
        print(f"kill -9 of reports and exports: {hits} times, problems: {found or 'none'}.")
        failed |= bool(found)
        for threads in (1, 2):
            other = folder / f"threads-{threads}.db"
            cs.run_study(market, other, threads=threads)
            same = rows(other) == wanted
            print(f"{threads} thread(s), identical rows: {same}.")
            failed |= not same
        store, killed = kill_a_worker(market, folder)
        same = rows(store) == wanted
        print(f"Dask, {WORKERS} workers, one killed ({killed}), identical rows: {same}.")
        failed |= not (killed and same) or bool(problems(store, {}))
    sys.exit(failed)


if __name__ == "__main__":
    main()
