"""How often the EDoF changes from one day to the next (paper, figure on the EDoF)."""

from typing import Literal

import pandas as pd

from calibscope.study.study import Study

Variant = Literal["edof", "edof_scaled", "edof_strict"]


def edof_switches(study: Study, variant: Variant = "edof") -> pd.DataFrame:
    """Switches of the EDoF per quarter.

    A day switches when its level differs from that of the last day before with results, however
    long ago; it counts for its own quarter.

    switch_t = 1 where EDoF_t differs from EDoF_(t-1) (paper, figure on the EDoF).

    Parameters
    ----------
    study : the history
    variant : "edof", "edof_scaled" or "edof_strict"

    Returns
    -------
    DataFrame
        quarter ("2022Q3"), days (with results), switches, share (of days that have one before)
    """
    frame = study.days[["date", variant]].assign(switched=switched(study, variant))
    groups = frame.groupby(frame["date"].dt.to_period("Q").astype(str).rename("quarter"))
    table = pd.DataFrame(
        {
            "days": groups[variant].count(),
            "switches": groups["switched"].sum().astype(int),
            "share": groups["switched"].mean(),
        }
    )
    return table.reset_index()


def switched(study: Study, variant: Variant = "edof") -> pd.Series:
    """1 or 0 for each row of `study.days`; NaN without results, and on the first day with them."""
    levels = study.days[variant].dropna()
    before = levels.shift()
    return levels.ne(before).astype(float).where(before.notna()).reindex(study.days.index)
