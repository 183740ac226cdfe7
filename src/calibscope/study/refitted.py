"""Days fitted again, as columns of the study's tables: without each quote, along each profile."""

from collections.abc import Sequence

import numpy as np

from calibscope.calibration.solution import Fit
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.study.columns import Columns, without_nan
from calibscope.study.further_fits import FurtherFits
from calibscope.study.left_out import LeftOut


def left_out_columns(
    places: Sequence[int], fits: Sequence[Fit], found: LeftOut
) -> dict[str, Columns]:
    """What is known of each quote left out, the shifts of the parameters, and what failed.

    Parameters
    ----------
    places : of the fits among the days of a chunk
    """
    rows: Columns = {}
    further = FurtherFits("day")
    for place, fit, one in zip(places, fits, found.answers, strict=True):
        if one is None:
            continue
        labels, names = fit.problem.day.labels, one.shifts.specs.names
        m = len(labels)  # an anchor's rows come after the quotes
        columns: Columns = {"day": [place] * m, "label": list(labels)}
        for name, values in one.columns.items():
            if name not in names:
                is_text = name == "mark"
                columns[name] = list(values[:m]) if is_text else without_nan(values[:m])
        for name, values in columns.items():
            rows.setdefault(name, []).extend(values)
        for label, shifts in zip(labels, one.shifts.refitted.tolist(), strict=False):
            further.add(place, "left_out", label, dict(zip(names, shifts, strict=True)))
    failed = [(place, why) for place, why in zip(places, found.failures, strict=True) if why]
    tables = {
        "left_out": rows,
        "further_fits": further.columns,
        "failed_refits": failures(
            [place for place, _ in failed], "left_out", *(w for _, w in failed)
        ),
    }
    return {name: columns for name, columns in tables.items() if columns.get("day")}


def failures(places: Sequence[int], task: str, *reasons: str) -> Columns:
    """Days that could not be fitted again, and why."""
    return {"day": list(places), "task": [task] * len(places), "reason": list(reasons)}


def profile_columns(place: int, dx: Diagnosis, levels: tuple[float, ...]) -> Columns:
    """Profile intervals at every level, of every parameter that can move."""
    found = dx.refits.profiles(levels)
    intervals = found.intervals
    marks = [intervals.at(level).marks for level in found.levels]
    places = [found.problem.specs.place(curve.name) for curve in found.curves]
    each = [(p, i) for p in places for i in range(len(found.levels))]
    columns: Columns = {
        "day": [place] * len(each),
        "parameter": [found.problem.specs.names[p] for p, _ in each],
        "level": [found.levels[i] for _, i in each],
        "scale": [str(found.scale)] * len(each),
        "mark": [marks[i][p] for p, i in each],
    }
    for name in ("low", "high", "is_cut_low", "is_cut_high", "is_connected", "second_minimum"):
        columns[name] = without_nan(np.array([getattr(intervals, name)[i, p] for p, i in each]))
    return columns
