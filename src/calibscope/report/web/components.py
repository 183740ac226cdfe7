"""The blocks of a report as components of a live page: the same words, tables and figures.

Texts become text nodes, so that nothing in data is ever read as HTML.
"""

from collections.abc import Iterable, Sequence
from typing import Any, assert_never

from dash import dcc, html

from calibscope.report.document import (
    Block,
    Box,
    Callout,
    Collapsible,
    Drawing,
    Figure,
    Heading,
    Listing,
    Paragraph,
    Table,
    as_blocks,
    spans,
)
from calibscope.study.rag import Rag

COLOURS = {rag.value for rag in Rag}
PLOT = {"displayModeBar": False, "responsive": True}


def words(blocks: Iterable[Block | str | None]) -> list[Any]:
    """Components for blocks of every kind; None is nothing."""
    return [_component(block) for block in as_blocks(blocks)]


def split(blocks: Sequence[Block | str | None]) -> tuple[list[Any], list[Figure], list[Any]]:
    """What comes before the first figure, the figures, and what else there is."""
    first = next((k for k, block in enumerate(blocks) if isinstance(block, Figure)), 0)
    figures = [block for block in blocks if isinstance(block, Figure)]
    rest = [block for block in blocks[first:] if not isinstance(block, Figure)]
    return words(blocks[:first]), figures, words(rest)


def pictures(figures: Iterable[Figure]) -> list[Any]:
    """Components for figures, whose contents can be exchanged by place."""
    return [_picture(block, place) for place, block in enumerate(figures)]


def message(lead: str, text: str, *further: Any) -> Any:
    """What went wrong, where a reader and a screen reader notice it."""
    lines = [html.P(line) for line in (*text.split("\n"), *further)]
    return html.Div([html.P(html.Strong(lead)), *lines], className="message", role="alert")


def _component(block: Block) -> Any:
    match block:
        case Heading():
            return html.H3(block.text)
        case Paragraph():
            return html.P(_words(block.text), className="note" if block.is_note else None)
        case Callout():
            return html.P(_words(block.text), className=f"callout {block.kind}")
        case Table():
            return _table(block)
        case Listing():
            return _listing(block)
        case Figure():
            return _graph(block)
        case Collapsible():
            return html.Details([html.Summary(block.title), *words(block.blocks)])
        case Drawing():
            return html.P(block.finding)
        case Box():
            return html.Div(
                [html.H3(block.title), html.P(block.verdict), *words((*block.lists, *block.blocks))]
            )
    assert_never(block)


def _words(text: str) -> list[Any]:
    kinds = {"code": html.Code, "bold": html.Strong}
    return [kinds[kind](part) if kind else part for kind, part in spans(text)]


def _table(block: Table) -> Any:
    shown = [
        ("number" if column.is_number else "whole" if column.is_whole else None, column, texts)
        for column, texts in block.shown
    ]
    header = [
        html.Th(
            f"{column.title} {column.unit.symbol}".rstrip(),
            scope="col",
            className=name,
            title=column.sentence or None,
        )
        for name, column, _ in shown
    ]
    rows = [
        html.Tr(
            [html.Td(_cell(texts[k]), className=name) for name, _, texts in shown],
            className="bold" if k in block.bold else None,
        )
        for k in range(len(block.rows))
    ]
    table = html.Table([html.Caption(block.caption), html.Thead(html.Tr(header)), html.Tbody(rows)])
    return html.Div(
        table, className="scroll", tabIndex="0", role="region", **{"aria-label": block.caption}
    )


def _cell(text: str) -> Any:
    """A cell; a RAG status has its colour."""
    return html.Span(text, className=f"rag {text}") if text in COLOURS else text


def _listing(block: Listing) -> Any:
    first, others = (
        html.Ul([html.Li(line) for line in lines]) for lines in (block.first, block.others)
    )
    more = html.Details([html.Summary(f"and {len(block.others):,} more"), others])
    return html.Div([html.H3(block.title), first, *([more] if block.others else [])])


def _graph(block: Figure) -> Any:
    """A figure whose contents stay as they are."""
    height = {"height": f"{block.height}px"}
    graph = dcc.Graph(figure=block.figure, config=PLOT, style=height)
    caption = [html.Figcaption(block.caption)] if block.caption else []
    return html.Figure([html.Div(graph, role="img", **{"aria-label": block.alt}), *caption])


def _picture(block: Figure, place: int) -> Any:
    caption = f"caption-{place}"
    graph = dcc.Graph(
        id={"type": "figure", "place": place},
        figure=block.figure,
        config=PLOT,
        style={"height": f"{block.height}px"},
    )
    return html.Figure(
        [
            html.Div(graph, role="img", **{"aria-labelledby": caption}),
            html.Figcaption(
                html.Span(block.alt, id={"type": "caption", "place": place}),
                id=caption,
                className=None if block.is_captioned else "unseen",
            ),
        ]
    )
