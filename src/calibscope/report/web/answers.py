"""What the live page says about a state: its effect, and the figures of each view."""

from collections.abc import Callable, Sequence

from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.diagnosis.propagate.consequences import Consequences, consequences
from calibscope.report.document import Block, drawn
from calibscope.report.sections.consequences import consequence_table
from calibscope.report.sections.next_steps import next_of_fit, next_of_leverage, next_of_uncertainty
from calibscope.report.web.effect import effect
from calibscope.report.web.shown import METHODS, Shown
from calibscope.report.web.state import View
from calibscope.report.web.two_dates import compared

HORIZONS = (1, 5, 10, 20)
NOT_SEARCHED = (
    "Prices alone cannot tell nearly equal fits apart; the search below says how far these numbers "
    "go among them."
)
Blocks = Sequence[Block | str | None]


def summary(shown: Shown) -> Blocks:
    """The effect; where two dates are compared, their view says it all."""
    is_compared = shown.state.view == "dates" and shown.state.other is not None
    return () if is_compared else tuple(effect(shown))


def view(shown: Shown) -> Blocks:
    """The figures and tables of the view that is open."""
    return VIEWS[shown.state.view](shown)


def _overview(shown: Shown) -> Blocks:
    dx, fit = shown.after.dx, shown.after.fit
    return (
        drawn("before_and_after", shown.found, shown.note)
        if shown.state.has_change
        else drawn("leverage_and_influence", dx, shown.note),
        drawn("market_against_model", fit, shown.note),
        next_of_fit(fit),
    )


def _influence(shown: Shown) -> Blocks:
    dx = shown.after.dx
    return (
        drawn("leverage_and_influence", dx, shown.note),
        drawn("influence_arrows", dx, shown.note),
        next_of_leverage(dx, len(shown.after.fit.problem.day.prices)),
    )


def _uncertainty(shown: Shown) -> Blocks:
    dx, intervals = shown.after.dx, shown.intervals
    words = f"{shown.note}; {METHODS[intervals.form]}"
    return (
        drawn("interval_chart", dx, words, known=intervals),
        drawn("singular_spectrum", dx, shown.note),
        next_of_uncertainty(intervals),
    )


def _consequences(shown: Shown) -> Blocks:
    state = shown.state
    now = _followed(shown.after.dx, has_near_optimal=state.near_optimal)
    before = _followed(shown.before.dx, has_near_optimal=False) if state.has_change else None
    return (
        drawn("consequences", now, shown.note, is_captioned=False),
        consequence_table(now, before),
        now.summary or None,
        None if state.near_optimal else NOT_SEARCHED,
    )


def _followed(dx: Diagnosis, *, has_near_optimal: bool) -> Consequences:
    if has_near_optimal:
        return dx.consequences(HORIZONS)
    answers = dx.refit
    return consequences(dx, answers.quantities(HORIZONS, ()))  # type: ignore[union-attr]


VIEWS: dict[View, Callable[[Shown], Blocks]] = {
    "overview": _overview,
    "influence": _influence,
    "uncertainty": _uncertainty,
    "consequences": _consequences,
    "dates": compared,
}
