"""`cs.open_study`: the results of a history, as tidy tables."""

import datetime
import json
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Table

from calibscope.base.parameters import Specs
from calibscope.market.day import MarketDay, parsed_date
from calibscope.study import schema
from calibscope.study.damage import check_rows
from calibscope.study.errors import StoreError
from calibscope.study.market_days import market_day
from calibscope.study.model import SPECS
from calibscope.study.rag import ratings_of
from calibscope.study.rows import read_rows
from calibscope.study.settings import StudySettings
from calibscope.study.store import opened_for_reading

if TYPE_CHECKING:
    import pandas as pd


class Study:
    """A store of results, read when asked for; each table is a DataFrame.

    Rows are those of current days; `superseded` has the days that were computed anew since. What a
    day without results lacks is missing (NaN or NA), never zero. What is read is checked against
    its hashes: where it is not what was written, `StoreError` names the days.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        with opened_for_reading(self.path):
            pass  # a file that is not a store is refused here, not later

    def __repr__(self) -> str:
        if self.days.empty:
            return f"Study({self.path.name}: no days)"
        first, last = self.days["date"].iloc[0].date(), self.days["date"].iloc[-1].date()
        label = "synthetic, " if self.is_synthetic else ""
        lost = len(self.days) - len(self.fitted)
        without = f", {lost:,} without results" if lost else ""
        return (
            f"Study({self.path.name}: {label}{len(self.days):,} days{without}, {first} to {last})"
        )

    @cached_property
    def runs(self) -> "pd.DataFrame":
        """The audit trail: one row per run, with settings, versions, hashes and times."""
        return self._table(schema.runs)

    @cached_property
    def _all_days(self) -> "pd.DataFrame":
        frame = self._table(schema.days)
        return frame.sort_values(["date", "day_id"], ignore_index=True)

    @cached_property
    def days(self) -> "pd.DataFrame":
        """One row per date, oldest first."""
        every = self._all_days
        return every[every["superseded_by"].isna()].reset_index(drop=True)

    @cached_property
    def superseded(self) -> "pd.DataFrame":
        """Former results of days that were computed anew, and by which run."""
        every = self._all_days
        return every[every["superseded_by"].notna()].reset_index(drop=True)

    @cached_property
    def fitted(self) -> "pd.DataFrame":
        """The days with results, flags as plain booleans."""
        frame = self.days[self.days["rmsre"].notna()].reset_index(drop=True)
        marks = frame.select_dtypes("boolean").columns
        return frame.astype(dict.fromkeys(marks, bool))

    @cached_property
    def quotes(self) -> "pd.DataFrame":
        """Date x maturity: prices, residual, leverage, influence, studentised residuals."""
        return self._of_days(schema.quotes)

    @cached_property
    def parameters(self) -> "pd.DataFrame":
        """Date x parameter: estimate, standard errors, marks."""
        return self._of_days(schema.parameters)

    @cached_property
    def intervals(self) -> "pd.DataFrame":
        """Date x parameter x scale x level: low and high end, and where they were cut."""
        return self._of_days(schema.intervals)

    @cached_property
    def influence(self) -> "pd.DataFrame":
        """Date x maturity x parameter: the influence function."""
        return self._of_days(schema.influence)

    @cached_property
    def optima(self) -> "pd.DataFrame":
        """Date x rank: the local optima, best first, where they were asked for."""
        return self._of_days(schema.optima)

    @cached_property
    def challenger_fits(self) -> "pd.DataFrame":
        """Date x variant: red days fitted without the dominant quote, and with half its weight."""
        return self._of_days(schema.challenger_fits)

    @cached_property
    def left_out(self) -> "pd.DataFrame":
        """Date x maturity: the fit without that quote, where refits were asked for."""
        return self._of_days(schema.left_out)

    @cached_property
    def profiles(self) -> "pd.DataFrame":
        """Date x parameter x level: profile intervals, where refits were asked for."""
        return self._of_days(schema.profiles)

    @cached_property
    def failed_refits(self) -> "pd.DataFrame":
        """Date and reason: days that could not be fitted again where that was asked for."""
        return self._of_days(schema.failed_refits)

    @cached_property
    def robustness(self) -> "pd.DataFrame":
        """The last comparison of variants that was stored, the baseline first."""
        return self._table(schema.robustness).drop(columns="place")

    @property
    def specs(self) -> Specs:
        """What the parameters are."""
        return SPECS

    @cached_property
    def estimates(self) -> "pd.DataFrame":
        """(days, p) the parameters, one column each, by date."""
        wide = self.parameters.pivot(index="date", columns="parameter", values="estimate")
        return wide.reindex(columns=list(self.specs.names)).rename_axis(columns=None)

    def day(self, date: str | datetime.date) -> MarketDay:
        """The quotes and the curve of a date, as they were computed last.

        Parameters
        ----------
        date : like 2022-07-21

        Returns
        -------
        MarketDay
            equal to the last bit to the one that was computed

        Raises
        ------
        StoreError
            if there is no such day, or none whose quotes can be used
        """
        wanted, problems = parsed_date(date)
        if wanted is None:
            raise StoreError("; ".join(problems) or "the date is missing; give one like 2022-07-21")
        with opened_for_reading(self.path) as connection:
            return market_day(connection, wanted)

    @property
    def is_synthetic(self) -> bool:
        """Whether any run was on a synthetic market."""
        return bool(self.runs["is_synthetic"].any())

    @property
    def settings(self) -> StudySettings:
        """Those of the last run."""
        if self.runs.empty:
            return StudySettings()
        return StudySettings.model_validate(json.loads(self.runs["settings"].iloc[-1]))

    @property
    def unfinished_run(self) -> str:
        """A sentence about the newest run if it is not complete; empty if it is."""
        import pandas as pd

        if self.runs.empty or self.runs["outcome"].iloc[-1] == "complete":
            return ""
        run = self.runs.iloc[-1]
        stored = int((self._all_days["run_id"] == run["run_id"]).sum())
        ending = (
            "it is still running or was cut off"
            if pd.isna(run["finished"])
            else f"{run['outcome']} at {run['finished']:%Y-%m-%d %H:%M} UTC"
        )
        return (
            f"The newest run is unfinished: started {run['started']:%Y-%m-%d %H:%M} UTC, {ending}. "
            f"It stored {stored:,} {'day' if stored == 1 else 'days'}. Run the study again to "
            "complete it."
        )

    @cached_property
    def rag(self) -> "pd.DataFrame":
        """One row per date: green, amber or red, and the reasons."""
        import pandas as pd

        columns = {name: values.tolist() for name, values in self.days.items()}
        found = ratings_of(columns, self.settings.governance)
        return pd.DataFrame(
            {
                "date": self.days["date"],
                "rag": [rag.value for rag, _ in found],
                "reasons": ["; ".join(reasons) for _, reasons in found],
            }
        )

    def _of_days(self, table: Table) -> "pd.DataFrame":
        """The rows of current days, with their date first."""
        frame = self.days[["day_id", "date"]].merge(self._table(table), on="day_id")
        frame = frame.drop(columns="day_id")
        return frame.sort_values("date", kind="stable", ignore_index=True)

    def _table(self, table: Table) -> "pd.DataFrame":
        """What was written, or an error that names the days where it is not."""
        with opened_for_reading(self.path) as connection:
            rows = read_rows(connection, table)
            check_rows(self.path, connection, rows)
        return rows.frame()


def open_study(store: str | Path) -> Study:
    """Read a study back from its store.

    Parameters
    ----------
    store : file that `run_study` made

    Returns
    -------
    Study
        read on demand

    Raises
    ------
    StoreError
        if there is no such file, or it is not a store of a study that this version can read
    """
    return Study(store)
