"""Two dates beside each other: one table, and one figure on common axes."""

from collections.abc import Sequence

from calibscope.base.numbers import estimate
from calibscope.calibration.near_optimal.plausible import plausible_fits
from calibscope.report.document import Block, Cell, Column, drawn, table
from calibscope.report.web.effect import MEASURES, cells, changes, plausible_cells
from calibscope.report.web.rated import Side
from calibscope.report.web.shown import Shown, answered
from calibscope.report.web.state import STUDY
from calibscope.report.web.steps import changed
from calibscope.study.what_if import HELD

NO_SECOND = "Give a second date above, beside the first one, to see both on common axes."


def compared(shown: Shown) -> list[Block | str]:
    """The table of both dates, and the figure; the second has its own quotes, unmoved."""
    state = shown.state
    if state.other is None:
        return [NO_SECOND]
    weights = STUDY if state.weights == HELD else state.weights  # quotes are others there
    second = answered(
        shown.source,
        changed(state, date=state.other, other=None, move={}, without=(), weights=weights),
    )
    own, other = f"{shown.date}", f"{second.date}"
    first = f"{own}, what if" if state.has_change else own
    columns: list[tuple[str, Sequence[Cell]]] = [(own, cells(shown.before))]
    if state.has_change:
        columns.append((first, cells(shown.after)))
    columns += [
        (other, cells(second.after)),
        ("change", changes(shown.after, second.after)),
        *_plausible(first, shown.after),
        *_plausible(other, second.after),
    ]
    names = [*shown.after.fit.problem.specs.names, *MEASURES]
    heads = [Column("quantity"), *(Column(head, estimate) for head, _ in columns)]
    rows = zip(names, *(each for _, each in columns), strict=True)
    both = [
        (head, side.fit, side.dx) for head, side in ((first, shown.after), (other, second.after))
    ]
    return [
        table(f"{first} and {other}", heads, rows),
        drawn("two_dates", both, f"{shown.note}; beside it {other}"),
    ]


def _plausible(title: str, side: Side) -> list[tuple[str, Sequence[Cell]]]:
    plausible = plausible_fits([side.fit], threads=1)
    return [(f"{title}, plausible fit", plausible_cells(plausible))] if plausible.reasons[0] else []
