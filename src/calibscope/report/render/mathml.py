r"""Formulas as MathML, which every current browser draws by itself: no script, no other host.

A small part of LaTeX: letters, numbers, operators, ``_`` and ``^``, braces, ``\frac``, ``\sqrt``,
``\text`` and the symbols below.
"""

import re
from collections.abc import Iterator

from markupsafe import escape

SYMBOLS = {
    "sigma": ("mi", "\N{GREEK SMALL LETTER SIGMA}"),
    "sum": ("mo", "\N{N-ARY SUMMATION}"),
    "norm": ("mo", "\N{DOUBLE VERTICAL LINE}"),
    "le": ("mo", "\N{LESS-THAN OR EQUAL TO}"),
    "pm": ("mo", "\N{PLUS-MINUS SIGN}"),
    "log": ("mi", "log"),
    "artanh": ("mi", "artanh"),
    "min": ("mi", "min"),
    "tr": ("mi", "tr"),
}
TOKEN = re.compile(r"\\([a-zA-Z]+)|(\d+(?:\.\d+)?)|([a-zA-Z])|(\S)")
MINUS, SPACE = "\N{MINUS SIGN}", "\N{NO-BREAK SPACE}"
TEXT = re.compile(r"\\text\{([^}]*)\}")


def mathml(tex: str) -> str:
    """The formula, on its line.

    >>> mathml("x_k^2")
    '<math displaystyle="true"><msubsup><mi>x</mi><mi>k</mi><mn>2</mn></msubsup></math>'
    """
    return f'<math displaystyle="true">{"".join(_Reader(tex).row())}</math>'


class _Reader:
    """Reads a formula from left to right."""

    def __init__(self, tex: str) -> None:
        self._texts = TEXT.findall(tex)
        self._tokens = [found.group() for found in TOKEN.finditer(TEXT.sub(r"\\said ", tex))][::-1]

    def row(self) -> Iterator[str]:
        """Up to the end, or the brace that closes the group."""
        while self._tokens and self._tokens[-1] != "}":
            yield self._scripted()

    def _scripted(self) -> str:
        """An atom with what is below and above it."""
        base, scripts = self._atom(), {}
        while self._tokens and self._tokens[-1] in "_^":
            sign = self._tokens.pop()
            scripts[sign] = self._atom()
        if len(scripts) == 2:
            return f"<msubsup>{base}{scripts['_']}{scripts['^']}</msubsup>"
        for sign, name in (("_", "msub"), ("^", "msup")):
            if sign in scripts:
                return f"<{name}>{base}{scripts[sign]}</{name}>"
        return base

    def _atom(self) -> str:
        token = self._tokens.pop()
        if token == "{":
            made = "".join(self.row())
            self._tokens.pop()
            return f"<mrow>{made}</mrow>"
        if token == "\\frac":
            return f"<mfrac>{self._atom()}{self._atom()}</mfrac>"
        if token == "\\sqrt":
            return f"<msqrt>{self._atom()}</msqrt>"
        if token == "\\said":
            return f"<mtext>{escape(self._texts.pop(0).replace(' ', SPACE))}</mtext>"
        if token.startswith("\\"):
            name, sign = SYMBOLS[token[1:]]
            return f"<{name}>{sign}</{name}>"
        name = "mn" if token[0].isdigit() else "mi" if token.isalpha() else "mo"
        return f"<{name}>{escape(token.replace('-', MINUS))}</{name}>"
