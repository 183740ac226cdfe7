"""The paper's table of reference cases, as text."""

import pandas as pd

from calibscope.study.statistics import reference_dates
from calibscope.study.study import Study

COLUMNS = {
    "Max leverage": ("largest_leverage", "{:.2f}"),
    "Max influence": ("largest_influence", "{:.2g}"),
    "Largest residual": ("largest_residual", "{:+.1%}"),
}


def reference_table(study: Study) -> pd.DataFrame:
    """Fit, EDoF, largest leverage, influence and residual of the reference dates, and a summary.

    Every cell is text as it is to be shown; empty where a date has no results, which the summary
    explains.
    """
    table = reference_dates(study)
    has = table["rmsre"].notna()
    shown = pd.DataFrame(
        {
            "Date": table["date"].dt.strftime("%Y-%m-%d"),
            "Event": table["event"],
            "RMSRE": _written(table["rmsre"], "{:.2%}"),
            "EDoF": _written(table["edof"], "{:.2f}"),
        }
    )
    for title, (column, form) in COLUMNS.items():
        sizes = _written(table[column], form)
        places = table[f"{column}_at"].astype(object)
        shown[title] = (sizes + " (" + places + ")").where(has & places.notna(), sizes)
    shown["Summary"] = table["summary"]
    return shown.astype(object)


def _written(values: pd.Series, form: str) -> pd.Series:
    texts = ["" if value != value else form.format(value) for value in values]
    return pd.Series(texts, values.index, dtype=object)
