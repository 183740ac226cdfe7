"""The numbers of a study on the page of a day: those of other packages, and all that it keeps."""

from collections.abc import Sequence

from calibscope.report.document import (
    Cell,
    Collapsible,
    Column,
    Section,
    Table,
    collapsible,
    section,
    table,
)
from calibscope.study.diagnosed import Diagnosed
from calibscope.study.metric import Metric, Per, further_metrics
from calibscope.study.metrics import (
    DAY_METRICS,
    DIRECTION_METRICS,
    PARAMETER_METRICS,
    QUOTE_METRICS,
    values_of,
)

FLAGS = {True: "yes", False: "no"}


def further_measures(sample: Diagnosed) -> Section | None:
    """A table for each kind of metric of other packages; None where no package has any."""
    metrics = tuple(further_metrics().values())
    if not metrics:
        return None
    kinds: tuple[Per, ...] = ("day", "quote", "parameter", "pair", "direction")
    tables = [
        _measures(f"Per {per}", per, mine, sample)
        for per in kinds
        if (mine := [metric for metric in metrics if metric.per == per])
    ]
    words = (f"{metric.describe}." for metric in metrics)
    return section("further", "Further measures", *tables, *words)


def every_number_of_quotes(sample: Diagnosed) -> Collapsible:
    """All that a study keeps of each quote."""
    name = "Every number that a study keeps of a quote"
    return collapsible(name, _measures(name, "quote", QUOTE_METRICS, sample))


def every_number_of_parameters(sample: Diagnosed) -> Collapsible:
    """All that a study keeps of each parameter and of each direction."""
    name = "Every number that a study keeps of a parameter"
    return collapsible(
        name,
        _measures(name, "parameter", PARAMETER_METRICS, sample),
        _measures("And of a direction", "direction", DIRECTION_METRICS, sample),
    )


def every_number_of_the_day(sample: Diagnosed) -> Collapsible:
    """All that a study keeps of the day, one below the other."""
    rows = [
        (metric.name, _cell(metric, values_of(metric, sample)[0]), metric.unit, metric.text)
        for metric in DAY_METRICS
    ]
    name = "Every number that a study keeps of the day"
    return collapsible(
        name, table(name, ("name", Column("value", ".4g"), "unit", "what it is"), rows)
    )


def _measures(caption: str, per: Per, metrics: Sequence[Metric], sample: Diagnosed) -> Table:
    columns = [values_of(metric, sample) for metric in metrics]
    cells = [
        [row, *(_cell(one, column[k]) for one, column in zip(metrics, columns, strict=True))]
        for k, row in enumerate(_rows(per, sample))
    ]
    return table(caption, (Column(per), *map(_column, metrics)), cells)


def _rows(per: Per, sample: Diagnosed) -> Sequence[str]:
    """What the rows of a table are of."""
    labels, names = sample.days[0].labels, sample.parameter_names
    rows: dict[Per, Sequence[str]] = {
        "day": ("",),
        "quote": labels,
        "parameter": names,
        "pair": [f"{label}, {name}" for label in labels for name in names],
        "direction": [str(number + 1) for number in range(len(names))],
    }
    return rows[per]


def _cell(metric: Metric, value: Cell) -> Cell:
    return FLAGS[bool(value)] if metric.kind == "flag" and value is not None else value


def _column(metric: Metric) -> Column:
    unit = f" [{metric.unit}]" if metric.unit not in ("", "1") else ""
    form = "" if metric.kind in ("text", "flag") else ".4g"
    return Column(f"{metric.name}{unit}", form, sentence=metric.text)
