"""A table with one row per quote of the history, whatever was quoted on which day."""

import pandas as pd

from calibscope.study.study import Study


def partly_quoted(study: Study, most: int = 4) -> str:
    """A sentence about quotes that some of the days lack; empty if there are none.

    Parameters
    ----------
    most : how many are named, those that are lacking most often first
    """
    counts = study.quotes["label"].value_counts(ascending=True, sort=True)
    days = len(study.fitted)
    few = counts[counts < days]
    if few.empty:
        return ""
    named = ", ".join(f"{name} on {count:,}" for name, count in few.head(most).items())
    more = f" and {len(few) - most} more" if len(few) > most else ""
    return f"Not quoted on all {days:,} days: {named}{more}."


def labelled(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """The index of labels as a column behind the maturity in years, in the order of tables."""
    places = study.labels[["maturity", "label"]]
    return places.merge(table.rename_axis("label").reset_index(), on="label")
