"""What `calibscope check study.db --date` shows: a date as two runs have it."""

import datetime

from calibscope import __version__
from calibscope.base.numbers import BASIS_POINTS, PERCENT, estimate
from calibscope.report.document import SYNTHETIC, Column, Document, Table, section
from calibscope.report.sections.study_blocks import framed
from calibscope.study.restated import MOVED, Restatement


def restated_document(found: Restatement, is_synthetic: bool = False) -> Document:
    """The summary, the quotes that moved, and the parameters.

    Parameters
    ----------
    found : of `Study.restated`
    is_synthetic : say so
    """
    before, after = found.runs
    return Document(
        title=f"What moved on {found.date} from run {before} to run {after}?",
        subtitle="",
        sections=(
            section(
                "moved", "Quotes and parameters", found.summary, _quotes(found), _parameters(found)
            ),
        ),
        label=SYNTHETIC if is_synthetic else "",
        footer=f"calibscope {__version__}, {datetime.date.today()}.",
    )


def _quotes(found: Restatement) -> Table | None:
    before, after = (f"run {run}" for run in found.runs)
    moved = found.quotes[found.quotes["change"].abs().fillna(1.0) > MOVED]
    if moved.empty:
        return None
    columns = {
        "label": Column("quote", "s"),
        "price_before": Column(f"price, {before}", ",.2f", BASIS_POINTS),
        "price_after": Column(f"price, {after}", ",.2f", BASIS_POINTS),
        "change": Column("change", "+.2f", PERCENT),
        "leverage_before": Column(f"leverage, {before}", ".2f"),
        "leverage_after": Column(f"leverage, {after}", ".2f"),
    }
    return framed("Quotes that moved", moved, columns)


def _parameters(found: Restatement) -> Table:
    before, after = (f"run {run}" for run in found.runs)
    columns = {
        "parameter": Column("parameter"),
        "before": Column(before, estimate),
        "after": Column(after, estimate),
        "shift": Column("shift, in standard errors", "+.1f"),
    }
    return framed("Parameters", found.parameters, columns)
