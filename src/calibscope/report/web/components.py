"""The blocks of a report as components of a live page: the same words, tables and figures.

Texts become text nodes, so that nothing in data is ever read as HTML.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from dash import dcc, html

from calibscope.report.document import Block, Figure, Paragraph, Table, as_blocks, spans

PLOT = {"displayModeBar": False, "responsive": True}


def words(blocks: Iterable[Block | str | None]) -> list[Any]:
    """Components for sentences and tables; None is nothing."""
    return [
        _table(block) if isinstance(block, Table) else html.P(_words(block.text))
        for block in as_blocks(blocks)
        if isinstance(block, (Paragraph, Table))
    ]


def split(blocks: Sequence[Block | str | None]) -> tuple[list[Any], list[Figure], list[Any]]:
    """What comes before the first figure, the figures, and what else there is."""
    first = next((k for k, block in enumerate(blocks) if isinstance(block, Figure)), 0)
    figures = [block for block in blocks if isinstance(block, Figure)]
    return words(blocks[:first]), figures, words(blocks[first:])


def pictures(figures: Iterable[Figure]) -> list[Any]:
    """Components for figures, whose contents can be exchanged by place."""
    return [_picture(block, place) for place, block in enumerate(figures)]


def message(text: str) -> Any:
    """What went wrong, where a reader and a screen reader notice it."""
    lines = text.split("\n")
    return html.Div([html.P(line) for line in lines], className="message", role="alert")


def _words(text: str) -> list[Any]:
    kinds = {"code": html.Code, "bold": html.Strong}
    return [kinds[kind](part) if kind else part for kind, part in spans(text)]


def _table(block: Table) -> Any:
    shown = [
        ("number" if column.is_number else None, column, texts) for column, texts in block.shown
    ]
    header = [
        html.Th(f"{column.title} {column.unit.symbol}".rstrip(), scope="col", className=name)
        for name, column, _ in shown
    ]
    rows = [
        html.Tr([html.Td(texts[k], className=name) for name, _, texts in shown])
        for k in range(len(block.rows))
    ]
    table = html.Table([html.Caption(block.caption), html.Thead(html.Tr(header)), html.Tbody(rows)])
    return html.Div(
        table, className="scroll", tabIndex="0", role="region", **{"aria-label": block.caption}
    )


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
