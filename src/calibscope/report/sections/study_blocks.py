"""Tables and sentences of a study that both its report and its page in the terminal have."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pandas as pd

from calibscope.base.numbers import PERCENT, counted, number, percent
from calibscope.diagnosis.settings import USUAL
from calibscope.report.document import Block, Cell, Column, Noted, Table, table
from calibscope.study import statistics
from calibscope.study.metrics import METRICS, RMSRE_AMBER
from calibscope.study.rag import STATUS, WARNINGS
from calibscope.study.screening import RULES as SCREENING_RULES
from calibscope.study.study import Study

NEAR_ONE = USUAL.leverage_near_one
VARIANTS = {
    "edof": "as in the paper",
    "edof_scaled": "by logarithms",
    "edof_strict": "all bounds held",
}
LEVELS = 3  # of EDoF, the highest
LARGEST = {
    "largest_leverage": Column("max leverage", ".2f"),
    "largest_influence": Column("max influence", ".2g"),
    "largest_residual": Column("largest residual", "+.1f", PERCENT),
}


def records(frame: pd.DataFrame) -> list[dict[Any, Any]]:
    """A dictionary per row."""
    return list(frame.to_dict("records"))


def framed(caption: str, frame: pd.DataFrame, columns: Mapping[str, Column]) -> Table:
    """A table of these columns of a frame."""
    return table(
        caption, list(columns.values()), zip(*(frame[name] for name in columns), strict=True)
    )


def fit_sentence(study: Study) -> str:
    """How well the days are met."""
    rmsre = study.fitted["rmsre"]
    above = counted(int((rmsre > RMSRE_AMBER).sum()), "day")
    return (
        f"The median RMSRE is {percent(rmsre.median())}, the highest {percent(rmsre.max())}; it is "
        f"above {PERCENT.text(RMSRE_AMBER)} on {above}."
    )


def rag_sentence(study: Study) -> str:
    """How many days are green, amber and red, and how many have no results."""
    counts = study.rag["rag"].value_counts()
    unknown = int(counts.get("grey", 0))
    text = ", ".join(
        f"{counted(int(counts[name]), 'day is', 'days are')} {name}"
        for name in ("green", "amber", "red")
        if name in counts
    )
    more = counted(unknown, "more has no results", "more have no results")
    return f"{text or 'No day has results'}{f'; {more}' if text and unknown else ''}."


def red_days(study: Study) -> pd.DataFrame:
    """Ratings of the days that are red."""
    return study.rag[study.rag["rag"] == "red"]


def red_day_table(
    study: Study, listed: int, cell: Callable[[pd.Timestamp], Cell] = lambda date: date
) -> Table | str:
    """The last red days, why they are red, and what their challenger fits found.

    Parameters
    ----------
    cell : what is shown of a date, such as a way to its panel
    """
    red = red_days(study)
    if red.empty:
        return "No day is red."
    looks = study.challenger_fits
    without = looks[looks["variant"] == "without"].set_index("date")
    rows = [
        (cell(day["date"]), day["reasons"], *_challenger(without, day["date"], study.estimates))
        for day in records(red.tail(listed))
    ]
    columns = (
        Column("date", is_whole=True),
        "why",
        "calibrated without",
        Column("RMSRE then", ".2f", PERCENT, is_extra=True),
        Column("moves most", is_whole=True),
    )
    ones = "one" if len(red) == 1 else "ones"
    caption = f"Days that need review: {_last_of(len(rows), len(red))} red {ones}"
    return table(caption, columns, rows)


def amber_day_table(
    study: Study, listed: int, cell: Callable[[pd.Timestamp], Cell] = lambda date: date
) -> Table | str:
    """The last amber days, and why they are amber.

    Parameters
    ----------
    cell : what is shown of a date, such as a way to its panel
    """
    amber = study.rag[study.rag["rag"] == "amber"]
    if amber.empty:
        return "No day is amber."
    rows = [(cell(day["date"]), day["reasons"]) for day in records(amber.tail(listed))]
    columns = (Column("date", is_whole=True), "why")
    return table(f"Amber days: {_last_of(len(rows), len(amber))}", columns, rows)


def _last_of(shown: int, count: int) -> str:
    """How many of them a table has: all, or the last ones."""
    return f"all {count:,}" if shown == count else f"the last {shown} of {count:,}"


def rule_table(study: Study) -> Table:
    """The rules of the RAG statuses, on how many days each applies, and how many it decides."""
    rows = [(*counts, *limits, text) for text, limits, counts in _rules(study)]
    columns = (
        Column("amber days", ",.0f"), Column("red days", ",.0f"), Column("alone", ",.0f"),
        Column("amber from", "s"), Column("red from", "s"), Column("rule"),
    )  # fmt: skip
    open_days = counted(int((study.rag["notes"] != "").sum()), "day is", "days are")
    caption = (
        "Rules of the RAG statuses, the days on which each applies, and those whose colour it "
        f"decides alone ({open_days} not screened: too little history before)"
    )
    return table(caption, columns, rows)


def _rules(study: Study) -> Iterator[tuple[str, tuple[str, str], tuple[int, int, int]]]:
    """Every rule in words, its limits, and its counts of days."""
    rules = study.settings.governance
    own = {metric.name: metric.described for metric in METRICS if metric.per == "day"}
    known = {**own, **study.described_metrics}
    counts = _rule_counts(study)
    yield "the fit is not an optimum, or far from its quotes", ("", "any"), counts(STATUS)
    for rule, (text, is_red) in SCREENING_RULES.items() if rules.screening else ():
        yield text, ("", "any") if is_red else ("any", ""), counts(rule)
    for name, limits in rules.limits.items():
        if limits.amber is not None or limits.red is not None:
            unit = known[name].unit if name in known else ""
            ends = (_limit(limits.amber, unit), _limit(limits.red, unit))
            yield known[name].text if name in known else name, ends, counts(name)
    for flags, ends in ((rules.amber, ("any", "")), (rules.red, ("", "any"))):
        for flag in flags:
            yield known[flag].text if flag in known else flag, ends, counts(flag)
    if rules.warnings:
        text = "the checks found something in the day's data (missing quotes do not count)"
        yield text, ("any", ""), counts(WARNINGS)


def _rule_counts(study: Study) -> Callable[[str], tuple[int, int, int]]:
    """Of a rule: days on which it says amber, says red, and alone decides the colour."""
    raised = study.raised_rules
    decisive = raised.merge(study.rag[["date", "rag"]], on="date")
    decisive = decisive[decisive["colour"] == decisive["rag"]]
    rules_of_day = decisive.groupby("date")["rule"].transform("nunique")
    alone = decisive[rules_of_day == 1].groupby("rule")["date"].nunique()
    days = raised.groupby(["rule", "colour"])["date"].nunique()

    def counts(rule: str) -> tuple[int, int, int]:
        amber, red = (int(days.get((rule, colour), 0)) for colour in ("amber", "red"))
        return amber, red, int(alone.get(rule, 0))

    return counts


def _limit(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    return PERCENT.text(value, "g") if unit in ("relative", "share") else number(value, "g")


def _challenger(
    without: pd.DataFrame, date: pd.Timestamp, estimates: pd.DataFrame
) -> tuple[Cell, ...]:
    """What a day is without its most doubted quote."""
    if date not in without.index:
        return "", "", ""
    look = without.loc[date]
    name = str(look["largest_shift_of"])
    move = f"{name}: {number(estimates.loc[date, name])} to {number(look[name])}"
    return str(look["label"]), look["rmsre"], move


def reference_blocks(study: Study) -> list[Block | str]:
    """The reference dates of the settings that the study has, and the summary of each."""
    there = set(study.days["date"].dt.date)
    every = sorted(study.settings.report.reference_dates.items())
    dates = {f"{date:%Y-%m-%d}": event for date, event in every if date in there}
    if not dates:
        return []
    cases = records(statistics.reference_dates(study, dates))
    columns = (
        Column("date", is_whole=True),
        Column("event", is_whole=True),
        Column("RMSRE", ".2f", PERCENT),
        Column("EDoF", ".0f"),
        *LARGEST.values(),
    )
    rows = [
        (
            case["date"], case["event"], case["rmsre"], case["edof"],
            *(Noted(case[name], str(case[f"{name}_at"])) for name in LARGEST),
        )
        for case in cases
    ]  # fmt: skip
    summaries = (f"**{case['date']:%Y-%m-%d}** {case['summary']}" for case in cases)
    return [table("Reference dates", columns, rows), *summaries]


def leverage_table(study: Study) -> Table:
    """The median leverage of each quote, and how often it all but decides."""
    return framed(
        "Leverage by quote",
        statistics.leverage_by_maturity(study, thresholds=(NEAR_ONE,)),
        {
            "label": Column("quote", "s"),
            "median": Column("median leverage", ".2f", full=1.0),
            f"share_above_{NEAR_ONE:g}": Column(f"days above {NEAR_ONE:g}", ".0f", PERCENT),
        },
    )


def edof_table(study: Study) -> Table:
    """On which share of days each level is reached, in three variants."""
    shares = statistics.edof_levels(study).pivot(index="variant", columns="level", values="share")
    rows: list[tuple[Cell, ...]] = []
    full = len(study.specs.names)
    levels = range(full, max(full - LEVELS, 0), -1)
    for variant, words in VARIANTS.items():
        found: Mapping[Any, float] = shares.fillna(0.0).loc[variant].to_dict()
        rows.append((words, *(found.get(level, 0.0) for level in levels)))
    heads = (Column(f"EDoF {level}", ".0f", PERCENT) for level in levels)
    return table("Effective degrees of freedom, share of days", ("variant", *heads), rows)


def switch_sentence(study: Study) -> str:
    """How often EDoF changes from one day to the next."""
    switches = statistics.edof_switches(study)
    total = int(switches["switches"].sum())
    if not total:
        return "EDoF never switches from one day to the next."
    most = switches.loc[switches["switches"].idxmax()]
    times = counted(total, "time")
    return f"EDoF switches {times}, most often in {most['quarter']} ({most['switches']})."


def bound_table(study: Study) -> Table | str:
    """On which share of days each bound is active."""
    active = statistics.active_constraints(study)
    held = active[active["exact"] > 0].sort_values("exact", ascending=False)
    if held.empty:
        return "No parameter is at a bound."
    rows = [(f"{row['parameter']} = {row['bound']:g}", row["exact"]) for row in records(held)]
    return table("Bounds, share of days", ("bound", Column("active", _tenths, PERCENT)), rows)


def _tenths(value: float) -> str:
    """A percentage, of which a small one is not none."""
    return "below 0.1" if 0 < value < 0.1 else number(value, ".1f")
