"""Years of a history, and histories that are too short for them."""

import pandas as pd

from calibscope.base.numbers import counted, percent
from calibscope.study.study import Study

ALL = "all"
FEW_DAYS = 30  # with results; below, quantiles, densities and components describe single days


def by_period(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows twice, with a column `period`: the year as text, then "all", which sorts last."""
    years = frame.assign(period=frame["date"].dt.year.astype(str))
    return pd.concat([years, frame.assign(period=ALL)], ignore_index=True)


def is_small(study: Study) -> bool:
    """Whether a study has so few days that it is told day by day."""
    return len(study.fitted) < FEW_DAYS


def of_days(marks: "pd.Series[bool]") -> str:
    """On how many days a mark is set: "66 % of 2,157 days", of few "2 of 3 days"; all, or none."""
    days = counted(len(marks), "day")
    if marks.all():
        return f"all {days}" if len(marks) > 1 else "the day"
    if not marks.any():
        return f"none of {days}"
    return f"{as_often(marks).removesuffix(' of them')} of {days}"


def as_often(marks: "pd.Series[bool]") -> str:
    """The same where the days have been counted before: "66 %", "2 of them", "all", "none"."""
    if marks.all() or not marks.any():
        return "all" if marks.any() else "none"
    return f"{int(marks.sum())} of them" if len(marks) < FEW_DAYS else percent(marks.mean(), 0)
