"""Metrics of other packages on the page of a day."""

from calibscope.calibration.solution import Fit
from calibscope.diagnosis.settings import USUAL, DiagnosisSettings
from calibscope.report.document import Cell, Column, Section, section, table
from calibscope.study.diagnosed import diagnosed
from calibscope.study.metric import Metric, further_metrics
from calibscope.study.metrics import values_of


def further_measures(fit: Fit, thresholds: DiagnosisSettings = USUAL) -> Section | None:
    """A table for each kind of metric; None where no package has any."""
    metrics = tuple(further_metrics().values())
    if not metrics:
        return None
    _, sample = next(diagnosed([fit], settings=thresholds))
    day, names = fit.problem.day, sample.parameter_names
    rows_of = {
        "day": ("",),
        "quote": day.labels,
        "parameter": names,
        "pair": tuple(f"{label}, {name}" for label in day.labels for name in names),
        "direction": tuple(str(number + 1) for number in range(len(names))),
    }
    tables = []
    for per, rows in rows_of.items():
        mine = [metric for metric in metrics if metric.per == per]
        if not mine:
            continue
        values = [values_of(metric, sample) for metric in mine]
        cells: list[list[Cell]] = [
            [row, *(column[k] for column in values)] for k, row in enumerate(rows)
        ]
        tables.append(table(f"Per {per}", (Column(per), *map(_column, mine)), cells))
    words = (f"{metric.describe}." for metric in metrics)
    return section("further", "Further measures", *tables, *words)


def _column(metric: Metric) -> Column:
    unit = f" [{metric.unit}]" if metric.unit not in ("", "1") else ""
    form = "" if metric.kind == "text" else ".4g"
    return Column(f"{metric.name}{unit}", form, sentence=metric.text)
