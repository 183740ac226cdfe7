"""The RAG status of one fit, as a study of the same market gives it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from calibscope.calibration.solution import Fit
from calibscope.market.findings import INCOMPLETE
from calibscope.market.market import Market
from calibscope.study.diagnosed import diagnosed
from calibscope.study.metric import further_metrics
from calibscope.study.metrics import DAY_METRICS, rows_of_day, values_of
from calibscope.study.rag import NOT_SCREENED, Rag, Raised, raised_rules, rating, with_further
from calibscope.study.screening import suspicions_in
from calibscope.study.settings import StudySettings


@dataclass(frozen=True, slots=True)
class RatedDay:
    """What the rules say of a day, and the numbers they speak of."""

    numbers: Mapping[str, Any]  # a row of the table `days`, and the labels that are `accused`
    raised: tuple[Raised, ...]
    is_screened: bool  # whether the history before is long enough to judge the quotes

    @property
    def rag(self) -> Rag:
        """The worst colour."""
        return rating(self.raised)[0]

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the day has that colour."""
        return rating(self.raised)[1]

    @property
    def note(self) -> str:
        """What does not change the colour."""
        return "" if self.is_screened else NOT_SCREENED


def rated_fit(fit: Fit, market: Market, settings: StudySettings) -> RatedDay:
    """Rate a calibrated day.

    Parameters
    ----------
    fit : of a day of this market
    market : whose days before that one say what is usual
    settings : whose governance has the rules
    """
    date = fit.problem.day.date
    ((_, sample),) = diagnosed([fit], settings=settings.diagnosis.thresholds)
    day = {metric.name: values_of(metric, sample) for metric in DAY_METRICS}
    said = [str(found) for found in market.warnings
            if found.date == date and found.check != INCOMPLETE]  # fmt: skip
    day |= {"date": [date], "warnings": ["; ".join(said)]}
    found = suspicions_in(market.between(market.dates[0], date)) if date else {}
    numbers = {name: values[0] for name, values in day.items()}
    rows: dict[str, list[Any]] = {name: [] for name in ("date", "metric", "label", "value")}
    for metric in further_metrics().values():
        for (label, _), value in zip(
            rows_of_day(metric, sample, 0), values_of(metric, sample), strict=True
        ):
            for name, entry in zip(rows, (date, metric.name, label, value), strict=True):
                rows[name].append(entry)
    (raised,) = raised_rules(with_further(day, rows, "date"), settings.governance, found)
    suspicion = found.get(str(date))
    return RatedDay(
        {**numbers, "accused": suspicion.accused if suspicion else ()},
        raised,
        suspicion is None or suspicion.is_screened,
    )
