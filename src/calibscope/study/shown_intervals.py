"""The interval of each parameter that is shown first: by profile where it is stored, else by delta.

Its mark says what must be said beside it, in the words of `diagnosis/linear/intervals.py`.
"""

import pandas as pd

from calibscope.diagnosis.linear.intervals import BOUND_WORDS, CUT_WORDS
from calibscope.study.statistics.interval_shares import delta_scale
from calibscope.study.study import Study

KEYS = ["date", "parameter"]
NAMES = [*KEYS, "low", "high", "method", "mark"]


def shown_intervals(study: Study) -> pd.DataFrame:
    """One interval per day and parameter, at the study's highest level.

    Parameters
    ----------
    study : the history

    Returns
    -------
    DataFrame
        date, parameter, low, high, method ("profile" or "delta") and mark
    """
    level = shown_level(study)
    profiles = study.profiles[study.profiles["level"] == level].assign(method="profile")
    every = study.intervals
    delta = every[(every["scale"] == delta_scale(study)) & (every["level"] == level)]
    delta = delta[~delta["date"].isin(profiles["date"])]
    delta = delta.merge(study.parameters[[*KEYS, "at_bound", "is_identified"]], on=KEYS)
    marks = [_mark(row) for row in delta.to_dict("records")]
    delta = delta.assign(method="delta", mark=pd.Series(marks, delta.index, dtype=object))
    parts = [part[NAMES] for part in (profiles, delta) if len(part)]
    found = pd.concat(parts) if parts else profiles[NAMES]
    return found.fillna({"mark": ""}).sort_values(KEYS, ignore_index=True)


def shown_level(study: Study) -> float:
    """Of the intervals that are shown.

    Parameters
    ----------
    study : the history

    Returns
    -------
    float
        such as 0.95
    """
    return study.settings.diagnosis.levels[-1]


def _mark(row: dict[str, object]) -> str:
    at_bound, has_none = int(row["at_bound"]), row["low"] != row["low"]  # type: ignore[call-overload]
    said = [BOUND_WORDS.get(at_bound, "")]
    if has_none:
        said.append("no delta interval" if at_bound else "no interval")
    if row["is_identified"] is False:
        said.append("not identified")
    elif row["is_collapsed"] is True:
        said.append("collapsed (rank lost)")
    said.append(CUT_WORDS[bool(row["is_cut_low"]), bool(row["is_cut_high"])])
    return ", ".join(word for word in said if word)
