"""What the live page says about a state: a summary, and the figures of each view."""

import datetime
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pandas as pd

from calibscope.calibration.solution import Fit
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.diagnosis.propagate.consequences import Consequences, consequences
from calibscope.diagnosis.refit.shifts import PREDICTED
from calibscope.diagnosis.settings import LEVELS
from calibscope.report.consequences import consequence_rows
from calibscope.report.figures.before_and_after import before_and_after
from calibscope.report.figures.consequences import consequences as consequence_figure
from calibscope.report.figures.influence_arrows import influence_arrows
from calibscope.report.figures.interval_chart import end_text, interval_chart, told_from_one
from calibscope.report.figures.leverage_and_influence import leverage_and_influence
from calibscope.report.figures.market_against_model import market_against_model
from calibscope.report.figures.singular_spectrum import singular_spectrum
from calibscope.report.figures.style import literal
from calibscope.report.html.blocks import Block, Figure, Table, table
from calibscope.report.html.next_steps import next_of_fit, next_of_leverage, next_of_uncertainty
from calibscope.report.web.source import Source
from calibscope.report.web.state import STUDY, State, View
from calibscope.report.web.steps import changed
from calibscope.study.model import PARAMETERS
from calibscope.study.what_if import HELD, WhatIf

HORIZONS = (1, 5, 10, 20)
NOT_SEARCHED = (
    "Prices alone cannot tell nearly equal fits apart; the search below says how far these numbers "
    "go among them."
)
REMEDY = "take the global search, or more quotes than parameters."
STILL = 1e-6  # share of a parameter that is only the solver's tolerance
Blocks = Sequence[Block | str | None]


def summary(state: State, found: WhatIf) -> Iterator[Block | str]:
    """How good the fit is, what it became, and how well first order predicted it."""
    before, after = found.before, found.after
    if not state.has_change:
        yield f"RMSRE {after.rmsre:.3%}. {after.status.value} {found.dx_after.summary}"
    else:
        yield (
            f"RMSRE {before.rmsre:.3%} before, {after.rmsre:.3%} now "
            f"({_change(before.rmsre, after.rmsre)}). {after.status.value} {found.dx_after.summary}"
        )
        yield _predicted(found)
    yield _parameters(state, found)


def _change(before: float, after: float) -> str:
    return f"{after / before - 1.0:+.1%}" if before > 0 else "from nothing"


def _predicted(found: WhatIf) -> str:
    scaled = np.abs(found.shift / found.dx_before.problem.coordinate_scale)
    if scaled.max() < STILL:
        return "The parameters do not move."
    error = found.error()
    most = int(np.argmax(scaled))
    old, new = (fit.parameters.values[most] for fit in (found.before, found.after))
    moves = f"{PARAMETERS[most]} moves most, from {old:.4g} to {new:.4g}."
    if not found.after.is_converged:
        return f"{moves} No optimum was reached, so there is no shift to predict: {REMEDY}"
    if error <= PREDICTED:
        return f"{moves} The linear prediction was {error:.1%} off."
    return (
        f"{moves} The linear prediction was {error:.0%} off: the change is too large for first "
        "order, or another optimum has become the best. Believe the recalibration."
    )


def _parameters(state: State, found: WhatIf) -> Table:
    intervals = found.dx_after.intervals(LEVELS[-1])
    columns = {"parameter": list(PARAMETERS)}
    if state.has_change:
        columns["before"] = _numbers(found.before)
        columns["predicted"] = [told_from_one(value, 5) for value in found.predicted()]
    columns["now" if state.has_change else "estimate"] = _numbers(found.after)
    columns["95 % from"] = [end_text(value) for value in intervals.low]
    columns["to"] = [end_text(value) for value in intervals.high]
    columns["mark"] = list(intervals.marks)
    what = (
        "before, predicted by the influence function, and recalibrated; " if state.changes else ""
    )
    return table(f"Parameters: {what}with 95 % intervals", pd.DataFrame(columns))


def _numbers(fit: Fit) -> list[str]:
    return [told_from_one(value, 5) for value in fit.parameters.values]


def view(source: Source, state: State, date: datetime.date, found: WhatIf) -> Blocks:
    """The figures and tables of the view that is open."""
    note = note_of(source, date, state.changes)
    return VIEWS[state.view](source, state, date, found, note)


def note_of(source: Source, date: datetime.date, changes: Sequence[str]) -> str:
    """What every figure says: where quotes are from, the day, and what was changed."""
    study = source.study
    name = "SYNTHETIC market" if study.is_synthetic else str(study.runs["market"].iloc[-1])
    what = f"; what if: {', '.join(changes)}" if changes else ""
    return literal(f"{name}, {date}{what}")


def _overview(
    source: Source, state: State, date: datetime.date, found: WhatIf, note: str
) -> Blocks:
    dx, fit = found.dx_after, found.after
    change = before_and_after(found, note) if state.has_change else leverage_and_influence(dx, note)
    return (Figure(change), Figure(market_against_model(fit, note)), next_of_fit(fit))


def _influence(
    source: Source, state: State, date: datetime.date, found: WhatIf, note: str
) -> Blocks:
    dx = found.dx_after
    return (
        Figure(leverage_and_influence(dx, note)),
        Figure(influence_arrows(dx, note)),
        next_of_leverage(dx, len(found.after.problem.day.prices)),
    )


def _uncertainty(
    source: Source, state: State, date: datetime.date, found: WhatIf, note: str
) -> Blocks:
    dx = found.dx_after
    return (
        Figure(interval_chart(dx, note)),
        Figure(singular_spectrum(dx, note)),
        next_of_uncertainty(dx),
    )


def _consequences(
    source: Source, state: State, date: datetime.date, found: WhatIf, note: str
) -> Blocks:
    now = _followed(found.dx_after, has_near_optimal=state.near_optimal)
    titles, rows = consequence_rows(now)
    header = ["quantity", *(title.replace("; ", " ") for title in titles[1:-1]), "mark"]
    frame = pd.DataFrame(rows, columns=header)
    if state.has_change:
        before = _followed(found.dx_before, has_near_optimal=False)
        frame.insert(1, "before", [row[1] for row in consequence_rows(before)[1]])
    return (
        Figure(consequence_figure(now, note), is_captioned=False),
        table("What follows from the parameters, under the risk-neutral measure", frame),
        now.summary or None,
        None if state.near_optimal else NOT_SEARCHED,
    )


def _followed(dx: Diagnosis, *, has_near_optimal: bool) -> Consequences:
    if has_near_optimal:
        return dx.consequences(HORIZONS)
    answers = dx.refit
    return consequences(dx, answers.quantities(HORIZONS, ()))  # type: ignore[union-attr]


def _dates(source: Source, state: State, date: datetime.date, found: WhatIf, note: str) -> Blocks:
    if state.other is None:
        return ("Give a second date beside, to see both days side by side.",)
    weights = STUDY if state.weights == HELD else state.weights  # quotes are others there
    rules = changed(state, move={}, without=(), weights=weights)
    second = source.what_if(state.other, rules.change)
    words = note_of(source, state.other, rules.changes)
    sides = ((date, found, note), (state.other, second, words))
    columns = {str(day): _column(side.after, side.dx_after) for day, side, _ in sides}
    return (
        table("Two dates", pd.DataFrame({"": ROWS, **columns})),
        *(Figure(market_against_model(side.after, words)) for _, side, words in sides),
        *(Figure(leverage_and_influence(side.dx_after, words)) for _, side, words in sides),
    )


ROWS = [
    *PARAMETERS, "RMSRE", "effective degrees of freedom", "highest leverage", "condition number",
]  # fmt: skip


def _column(fit: Fit, dx: Diagnosis) -> list[str]:
    first = int(np.argmax(dx.leverage))
    return [
        *_numbers(fit),
        f"{fit.rmsre:.3%}",
        str(dx.edof),
        f"{dx.leverage[first]:.3f} ({dx.problem.labels[first]})",
        f"{dx.condition_number:.2g}",
    ]


VIEWS: dict[View, Callable[[Source, State, datetime.date, WhatIf, str], Blocks]] = {
    "overview": _overview,
    "influence": _influence,
    "uncertainty": _uncertainty,
    "consequences": _consequences,
    "dates": _dates,
}
