"""May the latest calibration be used? The answer, why, and what to do: three of each at most.

Every rule of the RAG status that applies to the day is a reason with an action of its own. Where
there are fewer than three, what is found of fit, leverage and identification follows.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from calibscope.base.numbers import Shown, counted, number, percent
from calibscope.diagnosis.settings import USUAL
from calibscope.study.rag import STATUS, WARNINGS
from calibscope.study.screening import (
    DOUBTED_QUOTES,
    LIKELY_WRONG_QUOTE,
    STALE_DAY,
    UNUSUAL_DAY,
)
from calibscope.study.statistics.stored_day import StoredDay
from calibscope.study.study import Study

MOST = 3
VERDICTS = {
    "green": "The calibration of {date} can be used.",
    "amber": "The calibration of {date} can be used once the points below are decided.",
    "red": "Do not use the calibration of {date} before the points below are reviewed.",
}
ORDER = (  # of the rules of one colour
    STATUS, LIKELY_WRONG_QUOTE, DOUBTED_QUOTES, UNUSUAL_DAY, STALE_DAY, "is_off_optimum", "rmsre",
    "largest_residual", "has_outlier", "lost_directions", "is_implausible", "largest_bound_cost",
    "largest_refit_confidence", "widest_reach", WARNINGS,
)  # fmt: skip
FIT, LEVERAGE, IDENTIFIED = "fit", "leverage", "identified"
TOPICS = {  # what a rule already speaks of
    "rmsre": FIT, "largest_residual": FIT, "has_outlier": FIT, LIKELY_WRONG_QUOTE: FIT,
    DOUBTED_QUOTES: FIT, STATUS: FIT, "largest_refit_confidence": LEVERAGE,
    "lost_directions": IDENTIFIED, "widest_reach": IDENTIFIED,
}  # fmt: skip


class Point(NamedTuple):
    """Something found, and what to do about it."""

    reason: str
    action: str


OPEN = re.compile(r"^Reduced EDoF \([^)]*\): ([^;.]*)")  # what a summary says first
CHEAP = 1.1  # times the best RMSRE: a plausible fit that costs less prices almost as well
ASK = "Compare it with another source; correct or exclude the quote, and run the day again."
PROVIDER = "Ask the data provider, or exclude the day (setting checks.exclude)."
AGAIN = "Calibrate the day again with the global solver, and look at its quotes."
RULES = {  # filled with the day's numbers, and {reason} as the status gives it
    STATUS: Point("{reason}", AGAIN),
    "is_off_optimum": Point("{reason}", AGAIN),
    LIKELY_WRONG_QUOTE: Point("{reason}", ASK),
    DOUBTED_QUOTES: Point("{reason}", ASK),
    UNUSUAL_DAY: Point("{reason}", PROVIDER),
    STALE_DAY: Point("{reason}", PROVIDER),
    WARNINGS: Point("{reason}", PROVIDER),
    "rmsre": Point(
        "The fit is poor: RMSRE {rmsre:.2%}.",
        "Compare {largest_residual_at}, which is met worst, with another source.",
    ),
    "largest_residual": Point(
        "{largest_residual_at} is missed by {largest_residual:+.1%}.",
        "Compare {largest_residual_at} with another source; exclude it if it is wrong.",
    ),
    "has_outlier": Point(
        "{reason}", "Check {outlier} with a second source before any other quote."
    ),
    "largest_bound_cost": Point(
        "{reason}",
        "Justify the bound of {largest_bound_cost_at}, or widen it (setting calibration.bounds).",
    ),
    "largest_refit_confidence": Point(
        "The result hangs on {largest_refit_confidence_at}: without it the fit moves to the edge "
        "of the {confidence} confidence region.",
        "Confirm {largest_refit_confidence_at} with a second source before the parameters are "
        "released.",
    ),
    "widest_reach": Point(
        "{reason}",
        "Use prices and profile intervals; use none of these parameters without its range.",
    ),
}
CHEAP_PLAUSIBLE = (
    "Use the best plausible fit: it prices the quotes almost as well (its RMSRE is {cost:.1%} "
    "{direction})."
)
DEAR_PLAUSIBLE = (
    "Decide whether implausible parameters may be used: the best plausible fit has an RMSRE of "
    "{plausible_rmsre:.2%}, against {rmsre:.2%}."
)


def verdict(study: Study, day: StoredDay) -> str:
    """Whether the calibration can be used, in a sentence."""
    last = study.days.iloc[-1]
    if last["date"] != day.date:
        return (
            f"{last['date']:%Y-%m-%d} has no calibration ({str(last['reason']).rstrip('.')}); "
            f"the latest one is that of {day.date:%Y-%m-%d}."
        )
    return VERDICTS[day.rag].format(date=f"{day.date:%Y-%m-%d}")


def points(day: StoredDay) -> list[Point]:
    """At most three, the most important ones first."""
    raised = sorted(
        day.raised.itertuples(),
        key=lambda one: (
            one.colour != day.rag,
            ORDER.index(one.rule) if one.rule in ORDER else len(ORDER),
        ),
    )
    found = [_of_rule(str(one.rule), str(one.reason), day) for one in raised]
    topics = {TOPICS.get(str(one.rule)) for one in raised}
    found += [point for topic, point in _further(day) if topic not in topics]
    once: dict[str, Point] = {}  # the first point of each action
    for point in found:
        once.setdefault(point.action, point)
    return list(once.values())[:MOST]


def _of_rule(rule: str, reason: str, day: StoredDay) -> Point:
    row = day.row
    if rule == "lost_directions":
        return _lost(day)
    if rule == "is_implausible":
        is_cheap = row["plausible_rmsre"] < CHEAP * row["rmsre"]
        words = "The best fit is implausible: {implausible_because}."
        point = Point(words, CHEAP_PLAUSIBLE if is_cheap else DEAR_PLAUSIBLE)
    else:
        point = RULES.get(
            rule, Point("{reason}", "Review this limit, which your settings have set.")
        )
    share = row["largest_refit_confidence"]
    cost = row["plausible_rmsre"] / row["rmsre"] - 1.0 if row["rmsre"] else 0.0
    numbers = {
        **{
            name: Shown(value) if isinstance(value, float) else value for name, value in row.items()
        },
        "reason": _sentence(reason),
        "cost": Shown(abs(cost)),
        "direction": "higher" if cost >= 0 else "lower",
        "confidence": "99.9 %" if share > 0.999 else percent(share, 1),
    }
    return Point(*(text.format_map(numbers) for text in point))


def _lost(day: StoredDay) -> Point:
    """Which combination the quotes leave open, where the summary names it."""
    count = int(day.row["lost_directions"])
    words = "One parameter combination is"
    if count > 1:
        words = counted(count, "parameter combination is", "parameter combinations are")
    found = OPEN.search(day.summary)
    names = [name for name in day.parameters.index if found and name in found.group(1)]
    which = f": {found.group(1)}" if found else ""
    fix = f"fix {' or '.join(names)}" if len(names) > 1 else "fix a parameter"
    return Point(
        f"{words} not identified{which}.",
        f"Use prices and what is identified, not single parameters; or {fix} (setting "
        "calibration.fixed).",
    )


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
                "Give the intervals beside the parameters, since they move together.",
            ),
        )


def every_parameter(count: int) -> str:
    """All of them, in natural words."""
    few = {1: "the parameter", 2: "both parameters"}
    return few.get(count) or f"all {counted(count, 'parameter')}"


def _sentence(words: str) -> str:
    """A reason as a sentence."""
    return f"{words[:1].upper()}{words[1:].rstrip('.')}."
