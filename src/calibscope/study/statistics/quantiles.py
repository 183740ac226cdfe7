"""The quantiles by which all tables describe a distribution, from the smallest to the largest."""

import pandas as pd

QUANTILES = {
    "min": 0.0, "q05": 0.05, "q25": 0.25, "median": 0.5, "q75": 0.75, "q95": 0.95, "max": 1.0,
}  # fmt: skip


def quantiles(groups: "pd.api.typing.SeriesGroupBy") -> pd.DataFrame:
    """One row per group, one column per quantile (linear between neighbours, NaN left out)."""
    return pd.DataFrame({name: groups.quantile(p) for name, p in QUANTILES.items()})
