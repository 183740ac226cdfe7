"""What `calibscope demo` does and shows: the study of the built-in market."""

from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

from calibscope.market.demo import demo_market
from calibscope.report.run import run_progress
from calibscope.report.study import study_page
from calibscope.study.run import run_study

STORE = "study.db"
WHAT_NEXT = """
What next: check two files, then your own (docs/data.md shows how they may look)
  .venv/bin/calibscope check examples/caps.csv --curve examples/ois.csv
see one day on a page of its own, and keep a history of your own
  .venv/bin/calibscope day examples/caps.csv --curve examples/ois.csv \\
    --date 2020-03-18
  .venv/bin/calibscope run examples/caps.csv --curve examples/ois.csv"""


def run_demo(folder: Path) -> RenderableType:
    """Run the study of the synthetic market into a folder, and show it."""
    folder.mkdir(parents=True, exist_ok=True)
    store = folder / STORE
    with run_progress() as progress:
        study = run_study(demo_market(), store, progress=progress)
    return Group(
        study_page(study),
        Text(f"\nResults: {store} (SQLite; cs.open_study reads it, docs/study.md explains it)"),
        Text(WHAT_NEXT, style="bold"),
    )
