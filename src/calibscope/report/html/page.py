"""Sections into one HTML file that needs nothing else: no network, no second file."""

import json
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, PackageLoader, select_autoescape
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from calibscope.report.html.blocks import Figure, Section

TEMPLATES = "templates"


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


def write_whole(text: str, path: Path) -> None:
    """Write a file so that it is there whole or not at all."""
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
