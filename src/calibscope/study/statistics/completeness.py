"""Complete days, and those that lack some quotes, apart."""

import pandas as pd

from calibscope.base.numbers import counted, percent
from calibscope.study.study import Study


def completeness(study: Study) -> pd.DataFrame:
    """How well the fits are on complete days, and on days that lack some of the market's quotes.

    RMSRE = sqrt(mean(((g_k - y_k) / y_k)^2)) over the quotes that a day has; the paper keeps
    complete days only (section on data).

    Parameters
    ----------
    study : the history

    Returns
    -------
    DataFrame
        among ("complete days" or "incomplete days"), days, quotes (median number), rmsre_median,
        rmsre_q95, edof_median, largest_leverage_median; a row only where there are such days
    """
    fitted = study.fitted
    names = {False: "complete days", True: "incomplete days"}
    groups = fitted.groupby(fitted["is_incomplete"].map(names))
    return (
        pd.DataFrame(
            {
                "days": groups.size(),
                "quotes": groups["quote_count"].median().astype(float),
                "rmsre_median": groups["rmsre"].median(),
                "rmsre_q95": groups["rmsre"].quantile(0.95),
                "edof_median": groups["edof"].median(),
                "largest_leverage_median": groups["largest_leverage"].median(),
            }
        )
        .rename_axis("among")
        .reset_index()
    )


def incomplete_days(study: Study) -> str:
    """A sentence about the days that lack quotes; empty if there are none."""
    table = completeness(study).set_index("among")
    if "incomplete days" not in table.index:
        return ""
    few = table.loc["incomplete days"]
    count = int(few["days"])
    words = counted(count, "day lacks", "days lack")
    text = f"{words} some quotes: RMSRE {percent(few['rmsre_median'])} (median)"
    if "complete days" in table.index:
        every = table.loc["complete days"]
        days = int(every["days"])
        others = "the complete day" if days == 1 else f"the {days:,} complete days"
        text += f", against {percent(every['rmsre_median'])} on {others}"
    return f"{text}."
