"""Our docstrings as Sphinx wants them, and signatures as they are written.

- `|x|` is a length and not a substitution, ``(..., *t.shape)`` a shape and not an emphasis.
- A signature shows annotations by the names that the source uses (`ArrayLike`, not what it stands
  for), and defaults as they are written; a class shows the names of its fields, unless
  there are many.
- A name in a signature leads to the class of that name, wherever it lives.
"""

import ast
import inspect
import re
import textwrap
from typing import Any

from docutils import nodes
from field_comments import field_comments
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

CODE = re.compile(r"(``.*?``|:\w+:`[^`]*`|`[^`]*`)")


def escape(
    app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]
) -> None:
    """Escape what would be markup, outside formulas, code and examples."""
    formula = None  # indentation of the directive that the line belongs to
    for i, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if line.lstrip().startswith(".. math::"):
            formula = indent
        elif line.strip() and formula is not None and indent <= formula:
            formula = None
        if formula is None and not line.lstrip().startswith((">>>", "...")):
            lines[i] = "".join(
                part if k % 2 else re.sub(r"\*(?=\w+\.)", r"\\*", part.replace("|", r"\|"))
                for k, part in enumerate(CODE.split(line))
            )


def written(
    app: Sphinx,
    what: str,
    name: str,
    thing: Any,
    options: object,
    signature: str | None,
    returned: str | None,
) -> tuple[str, str | None] | None:
    """Take a signature from the source."""
    if isinstance(thing, type):
        fields = ", ".join(field_comments(thing))
        if not fields:
            return None
        return f"({fields if len(fields) < 70 else '...'})", None
    if not callable(thing):
        return None
    node = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(thing)))).body[0]
    if not isinstance(node, ast.FunctionDef):
        return None
    arguments = node.args
    if arguments.args and arguments.args[0].arg in ("self", "cls"):
        del arguments.args[0]
    for defaults in (arguments.defaults, arguments.kw_defaults):
        for k, default in enumerate(defaults):
            if isinstance(default, ast.Lambda):
                defaults[k] = ast.Name("...")
    result = ast.unparse(node.returns).strip("'\"") if node.returns else None
    return f"({ast.unparse(arguments)})", result


def resolve(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.TextElement
) -> nodes.Element | None:
    """Lead a bare name to the only object of that name; leave others as they are."""
    target = node.get("reftarget", "")
    if node.get("refdomain") != "py" or not target.isidentifier():
        return None
    domain = env.domains.python_domain
    found = {
        entry.docname: (name, entry)
        for name, entry in domain.objects.items()
        if name.rsplit(".", 1)[-1] == target and entry.objtype in ("class", "exception")
    }
    if len(found) != 1 or app.builder is None:
        return content  # a type of another package, or an alias
    ((docname, (name, _)),) = found.items()
    source = node.get("refdoc", env.docname)
    address = f"{app.builder.get_relative_uri(source, docname)}#{name}"
    return nodes.reference("", "", content, internal=True, refuri=address, reftitle=name)


def setup(app: Sphinx) -> dict[str, Any]:
    """Escape before numpydoc adds markup of its own."""
    app.connect("autodoc-process-docstring", escape, priority=450)
    app.connect("autodoc-process-signature", written)
    app.connect("missing-reference", resolve)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
