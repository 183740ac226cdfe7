r"""Which maturities have moved the parameters (paper, panel b of leverage and influence).

Influence scores spread over many powers of ten, so that their quantiles are those of
:math:`\log_{10}` of the score. The tail is the same for all maturities: the largest one per cent of
all scores of the study. Where these events sit is where shocks come from.
"""

import math

import numpy as np
import pandas as pd

from calibscope.study.statistics.by_quote import labelled
from calibscope.study.statistics.quantiles import quantiles
from calibscope.study.study import Study


def influence_by_maturity(study: Study, tail: float = 0.01) -> pd.DataFrame:
    r"""Quantiles of the logarithm of the influence score, and the share of the tail events.

    :math:`\log_{10} \|IF_k\|` of `Diagnosis.influence_score` (paper, below eq. influence_function,
    and panel b of leverage and influence).

    Parameters
    ----------
    study : the history
    tail : share of all scores that counts as the tail, at least one of them

    Returns
    -------
    DataFrame
        maturity (years), label, days (with a score), zero_days (whose score is zero: no logarithm,
        not in the quantiles), log10_min, log10_q05, ..., log10_max, largest (the score itself),
        largest_on (its date), tail_events, tail_share (of all tail events)
    """
    if not 0 < tail <= 1:
        raise ValueError(f"tail is {tail}; give a share of the scores, such as 0.01")
    frame = study.quotes[["date", "label", "influence_score"]].dropna()
    scores = frame["influence_score"]
    frame["log10"] = np.log10(scores.where(scores > 0))
    extreme = scores.nlargest(math.ceil(tail * len(scores))).index
    frame["tail_events"] = frame.index.isin(extreme)
    groups = frame.groupby("label")
    table = quantiles(groups["log10"]).add_prefix("log10_")
    table.insert(0, "days", groups.size())
    table.insert(1, "zero_days", table["days"] - groups["log10"].count())
    worst = frame.loc[groups["influence_score"].idxmax()].set_index("label")
    table["largest"], table["largest_on"] = worst["influence_score"], worst["date"]
    table["tail_events"] = groups["tail_events"].sum()
    table["tail_share"] = table["tail_events"] / len(extreme)
    return labelled(table, study)
