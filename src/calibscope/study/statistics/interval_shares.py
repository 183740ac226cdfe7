"""How many delta intervals are uninformative: collapsed, or as wide as the bounds allow.

An interval of full range was cut at both bounds, so that the quotes do not narrow the parameter
down at all (paper, appendix on classical and robust intervals). A collapsed one is too short
because rank was lost, which is not precision (paper, section on parameter uncertainty), or has no
width. At a bound there is no interval, hence a column for those.
"""

import pandas as pd

from calibscope.diagnosis.linear.uncertainty import DEFAULT_SCALE
from calibscope.study.metrics import SCALES
from calibscope.study.study import Study


def delta_scale(study: Study) -> str:
    """The scale of the noise of the delta intervals that are shown: the study's, if it is kept."""
    scale = study.settings.diagnosis.scale
    return str(scale) if scale in SCALES else DEFAULT_SCALE


def interval_shares(study: Study, is_profiled: bool | None = None) -> pd.DataFrame:
    """Shares of days by the kind of interval, per parameter, scale and level.

    Full range: low = lower bound and high = upper bound, both cut (paper, appendix on classical and
    robust intervals).

    Parameters
    ----------
    study : the history
    is_profiled : only days with stored profiles, or only those without; None: all

    Returns
    -------
    DataFrame
        parameter, scale, level, days, and as shares of them no_interval (at a bound, fixed, or
        noise without a scale), collapsed, full_range, and not_identified (an interval is there,
        whatever its width, but rank was lost along the parameter)
    """
    marks = study.parameters[["date", "parameter", "is_identified"]]
    frame = study.intervals.merge(marks, on=["date", "parameter"])
    if is_profiled is not None:
        frame = frame[frame["date"].isin(study.profiles["date"]) == is_profiled]
    is_there = frame["low"].notna()
    has_no_width = frame["low"] == frame["high"]
    kinds = {
        "no_interval": ~is_there,
        "collapsed": frame["is_collapsed"] | has_no_width,
        "full_range": frame["is_cut_low"] & frame["is_cut_high"],
        "not_identified": is_there & ~frame["is_identified"],
    }
    frame = frame.assign(**{name: found.astype(bool) for name, found in kinds.items()})
    groups = frame.groupby(["parameter", "scale", "level"])
    table = groups[list(kinds)].mean()
    table.insert(0, "days", groups.size())
    return table.reindex(list(study.specs.names), level="parameter").reset_index()
