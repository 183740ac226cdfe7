"""The best plausible fit over time, where the best fit is implausible."""

import pandas as pd

from calibscope.study.study import Study

PLAUSIBLE = "best plausible fit"


def plausible_of(study: Study, parameter: str) -> "pd.Series[float]":
    """The parameter in the best plausible fit, by date, on days whose best fit is implausible."""
    odd = study.fitted.loc[study.fitted["is_implausible"].eq(True), "date"]
    return study.plausible_estimates[parameter].reindex(odd).dropna()
