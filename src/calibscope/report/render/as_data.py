"""Documents as JSON can hold them: sentences, and tables as records with their units."""

from collections.abc import Iterable
from typing import Any, assert_never

from calibscope.report.document import (
    Block,
    Box,
    Callout,
    Collapsible,
    Document,
    Drawing,
    Figure,
    Heading,
    Listing,
    Paragraph,
    Section,
    Table,
)
from calibscope.report.plain import plain


def as_data(document: Document) -> dict[str, Any]:
    """Title, sections and appendix with their blocks, footer; without figures.

    Numbers are in the unit of their column, as they are shown, and not rounded.
    """
    return {
        "title": document.title,
        "subtitle": document.subtitle,
        "label": document.label,
        "sections": _sections(document.sections),
        **({"appendix": _sections(document.appendix)} if document.appendix else {}),
        "footer": document.footer,
    }


def _sections(sections: Iterable[Section]) -> list[dict[str, Any]]:
    return [
        {"anchor": part.anchor, "title": part.title, "blocks": _blocks(part.blocks)}
        for part in sections
    ]


def _blocks(blocks: Iterable[Block]) -> list[dict[str, Any]]:
    return [_block(block) for block in blocks if not isinstance(block, (Figure, Drawing))]


def _block(
    block: Heading | Paragraph | Callout | Table | Listing | Collapsible | Box,
) -> dict[str, Any]:
    kind = {"kind": type(block).__name__.lower()}
    if isinstance(block, (Heading, Paragraph)):
        return {**kind, "text": block.text}
    if isinstance(block, Callout):
        return {**kind, "level": block.kind, "text": block.text}
    if isinstance(block, Table):
        return {**kind, **_table(block)}
    if isinstance(block, Listing):
        return {**kind, "title": block.title, "lines": list(block.lines)}
    if isinstance(block, Collapsible):
        return {**kind, "title": block.title, "blocks": _blocks(block.blocks)}
    if isinstance(block, Box):
        said = {"title": block.title, "rag": block.rag, "text": block.verdict}
        return {**kind, **said, "blocks": _blocks((*block.lists, *block.blocks))}
    assert_never(block)


def _table(block: Table) -> dict[str, Any]:
    return {
        "caption": block.caption,
        "columns": [
            {"title": column.title, "unit": column.unit.symbol, "sentence": column.sentence}
            for column in block.columns
        ],
        "rows": [
            {
                column.title: plain(column.data(cell))
                for column, cell in zip(block.columns, row, strict=True)
            }
            for row in block.rows
        ],
    }
