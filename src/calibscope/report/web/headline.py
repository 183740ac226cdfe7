"""The first line of an answer, which is read out: what was changed, and what that does."""

from typing import Any

from dash import html

from calibscope.base.numbers import percent
from calibscope.report.web.rated import pill
from calibscope.report.web.shown import Shown


def headline(shown: Shown) -> Any:
    """RMSRE and RAG status of the fit, before and after a change."""
    before, after, changes = shown.before, shown.after, shown.state.changes
    old, new = percent(before.fit.rmsre), percent(after.fit.rmsre)
    if not changes:
        return _line(f"The fit of {shown.date}", f": RMSRE {new}, rated ", pill(after.word), ".")
    turns = [pill(before.word), " becomes "] if before.word != after.word else ["stays "]
    said = f": RMSRE {old} becomes {new}; its status "
    return _line(", ".join(changes), said, *turns, pill(after.word), ".")


def _line(lead: str, *said: Any) -> Any:
    return html.P([html.Strong(lead), *said], className="headline", role="status")
