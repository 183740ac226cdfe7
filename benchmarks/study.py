"""What a study costs: the demo study, and the same market ten times over.

``python benchmarks/study.py`` takes about twenty minutes, each size in a process of its own.
Printed are wall time, peak memory, the size of the store, and where the time goes; cost should grow
in step with the number of days. One more day, appended to each store, is timed too.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

TIMES = (1, 10)


def repeated(times: int):
    """The synthetic market so many times, one calendar day after the other, and one day more."""
    import calibscope as cs

    market = cs.demo_market()
    days = list(market.days) * times
    dates = (np.datetime64("1900-01-01") + np.arange(len(days) + 1, dtype="m8[D]")).tolist()
    days = [replace(day, date=date) for day, date in zip([*days, days[0]], dates, strict=True)]
    name = f"synthetic market, {times} times"
    return cs.Market(tuple(days), name=name, is_synthetic=True)


def measure(times: int, folder: Path) -> dict[str, float]:
    """Run the study of all days but the last, then append that one."""
    import calibscope as cs
    from calibscope.calibration.g2.search import compile_kernels

    compile_kernels()
    market, store = repeated(times), folder / f"{times}.db"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    began = time.perf_counter()
    study = cs.run_study(replace(market, days=market.days[:-1]), store)
    seconds = time.perf_counter() - began
    began = time.perf_counter()
    cs.run_study(market, store)
    return {
        "days": len(market) - 1,
        "seconds": seconds,
        "append": time.perf_counter() - began,
        "memory_before": before,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "store": store.stat().st_size / 1e6,
        **{
            f"{name}_seconds": float(study.runs[f"{name}_seconds"].iloc[0])
            for name in ("calibration", "diagnosis", "store")
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--measure", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure, options.folder)))
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in (
        "days", "wall\ns", "ms\na day", "one day\nmore, s", "peak\nMB", "of it the\nmarket, MB",
        "store\nMB", "calibration\ns", "diagnosis\ns", "store\ns",
    ):  # fmt: skip
        table.add_column(heading, justify="right")
    with tempfile.TemporaryDirectory() as folder:
        for times in TIMES:
            command = [sys.executable, __file__, "--measure", str(times), "--folder", folder]
            found = json.loads(subprocess.check_output(command, text=True).splitlines()[-1])
            table.add_row(
                f"{found['days']:,.0f}",
                f"{found['seconds']:.1f}",
                f"{1e3 * found['seconds'] / found['days']:.2f}",
                f"{found['append']:.2f}",
                f"{found['memory']:.0f}",
                f"{found['memory_before']:.0f}",
                f"{found['store']:.1f}",
                *(
                    f"{found[f'{name}_seconds']:.1f}"
                    for name in ("calibration", "diagnosis", "store")
                ),
            )
    console = Console(width=110)
    console.print(
        "A study of the synthetic market on all cores: calibration and diagnosis of a chunk while "
        "the one before is stored."
    )
    console.print(table)


if __name__ == "__main__":
    main()
