"""Draw the thumbnails of the gallery, 400 pixels wide. Run it when a figure changes.

``python docs/draw_gallery.py`` draws all of them, ``python docs/draw_gallery.py hat_matrix`` one.
"""

import ast
import sys
import tempfile
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
from render import render

GALLERY = Path(__file__).parent / "gallery"
WIDTH, TALLEST, LARGEST = 400, 300, 20_000  # pixels and bytes of a thumbnail
COLOURS = (192, 96, 48, 24, 16, 12)  # few enough for its size
DRAWN = 900  # pixels: narrower, and titles would leave the picture


def figure_of(script: Path) -> Any:
    """What the script's last line shows, as the gallery does."""
    tree = ast.parse(script.read_text(encoding="utf-8"))
    last = tree.body.pop()
    if not isinstance(last, ast.Expr):
        raise ValueError(f"{script.name} ends in no expression: nothing would be shown")
    names: dict[str, Any] = {"__name__": script.stem}
    exec(compile(tree, str(script), "exec"), names)
    return eval(compile(ast.Expression(last.value), str(script), "eval"), names)


def draw(
    figure: go.Figure, target: Path, width: int, largest: int, tallest: int | None = None
) -> None:
    """Write a figure as a small PNG file.

    Parameters
    ----------
    width, tallest : in pixels; what is below is cut off
    largest : in bytes
    """
    from PIL import Image  # comes with the tools of the documentation, not with those of tests

    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder, "picture.png")
        render(figure, picture, DRAWN, figure.layout.height or 560)
        large = Image.open(picture).convert("RGB")
    size = (width, round(width * large.height / large.width))
    small = large.resize(size, Image.Resampling.LANCZOS)
    small = small.crop((0, 0, width, min(small.height, tallest or small.height)))
    for colours in COLOURS:
        small.quantize(colours, dither=Image.Dither.NONE).save(target, optimize=True)
        if target.stat().st_size < largest:
            break
    print(f"{target.name}: {target.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    sys.path.insert(0, str(GALLERY))
    for script in sorted(GALLERY.glob("plot_*.py")):
        name = script.stem.removeprefix("plot_")
        if not sys.argv[1:] or name in sys.argv[1:]:
            draw(figure_of(script), GALLERY / "thumbnails" / f"{name}.png", WIDTH, LARGEST, TALLEST)
