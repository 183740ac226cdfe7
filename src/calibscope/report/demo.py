"""What `calibscope demo` does and shows: the study of the built-in market, with its report."""

from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

from calibscope.base.compiled import compiled_beside
from calibscope.market.demo import demo_market
from calibscope.report.export.export import export
from calibscope.report.html.write_report import write_report
from calibscope.report.progress import progress_bar
from calibscope.report.run import run_progress
from calibscope.report.study import study_page
from calibscope.study.robustness import keep, robustness
from calibscope.study.run import run_study
from calibscope.study.study import open_study

STORE, REPORT, WORKBOOK = "study.db", "report.html", "results.xlsx"
SAMPLE = 12  # days on which the variants are compared
# The kernels of a diagnosis do not have to wait for those of a calibration.
DIAGNOSIS = """
from calibscope.base.compiled import compile_for_stacks
from calibscope.diagnosis import diagnose
from calibscope.models.g2.caps import compile_kernels
compile_for_stacks()
compile_kernels()
"""
WHAT_NEXT = """
What next: check two files, then your own (docs/data.md shows how they may look)
  .venv/bin/calibscope check examples/caps.csv --curve examples/ois.csv
keep a history of your own, and write its report
  .venv/bin/calibscope run examples/caps.csv --curve examples/ois.csv
  .venv/bin/calibscope report study.db
or see one day on a page of its own
  .venv/bin/calibscope day examples/caps.csv --curve examples/ois.csv \\
    --date 2020-03-18"""


def run_demo(folder: Path) -> RenderableType:
    """Run the study of the synthetic market into a folder, write report and workbook, show it."""
    folder.mkdir(parents=True, exist_ok=True)
    store, report, workbook = (folder / name for name in (STORE, REPORT, WORKBOOK))
    market = demo_market()
    with compiled_beside(DIAGNOSIS), run_progress() as progress:
        study = run_study(market, store, progress=progress)
    if study.robustness.empty:
        with progress_bar("comparing variants") as bar:
            variants = robustness(market, sample=SAMPLE, progress=lambda _, done, of: bar(done, of))
        keep(variants, store)
        study = open_study(store)
    write_report(study, report)
    with progress_bar("writing the workbook") as bar:
        export(study, workbook, progress=bar)
    return Group(
        study_page(study),
        Text(
            f"\nReport:   {report} (open it in a browser)\n"
            f"Workbook: {workbook}\n"
            f"Results:  {store} (SQLite; docs/study.md)"
        ),
        Text(WHAT_NEXT, style="bold"),
    )
