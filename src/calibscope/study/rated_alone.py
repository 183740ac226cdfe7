"""The RAG status of one fit, by those rules of a study that a fit alone can answer.

A study also rates the quotes: by the warnings of the data checks, and by screening each quote
against its own history and its neighbours. A fit to quotes that nobody has quoted, such as a
what-if, has neither; `OF_QUOTES` are the rules that are left out.
"""

from collections.abc import Mapping
from typing import Any

from calibscope.calibration.solution import Fit
from calibscope.diagnosis.diagnosis import Diagnosis
from calibscope.diagnosis.refit.leave_one_out import LEFT_OUT
from calibscope.study.diagnosed import diagnosed
from calibscope.study.metrics import DAY_METRICS, values_of
from calibscope.study.rag import WARNINGS, Rag, raised_rules, rating, with_further
from calibscope.study.results import further_rows
from calibscope.study.screening import RULES as SCREENING_RULES
from calibscope.study.settings import StudySettings

OF_QUOTES = frozenset((WARNINGS, *SCREENING_RULES))


def rated_alone(
    fit: Fit, settings: StudySettings, dx: Diagnosis | None = None
) -> tuple[Rag, tuple[str, ...]]:
    """The status that a study would give to this fit, and the reasons for it.

    Parameters
    ----------
    fit : of `calibrate`
    settings : of one model: thresholds of the diagnosis, and the limits of [governance]
    dx : a diagnosis of the fit, which is told the fits without each quote and need not repeat them

    Returns
    -------
    tuple[Rag, tuple[str, ...]]
        without the rules of `OF_QUOTES`
    """
    (raised,) = raised_rules(row_of_days(fit, settings, dx), settings.governance)
    return rating(raised)


def row_of_days(
    fit: Fit, settings: StudySettings, dx: Diagnosis | None = None
) -> Mapping[str, list[Any]]:
    """A fit's row of the table `days`, with the columns of metrics from other packages.

    Parameters
    ----------
    fit, settings, dx : as for `rated_alone`
    """
    section = settings.diagnosis
    ((places, sample),) = diagnosed([fit], section.mode, section.thresholds, threads=1)
    if dx is not None:
        dx.known_left_out[LEFT_OUT] = sample.left_out.answers[0]
    columns: dict[str, Any] = {metric.name: values_of(metric, sample) for metric in DAY_METRICS}
    further = further_rows(places, sample, settings.further_metrics)
    return with_further({"day": [0], **columns}, further, "day")
