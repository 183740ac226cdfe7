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
ENDS = ("csv", "xlsx")
# Linux keeps the peak of a process in /proc; getrusage would inherit that of the parent.
PEAK = "print([line.split()[1] for line in open('/proc/self/status') if 'VmHWM' in line][0])"
OURS = "assert len(calibscope.read_market({caps!r}, {curve!r})) == 2157"
PANDAS = "pandas.read_csv({caps!r}); pandas.read_csv({curve!r})"
BUILD = "assert len(calibscope.demo_market()) == 2157"
CODE = """
import time, {module}
start = time.perf_counter(); {work}; print(time.perf_counter() - start)
"""


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


def measured(work: str) -> tuple[float, float, float]:
    """Seconds of a fresh process and of the call alone (cold), and peak megabytes."""
    code = CODE.format(module=work.removeprefix("assert len(").split(".")[0], work=work) + PEAK
    start = time.perf_counter()
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    call, kilobytes = map(float, result.stdout.split())
    return time.perf_counter() - start, call, kilobytes / 1024


def reading_table(console: Console) -> None:
    """Seconds and memory for CSV and Excel, and the ratio to pandas."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder)
        files = {end: {role: f"{name}/{role}.{end}" for role in ("caps", "curve")} for end in ENDS}
        works = {
            "CSV": OURS.format(**files["csv"]),
            "Excel": OURS.format(**files["xlsx"]),
            "pandas, CSV, parsing only": PANDAS.format(**files["csv"]),
            "built-in market": BUILD,
        }
        best = dict.fromkeys(works, (np.inf, 0.0, 0.0))
        for _ in range(ROUNDS):
            for what, work in works.items():
                best[what] = min(best[what], measured(work))
    console.print("\nReading 2,157 days (56,000 quotes, 118,000 curve points), best of 3, cold:")
    peer = best["pandas, CSV, parsing only"][0]
    for what, (seconds, call, megabytes) in best.items():
        console.print(
            f"  {what:26} whole process {seconds:5.2f} s ({seconds / peer:3.1f} x pandas), the "
            f"call {call:5.2f} s, {megabytes:4.0f} MB",
            soft_wrap=True,
        )


if __name__ == "__main__":
    reading_table(Console())
