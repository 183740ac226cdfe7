"""Reading a history of 2,157 days from files, beside a bare pandas reading of the same files.

Every reading runs in a process of its own, so that imports and peak memory count. The peer only
parses the text; calibscope also joins, converts, checks and builds every day.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import xlsxwriter
from rich.console import Console

from calibscope.market.demo import demo_panels
from calibscope.market.maturity import label

ROUNDS = 3
# Linux keeps the peak of a process in /proc; getrusage would inherit that of the parent.
PEAK = "print([line.split()[1] for line in open('/proc/self/status') if 'VmHWM' in line][0])"
OURS = "import calibscope as cs; m = cs.read_market({caps!r}, {curve!r}); assert len(m) == 2157"
PANDAS = "import pandas as pd; pd.read_csv({caps!r}); pd.read_csv({curve!r})"
BUILD = "import calibscope as cs; assert len(cs.demo_market()) == 2157"


def rows(role: str) -> list[tuple[str, str, str, float]]:
    """The built-in market in the long layout."""
    panels = [
        panel
        for panel in demo_panels()
        if (panel.quantity == "discount_factor") == (role == "curve")
    ]
    return [
        (str(panel.dates[i]), label(panel.maturities[k]), panel.quantity, float(panel.values[i, k]))
        for panel in panels
        for i, k in np.argwhere(np.isfinite(panel.values))
    ]


def write_files(folder: Path) -> None:
    """Caps and curve as CSV and as Excel."""
    header = ("date", "maturity", "quantity", "value")
    for role in ("caps", "curve"):
        table = rows(role)
        lines = [",".join(header), *(f"{d},{m},{q},{value!r}" for d, m, q, value in table)]
        (folder / f"{role}.csv").write_text("\n".join(lines), encoding="utf-8")
        with xlsxwriter.Workbook(folder / f"{role}.xlsx", {"constant_memory": True}) as book:
            sheet = book.add_worksheet()
            for i, row in enumerate([header, *table]):
                sheet.write_row(i, 0, row)


def measured(code: str) -> tuple[float, float]:
    """Seconds and peak megabytes of a fresh process, imports included."""
    start = time.perf_counter()
    result = subprocess.run(
        [sys.executable, "-c", f"{code}\n{PEAK}"], capture_output=True, text=True, check=True
    )
    return time.perf_counter() - start, float(result.stdout) / 1024


def reading_table(console: Console) -> None:
    """Seconds and memory for CSV and Excel, and the ratio to pandas."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder)
        codes = {
            "CSV": OURS.format(caps=f"{name}/caps.csv", curve=f"{name}/curve.csv"),
            "Excel": OURS.format(caps=f"{name}/caps.xlsx", curve=f"{name}/curve.xlsx"),
            "pandas, CSV, parsing only": PANDAS.format(
                caps=f"{name}/caps.csv", curve=f"{name}/curve.csv"
            ),
            "built-in market": BUILD,
        }
        best = dict.fromkeys(codes, (np.inf, 0.0))
        for _ in range(ROUNDS):
            for what, code in codes.items():
                best[what] = min(best[what], measured(code))
    console.print("\nReading 2,157 days (56,000 quotes, 118,000 curve points), whole process:")
    peer = best["pandas, CSV, parsing only"][0]
    for what, (seconds, megabytes) in best.items():
        ratio = f"{seconds / peer:4.1f} x pandas"
        console.print(f"  {what:28} {seconds:5.2f} s  {ratio}  {megabytes:5.0f} MB")


if __name__ == "__main__":
    reading_table(Console())
