r"""Boundary dominance: how much of the leverage sits at the ends of the maturity range.

Let the short end S be the shortest and the long end L the longest maturities of a day, and I those
between. An end E carries the share

.. math:: b_E = \sum_{k \in E} h_{kk} \Big/ \sum_k h_{kk}, \qquad E \in \{S, L\}

of the trace. Without concentration that would be its share by count, |E|/m. A day counts as
*dominated* when its leverage peaks at both ends,

.. math:: \max_{k \in I} h_{kk} < \min\bigl(\max_{k \in S} h_{kk}, \max_{k \in L} h_{kk}\bigr).

Two simpler conditions stand beside it: each end above its share by count, which is weak, and both
together above half of the trace, which is strong, because no leverage exceeds one: the ends cannot
carry more than :math:`(|S| + |L|)/EDoF`. The paper (section on leverage and influence) names 3Y, 4Y
and 30Y and gives no definition; two short maturities and a long one are the default here. Days
without a quote between the ends are left out.
"""

import numpy as np
import pandas as pd

from calibscope.study.study import Study

KINDS = ["leverage", "leverage_strict"]


def end_shares(study: Study, short: int = 2, long: int = 1) -> pd.DataFrame:
    r"""What share of the leverage the ends carry, day by day.

    .. math:: b_E = \sum_{k \in E} h_{kk} \Big/ \sum_k h_{kk}

    Source: the idea is the paper's (section on leverage and influence), the definition ours.

    Parameters
    ----------
    study : the history
    short, long : how many maturities make up each end

    Returns
    -------
    DataFrame
        date, kind ("leverage" or "leverage_strict"), short_share, long_share, end_share (both),
        count_share ((|S| + |L|)/m), is_above_count, is_dominated, is_above_half
    """
    if short < 1 or long < 1:
        raise ValueError(f"short is {short} and long is {long}; an end has at least one maturity")
    days = study.quotes.groupby("date")["maturity"]
    place, count = days.rank("dense"), days.transform("nunique")
    parts = np.select([place <= short, place > count - long], ["short", "long"], "inner")
    has_inner = count > short + long
    quotes = study.quotes[["date", *KINDS]].assign(part=parts)[has_inner]
    tidy = quotes.melt(["date", "part"], KINDS, "kind", "value")
    groups = tidy.groupby(["date", "kind", "part"])["value"]
    sums, peaks, counts = (
        values.unstack("part").reindex(columns=["short", "inner", "long"])
        for values in (groups.sum(), groups.max(), groups.size())
    )
    shares = sums.div(sums.sum(axis=1), axis=0)
    by_count = counts.div(counts.sum(axis=1), axis=0)
    ends = shares["short"] + shares["long"]
    is_above_count = (shares[["short", "long"]] > by_count[["short", "long"]]).all(axis=1)
    table = pd.DataFrame(
        {
            "short_share": shares["short"],
            "long_share": shares["long"],
            "end_share": ends,
            "count_share": by_count["short"] + by_count["long"],
            "is_above_count": is_above_count,
            "is_dominated": peaks["inner"] < peaks[["short", "long"]].min(axis=1),
            "is_above_half": ends > 0.5,
        }
    )
    return table.dropna().reset_index()


def boundary_dominance(study: Study, short: int = 2, long: int = 1) -> pd.DataFrame:
    r"""Boundary dominance on all days, and on those where the correlation of G2++ is -1.

    .. math:: b_E = \sum_{k \in E} h_{kk} \Big/ \sum_k h_{kk}, \qquad
        \max_{k \in I} h_{kk} < \min\bigl(\max_{k \in S} h_{kk}, \max_{k \in L} h_{kk}\bigr)

    are the share of an end E, and when a day counts as dominated: the short end S and the long end
    L both above what is between, I (the idea: paper, section on leverage and influence).

    Parameters
    ----------
    study : the history
    short, long : how many maturities make up each end

    Returns
    -------
    DataFrame
        kind ("leverage" or "leverage_strict"), among ("all days" or "rho_xy = -1"), days, medians
        of short_share, long_share, end_share and count_share, and the shares of days that are
        above_count, dominated and above_half
    """
    frame = end_shares(study, short, long)
    both = frame.assign(among="all days")
    if "rho_xy" in study.estimates:  # another model has no such days
        rho = frame["date"].map(study.estimates["rho_xy"])
        both = pd.concat([both, frame[rho == -1].assign(among="rho_xy = -1")])
    groups = both.groupby(["kind", "among"])
    table = groups[["short_share", "long_share", "end_share", "count_share"]].median()
    table.insert(0, "days", groups.size())
    marks = groups[["is_above_count", "is_dominated", "is_above_half"]].mean()
    return table.join(marks.rename(columns=lambda name: name.removeprefix("is_"))).reset_index()
