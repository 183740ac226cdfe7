"""Workbooks of the ten-year demo study: the usual one, and all tables beside pandas.

Turns alternate in this process, so that the ratio says more than the seconds. pandas writes bare
sheets; ours have formats, titles, filters and a manifest, and keep texts from being formulas.
"""

import argparse
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pandas as pd
from rich.console import Console

import calibscope as cs
from calibscope.report.export.excel import write_excel
from calibscope.report.export.manifest import label_of, manifest
from calibscope.report.export.results_sheet import results_sheet
from calibscope.report.export.tables import Table, tables_of
from calibscope.study.study import Study


def pandas_workbook(file: Path, tables: list[Table]) -> None:
    """The same tables as pandas writes them."""
    with pd.ExcelWriter(file, engine="xlsxwriter") as writer:
        for table in tables:
            frame = table.data.to_pandas()
            for name in frame.select_dtypes("datetimetz"):  # Excel has no time zones
                frame[name] = frame[name].dt.tz_localize(None)
            frame.to_excel(writer, sheet_name=table.name, index=False)


def workbook(study: Study, file: Path, tables: list[Table]) -> None:
    """Ours, of tables that have been read."""
    content = manifest(study, tables)
    results = results_sheet(study, label_of(content))
    write_excel(file, results, tables, content, lambda done, total: None)


def seconds(work: Callable[[], object]) -> float:
    """Processor time of a call."""
    began = time.process_time()
    work()
    return time.process_time() - began


def peak(work: Callable[[], object]) -> float:
    """Megabytes that a call takes at most, of Python's memory."""
    tracemalloc.start()
    work()
    found = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return found


def measure(study: Study, folder: Path, turns: int) -> None:
    cs.export(study, folder / "read.xlsx")  # what the study reads, it keeps
    tables = tables_of(study, (), lambda done, total: None)
    usual = tables_of(study, (), lambda done, total: None, is_usual=True)
    ways: dict[str, Callable[[], object]] = {
        "all": lambda: workbook(study, folder / "all.xlsx", tables),
        "pandas": lambda: pandas_workbook(folder / "pandas.xlsx", tables),
        "usual": lambda: workbook(study, folder / "usual.xlsx", usual),
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(turns):
        for name, work in ways.items():
            times[name].append(seconds(work))
    cells = sum(len(table) * len(table.columns) for table in tables)
    show = Console(highlight=False).print
    show(f"{len(study.days):,} days, {len(tables)} sheets, {cells:,} cells")
    for name, work in ways.items():
        size = (folder / f"{name}.xlsx").stat().st_size / 1e6
        took = f"{median(times[name]):6.1f} s   peak {peak(work):5.0f} MB"
        show(f"{name:<10}  {took}   file {size:5.1f} MB")
    for name, other in (("all", "pandas"), ("usual", "all")):
        ratios = [one / two for one, two in zip(times[name], times[other], strict=True)]
        show(f"{name} / {other}: {median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store", type=Path, nargs="?", help="of a study; without one, it is run")
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        study = (
            cs.open_study(options.store)
            if options.store
            else cs.run_study(cs.demo_market(), folder / "study.db")
        )
        measure(study, folder, options.turns)


if __name__ == "__main__":
    main()
