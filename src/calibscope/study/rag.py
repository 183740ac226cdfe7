"""RAG statuses: thresholds turn what is known of a day into green, amber or red, with reasons.

A RAG status says whether a person should look, not whether a number is right. The rules are those
of [governance] in the settings; nothing has to be computed again when they change.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Any

from calibscope.base.numbers import number
from calibscope.calibration.solution import Status
from calibscope.study.metric import further_metrics
from calibscope.study.metrics import DAY_METRICS, limited, marks
from calibscope.study.screening import RULES as SCREENING_RULES
from calibscope.study.screening import Suspicion
from calibscope.study.settings import GovernanceSection


class Rag(Enum):
    """Whether a day needs review; a day without results is grey."""

    GREEN = "green"
    AMBER = "amber"
    RED = "red"
    GREY = "grey"


BAD = {status.name for status in (Status.NOT_CONVERGED, Status.NOT_BEST, Status.UNREACHABLE)}
STATUS, NO_RESULT, WARNINGS = "status", "no_result", "warnings"  # rules that are no metric
NOT_SCREENED = "not screened: the history before is too short"


@dataclass(frozen=True, slots=True)
class Raised:
    """A rule that applies to a day."""

    rule: str  # a metric's name, one of screening's rules, or one of those above
    reason: str
    colour: Rag


def raised_rules(
    days: Mapping[str, Sequence[Any]],
    rules: GovernanceSection,
    suspected: Mapping[str, Suspicion] = MappingProxyType({}),
) -> list[tuple[Raised, ...]]:
    """Every rule that applies to each row, in the order in which reasons are given.

    Parameters
    ----------
    days : columns of the table `days`
    suspected : what screening holds against quotes, by date
    """
    names = list(days)
    found = []
    for row in zip(*days.values(), strict=True):
        day = dict(zip(names, row, strict=True))
        found.append(tuple(_raised(day, rules, suspected.get(str(day.get("date"))[:10]))))
    return found


def ratings_of(
    days: Mapping[str, Sequence[Any]],
    rules: GovernanceSection,
    suspected: Mapping[str, Suspicion] = MappingProxyType({}),
) -> list[tuple[Rag, tuple[str, ...]]]:
    """RAG status of every row, and the reasons for it.

    Parameters
    ----------
    days, rules, suspected : as for `raised_rules`
    """
    return [rating(raised) for raised in raised_rules(days, rules, suspected)]


def rating(raised: Sequence[Raised]) -> tuple[Rag, tuple[str, ...]]:
    """The worst colour of the rules that apply to a day, and the reasons for that colour.

    Parameters
    ----------
    raised : of one day
    """
    colours = {one.colour for one in raised}
    worst = next((rag for rag in (Rag.GREY, Rag.RED, Rag.AMBER) if rag in colours), Rag.GREEN)
    return worst, tuple(one.reason for one in raised if one.colour is worst)


def _raised(
    day: Mapping[str, Any], rules: GovernanceSection, suspicion: Suspicion | None
) -> Iterator[Raised]:
    if _is_missing(day.get("rmsre")):
        yield Raised(NO_RESULT, day["reason"], Rag.GREY)
        return
    if day["status"] in BAD:
        yield Raised(STATUS, day["reason"], Rag.RED)
    if suspicion is not None and rules.screening:
        for rule, text in suspicion.held:
            yield Raised(rule, text, Rag.RED if SCREENING_RULES[rule][1] else Rag.AMBER)
    for name, limits in rules.limits.items():
        value: Any = day.get(name)
        colour = None if _is_missing(value) else limits.rag(value)
        if colour is not None:
            yield Raised(name, _reason(name, value, day.get(f"{name}_at")), Rag(colour))
    for flags, rag in ((rules.red, Rag.RED), (rules.amber, Rag.AMBER)):
        for flag in flags:
            if _is_raised(day.get(flag)):
                yield Raised(flag, _words(flag, day), rag)
    if rules.warnings and day.get("warnings"):
        yield Raised(WARNINGS, f"data: {day['warnings']}", Rag.AMBER)


def _reason(name: str, value: float, at: str | None) -> str:
    """In the words of the metric; one that is not here any more is named."""
    metric = limited(DAY_METRICS).get(name) or further_metrics().get(name)
    where = f" at {at}" if at else ""
    return metric.reason(value, at) if metric else f"{name} {number(value)}{where}"


def with_further(
    days: Mapping[str, Sequence[Any]], rows: Mapping[str, Sequence[Any]], key: str
) -> dict[str, list[Any]]:
    """Columns of `days`, and one for each further metric: the entry of largest size, and where.

    Parameters
    ----------
    days : columns of the table `days`
    rows : columns of the table `metrics`
    key : the column by which both know a day
    """
    columns = {name: list(values) for name, values in days.items()}
    place = {day: k for k, day in enumerate(days[key])}
    for day, name, label, value in zip(
        rows[key], rows["metric"], rows["label"], rows["value"], strict=True
    ):
        if _is_missing(value) or day not in place:
            continue
        values = columns.setdefault(name, [None] * len(place))
        labels = columns.setdefault(f"{name}_at", [None] * len(place))
        k = place[day]
        if values[k] is None or abs(value) > abs(values[k]):
            values[k], labels[k] = value, label or None
    return columns


def _words(flag: str, day: Mapping[str, Any]) -> str:
    """A raised flag as a reason: its phrase, or its meaning up to a threshold."""
    metric = marks(DAY_METRICS).get(flag) or further_metrics().get(flag)
    if metric is None:
        return flag
    if metric.phrase:
        return metric.phrase.format_map(day)
    return metric.text.split(" (")[0].split(": above")[0]


def _is_raised(flag: Any) -> bool:
    """Flags of other packages are numbers in the store; pandas' NA is neither."""
    return isinstance(flag, bool | float) and flag == 1


def _is_missing(value: Any) -> bool:
    return value is None or value != value
