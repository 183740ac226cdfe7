"""All that a study has stored of one day: of its latest, as a rule, which is to be signed."""

import re
from dataclasses import dataclass

import pandas as pd

from calibscope.study.statistics.interval_shares import delta_scale
from calibscope.study.statistics.own_leverage import own_leverage
from calibscope.study.study import Study

QUARTER = pd.Timedelta(days=91)
NEAR = pd.Timedelta(days=31)  # how far from a quarter ago a day may be to stand for it


@dataclass(frozen=True, slots=True, eq=False)
class StoredDay:
    """All that is stored of the day, and the parameters that it is compared with."""

    row: pd.Series  # of `study.fitted`
    rag: str
    raised: pd.DataFrame  # rule, colour, reason: those of its colour first
    quotes: pd.DataFrame  # by label; with `dfbetas` of largest size and its parameter
    parameters: pd.DataFrame  # by name: estimate, plausible, at_bound, low, high, mark
    level: float  # of the intervals
    is_profiled: bool  # by profile; else by delta method
    before: pd.Timestamp | None  # the day that it is compared with
    before_rmsre: float

    @property
    def date(self) -> pd.Timestamp:
        """The day."""
        return self.row["date"]

    @property
    def leverage(self) -> "pd.Series[float]":
        """Of each quote, on the parameters that could move."""
        return self.quotes["own_leverage"]

    @property
    def summary(self) -> str:
        """The diagnosis in a sentence or two; how far a quote moves it is in the table of quotes.

        The number in the sentence is that of the exact Hessian where there is one, in the table
        that of the linear approximation: one page has one number.
        """
        return re.sub(r" \(Cook's distance [^)]*\)", "", str(self.row["summary"]))


def stored_day(study: Study, date: pd.Timestamp | None = None) -> StoredDay:
    """A day with results.

    Parameters
    ----------
    study : the history
    date : of the day; None: the latest one

    Returns
    -------
    StoredDay
        and the day about three months before; in a shorter or sparser study, the day before
    """
    fitted = study.fitted
    row = fitted.iloc[-1] if date is None else fitted[fitted["date"] == date].iloc[0]
    date = row["date"]
    raised = study.raised_rules
    own = raised[raised["date"] == date]
    rag = str(study.rag.loc[study.rag["date"] == date, "rag"].iloc[0])
    own = own.sort_values("colour", key=lambda colour: colour != rag, kind="stable")
    parameters, level, is_profiled = _parameters(study, date)
    before = _before(study, date)
    if before is not None:
        parameters["before"] = study.estimates.loc[before]
        before_rmsre = float(study.fitted.set_index("date").loc[before, "rmsre"])
    return StoredDay(
        row, rag, own, _quotes(study, date), parameters, level, is_profiled, before,
        before_rmsre if before is not None else float("nan"),
    )  # fmt: skip


def _quotes(study: Study, date: pd.Timestamp) -> pd.DataFrame:
    quotes = study.quotes.assign(own_leverage=own_leverage(study))
    quotes = quotes[quotes["date"] == date].set_index("label")
    moves = study.influence[study.influence["date"] == date].dropna(subset="dfbetas")
    moves = moves.assign(size=moves["dfbetas"].abs()).sort_values("size")
    largest = moves.drop_duplicates("label", keep="last").set_index("label")
    return quotes.assign(dfbetas=largest["dfbetas"], dfbetas_of=largest["parameter"])


def _parameters(study: Study, date: pd.Timestamp) -> tuple[pd.DataFrame, float, bool]:
    """The table of the day, the level of its intervals, and whether they are by profile."""
    frame = study.parameters[study.parameters["date"] == date].set_index("parameter")
    profiles = study.profiles[study.profiles["date"] == date]
    is_profiled = not profiles.empty
    ends = profiles
    if not is_profiled:
        ends = study.intervals[
            (study.intervals["date"] == date) & (study.intervals["scale"] == delta_scale(study))
        ].assign(mark="")
    level = float(ends["level"].max()) if len(ends) else study.settings.diagnosis.level
    ends = ends[ends["level"] == level].set_index("parameter")[["low", "high", "mark"]]
    return frame.join(ends).reindex(list(study.specs.names)), level, is_profiled


def _before(study: Study, date: pd.Timestamp) -> pd.Timestamp | None:
    """The day nearest to three months ago; in a shorter or sparser study, the day before."""
    earlier = study.fitted.loc[study.fitted["date"] < date, "date"]
    if earlier.empty:
        return None
    near = earlier[(earlier - (date - QUARTER)).abs() <= NEAR]
    if near.empty:
        return earlier.iloc[-1]
    return near.loc[(near - (date - QUARTER)).abs().idxmin()]
