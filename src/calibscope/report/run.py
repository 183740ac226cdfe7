"""What `calibscope run` shows while it runs, and what it has done."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from calibscope.study.governance import Light
from calibscope.study.run import Tally


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:.0f} days/s" if task.speed else "", style="cyan")


@contextmanager
def run_progress() -> Iterator[Callable[[Tally], None]]:
    """A function for `run_study`'s progress: days done, rate, time left, days flagged.

    Nothing is shown where stderr is no terminal, so that logs stay readable.
    """
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("calibrating"), BarColumn(None), MofNCompleteColumn(), _Rate(),
        TimeRemainingColumn(), TextColumn("{task.fields[flagged]}"),
        console=console, transient=True, disable=not console.is_terminal,
    )  # fmt: skip
    task = bar.add_task("", total=None, flagged="")

    def report(tally: Tally) -> None:
        bar.start()
        bar.update(task, completed=tally.done, total=tally.total, flagged=_flagged(tally))

    try:
        yield report
    finally:
        bar.stop()


def _flagged(tally: Tally) -> str:
    return f"[yellow]{tally.lights[Light.AMBER]} amber[/] [red]{tally.lights[Light.RED]} red[/]"


def run_summary(tally: Tally) -> str:
    """What was computed, in one or two sentences."""
    if not tally.total:
        return f"Nothing to do: all {tally.kept:,} days are stored, with these quotes and settings."
    text = f"Computed {tally.done:,} days"
    text += f", kept {tally.kept:,} that were stored already." if tally.kept else "."
    if tally.failed:
        one = tally.failed == 1
        text += f" {tally.failed:,} of them {'has' if one else 'have'} no results; study.days says "
        text += "why."
    return text
