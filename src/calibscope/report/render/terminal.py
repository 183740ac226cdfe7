"""Documents in the terminal: 80 characters, no figures, nothing collapsible."""

import textwrap
from collections.abc import Iterable, Iterator
from typing import assert_never

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from calibscope.report.bars import bar
from calibscope.report.document import (
    Block,
    Box,
    Callout,
    Collapsible,
    Column,
    Document,
    Drawing,
    Figure,
    Heading,
    Listing,
    Paragraph,
    Section,
    Table,
    as_blocks,
    spans,
)

BAR = 12  # characters
LONGEST_TITLE = 9  # of a narrow column
SPANS = {"": "", "code": "cyan", "bold": "bold"}
STYLES = {"good": "bold green", "warning": "bold yellow", "bad": "bold red"}


def on_terminal(document: Document) -> RenderableType:
    """The title, then every section below its own."""
    return Group(
        Text(document.title, style="bold"),
        *([Text(document.subtitle)] if document.subtitle else []),
        *([Text(document.label, style="bold yellow")] if document.label else []),
        *_sections(document.sections),
    )


def _sections(sections: Iterable[Section]) -> Iterator[RenderableType]:
    """One below the other, but for those that fit one screen only beside each other."""
    rest = iter(sections)
    for each in rest:
        right = next(rest, None) if each.is_beside else None
        yield shown(each) if right is None else side_by_side(shown(each), shown(right))


def shown(*content: Section | Block | str | None) -> RenderableType:
    """Blocks, and sections below their titles."""
    parts: list[Block | str | None] = []
    for each in content:
        if isinstance(each, Section):
            parts += [Heading(each.title) if each.title else None, *each.blocks]
        else:
            parts.append(each)
    return Group(*_made(as_blocks(parts)))


def side_by_side(left: RenderableType, right: RenderableType) -> RenderableType:
    """Two groups of blocks that fit one screen only beside each other."""
    grid = RichTable.grid(padding=(0, 2))
    grid.add_column()
    grid.add_column(ratio=1)
    grid.add_row(left, right)
    return grid


def _made(blocks: Iterable[Block]) -> Iterator[RenderableType]:
    """What the terminal has of them; a blank line parts tables from sentences, but for notes."""
    before: Block | None = None
    for block in blocks:
        if isinstance(block, Heading):
            yield Text(f"\n{block.text}", style="bold cyan")
        elif isinstance(block, (Paragraph, Callout)):
            is_note = isinstance(block, Paragraph) and block.is_note
            if isinstance(before, (Table, Listing)) and not is_note:
                yield Text()
            style = STYLES[block.kind] if isinstance(block, Callout) else "dim" if is_note else ""
            yield Padding(_text(block.text, style), (0, 0, 0, 2))
        elif isinstance(block, Table):
            if not (before is None or isinstance(before, Heading)):
                yield Text()
            if block.caption:
                yield Text(block.caption, style="bold")
            yield _table(block)
        elif isinstance(block, Listing):
            if not (before is None or isinstance(before, (Heading, Listing, Callout))):
                yield Text()
            yield Text(block.title, style="bold")
            yield from (Padding(Text(line), (0, 0, 0, 2)) for line in _lines(block))
        elif isinstance(block, Box):
            title = Text(f"{block.title}: {block.verdict}", style="bold")
            yield Group(title, *_made((*block.lists, *block.blocks)))
        elif isinstance(block, (Figure, Drawing, Collapsible)):
            continue
        else:
            assert_never(block)
        before = block


def _lines(block: Listing) -> Iterator[str]:
    yield from block.first
    if more := len(block.others):
        yield "; ".join(filter(None, (f"and {more:,} more", block.hint)))


def _text(words: str, style: str) -> Text:
    return Text.assemble(*((part, SPANS[kind]) for kind, part in spans(words)), style=style)


def _table(block: Table) -> RenderableType:
    # Without borders, so that it can be read and copied.
    made = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    shown = [(column, texts) for column, texts in block.shown if not column.is_extra]
    cells: list[Iterable[str]] = []
    for column, texts in shown:
        title = _title(column, max(map(len, texts)))
        if column.full is not None:
            made.add_column(title, no_wrap=True)
            place = block.columns.index(column)
            cells.append([bar(_share(row[place], column.full), BAR) for row in block.rows])
            title = ""
        made.add_column(
            title,
            justify="right" if column.is_number else "left",
            no_wrap=column.is_number or column.is_whole,
        )
        cells.append(texts)
    for k, row in enumerate(zip(*cells, strict=True)):
        made.add_row(*map(Text, row), style="bold" if k in block.bold else None)
    return made


def _title(column: Column, width: int) -> str:
    """On as many lines as keep it from widening its column, with the unit below."""
    longest = max(width, LONGEST_TITLE if column.full is None else BAR)
    lines = textwrap.wrap(column.title, longest, break_long_words=False)
    return "\n".join(filter(None, (*lines, column.unit.symbol)))


def _share(cell: object, full: float) -> float:
    return cell / full if isinstance(cell, float) and cell == cell and full else 0.0
