"""The look of tables and headings in the terminal."""

from rich import box
from rich.table import Table
from rich.text import Text


def heading(text: str) -> Text:
    """A heading with a blank line above."""
    return Text(f"\n{text}", style="bold cyan")


def plain_table(*, has_header: bool = True) -> Table:
    """A table without borders, so that it can be read and copied."""
    return Table(
        box=box.SIMPLE_HEAD if has_header else None,
        show_header=has_header,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
