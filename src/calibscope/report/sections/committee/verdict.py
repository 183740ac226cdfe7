"""May the latest calibration be used? The answer, why, and what to do: three of each at most.

Reasons and actions are those of the terminal and the workbook. Where there are fewer than three,
what is found of fit, leverage and identification follows.
"""

from collections.abc import Iterator
from typing import NamedTuple

from calibscope.base.numbers import counted, number, percent
from calibscope.diagnosis.settings import USUAL
from calibscope.report.answer import latest_rated, steps_of_study
from calibscope.study.rag import STATUS
from calibscope.study.screening import DOUBTED_QUOTES, LIKELY_WRONG_QUOTE
from calibscope.study.statistics.stored_day import StoredDay
from calibscope.study.study import Study

MOST = 3
VERDICTS = {
    "green": "The calibration of {date} can be used.",
    "amber": "The calibration of {date} can be used once the points below are decided.",
    "red": "Do not use the calibration of {date} before the points below are reviewed.",
}
FIT, LEVERAGE, IDENTIFIED = "fit", "leverage", "identified"
TOPICS = {  # what a rule already speaks of
    "rmsre": FIT, "largest_residual": FIT, "has_outlier": FIT, LIKELY_WRONG_QUOTE: FIT,
    DOUBTED_QUOTES: FIT, STATUS: FIT, "largest_refit_confidence": LEVERAGE,
    "lost_directions": IDENTIFIED, "widest_reach": IDENTIFIED,
}  # fmt: skip


class Point(NamedTuple):
    """Something found, and what to do about it, if anything."""

    reason: str
    action: str = ""


def verdict(study: Study, day: StoredDay) -> str:
    """Whether the calibration can be used, in a sentence."""
    last = study.days.iloc[-1]
    if last["date"] != day.date:
        return (
            f"{last['date']:%Y-%m-%d} has no calibration ({str(last['reason']).rstrip('.')}); "
            f"the latest one is that of {day.date:%Y-%m-%d}."
        )
    return VERDICTS[day.rag].format(date=f"{day.date:%Y-%m-%d}")


def points(study: Study, day: StoredDay) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Reasons and actions, at most three each, the most important ones first."""
    rated = latest_rated(study)
    topics = {TOPICS.get(one.rule) for one in rated.raised}
    further = [point for topic, point in _further(day) if topic not in topics]
    reasons = (*map(_sentence, rated.reasons), *(point.reason for point in further))
    steps = (*steps_of_study(study, rated), *(point.action for point in further if point.action))
    return reasons[:MOST], steps[:MOST]


def _further(day: StoredDay) -> Iterator[tuple[str, Point]]:
    """What is found where no rule applies."""
    row, leverage = day.row, day.leverage
    first, worst = leverage.idxmax(), row["largest_residual_at"]
    yield (
        FIT,
        Point(
            f"The fit is within the limits: RMSRE {percent(row['rmsre'])}, largest error "
            f"{percent(row['largest_residual'], 1, '+')} at {worst}.",
            f"Compare {worst}, which is met worst, with another source.",
        ),
    )
    near = leverage[first] >= USUAL.leverage_near_one
    pulls = "is nearly forced through" if near else "depends most on"
    yield (
        LEVERAGE,
        Point(
            f"The fit {pulls} {first} (leverage {number(leverage[first], '.2f')}).",
            f"Check {first} before any other quote: an error there goes into the parameters and "
            "hardly shows as a residual.",
        ),
    )
    if not row["lost_directions"]:
        yield (
            IDENTIFIED,
            Point(
                f"The quotes identify {every_parameter(len(day.parameters))}.",
            ),
        )


def every_parameter(count: int) -> str:
    """All of them, in natural words."""
    few = {1: "the parameter", 2: "both parameters"}
    return few.get(count) or f"all {counted(count, 'parameter')}"


def _sentence(words: str) -> str:
    """A reason as a sentence."""
    return f"{words[:1].upper()}{words[1:].rstrip('.')}."
