"""What the report of a study says of intervals: by profile where they are stored, else by delta."""

import pandas as pd

from calibscope.base.numbers import counted, percent
from calibscope.report.document import Block, Column, Table, percents
from calibscope.report.sections.study_blocks import framed
from calibscope.study import statistics
from calibscope.study.statistics.interval_shares import delta_scale
from calibscope.study.study import Study

ALL = "`calibscope run ... --profiles all` profiles the others."


def interval_blocks(study: Study) -> list[Block | str]:
    """How many days have which intervals, what to do, and a table for each method."""
    days, profiled = len(study.fitted), study.profiles["date"].nunique()
    return [
        _sentence(study, days, profiled),
        "Next: take profile intervals for a decision, and give no delta interval without its mark: "
        "no flag tells where it is wrong. `calibscope day` with a date has the profiles of the "
        f"day, with their marks{f'; {ALL}' if 0 < profiled < days else '.'}",
        *([_by_profile(study, profiled)] if profiled else []),
        *([_by_delta(study, days - profiled)] if profiled < days else []),
    ]


def _sentence(study: Study, days: int, profiled: int) -> str:
    if not profiled:
        return "No day has profile intervals: all that follow are the delta method's."
    shares = _at_the_widest(study).set_index("parameter")
    second, wrong = shares["second_minimum"], shares["contradicted"].dropna()
    verb = "has" if profiled == 1 else "have"
    text = f"{counted(profiled, 'day')} of {days:,} {verb} profile intervals"
    if len(wrong):
        text += (
            f", which contradict {percent(wrong.max(), 0)} of the delta intervals for "
            f"{wrong.idxmax()}"
        )
        text += f" and {percent(wrong.min(), 0)} for {wrong.idxmin()}" if len(wrong) > 1 else ""
    text += (
        f"; another local minimum is inside that of {second.idxmax()} on "
        f"{percent(second.max(), 0)} of these days."
    )
    return text if profiled == days else f"{text} The other days have delta intervals alone."


def _at_the_widest(study: Study) -> pd.DataFrame:
    shares = statistics.profile_shares(study)
    return shares[shares["level"] == shares["level"].max()]


def _by_profile(study: Study, profiled: int) -> Table:
    shares = _at_the_widest(study)
    scale = ", ".join(shares["scale"].unique())
    return framed(
        f"Intervals at {percent(shares['level'].max(), 0)} by profile (scale {scale}), share of "
        f"{counted(profiled, 'day')}",
        shares,
        {
            "parameter": Column("parameter"),
            **percents(".1f", contradicted="of the delta intervals contradicted"),
            **percents(".1f", second_minimum="second minimum inside", with_gap="with a gap"),
            **percents(".1f", full_range="from bound to bound"),
        },
    )


def _by_delta(study: Study, days: int) -> Table:
    shares = statistics.interval_shares(study, is_profiled=False)
    level, scale = shares["level"].max(), delta_scale(study)
    return framed(
        f"Uninformative intervals at {percent(level, 0)} by delta method (scale {scale}), share of "
        f"the {counted(days, 'day')} without profiles",
        shares[(shares["scale"] == scale) & (shares["level"] == level)],
        {
            "parameter": Column("parameter"),
            **percents(".1f", no_interval="none (at a bound)"),
            **percents(".1f", collapsed="collapsed (rank lost)", full_range="full range"),
            **percents(".1f", not_identified="not identified"),
        },
    )
