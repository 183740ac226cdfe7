"""What follows from the parameters: estimates, three kinds of ranges, marks."""

from calibscope.base.numbers import Unit, percent
from calibscope.diagnosis.propagate.consequences import Consequences
from calibscope.report.document import (
    Block,
    Cell,
    Column,
    Heading,
    Paragraph,
    Quantity,
    Range,
    Table,
    drawn,
    table,
)


def followed(found: Consequences, note: str = "") -> list[Block | str]:
    """The table, what must be said of all its intervals, and the summary.

    Parameters
    ----------
    note : what the reader of the figure must know about the data
    """
    shared = _shared(found)
    return [
        Heading("What follows from the parameters?"),
        drawn("consequences", found, note, is_captioned=False),
        consequence_table(found),
        Paragraph(_legend(found), is_note=True),
        f"Delta intervals: {', '.join(shared)}." if shared else "",
        found.summary,
    ]


def consequence_table(found: Consequences, before: Consequences | None = None) -> Table:
    """A row per quantity, under Q; what is marked in every row is left to `followed`.

    Parameters
    ----------
    before : the same quantities before a change, whose estimates then have a column
    """
    shared, level = _shared(found), percent(found.level, 0)
    ranges = [(f"{level} delta", found.low, found.high)]
    if found.has_bootstrap:
        ranges.append((f"{level} bootstrap", found.bootstrap_low, found.bootstrap_high))
    if found.has_near_optimal:
        title = f"fits within {found.factor:g} x {found.error}"
        ranges.append((title, found.near_optimal_low, found.near_optimal_high))
    rows: list[list[Cell]] = []
    for q, (label, measure) in enumerate(zip(found.labels, found.measures, strict=True)):
        unit = Unit(measure.unit, measure.factor)
        rows.append(
            [
                label,
                *([] if before is None else [Quantity(before.estimates[q], unit)]),
                Quantity(found.estimates[q], unit),
                *(Range(unit.factor * low[q], unit.factor * high[q]) for _, low, high in ranges),
                ", ".join(word for word in found.marks[q].split(", ") if word not in shared),
            ]
        )
    numbers = [
        *([] if before is None else ["before"]),
        "estimate",
        *(title for title, *_ in ranges),
    ]
    return table(
        "What follows from the parameters, under the risk-neutral measure",
        ("quantity", *(Column(title, ".3g") for title in numbers), "mark"),
        rows,
    )


def _shared(found: Consequences) -> list[str]:
    """What is marked at every quantity."""
    marks = [mark.split(", ") for mark in found.marks]
    return [word for word in marks[0] if word and all(word in others for others in marks)]


def _legend(found: Consequences) -> str:
    text = f"Under the risk-neutral measure. Delta: to first order, scale {found.scale}."
    if found.has_near_optimal:
        text += (
            f" Fits within {found.factor:g} x {found.error}: smallest and largest among "
            f"{len(found.points)} that are known; not a confidence interval."
        )
    return text
