"""What the live page says about a state: a summary, and the figures of each view."""

import datetime
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from calibscope.base.numbers import estimate, number, percent
from calibscope.calibration.near_optimal.plausible import plausible_fits
from calibscope.calibration.solution import Fit
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.diagnosis.propagate.consequences import Consequences, consequences
from calibscope.diagnosis.refit.shifts import PREDICTED
from calibscope.diagnosis.settings import LEVELS
from calibscope.report.document import Block, Cell, Column, Range, Table, drawn, table
from calibscope.report.figures.markup import literal
from calibscope.report.sections.consequences import consequence_table
from calibscope.report.sections.next_steps import next_of_fit, next_of_leverage, next_of_uncertainty
from calibscope.report.web.source import Source
from calibscope.report.web.state import STUDY, State, View
from calibscope.report.web.steps import changed
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
        yield f"RMSRE {percent(after.rmsre, 3)}. {after.status.value} {found.dx_after.summary}"
    else:
        yield (
            f"RMSRE {percent(before.rmsre, 3)} before, {percent(after.rmsre, 3)} now "
            f"({_change(before.rmsre, after.rmsre)}). {after.status.value} {found.dx_after.summary}"
        )
        yield _predicted(found)
    yield _parameters(state, found)


def _change(before: float, after: float) -> str:
    return percent(after / before - 1.0, 1, "+") if before > 0 else "from nothing"


def _predicted(found: WhatIf) -> str:
    scaled = np.abs(found.shift / found.dx_before.problem.coordinate_scale)
    if scaled.max() < STILL:
        return "The parameters do not move."
    error = found.error()
    most = int(np.argmax(scaled))
    old, new = (fit.parameters.values[most] for fit in (found.before, found.after))
    name, ends = found.after.problem.specs.names[most], (number(old, ".4g"), number(new, ".4g"))
    moves = f"{name} moves most, from {' to '.join(ends)}."
    if not found.after.is_converged:
        return f"{moves} No optimum was reached, so there is no shift to predict: {REMEDY}"
    if error <= PREDICTED:
        return f"{moves} The linear prediction was {percent(error, 1)} off."
    return (
        f"{moves} The linear prediction was {percent(error, 0)} off: the change is too large for "
        "first order, or another optimum has become the best. Believe the recalibration."
    )


def _parameters(state: State, found: WhatIf) -> Table:
    plausible = plausible_fits([found.after], threads=1)
    intervals = found.dx_after.intervals(LEVELS[-1], method="delta")
    values = {"now" if state.has_change else "estimate": found.after.parameters.values}
    if state.has_change:
        values = {
            "before": found.before.parameters.values, "predicted": found.predicted(), **values
        }  # fmt: skip
    if plausible.reasons[0]:
        values["plausible"] = plausible.parameters[0]
    columns = [Column("parameter"), *(Column(title, estimate) for title in values)]
    columns += [Column("95 % interval", ".3g"), Column("mark")]
    ranges = map(Range, intervals.low, intervals.high)
    names = found.after.problem.specs.names
    rows = zip(names, *values.values(), ranges, intervals.marks, strict=True)
    what = (
        "before, predicted by the influence function, and recalibrated; " if state.changes else ""
    )
    return table(f"Parameters: {what}with 95 % delta intervals", columns, rows)


def view(source: Source, state: State, date: datetime.date, found: WhatIf) -> Blocks:
    """The figures and tables of the view that is open."""
    note = note_of(source, state, date, state.changes)
    return VIEWS[state.view](source, state, date, found, note)


def note_of(source: Source, state: State, date: datetime.date, changes: Sequence[str]) -> str:
    """What every figure says: where quotes are from, the day, and what was changed."""
    study = source.study(state)
    name = "SYNTHETIC market" if study.is_synthetic else str(study.runs["market"].iloc[-1])
    what = f"; what if: {', '.join(changes)}" if changes else ""
    return literal(f"{name}, {date}{what}")


def _overview(
    source: Source, state: State, date: datetime.date, found: WhatIf, note: str
) -> Blocks:
    dx, fit = found.dx_after, found.after
    return (
        drawn("before_and_after", found, note)
        if state.has_change
        else drawn("leverage_and_influence", dx, note),
        drawn("market_against_model", fit, note),
        next_of_fit(fit),
    )


def _influence(
    source: Source, state: State, date: datetime.date, found: WhatIf, note: str
) -> Blocks:
    dx = found.dx_after
    return (
        drawn("leverage_and_influence", dx, note),
        drawn("influence_arrows", dx, note),
        next_of_leverage(dx, len(found.after.problem.day.prices)),
    )


def _uncertainty(
    source: Source, state: State, date: datetime.date, found: WhatIf, note: str
) -> Blocks:
    dx = found.dx_after
    return (
        drawn("interval_chart", dx, note, "delta"),
        drawn("singular_spectrum", dx, note),
        next_of_uncertainty(dx, "delta"),
    )


def _consequences(
    source: Source, state: State, date: datetime.date, found: WhatIf, note: str
) -> Blocks:
    now = _followed(found.dx_after, has_near_optimal=state.near_optimal)
    before = _followed(found.dx_before, has_near_optimal=False) if state.has_change else None
    return (
        drawn("consequences", now, note, is_captioned=False),
        consequence_table(now, before),
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
    second = source.what_if(rules, state.other)
    words = note_of(source, rules, state.other, rules.changes)
    sides = ((date, found, note), (state.other, second, words))
    cells = (_column(side.after, side.dx_after) for _, side, _ in sides)
    rows = [*found.after.problem.specs.names, *MEASURES]
    columns = [Column("of the fit"), *(Column(str(day), estimate) for day, _, _ in sides)]
    return (
        table("Two dates", columns, zip(rows, *cells, strict=True)),
        *(drawn("market_against_model", side.after, words) for _, side, words in sides),
        *(drawn("leverage_and_influence", side.dx_after, words) for _, side, words in sides),
    )


MEASURES = ("RMSRE", "effective degrees of freedom", "highest leverage", "condition number")


def _column(fit: Fit, dx: Diagnosis) -> list[Cell]:
    first = int(np.argmax(dx.leverage))
    return [
        *fit.parameters.values,
        percent(fit.rmsre, 3),
        dx.edof,
        f"{number(dx.leverage[first], '.3f')} ({dx.problem.labels[first]})",
        number(dx.condition_number, ".2g"),
    ]


VIEWS: dict[View, Callable[[Source, State, datetime.date, WhatIf, str], Blocks]] = {
    "overview": _overview,
    "influence": _influence,
    "uncertainty": _uncertainty,
    "consequences": _consequences,
    "dates": _dates,
}
