"""Can any input break calibscope? 100,000 hostile ones: files, settings, arguments, numbers.

``python benchmarks/fuzz_inputs.py`` takes a quarter of an hour. Each input is made from its seed:
good files, settings and numbers are damaged, odd ones are made at random. It must be read soundly
or refused by a `ValueError` that calibscope itself raises (`MarketDataError`, `SettingsError`),
in a text of less than 20 kB. Counted are other exceptions, inputs that take longer than 10
seconds of the processor (its children's too) or a minute by the clock, on a machine that has other
work, and those that take the process above 2 GB. ``--seed 4711`` repeats a single one.

Workbooks are opened in a process of their own, which takes 40 ms, so there are fewer of them.
"""

import argparse
import contextlib
import faulthandler
import gc
import linecache
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

import hostile_files as files
import hostile_numbers as numbers

COUNT, FIRST = 100_000, 1
LONGEST, LONGEST_BY_THE_CLOCK = 10.0, 60.0  # seconds
MOST_MEMORY, TIDIED = 2_000_000, 700_000  # kB
LONGEST_TEXT = 20_000
ENDS = ("crash or hang", "exception", "text", "memory", "slow")

# How many of a hundred inputs.
KINDS = {
    "csv": (files.text_file, 53),
    "excel": (files.workbook, 3),
    "parquet": (files.parquet_file, 10),
    "toml": (files.settings_file, 10),
    "set": (files.changes, 10),
    "curve": (numbers.curve, 4),
    "day": (numbers.market_day, 4),
    "model": (numbers.model, 1),
    "calibrate": (numbers.calibration, 1),
    "least squares": (numbers.least_squares, 4),
}


def kind_of(seed: int) -> str:
    """Which kind of input this seed makes."""
    names, shares = zip(*((name, share) for name, (_, share) in KINDS.items()), strict=True)
    return random.Random(f"kind {seed}").choices(names, shares)[0]


def outcome(kind: str, seed: int, folder: Path) -> str:
    """How the input ended: "sound", "refused", or what is wrong."""
    work = KINDS[kind][0](random.Random(f"{kind} {seed}"), folder)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            work()
    except Exception as error:
        return refusal(error)
    return "sound"


def refusal(error: Exception) -> str:
    """Whether the error is one of ours, raised on purpose and readable."""
    frames = traceback.extract_tb(error.__traceback__)
    line = linecache.getline(frames[-1].filename, frames[-1].lineno or 0).strip()
    ours = "calibscope" in frames[-1].filename and line.startswith("raise")
    if not isinstance(error, ValueError) or not ours:
        return f"exception: {''.join(traceback.format_exception(error))[-1500:]}"
    text = str(error)
    if not text.strip() or len(text) > LONGEST_TEXT:
        return f"text: {len(text)} signs: {text[:300]}"
    if any("\n" in problem for problem in getattr(error, "problems", ())):
        return f"text: a problem of several lines: {text[:300]}"
    return "refused"


def work_through(first: int, count: int, out) -> None:
    """Try the inputs one after the other; a line for each on `out`."""
    numbers.warm_up()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for seed in range(first, first + count):
            kind = kind_of(seed)
            print("begin", seed, kind, file=out, flush=True)
            # A loop in compiled code listens to no signal.
            faulthandler.dump_traceback_later(LONGEST_BY_THE_CLOCK, exit=True)
            began = sum(os.times()[:4])
            result = outcome(kind, seed, folder)
            seconds = sum(os.times()[:4]) - began
            faulthandler.cancel_dump_traceback_later()
            memory = peak_memory()
            if memory > MOST_MEMORY:
                result = f"memory: {memory / 1e6:.1f} GB"
            elif seconds > LONGEST:
                result = f"slow: {seconds:.1f} s"
            print("end", seed, f"{seconds:.4f}", memory, repr(result), file=out, flush=True)
            for file in folder.iterdir():
                file.unlink()
            if memory > TIDIED:  # an error keeps its frames, and their tables, in a circle
                gc.collect()
            if memory > MOST_MEMORY:
                return


def peak_memory() -> int:
    """The most memory that the process had since this was last asked, in kB (on Linux)."""
    peak = re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text(encoding="ascii"))
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return int(peak[1])


def supervised(first: int, count: int, verbose: bool) -> int:
    """Run them in a process that is started again where one ends it; how many broke something."""
    done, ended, last = 0, Counter(), first + count
    slowest, largest, broken, seed = Counter(), 0, [], first
    began = time.perf_counter()
    while seed < last:
        worker = subprocess.Popen(
            [
                sys.executable,
                __file__,
                "--worker",
                "--first",
                str(seed),
                "--count",
                str(last - seed),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if not verbose else None,
            text=True,
        )
        kind, current, finished = "", seed, True
        for line in worker.stdout:
            word, number, *rest = line.split(" ", 4)
            current = int(number)
            if word == "begin":
                kind, finished = " ".join(rest).strip(), False
                continue
            finished = True
            done += 1
            slowest[kind] = max(slowest[kind], float(rest[0]))
            largest = max(largest, int(rest[1]))
            end = rest[2].strip().strip("'\"").partition(":")[0]
            ended[kind, end] += 1
            if end in ENDS:
                broken.append(current)
                print(f"seed {current}, {kind}: {rest[2]}".replace("\\n", "\n"), flush=True)
            if done % 5_000 == 0:
                print(f"{done:,} after {time.perf_counter() - began:,.0f} s", flush=True)
        worker.wait()
        if not finished:
            done += 1
            ended[kind, ENDS[0]] += 1
            broken.append(current)
            print(f"seed {current}, {kind}: the process ended ({worker.returncode})", flush=True)
        seed = current + 1
    report(done, ended, slowest, largest, broken, time.perf_counter() - began)
    return len(broken)


def report(done, ended, slowest, largest, broken, seconds) -> None:
    """The counts of the whole run."""
    print(f"{done:,} inputs in {seconds:,.0f} s; largest process {largest / 1e6:.2f} GB")
    for kind in KINDS:
        counts = {end: n for (one, end), n in ended.items() if one == kind}
        words = ", ".join(f"{n:,} {end}" for end, n in sorted(counts.items()))
        print(f"  {kind:14} {sum(counts.values()):7,}: {words}; slowest {slowest[kind]:.2f} s")
    print(f"broken: {len(broken)}{f', seeds {broken[:50]}' if broken else ''}")


def main() -> int:
    """Run what the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--first", type=int, default=FIRST, help="seed of the first input")
    parser.add_argument("--seed", type=int, help="only this one, with what it does")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work_through(options.first, options.count, sys.stdout)
        return 0
    if options.seed is not None:
        return supervised(options.seed, 1, verbose=True)
    with contextlib.suppress(KeyboardInterrupt):
        return supervised(options.first, options.count, verbose=False)
    return 1


if __name__ == "__main__":
    sys.exit(min(main(), 1))
