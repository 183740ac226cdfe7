"""A small SVG picture: a title, axes, and a few kinds of marks, in the look of our figures."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from markupsafe import escape

from calibscope.base.numbers import number
from calibscope.report.drawings.scales import Axis
from calibscope.report.figures.style import BLACK, DARK_GREY

WIDTH = 720  # of every drawing; a page makes it as wide as itself
TOP = 30  # below the title
LINE = "#DADADA"
SUB = re.compile("<sub>(.*?)</sub>")


@dataclass
class Canvas:
    """What is drawn, in the order of drawing; positions in units of the picture."""

    height: float
    _parts: list[str] = field(default_factory=list)

    def line(
        self, x1: float, y1: float, x2: float, y2: float, colour: str = LINE, width: float = 1,
        dash: str = "",
    ) -> None:  # fmt: skip
        """A straight line."""
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self._parts.append(
            f'<path d="M{_at(x1)} {_at(y1)}L{_at(x2)} {_at(y2)}" stroke="{colour}" '
            f'stroke-width="{width:g}"{dashes}/>'
        )

    def rect(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        """A filled rectangle."""
        self._parts.append(
            f'<rect x="{_at(x)}" y="{_at(y)}" width="{_at(max(width, 0))}" '
            f'height="{_at(max(height, 0))}" fill="{colour}"/>'
        )

    def polyline(
        self, runs: Iterable[Iterable[tuple[float, float]]], colour: str, width: float = 1
    ) -> None:
        """Runs of joined points; between runs is a gap. A run of one is a dot."""
        paths = []
        for run in runs:
            points = [f"{_at(x)} {_at(y)}" for x, y in run]
            if points:
                paths.append(f"M{'L'.join(points)}{'h0' if len(points) == 1 else ''}")
        if paths:
            self._parts.append(
                f'<path d="{"".join(paths)}" fill="none" stroke="{colour}" '
                f'stroke-width="{width:g}" stroke-linecap="round" stroke-linejoin="round"/>'
            )

    def dots(self, points: Iterable[tuple[float, float]], colour: str, size: float = 2) -> None:
        """Round dots, in one path."""
        self.polyline(([point] for point in points), colour, size)

    def ticks(
        self, spans: Iterable[tuple[float, float, float]], colour: str, width: float = 1
    ) -> None:
        """Upright strokes: x and both ends, in one path."""
        paths = [f"M{_at(x)} {_at(low)}V{_at(high)}" for x, low, high in spans]
        if paths:
            self._parts.append(
                f'<path d="{"".join(paths)}" fill="none" stroke="{colour}" '
                f'stroke-width="{width:g}"/>'
            )

    def diamond(self, x: float, y: float, colour: str, size: float = 5) -> None:
        """A diamond with a white rim."""
        self._parts.append(
            f'<path d="M{_at(x)} {_at(y - size)}l{size:g} {size:g}l-{size:g} {size:g}'
            f'l-{size:g} -{size:g}z" fill="{colour}" stroke="#fff" stroke-width="1"/>'
        )

    def circle(self, x: float, y: float, colour: str, size: float = 4) -> None:
        """A disc with a white rim."""
        self._parts.append(
            f'<circle cx="{_at(x)}" cy="{_at(y)}" r="{size:g}" fill="{colour}" stroke="#fff"/>'
        )

    def text(
        self, x: float, y: float, words: str, anchor: str = "start", *, size: float = 12,
        colour: str = BLACK, is_bold: bool = False,
    ) -> None:  # fmt: skip
        """Words on a line; what is between <sub> and </sub> is lower."""
        weight = ' font-weight="bold"' if is_bold else ""
        self._parts.append(
            f'<text x="{_at(x)}" y="{_at(y)}" text-anchor="{anchor}" font-size="{size:g}" '
            f'fill="{colour}"{weight}>{_lowered(words)}</text>'
        )

    def legend(self, x: float, y: float, entries: Sequence[tuple[str, str, str]]) -> None:
        """Kind of mark ("line", "dot", "diamond", "box"), colour and words, side by side."""
        for kind, colour, words in entries:
            if kind == "line":
                self.line(x, y - 4, x + 16, y - 4, colour, 3)
            elif kind == "box":
                self.rect(x, y - 10, 16, 11, colour)
            elif kind == "diamond":
                self.diamond(x + 8, y - 4, colour)
            else:
                self.circle(x + 8, y - 4, colour)
            self.text(x + 21, y, words, size=11, colour=DARK_GREY)
            x += 34 + 5.6 * len(re.sub("<.*?>", "", words))

    def upright(self, axis: Axis, left: float, right: float, title: str = "") -> None:
        """An axis of values at the left, with lines across the picture."""
        for value, words in axis.ticks:
            self.line(left, axis(value), right, axis(value))
            self.text(left - 6, axis(value) + 4, words, "end", size=11, colour=DARK_GREY)
        if title:
            self.text(left - 6, min(axis.start, axis.end) - 7, title, size=11, colour=DARK_GREY)

    def svg(self, question: str, is_synthetic: bool) -> str:
        """The picture, with its question as title and, where it applies, the word SYNTHETIC."""
        head = Canvas(self.height)
        head.text(0, 14, question, size=14, is_bold=True)
        if is_synthetic:
            head.text(WIDTH, 14, "SYNTHETIC market", "end", size=11, colour="#9a4300", is_bold=True)
        return (
            f'<svg viewBox="0 0 {WIDTH} {self.height:g}" xmlns="http://www.w3.org/2000/svg" '
            'font-family="Helvetica, Arial, sans-serif" aria-hidden="true">'
            f"{''.join(head._parts + self._parts)}</svg>"
        )


def _at(place: float) -> str:
    """A position: tenths of a unit are less than a pixel."""
    return number(place, ".1f")


def _lowered(words: str) -> str:
    parts = SUB.split(words)
    made = [
        f'<tspan dy="3" font-size="75%">{escape(part)}</tspan><tspan dy="-3">&#8203;</tspan>'
        if k % 2
        else str(escape(part))
        for k, part in enumerate(parts)
    ]
    return "".join(made)
