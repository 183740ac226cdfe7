"""What do the kernels cost where nothing is compiled yet, and what does linking them whole save?

A copy of the package starts with an empty cache of kernels in a fresh process: first one
calibration, or a diagnosis as well, or `calibscope demo`; then the same calibration when warm.
With `--linking` a second copy, in which every kernel is optimised by itself as Numba does it, takes
turns with the first. Processor time (of all processes, seconds) hardly depends on what else the
machine does.

    python benchmarks/cold_start.py             three turns of each, some minutes
    python benchmarks/cold_start.py --linking   with and without base/linking.py
    python benchmarks/cold_start.py --against FOLDER   another checkout takes turns
"""

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "calibscope"
WITHOUT_LINKING = "def divided(door, inner):\n    return door\n"
CALIBRATE = "import calibscope as cs; day = cs.demo_market().days[0]; fit = cs.calibrate(day)"
WARM = f"""
import statistics, time
{CALIBRATE}
def milliseconds():
    began = time.process_time()
    cs.calibrate(day)
    return 1e3 * (time.process_time() - began)
print(statistics.median(milliseconds() for _ in range(200)))
"""
TASKS = {
    "calibrate": ["-c", CALIBRATE],
    "diagnose": ["-c", f"{CALIBRATE}; cs.diagnose(fit)"],
    "demo": ["-m", "calibscope", "demo", "--quiet", "--into", "demo"],
}


def copied(package: Path, folder: Path, is_linked: bool) -> Path:
    """A copy of the package without its cache of kernels; the folder to import it from."""
    shutil.copytree(package, folder / "calibscope", ignore=shutil.ignore_patterns("__pycache__"))
    if not is_linked:
        (folder / "calibscope" / "base" / "linking.py").write_text(WITHOUT_LINKING)
    return folder


def run(arguments: list[str], source: Path) -> tuple[float, float, str]:
    """Seconds by the clock, seconds of all processes, and what was printed."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    printed = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": str(source)},
        cwd=source,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - began, used, printed


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=[*TASKS])
    parser.add_argument("--linking", action="store_true")
    parser.add_argument("--against", type=Path)
    options = parser.parse_args()
    variants = {"this package": (PACKAGE, True)}
    if options.linking:
        variants["without linking"] = (PACKAGE, False)
    if options.against:
        variants["the other"] = (options.against / "src" / "calibscope", True)
    print("median of the turns, seconds by the clock (of processors)")
    for task in options.tasks:
        clock, used, warm = ({name: [] for name in variants} for _ in range(3))
        for _ in range(options.turns):
            for name, (package, is_linked) in variants.items():
                with tempfile.TemporaryDirectory() as folder:
                    source = copied(package, Path(folder), is_linked)
                    seconds, processors, _ = run(TASKS[task], source)
                    clock[name].append(seconds)
                    used[name].append(processors)
                    warm[name].append(float(run(["-c", WARM], source)[2]))
        for name in variants:
            middle = [statistics.median(values[name]) for values in (clock, used, warm)]
            print(
                f"{task:10s} {name:16s} cold {middle[0]:6.1f} ({middle[1]:.1f}); "
                f"then calibrate {middle[2]:.3f} ms",
                flush=True,
            )


if __name__ == "__main__":
    main()
