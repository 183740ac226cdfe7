"""Sentences as HTML: code, bold words, and special words that lead to the glossary.

A term is explained where it first appears: a tooltip for the mouse, a link to its entry for
keyboards, screen readers and print.
"""

import re
from collections.abc import Iterable

from markupsafe import Markup, escape

from calibscope.report.document import Term, spans

TAGS = {"code": "code", "bold": "strong"}


class Words:
    """The words of one page, in the order of reading."""

    def __init__(self, terms: Iterable[Term] = ()) -> None:
        self._open = list(terms)  # not yet met

    def __call__(self, text: str) -> Markup:
        """A sentence with its marks."""
        return Markup("").join(self._marked(style, part) for style, part in spans(text))

    def _marked(self, style: str, part: str) -> Markup:
        if style == "code":
            return Markup("<code>{}</code>").format(part)
        made = self._with_terms(part)
        return Markup("<strong>{}</strong>").format(made) if style else made

    def _with_terms(self, part: str) -> Markup:
        """The first of the terms that are met here, and then the rest of the words."""
        met = [
            (found.start(), found, term)
            for term in self._open
            if (found := re.search(rf"(?<![\w-])(?:{term.pattern})(?![\w-])", part))
        ]
        if not met:
            return escape(part)
        _, found, term = min(met, key=lambda one: one[0])
        self._open.remove(term)
        link = Markup('<dfn><a class="term" href="#{}" title="{}">{}</a></dfn>').format(
            term.anchor, term.meaning, found.group()
        )
        return escape(part[: found.start()]) + link + self._with_terms(part[found.end() :])
