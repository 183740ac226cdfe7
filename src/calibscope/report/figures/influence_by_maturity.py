"""Which quotes moved the parameters (paper, panel b of the figure on leverage and influence)."""

import math

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from calibscope.base.numbers import counted, number
from calibscope.report.figures.marks import answered, share_of
from calibscope.report.figures.violins import violins
from calibscope.study import statistics
from calibscope.study.study import Study

TICKS = 8  # at most


def influence_by_maturity(study: Study) -> go.Figure:
    """How far each quote's own error moved the parameters, as a distribution over all days.

    Scores spread over many powers of ten: violins and boxes are those of their logarithm. A score
    of zero has none and is left out.

    Parameters
    ----------
    study : the history

    Returns
    -------
    go.Figure
        a Plotly figure; its title is its question
    """
    scores = study.quotes["influence_score"]
    logs = np.log10(scores.where(scores > 0))
    figure = violins(study, logs, "log<sub>10</sub> of the score %{y:.2f}")
    figure.update_yaxes(title_text="influence score (log scale)", zeroline=False)
    finite = logs.dropna()
    if len(finite):
        low, high = math.floor(finite.min()), math.ceil(finite.max())
        step = max(1, math.ceil((high - low) / TICKS))
        powers = range(step * (low // step), high + 1, step)
        figure.update_yaxes(tickvals=list(powers), ticktext=[_power(power) for power in powers])
    table = statistics.influence_by_maturity(study)
    note = _note(table) if len(finite) else "No day has a score above zero."
    alt = (
        f"Violins of the influence score of each maturity over {len(study.fitted):,} days, on a "
        f"log scale. {note}"
    )
    return answered(figure, study, "Which maturities moved the parameters?", note, alt)


def _note(table: pd.DataFrame) -> str:
    highest, tail = table["log10_median"].idxmax(), table["tail_share"].idxmax()
    worst = table["largest"].idxmax()
    largest = table["largest"][worst]
    size = number(largest, ",.0f") if largest >= 100 else number(largest, ".2g")
    other = " and" if tail == highest else f", {table['label'][tail]}"
    zeros = int(table["zero_days"].sum())
    return (
        f"{table['label'][highest]} has the highest median score "
        f"({number(10 ** table['log10_median'][highest], '.2g')}){other} "
        f"{share_of(table['tail_share'][tail], 1)} of the largest 1 %; the largest of all is "
        f"{size} at {table['label'][worst]} on {table['largest_on'][worst]:%Y-%m-%d}."
        + (f" {counted(zeros, 'score is', 'scores are')} zero." * bool(zeros))
    )


def _power(exponent: int) -> str:
    if -2 <= exponent <= 3:
        return f"{10.0**exponent:g}"
    return f"10<sup>{exponent}</sup>"
