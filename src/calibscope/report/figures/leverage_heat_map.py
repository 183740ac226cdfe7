"""When each quote decided the fit: leverage by date and quote."""

import plotly.graph_objects as go

from calibscope.diagnosis.settings import USUAL
from calibscope.report.figures.heat_map import heat_map
from calibscope.report.figures.marks import answered, share_of
from calibscope.study.statistics import leverage_by_maturity
from calibscope.study.statistics.leverage_by_maturity import Leverage
from calibscope.study.study import Study

NEAR_ONE = USUAL.leverage_near_one


def leverage_heat_map(study: Study, strict: bool = False) -> go.Figure:
    """How strongly each quote pulls the fit towards itself, day by day.

    Dark means near one: the fit follows the quote. Days without results stay white.

    Parameters
    ----------
    study : the history
    strict : count no parameter at a bound

    Returns
    -------
    go.Figure
        a Plotly figure; its title is its question
    """
    column: Leverage = "leverage_strict" if strict else "leverage"
    bar = {"title": {"text": "leverage", "font": {"size": 13}}, "thickness": 14, "outlinewidth": 0}
    figure = heat_map(
        study, column, 1.0, "%{z:.3f}", zmin=0, zmax=1, colorscale="Blues", colorbar=bar
    )
    note = "No day has results."
    if len(study.quotes):
        table = leverage_by_maturity(study, column, thresholds=(NEAR_ONE,))
        share = table[f"share_above_{NEAR_ONE:g}"]
        near = table.assign(share=share).nlargest(3, "share")
        near = near[near["share"] > 0]
        parts = [
            f"{name} on {share_of(own, 1)}"
            for name, own in zip(near["label"], near["share"], strict=True)
        ]
        note = f"No quote has a leverage above {NEAR_ONE:g}."
        if parts:
            note = f"The leverage is above {NEAR_ONE:g} at {', at '.join(parts)} of the days."
        note += " Only parameters at no bound count." if strict else ""
    alt = f"Heat map of the leverage by date and quote, dark where it is near one. {note}"
    return answered(figure, study, "When did which maturity decide the fit?", note, alt)
