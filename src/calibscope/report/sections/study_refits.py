"""What the report says of stored refits: days that need review, fitted again."""

import numpy as np
import pandas as pd

from calibscope.base.numbers import counted, number, percent, share
from calibscope.diagnosis.refit.shifts import PREDICTED
from calibscope.report.document import Block, Cell, Column, Noted, Range, Table, table
from calibscope.study.study import Study

LISTED = 25  # days, the last ones
MARKS = (  # letter, column, the value that needs a word, the word
    ("n", "is_identified", False, "not identified"),
    ("c", "is_collapsed", True, "collapsed, because rank was lost"),
    ("g", "is_connected", False, "with a gap"),
)
FORMS = {"error_exact": "the exact Hessian", "error_gauss_newton": "Gauss-Newton"}
HOW = (
    "`calibscope run ... --profiles all` profiles every parameter of all days; `calibscope day ... "
    "--refits` does it for one."
)


def refit_blocks(study: Study) -> list[Block | str]:
    """Sentences and tables, or how to get them."""
    ratings = study.rag
    flagged = set(ratings.loc[ratings["rag"] != "green", "date"]) & set(study.fitted["date"])
    known, profiled = set(study.left_out["date"]), set(study.profiles["date"])
    if not flagged and not known:
        return []
    if not known and not profiled:
        return [f"No day was fitted again: {HOW}"]
    quotes, intervals = (sorted(flagged & dates)[-LISTED:] for dates in (known, profiled))
    return [
        f"{counted(len(known), 'day was', 'days were')} fitted again without each quote, and "
        f"{counted(len(profiled), 'day has', 'days have')} profile intervals."
        f"{_missing(len(flagged - profiled))}",
        _predicted(study.left_out),
        *([_left_out(study, quotes)] if quotes else []),
        *([_profiles(study, intervals)] if intervals else []),
    ]


def _missing(count: int) -> str:
    if not count:
        return ""
    days = counted(count, "day that is not green has", "days that are not green have")
    return f" {days} none: {HOW}"


def _predicted(left_out: pd.DataFrame) -> str:
    """How often first order predicted what leaving a quote out does."""
    shares = " and ".join(
        f"{percent((known <= PREDICTED).mean(), 0)} with {words}"
        for known, words in ((left_out[name].dropna(), words) for name, words in FORMS.items())
        if len(known)
    )
    if not shares:
        return "No quote could be left out."
    return (
        f"Of {len(left_out):,} quotes left out, first order predicted the shift of the parameters "
        f"to within a quarter for {shares}."
    )


def _left_out(study: Study, dates: list[pd.Timestamp]) -> Table:
    """Each day with the quote whose absence moves a parameter furthest."""
    estimates, rows, specs = study.estimates, [], study.specs
    for date, quotes in study.left_out[study.left_out["date"].isin(dates)].groupby("date"):
        values = estimates.loc[date].to_numpy()
        scale = np.abs(specs.coordinates.slopes(values))
        moves = np.nan_to_num(np.abs(quotes[list(specs.names)].to_numpy() / scale))
        k, p = np.unravel_index(int(moves.argmax()), moves.shape)
        quote, value = quotes.iloc[int(k)], values[p]
        rows.append(
            (
                date,
                quote["label"],
                f"{specs.names[p]}: {number(value)} to {number(value + quote[specs.names[p]])}",
                "yes" if quote["error_exact"] <= PREDICTED else "no",
                quote["error_exact"],
                quote["mark"],
            )
        )
    moves, error = Column("moves most", is_whole=True), Column("error of the prediction", share)
    columns = ("date", Column("without", "s"), moves, "predicted", error, "mark")
    last = "the last day that is" if len(rows) == 1 else f"the last {len(rows)} days that are"
    caption = (
        f"Largest change without a quote, {last} not green: predicted "
        "means to within a quarter, with the exact Hessian"
    )
    return table(caption, columns, rows)


def _profiles(study: Study, dates: list[pd.Timestamp]) -> Table:
    """Each day's profile intervals beside those of the delta method."""
    level, keys, names = study.profiles["level"].max(), ["date", "parameter"], study.specs.names
    delta = study.intervals[study.intervals["scale"] == "mse"]
    delta = delta.merge(study.parameters[[*keys, "is_identified"]], on=keys)
    by_profile, by_delta = (
        frame[(frame["level"] == level) & frame["date"].isin(dates)].set_index(keys)
        for frame in (study.profiles, delta)
    )
    rows = [
        (date, by, *(_cell(frame, (date, name)) for name in names))
        for date in dates
        for by, frame in (("profile", by_profile), ("delta", by_delta))
    ]
    marks = ", ".join(f"{letter}: {words}" for letter, _, _, words in MARKS)
    return table(
        f"{percent(level, 0)} intervals of the same days by profile, which follows the fit, and by "
        f"delta method (-: none, at a bound; {marks})",
        ("date", "by", *(Column(name, ".3g") for name in names)),
        rows,
    )


def _cell(frame: pd.DataFrame, key: tuple[pd.Timestamp, str]) -> Cell:
    if key not in frame.index:
        return None
    row = frame.loc[key]
    letters = [letter for letter, name, bad, _ in MARKS if row.get(name, not bad) == bad]
    return Noted(Range(row["low"], row["high"]), ", ".join(letters))
