"""A progress bar on stderr for work that takes longer than a moment."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress

Report = Callable[[int, int], None]


@contextmanager
def progress_bar(what: str, is_quiet: bool = False) -> Iterator[Report]:
    """A function progress(done, total); the bar appears with its first call and goes at the end.

    Nothing is shown where stderr is no terminal, so that logs stay readable.
    """
    console = Console(stderr=True)
    bar = Progress(console=console, transient=True, disable=is_quiet or not console.is_terminal)
    task = bar.add_task(what, total=None)

    def report(done: int, total: int) -> None:
        bar.start()
        bar.update(task, completed=done, total=total)

    try:
        yield report
    finally:
        bar.stop()
