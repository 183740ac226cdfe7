"""A number per date and quote, as colours."""

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from calibscope.report.figures.marks import as_text, over_time, short
from calibscope.study.study import Study


def heat_map(study: Study, column: str, factor: float, hover: str, **look: Any) -> go.Figure:
    """A column of `study.quotes` times a factor; what is missing stays white.

    Parameters
    ----------
    hover : template of what a cell says, after its date and label
    look : colours and their bar, as `go.Heatmap` takes them
    """
    table = study.quotes.pivot(index="label", columns="date", values=column)
    table = table.reindex(index=study.labels["label"], columns=study.days["date"])
    figure = go.Figure()
    figure.add_heatmap(
        z=short(factor * table.to_numpy(float)), x=as_text(table.columns),
        y=list(table.index), hoverongaps=False,
        hovertemplate=f"%{{x|%Y-%m-%d}}, %{{y}}: {hover}<extra></extra>", **look,
    )  # fmt: skip
    over_time(figure, study, layer="above")
    figure.update_yaxes(title_text="quote", type="category", showgrid=False)
    figure.update_xaxes(showgrid=False)
    return figure


def quantile(values: pd.Series, share: float) -> float:
    """Of what is finite; one if there is nothing."""
    finite = values[np.isfinite(values)]
    return float(finite.quantile(share)) if len(finite) else 1.0
