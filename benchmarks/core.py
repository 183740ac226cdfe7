"""How fast is the core? Ratios to QuantLib and to plain NumPy, measured in the same run.

Run it with ``make bench``. Machines are noisy, so rivals take turns, each counts with its best
turn, and the ratios are what to look at. QuantLib computes prices only; it has no derivatives.
"""

import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import calibscope as cs
from calibscope.base.threads import available_cores
from calibscope.market.demo import demo_day
from calibscope.models.g2.book import CapBook
from calibscope.models.g2.caps import evaluate
from peers import NumpyDay, quantlib_caplets, quantlib_model

DAYS = 2157  # trading days of the paper's sample
TURNS = 9
STARTS = 15


def best_times(rivals: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Seconds of the best turn of each rival, turns interleaved."""
    best = dict.fromkeys(rivals, np.inf)
    for work in rivals.values():
        work()
    for _ in range(TURNS):
        for name, work in rivals.items():
            start = time.perf_counter()
            work()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def panel() -> tuple[list[cs.G2], list[cs.MarketDay]]:
    """A panel of standard days, each with its own curve, strikes and parameters."""
    rng = np.random.default_rng(1)
    standard = demo_day()
    models, days = [], []
    for _ in range(DAYS):
        level, slope = rng.uniform(-0.005, 0.035), rng.uniform(-0.01, 0.02)
        nodes = np.arange(0.5, 30.5, 0.5)
        curve = cs.DiscountCurve.from_zero_rates(nodes, level + slope * (1 - np.exp(-nodes / 8)))
        days.append(
            cs.MarketDay.from_arrays(
                curve=curve, maturities=standard.maturities, prices=standard.prices
            )
        )
        models.append(
            cs.G2(
                a_x=rng.uniform(0.2, 2),
                a_y=rng.uniform(0.01, 0.1),
                sigma_x=rng.uniform(0.003, 0.02),
                sigma_y=rng.uniform(0.005, 0.015),
                rho_xy=rng.uniform(-0.95, 0.2),
            )
        )
    return models, days


def pricing_table(console: Console) -> None:
    """Price and differentiate the panel with all rivals."""
    models, days = panel()
    book = CapBook.from_days(days)
    parameters = np.array([model.values for model in models])
    sample = range(0, DAYS, DAYS // 40)  # rivals that take long price every 53rd day
    quantlib = [(quantlib_model(models[i], days[i]), days[i]) for i in sample]
    numpy_days = [(NumpyDay(days[i]), models[i].values) for i in sample]

    def per_core(order: int) -> Callable[[], object]:
        return lambda: evaluate(parameters, book, order=order, threads=1)

    times = best_times(
        {
            "quantlib": lambda: [quantlib_caplets(model, day) for model, day in quantlib],
            "numpy 0": lambda: [day.prices(values) for day, values in numpy_days],
            "numpy 1": lambda: [day.prices_and_jacobian(values) for day, values in numpy_days],
            "numpy 2": lambda: [day.prices_jacobian_and_hessian(v) for day, v in numpy_days],
            "ours 0": per_core(0),
            "ours 1": per_core(1),
            "ours 2": per_core(2),
            "threads 1": lambda: evaluate(parameters, book, order=1),
            "threads 2": lambda: evaluate(parameters, book, order=2),
            "pack": lambda: CapBook.from_days(days),
        }
    )
    per_day = {
        name: seconds / (len(sample) if name.startswith(("quantlib", "numpy")) else DAYS)
        for name, seconds in times.items()
    }
    caplets = len(book.log_moneyness) // DAYS
    console.print(
        f"Standard day: 13 at-the-money caps 3..30Y, 6-month tenor, {caplets} caplets.\n"
        f"Panel of {DAYS} synthetic days; one core unless it says threads.",
    )
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("job")
    for heading in ("us per day", "QuantLib's prices\ntake", "same job in NumPy\ntakes"):
        table.add_column(heading, justify="right")

    def row(job: str, name: str, numpy_name: str | None) -> None:
        rival = f"{per_day[numpy_name] / per_day[name]:.0f} x" if numpy_name else ""
        table.add_row(
            job,
            f"{1e6 * per_day[name]:.2f}",
            f"{per_day['quantlib'] / per_day[name]:.0f} x",
            rival,
        )

    row("prices", "ours 0", "numpy 0")
    row("+ Jacobian", "ours 1", "numpy 1")
    row("+ Hessian", "ours 2", "numpy 2")
    row(f"+ Jacobian, {available_cores()} threads", "threads 1", "numpy 1")
    row(f"+ Hessian, {available_cores()} threads", "threads 2", "numpy 2")
    row("QuantLib: prices", "quantlib", None)
    row("NumPy: prices + Jacobian", "numpy 1", "numpy 1")
    console.print(table)
    console.print(
        f"The whole panel, prices + Jacobian: {1e3 * times['threads 1']:.1f} ms "
        f"({available_cores()} threads); packing it once: {1e3 * times['pack']:.0f} ms.\n"
    )


def start_up(console: Console) -> None:
    """Start-up of `calibscope --help` beside that of Python itself."""
    rivals = {
        "python": [sys.executable, "-c", "pass"],
        "help": [os.path.join(os.path.dirname(sys.executable), "calibscope"), "--help"],  # noqa: PTH118, PTH120
    }
    seconds: dict[str, list[float]] = {name: [] for name in rivals}
    for _ in range(STARTS):
        for name, command in rivals.items():
            start = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            seconds[name].append(time.perf_counter() - start)
    median = {name: 1e3 * float(np.median(values)) for name, values in seconds.items()}
    console.print(
        f"Start-up of calibscope --help: {median['help']:.0f} ms "
        f"(Python alone: {median['python']:.0f} ms); aim: under 150 ms."
    )


def compilation(console: Console) -> None:
    """First-time compilation of every kernel, and loading it from disk afterwards."""
    code = (
        "import sys, time, pathlib; from calibscope.base import compiled;"
        "compiled.cache_folder = lambda: pathlib.Path(sys.argv[1]);"
        "start = time.perf_counter(); from calibscope.models.g2 import caps;"
        "caps.compile_kernels(); print(time.perf_counter() - start)"
    )
    with tempfile.TemporaryDirectory() as folder:
        first, second = (
            float(
                subprocess.run(
                    [sys.executable, "-c", code, folder], check=True, capture_output=True, text=True
                ).stdout
            )
            for _ in range(2)
        )
    console.print(
        f"Kernels: {first:.1f} s to compile for the first time (aim: under 30 s), "
        f"{second:.2f} s to load afterwards."
    )


if __name__ == "__main__":
    out = Console()
    out.print(
        f"{platform.processor() or platform.machine()}, {available_cores()} cores, "
        f"Python {platform.python_version()}, NumPy {np.__version__}"
    )
    pricing_table(out)
    compilation(out)
    start_up(out)
