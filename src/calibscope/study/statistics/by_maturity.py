"""A table with one row per maturity, whatever maturities were quoted on which day."""

import pandas as pd

from calibscope.market.maturity import label


def labelled(table: pd.DataFrame) -> pd.DataFrame:
    """The index of maturities as columns: in years, and as people write them."""
    result = table.rename_axis("maturity").reset_index()
    result.insert(1, "label", [label(years) for years in result["maturity"]])
    return result
