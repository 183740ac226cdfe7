"""The parameters' correlation, by Gauss-Newton and by the exact Hessian."""

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from calibscope.base.arrays import Array
from calibscope.base.numbers import number
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.report.figures.style import BLUE, ORANGE, dressed

SIGNED = [[0.0, ORANGE], [0.5, "#FFFFFF"], [1.0, BLUE]]
NOTHING = "#D0D0D0"


def correlation_matrix(dx: Diagnosis, note: str = "") -> go.Figure:
    """How the errors of the parameters go together: near 1 or -1, only a combination is known.

    The exact Hessian holds parameters at active bounds, so these have no correlation there. A
    grey cell says why it is empty: "bound", "fixed", or "none" where there is no variance.

    Parameters
    ----------
    dx : of `diagnose`
    note : what the reader must know about the data

    Returns
    -------
    go.Figure
        a Plotly figure; its title is its question
    """
    names = list(dx.problem.specs.names)
    own = "Gauss-Newton, rank lost" if dx.flags.has_rank_loss else "Gauss-Newton"
    panels = {own: dx.correlation, _exact_title(dx): dx.correlation_exact}
    figure = make_subplots(
        rows=1, cols=2, shared_yaxes=True, horizontal_spacing=0.04, subplot_titles=list(panels)
    )
    for column, matrix in enumerate(panels.values(), start=1):
        place = {"row": 1, "col": column}
        words, is_empty = _words(dx, matrix), np.isnan(matrix)
        figure.add_heatmap(
            x=names, y=names, z=matrix, text=np.where(is_empty, "", words), texttemplate="%{text}",
            coloraxis="coloraxis", textfont={"size": 11},
            xgap=1, ygap=1, hovertemplate="%{y} with %{x}: %{text}<extra></extra>", **place,
        )  # fmt: skip
        if is_empty.any():
            figure.add_heatmap(
                x=names, y=names, z=np.where(is_empty, 0.0, np.nan),
                text=np.where(is_empty, words, ""), texttemplate="%{text}", textfont={"size": 11},
                colorscale=[[0, NOTHING], [1, NOTHING]], showscale=False,
                xgap=1, ygap=1, hovertemplate="%{y} with %{x}: %{text}<extra></extra>", **place,
            )  # fmt: skip
    figure.update_xaxes(type="category", showgrid=False, autotickangles=[0, 90])
    figure.update_yaxes(type="category", autorange="reversed", showgrid=False)
    figure.update_annotations(font={"size": 14})
    dressed(figure, "Which parameters are known only together?", note, above=20)
    return figure.update_layout(
        height=440,
        margin={"b": 60},
        coloraxis={"colorscale": SIGNED, "cmin": -1, "cmax": 1,
                   "colorbar": {"title": {"text": "correlation", "side": "right"},
                                "thickness": 14}},
        meta={"alt": _alt(dx, names)},
    )  # fmt: skip


def _exact_title(dx: Diagnosis) -> str:
    if dx.flags.lacks_second_derivatives:
        return "exact Hessian: not given"
    if dx.flags.has_indefinite_hessian:
        return "exact Hessian: no minimum"
    return "exact Hessian"


def _words(dx: Diagnosis, matrix: Array) -> list[list[str]]:
    """Each cell in words: its number, or why there is none."""
    reasons = [
        "fixed" if not movable else "bound" if at_bound else "none"
        for movable, at_bound in zip(dx.problem.is_movable, dx.problem.at_bound, strict=True)
    ]
    order = ("fixed", "bound", "none")
    return [
        [
            number(value, ".2f")
            if np.isfinite(value)
            else min(reasons[i], reasons[j], key=order.index)
            for j, value in enumerate(row)
        ]
        for i, row in enumerate(matrix)
    ]


def _alt(dx: Diagnosis, names: list[str]) -> str:
    below = np.tril(np.ones((len(names),) * 2, dtype=bool), -1)
    sizes = np.where(below & np.isfinite(dx.correlation), np.abs(dx.correlation), -1.0)
    i, j = np.unravel_index(int(sizes.argmax()), sizes.shape)
    empty = [name for name, own in zip(names, np.diag(dx.correlation_exact), strict=True)
             if np.isnan(own)]  # fmt: skip
    known = (
        f"The strongest correlation by Gauss-Newton is {number(dx.correlation[i, j], '.3f')}, of "
        f"{names[i]} "
        f"with {names[j]}."
        if sizes.max() >= 0
        else "No two parameters have a correlation by Gauss-Newton."
    )
    return known + (f" The exact Hessian gives none for {', '.join(empty)}." if empty else "")
