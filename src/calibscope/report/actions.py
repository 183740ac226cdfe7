"""What to do about a day: for each rule that speaks against it, a sentence made of its numbers.

The rules are those of `study/rag.py`. A quote that several rules point to is named once.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from calibscope.base.numbers import percent
from calibscope.study.rag import NO_RESULT, STATUS, WARNINGS, Rag, Raised
from calibscope.study.screening import DOUBTED_QUOTES, LIKELY_WRONG_QUOTE, STALE_DAY, UNUSUAL_DAY

MOST = 3
CLOSE = 1.05  # times the best RMSRE: a plausible fit that is almost as good
USE = "Use the parameters together and with their intervals: they are not independent."
COMPLETE = "Complete or correct the quotes of the day, then run again."
CALIBRATE = "Check the units of the quotes, then calibrate with the global solver and wide bounds."

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
    urgent = sorted(raised, key=lambda one: one.colour is not Rag.RED)
    found: dict[str, str] = {}  # by what they are about, the first sentence of each
    for one in urgent:
        about, sentence = ACTIONS.get(one.rule, _look)(one, day)
        found.setdefault(about, sentence)
    return tuple(found.values())[:MOST]


def _wrong_quote(_: Raised, day: Day) -> tuple[str, str]:
    names = ", ".join(day.get("accused") or ())
    who = names or str(day.get("outlier") or "").removeprefix("one of ")
    it = "them" if "," in who else "it"
    who = who or "the quotes in doubt"
    return who, f"Check {who} against another source, and calibrate without {it}."


def _doubted(one: Raised, _: Day) -> tuple[str, str]:
    who = one.reason.removeprefix("one of ").removesuffix(" is likely wrong")
    return who, f"Check {who} against another source: one of them is likely wrong."


def _dominant(_: Raised, day: Day) -> tuple[str, str]:
    who = str(day.get("largest_refit_confidence_at"))
    return who, f"Check {who} against another source first: the fit depends on it."


def _residual(_: Raised, day: Day) -> tuple[str, str]:
    who, size = str(day.get("largest_residual_at")), day.get("largest_residual")
    return who, (
        f"Compare {who}, which is met worst ({percent(size, 1, '+')}), with its neighbours and "
        "with another source."
    )


def _lost(_: Raised, __: Day) -> tuple[str, str]:
    return "combinations", (
        "Do not interpret single parameters: some can move together at unchanged prices. Fix one "
        "of them (setting calibration.fixed), or use the prices alone."
    )


def _reach(_: Raised, day: Day) -> tuple[str, str]:
    names = re.findall(r"(\w+) from ", str(day.get("widest_reach_at")))
    who = " and ".join(names) or "the parameters"
    return "reach", f"Give {who} as a range: fits that are almost as good have quite other values."


def _implausible(_: Raised, day: Day) -> tuple[str, str]:
    other = day.get("plausible_rmsre")
    if other is None or other != other:
        return "plausible", "Widen the bounds: they leave no plausible fit."
    best, cost = percent(day.get("rmsre")), percent(other)
    how = (
        f"as well (RMSRE {cost})" if cost == best else f"almost as well (RMSRE {cost}, not {best})"
    )
    if other > CLOSE * day["rmsre"]:
        how = f"less well (RMSRE {cost}, not {best})"
    return "plausible", (
        f"Hand the plausible parameters to the scenarios: they price the quotes {how}."
    )


def _bound(_: Raised, day: Day) -> tuple[str, str]:
    where, cost = day.get("largest_bound_cost_at"), day.get("largest_bound_cost")
    return "bound", (
        f"Decide whether the bound of {where} is meant: it raises the RMSRE by "
        f"{percent(cost, 1)} of itself."
    )


def _look(one: Raised, _: Day) -> tuple[str, str]:
    """A limit on some other number."""
    return one.rule, f"Find out why: {one.reason}."


def _always(about: str, sentence: str) -> Callable[[Raised, Day], tuple[str, str]]:
    return lambda one, day: (about, sentence)


ACTIONS: Mapping[str, Callable[[Raised, Day], tuple[str, str]]] = {
    NO_RESULT: _always("quotes", COMPLETE),
    STATUS: _always("optimum", CALIBRATE),
    "is_off_optimum": _always("optimum", CALIBRATE),
    LIKELY_WRONG_QUOTE: _wrong_quote,
    "has_outlier": _wrong_quote,
    DOUBTED_QUOTES: _doubted,
    "rmsre": _residual,
    "largest_residual": _residual,
    "largest_refit_confidence": _dominant,
    "lost_directions": _lost,
    "widest_reach": _reach,
    "is_implausible": _implausible,
    "largest_bound_cost": _bound,
    UNUSUAL_DAY: _always("day", "Compare the quotes with another source: several moved oddly."),
    STALE_DAY: _always("day", "Ask for new quotes: these repeat those of the day before."),
    WARNINGS: _always("data", "See what the checks found in the data: calibscope check lists it."),
}
