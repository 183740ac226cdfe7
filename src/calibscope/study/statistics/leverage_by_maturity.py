"""Which maturities the fit depends on (paper, panel a of the figure on leverage and influence)."""

from collections.abc import Sequence
from typing import Literal

import pandas as pd

from calibscope.diagnosis.settings import USUAL
from calibscope.study.statistics.by_quote import labelled
from calibscope.study.statistics.quantiles import quantiles
from calibscope.study.study import Study

Leverage = Literal["leverage", "leverage_strict"]
THRESHOLDS = (USUAL.leverage_near_one, 0.99)


def leverage_by_maturity(
    study: Study, kind: Leverage = "leverage", thresholds: Sequence[float] = THRESHOLDS
) -> pd.DataFrame:
    """Quantiles of the leverage of each maturity, and on what share of days it is near one.

    h_kk = (H_w)_kk (paper, eq. hat_matrix and panel a of the figure on leverage and influence).

    Parameters
    ----------
    study : the history
    kind : "leverage" counts all parameters, "leverage_strict" those at no bound
    thresholds : a share is given for each

    Returns
    -------
    DataFrame
        maturity (years), label, days (on which it was quoted), quantiles (min, q05, q25, median,
        q75, q95, max), and share_above_<threshold> of those days
    """
    above = {f"share_above_{limit:g}": study.quotes[kind] > limit for limit in thresholds}
    frame = study.quotes.assign(**above).dropna(subset=kind)
    groups = frame.groupby("label")
    table = quantiles(groups[kind]).join(groups[list(above)].mean())
    table.insert(0, "days", groups.size())
    return labelled(table, study)
