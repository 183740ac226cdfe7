"""Draw PNG files of the pages from the scripts of the gallery, when a figure changes.

``python docs/draw_pages.py`` draws all of them, ``python docs/draw_pages.py market`` one.
"""

import sys
from pathlib import Path

from draw_gallery import GALLERY, figure_of
from render import render

PICTURES = {  # by name: script, width and height
    "forwards": ("forwards", 1000, 900),
    "leverage_theory": ("leverage_theory", 1000, 760),
    "market": ("market_history", 1100, 760),
}

if __name__ == "__main__":
    for name in sys.argv[1:] or PICTURES:
        script, *size = PICTURES[name]
        figure = figure_of(GALLERY / f"plot_{script}.py")
        render(figure, Path(__file__).parent / f"{name}.png", *size)
