"""The profile intervals of a day as its study has them, for those who show the day."""

import datetime
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.diagnosis.linear.intervals import Intervals
from calibscope.diagnosis.linear.uncertainty import Noise

if TYPE_CHECKING:
    from calibscope.study.study import Study

SAME = 1e-3  # of a parameter's coordinate: the stored fit is the one that is shown
FLAGS = ("is_cut_low", "is_cut_high", "is_connected")


def stored_intervals(
    study: "Study", date: datetime.date, full: Diagnosis, levels: Sequence[float]
) -> Intervals | None:
    """Profile intervals at these levels; None where they are not stored, or of another fit.

    Parameters
    ----------
    full : the diagnosis of the day's fit, in full mode: a profile lets every parameter move
    """
    problem, names = full.problem, list(full.problem.specs.names)
    rows = study.profiles[study.profiles["date"] == str(date)]
    if rows.empty or not set(levels) <= set(rows["level"]):
        return None
    estimates = study.estimates.loc[str(date), names].to_numpy(float)
    if (np.abs(estimates - problem.values) > SAME * problem.coordinate_scale).any():
        return None
    wide = {
        name: rows.pivot(index="level", columns="parameter", values=name)
        .reindex(index=list(levels), columns=names)
        for name in ("low", "high", "second_minimum", *FLAGS)
    }  # fmt: skip
    flags = {name: wide[name].eq(True).to_numpy(bool) for name in FLAGS}
    is_there = wide["low"].notna().to_numpy()
    nothing = np.zeros(len(names), dtype=bool)
    return Intervals(
        problem.specs,
        tuple(levels),
        _scale(rows["scale"].iloc[0]),
        "profile",
        problem.values,
        np.full(len(names), np.nan),
        wide["low"].to_numpy(float),
        wide["high"].to_numpy(float),
        flags["is_cut_low"],
        flags["is_cut_high"],
        problem.at_bound,
        ~problem.is_movable,
        full.identification.is_identified,
        nothing,
        nothing,
        full.flags.is_perfect,
        flags["is_connected"] | ~is_there,
        wide["second_minimum"].to_numpy(float),
        np.zeros(is_there.shape, dtype=bool),
    )


def _scale(text: str) -> Noise:
    """A name, or the known noise."""
    try:
        return float(text)
    except ValueError:
        return text  # type: ignore[return-value]
