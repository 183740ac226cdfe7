"""Panels side by side, two in a row, for figures with one panel per parameter."""

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from calibscope.report.figures.style import DARK_GREY

COLUMNS = 2
HEIGHT = 240  # pixels of a row


def panels(titles: list[str]) -> tuple[go.Figure, list[dict[str, int]]]:
    """An empty figure and the place of each panel, as `add_trace` takes it."""
    rows = -(-len(titles) // COLUMNS)
    columns = min(COLUMNS, len(titles))
    figure = make_subplots(
        rows=rows, cols=columns, subplot_titles=titles, horizontal_spacing=0.11,
        vertical_spacing=0.0 if rows == 1 else 0.13 if rows > 2 else 0.16,
    )  # fmt: skip
    figure.update_annotations(font={"size": 14, "color": DARK_GREY})
    places = [{"row": i // columns + 1, "col": i % columns + 1} for i in range(len(titles))]
    for empty in range(len(titles), rows * columns):
        place = {"row": empty // columns + 1, "col": empty % columns + 1}
        figure.update_xaxes(visible=False, **place)
        figure.update_yaxes(visible=False, **place)
    return figure, places
