"""The paper's table of reference cases, for any dates."""

import datetime
from collections.abc import Iterable, Mapping

import pandas as pd

from calibscope.study.events import REFERENCE_DATES
from calibscope.study.study import Study

NUMBERS = ["rmsre", "edof"]
LARGEST = ["largest_leverage", "largest_influence", "largest_residual"]
ABSENT = "not in the study"


def reference_dates(
    study: Study,
    dates: Mapping[str, str] | Iterable[str | datetime.date] = REFERENCE_DATES,
) -> pd.DataFrame:
    """Fit, EDoF, largest leverage, influence and residual, and the summary of some dates.

    RMSRE = sqrt(mean(((g_k - y_k) / y_k)^2)), EDoF = rank(A), h_kk = (H_w)_kk (paper, table of
    reference cases).

    Parameters
    ----------
    study : the history
    dates : what happened by date, or dates alone

    Returns
    -------
    DataFrame
        date, event, rmsre, edof, largest_leverage, largest_leverage_at (maturity), the same for
        influence and residual, summary; in the order given. A date without results has none but
        a summary, which says why
    """
    events = dict(dates) if isinstance(dates, Mapping) else dict.fromkeys(dates, "")
    wanted = pd.DataFrame(
        {"date": pd.to_datetime(list(events)).astype("datetime64[s]"), "event": events.values()}
    )
    table = wanted.merge(study.days, on="date", how="left")
    is_absent, is_empty = table["status"].isna(), table["rmsre"].isna()
    why = ("no results: " + table["reason"].astype(object)).mask(is_absent, ABSENT)
    table["summary"] = table["summary"].astype(object).mask(is_empty, why)
    columns = [name for pair in LARGEST for name in (pair, f"{pair}_at")]
    return table[["date", "event", *NUMBERS, *columns, "summary"]]
