"""How all figures look: colour-blind safe, readable in grey, units on the axes."""

import re
import textwrap

import plotly.graph_objects as go

from calibscope.base import numbers
from calibscope.report.document import SYNTHETIC_MARKET
from calibscope.report.figures.markup import plain

# Okabe and Ito (2008), Color Universal Design: distinguishable with any colour vision.
BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
SKY, YELLOW, BLACK, GREY = "#56B4E9", "#E69F00", "#222222", "#8A8A8A"
DARK_GREY = "#555555"  # of words that are no data
COLOURS = (BLUE, ORANGE, GREEN, PURPLE, SKY, YELLOW, BLACK)
LINE_LENGTH = 70  # characters of a note, so that it fits a page of 500 pixels
LINE_HEIGHT = 17  # pixels of a note
TAG = "\x00"  # stands for one while lines are broken
TAGS = re.compile("<.*?>|&[a-z]+;")  # and escaped letters, which are one each


def dressed(
    figure: go.Figure,
    question: str,
    note: str = "",
    *,
    alt: str = "",
    is_synthetic: bool = False,
    above: int = 0,
) -> go.Figure:
    """The figure with its question as title, a note below it, and the common look.

    Parameters
    ----------
    alt : what the picture shows, for those who cannot see it; kept in the layout's metadata
    is_synthetic : say so before the note, and in the alt text
    above : pixels for what is between the note and the axes, such as titles of panels
    """
    if is_synthetic:
        note = f"{SYNTHETIC_MARKET} {note}".strip()
        alt = f"Synthetic market. {alt}".strip()
    lines = wrapped(note)
    subtitle = {"text": lines, "font": {"size": 13, "color": DARK_GREY}} if note else None
    top = 62 + above + (LINE_HEIGHT * (1 + lines.count("<br>")) if note else 0)
    figure.update_layout(
        template="plotly_white",
        title={
            "text": question, "font": {"size": 20}, "subtitle": subtitle, "x": 0.02,
            "y": 1, "yref": "container", "yanchor": "top", "pad": {"t": 14},
        },
        font={"family": "Helvetica, Arial, sans-serif", "size": 14, "color": BLACK},
        colorway=list(COLOURS),
        legend={"orientation": "h", "y": -0.12, "x": 0},
        margin={"l": 70, "r": 30, "t": top, "b": 70},
        meta={"alt": plain(alt)} if alt else None,
    )  # fmt: skip
    return figure


def wrapped(note: str) -> str:
    """The note in lines that fit a small picture; what is between <> takes no room."""
    tags = TAGS.findall(note)
    lines = textwrap.wrap(TAGS.sub(TAG, note), LINE_LENGTH)
    pieces = "<br>".join(lines).split(TAG)
    return "".join(piece + tag for piece, tag in zip(pieces, [*tags, ""], strict=True))


def percent(share: float, digits: int = 0) -> str:
    """A share with a space before the sign, as in all notes."""
    return numbers.percent(share, digits).replace(" ", "\N{NO-BREAK SPACE}")
