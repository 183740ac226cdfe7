"""Fields of dataclasses, explained by the comments behind them.

In our files a field says what it is in a comment on its own line; here these comments become the
*Attributes* of the class.
"""

import dataclasses
import inspect
import re
from typing import Any

from sphinx.application import Sphinx

FIELD = re.compile(r"^    (?P<name>[a-z]\w*): (?P<type>[^=#]+?)\s*(=[^#]*)?(#\s*(?P<comment>.*))?$")


def field_comments(kind: type) -> dict[str, tuple[str, str]]:
    """Type and comment of every public field of a dataclass (or a model of settings), in order.

    Parameters
    ----------
    kind : a class

    Returns
    -------
    dict
        By name; the comment is empty where there is none. Empty if it has no fields.
    """
    found: dict[str, tuple[str, str]] = {}
    if dataclasses.is_dataclass(kind):
        names = {field.name for field in dataclasses.fields(kind)}
    else:
        names = set(getattr(kind, "model_fields", getattr(kind, "_fields", ())))
    for base in reversed(kind.__mro__):
        if not base.__module__.startswith("calibscope."):
            continue
        for line in inspect.getsource(base).splitlines():
            match = FIELD.match(line)
            if match and match["name"] in names:
                found[match["name"]] = match["type"], match["comment"] or ""
    for field in dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ():
        if "sentence" in field.metadata:  # a threshold: its unit and its sentence
            kind_of, _ = found[field.name]
            found[field.name] = kind_of, f"{field.metadata['sentence']} ({field.metadata['unit']})"
    return found


def add_attributes(
    app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]
) -> None:
    """Append the fields of a dataclass to its docstring, as numpydoc has it."""
    if what not in ("class", "exception") or "Attributes" in lines:
        return
    fields = field_comments(thing) if isinstance(thing, type) else {}
    if fields:
        ahead = lines.index("Examples") if "Examples" in lines else len(lines)
        section = ["", "Attributes", "----------"]
        for field, (kind, comment) in fields.items():
            kind = kind.replace("_]", r"\_]")  # np.str_ is no reference
            section += [f"{field} : {kind}", f"    {comment}"]
        lines[ahead:ahead] = [*section, ""]


def setup(app: Sphinx) -> dict[str, Any]:
    """Run before numpydoc, which reads the sections."""
    app.connect("autodoc-process-docstring", add_attributes, priority=400)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
