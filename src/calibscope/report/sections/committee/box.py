"""The box on top: may the latest calibration be used, why, what to do, and the parameters."""

from calibscope.base.numbers import PERCENT, estimate, number, percent
from calibscope.report.document import (
    Block,
    Box,
    Callout,
    Cell,
    Column,
    Listing,
    Noted,
    Range,
    Table,
    table,
)
from calibscope.report.sections.committee.verdict import points, verdict
from calibscope.study.statistics.stored_day import StoredDay
from calibscope.study.study import Study

MARKS = {"not identified": "not identified", "collapsed": "collapsed", "gap": "with a gap"}


def box_of(study: Study, day: StoredDay) -> Box:
    """All that a reader of one minute needs."""
    reasons, actions = points(study, day)
    is_calibrated = study.days["date"].iloc[-1] == day.date
    return Box(
        rag=day.rag if is_calibrated else "grey",
        title=f"Valuation date {study.days['date'].iloc[-1]:%Y-%m-%d}",
        verdict=verdict(study, day),
        lists=(
            Listing("Why", reasons),
            Listing("What to do", actions),
        ),
        blocks=(parameter_table(study, day), *_unfinished(study)),
    )


def _unfinished(study: Study) -> tuple[Block, ...]:
    return (Callout(study.unfinished_run),) if study.unfinished_run else ()


def parameter_table(study: Study, day: StoredDay) -> Table:
    """Best fit with its interval, best plausible fit, and what changed in about a quarter."""
    level = percent(day.level, 0)
    method = "profile" if day.is_profiled else "delta"
    columns = [
        Column("parameter", is_whole=True),
        Column("what it is"),
        Column("best fit", estimate),
        Column(f"{level} interval ({method})", ".3g"),
        Column("best plausible fit", estimate),
    ]
    rows: list[list[Cell]] = []
    for name, row in day.parameters.iterrows():
        best: Cell = row["estimate"]
        if row["at_bound"] == row["at_bound"] and row["at_bound"] != 0:
            best = Noted(float(row["estimate"]), "at its bound")
        mark = next((words for key, words in MARKS.items() if key in str(row["mark"])), "")
        ends = Noted(Range(row["low"], row["high"]), mark)
        rows.append([str(name), study.specs[str(name)].label, best, ends, row["plausible"]])
    fit = day.row
    rows.append(["RMSRE", "pricing errors", percent(fit["rmsre"]), "",
                 percent(fit["plausible_rmsre"])])  # fmt: skip
    if day.before is not None:
        columns.append(Column(f"change since {day.before:%Y-%m-%d}", "s"))
        for cells, (_, row) in zip(rows, day.parameters.iterrows(), strict=False):
            cells.append(number(row["estimate"] - row["before"], "+.2g"))
        moved = fit["rmsre"] - day.before_rmsre
        rows[-1].append(f"{PERCENT.number(moved, '+.2f')} percentage points")
    caption = f"Parameters of {day.date:%Y-%m-%d}"
    return table(caption, columns, rows)
