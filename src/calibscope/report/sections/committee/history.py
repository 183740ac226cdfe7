"""History: which days needed review, and what moved."""

from calibscope.base.numbers import PERCENT, counted
from calibscope.report.document import Block, Column, Linked, Section, Table, section, table
from calibscope.report.drawings.calendar import rag_calendar
from calibscope.report.drawings.parameters import parameter_history
from calibscope.report.sections import study_blocks as shared
from calibscope.report.sections.committee.days import anchor_of
from calibscope.study import statistics
from calibscope.study.statistics.periods import ALL, is_small
from calibscope.study.study import Study

LATEST = 3  # red and amber days, each
MEANING = "A status says whether somebody should look, not whether a number is right."


def history(study: Study) -> Section:
    """Counts, calendar, years and parameters; of a small study, its days."""
    counts = f"{shared.rag_sentence(study)} {MEANING}"
    if is_small(study):
        return section("history", "History", counts, _parameters(study), _reasons(study))
    return section(
        "history",
        "History",
        f"{counts} The appendix lists every red and every amber day with its reasons.",
        rag_calendar(study),
        year_table(study),
        _latest(study),
        parameter_history(study),
    )


def _latest(study: Study) -> Table | None:
    """The last red and the last amber days, which lead to their panels."""
    rated = study.rag[study.rag["date"].isin(study.fitted["date"])]
    rows = [
        (Linked(day["date"], anchor_of(day["date"])), rag, day["reasons"])
        for rag in ("red", "amber")
        for day in shared.records(rated[rated["rag"] == rag].tail(LATEST).iloc[::-1])
    ]
    columns = (Column("date", is_whole=True), "status", "why")
    return table("The latest red and amber days", columns, rows) if rows else None


def year_table(study: Study) -> Table:
    """A row per year: how well, how much is identified, and how many days of each status."""
    fits = statistics.regime_summary(study)
    rated = study.rag.assign(period=study.rag["date"].dt.year.astype(str))
    every = rated.assign(period=ALL)
    counts = {
        name: (rated["rag"] == name).groupby(rated["period"]).sum().to_dict()
        | {ALL: int((every["rag"] == name).sum())}
        for name in ("green", "amber", "red")
    }
    rows = [
        (
            year["period"], year["days"], *(counts[name].get(year["period"], 0) for name in counts),
            year["rmsre_median"], year["edof_full"], year["at_bound"], year["implausible"],
        )
        for year in shared.records(fits)
        if year["period"] != ALL or len(fits) > 2
    ]  # fmt: skip
    columns = (
        Column("year", "s"), Column("days", ",.0f"), *(Column(name, ",.0f") for name in counts),
        Column("median RMSRE", ".2f", PERCENT), Column("all identified", ".0f", PERCENT),
        Column("at a bound", ".0f", PERCENT), Column("implausible", ".0f", PERCENT),
    )  # fmt: skip
    return table("Calibrated days by year, and shares of them", columns, rows)


def _parameters(study: Study) -> Table:
    """The best fit of every day."""
    rows = [
        (Linked(date, anchor_of(date)), *values)
        for date, values in zip(study.estimates.index, study.estimates.to_numpy(), strict=True)
    ]
    columns = (Column("date", is_whole=True), *(Column(name, ".4g") for name in study.specs.names))
    return table("Best fit of every day", columns, rows)


def _reasons(study: Study) -> Block | str:
    """Why days are not green."""
    rated = study.rag[study.rag["rag"] != "green"]
    if rated.empty:
        return "All days are green."
    rows = [
        (Linked(day["date"], anchor_of(day["date"])), day["rag"], day["reasons"])
        for day in shared.records(rated)
    ]
    caption = counted(
        len(rows), "day that is not green, and why", "days that are not green, and why"
    )
    return table(caption, (Column("date", is_whole=True), "status", "why"), rows)
