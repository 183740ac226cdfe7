"""Draw the pictures of the theory pages from the scripts of the gallery, when a figure changes.

``python docs/draw_theory.py`` draws all of them, ``python docs/draw_theory.py hat_matrix`` one.
"""

import sys
from pathlib import Path

import plotly.graph_objects as go
from draw_gallery import GALLERY, draw, figure_of

import calibscope as cs
from calibscope.report.figures.local_minima import local_minima_map

THEORY = Path(__file__).parent / "theory"
PICTURES = (
    "active_bounds_over_time", "geometry", "hat_matrix", "interval_chart", "left_out_shifts",
    "local_minima_map", "profile_chart", "singular_spectrum", "rag_calendar",
)  # fmt: skip
WIDTH, LARGEST = 900, 60_000  # pixels and bytes


def search_map() -> go.Figure:
    """What the search sees on a day with one near-optimal set."""
    fit = cs.calibrate(cs.demo_market().day("2020-03-18"))
    return local_minima_map(fit, "SYNTHETIC market, 2020-03-18")


if __name__ == "__main__":
    sys.path.insert(0, str(GALLERY))
    makers = {name: lambda name=name: figure_of(GALLERY / f"plot_{name}.py") for name in PICTURES}
    makers["search"] = search_map
    for name in sys.argv[1:] or makers:
        draw(makers[name](), THEORY / f"{name}.png", WIDTH, LARGEST)
