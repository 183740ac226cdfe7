"""The leverage of each quote on the parameters that could move on its day."""

import pandas as pd

from calibscope.study.study import Study


def own_leverage(study: Study) -> "pd.Series[float]":
    """Of every row of `study.quotes`: the leverage that the day's own diagnosis speaks of.

    The store has the leverage on all parameters and on those at no bound. The day's own counts all
    but those that their bounds hold, which is one of the two as a rule; its largest value is kept,
    and tells which.

    Parameters
    ----------
    study : the history

    Returns
    -------
    Series
        like the column `leverage`, in the order of `study.quotes`
    """
    quotes = study.quotes
    largest = quotes["date"].map(study.fitted.set_index("date")["largest_leverage"])
    gaps = {
        kind: (quotes.groupby("date")[kind].transform("max") - largest).abs()
        for kind in ("leverage", "leverage_strict")
    }
    is_strict = gaps["leverage_strict"] < gaps["leverage"]
    return quotes["leverage"].mask(is_strict, quotes["leverage_strict"])
