"""Documents as one HTML file that needs nothing else: no network, no second file.

Plotly draws a figure when it comes into view, so that a page opens before it is drawn; what is
closed is never drawn. Drawings are part of the page.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, select_autoescape
from markupsafe import Markup

from calibscope.report.document import (
    SYNTHETIC_MARKET,
    Anchored,
    Box,
    Cell,
    Collapsible,
    Column,
    Document,
    Drawing,
    Figure,
    Linked,
    Section,
    Table,
    Typeset,
)
from calibscope.report.export.target import new_file
from calibscope.report.figures.style import LINE_HEIGHT
from calibscope.report.render.words import Words

TEMPLATES = "templates"
GENERATOR = "calibscope report"  # by which an earlier page is recognised
MARKS = (f'content="{GENERATOR}"', "<title>How far can th")  # the latter: pages before 0.3
SENTENCE = 40  # characters, more than a number with its note has
HEAD = 1000  # bytes of a page that hold its mark


@dataclass(frozen=True, slots=True)
class Placed:
    """A figure or a drawing with its number; what is drawn is text, ready for the page."""

    number: int
    caption: str
    content: Markup
    height: int = 0  # in pixels, of a figure

    @property
    def anchor(self) -> str:
        """By which it is found on the page."""
        return f"figure-{self.number}"


def page(
    document: Document, progress: Callable[[int, int], None] = lambda done, total: None
) -> str:
    """The whole page.

    Parameters
    ----------
    progress : called with how many sections have their figures, and of how many
    """
    placed: dict[Figure | Drawing, Placed] = {}
    sections = (*document.sections, *document.appendix)
    for done, part in enumerate(sections):
        progress(done, len(sections))
        for block in _pictures(part):
            placed[block] = _placed(block, len(placed) + 1)
    progress(len(sections), len(sections))
    environment = Environment(
        loader=PackageLoader("calibscope.report", TEMPLATES),
        autoescape=select_autoescape(["j2"], default=True),
        trim_blocks=True,
    )
    return environment.get_template("report.html.j2").render(
        generator=GENERATOR,
        document=document,
        kind=lambda block: type(block).__name__,
        words=Words(document.terms),
        placed=placed,
        rows=_rows,
        plotly=_plotly() if any(isinstance(block, Figure) for block in placed) else "",
        style=Markup(style()),
        script=Markup(_asset("report.js")),
    )


def _pictures(part: Section | Collapsible | Box) -> Iterator[Figure | Drawing]:
    """Figures and drawings, in the order of reading."""
    for block in part.blocks:
        if isinstance(block, (Figure, Drawing)):
            yield block
        elif isinstance(block, (Collapsible, Box)):
            yield from _pictures(block)


def _placed(block: Figure | Drawing, number: int) -> Placed:
    """A figure says what it shows in its caption, and not a second time below its title."""
    if isinstance(block, Drawing):
        return Placed(number, block.finding, Markup(block.svg))
    if not block.finding:
        content = embedded(block.figure.to_json())
        return Placed(number, block.caption, content, block.height)
    made: dict[str, Any] = json.loads(block.figure.to_json())
    layout = made["layout"]
    note = layout["title"]["subtitle"]["text"]
    is_labelled = note.startswith(SYNTHETIC_MARKET)
    layout["title"]["subtitle"]["text"] = SYNTHETIC_MARKET if is_labelled else ""
    saved = LINE_HEIGHT * (note.count("<br>") + (0 if is_labelled else 2))
    layout["margin"]["t"] -= saved
    height = block.height - saved
    layout["height"] = height
    content = embedded(json.dumps(made, separators=(",", ":")))
    return Placed(number, block.finding, content, height)


def _rows(block: Table) -> Iterator[tuple[bool, list[tuple[str, Markup | str]]]]:
    """Whether a row is bold, and its cells, each with the name of its look."""
    columns = [(column, block.columns.index(column), texts) for column, texts in block.shown]
    for k, row in enumerate(block.rows):
        cells = [(_look(column, texts[k]), _cell(row[j], texts[k])) for column, j, texts in columns]
        yield k in block.bold, cells


def _look(column: Column, text: str) -> str:
    """How a cell is set; a sentence among numbers is broken over lines."""
    if column.is_number:
        return "number" if len(text) < SENTENCE else ""
    return "whole" if column.is_whole else ""


def _cell(cell: Cell, text: str) -> Markup | str:
    if isinstance(cell, Linked):
        return Markup('<a href="#{}">{}</a>').format(cell.anchor, text)
    if isinstance(cell, Anchored):
        return Markup('<span id="{}">{}</span>').format(cell.anchor, text)
    return Markup(cell.mathml) if isinstance(cell, Typeset) else text


def _plotly() -> Markup:
    from plotly.offline import get_plotlyjs  # which a page without figures does without

    return Markup(get_plotlyjs().replace("</script", "<\\/script"))


def style() -> str:
    """How all our pages look."""
    return _asset("report.css")


def _asset(name: str) -> str:
    return files("calibscope.report").joinpath(TEMPLATES, name).read_text(encoding="utf-8")


def embedded(figure: str) -> Markup:
    """JSON that cannot end its script element, whatever the data say."""
    assert json.loads(figure)
    return Markup(figure.replace("<", "\\u003c"))


def write_page(
    make: Callable[[], Document], target: str | Path, progress: Callable[[int, int], None]
) -> Path:
    """Make a document and write its page, which replaces an earlier one when all went well.

    Raises
    ------
    ExportError
        if the target cannot be written, or is something else than an earlier page
    """
    path = Path(target)
    with new_file(path, "a calibscope report", _is_our_page) as place:
        place.write_text(page(make(), progress), encoding="utf-8")
    return path


def _is_our_page(target: Path) -> bool:
    with target.open("rb") as file:
        head = file.read(HEAD)
    return head.startswith(b"<!DOCTYPE html>") and any(mark.encode() in head for mark in MARKS)
