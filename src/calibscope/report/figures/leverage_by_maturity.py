"""Which quotes the fit depends on (paper, panel a of the figure on leverage and influence)."""

import plotly.graph_objects as go

from calibscope.base.numbers import number
from calibscope.diagnosis.settings import USUAL
from calibscope.report.figures.marks import answered, share_of
from calibscope.report.figures.violins import violins
from calibscope.study import statistics
from calibscope.study.statistics.leverage_by_maturity import Leverage
from calibscope.study.study import Study

NEAR_ONE = USUAL.leverage_near_one


def leverage_by_maturity(study: Study, strict: bool = False) -> go.Figure:
    """How strongly each quote pulls the fit towards itself, as a distribution over all days.

    A leverage of one means that the fit goes through the quote, whatever it is.

    Parameters
    ----------
    study : the history
    strict : count no parameter at a bound

    Returns
    -------
    go.Figure
        a Plotly figure; its title is its question
    """
    kind: Leverage = "leverage_strict" if strict else "leverage"
    figure = violins(study, study.quotes[kind], "leverage %{y:.3f}")
    figure.update_yaxes(title_text="leverage", range=[-0.02, 1.04])
    table = statistics.leverage_by_maturity(study, kind, thresholds=(NEAR_ONE,))
    if table.empty:
        note = "No day has results."
    else:
        share = table[f"share_above_{NEAR_ONE:g}"]
        most, highest = share.idxmax(), table["median"].nlargest(3).index
        first, *others = ((table["label"][i], number(table["median"][i], ".2f")) for i in highest)
        note = f"{first[0]} has the highest median leverage ({first[1]})"
        if others:
            note += f", then {' and '.join(f'{label} ({median})' for label, median in others)}"
        if share[most] > 0:
            days = share_of(share[most], 1)
            note += f"; {table['label'][most]} is above {NEAR_ONE:g} on {days} of the days"
        note += ". At 1 the fit follows the quote."
        note += " Only parameters at no bound count." if strict else ""
    alt = f"Violins of the leverage of each maturity over {len(study.fitted):,} days. {note}"
    return answered(figure, study, "Which maturities decide the fit?", note, alt)
