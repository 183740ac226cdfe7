"""Words in figures, which Plotly reads as a little HTML."""

import html
import re


def literal(name: str) -> str:
    """A name from data as Plotly shows it letter by letter; it takes <b> or <a> for markup."""
    return html.escape("".join(c if c.isprintable() else " " for c in name), quote=False)


def plain(text: str) -> str:
    """Without HTML, for those who hear it."""
    text = re.sub("<sub>(.*?)</sub>", r"_\1", text).replace("<br>", " ")
    text = text.replace("\N{GREEK SMALL LETTER SIGMA}", "sigma")
    text = text.replace("\N{GREEK SMALL LETTER RHO}", "rho").replace("\N{MINUS SIGN}", "-")
    text = text.replace("\N{NO-BREAK SPACE}", " ")
    return html.unescape(re.sub("<.*?>", "", text))
