"""How all figures look: colour-blind safe, readable in grey, units on the axes."""

import plotly.graph_objects as go

# Okabe and Ito (2008), Color Universal Design: distinguishable with any colour vision.
BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
SKY, YELLOW, BLACK, GREY = "#56B4E9", "#E69F00", "#222222", "#8A8A8A"
COLOURS = (BLUE, ORANGE, GREEN, PURPLE, SKY, YELLOW, BLACK)
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot", "solid")


def dressed(figure: go.Figure, question: str, note: str = "") -> go.Figure:
    """The figure with its question as title, a note below it, and the common look."""
    subtitle = {"text": note, "font": {"size": 13, "color": GREY}} if note else None
    figure.update_layout(
        template="plotly_white",
        title={"text": question, "font": {"size": 20}, "subtitle": subtitle, "x": 0.02},
        font={"family": "Helvetica, Arial, sans-serif", "size": 14, "color": BLACK},
        colorway=list(COLOURS),
        legend={"orientation": "h", "y": -0.12, "x": 0},
        margin={"l": 70, "r": 30, "t": 90, "b": 70},
    )
    return figure
