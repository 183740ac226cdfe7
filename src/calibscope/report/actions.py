"""What to do about a day: for each rule that speaks against it, a sentence made of its numbers.

The rules are those of `study/rag.py`. What several rules ask for is said once.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from calibscope.base.numbers import percent
from calibscope.study.rag import NO_RESULT, STATUS, WARNINGS, Rag, Raised
from calibscope.study.screening import DOUBTED_QUOTES, LIKELY_WRONG_QUOTE, STALE_DAY, UNUSUAL_DAY

MOST = 3
CHEAP = 1.1  # times the best RMSRE: a plausible fit that costs less prices almost as well
USE = "Use the parameters together and with their intervals: they are not independent."
COMPLETE = "Complete or correct the quotes of the day, then run again."
AGAIN = "Calibrate the day again with the global solver, and look at its quotes."
PROVIDER = "Ask the data provider, or exclude the day (setting checks.exclude)."
LIMIT = "Review this limit, which your settings have set."
REACH = "Use prices and profile intervals; use none of these parameters without its range."
OPEN = re.compile(r"^Reduced EDoF \([^)]*\): ([^;.]*)")  # what a summary says first

NAMED = (LIKELY_WRONG_QUOTE, "has_outlier")  # they accuse a quote: a residual may be its doing
Day = Mapping[str, Any]


def actions(raised: Sequence[Raised], day: Day) -> tuple[str, ...]:
    """At most three sentences, the most urgent first.

    Parameters
    ----------
    raised : the rules that apply to the day
    day : its numbers by name, as in `study.days`, and the labels that are `accused`
    """
    if not raised:
        return (USE,)
    urgent = sorted(raised, key=lambda one: (one.colour is not Rag.RED, one.rule not in NAMED))
    said = (ACTIONS.get(one.rule, _always(LIMIT))(one, day) for one in urgent)
    return tuple(dict.fromkeys(said))[:MOST]


def _compared(who: str) -> str:
    it = "them" if "," in who else "it"
    return (
        f"Compare {who} with another source; correct or exclude {it}, and calibrate the day again."
    )


def _accused(_: Raised, day: Day) -> str:
    return _compared(", ".join(day.get("accused") or ()) or "the quotes in doubt")


def _doubted(one: Raised, _: Day) -> str:
    return _compared(one.reason.removeprefix("one of ").removesuffix(" is likely wrong"))


def _outlier(_: Raised, day: Day) -> str:
    return _compared(str(day.get("outlier")).removeprefix("one of "))


def _residual(_: Raised, day: Day) -> str:
    return _compared(str(day.get("largest_residual_at")))


def _dominant(_: Raised, day: Day) -> str:
    who = day.get("largest_refit_confidence_at")
    return f"Confirm {who} with a second source before the parameters are released."


def _lost(_: Raised, day: Day) -> str:
    found = OPEN.search(str(day.get("summary")))
    names = re.findall(r"(\w+) (?:up|down)", found.group(1)) if found else []
    fix = f"fix {' or '.join(names)}" if len(names) > 1 else "fix a parameter"
    return (
        f"Use prices and what is identified, not single parameters; or {fix} (setting "
        "calibration.fixed)."
    )


def _implausible(_: Raised, day: Day) -> str:
    best, other = day.get("rmsre"), day.get("plausible_rmsre")
    if best is None or other is None or other != other:
        return "Widen the bounds: they leave no plausible fit."
    if other > CHEAP * best:
        return (
            "Decide whether implausible parameters may be used: the best plausible fit has an "
            f"RMSRE of {percent(other)}, against {percent(best)}."
        )
    cost = other / best - 1.0 if best else 0.0
    return (
        "Use the best plausible fit: it prices the quotes almost as well (its RMSRE is "
        f"{percent(abs(cost), 1)} {'higher' if cost >= 0 else 'lower'})."
    )


def _bound(_: Raised, day: Day) -> str:
    where = day.get("largest_bound_cost_at")
    return f"Justify the bound of {where}, or widen it (setting calibration.bounds)."


def _always(sentence: str) -> Callable[[Raised, Day], str]:
    return lambda one, day: sentence


ACTIONS: Mapping[str, Callable[[Raised, Day], str]] = {
    NO_RESULT: _always(COMPLETE),
    STATUS: _always(AGAIN),
    "is_off_optimum": _always(AGAIN),
    LIKELY_WRONG_QUOTE: _accused,
    DOUBTED_QUOTES: _doubted,
    UNUSUAL_DAY: _always(PROVIDER),
    STALE_DAY: _always(PROVIDER),
    WARNINGS: _always(PROVIDER),
    "rmsre": _residual,
    "largest_residual": _residual,
    "has_outlier": _outlier,
    "largest_refit_confidence": _dominant,
    "lost_directions": _lost,
    "widest_reach": _always(REACH),
    "is_implausible": _implausible,
    "largest_bound_cost": _bound,
}
