"""What `calibscope demo` does and shows: the study of the built-in market, with its report."""

from dataclasses import dataclass
from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

from calibscope.base.compiled import compiled_beside
from calibscope.market.demo import demo_market
from calibscope.market.market import Market
from calibscope.report.export.export import export
from calibscope.report.html.write_report import write_report
from calibscope.report.progress import progress_bar
from calibscope.report.render.terminal import on_terminal
from calibscope.report.run import run_progress
from calibscope.report.study import study_page, study_screen
from calibscope.study.robustness import keep, robustness
from calibscope.study.run import Tally, run_study
from calibscope.study.settings import study_settings
from calibscope.study.study import Study, open_study

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
NEXT = ".venv/bin/calibscope day examples/caps.csv --curve examples/ois.csv"


@dataclass(frozen=True, slots=True)
class Demo:
    """What was made."""

    market: Market
    study: Study
    tally: Tally
    report: Path
    workbook: Path


def run_demo(
    folder: Path, is_quiet: bool = False, preset: str | None = None, profiles: str = "latest"
) -> Demo:
    """Run the study of the synthetic market into a folder, and write report and workbook."""
    folder.mkdir(parents=True, exist_ok=True)
    store, report, workbook = (folder / name for name in (STORE, REPORT, WORKBOOK))
    market = demo_market(preset=preset)
    settings = study_settings(None, preset=preset)
    tally = Tally(0, 0)
    with compiled_beside(DIAGNOSIS), run_progress(is_quiet) as progress:

        def note(current: Tally) -> None:
            nonlocal tally
            tally = current
            progress(current)

        study = run_study(market, store, settings, profiles=profiles, progress=note)
    if study.robustness.empty:
        with progress_bar("comparing variants", is_quiet) as bar:
            variants = robustness(
                market, settings=settings, sample=SAMPLE,
                progress=lambda _, done, of: bar(done, of),
            )  # fmt: skip
        keep(variants, store)
        study = open_study(store)
    with progress_bar("writing the report", is_quiet) as bar:
        write_report(study, report, progress=bar)
    with progress_bar("writing the workbook", is_quiet) as bar:
        export(study, workbook, progress=bar)
    return Demo(market, study, tally, report, workbook)


def demo_page(demo: Demo, is_full: bool = False) -> RenderableType:
    """Whether the latest calibration may be used, and where the report is.

    Parameters
    ----------
    is_full : the whole study below the answer
    """
    return Group(
        on_terminal(study_screen(demo.study, is_full)),
        *((Text(), study_page(demo.study)) if is_full else ()),
        Text(
            f"\nReport:   {demo.report} (open it in a browser)\n"
            f"Workbook: {demo.workbook}\n"
            f"Results:  {demo.study.path}\n"
            f"Next:     {NEXT}",
            style="bold",
            no_wrap=True,
            overflow="ignore",
        ),
    )
