"""The look of tables and headings in the terminal."""

import numpy as np
from rich import box
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

MOST_DIGITS = 8


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


def indented(text: str) -> Padding:
    """A paragraph below a heading."""
    return Padding(Text(text), (0, 0, 0, 2))


def interval_text(low: float, high: float) -> str:
    """Both ends with as many digits as tell them apart; a dash if there is none."""
    if np.isnan(low):
        return "-"
    pairs = (tuple(f"{end:.{digits}g}" for end in (low, high)) for digits in range(3, MOST_DIGITS))
    return " to ".join(next((pair for pair in pairs if pair[0] != pair[1]), (f"{low:.3g}",) * 2))


def number_text(value: float, form: str) -> str:
    """A number in this form; a dash if it is none."""
    return f"{value:{form}}" if np.isfinite(value) else "-"


def share_text(value: float) -> str:
    """A share in percent, or how many times if it is more than all; a dash if it is none."""
    if np.isnan(value):
        return "-"
    return f"{100 * value:.2g} %" if value < 1 else f"{value:.2g} times"
