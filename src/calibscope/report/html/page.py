"""Sections into one HTML file that needs nothing else: no network, no second file."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, PackageLoader, select_autoescape
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from calibscope.report.export.target import new_file
from calibscope.report.html.blocks import Figure, Section

TEMPLATES = "templates"
GENERATOR = "calibscope report"  # by which an earlier page is recognised
MARKS = (f'content="{GENERATOR}"', "<title>How far can th")  # the latter: pages before 0.3
HEAD = 1000  # bytes of a page that hold its mark


def page(title: str, subtitle: str, label: str, sections: Sequence[Section], footer: str) -> str:
    """The whole page.

    Parameters
    ----------
    label : "SYNTHETIC ..." on every section, or empty
    """
    environment = Environment(
        loader=PackageLoader("calibscope.report", TEMPLATES),
        autoescape=select_autoescape(["j2"], default=True),
        trim_blocks=True,
    )
    return environment.get_template("report.html.j2").render(
        generator=GENERATOR,
        title=title,
        subtitle=subtitle,
        label=label,
        sections=sections,
        footer=footer,
        figures={
            f"figure-{i}-{k}": embedded(block.figure.to_json())
            for i, section in enumerate(sections, 1)
            for k, block in enumerate(section.blocks, 1)
            if isinstance(block, Figure)
        },
        plotly=Markup(get_plotlyjs().replace("</script", "<\\/script")),
        style=Markup(style()),
    )


def style() -> str:
    """How all our pages look."""
    return files("calibscope.report").joinpath(TEMPLATES, "report.css").read_text(encoding="utf-8")


def embedded(figure: str) -> Markup:
    """JSON that cannot end its script element, whatever the data say."""
    assert json.loads(figure)
    return Markup(figure.replace("<", "\\u003c"))


@contextmanager
def new_page(target: Path) -> Iterator[Path]:
    """A path to write a page to, which becomes the target when all went well.

    Raises
    ------
    ExportError
        if the target cannot be written, or is something else than an earlier page
    """
    with new_file(target, "a calibscope report", _is_our_page) as place:
        yield place


def _is_our_page(target: Path) -> bool:
    with target.open("rb") as file:
        head = file.read(HEAD)
    return head.startswith(b"<!DOCTYPE html>") and any(mark.encode() in head for mark in MARKS)
