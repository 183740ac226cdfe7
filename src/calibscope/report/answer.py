"""May the calibration of a day be used? Everything that the answer rests on, in one place.

The terminal, the page of a day and the workbook show the same answer. It is made of a fit, or of
what a study keeps of its latest day.
"""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from calibscope.base.arrays import Array
from calibscope.calibration.calibrate import posed_problem
from calibscope.calibration.solution import Fit
from calibscope.diagnosis.diagnose import diagnose
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.diagnosis.linear.intervals import Intervals
from calibscope.diagnosis.linear.uncertainty import Scale
from calibscope.diagnosis.settings import LEVELS
from calibscope.report.actions import actions
from calibscope.study.rag import Rag, Raised
from calibscope.study.rated_fit import RatedDay
from calibscope.study.screening import suspicions
from calibscope.study.shown_intervals import shown_level
from calibscope.study.statistics.interval_shares import delta_scale
from calibscope.study.stored_intervals import stored_intervals
from calibscope.study.study import Study


@dataclass(frozen=True, slots=True, eq=False)
class Calibrated:
    """The fit that the answer is about."""

    fit: Fit
    dx: Diagnosis
    intervals: Intervals  # at one level
    plausible: Array | None  # (p,) the best plausible fit; None: the fit itself, or there is none
    plausible_rmsre: float
    edof: float  # as the study keeps it: on all parameters that were fitted


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """Whether a day's calibration may be used, why, and what to do."""

    date: datetime.date | None
    rag: Rag
    reasons: tuple[str, ...]
    steps: tuple[str, ...]
    note: str  # what does not change the status
    is_synthetic: bool
    source: str  # of the quotes
    calibrated: Calibrated | None  # None: the day has no results


def answer_of_fit(
    fit: Fit, dx: Diagnosis, rated: RatedDay, source: str, is_synthetic: bool
) -> Answer:
    """The answer for a day that was just calibrated.

    Parameters
    ----------
    dx : its diagnosis
    rated : its RAG status
    source : the market's name
    """
    evidence = fit.evidence
    other = None if evidence.is_plausible else evidence.plausible_fit
    calibrated = Calibrated(
        fit,
        dx,
        dx.intervals(LEVELS).at(LEVELS[-1]),
        None if other is None else other.values,
        evidence.plausible_rmsre,
        rated.numbers["edof"],
    )
    return Answer(
        fit.problem.day.date,
        rated.rag,
        rated.reasons,
        actions(rated.raised, rated.numbers),
        rated.note,
        is_synthetic,
        source,
        calibrated,
    )


def answer_of_study(study: Study) -> Answer:
    """The answer for the latest day of a study, with its stored results.

    Parameters
    ----------
    study : with at least one day
    """
    rated = latest_rated(study)
    return Answer(
        rated.numbers["date"].date(),
        rated.rag,
        rated.reasons,
        steps_of_study(study, rated),
        rated.note,
        study.is_synthetic,
        str(study.runs["market"].iloc[-1]),
        None if rated.rag is Rag.GREY else _stored(study, rated.numbers),
    )


def latest_rated(study: Study) -> RatedDay:
    """The latest day of a study, with the rules that speak against it.

    Parameters
    ----------
    study : with at least one day
    """
    day = study.days.iloc[-1].to_dict()
    rows = study.raised_rules[study.raised_rules["date"] == day["date"]]
    raised = tuple(
        Raised(rule, reason, Rag(colour))
        for rule, reason, colour in zip(rows["rule"], rows["reason"], rows["colour"], strict=True)
    )
    date = str(day["date"].date())
    screened = study.screening[study.screening["date"].astype(str) == date]
    found = suspicions({name: values.tolist() for name, values in screened.items()})
    accused = found[date].accused if date in found else ()
    return RatedDay({**day, "accused": accused}, raised, not study.rag["notes"].iloc[-1])


def steps_of_study(study: Study, rated: RatedDay) -> tuple[str, ...]:
    """What to do about the latest day; without results, also which calibration there is.

    Parameters
    ----------
    rated : the latest day
    """
    return (*actions(rated.raised, rated.numbers), *_until_then(study, rated.rag))


def _until_then(study: Study, rag: Rag) -> tuple[str, ...]:
    """Which calibration there is, where the latest day has none."""
    if rag is not Rag.GREY or study.fitted.empty:
        return ()
    last = study.fitted["date"].iloc[-1]
    colour = study.rag.set_index("date").loc[last, "rag"]
    return (f"The latest calibration there is: {last.date()}, {colour}.",)


def _stored(study: Study, row: Mapping[str, Any]) -> Calibrated:
    """A day as it is stored: nothing is calibrated again."""
    date, settings = row["date"].date(), study.settings
    asked = settings.calibration.arguments()
    del asked["solver"]
    problem = posed_problem(study.day(date), **asked)
    values = study.estimates.loc[row["date"], list(study.specs.names)].to_numpy(float)
    fit = Fit(
        problem,
        problem.model.from_values(values),
        row["solver"],
        int(row["evaluations"]),
        row["seconds"],
    )
    thresholds = settings.diagnosis.thresholds
    dx, full = diagnose(fit, settings=thresholds), diagnose(fit, "full", thresholds)
    level = shown_level(study)
    intervals = stored_intervals(study, date, full, (level,))
    if intervals is None:
        scale = cast(Scale, delta_scale(study))
        intervals = dx.intervals((level,), scale, method="delta")
    plausible = study.plausible_estimates.loc[row["date"]].to_numpy(float)
    has_other = bool(row["is_implausible"]) and not np.isnan(plausible).any()
    return Calibrated(
        fit,
        dx,
        intervals.at(level),
        plausible if has_other else None,
        row["plausible_rmsre"],
        row["edof"],
    )
