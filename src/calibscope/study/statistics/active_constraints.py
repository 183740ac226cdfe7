r"""Which bounds hold the parameters, and how often (paper, section on EDoF and constraints).

A parameter is at a bound exactly, or within a tolerance of it, which is a distance in the
parameter's own units as in the paper: :math:`|p - bound| \le 10^{-6}`.
"""

import pandas as pd

from calibscope.study.statistics.bounds import bounds_of_days
from calibscope.study.study import Study


def active_constraints(study: Study, tolerance: float = 1e-6) -> pd.DataFrame:
    """Share of days on which each bound is active; parameters that were fixed are left out.

    |p - bound| <= tolerance (paper, section on EDoF and constraints).

    Parameters
    ----------
    study : the history
    tolerance : a distance in the parameter's own units

    Returns
    -------
    DataFrame
        parameter, side ("lower" or "upper"), bound, days (calibrated with this bound),
        exact (share of them with the parameter at the bound), near (within the tolerance)
    """
    frame = study.parameters[["date", "parameter", "estimate"]].merge(
        bounds_of_days(study), on=["date", "parameter"]
    )
    sides = frame[frame["lower"] < frame["upper"]].melt(
        ["date", "parameter", "estimate"], ["lower", "upper"], "side", "bound"
    )
    distance = (sides["estimate"] - sides["bound"]).abs()
    sides = sides.assign(exact=distance == 0, near=distance <= tolerance)
    groups = sides.groupby(["parameter", "side", "bound"])
    table = groups[["exact", "near"]].mean()
    table.insert(0, "days", groups.size())
    return table.reindex(list(study.specs.names), level="parameter").reset_index()
