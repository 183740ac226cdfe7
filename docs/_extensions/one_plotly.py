"""Figures that share one plotly.js, kept beside the pages.

Plotly's renderer for documentation puts two script addresses of other hosts before every figure.
They are taken out, and pages with a figure load the copy that Plotly's own package brings.
"""

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from plotly.offline import get_plotlyjs
from sphinx.application import Sphinx

REMOTE_SCRIPT = re.compile(r"<script[^>]*\ssrc=\"https?://[^>]*></script>")
FIGURE = "plotly-graph-div"


def share(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document | None
) -> None:
    """Let the figures of a page use the local script."""
    body = context.get("body", "")
    if FIGURE in body:
        script = f'<script src="{context["pathto"]("_static/plotly.min.js", 1)}"></script>\n'
        context["body"] = script + REMOTE_SCRIPT.sub("", body)


def write_script(app: Sphinx, exception: Exception | None) -> None:
    """Write plotly.js once, beside the pages."""
    if exception is None and app.builder.format == "html":
        target = Path(app.outdir) / "_static" / "plotly.min.js"
        target.write_text(get_plotlyjs(), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register both steps."""
    app.connect("html-page-context", share)
    app.connect("build-finished", write_script)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
