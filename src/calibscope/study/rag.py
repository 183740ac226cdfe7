"""RAG statuses: thresholds turn what is known of a day into green, amber or red, with reasons.

A RAG status says whether a person should look, not whether a number is right. The rules are those
of [governance] in the settings; nothing has to be computed again when they change.
"""

from collections.abc import Mapping, Sequence
from enum import Enum
from types import MappingProxyType
from typing import Any

from calibscope.base.numbers import number
from calibscope.calibration.solution import Status
from calibscope.study.metric import further_metrics
from calibscope.study.metrics import DAY_METRICS, limited, marks
from calibscope.study.screening import Suspicion
from calibscope.study.settings import GovernanceSection


class Rag(Enum):
    """Whether a day needs review; a day without results is grey."""

    GREEN = "green"
    AMBER = "amber"
    RED = "red"
    GREY = "grey"


BAD = {status.name for status in (Status.NOT_CONVERGED, Status.NOT_BEST, Status.UNREACHABLE)}


def ratings_of(
    days: Mapping[str, Sequence[Any]],
    rules: GovernanceSection,
    suspected: Mapping[str, Suspicion] = MappingProxyType({}),
) -> list[tuple[Rag, tuple[str, ...]]]:
    """RAG status of every row, and the reasons for it.

    Parameters
    ----------
    days : columns of the table `days`
    suspected : what screening holds against quotes, by date
    """
    names = list(days)
    found = []
    for row in zip(*days.values(), strict=True):
        day = dict(zip(names, row, strict=True))
        found.append(_rag(day, rules, suspected.get(str(day.get("date"))[:10])))
    return found


def _rag(
    day: Mapping[str, Any], rules: GovernanceSection, suspicion: Suspicion | None
) -> tuple[Rag, tuple[str, ...]]:
    if _is_missing(day.get("rmsre")):
        return Rag.GREY, (day["reason"],)
    if day["status"] in BAD:
        return Rag.RED, (day["reason"],)
    reasons = _reasons(day, rules)
    if suspicion is not None and rules.screening:
        reasons = [(text, suspicion.is_named) for text in suspicion.reasons] + reasons
    red = [text for text, is_red in reasons if is_red]
    if red:
        return Rag.RED, tuple(red)
    return (Rag.AMBER, tuple(text for text, _ in reasons)) if reasons else (Rag.GREEN, ())


def _reasons(day: Mapping[str, Any], rules: GovernanceSection) -> list[tuple[str, bool]]:
    """What exceeds a limit, and whether the red one; last what the checks found in the data."""
    found: list[tuple[str, bool]] = []
    for name, limits in rules.limits.items():
        value: Any = day.get(name)
        rag = None if _is_missing(value) else limits.rag(value)
        if rag is not None:
            found.append((_reason(name, value, day.get(f"{name}_at")), rag == "red"))
    for flags, is_red in ((rules.red, True), (rules.amber, False)):
        found += [(_words(flag, day), is_red) for flag in flags if _is_raised(day.get(flag))]
    if rules.warnings and day.get("warnings"):
        found.append((f"data: {day['warnings']}", False))
    return found


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
