"""Pages on the terminal, and exit codes beyond the usual ones."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType

# Tables keep their digits: a narrower terminal wraps lines instead.
NARROWEST = 80

# Exit code of a check that found something, but nothing that makes the data unusable.
SECOND_LOOK = 3
STOPPED = 130


def show(page: "RenderableType") -> None:
    """Print a page."""
    from rich.console import Console

    console = Console()
    console.width = max(console.width, NARROWEST)
    console.print(page)
