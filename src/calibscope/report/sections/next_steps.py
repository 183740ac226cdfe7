"""What to do next, below each heading of the page of a day: a sentence made from its numbers."""

import numpy as np

from calibscope.base.numbers import number, percent
from calibscope.calibration.solution import Fit
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.diagnosis.linear.intervals import Intervals

PLAIN = "give the intervals with the correlations, since parameters move together."
LITTLE = 0.01  # of RMSRE: what a plausible fit may cost and still count as equally good


def next_of_fit(fit: Fit) -> str:
    """The quote to compare first."""
    residuals = fit.residuals[: len(fit.problem.day.prices)]
    worst = int(np.argmax(np.abs(residuals)))
    return (
        f"Next: compare {fit.problem.day.labels[worst]}, which is met worst "
        f"({percent(residuals[worst], 2, '+')}), with its neighbours and with another source."
    )


def next_of_leverage(dx: Diagnosis, quotes: int) -> str:
    """The quotes to check, and to leave out."""
    leverage = dx.leverage[:quotes]
    cooks = np.nan_to_num(dx.deletion.believed_distance[:quotes], posinf=0.0)
    first, limit = int(np.argmax(leverage)), dx.settings.cooks_distance
    far = [str(dx.problem.labels[k]) for k in np.argsort(-cooks) if cooks[k] > limit]
    text = (
        f"Next: check {dx.problem.labels[first]} first, which has the highest leverage "
        f"({number(leverage[first], '.2f')})."
    )
    if far:
        text += (
            f" Calibrate without {' or '.join(far[:3])}, which would change the parameters "
            "substantially."
        )
    return text


def next_of_uncertainty(intervals: Intervals) -> str:
    """Which intervals must not be given without their marks.

    Parameters
    ----------
    intervals : those that are shown
    """
    doubtful = [
        name
        for name, mark in zip(intervals.specs.names, intervals.marks, strict=True)
        if mark not in ("", "fixed")
    ]
    marks = "its mark" if len(doubtful) == 1 else "their marks"
    texts = [f"give no interval for {', '.join(doubtful)} without {marks}."] if doubtful else []
    if intervals.form != "profile":
        text = "use profile intervals (`calibscope day`) for a decision: these are the quick ones."
        texts.append(f"Also {text}" if texts else text)
    return f"Next: {' '.join(texts) or PLAIN}"


def next_of_optima(fit: Fit) -> str:
    """What to decide about other optima."""
    evidence = fit.evidence
    if not evidence.is_best:
        return "Next: calibrate again with the global solver, since a better optimum is known."
    if evidence.is_plausible:
        return "Next: before a parameter is used alone, see its range within the near-optimal set."
    if evidence.plausible_fit is None:
        return "Next: decide whether to widen the bounds, which leave no plausible fit."
    cost = evidence.plausible_cost / fit.rmsre if fit.rmsre > 0 else np.inf
    price = "costs almost nothing" if cost < LITTLE else f"makes RMSRE {percent(cost, 0)} larger"
    return (
        f"Next: decide whether implausible parameters may be used; the best plausible fit {price}."
    )
