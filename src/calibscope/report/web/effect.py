"""The effect of a change: parameters, fit and RAG status before and after, in one table.

Without a change, the same table of the day as it is in the study.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from calibscope.base.numbers import estimate, number, percent, share
from calibscope.base.parameters import ParameterSpec
from calibscope.calibration.near_optimal.plausible import PlausibleFits, plausible_fits
from calibscope.diagnosis.refit.shifts import PREDICTED
from calibscope.diagnosis.settings import LEVELS
from calibscope.report.document import Block, Cell, Column, Range, Table, collapsible, table
from calibscope.report.figures.parameters import is_log
from calibscope.report.web.rated import NOT_ASKED, Side, change_of_rag
from calibscope.report.web.shown import METHODS, Shown
from calibscope.study.statistics.misfit import noise_sentence
from calibscope.study.study import Study
from calibscope.study.what_if import WhatIf

REMEDY = "take the global search, or more quotes than parameters."
MANY = 3.0  # times from which on percents do not read well
STILL = 1e-6  # share of a parameter that is only the solver's tolerance
MEASURES = ("RMSRE", "highest leverage", "fit status", "RAG of the fit")


def effect(shown: Shown) -> Iterator[Block | str]:
    """The table, and what must be said of it."""
    found = shown.found
    plausible = plausible_fits([found.after], threads=1)
    yield _table(shown, plausible)
    if shown.state.has_change:
        yield _predicted(found)
    fine = "" if plausible.reasons[0] else " The parameters are plausible."
    yield f"{found.after.status.value} {shown.after.dx.summary}{fine}"
    if shown.after.reasons:
        yield f"Rated {shown.after.word}: {'; '.join(shown.after.reasons)}."
    yield from _implausible(shown, plausible)
    left_out = (NOT_ASKED if shown.state.has_change else None, _noise(shown.study))
    if any(left_out):
        yield collapsible("What status and intervals leave out", *left_out)


def _table(shown: Shown, plausible: PlausibleFits) -> Table:
    found, intervals, has_change = shown.found, shown.intervals, shown.state.has_change
    now, specs = intervals.at(LEVELS[-1]), found.after.problem.specs
    blank: list[Cell] = [""] * len(MEASURES)
    columns: list[tuple[Column, Sequence[Cell]]] = [(Column("quantity"), [*specs.names, *MEASURES])]
    if has_change:
        columns += [
            (Column("before", estimate), cells(shown.before)),
            (Column("after", estimate), cells(shown.after)),
            (Column("change", estimate), changes(shown.before, shown.after)),
            (Column("predicted", estimate), [*found.predicted(), *blank]),
        ]
    else:
        columns += [(Column("estimate", estimate), cells(shown.after))]
    if plausible.reasons[0]:
        columns += [(Column("plausible fit", estimate), plausible_cells(plausible))]
    columns += [
        (Column("95 % interval", ".3g"), [*map(Range, now.low, now.high), *blank]),
        (Column("mark"), [*now.marks, *blank]),
    ]
    what = "The fit before and after" if has_change else "The fit"
    return table(
        f"{what}, with 95 % {METHODS[intervals.form]}",
        [column for column, _ in columns],
        zip(*(each for _, each in columns), strict=True),
    )


def cells(side: Side) -> list[Cell]:
    """Parameters, and `MEASURES`."""
    first = int(np.argmax(side.dx.leverage))
    return [
        *side.fit.parameters.values.tolist(),
        percent(side.fit.rmsre),
        f"{number(side.dx.leverage[first], '.3f')} ({side.dx.problem.labels[first]})",
        side.fit.status.name.lower().replace("_", " "),
        side.word,
    ]


def plausible_cells(plausible: PlausibleFits) -> list[Cell]:
    """Those of the best plausible fit, of which less is known."""
    rest: list[Cell] = [""] * (len(MEASURES) - 1)
    return [*plausible.parameters[0].tolist(), percent(float(plausible.rmsre[0])), *rest]


def changes(before: Side, after: Side) -> list[Cell]:
    """From one side to the other: in percent of what is positive by nature, else a difference."""
    old, new = before.fit, after.fit
    values = zip(old.problem.specs, old.parameters.values, new.parameters.values, strict=True)
    moved: list[Cell] = [_moved(*each) for each in values]
    return [*moved, _grown(old.rmsre, new.rmsre), "", "", change_of_rag(before, after)]


def _moved(spec: ParameterSpec, before: float, after: float) -> str:
    if is_log(spec):
        return _grown(before, after)
    return number(after - before, "+.3g")


def _grown(before: float, after: float) -> str:
    if not before > 0:
        return "from zero"
    if after > MANY * before:
        return f"\N{MULTIPLICATION SIGN} {number(after / before)}"
    return percent(after / before - 1.0, 1, "+")


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
    off = f"{percent(error, 0)} off" if error < 1.0 else f"off by {share(error)} the shift"
    return (
        f"{moves} The linear prediction was {off}: the change is too large for first order, or "
        "another optimum has become the best. Believe the recalibration."
    )


def _implausible(shown: Shown, plausible: PlausibleFits) -> Iterator[str]:
    """Why the parameters are implausible, what plausible ones cost, and how usual that is."""
    (why,) = plausible.reasons
    if not why:
        return
    rmsre = float(plausible.rmsre[0])
    odd = shown.study.fitted["is_implausible"].eq(True).mean()
    is_said = any(why in reason for reason in shown.after.reasons)
    lead = "" if is_said else f"Implausible: {why}. "
    yield (
        f"{lead}The plausible fit has RMSRE {percent(rmsre)} "
        f"({_grown(shown.after.fit.rmsre, rmsre)}). {percent(odd, 0)} of the study's days are "
        "implausible."
    )


@lru_cache(maxsize=4)
def _noise(study: Study) -> str:
    return noise_sentence(study)
