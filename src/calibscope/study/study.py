"""`cs.open_study`: the results of a history, as tidy tables."""

import datetime
import json
from dataclasses import fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Table

from calibscope.base.numbers import counted
from calibscope.base.parameters import Specs
from calibscope.base.spelling import choose_from
from calibscope.market.day import MarketDay, parsed_date
from calibscope.models.model import DEFAULT, GROUP, Model, model_named, model_names
from calibscope.study import schema
from calibscope.study.contradictions import with_contradictions
from calibscope.study.damage import check_rows
from calibscope.study.errors import StoreError
from calibscope.study.further_fits import with_parameters
from calibscope.study.market_days import market_day
from calibscope.study.metric import DescribedMetric
from calibscope.study.rag import NOT_SCREENED, Raised, raised_rules, rating, with_further
from calibscope.study.restated import Restatement, restated
from calibscope.study.robustness_rows import as_frame
from calibscope.study.rows import read_rows
from calibscope.study.screening import Suspicion, suspicions
from calibscope.study.settings import STORED, StudySettings
from calibscope.study.store import fitted_models, opened_for_reading

if TYPE_CHECKING:
    import pandas as pd


class Study:
    """A store of results, read on demand; each table is a DataFrame.

    Rows are those of the current days of one model, `model`; `of` has those of the other `models`,
    and `statistics.model_comparison` compares all. `superseded` has the days that were computed
    again since. What a day without results lacks is missing (NaN or NA), never zero. Everything
    that is read is checked against its hashes; `StoreError` names damaged days.
    """

    def __init__(self, path: str | Path, model: str | None = None) -> None:
        self.path = Path(path)
        with opened_for_reading(self.path) as connection:  # refuses what is not a store
            self.models = fitted_models(connection)
        if model is not None and model not in self.models:
            raise StoreError(
                f"{path}: has no results of the model {model!r}; {choose_from(self.models, model)}"
            )
        self.model = model or (*self.models, DEFAULT)[0]

    def of(self, model: str) -> "Study":
        """The results of another model of this store.

        Parameters
        ----------
        model : one of `models`

        Returns
        -------
        Study
            of the same store
        """
        return Study(self.path, model)

    def __repr__(self) -> str:
        if self.days.empty:
            return f"Study({self.path.name}: no days)"
        first, last = self.days["date"].iloc[0].date(), self.days["date"].iloc[-1].date()
        label = "synthetic, " if self.is_synthetic else ""
        lost = len(self.days) - len(self.fitted)
        without = f", {lost:,} without results" if lost else ""
        days = counted(len(self.days), "day")
        return f"Study({self.path.name}: {label}{days}{without}, {first} to {last})"

    @cached_property
    def runs(self) -> "pd.DataFrame":
        """The audit trail: one row per run, with settings, versions, hashes and times."""
        return self._table(schema.runs)

    @cached_property
    def _settings(self) -> list[StudySettings]:
        """Those of each run."""
        return [
            StudySettings.model_validate(json.loads(text), context=STORED)
            for text in self.runs["settings"]
        ]

    @cached_property
    def _all_days(self) -> "pd.DataFrame":
        frame = self._table(schema.days)
        frame = frame[frame["model"] == self.model]
        return frame.sort_values(["date", "day_id"], ignore_index=True)

    @cached_property
    def days(self) -> "pd.DataFrame":
        """One row per date, oldest first."""
        every = self._all_days
        return every[every["superseded_by"].isna()].reset_index(drop=True)

    @cached_property
    def superseded(self) -> "pd.DataFrame":
        """Former results of days that were computed again, and by which run."""
        every = self._all_days
        return every[every["superseded_by"].notna()].reset_index(drop=True)

    @cached_property
    def fitted(self) -> "pd.DataFrame":
        """The days with results, flags as plain booleans: one that is not known is not raised."""
        frame = self.days[self.days["rmsre"].notna()].reset_index(drop=True)
        marks = frame.select_dtypes("boolean").columns
        return frame.fillna(dict.fromkeys(marks, False)).astype(dict.fromkeys(marks, bool))

    @cached_property
    def quotes(self) -> "pd.DataFrame":
        """Date x label: prices, residual, leverage, influence, studentised residuals."""
        frame = self._of_days(schema.quotes).sort_values(["date", "place"], ignore_index=True)
        return frame.drop(columns="place")

    @cached_property
    def labels(self) -> "pd.DataFrame":
        """label, kind, maturity: every quote of the history, once, in the order of tables.

        By maturity, caps before floors and lower strikes first; other instruments at the end.
        """
        first = self.quotes.drop_duplicates("label")
        rank = first["kind"].map({"cap": 0, "floor": 1}).fillna(2)
        struck = first["strike"].where(first["label"].str.contains("@"))
        keys = first.assign(rank=rank, is_other=rank == 2, struck=struck)
        order = ["is_other", "maturity", "rank", "struck"]
        ordered = keys.sort_values(order, na_position="first", kind="stable", ignore_index=True)
        return ordered[["label", "kind", "maturity"]]

    @cached_property
    def parameters(self) -> "pd.DataFrame":
        """Date x parameter: estimate, standard errors, marks."""
        return self._of_days(schema.parameters)

    @cached_property
    def intervals(self) -> "pd.DataFrame":
        """Date x parameter x scale x level: ends by the delta method, and what contradicts them.

        `is_contradicted` is null where no profile of that scale is stored.
        """
        return with_contradictions(self._of_days(schema.intervals), self.profiles, self.specs)

    @cached_property
    def influence(self) -> "pd.DataFrame":
        """Date x label x parameter: the influence function."""
        return self._of_quotes(schema.influence)

    @cached_property
    def directions(self) -> "pd.DataFrame":
        """Date x number: singular values, the best determined direction first."""
        return self._of_days(schema.directions)

    @cached_property
    def metrics(self) -> "pd.DataFrame":
        """Date x metric x label x parameter: metrics of other packages, "" where not applicable."""
        return self._of_days(schema.metrics)

    @cached_property
    def described_metrics(self) -> dict[str, DescribedMetric]:
        """What those are, by name, as the last run with each knew them."""
        found: dict[str, DescribedMetric] = {}
        names = [one.name for one in fields(DescribedMetric)]
        for text in self.runs["effective_settings"].dropna():
            for metric, known in json.loads(text)["metrics"].items():
                if isinstance(known, dict):
                    found[metric] = DescribedMetric(**{name: known[name] for name in names})
        return found

    @cached_property
    def optima(self) -> "pd.DataFrame":
        """Date x rank: the local optima, best first, where they were asked for."""
        return self._with_parameters(self._of_days(schema.optima), schema.optima, "")

    @cached_property
    def challenger_fits(self) -> "pd.DataFrame":
        """Date x variant: red days fitted without the dominant quote, and with half its weight."""
        table = schema.challenger_fits
        return self._with_parameters(self._of_days(table), table, "largest_shift")

    @cached_property
    def left_out(self) -> "pd.DataFrame":
        """Date x label: the fit without that quote, on every day where that is quick."""
        return self._with_parameters(self._of_quotes(schema.left_out), schema.left_out, "press")

    @cached_property
    def profiles(self) -> "pd.DataFrame":
        """Date x parameter x level: profile intervals of the latest days and those not green."""
        return self._of_days(schema.profiles)

    @cached_property
    def near_optimal(self) -> "pd.DataFrame":
        """Date x parameter: near-optimal ranges of a sample, where several models were fitted."""
        return self._of_days(schema.near_optimal)

    @cached_property
    def failed_refits(self) -> "pd.DataFrame":
        """Date, task and reason: days that could not be fitted again."""
        return self._of_days(schema.failed_refits)

    @cached_property
    def screening(self) -> "pd.DataFrame":
        """Date x label: score, expected vol and verdict of every quote by its past and the others.

        Dates are those of all models.
        """
        frame = self._table(schema.screening)
        return frame.assign(date=frame["date"].astype("datetime64[s]"))

    @cached_property
    def robustness(self) -> "pd.DataFrame":
        """The last comparison of variants that was stored, the baseline first."""
        return as_frame(self._table(schema.robustness), self._table(schema.robustness_moves))

    @cached_property
    def threshold_changes(self) -> "pd.DataFrame":
        """Which run changed which threshold: who, when, from what to what."""
        return self._table(schema.threshold_changes)

    def restated(
        self, date: str | datetime.date, before: int | None = None, after: int | None = None
    ) -> Restatement:
        """What moved when a date was computed again: quotes, parameters, RMSRE.

        Parameters
        ----------
        date : like 2022-07-21
        before, after : numbers of runs; None: the last two that computed the date

        Returns
        -------
        Restatement
            both results side by side, and a summary

        Raises
        ------
        StoreError
            if the date was computed once only, or not by these runs
        """
        return restated(self, self._date(date), before, after)

    @property
    def specs(self) -> Specs:
        """What the parameters of the model are."""
        return self.model_of(self.model).specs

    @property
    def installed_models(self) -> tuple[str, ...]:
        """Those of `models` whose package is here: all of them, as a rule."""
        known = model_names()
        return tuple(name for name in self.models if name in known)

    def model_of(self, name: str) -> type[Model]:
        """A model of the store: its title, its parameters, what it is a special case of.

        Parameters
        ----------
        name : one of `models`

        Returns
        -------
        type[Model]
            the class

        Raises
        ------
        StoreError
            if the package that has it is not installed here
        """
        if name not in model_names():
            raise StoreError(
                f"{self.path}: has results of the model {name}, which is not known here; install "
                f"the package that announces it (entry point {GROUP})"
            )
        return model_named(name)

    @cached_property
    def estimates(self) -> "pd.DataFrame":
        """(days, p) the parameters, one column each, by date."""
        return self._wide("estimate")

    @cached_property
    def plausible_estimates(self) -> "pd.DataFrame":
        """(days, p) the same in the best plausible fit; not a number where there is none."""
        return self._wide("plausible")

    def _wide(self, column: str) -> "pd.DataFrame":
        wide = self.parameters.pivot(index="date", columns="parameter", values=column)
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
        with opened_for_reading(self.path) as connection:
            return market_day(connection, self._date(date), self.model)

    def _date(self, date: str | datetime.date) -> datetime.date:
        wanted, problems = parsed_date(date)
        if wanted is None:
            raise StoreError("; ".join(problems) or "the date is missing; give one like 2022-07-21")
        return wanted

    @property
    def is_synthetic(self) -> bool:
        """Whether any run was on a synthetic market."""
        return bool(self.runs["is_synthetic"].any())

    @property
    def settings(self) -> StudySettings:
        """Those of the last run of this model."""
        return self._last_settings.of(self.model)

    @property
    def _last_settings(self) -> StudySettings:
        """The same, of several models perhaps, and also where the model is not known here."""
        runs = [run for run in self._settings if self.model in run.calibration.models]
        return runs[-1] if runs else StudySettings()

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
        """One row per date: green, amber, red or (without results) grey, the reasons, and notes."""
        import pandas as pd

        found = [rating(raised) for raised in self._raised]
        suspected = self._suspected
        dates = self.days["date"].dt.strftime("%Y-%m-%d")
        is_open = [date in suspected and not suspected[date].is_screened for date in dates]
        return pd.DataFrame(
            {
                "date": self.days["date"],
                "rag": [rag.value for rag, _ in found],
                "reasons": ["; ".join(reasons) for _, reasons in found],
                "notes": [NOT_SCREENED if one else "" for one in is_open],
            }
        )

    @cached_property
    def raised_rules(self) -> "pd.DataFrame":
        """Date, rule, colour and reason: every rule that applies to a day."""
        import pandas as pd

        rows = [
            (date, one.rule, one.colour.value, one.reason)
            for date, raised in zip(self.days["date"], self._raised, strict=True)
            for one in raised
        ]
        frame = pd.DataFrame(rows, columns=["date", "rule", "colour", "reason"])
        return frame.assign(date=frame["date"].astype("datetime64[s]"))

    @cached_property
    def _raised(self) -> list[tuple[Raised, ...]]:
        columns = {name: values.tolist() for name, values in self.days.items()}
        further = {name: values.tolist() for name, values in self.metrics.items()}
        rules = self._last_settings.governance
        return raised_rules(with_further(columns, further, "date"), rules, self._suspected)

    @cached_property
    def _suspected(self) -> dict[str, Suspicion]:
        return suspicions({name: values.tolist() for name, values in self.screening.items()})

    def _of_days(self, table: Table) -> "pd.DataFrame":
        """The rows of current days, with their date first."""
        frame = self.days[["day_id", "date"]].merge(self._table(table), on="day_id")
        frame = frame.drop(columns="day_id")
        return frame.sort_values("date", kind="stable", ignore_index=True)

    @cached_property
    def _further_fits(self) -> "pd.DataFrame":
        return self._of_days(schema.further_fits)

    def _with_parameters(self, frame: "pd.DataFrame", table: Table, before: str) -> "pd.DataFrame":
        """A table of fits with a column per parameter, as far as there are any."""
        names = self.specs.names
        return with_parameters(frame, self._further_fits, table.name, names, before)

    def _of_quotes(self, table: Table) -> "pd.DataFrame":
        """The same for a table by quote, in the order of the quotes, with their maturity."""
        place = self.quotes[["date", "label", "maturity"]].reset_index(names="place")
        frame = self._of_days(table)
        frame = frame.merge(place, on=["date", "label"], how="left").sort_values(
            "place", kind="stable", ignore_index=True
        )
        frame.insert(2, "maturity", frame.pop("maturity"))
        return frame.drop(columns="place")

    def table_of(self, table: Table) -> "pd.DataFrame":
        """Every row of a table, those of superseded days too.

        Parameters
        ----------
        table : of `study/schema.py`

        Returns
        -------
        DataFrame
            by day_id
        """
        return self._table(table)

    def _table(self, table: Table) -> "pd.DataFrame":
        """What was written, or an error that names the days where it is not."""
        with opened_for_reading(self.path) as connection:
            rows = read_rows(connection, table)
            check_rows(self.path, connection, rows)
        return rows.frame()


def open_study(store: str | Path, model: str | None = None) -> Study:
    """Read a study back from its store.

    Parameters
    ----------
    store : file that `run_study` made
    model : whose results, by name; None: those of the model that was fitted first

    Returns
    -------
    Study
        read on demand

    Raises
    ------
    StoreError
        if there is no such file, it is not a store of a study that this version can read, or it
        has no results of this model
    """
    return Study(store, model)
