"""How good the fit is, year by year (paper, figure on daily goodness of fit)."""

from collections.abc import Sequence

import pandas as pd

from calibscope.study.metrics import RMSRE_AMBER, RMSRE_RED
from calibscope.study.statistics.periods import by_period
from calibscope.study.statistics.quantiles import quantiles
from calibscope.study.study import Study

THRESHOLDS = (0.01, RMSRE_AMBER, RMSRE_RED)


def fit_over_time(study: Study, thresholds: Sequence[float] = THRESHOLDS) -> pd.DataFrame:
    """Quantiles of the RMSRE per year, and how many days are above each threshold.

    RMSRE = sqrt(mean(((g_k - y_k) / y_k)^2)) (paper, eq. rmsre_objective and figure on daily
    goodness of fit).

    Parameters
    ----------
    study : the history
    thresholds : of the RMSRE, decimals

    Returns
    -------
    DataFrame
        period (a year, or "all"), days (with results), days_without_results, quantiles of the
        RMSRE (min, q05, q25, median, q75, q95, max), and days_above_<threshold> for each
    """
    frame = by_period(study.days[["date", "rmsre"]])
    above = {f"days_above_{limit:g}": frame["rmsre"] > limit for limit in thresholds}
    frame = frame.assign(days_without_results=frame["rmsre"].isna(), **above)
    groups = frame.groupby("period")
    counts = groups[["days_without_results", *above]].sum()
    table = quantiles(groups["rmsre"]).join(counts[list(above)])
    table.insert(0, "days", groups["rmsre"].count())
    table.insert(1, "days_without_results", counts["days_without_results"])
    return table.reset_index()
