"""A page before it is known where it will be read: headings, sentences, tables and figures.

Every page is built once, of these blocks, and rendered by `report/render/` for the terminal, as
HTML, as JSON and for the live page. Tables keep numbers, so that JSON has them; how they are
written is a matter of their column. Figures are made when they are drawn, so that the terminal
never waits for Plotly, and the terminal leaves out what is collapsible.
"""

import datetime
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from calibscope.base.numbers import MISSING, PERCENT, PURE, Unit, interval
from calibscope.report.figures.markup import plain

if TYPE_CHECKING:
    import plotly.graph_objects as go

USUAL_HEIGHT = 460  # pixels of a figure
SYNTHETIC = "SYNTHETIC data: invented quotes, made to look like the Euro market"
SYNTHETIC_MARKET = "<b>SYNTHETIC market.</b>"  # in the notes of figures


class Range(NamedTuple):
    """A cell with two ends; not a number if there is none."""

    low: float
    high: float


class Noted(NamedTuple):
    """A cell with a word in brackets: where a number is, such as 0.98 (3Y), or a mark."""

    value: float | Range
    note: str


class Quantity(NamedTuple):
    """A cell with a number whose unit is its own, not that of its column."""

    value: float
    unit: Unit
    form: str = ".3g"


class Linked(NamedTuple):
    """A cell that leads to where the same page says more of it."""

    value: str | datetime.date
    anchor: str


class Anchored(NamedTuple):
    """A cell to which something else on the page leads."""

    value: str
    anchor: str


class Typeset(NamedTuple):
    """A cell with a formula."""

    text: str  # in plain characters
    mathml: str


Cell = str | float | datetime.date | Range | Noted | Quantity | Linked | Anchored | Typeset | None


@dataclass(frozen=True, slots=True)
class Column:
    """What a table has of each of its rows."""

    title: str  # no two of a table alike: they are the keys in JSON
    form: str | Callable[[float], str] = ""  # of its numbers, as `format` takes it; empty for words
    unit: Unit = PURE
    sentence: str = ""  # what the title means
    full: float | None = None  # the number whose bar is full; None: numbers without bars
    is_whole: bool = False  # words that are never broken over lines
    is_extra: bool = False  # left out in the terminal, which has 80 characters

    @property
    def is_number(self) -> bool:
        """Whether it is aligned right."""
        return bool(self.form)

    def text(self, cell: Cell) -> str:
        """A cell as it is shown; its unit is in the head of the column."""
        if isinstance(cell, str):
            return cell
        if cell is None:
            return MISSING if self.is_number else ""
        if isinstance(cell, Range):
            return interval(*(self.unit.factor * end for end in cell))
        if isinstance(cell, Noted):
            text = self.text(cell.value)
            return f"{text} ({cell.note})" if cell.note and text != MISSING else text
        if isinstance(cell, Quantity):
            return cell.unit.text(cell.value, cell.form)
        if isinstance(cell, datetime.date):
            return f"{cell:%Y-%m-%d}"
        if isinstance(cell, (Linked, Anchored)):
            return self.text(cell.value)
        if isinstance(cell, Typeset):
            return cell.text
        if callable(self.form):
            return self.form(self.unit.factor * cell)
        return self.unit.number(cell, self.form)

    def data(self, cell: Cell) -> Any:
        """The same for machines: numbers in the unit in which they are shown."""
        if isinstance(cell, Range):
            return {"low": self.unit.factor * cell.low, "high": self.unit.factor * cell.high}
        if isinstance(cell, Noted):
            return {"value": self.data(cell.value), "note": cell.note}
        if isinstance(cell, Quantity):
            return {"value": cell.unit.factor * cell.value, "unit": cell.unit.symbol}
        if isinstance(cell, (Linked, Anchored)):
            return self.data(cell.value)
        if isinstance(cell, Typeset):
            return cell.text
        if cell is None or isinstance(cell, (str, datetime.date)):
            return cell
        return self.unit.factor * cell if self.unit.factor != 1 else cell


@dataclass(frozen=True, slots=True)
class Heading:
    """A question within a section."""

    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A sentence or a few; with `code` between backticks, and **bold** words."""

    text: str
    is_note: bool = False  # how to read a table or a figure


@dataclass(frozen=True, slots=True)
class Callout:
    """What must not be overlooked."""

    text: str
    kind: Literal["good", "warning", "bad"] = "warning"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of raw values."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    bold: frozenset[int] = frozenset()  # rows to look at first

    @property
    def shown(self) -> tuple[tuple[Column, tuple[str, ...]], ...]:
        """Columns with their texts; a column that is empty throughout is left out."""
        cells = zip(*self.rows, strict=True) if self.rows else (() for _ in self.columns)
        texts = (
            (column, tuple(map(column.text, content)))
            for column, content in zip(self.columns, cells, strict=True)
        )
        return tuple((column, content) for column, content in texts if any(content))


@dataclass(frozen=True, slots=True)
class Listing:
    """Lines of one kind, shown as they are: they may be a user's words, which are no markup."""

    title: str
    lines: tuple[str, ...]
    most: int | None = None  # that are shown at once; None: all
    hint: str = ""  # how to see the others in the terminal

    @property
    def first(self) -> tuple[str, ...]:
        """What is shown at once."""
        return self.lines[: self.most]

    @property
    def others(self) -> tuple[str, ...]:
        """What is left out in the terminal and closed at first on a page."""
        return self.lines[len(self.first) :]


@dataclass(frozen=True, eq=False)
class Figure:
    """A Plotly figure, made when it is drawn; its title is its question."""

    make: Callable[[], "go.Figure"]
    is_captioned: bool = True  # False where a table beside it says the same

    @cached_property
    def figure(self) -> "go.Figure":
        """The figure itself."""
        return self.make()

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
    def finding(self) -> str:
        """What the figure shows, with its numbers; empty if its note only says whose data it is."""
        note = self.figure.layout.title.subtitle.text or ""
        said = plain(note.removeprefix(SYNTHETIC_MARKET)).strip()
        return said if said in self.alt else ""

    @property
    def caption(self) -> str:
        """What the figure shows beyond its own note; often nothing."""
        if not self.is_captioned:
            return ""
        note = plain(self.figure.layout.title.subtitle.text or "").lower()
        sentences = re.split(r"(?<=\.)\s+", self.alt)
        return " ".join(said for said in sentences if said.lower() not in note)


@dataclass(frozen=True, eq=False, slots=True)
class Drawing:
    """A picture that needs no script: it is there at once, and the same in print."""

    svg: str
    alt: str  # what it shows, in words
    finding: str  # its caption: what is seen, with the numbers


@dataclass(frozen=True, slots=True)
class Collapsible:
    """What only some readers want: closed at first, and left out in the terminal."""

    title: str
    blocks: "tuple[Block, ...]"
    anchor: str = ""  # by which cells lead here


@dataclass(frozen=True, slots=True)
class Box:
    """What must be read first: the answer, lists beside each other, and more below."""

    rag: str  # green, amber, red or grey, whose colour frames it
    title: str
    verdict: str
    lists: tuple[Listing, ...]
    blocks: "tuple[Block, ...]"


Block = Heading | Paragraph | Callout | Table | Listing | Figure | Drawing | Collapsible | Box
Blocks = Iterable[Block | str | None]  # texts are paragraphs, and what is None is left out


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page, with an entry in the table of contents."""

    anchor: str
    title: str  # none: what follows the title of the page
    blocks: tuple[Block, ...]
    is_beside: bool = False  # in the terminal, the next section is to the right of it

    @property
    def figures(self) -> tuple[Figure, ...]:
        """All figures, in the order of reading."""
        return tuple(_figures(self.blocks))


class Term(NamedTuple):
    """A word that not every reader knows, explained where it first appears."""

    anchor: str  # of its entry in the glossary
    pattern: str  # a regular expression of its forms in a text
    meaning: str


@dataclass(frozen=True, slots=True)
class Document:
    """A page."""

    title: str
    subtitle: str
    sections: tuple[Section, ...]
    label: str = ""  # "SYNTHETIC ...", on every section, or empty
    footer: str = ""
    appendix: tuple[Section, ...] = ()  # closed at first, and printed as far as it is open
    terms: tuple[Term, ...] = ()


def spans(text: str) -> list[tuple[Literal["", "code", "bold"], str]]:
    """The words of a paragraph, each with its style.

    >>> spans("say `run` **now**")
    [('', 'say '), ('code', 'run'), ('', ' '), ('bold', 'now')]
    """
    parts = re.split(r"(`[^`]+`|\*\*.+?\*\*)", text)
    found: list[tuple[Literal["", "code", "bold"], str]] = []
    for k, part in enumerate(parts):
        if k % 2:
            found.append(("code", part[1:-1]) if part[0] == "`" else ("bold", part[2:-2]))
        elif part:
            found.append(("", part))
    return found


def section(
    anchor: str, title: str, *blocks: Block | str | None, is_beside: bool = False
) -> Section:
    """A section; texts become paragraphs, and what is None or empty is left out."""
    return Section(anchor, title, as_blocks(blocks), is_beside)


def collapsible(title: str, *blocks: Block | str | None, anchor: str = "") -> Collapsible:
    """Blocks behind a title, as in `section`."""
    return Collapsible(title, as_blocks(blocks), anchor)


def as_blocks(blocks: Blocks) -> tuple[Block, ...]:
    """Texts as paragraphs, without what is None or empty."""
    return tuple(Paragraph(each) if isinstance(each, str) else each for each in blocks if each)


def drawn(name: str, *arguments: Any, is_captioned: bool = True, **options: Any) -> Figure:
    """A figure of `report/figures/`, whose module is not imported before it is drawn.

    Parameters
    ----------
    name : of the function, or of its module and the function: "profiles.profile_chart"
    arguments, options : of the function
    """
    module, _, function = name.rpartition(".")

    def make() -> "go.Figure":
        place = import_module(f"calibscope.report.figures.{module or function}")
        return getattr(place, function)(*arguments, **options)

    return Figure(make, is_captioned)


def table(
    caption: str,
    columns: Iterable[Column | str],
    rows: Iterable[Sequence[Cell]],
    bold: Iterable[int] = (),
) -> Table:
    """A table of any sequences; a title alone is a column of words."""
    made = (Column(each) if isinstance(each, str) else each for each in columns)
    return Table(caption, tuple(made), tuple(map(tuple, rows)), frozenset(bold))


def percents(form: str, **titles: str) -> dict[str, Column]:
    """Columns of shares in percent, by the names that a frame has for them."""
    return {name: Column(title, form, PERCENT) for name, title in titles.items()}


def _figures(blocks: Iterable[Block]) -> Iterator[Figure]:
    for block in blocks:
        if isinstance(block, Figure):
            yield block
        elif isinstance(block, (Collapsible, Box)):
            yield from _figures(block.blocks)
