"""What moved when a date was computed anew: a vendor restated a quote, or settings changed."""

import datetime
from dataclasses import dataclass
from typing import TYPE_CHECKING

from calibscope.base.numbers import estimate, percent
from calibscope.study import schema
from calibscope.study.errors import StoreError

if TYPE_CHECKING:
    import pandas as pd

    from calibscope.study.study import Study

MOVED = 1e-12  # relative: below, a price is the same
NAMED = 3  # quotes and parameters in the summary


@dataclass(frozen=True, slots=True, eq=False)
class Restatement:
    """A date as two runs have it."""

    date: datetime.date
    runs: tuple[int, int]  # before, after
    rmsre: tuple[float, float]
    quotes: "pd.DataFrame"  # label, price_before, price_after, change, leverage_before, ..._after
    parameters: "pd.DataFrame"  # parameter, before, after, shift (in standard errors of before)
    has_other_settings: bool

    @property
    def summary(self) -> str:
        """What changed in the data, and what that did, in two or three sentences."""
        before, after = self.runs
        moved = self.quotes[self.quotes["change"].abs().fillna(1.0) > MOVED]
        moved = moved.sort_values("change", key=abs, ascending=False)
        if moved.empty:
            text = f"Runs {before} and {after} have the same quotes on {self.date}."
        else:
            named = [
                f"{row.label} {percent(row.change, 2, '+')}"
                if row.change == row.change
                else f"{row.label} {'added' if row.price_before != row.price_before else 'gone'}"
                for row in moved.head(NAMED).itertuples()
            ]
            more = f" and {len(moved) - NAMED} more" if len(moved) > NAMED else ""
            text = f"Run {after} has other quotes than run {before} on {self.date}: "
            text += f"{', '.join(named)}{more}."
        if self.has_other_settings:
            text += " The settings differ too."
        far = self.parameters.assign(size=self.parameters["shift"].abs())
        far = far.sort_values("size", ascending=False).head(NAMED)
        text += f" RMSRE went from {percent(self.rmsre[0])} to {percent(self.rmsre[1])}; "
        parts = (f"{row.parameter} from {estimate(row.before)} to {estimate(row.after)}"
                 for row in far.itertuples())  # fmt: skip
        return f"{text}{', '.join(parts)}."


def restated(
    study: "Study", date: datetime.date, before: int | None = None, after: int | None = None
) -> Restatement:
    """Compare two results of a date.

    Parameters
    ----------
    study : with the date
    date : computed more than once
    before, after : numbers of runs; None: the last two that computed it
    """
    import pandas as pd

    every = pd.concat([study.superseded, study.days])
    every = every[(every["date"] == pd.Timestamp(date)) & every["rmsre"].notna()]
    every = every.sort_values("day_id").drop_duplicates("run_id", keep="last").set_index("run_id")
    known = [int(run) for run in every.index]
    wanted = [known[-2] if before is None and len(known) > 1 else before,
              known[-1] if after is None and known else after]  # fmt: skip
    missing = [str(run) for run in wanted if run not in known]
    if len(known) < 2 or missing:
        computed = f"it was computed by run {', '.join(map(str, known))}" if known else "no results"
        raise StoreError(
            f"{date}: there are no two results to compare ({computed}); a date is computed again "
            "when its quotes or the settings change"
        )
    first, second = (every.loc[run] for run in wanted)
    quotes, parameters = (
        _side_by_side(study.table_of(table), [int(first["day_id"]), int(second["day_id"])], key)
        for table, key in ((schema.quotes, "label"), (schema.parameters, "parameter"))
    )
    quotes["change"] = quotes["market_price_after"] / quotes["market_price_before"] - 1.0
    quotes = quotes.rename(columns=lambda name: name.replace("market_price", "price"))
    parameters["shift"] = (
        parameters["estimate_after"] - parameters["estimate_before"]
    ) / parameters["se_mad_adjusted_before"]
    return Restatement(
        date,
        (int(wanted[0] or 0), int(wanted[1] or 0)),
        (float(first["rmsre"]), float(second["rmsre"])),
        quotes[["label", "price_before", "price_after", "change", "leverage_before",
                "leverage_after", "residual_before", "residual_after"]],
        parameters.rename(columns={"estimate_before": "before", "estimate_after": "after"})[
            ["parameter", "before", "after", "shift"]
        ],
        bool(first["settings_hash"] != second["settings_hash"]),
    )  # fmt: skip


def _side_by_side(frame: "pd.DataFrame", days: list[int], key: str) -> "pd.DataFrame":
    """The rows of two days beside each other, in the order of the table."""
    first, second = (frame[frame["day_id"] == day].drop(columns="day_id") for day in days)
    order = {name: place for place, name in enumerate(dict.fromkeys([*first[key], *second[key]]))}
    both = first.merge(second, on=key, how="outer", suffixes=("_before", "_after"))
    return both.sort_values(key, key=lambda names: names.map(order), ignore_index=True)
