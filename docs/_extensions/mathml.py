"""Formulas as MathML, written when the pages are built.

Every current browser draws MathML by itself, so the pages need no script and no network, and a
screen reader can read the formulas. The conversion is that of docutils. A formula that it does not
know is a warning, and so an error of `make docs`.
"""

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError, pick_math_environment
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

logger = logging.getLogger(__name__)


def inline(writer: HTML5Translator, node: nodes.math) -> None:
    """Write a formula within a line."""
    writer.body.append(mathml(node.astext(), node, as_block=False))
    raise nodes.SkipNode


def display(writer: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula on lines of its own."""
    # A blank line parts two formulas, as in Sphinx's own renderers.
    parts = [part for part in re.split(r"\n\s*\n", node.astext()) if part.strip()]
    anchor = "".join(f' id="{name}"' for name in node.get("ids", [])[:1])
    writer.body.append(f'<div class="formula"{anchor}>')
    writer.body.extend(mathml(part, node, as_block=True) for part in parts)
    writer.body.append("</div>\n")
    raise nodes.SkipNode


def mathml(formula: str, node: nodes.Element, as_block: bool) -> str:
    """Return the formula as MathML, or as code with a warning."""
    # The converter knows the left and right forms only.
    formula = re.sub(r"\\([bB]igg?)(?![a-zA-Z])", r"\\\1l", formula.strip())
    if as_block and pick_math_environment(formula) == "align*" and "\\begin" not in formula:
        formula = f"\\begin{{align*}}\n{formula}\n\\end{{align*}}"
    try:
        return str(tex2mathml(formula, as_block=as_block))
    except MathError as error:
        logger.warning("the formula %r: %s", formula, error, location=node, type="mathml")
        return f"<code>{nodes.unescape(formula)}</code>"


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
