"""Rows of dates, once for their year and once for the whole history."""

import pandas as pd

ALL = "all"


def by_period(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows twice, with a column `period`: the year as text, then "all", which sorts last."""
    years = frame.assign(period=frame["date"].dt.year.astype(str))
    return pd.concat([years, frame.assign(period=ALL)], ignore_index=True)
