"""What follows from the parameters, in the terminal: estimates, three kinds of ranges, marks."""

from rich.console import Group, RenderableType
from rich.table import Table

from calibscope.diagnosis.propagate.consequences import Consequences
from calibscope.report.tables import heading, indented, interval_text, plain_table


def followed(found: Consequences) -> RenderableType:
    """The table, what must be said of all its intervals, and the summary."""
    shared = _shared(found)
    return Group(
        heading("What follows from the parameters?"),
        consequence_table(found),
        indented(_legend(found)),
        *([indented(f"Delta intervals: {', '.join(shared)}.")] if shared else []),
        *([indented(found.summary)] if found.summary else []),
    )


def consequence_table(found: Consequences) -> Table:
    """A row per quantity, under Q; what is marked in every row is left to `followed`."""
    titles, rows = consequence_rows(found)
    table = plain_table()
    for title in titles:
        is_word = not title
        table.add_column(
            title.replace("; ", "\n"), justify="left" if is_word else "right",
            no_wrap=title in ("", "estimate"),
        )  # fmt: skip
    for row in rows:
        table.add_row(*row)
    return table


def consequence_rows(found: Consequences) -> tuple[list[str], list[tuple[str, ...]]]:
    """Titles, and a row per quantity: estimate, ranges, what is marked in this row alone."""
    shared = _shared(found)
    ranges = [(f"{found.level:.0%}; delta", found.low, found.high)]
    if found.has_bootstrap:
        ends = found.bootstrap_low, found.bootstrap_high
        ranges.append((f"{found.level:.0%}; bootstrap", *ends))
    if found.has_near_optimal:
        title = f"fits within; {found.factor:g} x {found.error}"
        ranges.append((title, found.near_optimal_low, found.near_optimal_high))
    rows = [
        (
            label,
            measure.text(found.estimates[q]),
            *(
                interval_text(measure.factor * low[q], measure.factor * high[q])
                for _, low, high in ranges
            ),
            ", ".join(word for word in found.marks[q].split(", ") if word not in shared),
        )
        for q, (label, measure) in enumerate(zip(found.labels, found.measures, strict=True))
    ]
    return ["", "estimate", *(title for title, _, _ in ranges), ""], rows


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
