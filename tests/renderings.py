"""Pages as readers have them: in the terminal, as HTML and as data."""

import html
import io
import re

from rich.console import Console

from calibscope.report.render.html import page


def in_terminal(content, width=200):
    console = Console(width=width, file=io.StringIO(), color_system=None)
    console.print(content)
    return console.file.getvalue()


INLINE = re.compile(r"</?(?:a|code|dfn|strong)\b[^>]*>")


def in_html(content):
    """What a reader reads, without the head of the page."""
    return read(page(content))


def read(text):
    """What a reader reads of a page."""
    text = re.sub(r"<(script|style).*?</\1>", "", text, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", INLINE.sub("", text))).split())


def tables(blocks):
    for block in blocks:
        if block["kind"] == "table":
            yield block
        yield from tables(block.get("blocks", ()))
