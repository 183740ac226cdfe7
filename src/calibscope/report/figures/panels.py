"""Panels side by side, two in a row, for figures with one panel per parameter."""

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from calibscope.report.figures.style import DARK_GREY

COLUMNS = 2
GAP = 62  # pixels between rows
TOP, BOTTOM = 110, 95  # pixels around all panels


def panels(titles: list[str], height: int) -> tuple[go.Figure, list[dict[str, int]]]:
    """An empty figure and the place of each panel, as `add_trace` takes it.

    Parameters
    ----------
    height : of a panel, in pixels
    """
    columns = min(COLUMNS, len(titles))
    rows = -(-len(titles) // columns)
    inner = rows * height + (rows - 1) * GAP
    figure = make_subplots(
        rows=rows, cols=columns, subplot_titles=titles, horizontal_spacing=0.11,
        vertical_spacing=GAP / inner,
    )  # fmt: skip
    figure.update_annotations(font={"size": 14, "color": DARK_GREY})
    figure.update_layout(height=inner + TOP + BOTTOM)
    every = [{"row": i // columns + 1, "col": i % columns + 1} for i in range(rows * columns)]
    for place in every[len(titles) :]:
        figure.update_xaxes(visible=False, **place)
        figure.update_yaxes(visible=False, **place)
    return figure, every[: len(titles)]


def arranged(figure: go.Figure) -> go.Figure:
    """Room around the panels, and the legend below them; after `dressed`."""
    return figure.update_layout(
        title={"y": 1.0, "yanchor": "top", "pad": {"t": 22}},
        margin={"l": 60, "r": 15, "t": TOP, "b": BOTTOM},
        legend={"yref": "container", "y": 0.005, "yanchor": "bottom", "traceorder": "normal"},
    )
