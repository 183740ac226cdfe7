"""What profile intervals of a history say: how far they reach, and whether delta could have done.

Days without stored profiles do not count. A second local minimum that keeps the limit means that
another fit, nearly as good, has another value; a gap, that values in between fit too badly.
"""

import pandas as pd

from calibscope.study.study import Study

KEYS = ["date", "parameter", "scale", "level"]


def profile_shares(study: Study) -> pd.DataFrame:
    """Shares of profiled days by the kind of interval, per parameter and level.

    The interval is all t with Q_j(t) up to the limit (Bates and Watts, 1988, section 6.1); it is
    contradicted as `dx.intervals` marks it.

    Parameters
    ----------
    study : the history

    Returns
    -------
    DataFrame
        parameter, scale, level, days (with a profile), and as shares of them full_range (both ends
        are bounds), with_gap and second_minimum; contradicted is the share of those days on which
        the delta method has an interval of the same scale that has other ends; not a number where
        no delta intervals of the scale are kept
    """
    marks = study.intervals.loc[study.intervals["low"].notna(), [*KEYS, "is_contradicted"]]
    frame = study.profiles.merge(marks, on=KEYS, how="left")
    kinds = {
        "full_range": frame["is_cut_low"] & frame["is_cut_high"],
        "with_gap": ~frame["is_connected"].astype(bool),
        "second_minimum": frame["second_minimum"].notna(),
        "contradicted": frame["is_contradicted"],
    }
    frame = frame.assign(**{name: found.astype("Float64") for name, found in kinds.items()})
    groups = frame[frame["low"].notna()].groupby(["parameter", "scale", "level"])
    table = groups[list(kinds)].mean().astype(float)
    table.insert(0, "days", groups.size())
    return table.reindex(list(study.specs.names), level="parameter").reset_index()
