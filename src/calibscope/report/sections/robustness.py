"""The same days calibrated in other ways: two tables, and how to read them."""

from typing import TYPE_CHECKING, Any

from calibscope.base.numbers import counted, percent
from calibscope.report.document import (
    Block,
    Column,
    Document,
    Paragraph,
    Table,
    percents,
    section,
    table,
)
from calibscope.study.robustness import ENDS, FAR, LEAST_QUOTES, WORSE
from calibscope.study.robustness_rows import MOVE, edof_columns

if TYPE_CHECKING:
    import pandas as pd

FITS = {
    "variant": Column("variant"),
    **percents(".2f", rmsre="RMSRE"),
    **percents(".0f", worse="missed", moved="moved"),
}
GEOMETRY = {
    "variant": Column("variant"),
    **percents(".0f", short_end="short", long_end="long"),
    "leverage_move": Column("largest move", ".2f"),
}
FITS_NOTE = (
    f"Missed: share of days with a sum of squares more than {percent(WORSE, 1)} above the "
    "baseline's; '-' where the quotes are others. Moved: share of days on which log a, log sigma "
    f"or rho moves by more than {FAR:g}; beside it the median moves."
)
GEOMETRY_NOTE = (
    f"Short, long: mean share of the leverage on the {ENDS} shortest and the {ENDS} longest caps; "
    "largest move: of one maturity's mean leverage. EDoF: shares of days."
)


def robustness_document(found: "pd.DataFrame", source: str) -> Document:
    """What `calibscope robustness` shows."""
    days = counted(int(found["days"].iloc[0]), "day")
    return Document(
        title=f"{source}: {days}, calibrated in {counted(len(found), 'way')}",
        subtitle="",
        sections=(section("robustness", "What moves the parameters?", *robustness_blocks(found)),),
    )


def robustness_blocks(found: "pd.DataFrame") -> list[Block | str]:
    """How RMSRE, parameters, leverage and EDoF move from variant to variant."""
    rows: list[dict[str, Any]] = found.to_dict("records")
    names = [name for name in found if name.startswith(MOVE)]
    moves = {name: Column(name.removeprefix(MOVE), ".3f") for name in names}
    full = len(names)
    words = (f"EDoF {full}", f"EDoF {full - 1}", f"{full - 2} or less")
    edof = percents(
        ".0f", **dict(zip(edof_columns(full), words, strict=True)), edof_same="as baseline"
    )
    return [
        _sentence(rows),
        *_skipped(found),
        _table("How well they fit, and how far the parameters move", rows, _fits(rows) | moves),
        Paragraph(FITS_NOTE, is_note=True),
        _table("What decides the fit: leverage at the ends, and EDoF", rows, GEOMETRY | edof),
        Paragraph(GEOMETRY_NOTE, is_note=True),
    ]


def _skipped(found: "pd.DataFrame") -> list[str]:
    """Which of the usual variants would have left too few quotes."""
    skipped: dict[str, int] = found.attrs.get("skipped", {})
    if not skipped:
        return []
    named = ", ".join(f"{name} ({counted(left, 'quote')} left)" for name, left in skipped.items())
    return [f"Not computed, for a comparison needs {LEAST_QUOTES} quotes: {named}."]


def _fits(rows: list[dict[str, Any]]) -> dict[str, Column]:
    """The columns of the first table; the days too, where quotes left out are not on all."""
    names = list(FITS)
    if len({row["days"] for row in rows}) == 1:
        return FITS
    return {names[0]: FITS[names[0]], "days": Column("days", "d"), **FITS}


def _table(caption: str, rows: list[dict[str, Any]], columns: dict[str, Column]) -> Table:
    return table(caption, list(columns.values()), [[row[name] for name in columns] for row in rows])


def _sentence(rows: list[dict[str, Any]]) -> str:
    """The variant that matters most, in words."""
    if len(rows) < 2:
        return "There is nothing to compare with."
    worst = max(rows[1:], key=lambda row: float(row["moved"]))
    text = (
        f"The variant that moves the parameters most often is {worst['variant']!r}: on "
        f"{percent(worst['moved'], 0)} of the days"
    )
    missed = max(
        rows[1:], key=lambda row: float(row["worse"] if row["worse"] == row["worse"] else 0)
    )
    if missed["worse"] > 0:
        text += f"; {missed['variant']!r} misses the optimum on {percent(missed['worse'], 0)}"
    return f"{text}."
