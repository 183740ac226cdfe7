"""What a report is made of: sections with sentences, tables and figures."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from calibscope.report.figures.style import plain

USUAL_HEIGHT = 460


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A sentence or a few."""

    text: str
    kind: str = "paragraph"


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as text; numbers are aligned right."""

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    is_number: tuple[bool, ...]
    kind: str = "table"


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """A Plotly figure; its title is its question, its alt text is in its metadata."""

    figure: go.Figure
    is_captioned: bool = True  # False where a table beside it says the same
    kind: str = "figure"

    @property
    def height(self) -> int:
        """In pixels, as the figure wants it."""
        return int(self.figure.layout.height or USUAL_HEIGHT)

    @property
    def question(self) -> str:
        """The title of the figure."""
        return str(self.figure.layout.title.text)

    @property
    def alt(self) -> str:
        """What the figure shows, in words."""
        meta = self.figure.layout.meta or {}
        return str(meta.get("alt", self.question))

    @property
    def caption(self) -> str:
        """What the figure shows beyond its own note; often nothing."""
        if not self.is_captioned:
            return ""
        note = plain(self.figure.layout.title.subtitle.text or "").lower()
        sentences = re.split(r"(?<=\.)\s+", self.alt)
        return " ".join(said for said in sentences if said.lower() not in note)


Block = Paragraph | Table | Figure


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report, with an entry in the table of contents."""

    anchor: str
    title: str
    blocks: tuple[Block, ...]


def section(anchor: str, title: str, *blocks: Block | str | None) -> Section:
    """A section; texts become paragraphs, and what is None is left out."""
    made = (Paragraph(block) if isinstance(block, str) else block for block in blocks)
    return Section(anchor, title, tuple(block for block in made if block is not None))


def all_made(
    makers: Sequence[Callable[[], Section]], progress: Callable[[int, int], None]
) -> list[Section]:
    """Sections made one after the other, with news of how many are done."""
    sections: list[Section] = []
    for make in makers:
        progress(len(sections), len(makers))
        sections.append(make())
    progress(len(sections), len(makers))
    return sections


def table(caption: str, frame: pd.DataFrame) -> Table:
    """A frame whose numbers are texts already; a column of numbers is told by its digits."""
    rows = tuple(tuple(map(_text, row)) for row in frame.itertuples(index=False))
    columns: Iterable[Sequence[str]] = zip(*rows, strict=True) if rows else ([] for _ in frame)
    is_number = tuple(all(_is_number(cell) for cell in column) for column in columns)
    return Table(caption, tuple(map(str, frame.columns)), rows, is_number)


def _text(value: Any) -> str:
    return "" if value is None or value is pd.NA or value != value else str(value)


def _is_number(cell: str) -> bool:
    return not cell or (cell[0] in "+-0123456789" and cell.count("-") < 2)
