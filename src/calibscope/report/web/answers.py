"""What the live page says about a state: a summary, and the figures of each view."""

import datetime
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

import numpy as np

from calibscope.base.numbers import estimate, number, percent
from calibscope.calibration.near_optimal.plausible import PlausibleFits, plausible_fits
from calibscope.calibration.solution import Fit
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.diagnosis.linear.intervals import Intervals
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
from calibscope.study.statistics.misfit import noise_sentence
from calibscope.study.study import Study
from calibscope.study.what_if import HELD, WhatIf

WIDEST_FIRST = LEVELS[::-1]  # as the chart draws them
METHODS = {
    "profile": "intervals by profile",
    "gauss_newton": "intervals by delta method, the quick ones",
}
HORIZONS = (1, 5, 10, 20)
NOT_SEARCHED = (
    "Prices alone cannot tell nearly equal fits apart; the search below says how far these numbers "
    "go among them."
)
REMEDY = "take the global search, or more quotes than parameters."
STILL = 1e-6  # share of a parameter that is only the solver's tolerance
Blocks = Sequence[Block | str | None]


def summary(source: Source, state: State, found: WhatIf) -> Iterator[Block | str]:
    """How good the fit is, what it became, and how well first order predicted it."""
    study = source.study(state)
    before, after = found.before, found.after
    if not state.has_change:
        yield f"RMSRE {percent(after.rmsre, 3)}. {after.status.value} {found.dx_after.summary}"
    else:
        yield (
            f"RMSRE {percent(before.rmsre, 3)} before, {percent(after.rmsre, 3)} now "
            f"({_change(before.rmsre, after.rmsre)}). {after.status.value} {found.dx_after.summary}"
        )
        yield _predicted(found)
    plausible = plausible_fits([found.after], threads=1)
    yield _parameters(state, found, plausible, source.intervals(state, found, WIDEST_FIRST))
    yield from _implausible(study, found, plausible)
    yield from filter(None, [_noise(study)])


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


def _parameters(
    state: State, found: WhatIf, plausible: PlausibleFits, intervals: Intervals
) -> Table:
    values = {"now" if state.has_change else "estimate": found.after.parameters.values}
    if state.has_change:
        values = {
            "before": found.before.parameters.values, "predicted": found.predicted(), **values
        }  # fmt: skip
    if plausible.reasons[0]:
        values["plausible"] = plausible.parameters[0]
    columns = [Column("parameter"), *(Column(title, estimate) for title in values)]
    columns += [Column("95 % interval", ".3g"), Column("mark")]
    intervals = intervals.at(LEVELS[-1])
    ranges = map(Range, intervals.low, intervals.high)
    names = found.after.problem.specs.names
    rows = zip(names, *values.values(), ranges, intervals.marks, strict=True)
    what = (
        "before, predicted by the influence function, and recalibrated; " if state.changes else ""
    )
    return table(f"Parameters: {what}with 95 % {METHODS[intervals.form]}", columns, rows)


def _implausible(study: Study, found: WhatIf, plausible: PlausibleFits) -> Iterator[str]:
    """Why the parameters are implausible, what plausible ones cost, and how usual that is."""
    if not plausible.reasons[0]:
        return
    rmsre = float(plausible.rmsre[0])
    odd = study.fitted["is_implausible"].eq(True).mean()
    yield (
        f"Implausible: {plausible.reasons[0]}. The plausible fit has RMSRE {percent(rmsre, 3)} "
        f"({_change(found.after.rmsre, rmsre)}). {percent(odd, 0)} of the study's days are "
        "implausible."
    )


@lru_cache(maxsize=4)
def _noise(study: Study) -> str:
    return noise_sentence(study)


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
    intervals = source.intervals(state, found, WIDEST_FIRST)
    return (
        drawn("interval_chart", dx, f"{note}; {METHODS[intervals.form]}", known=intervals),
        drawn("singular_spectrum", dx, note),
        next_of_uncertainty(intervals),
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
    cells = [column for _, side, _ in sides for column in _both(side)]
    rows = [*found.after.problem.specs.names, *MEASURES]
    columns = [Column("of the fit")]
    for day, side, _ in sides:
        titles = (str(day), f"{day}, plausible")
        columns += [Column(title, estimate) for title, _ in zip(titles, _both(side), strict=False)]
    return (
        table("Two dates", columns, zip(rows, *cells, strict=True)),
        *(drawn("market_against_model", side.after, words) for _, side, words in sides),
        *(drawn("leverage_and_influence", side.dx_after, words) for _, side, words in sides),
    )


def _both(found: WhatIf) -> list[list[Cell]]:
    """The column of a fit, and that of the plausible one if it is another."""
    own = _column(found.after, found.dx_after)
    plausible = plausible_fits([found.after], threads=1)
    if not plausible.reasons[0]:
        return [own]
    rest: list[Cell] = [""] * (len(MEASURES) - 1)
    return [own, [*plausible.parameters[0], percent(float(plausible.rmsre[0]), 3), *rest]]


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
