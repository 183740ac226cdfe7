"""RAG statuses: thresholds turn what is known of a day into green, amber or red, with reasons.

A RAG status says whether a person should look, not whether a number is right. The rules are those
of [governance] in the settings; nothing has to be computed again when they change.
"""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

from calibscope.calibration.solution import Status
from calibscope.diagnosis.flags import MEANINGS
from calibscope.study.settings import GovernanceSection


class Rag(Enum):
    """Whether a day needs review."""

    GREEN = "green"
    AMBER = "amber"
    RED = "red"


# How a reason reads; other columns of `days` are given by their name.
PHRASES = {
    "rmsre": "RMSRE {value:.2%}",
    "largest_residual": "residual {value:+.1%} at {at}",
    "largest_leverage": "leverage {value:.3f} at {at}",
    "largest_influence": "influence score {value:.3g} at {at}",
    "largest_cooks_distance": "Cook's distance {value:.3g} at {at}",
    "largest_studentized": "studentised residual {value:+.1f} at {at}",
    "lost_directions": "parameter combinations not identified: {value:.0f}",
    "gauss_newton_error": "linear approximation up to {value:.0%} off",
}
BAD = {status.name for status in (Status.NOT_CONVERGED, Status.NOT_BEST, Status.UNREACHABLE)}


def ratings_of(
    days: Mapping[str, Sequence[Any]], rules: GovernanceSection
) -> list[tuple[Rag, tuple[str, ...]]]:
    """RAG status of every row, and the reasons for it.

    Parameters
    ----------
    days : columns of the table `days`
    """
    names = list(days)
    return [
        _rag(dict(zip(names, row, strict=True)), rules) for row in zip(*days.values(), strict=True)
    ]


def _rag(day: Mapping[str, Any], rules: GovernanceSection) -> tuple[Rag, tuple[str, ...]]:
    if _is_missing(day.get("rmsre")) or day["status"] in BAD:
        return Rag.RED, (day["reason"],)
    red = [text for text, is_red in _reasons(day, rules) if is_red]
    if red:
        return Rag.RED, tuple(red)
    amber = [text for text, _ in _reasons(day, rules)]
    return (Rag.AMBER, tuple(amber)) if amber else (Rag.GREEN, ())


def _reasons(day: Mapping[str, Any], rules: GovernanceSection) -> list[tuple[str, bool]]:
    """What exceeds a limit, and whether the red one."""
    found = []
    for name, limits in rules.limits.items():
        value: Any = day.get(name)
        rag = None if _is_missing(value) else limits.rag(value)
        if rag is not None:
            phrase = PHRASES.get(name, f"{name} {{value:.3g}}")
            text = phrase.format(value=value, at=day.get(f"{name}_at"))
            found.append((text, rag == "red"))
    for flags, is_red in ((rules.red, True), (rules.amber, False)):
        found += [(name_of(flag), is_red) for flag in flags if day.get(flag) is True]
    return found


def name_of(flag: str) -> str:
    """A flag's meaning up to its threshold, for a reason."""
    return MEANINGS[flag].split(" (")[0].split(": above")[0]


def _is_missing(value: Any) -> bool:
    return value is None or value != value
