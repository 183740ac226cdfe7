"""Documents as one HTML file that needs nothing else: no network, no second file."""

import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, PackageLoader, select_autoescape
from markupsafe import Markup

from calibscope.report.document import Document, Figure, spans
from calibscope.report.export.target import new_file

TEMPLATES = "templates"
GENERATOR = "calibscope report"  # by which an earlier page is recognised
MARKS = (f'content="{GENERATOR}"', "<title>How far can th")  # the latter: pages before 0.3
HEAD = 1000  # bytes of a page that hold its mark


def page(
    document: Document, progress: Callable[[int, int], None] = lambda done, total: None
) -> str:
    """The whole page.

    Parameters
    ----------
    progress : called with how many sections have their figures, and of how many
    """
    names: dict[Figure, str] = {}
    figures: dict[str, Markup] = {}
    for done, part in enumerate(document.sections):
        progress(done, len(document.sections))
        for block in part.figures:
            names[block] = name = f"figure-{len(names) + 1}"
            figures[name] = embedded(block.figure.to_json())
    progress(len(document.sections), len(document.sections))
    environment = Environment(
        loader=PackageLoader("calibscope.report", TEMPLATES),
        autoescape=select_autoescape(["j2"], default=True),
        trim_blocks=True,
    )
    return environment.get_template("report.html.j2").render(
        generator=GENERATOR,
        document=document,
        kind=lambda block: type(block).__name__,
        spans=spans,
        names=names,
        figures=figures,
        plotly=_plotly() if figures else "",
        style=Markup(style()),
    )


def _plotly() -> Markup:
    from plotly.offline import get_plotlyjs  # which a page without figures does without

    return Markup(get_plotlyjs().replace("</script", "<\\/script"))


def style() -> str:
    """How all our pages look."""
    return files("calibscope.report").joinpath(TEMPLATES, "report.css").read_text(encoding="utf-8")


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
