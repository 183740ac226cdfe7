"""How good is the fit: of the latest day, and over time."""

from calibscope.base.numbers import counted, percent
from calibscope.report.document import Section, section
from calibscope.report.drawings.quote_bars import price_errors
from calibscope.report.drawings.rmsre import rmsre_over_time
from calibscope.report.sections.committee.days import day_table
from calibscope.study.statistics.periods import is_small
from calibscope.study.statistics.stored_day import StoredDay
from calibscope.study.study import Study


def fit(study: Study, day: StoredDay) -> Section:
    """The answer, the latest day by quote, and the history."""
    rmsre = study.fitted["rmsre"]
    better = int((rmsre < day.row["rmsre"]).sum())
    if is_small(study):
        return section(
            "fit", "Fit", day_table(study, "How each day is met"), price_errors(study, day)
        )
    return section(
        "fit",
        "Fit",
        f"The latest day is met to {percent(day.row['rmsre'])} (RMSRE), better than on "
        f"{percent(1 - better / len(rmsre), 0)} of {counted(len(rmsre), 'day')}. A small error is "
        "necessary and not sufficient: the next two sections say what the quotes determine.",
        price_errors(study, day),
        rmsre_over_time(study),
    )
